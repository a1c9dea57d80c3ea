"""Lengths of any paths, fitted by polynomials of the coordinates that they cross.

The package's own lengths and moment arms at poses in the ranges of the coordinates are fitted by
products of Chebyshev polynomials up to a total degree, by least squares; errors are those at other
poses. Where a path touches or leaves a surface its moment arm has a kink, which the fit rounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

import casadi as ca
import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.control.mechanics.directors import SX
from fibermsk.control.mechanics.tree import BALL, LinkTree
from fibermsk.control.muscles.path import MusclePath
from fibermsk.control.muscles.polynomial import Polynomials, spread, terms
from fibermsk.errors import ModelError, PathError
from fibermsk.model import LineMuscle, Model
from fibermsk.system import Skeleton, skeleton
from fibermsk.system.lines.batch import MuscleGeometry

_PROBES = 64
"""Poses that tell which coordinates a path crosses."""

_AROUND = 0.3
"""Range on both sides of a coordinate without one, for these poses [rad or m]."""

_MORE = 3
"""Poses of a fit for each of its terms, and of the test of a fit."""


class FittedPath(MusclePath):
    """Path of one muscle as a polynomial, without unknowns.

    Attributes
    ----------
    coordinates : tuple of str
        Coordinates that it crosses.
    length_error, arm_error : float
        Largest errors at poses of the test: of the length [m], and of moment arms [m; 1 of slides].
    """

    word = "fitted by polynomials"

    def __init__(self, tree: LinkTree, name: str, coordinates: Sequence[str], fit: _Fit, k: int):
        self.name, self.coordinates = name, tuple(coordinates)
        self._fit, self._k = fit, k
        self.length_error = float(fit.length_error[k])
        self.arm_error = float(fit.arm_error[k])
        links = zip(tree.links, tree.slots(), strict=True)
        at = {one.coordinate: (own.start, one.slope) for one, own in links if one.degrees}
        self._at = [at[one] for one in coordinates]
        self._degrees = tree.degrees

    def at(self, s: SX, q: SX, g: SX) -> tuple[SX, SX]:
        """Length [m], and forces (degrees,) of a unit tension that lengthens it."""
        x = ca.SX.sym("x", len(self._at))
        length = self._fit.of.traced(self._k, (x - ca.DM(self._fit.middle)) / ca.DM(self._fit.half))
        made = ca.Function("path", [x], [length, ca.gradient(length, x)])
        found, slope = made(ca.vertcat(*(s[k] for k, _ in self._at)))
        arms = ca.SX.zeros(self._degrees)
        for j, (k, ratio) in enumerate(self._at):
            arms[k] = slope[j] / ratio
        return found, arms


class _Fit(NamedTuple):
    """Polynomials of the lengths of muscles that cross the same coordinates."""

    of: Polynomials
    middle: Array  # (d,) of the ranges
    half: Array  # (d,) half their widths
    length_error: Array  # (m,) largest at poses of the test [m]
    arm_error: Array  # (m,) of any arm [m]


def fitted_paths(
    model: Model, tree: LinkTree, muscles: Sequence[LineMuscle],
    ranges: Mapping[str, tuple[float, float]], degree: int, within: float,
) -> dict[str, FittedPath]:  # fmt: skip
    """Paths of muscles by name, fitted in the ranges of coordinates.

    Raises
    ------
    ModelError
        If a path crosses a coordinate that is part of a rotation in all directions or has no range,
        has no solution in a pose of the ranges, or is not met within an error [m].
    """
    own = skeleton(model)
    geometry = MuscleGeometry(own, muscles)
    box = {name: ranges.get(name, _near(own.start[k])) for k, name in enumerate(own.independent)}
    low, high = np.array([*box.values()]).T
    arms = _lengths(geometry, own.independent, low + (high - low) * spread(_PROBES, low.size))[1]
    groups = dict[tuple[str, ...], list[int]]()
    for m in range(len(muscles)):
        crossed = np.flatnonzero(np.abs(arms[:, m]).max(axis=0) > 1e-12)
        groups.setdefault(tuple(own.independent[k] for k in crossed), []).append(m)
    balls = {one.coordinate for one in tree.links if one.motion == BALL}
    found = dict[str, FittedPath]()
    for names, members in groups.items():
        _check_ranges(tree, muscles[members[0]].name, names, ranges, balls)
        at = [own.independent.index(one) for one in names]
        fit = _fit(geometry, own, at, low[at], high[at], members, degree)
        for k, m in enumerate(members):
            path = FittedPath(tree, muscles[m].name, names, fit, k)
            found[path.name] = path
            worst = max(path.length_error, path.arm_error)
            if not worst <= within:
                field, must = "error of its path fitted", f"be at most within = {within:g} m"
                remedy = "narrow the ranges of its coordinates, or raise degree or within"
                owner = f"line muscle {path.name!r}"
                _check.refuse(owner, field, worst, must, unit="m", remedy=remedy)
    return found


def _near(value: float) -> tuple[float, float]:
    return value - _AROUND, value + _AROUND


def _check_ranges(
    tree: LinkTree, name: str, crossed: Sequence[str], ranges: Mapping[str, tuple[float, float]],
    balls: set[str],
) -> None:  # fmt: skip
    owner = f"line muscle {name!r}"
    for one in crossed:
        if one not in {link.coordinate for link in tree.links if link.degrees} - balls:
            must = "be turns and slides, so that its path can be fitted"
            _check.refuse(owner, "coordinates that it crosses", one, must)
        if one not in ranges:
            raise ModelError(
                f"{owner}: coordinate {one!r}, which it crosses, has no range; must have one for "
                f'its path to be fitted: path=[fm.Range("{one}", lower, upper)]'
            )


def _lengths(geometry: MuscleGeometry, names: Sequence[str], q: Array) -> tuple[Array, Array]:
    try:
        found = geometry.at(q)
    except PathError as error:
        at = ", ".join(f"{a} = {b:g}" for a, b in zip(names, q[error.pose or 0], strict=True))
        raise ModelError(f"a path cannot be fitted: at {at}: {error.__cause__}") from error
    return found.length, -found.moment_arm


def _fit(
    geometry: MuscleGeometry, own: Skeleton, at: list[int], low: Array, high: Array,
    members: list[int], degree: int,
) -> _Fit:  # fmt: skip
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    d = len(at)
    k = _MORE * len(terms(degree, d))

    def exact(z: Array) -> tuple[Array, Array, Array]:
        q = np.tile(own.start, (len(z), 1))
        q[:, at] = middle + half * z
        lengths, slopes = _lengths(geometry, own.independent, q)
        return z, lengths[:, members], slopes[:, members][:, :, at] * half

    # denser towards the ends, as the roots of the polynomials are
    found = Polynomials(degree, *exact(np.cos(np.pi * spread(k, d))))
    corners = np.array(list(product((-1.0, 1.0), repeat=d))).reshape(-1, d)
    even = np.concatenate([2.0 * spread(2 * k, d)[k:] - 1.0, corners])
    length_error, slope_error = found.errors(*exact(even))
    arm_error = (slope_error / half).max(axis=1, initial=0.0)
    return _Fit(found, middle, half, length_error, arm_error)

"""Ligaments along paths, which wrap around surfaces as line muscles do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._numbers import NON_NEGATIVE, POSITIVE, checked, number
from fibermsk._shown import Described
from fibermsk.model import PathWrap
from fibermsk.model.function import Function, Pieces, SimmSpline, check_function, integral
from fibermsk.model.muscles.line_muscle import PointOfPath
from fibermsk.model.muscles.path import check_path
from fibermsk.system.lines.pull import AlongPath, Tension

CURVE = SimmSpline(
    [-5.0, 0.998, 0.999, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.601, 1.602, 5.0],
    [0.0, 0.0, 0.0, 0.0, 0.035, 0.12, 0.26, 0.55, 1.17, 2.0, 2.0, 2.0, 2.0],
)
"""Curve of OpenSim's Ligament where a file gives none."""

_DAMPED_FROM = 0.01
"""Strain from which damping has its full value."""


@dataclass(frozen=True, eq=False, repr=False)
class Ligament(AlongPath, Described):
    """Ligament along a path, with a curve of its force; OpenSim's Ligament.

    Longer than its rest length l_0 it pulls with f g(l / l_0), g the curve; else not at all.

    Parameters
    ----------
    name : str
        Name, unique among the elements of the model.
    points : sequence of PathPoint, ConditionalPathPoint or MovingPathPoint
        The path; two or more; stored as a tuple.
    wraps : sequence of PathWrap
        Surfaces around which it wraps; stored as a tuple.
    rest_length : float
        l_0 [m]; positive.
    force : float
        f [N], `pcsa_force` in OpenSim; 0 or more.
    curve : Function
        g, of the length over the rest length, such as `fm.SimmSpline`; by default OpenSim's.

    Raises
    ------
    ModelError
        If a field lies outside its range; when the system is built, if a path cannot be found.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("knee")
    >>> shank = model.add(fm.Body("shank", 3.0, (0, 0, -0.2), (0.05, 0.05, 0.01)))
    >>> knee = model.add(fm.Hinge("knee", model.ground, shank, (0, 0, 0), axis=(0, 1, 0)))
    >>> places = model.ground.at((0.03, 0, 0.02)), shank.at((0.03, 0, -0.03))
    >>> points = [fm.PathPoint(f"p{k}", place) for k, place in enumerate(places)]
    >>> mcl = model.add(fm.Ligament("mcl", points, rest_length=0.045, force=300.0))
    """

    name: str
    points: Sequence[PointOfPath]
    _: KW_ONLY
    wraps: Sequence[PathWrap] = ()
    rest_length: float = number("m", POSITIVE)
    force: float = number("N", NON_NEGATIVE)
    curve: Function = CURVE

    def __post_init__(self) -> None:
        owner = f"ligament {_check.item_name('ligament', self.name)!r}"
        check_function(owner, "curve", self.curve)
        _check.store(self, **check_path(owner, self), **checked(self, owner))

    @cached_property
    def _pieces(self) -> Pieces:
        return self.curve.pieces()

    @property
    def numbers(self) -> list[Any]:
        """Numbers of its law."""
        return [self.rest_length, self.force, *self._pieces]

    def tension(self, length: float, speed: float) -> Tension:
        """Tension at a length [m] and its rate [m/s]."""
        x, rest = length / self.rest_length, self.rest_length
        if x <= 1.0:
            return Tension(0.0, 0.0, 0.0, 0.0)
        pieces = self._pieces
        force, slope = (self.force * float(pieces(x, order)) for order in (0, 1))
        return Tension(force, slope / rest, 0.0, self.force * rest * integral(pieces, 1.0, x))


@dataclass(frozen=True, eq=False, repr=False)
class ToeLigament(AlongPath, Described):
    """Ligament with a quadratic toe and a linear part; OpenSim's Blankevoort1991Ligament.

    With the strain e = l / l_0 - 1 its elastic force is k e^2 / (2 e_t) up to the transition e_t,
    and k (e - e_t / 2) beyond. While it lengthens a damping force c de/dt adds, which sets in over
    strains of 0 to 0.01.

    Parameters
    ----------
    name : str
        Name, unique among the elements of the model.
    points : sequence of PathPoint, ConditionalPathPoint or MovingPathPoint
        The path; two or more; stored as a tuple.
    wraps : sequence of PathWrap
        Surfaces around which it wraps; stored as a tuple.
    slack_length : float
        l_0 [m]; positive.
    stiffness : float
        k [N], force per strain; 0 or more.
    transition_strain : float
        e_t; positive.
    damping : float
        c [N s], force per rate of strain; 0 or more.

    Raises
    ------
    ModelError
        If a field lies outside its range; when the system is built, if a path cannot be found.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("knee")
    >>> shank = model.add(fm.Body("shank", 3.0, (0, 0, -0.2), (0.05, 0.05, 0.01)))
    >>> knee = model.add(fm.Hinge("knee", model.ground, shank, (0, 0, 0), axis=(0, 1, 0)))
    >>> places = model.ground.at((0.03, 0, 0.02)), shank.at((0.03, 0, -0.03))
    >>> points = [fm.PathPoint(f"p{k}", place) for k, place in enumerate(places)]
    >>> acl = model.add(fm.ToeLigament("acl", points, slack_length=0.048, stiffness=5000.0))
    """

    name: str
    points: Sequence[PointOfPath]
    _: KW_ONLY
    wraps: Sequence[PathWrap] = ()
    slack_length: float = number("m", POSITIVE)
    stiffness: float = number("N", NON_NEGATIVE)
    transition_strain: float = number("", POSITIVE, default=0.06)
    damping: float = number("N s", NON_NEGATIVE, default=0.003)

    def __post_init__(self) -> None:
        owner = f"ligament {_check.item_name('ligament', self.name)!r}"
        _check.store(self, **check_path(owner, self), **checked(self, owner))

    @property
    def numbers(self) -> list[Any]:
        """Numbers of its law."""
        return [self.slack_length, self.stiffness, self.transition_strain, self.damping]

    def tension(self, length: float, speed: float) -> Tension:
        """Tension at a length [m] and its rate [m/s]."""
        rest, k, toe = self.slack_length, self.stiffness, self.transition_strain
        e, rate = length / rest - 1.0, speed / rest
        if e <= 0.0:
            return Tension(0.0, 0.0, 0.0, 0.0)
        if e < toe:
            force, slope, energy = 0.5 * k * e * e / toe, k * e / toe, k * e**3 / (6.0 * toe)
        else:
            force, slope = k * (e - 0.5 * toe), k
            energy = k * (toe**2 / 6.0 + 0.5 * e * (e - toe))
        by_rate = 0.0
        if rate > 0.0:
            u = min(e / _DAMPED_FROM, 1.0)
            by_rate = self.damping * u**3 * (10.0 - 15.0 * u + 6.0 * u * u)
            force += by_rate * rate
            slope += self.damping * rate * 30.0 * (u * (1.0 - u)) ** 2 / _DAMPED_FROM
        return Tension(force, slope / rest, by_rate / rest, float(np.float64(rest) * energy))

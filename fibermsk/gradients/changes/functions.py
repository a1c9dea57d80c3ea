"""Numbers of functions of coordinates, which move axes of joints and path points.

Such a number n moves an axis by f(x; n) as a held coordinate would whose place follows x: by the
derivative of f in n, with the rates that follow, and with a force along x where the axis has one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.gradients.changes.differences import difference, weights_of
from fibermsk.gradients.changes.entries import Entry, values_with
from fibermsk.model.function import Pieces
from fibermsk.model.muscles.line_muscle import LineMuscle, MovingPathPoint
from fibermsk.model.skeleton.joint import FunctionalJoint
from fibermsk.parameters.lookup import find
from fibermsk.parameters.places import Place
from fibermsk.parameters.revise import revise
from fibermsk.system import FiberSystem


class Driver(NamedTuple):
    """A function of a coordinate, by which an axis or a component of a point moves."""

    coordinate: str | None  # its name; None for a component that is the value at zero
    function: Any
    limits: tuple[float, float] | None  # range outside of which it is constant


def driver_of(place: Place) -> Driver | None:
    """The function that a number belongs to; None if to none that moves an axis or path point."""
    root, steps = place.root, place.steps
    if isinstance(root, FunctionalJoint) and len(steps) > 4 and steps[2] == "terms":
        coordinate, function = root.axes[int(steps[1])].pairs[int(steps[3])]
        return Driver(coordinate, function, None)
    if isinstance(root, LineMuscle) and len(steps) > 4 and steps[2] == "functions":
        point = root.points[int(steps[1])]
        if isinstance(point, MovingPathPoint):
            k = int(steps[3])
            return Driver(point.coordinates[k], point.functions[k], point.ranges[k])
    return None


class Scale(NamedTuple):
    """Held coordinates of numbers (m,) per unit of these, with their first two rates.

    Attributes
    ----------
    place, speed, rate : (m,) float array
        Place and its rates.
    slope : (m,) float array
        Derivative of the place in the coordinate x of the function; zero without one.
    on : (m, n) float array
        Derivatives of x in the coordinates of the state; rows without meaning where `slope` is
        zero.
    """

    place: Array
    speed: Array
    rate: Array
    slope: Array
    on: Array


class _Group(NamedTuple):
    """Numbers of functions of one coordinate with the same pieces."""

    numbers: list[int]
    driver: Driver
    pieces: Pieces  # without coefficients
    coefficients: Array  # of each number (k, n_pieces, width)

    def at(self, x: float) -> tuple[Array, Array, Array]:
        """Values (k,) with their first two derivatives."""
        if self.driver.limits is not None:
            low, high = self.driver.limits
            if not low <= x <= high:
                x = min(max(x, low), high)
                value, still = self._evaluate(x)[0], np.zeros(len(self.numbers))
                return value, still, still
        return self._evaluate(x)

    def _evaluate(self, x: float) -> tuple[Array, Array, Array]:
        piece = int(np.searchsorted(self.pieces.knots, x, side="right"))
        s, own = x - self.pieces.origin[piece], self.coefficients[:, piece]
        first, second, value = np.zeros((3, len(self.numbers)))
        for power in range(own.shape[1] - 1, -1, -1):
            second = second * s + 2.0 * first
            first = first * s + value
            value = value * s + own[:, power]
        return value, first, second


class Scales:
    """Held coordinates of numbers, some of which belong to functions.

    Parameters
    ----------
    system : FiberSystem
        The system.
    entries : sequence of Entry
        The m numbers.
    """

    def __init__(self, system: FiberSystem, entries: Sequence[Entry]) -> None:
        self._skeleton, self._m = system.skeleton, len(entries)
        groups: dict[Any, _Group] = {}
        for number, entry in enumerate(entries):
            driver = driver_of(find(system.model, entry.path)[0])
            if driver is None:
                continue
            own = _slopes(system, entry, driver)
            key = driver.coordinate, driver.limits, own.knots.tobytes(), own.origin.tobytes()
            base = groups.get(key)
            if base is None:
                groups[key] = _Group([number], driver, own, own.coefficients[None])
            else:
                both = _stacked(base.coefficients, own.coefficients[None])
                groups[key] = base._replace(numbers=[*base.numbers, number], coefficients=both)
        self._groups = list(groups.values())

    @property
    def any(self) -> bool:
        """Whether any number belongs to a function."""
        return bool(self._groups)

    def at(self, q: Array, p: Array | None = None, p_dot: Array | None = None) -> Scale:
        """The scale at coordinates (n,) of the state and their rates, zero if left out."""
        place, found = np.ones(self._m), np.zeros((3, self._m))
        on = np.zeros((self._m, q.size))
        if self._groups:
            p = np.zeros_like(q) if p is None else p
            p_dot = np.zeros_like(q) if p_dot is None else p_dot
            rows = self._skeleton.evaluate(q, p, p_dot).rows
            for one in self._groups:
                k, name = one.numbers, one.driver.coordinate
                if name is None:
                    place[k] = one.at(0.0)[0]
                    continue
                at = self._skeleton.row_of(name)
                own = (q, p, p_dot) if rows is None else (rows.x, rows.x_dot, rows.x_ddot)
                x, speed, rate = (float(part[at]) for part in own)
                place[k], first, second = one.at(x)
                found[:, k] = first * speed, second * speed**2 + first * rate, first
                on[k] = np.eye(q.size)[at] if rows is None else rows.J[at]
        speeds, rates, slopes = found
        return Scale(place, speeds, rates, slopes, on)


def _slopes(system: FiberSystem, entry: Entry, driver: Driver) -> Pieces:
    """Derivative of a function in a number of it, on the pieces that it has."""
    step, stencil = difference(system, entry)
    knots, origin, base, waves = driver.function.pieces()
    if waves.size:
        must = "be no number of a Sine that moves an axis or a path point"
        remedy = "use fm.sweep over it, or a NaturalSpline through points of the sine"
        _check.refuse("gradient", "parameter", entry.path, must, remedy=remedy)
    total = np.zeros((1, *base.shape))
    for (k, _), weight in zip(stencil, weights_of(step, stencil), strict=True):
        values = values_with(system, [entry], np.array([entry.value + k * step]))
        other = driver_of(find(revise(system.model, values).model, entry.path)[0])
        assert other is not None  # the same path
        own = other.function.pieces()
        total = _stacked(total, weight * _about(own, origin)[None]).sum(axis=0, keepdims=True)
    return Pieces(knots, origin, total[0])


def _about(own: Pieces, origin: Array) -> Array:
    """Coefficients of pieces about other origins."""
    shift, width = origin - own.origin, own.coefficients.shape[1]
    found = np.zeros_like(own.coefficients)
    for power in range(width):
        for below in range(power + 1):
            found[:, below] += (
                comb(power, below) * own.coefficients[:, power] * shift ** (power - below)
            )
    return found


def _stacked(first: Array, second: Array) -> Array:
    """Coefficients (k, n_pieces, width) one after another, as wide as the wider ones."""
    width = max(first.shape[2], second.shape[2])
    wide = [np.pad(one, ((0, 0), (0, 0), (0, width - one.shape[2]))) for one in (first, second)]
    return np.concatenate(wide)

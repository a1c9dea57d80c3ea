"""What reflexes measure at an accepted state: lengths of fibers, coordinates, functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.elements.hermite import hermite_d1
from fibermsk.errors import ModelError
from fibermsk.model import Reflex
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At
from fibermsk.system.fibers.cables import Cables
from fibermsk.system.ports import CoordinatePort
from fibermsk.system.recorder import View

Sensor = Callable[[At, View], tuple[float, float | None]]
"""Measured value, and its rate if known, at an accepted state."""


def sensor(owner: str, reflex: Reflex, configuration: Configuration) -> Sensor:
    """Sensor of a reflex.

    Raises
    ------
    ModelError
        If the model has no such fiber or coordinate.
    """
    what = f"{owner}: reflex"
    if reflex.fiber is not None:
        names = configuration.cables.names
        if reflex.fiber not in names:
            must = f"be a fiber of the model: {', '.join(names)}"
            _check.refuse(what, "fiber", reflex.fiber, must)
        return _FiberLength(configuration.cables, names.index(reflex.fiber))
    if reflex.coordinate is not None:
        known = configuration.skeleton.coordinates
        if reflex.coordinate not in known:
            must = f"be a coordinate of the model: {', '.join(known) or 'none'}"
            _check.refuse(what, "coordinate", reflex.coordinate, must)
        port = CoordinatePort(configuration, reflex.coordinate)
        return lambda at, view: port.at(at)
    assert reflex.measure is not None
    return _Measure(what, reflex.measure)


def length_and_rate(cables: Cables, f: int, nodes: Array, velocity: Array) -> tuple[float, float]:
    """Length of a fiber [m] and its rate [m/s], integrals of |x'| over theta."""
    own = slice(cables.element_start[f], cables.element_start[f + 1])
    grid = (own.stop - own.start, cables.xi.size)
    slopes = np.stack(
        [np.broadcast_to(d, grid) for d in hermite_d1(cables.xi[None, :], cables.h[own, None])]
    )
    ends = cables.elements[own]
    a1, a1_dot = (
        np.einsum("aek,eai->eki", slopes, x[ends].reshape(-1, 4, 3)) for x in (nodes, velocity)
    )
    size = np.linalg.norm(a1, axis=2)
    rate = (a1 * a1_dot).sum(axis=2) / size
    weight = cables.rows.weight[cables.row_of[own]]
    return float((weight * size).sum()), float((weight * rate).sum())


class _FiberLength(NamedTuple):
    """Length of a fiber over its reference length."""

    cables: Cables
    fiber: int

    def __call__(self, at: At, view: View) -> tuple[float, float]:
        """Value [-] and rate [1/s]."""
        length, rate = length_and_rate(self.cables, self.fiber, at.nodes, at.velocity)
        reference = float(self.cables.length[self.fiber])
        return length / reference, rate / reference


class _Measure(NamedTuple):
    """Function of the user."""

    owner: str
    function: Callable[[Any], Any]

    def __call__(self, at: At, view: View) -> tuple[float, float | None]:
        """Value, and rate if the function returns one."""
        field = f"measure at t = {at.t:.6g} s"
        try:
            found = self.function(view())
        except ModelError:
            raise
        except Exception as error:
            raise ModelError(
                f"{self.owner}: {field} raised {type(error).__name__}: {error}; must be a function "
                "of a state, an fm.Moment"
            ) from error
        several = isinstance(found, tuple)
        if several and len(found) != 2:
            _check.refuse(self.owner, field, found, "be a value, or a tuple of value and rate")
        value = _check.number(self.owner, field, found[0] if several else found)
        rate = _check.number(self.owner, f"rate of {field}", found[1]) if several else None
        return value, rate

"""Times at which the signals of a model are not smooth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk import _check
from fibermsk.model import Model, MovingPoint
from fibermsk.system.constraints import Constraints

__all__ = ["find_breakpoints"]

Array = NDArray[np.float64]


def find_breakpoints(model: Model, constraints: Constraints) -> Array:
    """Corners of activations, line loads, moving points and prescribed coordinates.

    A function of time tells of its corners by an attribute `breakpoints`, as `Ramp` and `Table` do;
    of a prescribed coordinate they are the knots of its function, where a derivative jumps.

    Parameters
    ----------
    model : Model
        Whose fibers have the signals.
    constraints : Constraints
        What is prescribed.

    Returns
    -------
    times : (n,) float array
        Increasing [s].

    Raises
    ------
    ModelError
        If breakpoints are no finite numbers.
    """
    found = {id(signal): (owner, signal) for owner, signal in _signals(model)}
    given = [
        _check.array(owner, "breakpoints", signal.breakpoints, ("m",), "s")
        for owner, signal in found.values()
        if hasattr(signal, "breakpoints")
    ]
    return np.unique(np.concatenate([np.zeros(0), *given, *constraints.knots]))


def _signals(model: Model) -> Iterator[tuple[str, Any]]:
    """Functions of time, with what they are for."""
    for fiber in model.fibers:
        owner = f"fiber {fiber.name!r}"
        yield f"{owner}: activation", fiber.activation
        yield f"{owner}: line_load", fiber.line_load
        for point in fiber.attach:
            if isinstance(point, MovingPoint):
                yield f"{owner}: motion of a moving point", point.motion
    for element in model.elements:
        for field, signal in element.signals:
            yield f"element {element.name!r}: {field}", signal

"""A model at one instant, to be looked at before anything is computed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk.results.result import Result, ShapeRecord

__all__ = ["JointAxis", "MuscleLine", "Still"]

Array = NDArray[np.float64]


class MuscleLine(NamedTuple):
    """A muscle as a line through its path points.

    Attributes
    ----------
    points : (n, 3) float array
        Ground frame [m], from origin to insertion.
    radius : float
        How thick it is drawn [m].
    """

    points: Array
    radius: float


class JointAxis(NamedTuple):
    """An axis that a joint turns about or slides along.

    Attributes
    ----------
    coordinates : tuple of str
        Those that move along it.
    kind : str
        ``"rotation"`` or ``"translation"``.
    point, direction : (3,) float array
        A point on it [m] and its unit direction, ground frame.
    """

    coordinates: tuple[str, ...]
    kind: str
    point: Array
    direction: Array


@dataclass(frozen=True)
class Still:
    """What there is to see of a model in one pose.

    Attributes
    ----------
    result : Result
        A single frame: name, coordinates, bodies and fibers.
    muscles : dict of MuscleLine
        Line muscles by name.
    wraps : dict of ShapeRecord
        Surfaces that line muscles wrap around, by name, in the ground frame.
    sticks : tuple of ShapeRecord
        What stands for bodies without a shape: capsules between their joints, in the ground frame.
    axes : tuple of JointAxis
        Axes of the joints that coordinates move by themselves; not those of coordinates that are
        locked or follow others.
    """

    result: Result
    muscles: dict[str, MuscleLine] = field(default_factory=dict)
    wraps: dict[str, ShapeRecord] = field(default_factory=dict)
    sticks: tuple[ShapeRecord, ...] = ()
    axes: tuple[JointAxis, ...] = ()

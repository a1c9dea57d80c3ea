"""A model at one instant, for inspection before a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from fibermsk._arrays import Array
from fibermsk.results.result import Result, ShapeRecord


class MuscleLine(NamedTuple):
    """A muscle as a line through its path points."""

    points: Array  # (n, 3) in ground [m], from origin to insertion
    radius: float  # of the drawn tube [m]


class JointAxis(NamedTuple):
    """Axis of rotation or translation of a joint."""

    coordinates: tuple[str, ...]  # those of the axis
    kind: str  # "rotation" or "translation"
    point: Array  # a point (3,) on it, in ground [m]
    direction: Array  # its unit direction (3,), in ground


@dataclass(frozen=True)
class Still:
    """Visible parts of a model in one pose.

    Attributes
    ----------
    result : Result
        A single frame: name, coordinates, bodies and fibers.
    muscles : dict of MuscleLine
        Line muscles by name.
    wraps : dict of ShapeRecord
        Wrapping surfaces of line muscles by name, in the ground frame.
    sticks : tuple of ShapeRecord
        Capsules between the joints of bodies without a shape, in the ground frame.
    axes : tuple of JointAxis
        Axes of joints with independent coordinates, without locked and dependent ones.
    """

    result: Result
    muscles: dict[str, MuscleLine] = field(default_factory=dict)
    wraps: dict[str, ShapeRecord] = field(default_factory=dict)
    sticks: tuple[ShapeRecord, ...] = ()
    axes: tuple[JointAxis, ...] = ()

"""A model at one instant, for inspection before a run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from fibermsk._arrays import Array
from fibermsk._shown import Summarized, Summary, names, span
from fibermsk.results.result import Result, ShapeRecord


class MuscleLine(NamedTuple):
    """A muscle as a line along its path."""

    points: Array  # (n, 3) in ground [m], from origin to insertion, arcs on surfaces included
    radius: float  # of the drawn tube [m]
    length: float = math.nan  # of the path [m]
    # -dL/dq by coordinate [m, 1 for translations], of those that change the length
    moment_arms: tuple[tuple[str, float], ...] = ()
    # why there is no taut path in this pose; the line is then straight between path points
    problem: str = ""

    def __repr__(self) -> str:
        told = f"{self.length:.4g} m" if not self.problem else self.problem
        arms = ", ".join(f"{name} {arm:.4g}" for name, arm in self.moment_arms)
        return f"MuscleLine({told}{arms and f'; moment arms: {arms}'})"


class FreeCoordinate(NamedTuple):
    """A coordinate that can be set, and its range."""

    name: str
    unit: str  # "rad" or "m"
    lower: float
    upper: float
    declared: bool  # whether the model declares the range


class Posable(Protocol):
    """Interface to a model in any pose."""

    coordinates: tuple[FreeCoordinate, ...]

    def still(self, values: Mapping[str, float]) -> Still:
        """The model at values of coordinates [rad or m]; the others have their initial ones."""
        ...


class JointAxis(NamedTuple):
    """Axis of rotation or translation of a joint."""

    coordinates: tuple[str, ...]  # those of the axis
    kind: str  # "rotation" or "translation"
    point: Array  # a point (3,) on it, in ground [m]
    direction: Array  # its unit direction (3,), in ground


@dataclass(frozen=True, repr=False)
class Still(Summarized):
    """Visible parts of a model in one pose.

    Attributes
    ----------
    result : Result
        A single frame: name, coordinates, bodies and fibers.
    muscles : dict of MuscleLine
        Line muscles by name.
    wraps : dict of ShapeRecord
        Wrapping surfaces of line muscles by name, in the ground frame.
    axes : tuple of JointAxis
        Axes of joints with independent coordinates, without locked and dependent ones.
    poses : Posable, optional
        The model in other poses, for sliders; None for a model with fibers, whose shape is known
        only at its start.
    """

    result: Result
    muscles: dict[str, MuscleLine] = field(default_factory=dict)
    wraps: dict[str, ShapeRecord] = field(default_factory=dict)
    axes: tuple[JointAxis, ...] = ()
    poses: Posable | None = None

    def _summary(self) -> Summary:
        own = self.result
        pose = (f"{name} {span(q, own.unit_of(name))}" for name, q in own.coordinates.items())
        rows = [("pose", names(pose)), ("bodies", names(own.bodies)), ("fibers", names(own.fibers))]
        rows += [("muscles", names(self.muscles)), ("wraps", names(self.wraps))]
        rows = [(name, words) for name, words in rows if words != "none"]
        return Summary(f"Model {own.scene!r} in one pose", rows)

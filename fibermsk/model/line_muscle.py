"""Line muscles: paths through points of bodies, and the numbers of a Hill-type muscle."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk.model.body import Body, Station
from fibermsk.model.function import Function, check_function
from fibermsk.model.joint import IDENTITY, check_rotation
from fibermsk.model.wrap import PathWrap

__all__ = ["ConditionalPathPoint", "LineMuscle", "MovingPathPoint", "PathPoint", "PointOfPath"]


@dataclass(frozen=True, eq=False)
class PathPoint:
    """A point fixed to a body, through which a muscle runs.

    Parameters
    ----------
    name : str
        Its name.
    station : Station
        The point.

    Raises
    ------
    ModelError
        If the station is not a `Station`.
    """

    name: str
    station: Station

    def __post_init__(self) -> None:
        """Check the fields."""
        owner = f"path point {_check.name('path point', self.name)!r}"
        _check.instance(owner, "station", self.station, Station, "a Station")

    @property
    def body(self) -> Body:
        """The body that carries it."""
        return self.station.body


@dataclass(frozen=True, eq=False)
class ConditionalPathPoint(PathPoint):
    """A point fixed to a body, through which a muscle runs while a coordinate lies in a range.

    Parameters
    ----------
    name : str
        Its name.
    station : Station
        The point.
    coordinate : str
        Name of the coordinate.
    lower, upper : float
        Range of the coordinate in which the point counts [rad or m].

    Raises
    ------
    ModelError
        If a field lies outside its range.
    """

    coordinate: str = ""
    lower: float = 0.0
    upper: float = 0.0

    def __post_init__(self) -> None:
        """Check the fields and store them as floats."""
        super().__post_init__()
        owner = f"path point {self.name!r}"
        _check.name(f"{owner}: coordinate", self.coordinate)
        lower = _check.number(owner, "lower", self.lower, "rad or m")
        upper = _check.number(owner, "upper", self.upper, "rad or m")
        if upper < lower:
            _check.refuse(owner, "upper", upper, f"be at least lower = {lower}", unit="rad or m")
        _check.store(self, lower=lower, upper=upper)


@dataclass(frozen=True, eq=False)
class MovingPathPoint:
    """A point that moves in a body with coordinates.

    Parameters
    ----------
    name : str
        Its name.
    body : Body
        The body.
    functions : sequence of 3 Function
        Its components x, y, z [m], each of its coordinate.
    coordinates : sequence of 3 str or None
        Names of the coordinates; None for a component that is the function's value at zero.
    at : (3,) array_like
        Origin of the components, body frame [m].
    rotation : (3, 3) array_like
        Axes of the components in the body: r_body = at + rotation @ components.
    ranges : sequence of 3 (float, float) or None
        Ranges of the coordinates outside of which the point stays where it is at their ends.

    Raises
    ------
    ModelError
        If a field lies outside its range.
    """

    name: str
    body: Body
    functions: Sequence[Function]
    coordinates: Sequence[str | None]
    at: ArrayLike = (0.0, 0.0, 0.0)
    rotation: ArrayLike = IDENTITY
    ranges: Sequence[tuple[float, float] | None] = (None, None, None)

    def __post_init__(self) -> None:
        """Check the fields and store them as float64 and tuples."""
        owner = f"path point {_check.name('path point', self.name)!r}"
        _check.instance(owner, "body", self.body, Body, "a Body")
        for name in ("functions", "coordinates", "ranges"):
            value = _check.instance(owner, name, getattr(self, name), (tuple, list), "three items")
            if len(value) != 3:
                _check.refuse(owner, name, value, "be three, for x, y and z")
        for i, (function, coordinate) in enumerate(
            zip(self.functions, self.coordinates, strict=True)
        ):
            check_function(owner, f"functions[{i}]", function)
            if coordinate is not None:
                _check.name(f"{owner}: coordinate {i}", coordinate)
        for i, ends in enumerate(self.ranges):
            if ends is not None:
                low, high = _check.array(owner, f"ranges[{i}]", ends, (2,), "rad or m")
                if high < low:
                    _check.refuse(owner, f"ranges[{i}]", ends, "not end before it begins")
        _check.store(
            self,
            functions=tuple(self.functions),
            coordinates=tuple(self.coordinates),
            ranges=tuple(self.ranges),
            at=_check.array(owner, "at", self.at, (3,), "m"),
            rotation=check_rotation(owner, "rotation", self.rotation),
        )


PointOfPath = PathPoint | ConditionalPathPoint | MovingPathPoint


@dataclass(frozen=True, eq=False)
class LineMuscle:
    """A muscle as a line along a path: what models of other programs have in place of fibers.

    Parameters
    ----------
    name : str
        Name, unique among the line muscles of a model.
    points : sequence of PathPoint, ConditionalPathPoint or MovingPathPoint
        The path from origin to insertion; two or more; stored as a tuple.
    wraps : sequence of PathWrap
        Surfaces that it wraps around; stored as a tuple.
    max_isometric_force : float
        Force at optimal fiber length under full activation [N]; positive.
    optimal_fiber_length, tendon_slack_length : float
        [m]; positive, and zero or positive.
    pennation_angle : float
        Angle of the fibers to the tendon at optimal fiber length [rad]; zero to below pi / 2.
    max_contraction_velocity : float
        Largest velocity of shortening [optimal fiber lengths / s]; positive.
    kind : str
        Class of the muscle in the program that it comes from, such as "Thelen2003Muscle".
    parameters : mapping of str to float, bool or str
        Further numbers of that class; copied.

    Raises
    ------
    ModelError
        If a field lies outside its range.
    """

    name: str
    points: Sequence[PointOfPath]
    _: KW_ONLY
    wraps: Sequence[PathWrap] = ()
    max_isometric_force: float
    optimal_fiber_length: float
    tendon_slack_length: float
    pennation_angle: float = 0.0
    max_contraction_velocity: float = 10.0
    kind: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the fields and store them as floats and tuples."""
        owner = f"line muscle {_check.item_name('line muscle', self.name)!r}"
        kinds = (PathPoint, MovingPathPoint)
        points = _check.instance(owner, "points", self.points, (tuple, list), "path points")
        for i, point in enumerate(points):
            _check.instance(owner, f"points[{i}]", point, kinds, "a path point")
        if len(points) < 2:
            _check.refuse(owner, "points", len(points), "be two or more")
        wraps = _check.instance(owner, "wraps", self.wraps, (tuple, list), "path wraps")
        for i, wrap in enumerate(wraps):
            _check.instance(owner, f"wraps[{i}]", wrap, PathWrap, "a PathWrap")
        _check.instance(owner, "kind", self.kind, str, "a text")
        angle = _check.non_negative(owner, "pennation_angle", self.pennation_angle, "rad")
        if angle >= 0.5 * math.pi:
            _check.refuse(owner, "pennation_angle", angle, "be below pi / 2", unit="rad")
        _check.store(
            self,
            points=tuple(points),
            wraps=tuple(wraps),
            max_isometric_force=_check.positive(
                owner, "max_isometric_force", self.max_isometric_force, "N"
            ),
            optimal_fiber_length=_check.positive(
                owner, "optimal_fiber_length", self.optimal_fiber_length, "m"
            ),
            tendon_slack_length=_check.non_negative(
                owner, "tendon_slack_length", self.tendon_slack_length, "m"
            ),
            pennation_angle=angle,
            max_contraction_velocity=_check.positive(
                owner, "max_contraction_velocity", self.max_contraction_velocity, "1/s"
            ),
            parameters=dict(
                _check.instance(owner, "parameters", self.parameters, Mapping, "a dict")
            ),
        )


def bodies_of(muscle: LineMuscle) -> list[Body]:
    """Bodies that the points and the wrap surfaces of a muscle hang on."""
    return [item.body for item in (*muscle.points, *(wrap.shape for wrap in muscle.wraps))]


def coordinates_of(muscle: LineMuscle) -> list[str]:
    """Names of the coordinates that the points of a muscle depend on."""
    names: list[str | None] = []
    for point in muscle.points:
        if isinstance(point, ConditionalPathPoint):
            names.append(point.coordinate)
        elif isinstance(point, MovingPathPoint):
            names += point.coordinates
    return [name for name in names if name is not None]

"""Line muscles: paths through points of bodies, with the parameters of a Hill-type muscle."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, cast

from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._numbers import FRACTION, NON_NEGATIVE, POSITIVE, Range, checked, number, part
from fibermsk._shown import Described
from fibermsk.laws.hill import HillLaw
from fibermsk.model.function import Function, check_function
from fibermsk.model.muscles import profile
from fibermsk.model.muscles.activation import Activation, Constant
from fibermsk.model.muscles.dynamics import ActivationDynamics
from fibermsk.model.muscles.mass import MuscleMass
from fibermsk.model.muscles.reflex import Reflex
from fibermsk.model.muscles.wrap import PathWrap, WrapCappedCylinder, WrapCylinder
from fibermsk.model.skeleton.body import Body, Station
from fibermsk.model.skeleton.joint import orientation


@dataclass(frozen=True, eq=False, repr=False)
class PathPoint(Described):
    """A path point fixed to a body.

    Parameters
    ----------
    name : str
        Its name.
    station : Station
        The point.
    """

    name: str
    station: Station = part(path="")

    def __post_init__(self) -> None:
        owner = f"path point {_check.name('path point', self.name)!r}"
        _check.instance(owner, "station", self.station, Station, "a Station")

    @property
    def body(self) -> Body:
        """The body that carries it."""
        return self.station.body


@dataclass(frozen=True, eq=False, repr=False)
class ConditionalPathPoint(PathPoint):
    """A path point fixed to a body, active while a coordinate lies in a range.

    Parameters
    ----------
    name, station
        As those of `PathPoint`.
    coordinate : str
        Name of the coordinate.
    lower, upper : float
        Range of the coordinate in which the point is active [rad or m].
    """

    coordinate: str = ""
    lower: float = number("rad or m", default=0.0)
    upper: float = number("rad or m", default=0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        owner = f"path point {self.name!r}"
        _check.name(f"{owner}: coordinate", self.coordinate)
        _check.store(self, **checked(self, owner))
        if self.upper < self.lower:
            must = f"be at least lower = {self.lower}"
            _check.refuse(owner, "upper", self.upper, must, unit="rad or m")


@dataclass(frozen=True, eq=False, repr=False)
class MovingPathPoint(Described):
    """A path point whose position in a body depends on coordinates.

    Parameters
    ----------
    name : str
        Its name.
    body : Body
        The body.
    functions : sequence of 3 Function
        Its components x, y, z [m], each a function of one coordinate.
    coordinates : sequence of 3 str or None
        Names of the coordinates; None for a constant component, the function's value at zero.
    at : (3,) array_like
        Origin of the components, body frame [m].
    rotation : (3, 3) array_like
        Axes of the components in the body: r_body = at + rotation @ components.
    ranges : sequence of 3 (float, float) or None
        Ranges of the coordinates; outside of them the components are constant.
    """

    name: str
    body: Body
    functions: Sequence[Function]
    coordinates: Sequence[str | None]
    at: ArrayLike = number("m", shape=(3,), default=(0.0, 0.0, 0.0))
    rotation: ArrayLike = orientation()
    ranges: Sequence[tuple[float, float] | None] = (None, None, None)

    def __post_init__(self) -> None:
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
                    _check.refuse(owner, f"ranges[{i}]", ends, "have its end at or above its start")
        _check.store(
            self,
            functions=tuple(self.functions),
            coordinates=tuple(self.coordinates),
            ranges=tuple(self.ranges),
            **checked(self, owner),
        )


def _check_angle(owner: str, field: str, value: Any, unit: str) -> float:
    angle = _check.non_negative(owner, field, value, unit)
    if angle >= 0.5 * math.pi:
        _check.refuse(owner, field, angle, "be below pi / 2", unit=unit)
    return angle


_PENNATION = Range(0.0, 0.5 * math.pi, True, False, _check_angle)

PointOfPath = PathPoint | ConditionalPathPoint | MovingPathPoint


@dataclass(frozen=True, eq=False, repr=False)
class LineMuscle(Described):
    """A muscle as a line along a path.

    With a law it pulls on the bodies of its path; without one it is a description only.

    Parameters
    ----------
    name : str
        Name, unique among the line muscles of a model.
    points : sequence of PathPoint, ConditionalPathPoint or MovingPathPoint
        The path from origin to insertion; two or more; stored as a tuple.
    wraps : sequence of PathWrap
        Wrapping surfaces; stored as a tuple.
    max_isometric_force : float
        Force at optimal fiber length under full activation [N]; positive.
    optimal_fiber_length, tendon_slack_length : float
        [m]; positive, and zero or positive.
    pennation_angle : float
        Angle of the fibers to the tendon at optimal fiber length [rad]; zero to below pi / 2.
    max_contraction_velocity : float
        Largest velocity of shortening [optimal fiber lengths / s]; positive.
    law : HillLaw, optional
        Its force.
    activation : float, callable or ActivationDynamics, optional
        Activation in [0, 1]: a number (stored as a `Constant`), a function t -> float, or a state;
        see `ActivationDynamics`. With a law the default is 0, without one it must be left out.
    mass : float or MuscleMass, optional
        Mass that moves with the path [kg]; a number is stored as a `MuscleMass`. Default: none.
    kind : str
        Class of the muscle in the program of origin, such as "Thelen2003Muscle".
    parameters : mapping of str to float, bool or str
        Further parameters of that class; copied.

    Raises
    ------
    ModelError
        If a value lies outside its range, or the law cannot act on a muscle of these numbers.
    """

    name: str
    points: Sequence[PointOfPath]
    _: KW_ONLY
    wraps: Sequence[PathWrap] = ()
    max_isometric_force: float = number("N", POSITIVE)
    optimal_fiber_length: float = number("m", POSITIVE)
    tendon_slack_length: float = number("m", NON_NEGATIVE)
    pennation_angle: float = number("rad", _PENNATION, default=0.0)
    max_contraction_velocity: float = number("1/s", POSITIVE, default=10.0)
    law: HillLaw | None = part(default=None)
    activation: float | Activation | ActivationDynamics | None = number(
        "", FRACTION, varies=True, default=None
    )
    mass: float | MuscleMass | None = part(path="", default=None)
    kind: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        owner = f"line muscle {_check.item_name('line muscle', self.name)!r}"
        kinds = (PathPoint, MovingPathPoint)
        points = _check.items(owner, "points", self.points, kinds, "a path point", "path points")
        if len(points) < 2:
            _check.refuse(owner, "points", len(points), "be two or more")
        wraps = _check.items(owner, "wraps", self.wraps, PathWrap, "a PathWrap", "path wraps")
        _check.instance(owner, "kind", self.kind, str, "a text")
        _check.store(
            self,
            points=points,
            wraps=wraps,
            **checked(self, owner),
            parameters=dict(
                _check.instance(owner, "parameters", self.parameters, Mapping, "a dict")
            ),
        )
        self._check_force(owner)
        self._check_network(owner)
        if self.mass is not None and not isinstance(self.mass, MuscleMass):
            kg = _check.non_negative(owner, "mass", self.mass, "kg")
            _check.store(self, mass=MuscleMass(kg))

    def activation_at(self, t: float) -> float:
        """Activation at time `t` [s], in [0, 1], of a muscle whose activation is no state.

        Raises
        ------
        ModelError
            If the function raises or returns anything but a number in [0, 1].
        """
        return profile.fraction_at(f"line muscle {self.name!r}", "activation", self.activation, t)

    def _check_network(self, owner: str) -> None:
        """Check that a network has the path it needs, and that a capped cylinder has a network."""
        active = [wrap.shape for wrap in self.wraps if wrap.shape.active]
        asked = isinstance(self.mass, MuscleMass) and self.mass.wrapping == "network"
        for shape in active:
            if isinstance(shape, WrapCappedCylinder) and not asked:
                must = f"have wrapping='network' around the capped cylinder {shape.name!r}"
                remedy = "use mass=fm.MuscleMass(..., wrapping='network') or another surface"
                _check.refuse(owner, "mass", self.mass, must, remedy=remedy)
        if not asked:
            return
        remedy = "use wrapping='blend'"
        if len(active) != 1 or not isinstance(active[0], WrapCylinder | WrapCappedCylinder):
            kinds = [type(shape).__name__ for shape in active]
            must = "be one cylinder or capped cylinder for wrapping='network'"
            _check.refuse(owner, "active wraps", kinds, must, remedy=remedy)
        if len(self.points) != 2 or not all(type(point) is PathPoint for point in self.points):
            must = "be a fixed origin and insertion for wrapping='network'"
            names = [point.name for point in self.points]
            _check.refuse(owner, "points", names, must, remedy=remedy)

    def _check_force(self, owner: str) -> None:
        """Check law and activation; a law without activation gets an activation of zero."""
        if self.law is None:
            if self.activation is not None:
                must, remedy = "be left out without a law", "give the muscle law=fm.HillLaw()"
                _check.refuse(owner, "activation", self.activation, must, remedy=remedy)
            return
        _check.instance(owner, "law", self.law, HillLaw, "a HillLaw").check(self)
        if isinstance(self.activation, Reflex):
            must = "be a number, a function or ActivationDynamics"
            remedy = "use ActivationDynamics(excitation=Reflex(...))"
            _check.refuse(owner, "activation", self.activation, must, remedy=remedy)
        if self.activation is None:
            _check.store(self, activation=Constant(0.0))
        elif not isinstance(self.activation, ActivationDynamics):
            if not callable(self.activation):
                _check.store(self, activation=Constant(self.activation))
            profile.fraction_at(owner, "activation", self.activation, 0.0)


def mass_of(muscle: LineMuscle) -> MuscleMass:
    """Mass of a muscle that has one."""
    return cast("MuscleMass", muscle.mass)


def by_network(muscle: LineMuscle) -> bool:
    """Whether the path of a muscle is that of a network."""
    return muscle.mass is not None and mass_of(muscle).wrapping == "network"


def bodies_of(muscle: LineMuscle) -> list[Body]:
    """Bodies of the path points and the wrap surfaces of a muscle."""
    return [item.body for item in (*muscle.points, *(wrap.shape for wrap in muscle.wraps))]


def coordinates_of(muscle: LineMuscle) -> list[str]:
    """Names of the coordinates on which the points of a muscle depend."""
    names: list[str | None] = []
    for point in muscle.points:
        if isinstance(point, ConditionalPathPoint):
            names.append(point.coordinate)
        elif isinstance(point, MovingPathPoint):
            names += point.coordinates
    return [name for name in names if name is not None]

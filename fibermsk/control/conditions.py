"""Conditions on a motion: at its ends, and along it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import POSITIVE, Checked, number
from fibermsk.model import Station

_ORTHOGONAL = 1e-9


@dataclass(frozen=True, eq=False)
class EndState:
    """State at one end of a motion.

    At the start, what is left out is that of the model, but for activations; at the end it is free.

    Parameters
    ----------
    coordinates : mapping of str to float
        Values of coordinates [rad or m].
    rotations : mapping of str to (3, 3) array_like
        Rotation across spherical and free joints, by their names: axes of the child, before the
        joint's own `rotation`, in those of the parent.
    points : sequence of (Station, (3,) sequence of float or None)
        Points of bodies, and where in ground they are [m]; None for a direction that is free.
    activations : mapping of str to float, "hold" or "excited"
        Activations of muscles whose activation is a state; at the start, "hold" gives all those of
        the least sum of squares that holds the pose, and "excited" makes them equal to the first
        excitations, as Moco's goal of initial activations does: these cost what one interval
        does, less the shorter it is, so that optima of finer steps come near to those of chosen
        activations with order one. What is left out is chosen; without
        excitations among the controls, it is that of the model.
    at_rest : bool
        Whether the motion starts or ends at rest; else the speeds of the start are those of the
        model, and those of the end are free. False where speeds are given.
    speeds : mapping of str to float
        Rates of coordinates [rad/s or m/s].
    """

    coordinates: Mapping[str, float] = field(default_factory=dict)
    rotations: Mapping[str, ArrayLike] = field(default_factory=dict)
    points: Sequence[tuple[Station, ArrayLike]] = ()
    activations: Mapping[str, float] | Literal["hold", "excited"] = field(default_factory=dict)
    at_rest: bool = True
    speeds: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        owner = "EndState"
        _check.flag(owner, "at_rest", self.at_rest)
        for name in ("coordinates", "rotations", "speeds"):
            _check.instance(owner, name, getattr(self, name), Mapping, "a dict by name")
        if self.speeds and self.at_rest:
            must, remedy = "be left out at rest", "give at_rest=False"
            _check.refuse(owner, "speeds", dict(self.speeds), must, remedy=remedy)
        values, rates = (
            {
                name: _check.number(owner, f"{what}[{name!r}]", value, unit)
                for name, value in getattr(self, what).items()
            }
            for what, unit in (("coordinates", "rad or m"), ("speeds", "rad/s or m/s"))
        )
        turns = {name: _rotation(owner, name, value) for name, value in self.rotations.items()}
        pairs = "pairs of a point and its place"
        _check.instance(owner, "points", self.points, (tuple, list), pairs)
        points = [_placed(owner, k, one) for k, one in enumerate(self.points)]
        active: Any = self.activations
        if not (isinstance(active, str) and active in ("hold", "excited")):
            what = 'a dict by name, "hold" or "excited"'
            _check.instance(owner, "activations", active, Mapping, what)
            given: Any = active
            active = {
                name: _check.fraction(owner, f"activations[{name!r}]", value)
                for name, value in given.items()
            }
        _check.store(
            self, coordinates=values, rotations=turns, points=tuple(points), activations=active,
            speeds=rates,
        )  # fmt: skip


def AtRest(
    coordinates: Mapping[str, float] | None = None,
    *,
    rotations: Mapping[str, ArrayLike] | None = None,
    points: Sequence[tuple[Station, ArrayLike]] = (),
    activations: Mapping[str, float] | Literal["hold", "excited"] | None = None,
    **named: float,
) -> EndState:
    """State of rest at one end of a motion; see `EndState`.

    Parameters
    ----------
    coordinates : mapping of str to float, optional
        Values of coordinates [rad or m].
    rotations, points, activations
        As those of `EndState`.
    **named : float
        Further coordinates by name.

    Examples
    --------
    >>> import fibermsk as fm
    >>> fm.AtRest(elbow=0.3).coordinates
    {'elbow': 0.3}
    """
    values = {} if coordinates is None else coordinates
    _check.instance("AtRest", "coordinates", values, Mapping, "a dict by name")
    twice = next((name for name in named if name in values), None)
    if twice is not None:
        _check.refuse("AtRest", "coordinate", twice, "be given once")
    active = {} if activations is None else activations
    turns = {} if rotations is None else rotations
    return EndState({**values, **named}, turns, points, active)


@dataclass(frozen=True)
class Range(Checked):
    """Range of a coordinate, a speed or a force during a motion.

    Parameters
    ----------
    coordinate : str
        Its name, for a range at the nodes; with "/speed" for that of its mean rate in the
        intervals. Or the name of a muscle with "/tendon_force", for that in the intervals.
    lower, upper : float, optional
        [rad or m, rad/s or m/s, N]; one at least.
    """

    coordinate: str
    lower: float | None = number("rad or m, rad/s or m/s, N", default=None)
    upper: float | None = number("rad or m, rad/s or m/s, N", default=None)

    def __post_init__(self) -> None:
        _check.name("Range: coordinate", self.coordinate)
        super().__post_init__()
        _check_bounds(f"Range of {self.coordinate!r}", self.lower, self.upper)


@dataclass(frozen=True, eq=False)
class Along(Checked):
    """Bounds of a function of the pose at every node of a motion.

    Parameters
    ----------
    name : str
        Its name, for messages.
    function : callable
        Of a `Pose`, whose points and coordinates are expressions of CasADi; returns one.
    lower, upper : float, optional
        Bounds of every component; one at least.
    ends : bool
        Whether it also holds at the first and the last node, where the pose may be given.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.make_scene("two_bones").model
    >>> hand = model.bodies[-1].at((0.0, -0.3, 0.0))
    >>> above = fm.Along("hand above the table", lambda pose: pose.point(hand)[1], lower=-0.5)
    """

    name: str
    function: Callable[[Any], Any]
    lower: float | None = number(default=None)
    upper: float | None = number(default=None)
    ends: bool = False

    def __post_init__(self) -> None:
        owner = f"path constraint {_check.name('path constraint', self.name)!r}"
        _check.function(owner, "function", self.function)
        super().__post_init__()
        _check_bounds(owner, self.lower, self.upper)


@dataclass(frozen=True)
class FreeDuration(Checked):
    """A duration that is chosen.

    Parameters
    ----------
    lower, upper : float
        Its range [s]; positive.
    guess : float, optional
        Duration from which the search starts [s]; by default the mean of the range.
    """

    lower: float = number("s", POSITIVE)
    upper: float = number("s", POSITIVE)
    guess: float | None = number("s", POSITIVE, default=None)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.lower < self.upper:
            must = f"be below upper = {self.upper:g}"
            _check.refuse("FreeDuration", "lower", self.lower, must, unit="s")
        guess = 0.5 * (self.lower + self.upper) if self.guess is None else self.guess
        if not self.lower <= guess <= self.upper:
            must = f"lie in [{self.lower:g}, {self.upper:g}]"
            _check.refuse("FreeDuration", "guess", guess, must, unit="s")
        _check.store(self, guess=guess)


@dataclass(frozen=True, eq=False)
class Phase:
    """A part of a motion with its own duration, steps and controls.

    Parameters
    ----------
    duration : float or FreeDuration
        Its duration [s].
    steps : int
        Number of its intervals, of equal length.
    controls : mapping of str to float or (float, float)
        Excitations or torques by name that are fixed, or have other bounds, in this part.
    """

    duration: float | FreeDuration
    steps: int
    controls: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        owner = "Phase"
        if not isinstance(self.duration, FreeDuration):
            duration = _check.positive(owner, "duration", self.duration, "s")
            _check.store(self, duration=duration)
        _check.count(owner, "steps", self.steps)
        _check.instance(owner, "controls", self.controls, Mapping, "a dict by name")
        bounds = {name: _bounds(owner, name, value) for name, value in self.controls.items()}
        _check.store(self, controls=bounds)


SPEED, FORCE = "/speed", "/tendon_force"
"""Endings of what a `Range` is of, if not of a coordinate."""


def _check_bounds(owner: str, lower: float | None, upper: float | None) -> None:
    if lower is None and upper is None:
        _check.refuse(owner, "lower", None, "be given, or upper")
    if lower is not None and upper is not None and lower > upper:
        _check.refuse(owner, "lower", lower, f"be at most upper = {upper:g}")


def _bounds(owner: str, name: str, value: Any) -> tuple[float, float]:
    pair = (value, value) if np.ndim(value) == 0 else value
    low, high = _check.array(owner, f"controls[{name!r}]", pair, (2,))
    if low > high:
        _check.refuse(owner, f"controls[{name!r}]", pair, "have its lower bound first")
    return float(low), float(high)


def _rotation(owner: str, name: str, value: Any) -> Array:
    R = _check.array(owner, f"rotations[{name!r}]", value, (3, 3))
    if np.abs(R.T @ R - np.eye(3)).max() > _ORTHOGONAL or np.linalg.det(R) < 0.0:
        _check.refuse(owner, f"rotations[{name!r}]", R, "be a rotation matrix")
    return R


def _placed(owner: str, k: int, pair: Any) -> tuple[Station, Array]:
    _check.instance(owner, f"points[{k}]", pair, (tuple, list), "a point and its place")
    if len(pair) != 2:
        _check.refuse(owner, f"points[{k}]", pair, "be a point and its place")
    station = _check.instance(owner, f"points[{k}]", pair[0], Station, "a point of a body")
    free = [one is None for one in pair[1]] if isinstance(pair[1], tuple | list) else [False]
    given = [0.0 if one is None else one for one in pair[1]] if any(free) else pair[1]
    place = _check.array(owner, f"points[{k}]", given, (3,), "m")
    if all(free):
        _check.refuse(owner, f"points[{k}]", pair[1], "give one direction or more")
    return station, np.where(free, np.nan, place)

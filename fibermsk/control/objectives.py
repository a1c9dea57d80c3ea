"""What optimal control makes small: terms of single intervals, which add up.

Source: `optimal_control.md`, section 5.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import CubicSpline

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import POSITIVE, Checked, number
from fibermsk.control.mechanics.directors import SX
from fibermsk.control.mechanics.tree import slices
from fibermsk.model import Station

_JUST = 1e-9
"""Time outside of a motion that counts as within it [s]."""


class Interval(NamedTuple):
    """One interval as terms see it.

    Attributes
    ----------
    h : SX
        Its length [s].
    excitations : list of SX
        Controls of the muscles.
    torques : list of SX
        Torques over their largest values.
    activations : list of (SX, SX)
        Of the muscles, at both nodes.
    forces, stretches : list of SX
        Tendon forces [N], and by how much the muscles lengthen [m].
    coordinates : dict of (SX, SX)
        Turns and slides at both nodes [rad or m].
    data : (SX, SX)
        Numbers (n_columns,) of the term at both nodes; see `Term.values`.
    """

    h: SX
    excitations: list[SX]
    torques: list[SX]
    activations: list[tuple[SX, SX]]
    forces: list[SX]
    stretches: list[SX]
    coordinates: dict[str, tuple[SX, SX]]
    data: tuple[SX, SX]


class Term(Checked, ABC):
    """A term of an objective; terms add up, and can be multiplied by numbers."""

    name = ""
    columns = 0
    """Number of its data."""

    def check(self, plant: Any) -> None:
        """Refuse what the model of a problem has not; see `Plant`."""

    def values(self, times: Array) -> Array:
        """Data (n + 1, columns) at nodes [s]."""
        return np.zeros((times.size, 0))

    def along(self, poses: Sequence[Any], h: Any) -> Any:
        """Value over poses (see `Pose`) of a phase with intervals of length h, beside `over`."""
        return 0.0

    def __add__(self, other: Any) -> Objectives:
        """Add terms."""
        return Objectives.of(self) + other

    def __radd__(self, other: Any) -> Objectives:
        """Add to the zero from which `sum` starts."""
        return Objectives.of(self).__radd__(other)

    def __mul__(self, factor: float) -> Objectives:
        """Weigh a term."""
        return Objectives.of(self) * factor

    __rmul__ = __mul__

    @abstractmethod
    def over(self, interval: Interval) -> SX:
        """Value of one interval."""


@dataclass(frozen=True)
class Effort(Term):
    """Integral of squared excitations, and of squared torques over their largest values [s].

    ``h sum |e|^2 + h sum |tau / tau_max|^2`` over all intervals.
    """

    name = "effort"

    def over(self, interval: Interval) -> SX:
        """Value of one interval."""
        controls = (*interval.excitations, *interval.torques)
        return interval.h * sum((one**2 for one in controls), ca.SX(0))


@dataclass(frozen=True)
class Activation(Term):
    """Integral of squared activations [s], by the trapezoidal rule.

    Squares of means would not see activations that alternate from node to node.
    """

    name = "activation"

    def over(self, interval: Interval) -> SX:
        """Value of one interval."""
        squares = (a0**2 + a1**2 for a0, a1 in interval.activations)
        return 0.5 * interval.h * sum(squares, ca.SX(0))


@dataclass(frozen=True)
class Duration(Term):
    """The duration [s]."""

    name = "duration"

    def over(self, interval: Interval) -> SX:
        """Value of one interval."""
        return interval.h


@dataclass(frozen=True)
class Work(Term):
    """Work of the muscles on the skeleton [J], of either sign or that of shortening alone.

    The absolute value of the mean power P of an interval is sqrt(P^2 + smoothing^2) - smoothing.

    Parameters
    ----------
    positive : bool
        Whether only work of shortening counts.
    smoothing : float
        Power below which the absolute value is smooth [W]; positive.
    """

    positive: bool = False
    smoothing: float = number("W", POSITIVE, default=0.02)

    name = "work"

    def __post_init__(self) -> None:
        super().__post_init__()
        _check.flag("Work", "positive", self.positive)

    def over(self, interval: Interval) -> SX:
        """Value of one interval."""
        found = ca.SX(0)
        for force, stretch in zip(interval.forces, interval.stretches, strict=True):
            power = -force * stretch / interval.h
            size = ca.sqrt(power**2 + self.smoothing**2) - self.smoothing
            found += interval.h * (0.5 * (size + power) if self.positive else size)
        return found


@dataclass(frozen=True, eq=False)
class Tracking(Term):
    """Integral of squared differences to a motion [s], by the trapezoidal rule.

    Parameters
    ----------
    time : (k,) array_like
        Instants of the motion [s], increasing, four or more; that of the start of the problem is 0.
    motion : mapping of str to (k,) array_like
        Values of turns and slides [rad or m]; cubic splines lie between them.
    sizes : mapping of str to float, optional
        Differences that count as one, by coordinate [rad or m]; 1 for those left out.
    """

    time: ArrayLike
    motion: Mapping[str, ArrayLike]
    sizes: Mapping[str, float] = field(default_factory=dict)

    name = "tracking"

    def __post_init__(self) -> None:
        owner = "Tracking"
        time = _check.array(owner, "time", self.time, ("k",), "s")
        if time.size < 4 or not (np.diff(time) > 0.0).all():
            _check.refuse(owner, "time", time, "be four or more instants that increase", unit="s")
        for what in ("motion", "sizes"):
            _check.instance(owner, what, getattr(self, what), Mapping, "a dict by coordinate")
        motion = {
            name: _check.array(owner, f"motion[{name!r}]", values, time.shape, "rad or m")
            for name, values in self.motion.items()
        }
        if not motion:
            _check.refuse(owner, "motion", motion, "name a coordinate")
        for name in self.sizes:
            if name not in motion:
                remedy = f"it has: {', '.join(motion)}{_check.suggestion(name, list(motion))}"
                _check.refuse(owner, "sizes", name, "be a coordinate of motion", remedy=remedy)
        sizes = {
            name: _check.positive(owner, f"sizes[{name!r}]", self.sizes.get(name, 1.0), "rad or m")
            for name in motion
        }
        _check.store(self, time=time, motion=motion, sizes=sizes)

    @property
    def columns(self) -> int:
        """Number of its data."""
        return len(self.motion)

    @cached_property
    def _splines(self) -> list[CubicSpline]:
        return [CubicSpline(self.time, values) for values in self.motion.values()]

    def values(self, times: Array) -> Array:
        """Coordinates (n + 1, columns) to be followed at nodes [s].

        Raises
        ------
        ModelError
            If nodes lie outside of the motion.
        """
        first, last = np.asarray(self.time)[[0, -1]]
        for t in (times[0], times[-1]):
            if not first - _JUST <= t <= last + _JUST:
                must = f"lie within the motion, [{first:g}, {last:g}]"
                _check.refuse("Tracking", "time of a node", float(t), must, unit="s")
        return np.stack([one(times) for one in self._splines], axis=1)

    def check(self, plant: Any) -> None:
        """Refuse coordinates that the model has not."""
        for name in self.motion:
            plant.known("Tracking", "coordinate", name, balls=False)

    def rates(self, t: float) -> dict[str, float]:
        """Rates of the coordinates at an instant [rad/s or m/s]."""
        pairs = zip(self.motion, self._splines, strict=True)
        return {name: float(one(t, 1)) for name, one in pairs}

    def over(self, interval: Interval) -> SX:
        """Value of one interval."""
        found = ca.SX(0)
        for k, name in enumerate(self.motion):
            for value, wanted in zip(interval.coordinates[name], interval.data, strict=True):
                found += ((value - wanted[k]) / self.sizes[name]) ** 2
        return 0.5 * interval.h * found


@dataclass(frozen=True, eq=False)
class Jerk(Term):
    """Integral of the squared jerk of points [m^2/s^5], from differences of their places.

    The jerk of an interval is the difference of the accelerations at its nodes, and these are
    second differences; at an end with given speeds, by the velocity of the point there. Intervals
    beside a change of phases, or beside an end whose speeds are free, are left out. Third
    differences of places leave few digits: solve to a tolerance of about 1e-7.

    Parameters
    ----------
    points : sequence of Station
        Points of bodies, such as the hands.
    """

    points: Sequence[Station]

    name = "jerk"

    def __post_init__(self) -> None:
        what = "points of bodies"
        points = _check.items("Jerk", "points", self.points, Station, "a point of a body", what)
        if not points:
            _check.refuse("Jerk", "points", self.points, "be one point or more")
        _check.store(self, points=tuple(points))

    def check(self, plant: Any) -> None:
        """Refuse points of bodies that the model has not."""
        for one in self.points:
            if one.body.name not in plant.tree.of_body:
                _check.refuse("Jerk", "points", one.body.name, "be on a body of the model")

    def over(self, interval: Interval) -> SX:
        """Value of one interval: none."""
        return ca.SX(0)

    def along(self, poses: Sequence[Any], h: Any) -> Any:
        """Value over the poses of a phase."""
        found = ca.MX(0)
        for station in self.points:
            x = [one.point(station) for one in poses]
            turns = [c - 2.0 * b + a for a, b, c in zip(x, x[1:], x[2:], strict=False)]
            first, last = (poses[k].velocity(station) for k in (0, -1))
            if first is not None:
                turns.insert(0, 2.0 * (x[1] - x[0] - h * first))
            if last is not None:
                turns.append(2.0 * (h * last - x[-1] + x[-2]))
            found += sum((ca.sumsqr(b - a) for a, b in pairwise(turns)), ca.MX(0)) / h**5
        return found


@dataclass(frozen=True)
class Objectives:
    """A weighted sum of terms.

    Parameters
    ----------
    terms : sequence of (float, Term)
        Weights, zero or positive, and terms.
    """

    terms: tuple[tuple[float, Term], ...] = field(default=())

    @property
    def columns(self) -> int:
        """Number of the data of all terms."""
        return sum(one.columns for _, one in self.terms)

    def slots(self) -> list[slice]:
        """Place of each term's data."""
        return slices(one.columns for _, one in self.terms)

    def data_at(self, times: Array) -> Array:
        """Data (n + 1, columns) of all terms at nodes [s]."""
        return np.hstack([np.zeros((times.size, 0)), *(one.values(times) for _, one in self.terms)])

    def wanted(self, times: Array) -> dict[str, Array]:
        """Values (n + 1,) of coordinates that are to be followed."""
        found: dict[str, Array] = {}
        for _, one in self.terms:
            if isinstance(one, Tracking):
                found |= dict(zip(one.motion, one.values(times).T, strict=True))
        return found

    @classmethod
    def of(cls, value: Any) -> Objectives:
        """The value as a sum.

        Raises
        ------
        ModelError
            If it is none, and no term.
        """
        if isinstance(value, Objectives):
            return value
        _check.instance("OptimalControl", "objective", value, Term, "a term such as fm.Effort()")
        return cls(((1.0, value),))

    def __add__(self, other: Any) -> Objectives:
        """Add terms."""
        return Objectives(self.terms + Objectives.of(other).terms)

    def __radd__(self, other: Any) -> Objectives:
        """Add to the zero from which `sum` starts."""
        if type(other) is int and other == 0:
            return self
        return Objectives.of(other) + self

    def __mul__(self, factor: float) -> Objectives:
        """Weigh all terms."""
        by = _check.non_negative("objective", "weight", factor)
        return Objectives(tuple((by * weight, term) for weight, term in self.terms))

    __rmul__ = __mul__

"""Functions of one coordinate, for joints, couplings and moving points.

Each is a piecewise polynomial, or a sine, so that all derivatives are exact; see `Pieces`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import Checked, number
from fibermsk.model.cubic_spline import cubic_coefficients, third_difference
from fibermsk.model.natural_spline import natural_coefficients

_JUST_AFTER = 1e-9
"""Share of an interval by which a constant piece goes on beyond its end."""


_QUARTER = 0.5 * np.pi

_NO_WAVES = np.zeros((0, 3))

DEGREES = 1, 3, 5, 7
"""Degrees of natural splines."""


class Pieces(NamedTuple):
    """A piecewise polynomial on the whole line, with a sine added to each piece."""

    knots: Array  # breakpoints (m - 1,) between the pieces; increasing
    origin: Array  # origin (m,) of the powers of each piece
    coefficients: Array  # (m, k) of the powers 0 to k - 1
    # amplitude, rate and phase (m, 3) of sines of x - origin; (0, 3) without any
    waves: Array = _NO_WAVES

    @property
    def sines(self) -> Array:
        """Amplitude, rate and phase of the sine of each piece, (m, 3); zeros without one."""
        return self.waves if self.waves.size else np.zeros((self.origin.size, 3))

    def piece(self, k: int) -> Pieces:
        """Piece k, everywhere."""
        own = slice(k, k + 1)
        return Pieces(np.zeros(0), self.origin[own], self.coefficients[own], self.waves[own])

    def __call__(self, x: ArrayLike, order: int = 0) -> Array:
        """Evaluate at points x of any shape, or a derivative of given order."""
        x = np.asarray(x, dtype=np.float64)
        piece = np.searchsorted(self.knots, x, side="right")
        s, total = x - self.origin[piece], np.zeros(x.shape)
        for power in range(self.coefficients.shape[1] - 1, order - 1, -1):
            falling = float(np.prod(np.arange(power - order + 1, power + 1)))
            total = total * s + falling * self.coefficients[piece, power]
        if self.waves.size:
            amplitude, rate, phase = self.waves[piece].T
            turned = np.sin(rate * s.T + phase + order * _QUARTER)
            total = total + (amplitude * rate**order * turned).T
        return total


class Function(Protocol):
    """A function of one coordinate."""

    def pieces(self) -> Pieces:
        """The function as a piecewise polynomial."""
        ...


class _Callable(Checked, Function):
    """Evaluation of a function from its pieces."""

    def __call__(self, x: ArrayLike, order: int = 0) -> Array:
        """Evaluate at x of any shape, or a derivative of given order."""
        return self.pieces()(x, order)


@dataclass(frozen=True, eq=False)
class _ThroughPoints(_Callable):
    """A function through points (m,), m of two or more, whose x increases."""

    x: ArrayLike = number(shape=("m",))
    y: ArrayLike = number(shape=("m",))

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_points(type(self).__name__, self.x, self.y, np.size(self.x))


def _check_points(owner: str, x: Any, y: Any, values: int) -> None:
    """Refuse fewer than two points, points that do not increase, and another number of values."""
    if x.size < 2:
        _check.refuse(owner, "x", x, "be two points or more")
    _check.array(owner, "y", y, (values,))
    late = np.flatnonzero(np.diff(x) <= 0.0)
    if late.size:
        k = int(late[0]) + 1
        _check.refuse(owner, f"x[{k}]", x[k], f"be greater than x[{k - 1}] = {x[k - 1]}")


@dataclass(frozen=True)
class Linear(_Callable):
    """A straight line.

    Parameters
    ----------
    slope, intercept : float
        f(x) = intercept + slope x.
    """

    slope: float = number(default=1.0)
    intercept: float = number(default=0.0)

    def pieces(self) -> Pieces:
        """The function as a piecewise polynomial."""
        return Pieces(np.zeros(0), np.zeros(1), np.array([[self.intercept, self.slope]]))


@dataclass(frozen=True, eq=False)
class Polynomial(_Callable):
    """A polynomial.

    Parameters
    ----------
    coefficients : (k,) array_like
        Of the powers 0 to k - 1; one or more.
    """

    coefficients: ArrayLike = number(shape=("k",))

    def __post_init__(self) -> None:
        super().__post_init__()
        if np.size(self.coefficients) == 0:
            _check.refuse("Polynomial", "coefficients", self.coefficients, "be one or more")

    def pieces(self) -> Pieces:
        """The function as a piecewise polynomial."""
        return Pieces(np.zeros(0), np.zeros(1), np.array(self.coefficients)[None])


@dataclass(frozen=True, eq=False)
class NaturalSpline(_ThroughPoints):
    """Natural spline through points: by default cubic, with zero curvature at its ends.

    Of degree 2 m - 1 it is the interpolation with the least mean square of its derivative m. Beyond
    its ends it goes on with degree m - 1: a cubic one is linear there. OpenSim's GCVSpline without
    smoothing is one.

    Parameters
    ----------
    x : (n,) array_like
        Increasing; two or more, and m or more.
    y : (n,) array_like
        Values there.
    degree : {3, 1, 5, 7}
        Degree of its pieces.
    """

    degree: int = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        if type(self.degree) is not int or self.degree not in DEGREES:
            _check.refuse("NaturalSpline", "degree", self.degree, "be 1, 3, 5 or 7")
        least = (self.degree + 1) // 2
        if np.size(self.x) < least:
            must = f"be {least} points or more for degree {self.degree}"
            _check.refuse("NaturalSpline", "x", self.x, must)

    def pieces(self) -> Pieces:
        """The function as a piecewise polynomial."""
        x, y = np.asarray(self.x), np.asarray(self.y)
        if self.degree != 3:
            return Pieces(x, np.r_[x[0], x], natural_coefficients(x, y, self.degree))
        ends = np.array([1.0, 0.0, 0.0, 1.0])
        return Pieces(x, np.r_[x[0], x], cubic_coefficients(x, y, ends, 0.0, 0.0))


@dataclass(frozen=True, eq=False)
class SimmSpline(_ThroughPoints):
    """OpenSim's cubic spline, linear outside; fields as those of `NaturalSpline`.

    The end conditions are those of Forsythe, Malcolm and Moler, Computer Methods for Mathematical
    Computations (1977), ch. 4: the third derivative in the first (last) interval is that of the
    cubic through the first (last) four points; with three points it is zero. It is not a natural
    spline: its curvature jumps at its ends, and with it accelerations.
    """

    def pieces(self) -> Pieces:
        """The function as a piecewise polynomial."""
        x, y = np.asarray(self.x), np.asarray(self.y)
        if x.size == 2:
            return PiecewiseLinear(x, y).pieces()
        first = last = 0.0
        if x.size > 3:
            first, last = third_difference(x[:4], y[:4]), third_difference(x[-4:], y[-4:])
        # curvature c changes by six third differences times the width of the interval
        width = np.diff(x)
        ends = np.array([-1.0, 1.0, -1.0, 1.0])
        third = 6.0 * first * width[0], 6.0 * last * width[-1]
        return Pieces(x, np.r_[x[0], x], cubic_coefficients(x, y, ends, *third))


@dataclass(frozen=True, eq=False)
class PiecewiseLinear(_ThroughPoints):
    """Linear interpolation and extrapolation of points; fields as those of `NaturalSpline`.

    Its slope jumps at the points: a joint that passes one jumps in speed and in energy.
    """

    def pieces(self) -> Pieces:
        """The function as a piecewise polynomial."""
        x, y = np.asarray(self.x), np.asarray(self.y)
        return Pieces(x[1:-1], x[:-1], np.stack([y[:-1], np.diff(y) / np.diff(x)], axis=1))


@dataclass(frozen=True, eq=False)
class PiecewiseConstant(_Callable):
    """Constant values between points in time, such as a control that is changed at intervals.

    At an inner point it has the value before it, so that a time step that ends there has one value;
    time steps end at these points. Before the first and after the last point it goes on.

    Parameters
    ----------
    x : (m + 1,) array_like
        Increasing; two or more.
    y : (m,) array_like
        Values between them.
    """

    x: ArrayLike = number(shape=("m",))
    y: ArrayLike = number(shape=("n",))

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_points("PiecewiseConstant", self.x, self.y, np.size(self.x) - 1)

    @property
    def breakpoints(self) -> Array:
        """Points at which the value changes."""
        return np.asarray(self.x)[1:-1]

    def pieces(self) -> Pieces:
        """The function as a piecewise polynomial, whose pieces end just after the points."""
        x, y = np.asarray(self.x), np.asarray(self.y)
        after = _JUST_AFTER * np.diff(x)[1:]
        return Pieces(x[1:-1] + after, x[:-1], y[:, None])


@dataclass(frozen=True)
class Sine(_Callable):
    """A sine, f(x) = offset + amplitude sin(rate x + phase).

    Parameters
    ----------
    amplitude : float
        Half the height of the wave.
    rate : float
        Angular frequency, in radians for each unit of x.
    phase : float
        Angle at zero [rad].
    offset : float
        Mean value.
    """

    amplitude: float = number(default=1.0)
    rate: float = number(default=1.0)
    phase: float = number("rad", default=0.0)
    offset: float = number(default=0.0)

    def pieces(self) -> Pieces:
        """The function as one piece."""
        wave = np.array([[self.amplitude, self.rate, self.phase]])
        return Pieces(np.zeros(0), np.zeros(1), np.array([[self.offset]]), wave)


@dataclass(frozen=True)
class SmoothStep(_Callable):
    """A change from one value to another by a polynomial of degree five; constant outside.

    With s from 0 to 1 between `start` and `end`, the change is 10 s^3 - 15 s^4 + 6 s^5: slope and
    curvature are continuous. OpenSim's StepFunction.

    Parameters
    ----------
    start, end : float
        Where the change begins and ends; the second is greater.
    before, after : float
        Value up to `start`, and from `end` on.
    """

    start: float = number()
    end: float = number()
    before: float = number(default=0.0)
    after: float = number(default=1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.end > self.start:
            _check.refuse("SmoothStep", "end", self.end, f"be greater than start = {self.start}")

    def pieces(self) -> Pieces:
        """The function as a piecewise polynomial."""
        width, change = self.end - self.start, self.after - self.before
        rise = change * np.array([10.0 / width**3, -15.0 / width**4, 6.0 / width**5])
        flat = [0.0] * 5
        return Pieces(
            np.array([self.start, self.end]),
            np.array([self.start, self.start, self.end]),
            np.array([[self.before, *flat], [self.before, 0.0, 0.0, *rise], [self.after, *flat]]),
        )


@dataclass(frozen=True)
class Scaled(_Callable):
    """A multiple of another function.

    Parameters
    ----------
    function : Function
        Function to scale.
    factor : float
        Scale factor.
    """

    function: Function
    factor: float = number()

    def __post_init__(self) -> None:
        check_function("Scaled", "function", self.function)
        super().__post_init__()

    def pieces(self) -> Pieces:
        """The function as a piecewise polynomial."""
        knots, origin, coefficients, waves = self.function.pieces()
        larger = waves * np.array([self.factor, 1.0, 1.0])
        return Pieces(knots, origin, self.factor * coefficients, larger)


def check_function(owner: str, field: str, value: Any) -> Any:
    """Return the value if it is a function of one coordinate, else raise."""
    kinds = (
        Linear, Polynomial, NaturalSpline, SimmSpline, PiecewiseLinear, Sine, SmoothStep, Scaled,
    )  # fmt: skip
    names = [kind.__name__ for kind in kinds]
    what = f"a {', '.join(names[:-1])} or {names[-1]}"
    return _check.instance(owner, field, value, kinds, what)


def integral(pieces: Pieces, start: float, end: float) -> float:
    """Integral of a piecewise polynomial from start to end."""
    low, high = min(start, end), max(start, end)
    inner = pieces.knots[(pieces.knots > low) & (pieces.knots < high)]
    total, ends = 0.0, [low, *inner.tolist(), high]
    powers = np.arange(1, pieces.coefficients.shape[1] + 1)
    for a, b in zip(ends[:-1], ends[1:], strict=True):
        k = int(np.searchsorted(pieces.knots, 0.5 * (a + b), side="right"))
        s, t = a - pieces.origin[k], b - pieces.origin[k]
        total += float(pieces.coefficients[k] / powers @ (t**powers - s**powers))
    return total if end >= start else -total


def is_constant(function: Function) -> bool:
    """Whether a function is constant."""
    pieces = function.pieces()
    moves = pieces.coefficients[:, 1:].any() or (pieces.waves[:, 0] * pieces.waves[:, 1]).any()
    return not moves and np.ptp(pieces.coefficients[:, 0]) == 0.0


def largest_jump(function: Function, order: int) -> float:
    """Largest jump of a derivative of given order at a knot, relative to its size there and 1."""
    pieces, largest = function.pieces(), 0.0
    for k, knot in enumerate(pieces.knots):
        sides = [float(pieces.piece(i)(knot, order)) for i in (k, k + 1)]
        largest = max(largest, abs(sides[1] - sides[0]) / (1.0 + max(map(abs, sides))))
    return largest

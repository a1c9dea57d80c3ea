"""Functions of one coordinate, for joints, couplings and moving points.

Each is a piecewise polynomial, so that all derivatives are exact; see `Pieces`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import Checked, number

_JUST_AFTER = 1e-9
"""Share of an interval by which a constant piece goes on beyond its end."""


class Pieces(NamedTuple):
    """A piecewise polynomial on the whole line."""

    knots: Array  # breakpoints (m - 1,) between the pieces; increasing
    origin: Array  # origin (m,) of the powers of each piece
    coefficients: Array  # (m, k) of the powers 0 to k - 1

    def __call__(self, x: ArrayLike, order: int = 0) -> Array:
        """Evaluate at points x of any shape, or a derivative of given order."""
        x = np.asarray(x, dtype=np.float64)
        piece = np.searchsorted(self.knots, x, side="right")
        s, total = x - self.origin[piece], np.zeros(x.shape)
        for power in range(self.coefficients.shape[1] - 1, order - 1, -1):
            falling = float(np.prod(np.arange(power - order + 1, power + 1)))
            total = total * s + falling * self.coefficients[piece, power]
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
    """Natural cubic spline through points: zero curvature at its ends, linear extrapolation.

    Parameters
    ----------
    x : (m,) array_like
        Increasing; two or more.
    y : (m,) array_like
        Values there.
    """

    def pieces(self) -> Pieces:
        """The function as a piecewise polynomial."""
        x, y = np.asarray(self.x), np.asarray(self.y)
        return _cubic(x, y, np.array([1.0, 0.0, 0.0, 1.0]), 0.0, 0.0)


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
            first, last = _third_difference(x[:4], y[:4]), _third_difference(x[-4:], y[-4:])
        # curvature c changes by six third differences times the width of the interval
        width = np.diff(x)
        ends = np.array([-1.0, 1.0, -1.0, 1.0])
        return _cubic(x, y, ends, 6.0 * first * width[0], 6.0 * last * width[-1])


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
        knots, origin, coefficients = self.function.pieces()
        return Pieces(knots, origin, self.factor * coefficients)


def check_function(owner: str, field: str, value: Any) -> Any:
    """Return the value if it is a function of one coordinate, else raise."""
    kinds = (Linear, Polynomial, NaturalSpline, SimmSpline, PiecewiseLinear, Scaled)
    what = "a Linear, Polynomial, NaturalSpline, SimmSpline, PiecewiseLinear or Scaled"
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
    return not pieces.coefficients[:, 1:].any() and np.ptp(pieces.coefficients[:, 0]) == 0.0


def largest_jump(function: Function, order: int) -> float:
    """Largest jump of a derivative of given order at a knot, relative to its size there and 1."""
    pieces, largest = function.pieces(), 0.0
    for k, knot in enumerate(pieces.knots):
        beside = (
            Pieces(np.zeros(0), pieces.origin[i : i + 1], pieces.coefficients[i : i + 1])
            for i in (k, k + 1)
        )
        sides = [float(piece(knot, order)) for piece in beside]
        largest = max(largest, abs(sides[1] - sides[0]) / (1.0 + max(map(abs, sides))))
    return largest


def _third_difference(x: Array, y: Array) -> float:
    """Third divided difference of four points."""
    for width in range(1, 4):
        y = np.diff(y) / (x[width:] - x[:-width])
    return float(y[0])


def _solve_tridiagonal(low: Array, middle: Array, high: Array, right: Array) -> Array:
    """Solve the tridiagonal system low_k c_(k-1) + middle_k c_k + high_k c_(k+1) = right_k.

    No pivoting is needed: inner rows are diagonally dominant.
    """
    above, c = np.empty(right.size), np.empty(right.size)
    above[0], c[0] = high[0] / middle[0], right[0] / middle[0]
    for k in range(1, right.size):
        pivot = middle[k] - low[k] * above[k - 1]
        above[k], c[k] = high[k] / pivot, (right[k] - low[k] * c[k - 1]) / pivot
    for k in range(right.size - 2, -1, -1):
        c[k] -= above[k] * c[k + 1]
    return c


def _cubic(x: Array, y: Array, ends: Array, first: float, last: float) -> Pieces:
    """Cubic spline through points, linear outside, with end conditions on its curvatures c.

    ends: a, b of a c_0 + b c_1 = first, and a, b of a c_(m-2) + b c_(m-1) = last.
    """
    width, slope = np.diff(x), np.diff(y) / np.diff(x)
    low = np.r_[0.0, width[:-1], ends[2]]
    middle = np.r_[ends[0], 2.0 * (width[:-1] + width[1:]), ends[3]]
    high = np.r_[ends[1], width[1:], 0.0]
    c = _solve_tridiagonal(low, middle, high, np.r_[first, 6.0 * np.diff(slope), last])
    inner = np.stack(
        [
            y[:-1],
            slope - width * (2.0 * c[:-1] + c[1:]) / 6.0,
            0.5 * c[:-1],
            np.diff(c) / (6.0 * width),
        ],
        axis=1,
    )
    end_slope = slope[-1] + width[-1] * (c[-2] + 2.0 * c[-1]) / 6.0
    before = [[y[0], inner[0, 1], 0.0, 0.0]]
    after = [[y[-1], end_slope, 0.0, 0.0]]
    return Pieces(x, np.r_[x[0], x], np.array(np.concatenate([before, inner, after]), float))

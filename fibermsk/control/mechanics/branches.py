"""Functions of numbers with branches, as expressions of CasADi that hold in all of them.

A function is called once for each way that its comparisons can turn out; the expressions that it
returns are joined by these conditions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import casadi as ca
from numpy.lib.mixins import NDArrayOperatorsMixin

from fibermsk.control.mechanics.directors import SX

MOST = 64
"""Branches that a function may have."""

_FUNCTIONS: dict[str, Callable[..., SX]] = {
    "absolute": ca.fabs, "add": ca.plus, "arccos": ca.acos, "arccosh": ca.acosh,
    "arcsin": ca.asin, "arcsinh": ca.asinh, "arctan": ca.atan, "arctan2": ca.atan2,
    "arctanh": ca.atanh, "ceil": ca.ceil, "cos": ca.cos, "cosh": ca.cosh, "divide": ca.rdivide,
    "exp": ca.exp, "expm1": ca.expm1, "fabs": ca.fabs, "floor": ca.floor, "hypot": ca.hypot,
    "log": ca.log, "log1p": ca.log1p, "log10": ca.log10, "maximum": ca.fmax, "minimum": ca.fmin,
    "multiply": ca.times, "negative": lambda x: -x, "positive": lambda x: x, "power": ca.power,
    "sign": ca.sign, "sin": ca.sin, "sinh": ca.sinh, "sqrt": ca.sqrt, "square": lambda x: x * x,
    "subtract": ca.minus, "tan": ca.tan, "tanh": ca.tanh,
}  # fmt: skip
"""Functions of numpy that are the same in CasADi."""

_COMPARISONS = {
    "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge", "equal": "eq",
    "not_equal": "ne",
}  # fmt: skip


def applied(ufunc: Any, symbols: list[SX]) -> SX:
    """A function of numpy of expressions.

    Raises
    ------
    TypeError
        If it is none of `_FUNCTIONS`.
    """
    own = _FUNCTIONS.get(str(ufunc.__name__))
    if own is None:
        raise TypeError(f"numpy.{ufunc.__name__} is not among {', '.join(_FUNCTIONS)}")
    return own(*symbols)


class _Path:
    """How the comparisons turn out, in order; those beyond the given ones are true."""

    def __init__(self, given: list[bool]) -> None:
        self._given, self.conditions, self.taken = given, list[SX](), list[bool]()

    def decide(self, condition: SX) -> bool:
        """Turn of a comparison; one of constants is no branch."""
        if condition.is_constant():
            return bool(condition)
        k = len(self.taken)
        self.conditions.append(condition)
        self.taken.append(self._given[k] if k < len(self._given) else True)
        return self.taken[-1]


class _Number(NDArrayOperatorsMixin):
    """An expression on a path."""

    def __init__(self, symbol: SX, path: _Path) -> None:
        self.symbol, self._path = ca.SX(symbol), path

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Apply a function of numpy, or decide a comparison."""
        symbols = [one.symbol if isinstance(one, _Number) else ca.SX(one) for one in inputs]
        name = str(ufunc.__name__)
        if name in _COMPARISONS:
            return self._path.decide(getattr(ca, _COMPARISONS[name])(*symbols))
        return _Number(applied(ufunc, symbols), self._path)

    @property
    def real(self) -> _Number:
        """Itself: laws compare real parts."""
        return self

    def __bool__(self) -> bool:
        """Whether it is not zero."""
        return self._path.decide(self.symbol != 0.0)


class Branched(NamedTuple):
    """Value of a function in all of its branches, and their number."""

    value: SX
    branches: int


def in_all_branches(function: Callable[..., Any], *arguments: SX) -> Branched:
    """Value of a function of numbers at expressions.

    Raises
    ------
    TypeError
        If the function does what expressions cannot, or has too many branches.
    """
    count = 0

    def value(given: list[bool]) -> SX:
        nonlocal count
        count += 1
        if count > MOST:
            raise TypeError(f"it has more than {MOST} branches")
        path = _Path(given)
        found = function(*(_Number(one, path) for one in arguments))
        symbol = found.symbol if isinstance(found, _Number) else ca.SX(float(found))
        # the last comparison that is new first: each other turn has a branch of its own
        for k in reversed(range(len(given), len(path.taken))):
            other = value([*path.taken[:k], False])
            symbol = ca.if_else(path.conditions[k], symbol, other)
        return symbol

    return Branched(value([]), count)

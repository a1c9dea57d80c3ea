"""Functions of time whose rates are known, or constants."""

from __future__ import annotations

from typing import Any

from fibermsk import _check
from fibermsk.model.function import Function, Linear


def check_in_time(owner: str, field: str, value: Any) -> None:
    """Refuse what is neither a number nor a function in pieces."""
    if not isinstance(value, float) and not hasattr(value, "pieces"):
        remedy = "tabulate other motions, fm.NaturalSpline(times, values)"
        must = "be a number or a function with derivatives, such as fm.Linear"
        _check.refuse(owner, field, value, must, remedy=remedy)


def signals_in_time(field: str, value: Function | float) -> tuple[tuple[str, InTime], ...]:
    """The functions of time of an element: that of a field, if it is one."""
    return () if isinstance(value, float) else ((field, InTime(value)),)


class InTime:
    """A function of time with corners at the breakpoints of its pieces."""

    def __init__(self, value: Function | float) -> None:
        function = Linear(0.0, value) if isinstance(value, int | float) else value
        self._pieces = function.pieces()
        self.breakpoints = getattr(function, "breakpoints", self._pieces.knots)

    def __call__(self, t: float, order: int = 0) -> float:
        """Evaluate at a time [s], or a derivative."""
        return float(self._pieces(t, order))

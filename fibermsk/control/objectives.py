"""What optimal control makes small: terms of single intervals, which add up.

Source: `optimal_control.md`, section 5.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import casadi as ca

from fibermsk import _check
from fibermsk._numbers import POSITIVE, Checked, number
from fibermsk.control.directors import SX


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
    """

    h: SX
    excitations: list[SX]
    torques: list[SX]
    activations: list[tuple[SX, SX]]
    forces: list[SX]
    stretches: list[SX]


class Term(Checked, ABC):
    """A term of an objective; terms add up, and can be multiplied by numbers."""

    name = ""

    def __add__(self, other: Any) -> Objectives:
        """Add terms."""
        return Objectives.of(self) + other

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

    The absolute value of the work of an interval is sqrt(W^2 + smoothing^2) - smoothing.

    Parameters
    ----------
    positive : bool
        Whether only work of shortening counts.
    smoothing : float
        Work of one interval below which the absolute value is smooth [J]; positive.
    """

    positive: bool = False
    smoothing: float = number("J", POSITIVE, default=1e-3)

    name = "work"

    def __post_init__(self) -> None:
        super().__post_init__()
        _check.flag("Work", "positive", self.positive)

    def over(self, interval: Interval) -> SX:
        """Value of one interval."""
        found = ca.SX(0)
        for force, stretch in zip(interval.forces, interval.stretches, strict=True):
            work = -force * stretch
            size = ca.sqrt(work**2 + self.smoothing**2) - self.smoothing
            found += 0.5 * (size + work) if self.positive else size
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

    def __mul__(self, factor: float) -> Objectives:
        """Weigh all terms."""
        by = _check.non_negative("objective", "weight", factor)
        return Objectives(tuple((by * weight, term) for weight, term in self.terms))

    __rmul__ = __mul__

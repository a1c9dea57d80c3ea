"""Axes of a joint: elementary rotations and translations that are functions of coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk.model.function import Function, Linear, check_function

__all__ = ["Axis"]

UNITS = {"rotation": "rad", "translation": "m"}


@dataclass(frozen=True, eq=False)
class Axis:
    """A rotation about an axis, or a translation along it, that coordinates give.

    Parameters
    ----------
    kind : {"rotation", "translation"}
        What it does.
    direction : (3,) array_like
        Direction in the parent's axes when the joint is at zero; stored with length one. Axes
        further on in the joint turn with those before.
    terms : str, or sequence of pairs (str, Function)
        Coordinates by name, and the function of each; the axis moves by the sum. A name alone is
        the coordinate itself.
    offset : float
        Added to the sum [rad or m].

    Raises
    ------
    ModelError
        If a field lies outside its range.
    """

    kind: str
    direction: ArrayLike
    terms: str | Sequence[tuple[str, Function]] = ()
    offset: float = 0.0

    def __post_init__(self) -> None:
        """Check the fields and store them as float64 and tuples."""
        _check.choice("axis", "kind", self.kind, UNITS)
        owner = f"{self.kind} axis"
        terms: Any = ((self.terms, Linear()),) if isinstance(self.terms, str) else self.terms
        _check.instance(owner, "terms", terms, (tuple, list), "pairs (coordinate, function)")
        for i, term in enumerate(terms):
            if not isinstance(term, tuple | list) or len(term) != 2:
                _check.refuse(owner, f"terms[{i}]", term, "be a pair (coordinate, function)")
            _check.name(f"{owner}: coordinate of terms[{i}]", term[0])
            check_function(owner, f"terms[{i}]", term[1])
        _check.store(
            self,
            direction=_check.unit_vector(owner, "direction", self.direction),
            terms=tuple(tuple(term) for term in terms),
            offset=_check.number(owner, "offset", self.offset, UNITS[self.kind]),
        )

    @property
    def pairs(self) -> tuple[tuple[str, Function], ...]:
        """The terms, a tuple of pairs since the axis was made."""
        terms: Any = self.terms
        return terms

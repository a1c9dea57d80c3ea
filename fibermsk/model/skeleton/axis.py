"""Axes of a joint: elementary rotations and translations that are functions of coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._numbers import checked, direction, number
from fibermsk._shown import Described
from fibermsk.model.function import Function, Linear, check_function

UNITS = {"rotation": "rad", "translation": "m"}


@dataclass(frozen=True, eq=False, repr=False)
class Axis(Described):
    """A rotation about an axis or a translation along it, as a function of coordinates.

    Parameters
    ----------
    kind : {"rotation", "translation"}
        Type of motion.
    direction : (3,) array_like
        Direction in the parent's axes when the joint is at zero; stored with length one. Later axes
        of the joint rotate with the earlier ones.
    terms : str, or sequence of pairs (str, Function)
        Names of coordinates with the function of each; the motion is the sum. A name alone stands
        for the coordinate itself.
    offset : float
        Added to the sum [rad or m].
    """

    kind: str
    direction: ArrayLike = direction()
    terms: str | Sequence[tuple[str, Function]] = ()
    offset: float = number(lambda axis: UNITS[axis.kind], default=0.0)

    def __post_init__(self) -> None:
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
            terms=tuple(tuple(term) for term in terms),
            **checked(self, owner),
        )

    @property
    def pairs(self) -> tuple[tuple[str, Function], ...]:
        """The terms as a tuple of pairs."""
        terms: Any = self.terms
        return terms

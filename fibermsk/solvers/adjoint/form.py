"""Vectors that know how they follow from others: what the steps of a method are written in.

Between the solutions of its stages a time integrator only adds and scales vectors. Run with forms
in place of arrays, a step leaves the coefficients of these sums, which the sweeps need; no method
is written a second time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from fibermsk._arrays import Array


class Term(NamedTuple):
    """Part of a form: factor times a source, or times a part of it, at a part of the form."""

    source: int
    factor: Any  # number, or array of the size of that part
    at: slice | None  # entries of the form; None for all
    of: slice | None  # entries of the source; None for all


class Form:
    """A vector (n,) with its value, as a sum of terms in the sources of a step."""

    __array_ufunc__ = None  # arrays leave operators to the form

    def __init__(self, value: Array, terms: tuple[Term, ...] = ()) -> None:
        self.value, self.terms = value, terms

    @property
    def size(self) -> int:
        """Number of entries."""
        return self.value.size

    def copy(self) -> Form:
        """A form that may be changed."""
        return Form(self.value.copy(), self.terms)

    def scaled(self, factor: Any) -> Form:
        """The form times a number."""
        return Form(
            factor * self.value,
            tuple(one._replace(factor=factor * one.factor) for one in self.terms),
        )

    def __add__(self, other: Any) -> Form:
        return Form(self.value + value_of(other), self.terms + terms_of(other))

    __radd__ = __add__

    def __neg__(self) -> Form:
        return self.scaled(-1.0)

    def __sub__(self, other: Any) -> Form:
        return Form(self.value - value_of(other), self.terms + terms_of(-other))

    def __rsub__(self, other: Any) -> Form:
        return Form(value_of(other) - self.value, self.scaled(-1.0).terms + terms_of(other))

    def __mul__(self, factor: Any) -> Form:
        return self.scaled(factor)

    __rmul__ = __mul__

    def __truediv__(self, factor: Any) -> Form:
        return self.scaled(1.0 / factor)

    def __getitem__(self, part: slice) -> Form:
        return Form(self.value[part], tuple(_taken(one, part) for one in self.terms))

    def __setitem__(self, part: slice, other: Any) -> None:
        self.value[part] = value_of(other)
        kept = [_without(one, part, self.size) for one in self.terms if one.at != part]
        self.terms = (*kept, *(one._replace(at=part) for one in terms_of(other)))

    def __array__(self, *_: Any, **__: Any) -> Array:
        raise TypeError(
            "a step of a run is differentiated through sums and multiples of its vectors"
        )

    def __array_function__(
        self, function: Callable[..., Any], types: Any, arguments: Any, options: Any
    ) -> Any:
        if function is np.zeros_like:
            return np.zeros_like(self.value)
        return NotImplemented


def value_of(vector: Any) -> Any:
    """Value of a form, or a constant itself."""
    return vector.value if isinstance(vector, Form) else vector


def terms_of(vector: Any) -> tuple[Term, ...]:
    """Terms of a form; none of a constant."""
    return vector.terms if isinstance(vector, Form) else ()


def _part(factor: Any, part: slice) -> Any:
    return factor[part] if np.ndim(factor) else factor


def _taken(term: Term, part: slice) -> Term:
    """A term of a part of a form."""
    if term.at is None and term.of is None:
        return Term(term.source, _part(term.factor, part), None, part)
    if term.at == part:
        return term._replace(at=None)
    raise TypeError(f"entries {part} of a form that was put together of parts")


def _without(term: Term, part: slice, n: int) -> Term:
    """A term of all entries that leaves a part out."""
    if term.at is not None:
        raise TypeError(f"entries {part} of a form that was put together of parts")
    factor = np.broadcast_to(term.factor, n).astype(float)
    factor[part] = 0.0
    return term._replace(factor=factor)


class Slots:
    """Vectors by source: cotangents that add up, or tangents."""

    def __init__(self, sizes: list[int]) -> None:
        self._sizes, self._of = sizes, dict[int, Array]()

    def get(self, source: int) -> Array | None:
        """Vector of a source; None for zero."""
        return self._of.get(source)

    def set(self, source: int, vector: Array) -> None:
        """Set the vector of a source."""
        self._of[source] = vector

    def spread(self, vector: Any, cotangent: Array) -> None:
        """Add what the sources of a form get from its cotangent (n,)."""
        for term in terms_of(vector):
            found = self._of.setdefault(term.source, np.zeros(self._sizes[term.source]))
            part = term.factor * (cotangent if term.at is None else cotangent[term.at])
            if term.of is None:
                found += part
            else:
                found[term.of] += part

    def gather(self, vector: Any) -> Array:
        """Tangent of a form from those of its sources."""
        total = np.zeros(value_of(vector).size)
        for term in terms_of(vector):
            found = self._of.get(term.source)
            if found is None:
                continue
            part = term.factor * (found if term.of is None else found[term.of])
            if term.at is None:
                total += part
            else:
                total[term.at] += part
        return total

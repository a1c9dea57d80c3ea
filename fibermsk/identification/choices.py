"""What a user says of the unknowns of an identification, by name or pattern."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.errors import ModelError

PRIOR = 0.1
"""Relative deviation of a guess."""


class Choices(NamedTuple):
    """What a user says of the unknowns, by name or pattern.

    Attributes
    ----------
    prior : mapping of str to float
        Relative deviation of the guess; later patterns count.
    bounds : mapping of str to (float, float)
        Bounds, in the unit of the number; later patterns count.
    groups : mapping of str to str or sequence of str
        Numbers that share one factor on their guess, by the name of the factor.
    fixed : sequence of str
        Numbers that are known.
    """

    prior: Mapping[str, float] = {}
    bounds: Mapping[str, tuple[float, float]] = {}
    groups: Mapping[str, Sequence[str]] = {}
    fixed: Sequence[str] = ()

    @classmethod
    def of(cls, owner: str, prior: Any, bounds: Any, groups: Any, fixed: Any) -> Choices:
        """Checked choices; one number as `prior` is that of all."""
        shares: dict[str, Any] = dict(prior) if isinstance(prior, Mapping) else {"*": prior}
        limits, sets = (
            {} if value is None else _check.instance(owner, field, value, Mapping, "a dict by name")
            for field, value in (("bounds", bounds), ("groups", groups))
        )
        return cls(
            {name: _positive(owner, name, one) for name, one in shares.items()},
            {_text(owner, "bounds", name): _pair(owner, name, one) for name, one in limits.items()},
            {
                _text(owner, "groups", name): texts(owner, f"groups[{name!r}]", one)
                for name, one in sets.items()
            },
            texts(owner, "fixed", fixed),
        )

    def shares(self, names: Sequence[str]) -> Array:
        """Relative deviations (n,) of the guesses of numbers."""
        found = np.full(len(names), PRIOR)
        for pattern, share in self.prior.items():
            found[[fnmatchcase(one, pattern) for one in names]] = share
        return found


def matches(pattern: str, names: Sequence[str], what: str) -> list[str]:
    """Names that match a pattern.

    Raises
    ------
    ModelError
        If none does.
    """
    found = [one for one in names if fnmatchcase(one, pattern)]
    if not found:
        near = _check.suggestion(pattern, list(names))
        raise ModelError(
            f"identify: {what} names {pattern!r}; must match one of {len(names)} numbers, such as "
            f"{names[0]!r}{near}"
        )
    return found


def texts(owner: str, field: str, value: Any) -> tuple[str, ...]:
    """Names or patterns: one, or several."""
    several = [value] if isinstance(value, str) else value
    return tuple(_check.items(owner, field, several, str, "a name or pattern", "names or patterns"))


def _text(owner: str, field: str, value: Any) -> str:
    return _check.instance(owner, f"name in {field}", value, str, "a name or pattern")


def _positive(owner: str, name: Any, value: Any) -> float:
    _text(owner, "prior", name)
    return _check.positive(owner, "prior" if name == "*" else f"prior of {name!r}", value)


def _pair(owner: str, name: str, value: Any) -> tuple[float, float]:
    low, high = _check.array(owner, f"bounds[{name!r}]", value, (2,)).tolist()
    if not low < high:
        _check.refuse(owner, f"bounds[{name!r}]", (low, high), "have the lower one first")
    return low, high

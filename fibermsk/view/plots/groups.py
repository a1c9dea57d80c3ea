"""Selection of the fibers and line muscles of a plot, and groups of fibers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk._check import first_names, suggestion
from fibermsk.errors import ModelError
from fibermsk.results.result import Result

CURVES = 7
"""Largest number of curves in one set of axes."""
BAND = (10.0, 90.0)
"""Percentiles of the band around the median of a group."""
BAND_WORDS = f"median, shade {BAND[0]:g} to {BAND[1]:g}\N{NO-BREAK SPACE}%"

_LISTED = 12


class Group(NamedTuple):
    """Fibers drawn together: a curve for one, median and band for several."""

    label: str
    fibers: tuple[str, ...]


class Spread(NamedTuple):
    """Median of a group, and a band around it; None for a single fiber."""

    middle: Array
    band: tuple[Array, Array] | None


def fiber_stem(name: str) -> str:
    """Name without its number: ``biceps`` of ``biceps_2``."""
    return re.sub(r"[\s_\-.]*\d+$", "", name) or name


def muscles(names: Sequence[str]) -> dict[str, list[str]]:
    """Fibers by the stem of their names."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(fiber_stem(name), []).append(name)
    return found


def choose(result: Result, patterns: str | Sequence[str] | None) -> tuple[list[str], list[str]]:
    """Fibers, and line muscles, that match a name or pattern, such as ``biceps*``, in order.

    The name of a muscle, ``biceps`` of ``biceps_1``, matches all its fibers.
    """
    if patterns is None:
        return list(result.fibers), list(result.muscles)
    names = [*result.fibers, *result.muscles]
    asked = [patterns] if isinstance(patterns, str) else list(patterns)
    for pattern in asked:
        if not any(_is_named(name, pattern) for name in names):
            kind = "fiber or line muscle" if result.muscles else "fiber"
            there = first_names(names, _LISTED) or "none"
            hint = suggestion(pattern, names)
            raise ModelError(f"no {kind} matches {pattern!r}; this result has: {there}{hint}")

    def matching(known: Iterable[str]) -> list[str]:
        return [name for name in known if any(_is_named(name, one) for one in asked)]

    return matching(result.fibers), matching(result.muscles)


def _is_named(name: str, asked: str) -> bool:
    return asked in (name, fiber_stem(name)) or fnmatchcase(name, asked)


def group(names: Sequence[str], most: int) -> list[Group]:
    """At most `most` groups: single fibers, else fibers by muscle, else all together."""
    if len(names) <= most:
        return [Group(name, (name,)) for name in names]
    stems = muscles(names)
    if len(stems) <= most:
        return [
            Group(found[0] if len(found) == 1 else f"{stem} ({len(found)})", tuple(found))
            for stem, found in stems.items()
        ]
    return [Group(f"all {len(names)} fibers", tuple(names))]


def spread(one: Group, values: Callable[[str], Array]) -> Spread:
    """Median and percentiles over the fibers of a group of arrays of equal shape."""
    if len(one.fibers) == 1:
        return Spread(values(one.fibers[0]), None)
    low, middle, high = np.percentile(
        np.stack([values(name) for name in one.fibers]), [BAND[0], 50.0, BAND[1]], axis=0
    )
    return Spread(middle, (low, high))

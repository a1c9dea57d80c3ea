"""Parameters by path, as numbers in a row and as variations of a system."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.gradients.inside import AHEAD, CENTRAL, Driven, Family, Knot, Places, Stencil
from fibermsk.gradients.owners import owner_of, signal_weight
from fibermsk.parameters import Parameter
from fibermsk.solvers.adjoint.variation import Change, Variation
from fibermsk.system import FiberSystem

_STEP = 1e-5
"""Step over the size of a number; truncation and round-off are then about 1e-11."""

_SIZES = {"m": 0.01, "rad": 1.0, "N/m^2": 1e3, "N s/m^2": 1e2}
"""Size of numbers that are zero, by unit; 1 for others."""

_LEAST = 0.1
"""Least size of numbers of both signs, over that of zero: computed geometry may be nearly zero."""

_SYMMETRIC = 3, 3
"""Shape of inertias: numbers below the diagonal follow those above."""


class Entry(NamedTuple):
    """One number of a parameter."""

    path: str
    place: tuple[int, ...]  # within the array; () for a scalar
    value: float
    unit: str
    bounds: tuple[float, float]

    @property
    def name(self) -> str:
        """Path, with the place in an array."""
        return self.path + (f"[{', '.join(map(str, self.place))}]" if self.place else "")


def entries_of(system: FiberSystem, paths: str | Iterable[str]) -> tuple[Entry, ...]:
    """All numbers at paths and patterns, each once; refused if there is none."""
    what = "a path or several"
    _check.instance("gradient", "parameters", paths, (str, tuple, list, set, Mapping), what)
    wanted = [paths] if isinstance(paths, str) else list(paths)
    if not wanted:
        _check.refuse("gradient", "parameters", paths, "name one path or more")
    found = dict[str, Entry]()
    for path in wanted:
        _check.instance("gradient", "path of a parameter", path, str, "a text")
        for parameter in system.parameters.match(path).values():
            for one in _entries(parameter):
                found[one.name] = one
    return tuple(found.values())


def _entries(parameter: Parameter) -> list[Entry]:
    value = np.asarray(parameter.value, float)
    return [
        Entry(parameter.path, at, float(value[at]), parameter.unit, parameter.bounds)
        for at in np.ndindex(value.shape) if value.shape != _SYMMETRIC or at[0] <= at[1]
    ]  # fmt: skip


def values_with(system: FiberSystem, entries: Iterable[Entry], new: Array) -> Mapping[str, object]:
    """Values by path for `with_parameters`, with other numbers at some entries."""
    found = dict[str, Array]()
    for entry, value in zip(entries, new, strict=True):
        if entry.path not in found:
            found[entry.path] = np.array(system.parameters[entry.path].value, float)
        found[entry.path][entry.place] = value
        if found[entry.path].shape == _SYMMETRIC:
            found[entry.path][entry.place[::-1]] = value
    return {path: one if one.shape else float(one) for path, one in found.items()}


def changes_of(
    system: FiberSystem, entries: Sequence[Entry], *, alone: bool = False
) -> list[Change]:
    """How a system changes with entries, by number: those inside of fibers and muscles together.

    With `alone`, each by itself.

    Raises
    ------
    ModelError
        If an entry changes the number of unknowns.
    """
    places = Places(system)
    knots, single = list[Knot](), list[Change]()
    families: dict[Any, list[tuple[int, int, Entry]]] = {}
    for number, entry in enumerate(entries):
        owner, rest = owner_of(system, places.own, entry.path)
        if owner is None or alone:
            single.append(variation_of(system, entry, number))
        elif (weight := signal_weight(system, entry.path, entry.place)) is not None:
            knots.append(Knot(owner, number, weight))
        else:
            step, stencil = _difference(system, entry)
            families.setdefault((rest, entry.place, step > 0.0, stencil), []).append(
                (owner, number, entry)
            )
    found = list[Change]([Driven(places, knots)] if knots else [])
    for (*_, stencil), members in families.items():
        owners, numbers, own = zip(*members, strict=True)
        steps = [_difference(system, one)[0] for one in own]
        systems = _systems(system, own, steps, stencil)
        weights = [weight / 12.0 for _, weight in stencil]
        found.append(Family(places, owners, numbers, steps, systems, weights))
    return found + single


def variation_of(system: FiberSystem, entry: Entry, number: int = 0) -> Variation:
    """Systems at values around that of an entry, within its bounds."""
    step, stencil = _difference(system, entry)
    systems = _systems(system, [entry], [step], stencil)
    return Variation(number, systems, tuple(weight / (12.0 * step) for _, weight in stencil))


def size_of(entry: Entry) -> float:
    """Size of a number, which is that of its unit where it is zero or nearly so."""
    zero = _SIZES.get(entry.unit, 1.0)
    if entry.bounds[0] < 0.0:
        return max(abs(entry.value), _LEAST * zero) if entry.value else zero
    return abs(entry.value) or zero


def _difference(system: FiberSystem, entry: Entry) -> tuple[float, Stencil]:
    """Step and stencil of a difference within the bounds of an entry."""
    size = size_of(entry)
    whole = np.asarray(system.parameters[entry.path].value, float)
    if whole.shape == _SYMMETRIC and entry.place[0] != entry.place[1]:
        size = float(np.sqrt(np.prod(np.diag(whole)[list(entry.place)])))
    step, (low, high) = _STEP * size, entry.bounds
    if entry.value - 2.0 * step < low:
        return step, AHEAD
    if entry.value + 2.0 * step > high:
        return -step, AHEAD
    return step, CENTRAL


def _systems(
    system: FiberSystem, entries: Sequence[Entry], steps: Sequence[float], stencil: Stencil
) -> tuple[FiberSystem, ...]:
    """Systems with all entries changed at once."""
    values = np.array([one.value for one in entries])
    systems = tuple(
        system.with_parameters(dict(values_with(system, entries, values + k * np.array(steps))))
        for k, _ in stencil
    )
    if any(one.n != system.n for one in systems):
        remedy = "muscles with equal activation dynamics share a state: let their numbers differ"
        names = ", ".join(one.name for one in entries)
        _check.refuse("gradient", "parameter", names, "leave the number of unknowns", remedy=remedy)
    return systems

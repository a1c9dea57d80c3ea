"""Histories that are read from a file when they are first asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Protocol, Self

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._shown import LINES, Summarized, Summary, count, names, span


class Source(Protocol):
    """Interface to arrays elsewhere, over all or some frames."""

    @property
    def names(self) -> Collection[str]:
        """Names of the arrays."""
        ...

    def read(self, name: str) -> Array:
        """A new array with the values."""
        ...

    def shape(self, name: str) -> tuple[int, ...]:
        """Shape of an array, without its values."""
        ...

    def at_frames(self, frames: slice) -> Source:
        """The same arrays over some of the frames."""
        ...


class Deferred:
    """Object whose arrays are attributes that may be elsewhere: read once, then kept.

    Copies and pickles hold all arrays.
    """

    @classmethod
    def deferred(cls, source: Source, **known: Any) -> Self:
        """Object of which the attributes `known` are here, and all others in a source."""
        one = object.__new__(cls)
        vars(one).update(known, _source=source)
        return one

    @property
    def source(self) -> Source | None:
        """Where the arrays are; None if all are in memory."""
        return vars(self).get("_source")

    def shape_of(self, name: str) -> tuple[int, ...]:
        """Shape of an array, which is not read for it."""
        if self.source is None or name in vars(self):
            return np.shape(getattr(self, name))
        return self.source.shape(name)

    def __getattr__(self, name: str) -> Any:
        source = vars(self).get("_source")
        if source is None or name not in source.names:
            raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")
        vars(self)[name] = values = source.read(name)
        return values

    def __dir__(self) -> list[str]:
        source = self.source
        return [*super().__dir__(), *(source.names if source is not None else ())]

    def __getstate__(self) -> dict[str, Any]:
        state = dict(vars(self))
        source = state.pop("_source", None)
        return (
            state
            if source is None
            else state | {name: getattr(self, name) for name in source.names}
        )


class DeferredArrays(Summarized, Mapping[str, Array]):
    """Arrays by name of a source, read once and then kept; copies and pickles hold them all.

    Attributes
    ----------
    kind : pair of str
        Words for one array, and for several.
    units : dict of str
        Units by name.
    """

    kind: tuple[str, str] = ("item", "items")
    units: Mapping[str, str] = MappingProxyType({})

    def __init__(self, source: Source) -> None:
        self.source = source
        self._kept: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        if name not in self._kept:
            if name not in self.source.names:
                raise KeyError(_check.missing(self.kind[0], name, list(self), "this result has"))
            self._kept[name] = self.source.read(name)
        return self._kept[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.source.names)

    def __len__(self) -> int:
        return len(self.source.names)

    def __contains__(self, name: object) -> bool:
        return name in self.source.names

    def __or__(self, other: Mapping[str, Array]) -> dict[str, Array]:
        return {**self, **other}

    def __ror__(self, other: Mapping[str, Array]) -> dict[str, Array]:
        return {**other, **self}

    def __reduce__(self) -> Any:
        return _in_memory, (dict(self), self.kind, dict(self.units))

    def _summary(self) -> Summary:
        rows = [("names", names(self))]
        if len(self) < LINES:
            rows = [(name, self._words(name)) for name in self]
        return Summary(count(len(self), *self.kind), rows)

    def _words(self, name: str) -> str:
        unit = self.units.get(name, "")
        if name in self._kept:
            return span(self._kept[name], unit)
        shape = " x ".join(map(str, self.source.shape(name)))
        return f"{shape}{f' [{unit}]' if unit else ''}, not read yet"


def _in_memory(arrays: dict[str, Array], kind: tuple[str, str], units: Mapping[str, str]) -> Any:
    from fibermsk.results.named import Named

    found: Any = Named(arrays)
    found.kind, found.units = kind, units
    return found


def at_frames(arrays: Mapping[str, Array], frames: slice) -> Any:
    """Arrays by name over some frames: views, or read when they are asked for."""
    if isinstance(arrays, DeferredArrays):
        return DeferredArrays(arrays.source.at_frames(frames))
    return {name: one[frames] for name, one in arrays.items()}


def shape_in(arrays: Mapping[str, Array], name: str) -> tuple[int, ...]:
    """Shape of an array by name, which is not read for it."""
    if isinstance(arrays, DeferredArrays):
        return arrays.source.shape(name)
    return np.shape(arrays[name])

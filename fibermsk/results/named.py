"""Parts of a result by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar

from fibermsk import _check
from fibermsk._shown import LINES, Summarized, Summary, count, names, span
from fibermsk.results.deferred import DeferredArrays

T = TypeVar("T")

_KINDS = {
    "coordinates": ("coordinate", "coordinates"),
    "speeds": ("speed", "speeds"),
    "bodies": ("body", "bodies"),
    "fibers": ("fiber", "fibers"),
    "states": ("owner of states", "owners of states"),
    "elements": ("element", "elements"),
    "muscles": ("muscle", "muscles"),
    "tables": ("table", "tables"),
}
"""Fields of a result that are looked up by name: words for one item, and for several."""


class Named(Summarized, dict[str, T]):
    """Dictionary of parts of a result whose KeyError names those that exist.

    Attributes
    ----------
    kind : pair of str
        Words for one item, and for several.
    units : dict of str
        Units of items that are arrays, by name.
    """

    kind: tuple[str, str] = ("item", "items")
    units: Mapping[str, str] = MappingProxyType({})

    @classmethod
    def of(cls, field: str, items: Mapping[str, T], units: Mapping[str, str]) -> Named[T]:
        """Those of a field of a result."""
        found = cls(items)
        found.kind, found.units = _KINDS[field], units
        return found

    def __missing__(self, name: Any) -> NoReturn:
        raise KeyError(_check.missing(self.kind[0], name, list(self), "this result has"))

    def _summary(self) -> Summary:
        rows = [("names", names(self))]
        if len(self) < LINES:
            rows = [(str(key), _words(part, self.units.get(key, ""))) for key, part in self.items()]
        return Summary(count(len(self), *self.kind), rows)


def _words(part: Any, unit: str) -> str:
    if isinstance(part, Summarized):
        return part._summary().title
    return span(part, unit) if hasattr(part, "dtype") else type(part).__name__


def name_parts(result: Any) -> None:
    """Make the dictionaries of a result under construction `Named` ones."""
    for field in _KINDS:
        value, units = getattr(result, field), {}
        if field in ("coordinates", "speeds"):
            per = "/s" if field == "speeds" else ""
            units = {name: f"{result.unit_of(name)}{per}" for name in value}
        if isinstance(value, DeferredArrays):
            value.kind, value.units = _KINDS[field], units
        elif type(value) is dict:
            _check.store(result, **{field: Named.of(field, value, units)})

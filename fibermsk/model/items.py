"""Items of a model in the order they were added, by number or by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, SupportsIndex, TypeVar, overload

from fibermsk import _check
from fibermsk._shown import LINES, Summary, count, describe, names

T = TypeVar("T")

KINDS = "bodies", "joints", "couplings", "fibers", "muscles", "contacts", "elements", "markers"
"""Lists of items of a model, those to which others refer first."""

_KINDS = {
    "body": "bodies",
    "joint": "joints",
    "coordinate": "coordinates",
    "coupling": "couplings",
    "fiber": "fibers",
    "muscle": "line muscles",
    "element": "elements",
    "contact": "contacts",
    "marker": "markers",
}


class Items(tuple[T, ...]):
    """Items of one kind: a tuple that also finds them by name.

    A KeyError names those that exist. ``name in items`` tells whether there is one of this name.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.make_scene("upper_limb").model
    >>> model.fibers["biceps_1"] is model.fibers[0], "biceps_9" in model.fibers
    (True, False)
    """

    kind: str

    def __new__(cls, items: Iterable[T] = (), kind: str = "item") -> Items[T]:
        """Those of a kind, a word for one of them."""
        found = super().__new__(cls, items)
        found.kind = kind
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the items, in their order."""
        return tuple(str(getattr(item, "name", "")) for item in self)

    @overload
    def __getitem__(self, key: SupportsIndex | str, /) -> T: ...

    @overload
    def __getitem__(self, key: slice, /) -> tuple[T, ...]: ...

    def __getitem__(self, key: Any, /) -> Any:
        """The item of a name or a number, or several as a plain tuple."""
        if not isinstance(key, str):
            return super().__getitem__(key)
        for item in self:
            if key and getattr(item, "name", None) == key:
                return item
        raise KeyError(_check.missing(self.kind, key, self.names, "the model has"))

    def __contains__(self, key: object, /) -> bool:
        """Whether an item, or one of this name, is among them."""
        return key in self.names if isinstance(key, str) else super().__contains__(key)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.names)

    def _summary(self) -> Summary:
        rows = [("names", names(self.names))]
        if len(self) < LINES:
            rows = [(name, describe(item)) for name, item in zip(self.names, self, strict=True)]
        return Summary(count(len(self), self.kind, _KINDS.get(self.kind, "")), rows)

    def __repr__(self) -> str:
        return self._summary().text()

    def _repr_html_(self) -> str:
        return self._summary().html()

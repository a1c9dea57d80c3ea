"""Short texts of objects, for a prompt and for a notebook."""

from __future__ import annotations

import dataclasses
import html
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from fibermsk._numbers import Number, declared

WIDTH = 80
"""Letters in a line."""

LINES = 10
"""Lines of a table in a prompt."""

_MOST = 300
"""Letters of the text of an item; the last fields are left out beyond."""

_NESTED = 60
"""Letters of the text of a part inside of that of its owner."""

_FEW = 9
"""Numbers of an array that are listed."""

_ITEMS = 3
"""Items of a sequence that are listed."""

_TIED = "\N{NO-BREAK SPACE}"
"""Space at which no line ends: between numbers, and before units."""

_LARGE = 5_000_000
"""Numbers of an array beyond which its range is not looked for."""


class Summary(NamedTuple):
    """Title and rows of an object: a name and a text each."""

    title: str
    rows: Sequence[tuple[str, str]] = ()

    def text(self) -> str:
        """Lines for a prompt, at most `LINES` of at most `WIDTH` letters."""
        rows = list(self.rows)
        most = LINES - 1
        if len(rows) > most:
            names = ", ".join(name for name, _ in rows[most - 1 :])
            rows = [*rows[: most - 1], (f"{len(rows) - most + 1} more", names)]
        column = max((len(name) for name, _ in rows), default=0)
        lines = [self.title, *(f"  {name:{column}}  {words}" for name, words in rows)]
        return "\n".join(_cut(line) for line in lines)

    def html(self) -> str:
        """Table for a notebook, with no resource from elsewhere."""
        rows = "".join(
            f'<tr><th style="text-align: left; font-weight: normal; opacity: 0.7">'
            f'{html.escape(name)}</th><td style="text-align: left">{html.escape(words)}</td></tr>'
            for name, words in self.rows
        )
        title = f'<caption style="text-align: left; font-weight: bold">{html.escape(self.title)}'
        return f"<table>{title}</caption><tbody>{rows}</tbody></table>"


class Summarized:
    """Base of what is shown by a `Summary`."""

    def _summary(self) -> Summary:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self._summary().text()

    def _repr_html_(self) -> str:
        return self._summary().html()


class Described:
    """Base of dataclasses shown by their fields other than the default, with units.

    Parts are shown by their names. Such a class is declared with ``repr=False``.
    """

    def __repr__(self) -> str:
        words = re.sub(r"(?<!,) |(?<=,) (?=[-\d])", _TIED, describe(self))
        lines = textwrap.wrap(
            words, WIDTH, subsequent_indent=4 * " ", break_long_words=False, break_on_hyphens=False
        )
        return "\n".join(lines).replace(_TIED, " ")

    def _repr_html_(self) -> str:
        name = getattr(self, "name", None)
        title = type(self).__name__ + (f" {name!r}" if isinstance(name, str) and name else "")
        return Summary(title, list(_fields(self))).html()


def describe(item: Any) -> str:
    """Class, name and fields of a dataclass, in one line."""
    text, end = f"{type(item).__name__}(", ")"
    name = getattr(item, "name", None)
    parts = [repr(name)] if isinstance(name, str) and name else []
    parts += [f"{field}={words}" for field, words in _fields(item)]
    found = text + ", ".join(parts) + end
    while len(found) > _MOST and len(parts) > 1:
        parts.pop()
        found = text + ", ".join([*parts, "..."]) + end
    return found


def _fields(item: Any) -> Iterable[tuple[str, str]]:
    """Fields other than the name and than the default, with units."""
    for field in dataclasses.fields(item):
        value = getattr(item, field.name)
        if field.name == "name" or not field.repr or _is_default(value, field):
            continue
        what = declared(field)
        unit = what.unit_of(item) if isinstance(what, Number) and not callable(value) else ""
        yield field.name, shown(value) + (f" {unit}" if unit and value is not None else "")


def _is_default(value: Any, field: dataclasses.Field[Any]) -> bool:
    default = field.default
    if default is dataclasses.MISSING:
        made = field.default_factory
        if made is dataclasses.MISSING:
            return False
        default = made()
    value = _plain(value)
    if value is default:
        return True
    try:
        return bool(np.array_equal(value, default)) if np.shape(value) else bool(value == default)
    except Exception:  # an object that cannot be compared
        return False


def _plain(value: Any) -> Any:
    """A constant as its number."""
    return value.value if type(value).__name__ == "Constant" and hasattr(value, "value") else value


def shown(value: Any) -> str:
    """Short text of the value of a field."""
    value = _plain(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, np.ndarray):
        return array(value)
    if isinstance(value, Mapping):
        return f"{{{names(map(str, value), _NESTED)}}}"
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        words = [shown(one) for one in value[:_ITEMS]]
        words += [f"{len(value) - _ITEMS} more"] if len(value) > _ITEMS else []
        return f"({', '.join(words)}{',' if len(value) == 1 else ''})"
    kind = type(value).__name__
    of_package = dataclasses.is_dataclass(value) or isinstance(value, Summarized)
    if of_package and isinstance(name := getattr(value, "name", None), str) and name:
        return f"{kind}({name!r})"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        units = any(declared(field) for field in dataclasses.fields(value))
        text = describe(value) if units and not isinstance(value, Described) else repr(value)
        return text if len(text) <= _NESTED and "\n" not in text else f"{kind}(...)"
    if callable(value) and hasattr(value, "__name__"):
        return f"function {value.__name__}"
    return textwrap.shorten(repr(value), _NESTED, placeholder="...")


def array(values: np.ndarray) -> str:
    """Numbers of an array, or its shape if they are many."""
    if values.size > _FEW or values.dtype.kind not in "biuf":
        return f"array of shape {values.shape}"
    if values.ndim == 0:
        return shown(values[()])
    if values.ndim == 2 and values.shape[0] == values.shape[1] and _is_diagonal(values):
        return f"diagonal {array(np.diag(values))}"
    return f"({', '.join(array(np.asarray(one)) for one in values)})"


def _is_diagonal(values: np.ndarray) -> bool:
    return len(values) > 1 and not np.any(values - np.diag(np.diag(values)))


def span(values: np.ndarray, unit: str = "") -> str:
    """Range of numbers with their unit; the shape of an array that is too large."""
    unit = f" {unit}" if unit not in ("", "1") else ""
    if values.dtype.kind not in "biuf" or not 0 < values.size <= _LARGE:
        return f"array of shape {values.shape}"
    known = values[np.isfinite(values)]
    if not known.size:
        return "not known"
    low, high = f"{known.min():.4g}", f"{known.max():.4g}"
    return f"{low}{unit}" if low == high else f"{low} to {high}{unit}"


def names(known: Iterable[str], width: int = WIDTH - 20) -> str:
    """As many names as fit, and the number of the others."""
    known = list(known)
    found, letters = 0, 0
    for name in known:  # no more than could fit at all
        letters += len(name) + 2
        if found and letters - 2 > width:
            break
        found += 1
    for most in range(found, 0, -1):
        more = f" and {len(known) - most} more" if most < len(known) else ""
        words = ", ".join(known[:most]) + more
        if len(words) <= width or most == 1:
            return words
    return "none"


def count(number: int, one: str, many: str = "") -> str:
    """A number and its noun: ``1 body``, ``2 bodies``."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def counts(*found: tuple[int, str, str]) -> str:
    """Numbers and nouns of what there is: ``4 bodies, 5 fibers``."""
    return ", ".join(count(*one) for one in found if one[0]) or "nothing"


def _cut(line: str) -> str:
    line = " ".join(line.splitlines())
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 3].rstrip(' ,')}..."

"""Polygons of PLY files, text or binary, with exactly the declared data."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fibermsk.read.polygons import Polygons

_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2",
    "ushort": "u2", "uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4",
    "float": "f4", "float32": "f4", "double": "f8", "float64": "f8",
}  # fmt: skip
_ORDERS = {"ascii": "=", "binary_little_endian": "<", "binary_big_endian": ">"}
_CORNERS = ("vertex_indices", "vertex_index")
_MAX_HEADER = 65536
"""Largest size of a header in bytes."""


class _Property(NamedTuple):
    """A number, or a list of numbers preceded by its length."""

    name: str
    type: np.dtype
    length: np.dtype | None


class _Element(NamedTuple):
    name: str
    number: int
    properties: list[_Property]


def read_ply(file: Path) -> Polygons:
    """Polygons of a PLY file; a ValueError gives the reason if it does not match its header."""
    data = file.read_bytes()
    form, elements, start = _header(data)
    read = _Text(data[start:]) if form == "ascii" else _Binary(data[start:])
    columns = {element.name: read.rows(element) for element in elements}
    read.end()
    vertices = columns.get("vertex", {})
    if not {"x", "y", "z"} <= vertices.keys():
        raise ValueError("it has no vertices with x, y and z")
    found = next(
        (columns["face"][name] for name in _CORNERS if name in columns.get("face", {})), None
    )
    if found is None:
        found = np.empty(0, np.int64), np.empty(0, np.int64)
    if isinstance(found, np.ndarray) or any(isinstance(vertices[k], tuple) for k in "xyz"):
        raise ValueError("its coordinates or faces have an unknown type")
    corners, sizes = (values.astype(np.int64) for values in found)
    place = np.stack([np.asarray(vertices[k], float) for k in "xyz"], axis=1)
    return Polygons(place, corners, sizes, read.doubt)


def _header(data: bytes) -> tuple[str, list[_Element], int]:
    """Format, elements, and start of the data."""
    form, elements = "", []
    at = 0
    while True:
        end = data.find(b"\n", at, _MAX_HEADER)
        if end < 0:
            raise ValueError("its header does not end")
        words = data[at:end].decode("latin-1").split()
        line, at = at, end + 1
        if line == 0:
            if words != ["ply"]:
                raise ValueError("it does not begin with 'ply'")
        elif not words or words[0] in ("comment", "obj_info"):
            continue
        elif words == ["end_header"]:
            break
        elif words[0] == "format" and len(words) == 3 and words[1] in _ORDERS and not form:
            form = words[1]
        elif words[0] == "element" and len(words) == 3 and words[2].isascii() and form:
            if not words[2].isdigit() or any(words[1] == element.name for element in elements):
                raise ValueError(f"its header has {' '.join(words)!r}")
            elements.append(_Element(words[1], int(words[2]), []))
        elif words[0] == "property" and elements:
            elements[-1].properties.append(_property(words, _ORDERS[form]))
        else:
            raise ValueError(f"its header has {' '.join(words)!r}")
    return form, elements, at


def _property(words: list[str], order: str) -> _Property:
    *types, name = words[1:] or [""]
    listed = types[:1] == ["list"]
    types = [_TYPES.get(word, "") for word in types[listed:]]
    if len(types) != 1 + listed or "" in types:
        raise ValueError(f"its header has {' '.join(words)!r}")
    kinds = [np.dtype(f"{order}{kind}") for kind in types]
    if listed and kinds[0].kind == "f":
        raise ValueError(f"its header has {' '.join(words)!r}")
    return _Property(name, kinds[-1], kinds[0] if listed else None)


def _missing(element: _Element, there: int) -> ValueError:
    return ValueError(f"it declares {element.number} of {element.name!r}, found {there}")


Column = NDArray[np.generic] | tuple[NDArray[np.generic], NDArray[np.int64]]
"""Numbers, or all numbers of lists and the length of each."""


def _column(one: _Property, values: NDArray[np.generic], lengths: ArrayLike) -> Column:
    """Values of a property, with the lengths of its lists if they are such."""
    return values if one.length is None else (values, np.asarray(lengths, np.int64))


class _Text:
    """Text elements, one per line."""

    def __init__(self, data: bytes) -> None:
        self.lines = [words for words in map(bytes.split, data.splitlines()) if words]
        self.at = 0
        whole = data[-1:] in (b"\n", b"\r", b"")
        self.doubt = "" if whole else "its last line has no line end"

    def rows(self, element: _Element) -> dict[str, Column]:
        lines = self.lines[self.at : self.at + element.number]
        if len(lines) < element.number:
            raise _missing(element, len(lines))
        self.at += element.number
        columns: dict[str, list[float]] = {one.name: [] for one in element.properties}
        lengths: dict[str, list[int]] = {one.name: [] for one in element.properties}
        for i, words in enumerate(lines):
            k = 0
            for one in element.properties:
                length = 1
                if one.length is not None:
                    length, k = int(words[k]) if k < len(words) else -1, k + 1
                    lengths[one.name].append(length)
                part = words[k : k + length] if length >= 0 else []
                if len(part) != length:
                    raise ValueError(f"{element.name!r} {i + 1} has too few numbers")
                columns[one.name].extend(map(float, part))
                k += length
            if k != len(words):
                raise ValueError(f"{element.name!r} {i + 1} has too many numbers")
        found: dict[str, Column] = {}
        for one in element.properties:
            values = np.array(columns[one.name], float)
            if one.type.kind != "f" and not (values == np.floor(values)).all():
                raise ValueError(f"{one.name!r} of {element.name!r} must have integers")
            found[one.name] = _column(one, values, lengths[one.name])
        return found

    def end(self) -> None:
        """Refuse data after the last element."""
        if self.at < len(self.lines):
            raise ValueError(f"{len(self.lines) - self.at} lines after the last declared element")


class _Binary:
    """Binary elements."""

    doubt = ""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def rows(self, element: _Element) -> dict[str, Column]:
        if not element.properties or element.number == 0:
            return {one.name: _column(one, np.empty(0, one.type), []) for one in element.properties}
        alike = self._alike(element)
        return self._one_by_one(element) if alike is None else alike

    def _alike(self, element: _Element) -> dict[str, Column] | None:
        """All elements at once, if all lists have the lengths of the first element."""
        start, fields, lengths = self.at, [], {}
        for number, one in enumerate(element.properties):
            if one.length is not None:
                lengths[number] = self._length(one, element, 0)
                fields.append((f"n{number}", one.length))
            size = lengths.get(number, 1)
            fields.append((f"v{number}", one.type, (size,)))
            self.at += size * one.type.itemsize
        row, self.at = np.dtype(fields), start
        if element.number * row.itemsize > len(self.data) - start:
            if lengths:
                return None
            raise _missing(element, (len(self.data) - start) // row.itemsize)
        rows = np.frombuffer(self.data, row, element.number, start)
        if any((rows[f"n{number}"] != length).any() for number, length in lengths.items()):
            return None
        self.at += rows.nbytes
        return {
            one.name: _column(
                one, rows[f"v{number}"].reshape(-1), np.full(element.number, lengths.get(number, 1))
            )
            for number, one in enumerate(element.properties)
        }

    def _length(self, one: _Property, element: _Element, number: int) -> int:
        """Length of the list at this position, in the element of this index."""
        length = -1
        if one.length is not None and self.at + one.length.itemsize <= len(self.data):
            length = int(np.frombuffer(self.data, one.length, 1, self.at)[0])
            self.at += one.length.itemsize
        if not 0 <= length * one.type.itemsize <= len(self.data) - self.at:
            raise _missing(element, number)
        return length

    def _one_by_one(self, element: _Element) -> dict[str, Column]:
        """Elements whose lists differ in length."""
        values: dict[str, list[NDArray[np.generic]]] = {o.name: [] for o in element.properties}
        for number in range(element.number):
            for one in element.properties:
                size = 1 if one.length is None else self._length(one, element, number)
                if self.at + size * one.type.itemsize > len(self.data):
                    raise _missing(element, number)
                values[one.name].append(np.frombuffer(self.data, one.type, size, self.at))
                self.at += size * one.type.itemsize
        return {
            one.name: _column(
                one, np.concatenate(values[one.name]), [part.size for part in values[one.name]]
            )
            for one in element.properties
        }

    def end(self) -> None:
        """Refuse data after the last element."""
        if self.at < len(self.data):
            raise ValueError(f"{len(self.data) - self.at} bytes after the last declared element")

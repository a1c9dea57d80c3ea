"""Checks of the declared and stored sizes of an HDF5 file, before its numbers are read.

A result of thousands of fibers has ten thousands of datasets. Each is opened once, by the low-level
interface of h5py, and what was found is kept, with the numbers if all are wanted. Few objects are
open at a time: to open an attribute, the HDF5 library looks through all of them.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from typing import Any, NamedTuple

import h5py
import numpy as np

from fibermsk.errors import ModelError

_low: Any = h5py
h5a, h5d, h5g, h5l = _low.h5a, _low.h5d, _low.h5g, _low.h5l
h5o, h5s, h5t, h5z = _low.h5o, _low.h5s, _low.h5t, _low.h5z

_DEFLATE, _SHUFFLE, _FLETCHER32 = h5z.FILTER_DEFLATE, h5z.FILTER_SHUFFLE, h5z.FILTER_FLETCHER32
_FILTERS = {_DEFLATE, _SHUFFLE, _FLETCHER32}
_PACKED = 1100
"""Largest compression factor of deflate."""
_MEMORY_UNKNOWN = 2**36
_UNITS = b"units"
_NUMBER = np.dtype(np.float64)
_DOUBLE = h5t.py_create(_NUMBER)
_TEXT = h5t.py_create(h5py.string_dtype(), logical=True)
_TEXT_SIZE = _TEXT.dtype.itemsize


class Entry(NamedTuple):
    """A dataset: shape, type, and the attribute ``units``, None if that is not one text.

    Its values are None if they are texts, or not read.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    units: str | None
    values: np.ndarray | None


class Contents(NamedTuple):
    """Datasets of a file by path, and names of the members of each group in their order."""

    datasets: dict[str, Entry]
    members: dict[str, list[str]]


def check_extent(file: h5py.File, size: int, *, in_memory: bool = True) -> Contents:
    """Refuse a file of `size` bytes that refers to other files, or declares more than it stores.

    Datasets that are not stored in full, which HDF5 pads with fill values, are refused as well, and
    those that together exceed the memory of the machine, if they are read into it. The message
    names the path in the file. Returns what the file contains, with all numbers if `in_memory`.
    """
    declared = stored = 0
    most = machine_memory() or _MEMORY_UNKNOWN
    found = Contents({}, {})
    for name, item in _objects(file, found.members):
        units = _check_attributes(name, item, size)
        if not isinstance(item, h5d.DatasetID):
            continue
        shape, kind, here, there = _check_dataset(name, item, size)
        declared, stored, values = declared + here, stored + there, None
        if stored > size:
            raise ModelError(
                f"its datasets take {stored} bytes; must be no more than the file, {size}"
            )
        if in_memory and declared > most:
            raise ModelError(
                f"its datasets declare {declared} bytes; must be no more than the memory of this "
                f"machine, {most}"
            )
        if in_memory and kind.kind in "bfiu":
            values = np.empty(shape, kind)
            if values.size:
                item.read(h5s.ALL, h5s.ALL, values)
        found.datasets[name] = Entry(shape, kind, units, values)
    return found


def _objects(file: h5py.File, members: dict[str, list[str]]) -> Iterator[tuple[str, Any]]:
    """Path and identifier of everything in a file, groups before their members."""
    root = h5o.open(file.id, b"/")
    seen = {h5o.get_info(root).addr}
    yield "/", root
    waiting = [""]
    while waiting:
        path = waiting.pop()
        group = h5o.open(root, path.encode("utf8", "surrogateescape")) if path else root
        names = members[path or "/"] = []
        for key in group:
            name = _text(key)
            names.append(name)
            where = f"{path}/{name}"
            link = group.links.get_info(key)
            if link.type != h5l.TYPE_HARD:
                what = "another file" if link.type == h5l.TYPE_EXTERNAL else "another place"
                raise ModelError(f"{where} is a link to {what}; must be in the file itself")
            if link.u in seen:  # the address of what it leads to
                raise ModelError(f"{where} refers to an object with two paths; must have one")
            seen.add(link.u)
            item = h5o.open(group, key)
            if isinstance(item, h5g.GroupID):
                waiting.append(where)
            elif not isinstance(item, h5d.DatasetID):
                raise ModelError(f"{where} is a data type; must be a group or a dataset")
            yield where, item


def _text(data: bytes) -> str:
    """Name or text as h5py gives it."""
    return data.decode("utf8", "surrogateescape")


def _check_attributes(name: str, item: Any, size: int) -> str | None:
    """Check the sizes of all attributes; the one named ``units``, if it is one text."""
    units = None
    for k in range(h5a.get_num_attrs(item)):
        attribute = h5a.open(item, index=k)
        shape = attribute.shape
        is_text = attribute.get_type().equal(_TEXT)
        n = math.prod(shape) * (_TEXT_SIZE if is_text else attribute.dtype.itemsize)
        if n > size:
            key = _text(attribute.name)
            raise ModelError(f"{name}: attribute {key!r} declares {n} bytes, the file has {size}")
        if is_text and shape == () and attribute.name == _UNITS:
            value: Any = np.empty((), _TEXT.dtype)
            attribute.read(value)
            units = _text(value[()]) if isinstance(value[()], bytes) else value[()]
    return units if isinstance(units, str) else None


def _check_dataset(
    name: str, item: Any, size: int
) -> tuple[tuple[int, ...], np.dtype[Any], int, int]:
    """Shape, type, and bytes that a dataset declares and stores in the file of `size` bytes."""
    settings, space = item.get_create_plist(), item.get_space()
    layout = settings.get_layout()
    if layout == h5d.VIRTUAL or settings.get_external_count():
        raise ModelError(f"{name} keeps its data in other files; must be in the file itself")
    kind = _NUMBER if item.get_type().equal(_DOUBLE) else item.dtype
    if space.get_simple_extent_type() == h5s.NULL or kind.kind not in "bfiuSO":
        raise ModelError(f"{name} is of the type {kind}; must be numbers or texts")
    shape = space.get_simple_extent_dims()
    if space.get_simple_extent_dims(True) != shape:
        raise ModelError(f"{name} is resizable; must have a fixed shape")
    filters = {settings.get_filter(k)[0] for k in range(settings.get_nfilters())}
    if filters - _FILTERS:
        raise ModelError(f"{name} has the filters {sorted(filters - _FILTERS)}; must be gzip")
    declared = math.prod(shape) * kind.itemsize
    shortened = _PACKED if _DEFLATE in filters else 1
    chunks = 0
    if layout == h5d.CHUNKED:
        chunks = math.prod(-(-n // c) for n, c in zip(shape, settings.get_chunk(), strict=True))
    # before the library iterates over all chunks
    if declared > size * shortened or chunks > size:
        raise ModelError(f"{name} declares {declared} bytes, {shape}; the file has {size}")
    stored = item.get_storage_size()
    if declared > stored * shortened:
        raise ModelError(f"{name} declares {declared} bytes, {shape}; {stored} are stored")
    if chunks and (found := item.get_num_chunks()) != chunks:
        raise ModelError(f"{name} has {found} of {chunks} chunks; must have all")
    return shape, kind, declared, stored


def machine_memory() -> int | None:
    """Physical memory in bytes; None if unknown, as on Windows."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None

"""Checks of the declared and stored sizes of an HDF5 file, before anything is read."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from typing import Any

import h5py
from h5py import h5o, h5z  # pyright: ignore[reportAttributeAccessIssue]

from fibermsk.errors import ModelError

_DEFLATE, _SHUFFLE, _FLETCHER32 = h5z.FILTER_DEFLATE, h5z.FILTER_SHUFFLE, h5z.FILTER_FLETCHER32
_FILTERS = {_DEFLATE, _SHUFFLE, _FLETCHER32}
_PACKED = 1100
"""Largest compression factor of deflate."""
_MEMORY_UNKNOWN = 2**36


def check_extent(file: h5py.File, size: int, *, in_memory: bool = True) -> None:
    """Refuse a file of `size` bytes that refers to other files, or declares more than it stores.

    Datasets that are not stored in full, which HDF5 pads with fill values, are refused as well, and
    those that are read into memory and exceed that of the machine. The message names the path in
    the file.
    """
    declared = stored = 0
    for name, item in _objects(file):
        for key in item.attrs:
            attribute = item.attrs.get_id(key)
            n = math.prod(attribute.shape) * attribute.dtype.itemsize
            if n > size:
                raise ModelError(
                    f"{name}: attribute {key!r} declares {n} bytes, the file has {size}"
                )
        if isinstance(item, h5py.Dataset):
            here, there = _check_dataset(name, item, size)
            declared, stored = declared + here, stored + there
    if stored > size:
        raise ModelError(f"its datasets take {stored} bytes; must be no more than the file, {size}")
    if in_memory and declared > (most := machine_memory() or _MEMORY_UNKNOWN):
        raise ModelError(
            f"its datasets declare {declared} bytes; must be no more than the memory of this "
            f"machine, {most}"
        )


def _objects(file: h5py.File) -> Iterator[tuple[str, Any]]:
    """Path and object of everything in a file, groups before their members."""
    seen = {_address(file)}
    yield "/", file
    waiting: list[tuple[str, h5py.Group]] = [("", file)]
    while waiting:
        path, group = waiting.pop()
        for name in group:
            where = f"{path}/{name}"
            link = group.get(name, getlink=True)
            if not isinstance(link, h5py.HardLink):
                what = "another file" if isinstance(link, h5py.ExternalLink) else "another place"
                raise ModelError(f"{where} is a link to {what}; must be in the file itself")
            item = group[name]
            if _address(item) in seen:
                raise ModelError(f"{where} refers to an object with two paths; must have one")
            seen.add(_address(item))
            if isinstance(item, h5py.Group):
                waiting.append((where, item))
            elif not isinstance(item, h5py.Dataset):
                raise ModelError(f"{where} is a data type; must be a group or a dataset")
            yield where, item


def _address(item: Any) -> int:
    return h5o.get_info(item.id).addr


def _check_dataset(name: str, item: h5py.Dataset, size: int) -> tuple[int, int]:
    """Bytes declared by a dataset and stored in the file of `size` bytes."""
    if item.is_virtual or item.external:
        raise ModelError(f"{name} keeps its data in other files; must be in the file itself")
    if item.shape is None or item.dtype.kind not in "bfiuSO":
        raise ModelError(f"{name} is of the type {item.dtype}; must be numbers or texts")
    if item.maxshape != item.shape:
        raise ModelError(f"{name} is resizable; must have a fixed shape")
    settings = item.id.get_create_plist()
    filters = {settings.get_filter(k)[0] for k in range(settings.get_nfilters())}
    if filters - _FILTERS:
        raise ModelError(f"{name} has the filters {sorted(filters - _FILTERS)}; must be gzip")
    declared = math.prod(item.shape) * item.dtype.itemsize
    shortened = _PACKED if _DEFLATE in filters else 1
    chunks = 0
    if item.chunks is not None:
        chunks = math.prod(-(-n // c) for n, c in zip(item.shape, item.chunks, strict=True))
    # before the library iterates over all chunks
    if declared > size * shortened or chunks > size:
        raise ModelError(f"{name} declares {declared} bytes, {item.shape}; the file has {size}")
    stored = item.id.get_storage_size()
    if declared > stored * shortened:
        raise ModelError(f"{name} declares {declared} bytes, {item.shape}; {stored} are stored")
    if chunks and (found := item.id.get_num_chunks()) != chunks:
        raise ModelError(f"{name} has {found} of {chunks} chunks; must have all")
    return declared, stored


def machine_memory() -> int | None:
    """Physical memory in bytes; None if unknown, as on Windows."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None

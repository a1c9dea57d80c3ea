"""Datasets with checksums and units, written by the low-level interface of h5py.

A result of thousands of fibers has ten thousands of them, and the high-level interface takes twice
the time for each.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import h5py
import numpy as np

_low: Any = h5py
h5a, h5d, h5p, h5s, h5t = _low.h5a, _low.h5d, _low.h5p, _low.h5s, _low.h5t

_TEXT = h5t.py_create(h5py.string_dtype(), logical=True)
_ONE = h5s.create(h5s.SCALAR)


def put_numbers(
    group: Any, name: str, values: np.ndarray, units: str, chunk: tuple[int, ...]
) -> Any:
    """Create a dataset of numbers (not empty) in a group; return its identifier.

    chunk: shape of the parts that have a checksum each.
    """
    item = h5d.create(
        group.id, name.encode(), _kind(values.dtype), _space(values.shape), _layout(chunk)
    )
    item.write(h5s.ALL, h5s.ALL, np.ascontiguousarray(values))
    h5a.create(item, b"units", _TEXT, _ONE).write(_text(units))
    return item


@lru_cache(maxsize=16)
def _text(units: str) -> np.ndarray:
    return np.array(units, _TEXT.dtype)


@lru_cache(maxsize=16)
def _kind(dtype: np.dtype[Any]) -> Any:
    return h5t.py_create(dtype, logical=True)


@lru_cache(maxsize=64)
def _space(shape: tuple[int, ...]) -> Any:
    return h5s.create_simple(shape)


@lru_cache(maxsize=64)
def _layout(chunk: tuple[int, ...]) -> Any:
    """Settings as of `h5py.Group.create_dataset`: checksums, and no times of changes."""
    settings = h5p.create(h5p.DATASET_CREATE)
    settings.set_chunk(chunk)
    settings.set_fletcher32()
    settings.set_obj_track_times(False)
    return settings

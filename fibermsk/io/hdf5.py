"""Results as HDF5 files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.files import path_of
from fibermsk.io.contents import RANGES, VALUES, Node
from fibermsk.io.layout import check_result
from fibermsk.io.reading import read_result
from fibermsk.io.sealed import RESULT, open_sealed, read_sealed, telling, write_sealed
from fibermsk.io.stored import Stored
from fibermsk.io.writing import write_result
from fibermsk.results.deferred import DeferredArrays
from fibermsk.results.result import Result

_PART = 2**24
"""Approximate size of a part of a result that is copied from a file [bytes]."""


def save(result: Result, path: str | os.PathLike[str]) -> Path:
    """Write a result, complete or not, replacing an old file atomically; return its path.

    Parameters
    ----------
    result : Result
        Result of a complete, failed or interrupted run.
    path : path
        Path of the file; its folder is created, an existing file is replaced.

    Raises
    ------
    ModelError
        If it is not a result, or arrays are inconsistent; the message names the first such array.
    WriteError
        If the file cannot be written, such as on a full disk. The result is then written to another
        writable folder, if there is one, named in the message; it can also be saved again.
    """
    _check.instance("save", "result", result, Result, "a Result")
    try:
        check_result(result)
    except ModelError as error:
        raise ModelError(f"cannot write {path}: {error}") from None
    return write_sealed(path, RESULT, lambda file: _write(file, result))


def load(path: str | os.PathLike[str], *, unsealed: bool = False, lazy: bool = False) -> Result:
    """Read a result file and verify its contents.

    Parameters
    ----------
    path : path
        A file written by :func:`save`.
    unsealed : bool, optional
        Read a file without a valid seal, with a warning: from an earlier version, or written or
        changed by another program. All other checks remain, but the HDF5 library may crash on a
        damaged file.
    lazy : bool, optional
        Read each history when it is first asked for, and keep it then; ``result.at_frames`` reads
        the frames that are asked for, and keeps none of the result's. The seal is verified at once,
        which reads the file without keeping it. The file stays open as long as the result, or a
        part of it, is used: a run may replace it and a user remove it, the result is still that of
        the file that was opened. Copies and pickles hold all arrays.

    Raises
    ------
    ModelError
        If the file is missing, is not HDF5, is not bitwise the written file, or is not a fibermsk
        result; or if `lazy` is combined with `unsealed`.
    """
    if _check.flag("load", "lazy", lazy):
        if unsealed:
            remedy = "a file without a seal is checked as a whole"
            _check.refuse("load", "lazy", lazy, "be left out with unsealed=True", remedy=remedy)
        return _open(path)
    return read_sealed(path, RESULT, read_result, unsealed=unsealed)


def describe(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Contents of a result file without the numbers; raises as `load`.

    ``attributes`` (dict), and ``datasets``: dicts with ``path``, ``shape``, ``units``, ``min`` and
    ``max``; the last three may be None.
    """
    return _describe(path)


def _open(path: str | os.PathLike[str]) -> Result:
    """Result whose histories stay in the file until they are asked for."""
    file, contents, raw = open_sealed(path, RESULT)
    about = partial(telling, path_of(path), RESULT)
    stored = Stored(file, contents, raw, about)
    with about():
        return read_result(file, contents, stored)


def _write(file: h5py.File, result: Result) -> Iterator[None]:
    return write_result(file, _parts(result), result.time.size)


def _parts(result: Result) -> Iterator[Result]:
    """The result, or if it is in a file, parts of it that fit into memory."""
    n = result.time.size
    if not isinstance(result.coordinates, DeferredArrays):
        yield result
        return
    rows = max(1, _PART // max(_size_of(result) // max(n, 1), 1))
    for start in range(0, max(n, 1), rows):
        yield result.at_frames(slice(start, start + rows))


def _size_of(result: Result) -> int:
    """Approximate size of a result in a file [bytes]."""
    sources = [one.source for one in (*result.bodies.values(), *result.fibers.values())]
    sources += [one.source for one in result.muscles.values()]
    tables = result.coordinates, result.speeds
    sources += [one.source for one in tables if isinstance(one, DeferredArrays)]
    for own in (*result.states.values(), *result.elements.values(), *result.muscles.values()):
        sources += [own.arrays.source] if isinstance(own.arrays, DeferredArrays) else []
    return 8 * sum(
        int(np.prod(one.shape(name))) for one in sources if one is not None for name in one.names
    )


def _describe(path: str | os.PathLike[str]) -> dict[str, Any]:
    file, contents, raw = open_sealed(path, RESULT)
    about = partial(telling, path_of(path), RESULT)
    stored = Stored(file, contents, raw, about)
    with about():
        # a description reports the same errors as opening
        result = read_result(file, contents, stored)
        attributes: dict[str, Any] = {key: file.attrs[key] for key in file.attrs}
        # files of earlier versions have none
        ranges = json.loads(attributes.pop(RANGES, "{}"))
        attributes["up"] = list(result.up)
        for key in (*VALUES, "slack"):
            attributes[key] = json.loads(attributes[key])
        attributes["softening"] = [interval._asdict() for interval in result.softening]
        datasets: list[dict[str, Any]] = []

        def add(name: str, item: Node) -> None:
            if not isinstance(item, h5py.Dataset):
                return
            least, largest = _limits(item, ranges.get(item.name))
            datasets.append(
                {
                    "path": f"/{name}",
                    "shape": list(item.shape),
                    "units": item.attrs.get("units"),
                    "min": least,
                    "max": largest,
                }
            )

        file.visititems(add)
        return {"attributes": attributes, "datasets": datasets}


def _limits(item: Node, known: list[float] | None) -> tuple[float | None, float | None]:
    """Least and largest value as they were written, or from the values."""
    if item.dtype.kind not in "fiu" or not item.size:
        return None, None
    if known is not None:
        return known[0], known[1]
    values = item[()]
    return float(np.min(values)), float(np.max(values))

"""Arrays of result files, and those that stay in a file until they are asked for."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from typing import Any

import h5py
import numpy as np
from h5py import h5d  # pyright: ignore[reportAttributeAccessIssue]

from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.io.contents import KINDS, Node
from fibermsk.io.extent import Contents


class Stored:
    """An open file, closed when nothing refers to it any more.

    Parameters
    ----------
    file : h5py.File
        The file.
    contents : Contents
        What it contains.
    raw : file object
        What it reads from, closed after it.
    telling : callable
        Makes a context that names the file in errors.
    """

    def __init__(
        self,
        file: h5py.File,
        contents: Contents,
        raw: Any,
        telling: Callable[[], AbstractContextManager[object]],
    ) -> None:
        self.file, self.contents, self.telling = file, contents, telling
        weakref.finalize(self, _close, file, raw)


def _close(file: h5py.File, raw: Any) -> None:
    if file:
        file.close()
    raw.close()


class StoredArrays:
    """Arrays of one group of an open file, over some frames; see `results.deferred.Source`.

    Parameters
    ----------
    stored : Stored
        The file; closed when nothing refers to it.
    group : str
        Path of the group.
    about : dict of (str, str, bool, bool)
        Path in the group, unit, whether it is an integer and whether it varies over the frames, of
        each array by name.
    frames : range
        Frames of the file.
    """

    def __init__(
        self,
        stored: Stored,
        group: str,
        about: dict[str, tuple[str, str, bool, bool]],
        frames: range,
    ) -> None:
        self._stored, self._group = stored, group
        self._about, self._frames = about, frames

    @property
    def names(self) -> Collection[str]:
        """Names of the arrays."""
        return self._about.keys()

    def read(self, name: str) -> Array:
        """A new array with the values.

        Raises
        ------
        ModelError
            If the file cannot be read, or type or unit are others.
        """
        path, unit, whole, varies = self._about[name]
        with self._stored.telling():
            one = self._stored
            where, frames = f"{self._group}/{path}", self._frames if varies else None
            return read_array(one.file, one.contents, where, unit, whole, frames)

    def shape(self, name: str) -> tuple[int, ...]:
        """Shape of an array."""
        path, _, _, varies = self._about[name]
        with self._stored.telling():
            shape = self._stored.contents.datasets[f"{self._group}/{path}"].shape
            if not varies or not shape:
                return shape
            n = len(range(shape[0])[_slice(self._frames)])
            return n, *shape[1:]

    def at_frames(self, frames: slice) -> StoredArrays:
        """The same arrays over some of the frames."""
        return StoredArrays(self._stored, self._group, self._about, self._frames[frames])


def array_of(
    group: Node, name: str, units: str, whole: bool = False, frames: range | None = None
) -> np.ndarray:
    """Array of a dataset, over all frames or some; its type and units must be those written."""
    item, where = group[name], f"{group.name.rstrip('/')}/{name}"
    kind = KINDS[whole]
    if not isinstance(item, h5py.Dataset) or item.dtype != kind:
        found = getattr(item, "dtype", "a group")
        raise ModelError(f"{where} is of the type {found}; must be {kind}")
    if (found := text_of(item, "units")) != units:
        raise ModelError(f"{where} has the units {found!r}; must be {units!r}")
    return item[()] if frames is None else _at_frames(item, frames)


def _at_frames(item: h5py.Dataset, frames: range) -> np.ndarray:
    if frames == range(len(item)):
        return item[()]
    backward = frames.step < 0
    values: np.ndarray = item[_slice(frames[::-1] if backward else frames)]
    return values[::-1] if backward else values


def read_array(
    file: h5py.File,
    contents: Contents,
    where: str,
    units: str,
    whole: bool = False,
    frames: range | None = None,
) -> np.ndarray:
    """As `array_of`, of a dataset by its path, without opening what was looked at before."""
    entry = contents.datasets.get(where)
    if entry is None or entry.dtype != KINDS[whole] or entry.units != units:
        group, _, name = where.rpartition("/")
        return array_of(file[group or "/"], name, units, whole, frames)  # says what is wrong
    if entry.values is not None:
        return entry.values
    item = h5py.Dataset(h5d.open(file.id, where.encode("utf8", "surrogateescape")))
    return item[()] if frames is None else _at_frames(item, frames)


def _slice(frames: range) -> slice:
    """Frames, in increasing order, as a slice."""
    if not len(frames):
        return slice(0, 0)
    first, last = min(frames[0], frames[-1]), max(frames[0], frames[-1])
    return slice(first, last + 1, abs(frames.step))


def text_of(item: Node, name: str) -> str:
    """Text attribute."""
    value = item.attrs.get(name)
    if not isinstance(value, str):
        raise ModelError(f"{item.name} has {name} = {value!r}; must have a text")
    return value

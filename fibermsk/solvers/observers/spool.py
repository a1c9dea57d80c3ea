"""Frames of a run that wait in a temporary file, of which memory holds none."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fibermsk._warn import warn
from fibermsk.errors import ModelWarning
from fibermsk.protocol import Frames
from fibermsk.solvers.observers.frames import Frame, frame_of

if TYPE_CHECKING:
    from fibermsk.solvers.observers.observer import Accepted

_PART = 2**20
"""Approximate size of a part that is read at once [bytes]; its result is three times larger."""


class Spool:
    """Rows of numbers in a temporary file without a name, in a folder.

    The system removes the file with the process, however it ends. Where the disk is full, later
    rows are kept in memory, with a warning.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            self._file = os.dup(file.fileno())
        weakref.finalize(self, os.close, self._file)
        self._type: np.dtype[Any] | None = None
        self._full: int | None = None  # first row that the disk has refused
        self._tail: list[NDArray[Any]] = []  # it and those after it

    def put(self, at: int, frames: Iterable[Frame]) -> int:
        """Write rows at a place, and forget those after them; return the number of rows."""
        for frame in frames:
            if self._type is None:
                self._type = _type_of(frame)
            row = np.array(tuple(frame), self._type)
            if self._full is not None:
                del self._tail[max(at - self._full, 0) :]
            if self._full is None or at < self._full:
                self._write(at, row)
            else:
                self._tail.append(row)
            at += 1
        return at

    def rows(self, count: int) -> NDArray[Any]:
        """The first rows, which are read when they are used."""
        if self._type is None or count == 0:
            return np.empty(0, self._type)
        n = count if self._full is None else min(count, self._full)
        found: NDArray[Any] = np.empty(0, self._type)
        if n:
            with os.fdopen(os.dup(self._file), "rb") as file:
                found = np.memmap(file, self._type, "r", shape=(n,))
        if n < count:
            found = np.concatenate([found, np.stack(self._tail[: count - n])])
        return found

    @property
    def row_size(self) -> int:
        """Size of a row [bytes]."""
        return 1 if self._type is None else max(self._type.itemsize, 1)

    def part(self, start: int, end: int) -> NDArray[Any]:
        """Rows from one place to another; a new array, without a map of the file."""
        assert self._type is not None
        found = np.empty(end - start, self._type)
        n = end - start if self._full is None else min(max(self._full - start, 0), end - start)
        if n:
            with os.fdopen(os.dup(self._file), "rb", buffering=0) as file:
                file.seek(start * self._type.itemsize)
                view = found[:n].view(np.uint8).data
                while view:
                    view = view[file.readinto(view) :]
        for k in range(n, end - start):
            found[k] = self._tail[start + k - (self._full or 0)]
        return found

    def _write(self, at: int, row: NDArray[Any]) -> None:
        data = memoryview(row.tobytes())
        start = at * len(data)
        try:
            while data:
                os.lseek(self._file, start, os.SEEK_SET)
                n = os.write(self._file, data)
                data, start = data[n:], start + n
        except OSError as error:
            self._full = at
            self._tail = [row]
            text = (
                f"{self._folder}: {error.strerror or error}; frames from t = {float(row['t']):.6g} "
                "s on are kept in memory. Free disk space before the run ends"
            )
            time = float(row["t"])
            warn(ModelWarning(text, kind="disk", time=time))


def _type_of(frame: Frame) -> np.dtype[Any]:
    """Data type of a row."""
    columns = []
    for name, value in zip(Frame._fields, frame, strict=True):
        kind = np.int64 if name == "newton_iterations" else np.float64
        columns.append((name, kind, np.shape(value)))
    return np.dtype(columns)


class SpooledFrames:
    """Immutable list of frames in a spool; `add` returns a longer one.

    Checkpoints store it as `Frames`, and resumed runs put these in the spool.
    """

    _fields = Frames._fields

    def __init__(self, spool: Spool, count: int, last_time: float) -> None:
        self._spool, self.count, self.last_time = spool, count, last_time

    def add(self, frames: Iterable[Frame]) -> SpooledFrames:
        """Return a list with more frames at the end."""
        frames = list(frames)
        count = self._spool.put(self.count, frames)
        return SpooledFrames(self._spool, count, frames[-1].t if frames else self.last_time)

    def frames(self) -> Frames:
        """All frames as arrays, which are read when they are used."""
        return _frames(self._spool.rows(self.count))

    def parts(self) -> Iterator[Frames]:
        """Consecutive frames that fit into memory; new arrays."""
        n = max(1, _PART // self._spool.row_size)
        for start in range(0, self.count, n):
            part = self._spool.part(start, min(start + n, self.count))
            columns: Any = [np.ascontiguousarray(column) for column in _frames(part)]
            yield Frames(*columns)

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return iter(self.frames())

    def _asdict(self) -> dict[str, Any]:
        return self.frames()._asdict()

    def _make(self, columns: Iterable[NDArray[Any]]) -> SpooledFrames:
        given: Any = zip(*columns, strict=True)
        rows = [Frame(*row) for row in given]
        return SpooledFrames(self._spool, self._spool.put(0, rows), float(rows[-1].t))


def _frames(rows: NDArray[Any]) -> Frames:
    """Columns of rows."""
    named = dict(zip(Frames._fields, Frame._fields, strict=True))
    return Frames(**{name: rows[column] for name, column in named.items()})


class FrameSpooler:
    """Observer that writes the frames of a run to a temporary file in a folder."""

    name = "frames"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def start(self, now: Accepted) -> SpooledFrames:
        """Frame at the start."""
        return SpooledFrames(Spool(self._folder), 0, now.t).add(now.frames)

    def step(self, kept: SpooledFrames, now: Accepted) -> SpooledFrames:
        """Add the frames that the step passed."""
        return kept.add(now.frames) if now.frames else kept

    def finish(self, kept: SpooledFrames, now: Accepted) -> SpooledFrames:
        """All frames, and the last state if the run ended between two frames."""
        if now.t > kept.last_time:
            spent = now.counters.newton_iterations - now.iterations
            kept = kept.add([frame_of(now.system, now.memory.state, now.evaluation, now.h, spent)])
        return kept

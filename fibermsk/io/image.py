"""Files that the HDF5 library builds on disk, without errors that it could not survive.

The library may end the program where a write fails. For it none does: what the disk refuses is kept
in memory, and the writer is told between two of its calls. Signals wait until then as well.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_PAGE = 2**16
"""Size of a piece in memory [bytes]."""


class Image:
    """File object for h5py, readable and writable.

    Parameters
    ----------
    path : Path
        New file; an existing one is emptied.

    Raises
    ------
    OSError
        If the file cannot be created.
    """

    def __init__(self, path: Path) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
        self._begin(os.open(path, flags, 0o666))

    @classmethod
    def of(cls, file: int) -> Image:
        """Image of an open file, such as for reading alone, which it closes.

        It has an offset of its own, in every process that inherits it.
        """
        image = cls.__new__(cls)
        image._begin(file)
        image._written = _state(file)
        return image

    def _begin(self, file: int) -> None:
        self._file, self._at, self._size = file, 0, os.fstat(file).st_size
        self._refused: OSError | None = None
        self._written: tuple[int, int] | None = None  # of a file that is only read
        self._pages: dict[int, bytearray] = {}

    def __enter__(self) -> Image:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def check(self) -> None:
        """Raise the error of the disk, if there was one."""
        if self._refused is not None:
            raise OSError(self._refused.errno, self._refused.strerror)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move to an offset from the start, from here or from the end."""
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = start + offset
        return self._at

    def tell(self) -> int:
        """Present offset."""
        return self._at

    def write(self, data: Any) -> int:
        """Write here, and move on."""
        view = memoryview(data).cast("B")
        done = 0
        while done < len(view) and self._refused is None:
            try:
                done += _put(self._file, view[done:], self._at + done)
            except OSError as error:
                self._refused = error
        self._keep(view[done:], self._at + done)
        self._at += len(view)
        self._size = max(self._size, self._at)
        return len(view)

    def readinto(self, buffer: Any) -> int:
        """Read from here, and move on; return the number of bytes."""
        if self._written is not None and _state(self._file) != self._written:
            raise OSError("was changed since it was opened")
        view = memoryview(buffer).cast("B")
        view = view[: max(self._size - self._at, 0)]
        self._fetch(view, self._at)
        self._at += len(view)
        return len(view)

    def read(self, size: int = -1) -> bytes:
        """Bytes from here, all of them for -1."""
        found = bytearray(self._size - self._at if size < 0 else size)
        return bytes(found[: self.readinto(found)])

    def truncate(self, size: int) -> int:
        """Set the size."""
        if self._refused is None:
            try:
                os.ftruncate(self._file, size)
            except OSError as error:
                self._refused = error
        self._size = size
        return size

    def flush(self) -> None:
        """Nothing is buffered; the file is flushed to disk when it is complete."""

    def _keep(self, data: memoryview, at: int) -> None:
        """Keep in memory what the disk has refused."""
        while len(data):
            number, start = divmod(at, _PAGE)
            if number not in self._pages:
                page = bytearray(_PAGE)
                self._fetch(memoryview(page), number * _PAGE)
                self._pages[number] = page
            n = min(len(data), _PAGE - start)
            self._pages[number][start : start + n] = data[:n]
            data, at = data[n:], at + n

    def _fetch(self, view: memoryview, at: int) -> None:
        """Read from memory or from the disk; zeros where nothing was written."""
        while len(view):
            number, start = divmod(at, _PAGE)
            n = min(len(view), _PAGE - start)
            if self._pages:
                page = self._pages.get(number)
            else:
                page, n = None, len(view)
            if page is not None:
                view[:n] = page[start : start + n]
            else:
                found = _get(self._file, n, at)
                view[: len(found)] = found
                view[len(found) : n] = bytes(n - len(found))
            view, at = view[n:], at + n


def _state(file: int) -> tuple[int, int]:
    """Size and time of the last change of an open file."""
    now = os.fstat(file)
    return now.st_size, now.st_mtime_ns


def _put(file: int, data: memoryview, at: int) -> int:
    """Write at an offset; return the number of bytes written."""
    if hasattr(os, "pwrite"):
        return os.pwrite(file, data, at)
    os.lseek(file, at, os.SEEK_SET)
    return os.write(file, data)


def _get(file: int, size: int, at: int) -> bytes:
    """Bytes at an offset, fewer at the end of the file."""
    parts = []
    while size > 0:
        if hasattr(os, "pread"):
            part = os.pread(file, size, at)
        else:
            os.lseek(file, at, os.SEEK_SET)
            part = os.read(file, size)
        if not part:
            break
        parts.append(part)
        size, at = size - len(part), at + len(part)
    return b"".join(parts)


@contextmanager
def deferring() -> Iterator[Callable[[], None]]:
    """Context in which SIGINT and SIGTERM wait until the yielded function is called, or its end.

    An exception raised within a call of the HDF5 library would leave it in an unknown state.
    """
    handlers: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            if callable(handler := signal.getsignal(number)):
                handlers[number] = handler
    waiting: list[int] = []

    def check() -> None:
        while waiting:
            number = waiting.pop(0)
            handlers[number](number, None)

    for number in handlers:
        signal.signal(number, lambda number, _: waiting.append(number))
    try:
        yield check
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        check()

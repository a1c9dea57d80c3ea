"""Files of which a reader sees the old one or the whole new one, never a part."""

from __future__ import annotations

import contextlib
import glob
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fibermsk.errors import ModelError

__all__ = ["check_writable", "path_of", "replacing"]

_LONGEST_NAME = 255
"""Bytes in the name of a file or folder, on all common file systems."""


def path_of(value: object, what: str = "path") -> Path:
    """Path that an operating system can hold.

    Raises
    ------
    ModelError
        If it is no text or path, is empty, or cannot be the name of a file.
    """
    try:
        shown = repr(value)
    except Exception:  # an object whose own repr fails
        shown = f"<{type(value).__name__}>"
    shown = shown if len(shown) <= 80 else f"{shown[:77]}..."
    if not isinstance(value, str | os.PathLike):
        raise ModelError(f"{what} = {shown}; must be a text or a path")
    try:
        path = Path(value)
        longest = max((len(os.fsencode(part)) for part in path.parts), default=0)
        if 0 < longest <= _LONGEST_NAME and "\0" not in str(path):
            return path
    except Exception:  # bytes, text that no file system can hold, or an object that fails
        pass
    raise ModelError(f"{what} = {shown}; must be what a file can be named")


def check_writable(path: str | os.PathLike[str]) -> Path:
    """Path at which a result can be written; makes its folder where it does not exist yet.

    Parameters
    ----------
    path : path
        Where the result is to go.

    Returns
    -------
    path : pathlib.Path
        The same path.

    Raises
    ------
    ModelError
        If nothing can be written there; a run asks this before it computes.
    """
    path = path_of(path)
    if path.is_dir():
        raise ModelError(f"cannot write {path}: it is a folder; name a file in it")
    if path.exists() and not path.is_file():
        raise ModelError(
            f"cannot write {path}: it is a device or another special file; name a file"
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelError(
            f"cannot write {path}: {reason} ({path.parent}); choose another folder"
        ) from error
    return path


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Context that gives a path beside a file to write to, and then moves it there.

    What was written is forced to the disk before, so that neither a killed program nor a power
    failure leaves a part under the file's name.

    Raises
    ------
    ModelError
        If the file cannot be written.
    """
    path = check_writable(path)
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield beside
        with beside.open("rb+") as written:
            os.fsync(written.fileno())
        os.replace(beside, path)
        _sync_folder(path.parent)
        _clear_leftovers(path)
    except OSError as error:
        raise ModelError(f"cannot write {path}: {error}") from error
    finally:
        beside.unlink(missing_ok=True)


def _clear_leftovers(path: Path) -> None:
    """Remove what killed programs were writing, where it can be told whether a program lives."""
    if os.name != "posix":
        return
    for part in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
        pid = part.name.split(".")[-2]
        if not pid.isdigit():
            continue
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            part.unlink(missing_ok=True)
        except PermissionError:
            continue


def _sync_folder(folder: Path) -> None:
    """Force a rename to the disk, where folders can be opened."""
    with contextlib.suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)

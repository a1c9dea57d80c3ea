"""Files that are kept in another folder where they cannot be written to their own."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from fibermsk.errors import WriteError
from fibermsk.files import replacing_all

__all__ = ["RESCUE", "remove_kept", "write_all", "write_whole"]

RESCUE = "FIBERMSK_RESCUE"
"""Environment variable that names the folder which is tried first."""

_PREFIX = "fibermsk_kept_"
_MEMORY = Path("/dev/shm")
"""Folder in memory, until the machine is switched off: the last place that is tried."""


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write one file; as :func:`write_all`."""
    write_all({path: write})


def write_all(writers: Mapping[Path, Callable[[Path], object]]) -> None:
    """Write files, all of them or none; where that fails, keep them in another folder.

    Other folders are tried in this order: the one that the environment variable FIBERMSK_RESCUE
    names, that of the system for temporary files, the home folder, the present one, and /dev/shm.
    The files go to a new folder in it, under their own names.

    Parameters
    ----------
    writers : dict
        For each path a function that writes the file to the path that it is given. It may be called
        again with another path.

    Raises
    ------
    WriteError
        If a file could not be written to its own path; its `kept` tells where the files are.
    """
    try:
        _write(writers)
    except WriteError as error:
        kept = _keep(writers)
        raise _report(error, kept, len(writers)) from error


def remove_kept(files: tuple[Path, ...]) -> None:
    """Remove files that were kept in another folder, which are of no use any more."""
    for folder in {path.parent for path in files}:
        shutil.rmtree(folder, ignore_errors=True)


def _write(writers: Mapping[Path, Callable[[Path], object]]) -> None:
    with replacing_all(list(writers)) as besides:
        for (path, write), beside in zip(writers.items(), besides, strict=True):
            try:
                write(beside)
            except OSError as error:
                raise WriteError(f"cannot write {path}: {error.strerror or error}") from error


def _keep(writers: Mapping[Path, Callable[[Path], object]]) -> tuple[Path, ...]:
    """Write the files to the first folder where that succeeds; empty where there is none."""
    for place in _places():
        folder = None
        try:
            place.mkdir(parents=True, exist_ok=True)
            # a new folder: nothing that is there is replaced, and nobody else can read it
            folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
            _write({folder / path.name: write for path, write in writers.items()})
        except (OSError, WriteError):
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
            continue
        except BaseException:
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
            raise
        return tuple(folder / path.name for path in writers)
    return ()


def _places() -> Iterator[Path]:
    """Folders in which to try."""
    named = os.environ.get(RESCUE)
    if named:
        yield Path(named).absolute()
    # to find them may itself need room, or a home
    for find in (tempfile.gettempdir, Path.home, Path.cwd):
        with contextlib.suppress(OSError, RuntimeError):
            yield Path(find())
    if sys.platform == "linux" and _MEMORY.is_dir():
        yield _MEMORY


def _report(error: WriteError, kept: tuple[Path, ...], number: int) -> WriteError:
    what, them = ("it is", "it") if number == 1 else (f"all {number} files are", "them")
    if kept:
        where = kept[0] if number == 1 else f"{kept[0].parent}"
        text = f"{error}; {what} kept in {where}: make room and move {them}"
    else:
        text = f"{error}; nor can any other folder be written to: make room, or set {RESCUE}"
    return WriteError(text, kept=kept)

"""Rescue copies of files that cannot be written to their own folder."""

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

RESCUE = "FIBERMSK_RESCUE"
"""Environment variable for the folder that is tried first."""

_PREFIX = "fibermsk_kept_"
_MEMORY = Path("/dev/shm")
"""Folder in memory, lost when the machine is switched off; tried last."""


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write one file; as :func:`write_all`."""
    write_all({path: write})


def write_all(writers: Mapping[Path, Callable[[Path], object]]) -> None:
    """Write files, all of them or none; on failure write them to another folder.

    Other folders are tried in this order: that of the environment variable FIBERMSK_RESCUE, the
    system's folder for temporary files, the home folder, the current one, and /dev/shm. The files
    are written to a new folder in it, with their own names.

    `writers` has for each path a function that writes the file to a given path, and may be called
    again with another one. A `WriteError` is raised if a file could not be written to its own path;
    its `kept` are the copies.
    """
    try:
        _write(writers)
    except WriteError as error:
        kept = _keep(writers)
        raise _report(error, kept, len(writers)) from error


def remove_kept(files: tuple[Path, ...]) -> None:
    """Remove obsolete rescue copies."""
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
    """Write the files to the first writable folder; return an empty result if there is none."""
    for place in _places():
        folder = None
        try:
            place.mkdir(parents=True, exist_ok=True)
            # a new folder: nothing is replaced, and only the user can read it
            folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
            _write({folder / path.name: write for path, write in writers.items()})
        except BaseException as error:
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, (OSError, WriteError)):
                continue
            raise
        return tuple(folder / path.name for path in writers)
    return ()


def _places() -> Iterator[Path]:
    """Folders to try."""
    named = os.environ.get(RESCUE)
    if named:
        yield Path(named).absolute()
    # finding them may need disk space or a home folder
    for find in (tempfile.gettempdir, Path.home, Path.cwd):
        with contextlib.suppress(OSError, RuntimeError):
            yield Path(find())
    if sys.platform == "linux" and _MEMORY.is_dir():
        yield _MEMORY


def _report(error: WriteError, kept: tuple[Path, ...], number: int) -> WriteError:
    what, them = ("it is", "it") if number == 1 else (f"all {number} files are", "them")
    if kept:
        where = kept[0] if number == 1 else f"{kept[0].parent}"
        text = f"{error}; {what} kept in {where}: free disk space and move {them}"
    else:
        text = f"{error}; no other folder can be written: free disk space, or set {RESCUE}"
    return WriteError(text, kept=kept)

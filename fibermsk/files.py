"""Files of which a reader sees the old one or the whole new one, never a part."""

from __future__ import annotations

import contextlib
import glob
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from fibermsk.errors import ModelError, WriteError

__all__ = ["check_writable", "path_of", "replacing", "replacing_all"]

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
        Where the result is to go; of a symbolic link, its target.

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
    folder = _target(path).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelError(
            f"cannot write {path}: {reason} ({folder}); choose another folder"
        ) from error
    return path


def _target(path: Path) -> Path:
    """File that is written for a path: itself, or where a symbolic link leads in the end."""
    if not path.is_symlink():
        return path
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise ModelError(
            f"cannot write {path}: it is a symbolic link that leads in a circle; remove it, or "
            "name another file"
        )
    return target


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Context that gives a path beside a file to write to, and then moves it there.

    What was written is forced to the disk before, so that neither a killed program nor a power
    failure leaves a part under the file's name. A symbolic link stays, and its target is replaced.

    Raises
    ------
    WriteError
        If the file cannot be written.
    """
    with replacing_all([path]) as (beside,):
        yield beside


@contextmanager
def replacing_all(paths: Sequence[str | os.PathLike[str]]) -> Iterator[list[Path]]:
    """Context as `replacing`, for files that belong together: all of them are moved, or none is.

    Raises
    ------
    WriteError
        If one of the files cannot be written; what was there before is there again.
    ModelError
        If two of the paths lead to one file.
    """
    try:
        targets = [_target(check_writable(path)) for path in paths]
    except ModelError as error:
        raise WriteError(str(error)) from error
    names = ", ".join(map(str, paths))
    if len(set(targets)) < len(targets):
        raise ModelError(f"cannot write {names}: links make two of them one file; remove the links")
    besides = [_beside(target) for target in targets]
    try:
        yield besides
        for beside in besides:
            with beside.open("rb+") as written:
                os.fsync(written.fileno())
        _move(besides, targets)
        for target in targets:
            _sync_folder(target.parent)
            _clear_leftovers(target)
    except OSError as error:
        left = "; all of them are as they were before" if len(targets) > 1 else ""
        raise WriteError(f"cannot write {names}: {error.strerror or error}{left}") from error
    finally:
        for beside in besides:
            beside.unlink(missing_ok=True)


def _move(besides: list[Path], targets: list[Path]) -> None:
    """Move files to their places; if one cannot be, put back what was there before."""
    kept: list[tuple[Path, Path | None]] = []
    try:
        for beside, target in zip(besides, targets, strict=True):
            old = _beside(target, "old.") if target.exists() else None
            # a single move is whole or fails by itself
            if old is not None and len(targets) > 1:
                _link(target, old)
            os.replace(beside, target)
            kept.append((target, old))
    except OSError:
        for target, old in kept:
            if old is None:
                target.unlink()
            else:
                os.replace(old, target)
        raise
    finally:
        for target in targets:
            _beside(target, "old.").unlink(missing_ok=True)


def _beside(target: Path, kind: str = "") -> Path:
    """Path beside a file, of this process alone."""
    return target.with_name(f".{target.name}.{kind}{os.getpid()}.part")


def _link(path: Path, other: Path) -> None:
    """Another name of a file, or a copy where the file system knows one name only."""
    other.unlink(missing_ok=True)
    try:
        os.link(path, other)
    except OSError:
        shutil.copy2(path, other)


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

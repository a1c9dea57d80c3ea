"""Atomic replacement of files."""

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

_LONGEST_NAME = 255
"""Largest number of bytes in the name of a file or folder on common file systems."""


def path_of(value: object, what: str = "path") -> Path:
    """Return a valid path of the operating system; refuse what cannot be the name of a file."""
    try:
        shown = repr(value)
    except Exception:  # an object whose repr raises
        shown = f"<{type(value).__name__}>"
    shown = shown if len(shown) <= 80 else f"{shown[:77]}..."
    if not isinstance(value, str | os.PathLike):
        raise ModelError(f"{what} = {shown}; must be a text or a path")
    try:
        path = Path(value)
        longest = max((len(os.fsencode(part)) for part in path.parts), default=0)
        if 0 < longest <= _LONGEST_NAME and "\0" not in str(path):
            return path
    except Exception:  # bytes, invalid text, or an object that raises
        pass
    raise ModelError(f"{what} = {shown}; must be a valid file name")


def check_writable(path: str | os.PathLike[str]) -> Path:
    """Check that a path is writable, create its folder if needed, and return the path.

    For a symbolic link, its target is checked. Runs check this before they compute.
    """
    path = path_of(path)
    if path.is_dir():
        raise ModelError(f"cannot write {path}: it is a folder; name a file in it")
    if path.exists() and not path.is_file():
        raise ModelError(
            f"cannot write {path}: it is a device or another special file; name a file"
        )
    folder = target_of(path).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ModelError(
            f"cannot write {path}: {_reason(folder, error)}; choose another folder"
        ) from error
    return path


def _reason(folder: Path, error: OSError) -> str:
    """Why no file can be written to a folder."""
    file = next((one for one in (folder, *folder.parents) if one.is_file()), None)
    if file is not None:
        return f"{file} is a file, not a folder"
    if isinstance(error, FileNotFoundError) and folder.is_dir():
        return f"no file can be created in {folder}"
    return f"{error.strerror or error} ({folder})"


def target_of(path: Path) -> Path:
    """File written for a path: itself, or the final target of a symbolic link."""
    if not path.is_symlink():
        return path
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise ModelError(
            f"cannot write {path}: it is a symbolic link in a cycle; remove it, or "
            "name another file"
        )
    return target


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Context manager: write to a temporary path beside a file, then move it there.

    The temporary file is flushed to disk before, so that neither a killed program nor a power
    failure leaves a partial file. For a symbolic link, its target is replaced. A `WriteError` says
    why a file cannot be written.
    """
    with replacing_all([path]) as (beside,):
        yield beside


@contextmanager
def replacing_all(paths: Sequence[str | os.PathLike[str]]) -> Iterator[list[Path]]:
    """Context manager like `replacing` for several files: all of them are moved, or none.

    Two paths to one file are refused.
    """
    try:
        targets = [target_of(check_writable(path)) for path in paths]
    except ModelError as error:
        raise WriteError(str(error)) from error
    names = ", ".join(map(str, paths))
    if len(set(targets)) < len(targets):
        raise ModelError(
            f"cannot write {names}: two of them are links to the same file; remove the links"
        )
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
        left = "; all of them are unchanged" if len(targets) > 1 else ""
        raise WriteError(f"cannot write {names}: {error.strerror or error}{left}") from error
    finally:
        for beside in besides:
            beside.unlink(missing_ok=True)


def _move(besides: list[Path], targets: list[Path]) -> None:
    """Move files to their targets; if one fails, restore the previous files."""
    kept: list[tuple[Path, Path | None]] = []
    try:
        for beside, target in zip(besides, targets, strict=True):
            old = _beside(target, "old.") if target.exists() else None
            # a single move is atomic
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
    """Temporary path beside a file, unique to this process."""
    return target.with_name(f".{target.name}.{kind}{os.getpid()}.part")


def _link(path: Path, other: Path) -> None:
    """Hard link to a file, or a copy if the file system has no links."""
    other.unlink(missing_ok=True)
    try:
        os.link(path, other)
    except OSError:
        shutil.copy2(path, other)


def _clear_leftovers(path: Path) -> None:
    """Remove temporary files of killed programs, if process ids can be checked."""
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
    """Flush a rename to disk, if folders can be opened."""
    with contextlib.suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)

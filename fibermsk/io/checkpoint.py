"""Checkpoints as HDF5 files, of which there is always a whole one.

The file begins with a user block of 512 bytes, which HDF5 passes over: a line that names the format
and the SHA-256 of all that follows. It is checked before anything is read, because the HDF5 library
may take damaged files for good ones, or never return from them.
"""

from __future__ import annotations

import hashlib
import json
import os
from io import BufferedIOBase
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from fibermsk.errors import ModelError
from fibermsk.files import path_of, replacing
from fibermsk.laws import _check
from fibermsk.results import Snapshot

__all__ = ["is_checkpoint", "load_checkpoint", "save_checkpoint"]

_MAGIC = b"fibermsk checkpoint "
_VERSION = b"1"
_BLOCK = 512
_TEXTS = ("identity", "libraries", "job")


def save_checkpoint(snapshot: Snapshot, path: str | os.PathLike[str]) -> Path:
    """Write a snapshot; at any moment the old file or the whole new one is there.

    The file is written beside, forced to the disk and renamed, so that neither a killed program nor
    a power failure leaves a part. Of two runs that write to one path, the last
    one's snapshot is there.

    Parameters
    ----------
    snapshot : Snapshot
        From `fibermsk.simulate`.
    path : path
        The file; its folder is made, a file already there is replaced.

    Returns
    -------
    path : pathlib.Path
        The file written.

    Raises
    ------
    ModelError
        If it is no snapshot, or the file cannot be written.
    """
    _check.instance("save_checkpoint", "snapshot", snapshot, Snapshot, "a Snapshot")
    with replacing(path) as beside:
        with h5py.File(beside, "w", libver=("v108", "latest"), userblock_size=_BLOCK) as file:
            _write(file, snapshot)
        with beside.open("rb+") as written:
            header = _header(written)
            written.seek(0)
            written.write(header)
    return Path(path)


def load_checkpoint(path: str | os.PathLike[str]) -> Snapshot:
    """Read a checkpoint.

    Parameters
    ----------
    path : path
        A file written by :func:`save_checkpoint`.

    Raises
    ------
    ModelError
        If the file is missing, is not a checkpoint, or is damaged.
    """
    path = path_of(path)
    if path.is_dir():
        raise ModelError(f"cannot read {path}: it is a folder; name a checkpoint file (.h5)")
    if not path.exists():
        raise ModelError(f"cannot read {path}: there is no such file")
    try:
        with path.open("rb") as file:
            start = file.read(_BLOCK)
            _check_format(path, start)
            if _header(file) != start:
                raise ValueError("its contents do not match their check sum")
        with h5py.File(path, "r") as opened:
            return _read(opened)
    except ModelError:
        raise
    except (OSError, KeyError, ValueError, TypeError, RuntimeError) as error:
        reason = error.args[0] if error.args else error
        raise ModelError(
            f"cannot read {path}: the checkpoint is damaged or incomplete ({reason}); run from the "
            "start"
        ) from error


def is_checkpoint(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins like a checkpoint."""
    path = Path(path)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def _header(file: BufferedIOBase) -> bytes:
    """User block for what follows it in a file."""
    file.seek(_BLOCK)
    digest = hashlib.file_digest(file, "sha256").hexdigest()
    line = _MAGIC + _VERSION + b" " + digest.encode() + b"\n"
    return line.ljust(_BLOCK, b"\0")


def _check_format(path: Path, start: bytes) -> None:
    """Refuse a file that is no checkpoint, or one of another format."""
    if not start.startswith(_MAGIC):
        what = "not a file that fibermsk wrote, or its beginning is damaged"
        if h5py.is_hdf5(path):
            what = "an HDF5 file, such as a result, but not a checkpoint"
        raise ModelError(
            f"cannot read {path}: it is {what}; must be what run --checkpoint-every leaves"
        )
    version = start[len(_MAGIC) :].split(b" ")[0]
    if version != _VERSION and version.isdigit():
        raise ModelError(
            f"cannot read {path}: its checkpoint format is {version.decode()}; must be "
            f"{_VERSION.decode()}; resume it with the fibermsk that wrote it"
        )


def _write(file: h5py.File, snapshot: Snapshot) -> None:
    file.attrs["time"], file.attrs["duration"] = snapshot.time, snapshot.duration
    for name in _TEXTS:
        file.attrs[name] = json.dumps(getattr(snapshot, name))
    group = file.create_group("arrays")
    for name, value in snapshot.arrays.items():
        group.create_dataset(name, data=np.asarray(value))


def _read(file: Any) -> Snapshot:
    return Snapshot(
        time=float(file.attrs["time"]),
        duration=float(file.attrs["duration"]),
        arrays={name: values[()] for name, values in file["arrays"].items()},
        **{name: json.loads(file.attrs[name]) for name in _TEXTS},
    )

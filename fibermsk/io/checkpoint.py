"""Checkpoints as HDF5 files, replaced atomically."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.io.extent import Contents
from fibermsk.io.sealed import CHECKPOINT, kind_of, put, read_sealed, write_sealed
from fibermsk.results import Snapshot

_TEXTS = ("identity", "libraries", "job")


def save_checkpoint(snapshot: Snapshot, path: str | os.PathLike[str]) -> Path:
    """Write a snapshot, replacing an old file atomically; return its path.

    A temporary file is written, flushed to disk and renamed, so that neither a killed program nor a
    power failure leaves a partial file. If two runs write to one path, the last snapshot remains.

    Parameters
    ----------
    snapshot : Snapshot
        Snapshot from `fibermsk.simulate`.
    path : path
        Path of the file; its folder is created, an existing file is replaced.

    Raises
    ------
    WriteError
        If the file cannot be written; the message names the folder of the rescued copy.
    """
    _check.instance("save_checkpoint", "snapshot", snapshot, Snapshot, "a Snapshot")
    return write_sealed(path, CHECKPOINT, lambda file: _write(file, snapshot))


def load_checkpoint(path: str | os.PathLike[str]) -> Snapshot:
    """Read a checkpoint of `save_checkpoint` and verify its contents.

    Raises
    ------
    ModelError
        If the file is missing, is not a checkpoint, or is damaged.
    """
    return read_sealed(path, CHECKPOINT, _read)


def is_checkpoint(path: str | os.PathLike[str]) -> bool:
    """Whether a file has the seal of a checkpoint."""
    return kind_of(path) is CHECKPOINT


def _write(file: h5py.File, snapshot: Snapshot) -> Iterator[None]:
    file.attrs["time"], file.attrs["duration"] = snapshot.time, snapshot.duration
    for name in _TEXTS:
        file.attrs[name] = json.dumps(getattr(snapshot, name))
    group = file.create_group("arrays")
    for name, value in snapshot.arrays.items():
        put(group, name, value)
        yield


def _read(file: Any, contents: Contents) -> Snapshot:
    texts = {name: json.loads(file.attrs[name]) for name in _TEXTS}
    if not all(isinstance(value, dict) for value in texts.values()):
        raise ModelError(f"{', '.join(_TEXTS)} must be tables of names and values")
    time, duration = float(file.attrs["time"]), float(file.attrs["duration"])
    if not 0.0 <= time <= duration < math.inf:
        raise ModelError(f"time = {time:g} s of {duration:g} s; must be between 0 and the duration")
    arrays = {}
    for name in contents.members["/arrays"]:
        known = contents.datasets[f"/arrays/{name}"].values
        arrays[name] = file["arrays"][name][()] if known is None else known
    return Snapshot(time, duration, arrays, **texts)

"""HDF5 files with a seal: a file that is not bitwise what was written is refused.

A file begins with a user block of 512 bytes, which HDF5 ignores: a line with the kind of file, the
version of its format, its size in bytes and the SHA-256 of everything after the block. The seal is
checked before the HDF5 library opens the file, because on damaged files it may crash, hang or read
wrong data. Every dataset also has HDF5's checksums (Fletcher-32), for readers that ignore the seal.
"""

from __future__ import annotations

import hashlib
import io
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import h5py
import numpy as np

from fibermsk.errors import ModelError, ModelWarning
from fibermsk.files import path_of
from fibermsk.io.extent import check_extent
from fibermsk.rescue import write_whole

_BLOCK = 512
_MAGIC = b"fibermsk"
_LIBRARY = ("v110", "v110")
"""Any HDF5 from 1.10 on reads the files; attributes may be longer than 64 kB."""
_CHUNK = 4 * 2**20
"""Approximate size of a checksummed chunk in bytes."""

T = TypeVar("T")


class Kind(NamedTuple):
    """Kind of a sealed file."""

    name: str  # one word
    version: int  # of the format
    remedy: str  # for a damaged file
    opened_by: str  # functions and commands that read the kind
    unchecked: str = ""  # remedy for a file without a seal


RESULT = Kind(
    "result",
    1,
    "run the scene again",
    "fm.load, fibermsk view, plot and export",
    "; fm.load(path, unsealed=True) reads it unchecked",
)
CHECKPOINT = Kind("checkpoint", 2, "run from the start", "fibermsk resume and info")
_KINDS = {kind.name: kind for kind in (RESULT, CHECKPOINT)}


def write_sealed(
    path: str | os.PathLike[str], kind: Kind, fill: Callable[[h5py.File], object]
) -> Path:
    """Write a sealed file that `fill` fills, replacing an old file atomically.

    It is built in memory, because the HDF5 library may crash on a full disk.
    """
    path = path_of(path)
    image = io.BytesIO()
    with h5py.File(image, "w", libver=_LIBRARY, userblock_size=_BLOCK) as file:
        fill(file)
    content = image.getbuffer()
    content[:_BLOCK] = _seal(kind, len(content), hashlib.sha256(content[_BLOCK:]))
    write_whole(path, lambda beside: beside.write_bytes(content))
    return path


def put(group: h5py.Group, name: str, values: Any, **filters: Any) -> h5py.Dataset:
    """Create a dataset with checksums in a group."""
    values = np.asarray(values)
    if values.ndim and values.size:
        rows = -(-len(values) // -(-values.nbytes // _CHUNK))
        filters |= {"fletcher32": True, "chunks": (rows, *values.shape[1:])}
    else:
        # empty and scalar datasets cannot have them
        filters = {}
    return group.create_dataset(name, data=values, **filters)


def read_sealed(
    path: str | os.PathLike[str], kind: Kind, reader: Callable[[Any], T], *, unsealed: bool = False
) -> T:
    """Verify a sealed file and read it by `reader`; all failures raise a `ModelError`.

    `unsealed` reads a file without a seal, with a warning.
    """
    path = path_of(path)
    if path.is_dir():
        raise ModelError(f"cannot read {path}: it is a folder; name a {kind.name} file (.h5)")
    if not path.exists():
        raise ModelError(f"cannot read {path}: there is no such file")
    if not path.is_file():
        raise ModelError(f"cannot read {path}: it is a device; name a {kind.name} file (.h5)")
    try:
        # one open file throughout, so that the checked file is the one read
        with path.open("rb") as raw:
            broken = _check_seal(raw, kind)
            if broken and not unsealed:
                raise ModelError(broken + kind.unchecked)
            if broken:
                text = (
                    f"{path}: {broken}; it is read without a valid seal, its numbers may be wrong"
                )
                warnings.warn(text, ModelWarning, stacklevel=3)
            with h5py.File(raw, "r") as file:
                check_extent(file, os.fstat(raw.fileno()).st_size)
                return reader(file)
    except ModelError as error:
        raise ModelError(f"cannot read {path}: {error}") from None
    except MemoryError as error:
        raise ModelError(f"cannot read {path}: it does not fit into memory") from error
    except OSError as error:
        if error.errno is None:  # from the HDF5 library
            raise _damaged(path, kind, error) from error
        raise ModelError(f"cannot read {path}: {error.strerror}") from error
    except (LookupError, ValueError, TypeError, AttributeError, RuntimeError) as error:
        raise _damaged(path, kind, error) from error


def _damaged(path: Path, kind: Kind, error: Exception) -> ModelError:
    reason = error.args[0] if error.args else error
    return ModelError(
        f"cannot read {path}: the {kind.name} is damaged or incomplete ({reason}); {kind.remedy}"
    )


def kind_of(path: str | os.PathLike[str]) -> Kind | None:
    """Kind according to the seal; None without a seal."""
    path = Path(path)
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return _kind_in(file.read(_BLOCK))


def _kind_in(block: bytes) -> Kind | None:
    words = block.split(b" ", 2)
    known = len(words) == 3 and words[0] == _MAGIC
    return _KINDS.get(words[1].decode("ascii", "replace")) if known else None


def _seal(kind: Kind, size: int, digest: Any) -> bytes:
    """User block of a file of `size` bytes."""
    line = f"{kind.name} {kind.version} {size} {digest.hexdigest()}\n"
    return (_MAGIC + b" " + line.encode()).ljust(_BLOCK, b"\0")


def _check_seal(file: io.BufferedReader, kind: Kind) -> str:
    """Error of the seal, empty if it is valid; another kind or version is refused."""
    block = file.read(_BLOCK)
    found = _kind_in(block)
    if found is None:
        return _unknown(file, kind)
    if found is not kind:
        raise ModelError(f"it is a {found.name}, not a {kind.name}; {found.opened_by} read it")
    _, _, version, size, *_ = [*block.split(b"\n")[0].split(b" "), b"", b""]
    if version != str(kind.version).encode() and version.isdigit():
        raise ModelError(
            f"its {kind.name} format is {version.decode()}; must be {kind.version}; read it with "
            "the fibermsk that wrote it"
        )
    actual = os.fstat(file.fileno()).st_size
    damaged = f"the {kind.name} is damaged or incomplete"
    if size != str(actual).encode():
        was = f"{int(size)} when written" if size.isdigit() else "another number when written"
        return f"{damaged} (it has {actual} bytes, {was}); {kind.remedy}"
    # the digest covers everything after the block
    if block != _seal(kind, actual, hashlib.file_digest(file, "sha256")):
        return (
            f"{damaged}, or was changed by another program (its contents do not match their "
            f"SHA-256); {kind.remedy}"
        )
    return ""


def _unknown(file: io.BufferedReader, kind: Kind) -> str:
    """Error of a file without a seal."""
    file.seek(0)
    if not h5py.is_hdf5(file.name):
        raise ModelError(f"it is not an HDF5 file, or its beginning is damaged; {kind.remedy}")
    return (
        f"it is an HDF5 file, but not a fibermsk {kind.name}: it has no seal, so that its numbers "
        f"cannot be verified; {kind.remedy}"
    )

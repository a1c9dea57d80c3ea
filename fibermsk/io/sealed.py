"""HDF5 files with a seal: a file that is not bitwise what was written is refused.

A file begins with a user block of 512 bytes, which HDF5 ignores: a line with the kind of file, the
version of its format, its size in bytes and the SHA-256 of everything after the block. The seal is
checked before the HDF5 library opens the file, because on damaged files it may crash, hang or read
wrong data. Every dataset also has HDF5's checksums (Fletcher-32), for readers that ignore the seal.
"""

from __future__ import annotations

import hashlib
import io
import math
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import h5py
import numpy as np

from fibermsk._warn import warn
from fibermsk.errors import ModelError, ModelWarning
from fibermsk.files import path_of
from fibermsk.io.extent import Contents, check_extent
from fibermsk.io.image import Image, deferring
from fibermsk.rescue import write_whole

_BLOCK = 512
_MAGIC = b"fibermsk"
_LIBRARY = ("v110", "v110")
"""Any HDF5 from 1.10 on reads the files; attributes may be longer than 64 kB."""
_CHUNK = 4 * 2**20
"""Approximate size of a checksummed chunk in bytes."""
_PIECE = 2**18
"""Size of a piece of a file whose digest is taken [bytes]."""

_READING: dict[str, Any] = {"rdcc_nslots": 1, "rdcc_nbytes": 0}
"""No cache of chunks, which every dataset would allocate: chunks are read once."""

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
    path: str | os.PathLike[str], kind: Kind, fill: Callable[[h5py.File], Iterable[object]]
) -> Path:
    """Write a sealed file that `fill` fills, replacing an old file atomically.

    `fill` yields between calls of the HDF5 library, such as after every part of a file: there it is
    ended by a full disk or by Ctrl-C. It may be called again, for another folder.
    """
    path = path_of(path)
    write_whole(path, lambda beside: _build(beside, kind, fill))
    return path


def _build(path: Path, kind: Kind, fill: Callable[[h5py.File], Iterable[object]]) -> None:
    """Write a sealed file."""
    with Image(path) as image:
        with (
            deferring() as check,
            h5py.File(image, "w", libver=_LIBRARY, userblock_size=_BLOCK) as file,
        ):
            for _ in fill(file):
                image.check()
                check()
        image.check()
        size, digest = image.seek(0, os.SEEK_END), hashlib.sha256()
        image.seek(_BLOCK)
        piece = memoryview(bytearray(_PIECE))
        while n := image.readinto(piece):
            digest.update(piece[:n])
        image.seek(0)
        image.write(_seal(kind, size, digest))
        image.check()


def chunk_of(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Shape of the checksummed chunks of an array that is not empty."""
    size = math.prod(shape) * itemsize
    return -(-shape[0] // -(-size // _CHUNK)), *shape[1:]


def put(group: h5py.Group, name: str, values: Any, **filters: Any) -> h5py.Dataset:
    """Create a dataset with checksums in a group.

    Values in a file, such as of `numpy.memmap`, are copied piece by piece.
    """
    values = np.asanyarray(values)
    if not (values.ndim and values.size):
        # empty and scalar datasets cannot have checksums
        return group.create_dataset(name, data=values)
    filters |= {"fletcher32": True, "chunks": chunk_of(values.shape, values.dtype.itemsize)}
    if not isinstance(values, np.memmap):
        return group.create_dataset(name, data=values, **filters)
    item = group.create_dataset(name, values.shape, values.dtype, **filters)
    rows = filters["chunks"][0]
    for start in range(0, len(values), rows):
        item[start : start + rows] = values[start : start + rows]
    return item


def read_sealed(
    path: str | os.PathLike[str],
    kind: Kind,
    reader: Callable[[Any, Contents], T],
    *,
    unsealed: bool = False,
) -> T:
    """Verify a sealed file and read it by `reader`; all failures raise a `ModelError`.

    `unsealed` reads a file without a seal, with a warning.
    """
    path = _file_of(path, kind)
    # one open file throughout, so that the checked file is the one read
    with telling(path, kind), path.open("rb") as raw:
        broken = _check_seal(raw, kind)
        if broken and not unsealed:
            raise ModelError(broken + kind.unchecked)
        if broken:
            text = f"{path}: {broken}; it is read without a valid seal, its numbers may be wrong"
            warn(text, ModelWarning)
        with h5py.File(raw, "r", **_READING) as file:
            return reader(file, check_extent(file, os.fstat(raw.fileno()).st_size))


def open_sealed(path: str | os.PathLike[str], kind: Kind) -> tuple[h5py.File, Contents, Image]:
    """Verify a sealed file and open it; all failures raise a `ModelError`.

    The last is what the first reads from, to be closed after it. Both refer to the file that was
    verified, also where another one has taken its name.
    """
    path = _file_of(path, kind)
    with telling(path, kind), path.open("rb") as raw:
        if broken := _check_seal(raw, kind):
            raise ModelError(broken + kind.unchecked)
        image = Image.of(os.dup(raw.fileno()))
        try:
            file = h5py.File(image, "r", **_READING)
        except BaseException:
            image.close()
            raise
        try:
            found = check_extent(file, os.fstat(raw.fileno()).st_size, in_memory=False)
        except BaseException:
            file.close()
            image.close()
            raise
        return file, found, image


def _file_of(path: str | os.PathLike[str], kind: Kind) -> Path:
    """Path of a file that exists."""
    path = path_of(path)
    if path.is_dir():
        raise ModelError(f"cannot read {path}: it is a folder; name a {kind.name} file (.h5)")
    if not path.exists():
        raise ModelError(f"cannot read {path}: there is no such file")
    if not path.is_file():
        raise ModelError(f"cannot read {path}: it is a device; name a {kind.name} file (.h5)")
    return path


@contextmanager
def telling(path: Path, kind: Kind) -> Iterator[None]:
    """Context in which all failures to read a file raise a `ModelError` that names it."""
    try:
        yield
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

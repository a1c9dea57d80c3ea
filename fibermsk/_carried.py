"""Compiled kernels that a package of its own carries, `fibermsk_kernels`.

They are compiled for a processor that nearly all machines have, and used where this machine has its
features, and Python, Numba and the sources are those of the build; else kernels are compiled here.
`.ci/kernels` builds the package.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from fibermsk._apart import rebuild
from fibermsk._sources import sources_stamp

PACKAGE = "fibermsk_kernels"
ABOUT = "about.json"

BUILDING = "FIBERMSK_BUILD_KERNELS"
"""Environment variable: folder into which compiled kernels are put as well, to be carried."""

CPU = "x86-64-v3"
_FEATURES = (
    "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "cx16", "sahf", "popcnt", "sse3",
    "sse4.1", "sse4.2", "ssse3", "xsave",
)  # fmt: skip
"""What a processor of that kind has."""


def made_with() -> dict[str, str]:
    """Versions that have to be those of the build."""
    python = f"{sys.implementation.name} {sys.version_info.major}.{sys.version_info.minor}"
    return {"python": python, "numba": version("numba"), "llvmlite": version("llvmlite")}


class Store(NamedTuple):
    """Folder of kernels, compiled for one kind of machine.

    Attributes
    ----------
    folder : path
        The folder.
    magic : tuple of str
        Platform, processor and features, as Numba tells kernels apart.
    """

    folder: Path
    magic: tuple[str, ...]

    def load(self, function: Any, sig: Any, target_context: Any) -> Any:
        """A compiled version of a function; None if there is none of these sources."""
        file = self._file(function)
        data = None if file is None else file.load(self._key(function, sig))
        return None if data is None else rebuild(target_context, data)

    def has(self, function: Any, sig: Any) -> bool:
        """Whether there is a compiled version of a function."""
        file = self._file(function)
        return file is not None and self._key(function, sig) in file._load_index()

    def save(self, function: Any, sig: Any, data: Any) -> None:
        """Put a compiled version into the folder."""
        file = self._file(function)
        if file is not None:
            Path(file._cache_path).mkdir(parents=True, exist_ok=True)
            file.save(self._key(function, sig), data)

    def _file(self, function: Any) -> Any:
        from numba.core.caching import IndexDataCacheFile

        stamp = sources_stamp(function.__module__)
        if not stamp or function.__closure__ is not None:
            return None
        name = f"{function.__qualname__}-{function.__code__.co_firstlineno}"
        return IndexDataCacheFile(str(self.folder / function.__module__), name, stamp)

    def _key(self, function: Any, sig: Any) -> Any:
        return sig, self.magic, hashlib.sha256(function.__code__.co_code).hexdigest()


@cache
def carried() -> Store | None:
    """The kernels that are carried, if they fit this machine."""
    found = find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        return None
    folder = Path(found.submodule_search_locations[0])
    try:
        about = json.loads((folder / ABOUT).read_text("utf-8"))
        magic = tuple(map(str, about["magic"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if any(about.get(name) != value for name, value in made_with().items()):
        return None
    return Store(folder, magic) if _has_features(magic[0]) else None


def _has_features(triple: str) -> bool:
    import llvmlite.binding as llvm

    try:
        own = llvm.get_host_cpu_features()
    except RuntimeError:  # not known of this machine
        return False
    return triple == llvm.get_process_triple() and all(own.get(name) for name in _FEATURES)


def is_building() -> bool:
    """Whether kernels are to be put into a folder, to be carried."""
    return bool(os.environ.get(BUILDING))


@cache
def building(magic: tuple[str, ...]) -> Store:
    """Folder into which kernels are put to be carried."""
    store = Store(Path(os.environ[BUILDING]), magic)
    store.folder.mkdir(parents=True, exist_ok=True)
    about = made_with() | {"magic": list(magic)}
    (store.folder / ABOUT).write_text(json.dumps(about, indent=1) + "\n", "utf-8")
    return store

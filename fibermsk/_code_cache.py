"""Compiled kernels on disk: safe for concurrent processes, and optional."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache

from fibermsk._apart import rebuild, reduce, settle
from fibermsk._carried import building, carried, is_building
from fibermsk._sources import sources_stamp
from fibermsk._warn import warn

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None


def cache_of(function: Any, version: str = "") -> Any:
    """Cache of the compiled versions of a function, in Numba's folder.

    It is invalid when a file that is compiled into the function changes, or the `version` of one
    that does not come from files alone, such as a function that calls a user-defined law.

    The folder is `NUMBA_CACHE_DIR`, or else `__pycache__` beside the function's file, or else a
    folder of the user. If none is writable, nothing is cached. What is not there is looked for
    among the kernels that a package carries; see `fibermsk._carried`.
    """
    try:
        return _Kept(function, version)
    except RuntimeError:
        return _NotKept(function, version)


def _load_carried(function: Any, version: str, sig: Any, target_context: Any) -> Any:
    store = None if version else carried()
    try:
        return None if store is None else store.load(function, sig, target_context)
    except Exception:  # damaged files raise anything: what they have is compiled anew
        return None


def _is_carried(function: Any, version: str, sig: Any) -> bool:
    store = None if version else carried()
    try:
        return store is not None and store.has(function, sig)
    except Exception:  # of damaged files
        return False


class _Files(IndexDataCacheFile):
    """Numba's files of a function, whose index never names a file that is not yet written.

    A process that is killed between the two would leave the name of a file of older sources.
    """

    def save(self, key: Any, data: Any) -> None:
        overloads = self._load_index()
        taken = set(overloads.values())
        free = (name for name in map(self._data_name, count(1)) if name not in taken)
        name = overloads.get(key) or next(free)
        self._save_data(name, data)
        if key not in overloads:
            self._save_index(overloads | {key: name})


class _Kept(FunctionCache):
    """Numba's cache with a lock for one process at a time.

    Numba numbers the files of a function: two processes that compile versions of one function at
    once would use the same number, and one would later load the other's code.
    """

    def __init__(self, function: Any, version: str) -> None:
        super().__init__(function)
        self._function, self._own_version = function, version
        self._impl.reduce, self._impl.rebuild = reduce, rebuild
        version += sources_stamp(function.__module__)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _Files(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=(stamp, version) if version else stamp,
        )

    def has(self, sig: Any, target_context: Any) -> bool:
        """Whether a compiled version is on disk or carried."""
        key = self._index_key(sig, target_context.codegen())
        try:
            known = key in self._cache_file._load_index()
        except Exception:  # damaged files raise anything
            known = False
        return known or _is_carried(self._function, self._own_version, sig)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        try:
            with _locked(self.cache_path):
                kept = self._cache_file.load(self._index_key(sig, target_context.codegen()))
            # beyond the lock: what it calls is loaded first
            found = None if kept is None else self._impl.rebuild(target_context, kept)
        except (OSError, ImportError):  # or code of a module that is no longer there
            found = None
        if found is None:
            found = _load_carried(self._function, self._own_version, sig, target_context)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        settle(self._function, sig, data)
        try:
            with _locked(self.cache_path):
                super().save_overload(sig, data)
                if is_building() and not self._own_version and self._impl.check_cachable(data):
                    store = building(data.codegen.magic_tuple())
                    store.save(self._function, sig, reduce(data))
        except OSError as error:
            _tell_once(str(error))


class _NotKept(NullCache):
    """No cache; the first compilation warns about the cost."""

    def __init__(self, function: Any, version: str) -> None:
        self._function, self._own_version = function, version

    def has(self, sig: Any, target_context: Any) -> bool:
        """Whether a compiled version is carried."""
        return _is_carried(self._function, self._own_version, sig)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        return _load_carried(self._function, self._own_version, sig, target_context)

    def save_overload(self, sig: Any, cres: Any) -> None:
        _tell_once("neither the folder of the package nor one of the user is writable")


@contextmanager
def _locked(folder: str) -> Iterator[None]:
    if fcntl is None:
        yield
        return
    Path(folder).mkdir(parents=True, exist_ok=True)
    with open(Path(folder) / "compiled.lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


_told = False


def _tell_once(reason: str) -> None:
    global _told
    if not _told:
        _told = True
        warn(
            f"compiled kernels are not cached: {reason}. Each start compiles again, which takes "
            "a minute or more; set NUMBA_CACHE_DIR to a writable folder",
            RuntimeWarning,
        )

"""Compiled kernels on disk: safe for processes that compile at once, and done without at need."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, NullCache

try:
    import fcntl
except ImportError:  # Windows has no locks of this kind
    fcntl = None

__all__ = ["cache_of"]


def cache_of(function: Any) -> Any:
    """Cache of a function's compiled forms, in the folder that Numba chooses.

    That is `NUMBA_CACHE_DIR`, or else `__pycache__` beside the function's file, or else a folder of
    the user. Where none can be written, nothing is kept.
    """
    try:
        return _Kept(function)
    except RuntimeError:
        return _NotKept()


class _Kept(FunctionCache):
    """Numba's cache, which one process at a time reads or writes.

    Numba looks which files of a function are there and takes the next number: of two processes
    that compile two forms of one function at once, both take the same number, and one would later
    be given the other's code.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            with _locked(self.cache_path):
                return super().load_overload(sig, target_context)
        except OSError:
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            with _locked(self.cache_path):
                super().save_overload(sig, data)
        except OSError as error:
            _tell_once(str(error))


class _NotKept(NullCache):
    """No cache; the first compilation tells what that costs."""

    def save_overload(self, sig: Any, cres: Any) -> None:
        _tell_once("neither the package's folder nor one of the user can be written")


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
        warnings.warn(
            f"compiled kernels are not kept: {reason}. Each start compiles them again, which takes "
            "a minute or more; set NUMBA_CACHE_DIR to a folder that can be written",
            RuntimeWarning,
            stacklevel=2,
        )

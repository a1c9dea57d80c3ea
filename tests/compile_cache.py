"""Numba's cache on disk, safe for several test processes at once (pytest -n).

Numba looks which files of a function are there and takes the next number. Two processes that
compile two forms of one function at once take the same number, and one is later given the other's
code.
"""

from pathlib import Path

from numba.core.caching import IndexDataCacheFile

try:
    import fcntl
except ImportError:  # Windows: no locks of this kind; run the tests in one process there
    fcntl = None

_save = IndexDataCacheFile.save


def save_alone(self, key, data):
    """Write an entry while no other process writes one to this folder."""
    if fcntl is None:
        return _save(self, key, data)
    folder = Path(self._cache_path)
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "compiled.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _save(self, key, data)


def install():
    """Let Numba write with `save_alone`."""
    IndexDataCacheFile.save = save_alone

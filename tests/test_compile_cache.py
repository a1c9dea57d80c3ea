"""Two processes that compile at once keep their code apart."""

import threading
import time

import compile_cache
import pytest
from numba.core.caching import IndexDataCacheFile

pytest.importorskip("fcntl", reason="locks of files are POSIX")


def save_two(folder, save):
    """Save two entries at once, each by an object of its own; what each key loads."""
    made = [IndexDataCacheFile(str(folder), "f", "stamp") for _ in range(2)]
    for cache in made:
        cache._load_index = slowly(cache._load_index)
    threads = [threading.Thread(target=save, args=(made[i], i, f"code {i}")) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    fresh = IndexDataCacheFile(str(folder), "f", "stamp")
    return [fresh.load(i) for i in range(2)]


def slowly(look):
    """Look, and be slow to go on."""

    def looking():
        found = look()
        time.sleep(0.2)
        return found

    return looking


def test_entries_saved_at_once_do_not_mix(tmp_path):
    assert IndexDataCacheFile.save is compile_cache.save_alone
    assert save_two(tmp_path, compile_cache.save_alone) == ["code 0", "code 1"]


def test_without_the_lock_they_would(tmp_path):
    assert save_two(tmp_path, compile_cache._save) != ["code 0", "code 1"]

"""Memory of this process."""

from __future__ import annotations

import ctypes
import gc
import sys
from contextlib import suppress
from pathlib import Path


def forget_peak() -> int | None:
    """Reset the peak and return the memory in use [bytes]; None except on Linux.

    Free memory is returned to the system first.
    """
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return _status("VmRSS")
    except OSError:
        return None


def peak_memory() -> int | None:
    """Largest resident memory since `forget_peak` [bytes]; None if unknown."""
    try:
        return _status("VmHWM")
    except OSError:
        pass
    try:
        import resource
    except ImportError:
        return None
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest if sys.platform == "darwin" else 1024 * largest


def _status(field: str) -> int:
    """Entry of this process's status [bytes]."""
    for line in Path("/proc/self/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == field:
            return 1024 * int(value.split()[0])
    raise OSError(f"no {field}")

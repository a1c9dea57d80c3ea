"""Memory that the allocator keeps for later, given back to the operating system."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any

_LARGE = 2**16
"""Number of unknowns from which on giving back takes less than a hundredth of an iteration."""


def give_back(n: int) -> None:
    """Give back free pages before an evaluation with `n` unknowns, if these are many.

    glibc keeps the memory of released matrices, which arrays of other sizes do not fill again.
    With other allocators it does nothing.
    """
    trim = _trim()
    if n >= _LARGE and trim is not None:
        trim(0)


@lru_cache(maxsize=1)
def _trim() -> Callable[[int], Any] | None:
    """Function of glibc, where the program has it."""
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None

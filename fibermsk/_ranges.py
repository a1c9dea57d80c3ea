"""Where each of several consecutive ranges begins, in plain NumPy calls that take little time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fibermsk._arrays import Index, Short


def starts(counts: ArrayLike) -> Index:
    """First item of each range, and the number of all items, (n + 1,) from counts (n,)."""
    counts = np.asarray(counts)
    found = np.zeros(counts.size + 1, np.int64)
    counts.cumsum(out=found[1:])
    return found


def short_starts(counts: ArrayLike) -> Short:
    """As `starts`, in half the memory."""
    counts = np.asarray(counts)
    found = np.zeros(counts.size + 1, np.int32)
    counts.cumsum(dtype=np.int32, out=found[1:])
    return found


def sizes(start: Any) -> Any:
    """Counts (n,) of `starts` (n + 1,)."""
    return start[1:] - start[:-1]


def begins(key: Index | Short) -> NDArray[np.bool_]:
    """Whether an item's key (n,) differs from that of the item before it; true for the first."""
    found = np.ones(key.size, bool)
    np.not_equal(key[1:], key[:-1], out=found[1:])
    return found

"""Arrays as few bytes, for the page's script to read.

Most numbers over the frames are rounded to 65535 steps between minimum and maximum, and stored as
differences between frames, which compress well. ``data.js`` decodes them.
"""

from __future__ import annotations

import zlib
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

MISSING = 65535
"""Code of numbers that are not finite."""
_TYPES = {"f8": "<f8", "f4": "<f4", "u4": "<u4", "i1": "<i1", "u2": "<u2"}
_PART = 4_000_000
"""Bytes of a part before compression: some tenths of a second on a slow connection."""


def scale(values: NDArray[np.float64]) -> tuple[float, float]:
    """Minimum and step of the codes of numbers; the step is 0 if all are equal."""
    finite = np.isfinite(values)
    if not finite.any():
        return 0.0, 0.0
    low = float(np.min(values, where=finite, initial=np.inf))
    high = float(np.max(values, where=finite, initial=-np.inf))
    return low, (high - low) / (MISSING - 1)


def quantize(values: NDArray[np.float64], low: float, step: float) -> NDArray[np.uint16]:
    """Codes from 0 to 65534, value = low + step * code; `MISSING` if not finite."""
    finite = np.isfinite(values)
    codes = np.full(values.shape, MISSING, dtype=np.uint16)
    codes[finite] = 0 if step == 0.0 else np.rint((values[finite] - low) / step)
    return codes


class Packer:
    """Constant arrays, concatenated."""

    def __init__(self) -> None:
        self._chunks: list[bytes] = []
        self._size = 0

    def add(self, values: ArrayLike, kind: str) -> dict[str, Any]:
        """Add numbers as ``f8``, ``f4``, ``u4`` or ``i1``; returns their note for the head."""
        array = np.ascontiguousarray(values, dtype=_TYPES[kind])
        note = {"at": self._size, "shape": list(array.shape), "kind": kind}
        self._chunks.append(array.tobytes())
        self._size += len(self._chunks[-1])
        return note

    def bytes(self, head: str) -> bytes:
        """All data compressed: length of the head (4 bytes), head, arrays."""
        words = head.encode()
        return zlib.compress(b"".join([len(words).to_bytes(4, "little"), words, *self._chunks]))


class Frames:
    """Arrays over the frames `kept` of one run, read in parts."""

    def __init__(self, kept: NDArray[np.int64]) -> None:
        self.kept = kept
        self._arrays: list[tuple[NDArray[np.float64], dict[str, Any]]] = []

    def add(self, values: NDArray[np.float64], kind: str = "u2") -> dict[str, Any]:
        """Add numbers over all frames (n_all, ...), rounded as ``u2``, or ``f4``, ``f8``."""
        shape = list(values.shape[1:])
        note: dict[str, Any] = {"nth": len(self._arrays), "shape": shape, "kind": kind}
        if kind == "u2":
            note["low"], note["step"] = scale(values[self.kept])
        self._arrays.append((values, note))
        return note

    @property
    def bounds(self) -> list[int]:
        """First frame of each part, and the number of frames."""
        size = sum(int(np.prod(note["shape"])) * int(note["kind"][1:]) for _, note in self._arrays)
        return [*range(0, self.kept.size, max(_PART // max(size, 1), 1)), self.kept.size]

    def part(self, number: int) -> bytes:
        """Frames of one part of all arrays, compressed."""
        first, end = list(pairwise(self.bounds))[number]
        frames = self.kept[first:end]
        return zlib.compress(
            b"".join(_chunk(values[frames], note) for values, note in self._arrays)
        )


def _chunk(values: NDArray[np.float64], note: dict[str, Any]) -> bytes:
    if note["kind"] != "u2":
        return np.ascontiguousarray(values, dtype=_TYPES[note["kind"]]).tobytes()
    codes = quantize(values, note["low"], note["step"])
    codes[1:] -= codes[:-1].copy()  # modulo 65536, as the sums of the script
    parts = codes.astype("<u2").reshape(-1).view(np.uint8).reshape(-1, 2)
    # all low bytes, then all high ones, most of which are equal
    return np.ascontiguousarray(parts.T).tobytes()

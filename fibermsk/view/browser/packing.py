"""Arrays as few bytes, for the page's script to read.

Most numbers over the frames are rounded to 65535 steps between their least and greatest value, and
kept as differences from frame to frame: these are small where the motion is smooth, and small
numbers deflate well. What decodes them is ``data.js``.
"""

from __future__ import annotations

import zlib
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

MISSING = 65535
"""Code of a number that is not finite."""
_TYPES = {"f8": "<f8", "f4": "<f4", "u4": "<u4", "i1": "<i1", "u2": "<u2"}
_PART = 4_000_000
"""Bytes of a part before it is deflated: some tenths of a second on a slow line."""


def scale(values: NDArray[np.float64]) -> tuple[float, float]:
    """Least value and step of the codes of numbers; the step is 0 where all of them are equal."""
    finite = np.isfinite(values)
    if not finite.any():
        return 0.0, 0.0
    low = float(np.min(values, where=finite, initial=np.inf))
    high = float(np.max(values, where=finite, initial=-np.inf))
    return low, (high - low) / (MISSING - 1)


def quantize(values: NDArray[np.float64], low: float, step: float) -> NDArray[np.uint16]:
    """Numbers as codes from 0 to 65534: value = low + step * code, to half a step.

    Numbers that are not finite become `MISSING`.
    """
    finite = np.isfinite(values)
    codes = np.full(values.shape, MISSING, dtype=np.uint16)
    codes[finite] = 0 if step == 0.0 else np.rint((values[finite] - low) / step)
    return codes


class Packer:
    """Arrays that do not change over the frames, and the head that says how to read them."""

    def __init__(self) -> None:
        self._chunks: list[bytes] = []
        self._size = 0

    def add(self, values: ArrayLike, kind: str) -> dict[str, Any]:
        """Add numbers as they are, as ``f8``, ``f4``, ``u4`` or ``i1``; returns the note."""
        array = np.ascontiguousarray(values, dtype=_TYPES[kind])
        note = {"at": self._size, "shape": list(array.shape), "kind": kind}
        self._chunks.append(array.tobytes())
        self._size += len(self._chunks[-1])
        return note

    def bytes(self, head: str) -> bytes:
        """Everything, deflated: length of the head (4 bytes), the head, the arrays."""
        words = head.encode()
        return zlib.compress(b"".join([len(words).to_bytes(4, "little"), words, *self._chunks]))


class Frames:
    """Arrays over the frames `kept` of one run, read a few frames at a time."""

    def __init__(self, kept: NDArray[np.int64]) -> None:
        self.kept = kept
        self._arrays: list[tuple[NDArray[np.float64], dict[str, Any]]] = []

    def add(self, values: NDArray[np.float64], kind: str = "u2") -> dict[str, Any]:
        """Add numbers over all frames of the run (n_all, ...); returns the note.

        They are rounded as ``u2``, and written as they are as ``f4`` and ``f8``.
        """
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
        """Frames of one part of all arrays, deflated."""
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
    # All low bytes, then all high ones, of which most are alike.
    return np.ascontiguousarray(parts.T).tobytes()

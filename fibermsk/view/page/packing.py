"""Arrays as few bytes, for the page's script to read.

Numbers that change over the frames are rounded to 65535 steps between their least and greatest
value, and kept as differences from frame to frame: these are small where the motion is smooth, and
small numbers deflate well. What decodes them is ``data.js``.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["MISSING", "Packer", "quantize"]

MISSING = 65535
"""Code of a number that is not finite."""
_TYPES = {"f8": "<f8", "f4": "<f4", "u4": "<u4", "i1": "<i1"}


def quantize(values: NDArray[np.float64]) -> tuple[NDArray[np.uint16], float, float]:
    """Numbers as codes: value = low + step * code, to half a step.

    Parameters
    ----------
    values : float array
        Any shape.

    Returns
    -------
    codes : uint16 array
        Of the same shape, from 0 to 65534; `MISSING` where a value is not finite.
    low, step : float
        Step is 0 where all finite values are equal.
    """
    finite = np.isfinite(values)
    if not finite.any():
        return np.full(values.shape, MISSING, dtype=np.uint16), 0.0, 0.0
    low, high = float(values[finite].min()), float(values[finite].max())
    step = (high - low) / (MISSING - 1)
    codes = np.full(values.shape, MISSING, dtype=np.uint16)
    codes[finite] = 0 if step == 0.0 else np.rint((values[finite] - low) / step)
    return codes, low, step


class Packer:
    """Arrays one after the other, each with a note on how to read it."""

    def __init__(self) -> None:
        self._chunks: list[bytes] = []
        self._size = 0

    def series(self, values: ArrayLike) -> dict[str, Any]:
        """Add numbers over the frames (n_frames, ...), rounded; returns the note."""
        values = np.asarray(values, dtype=float)
        codes, low, step = quantize(values)
        codes[1:] -= codes[:-1].copy()  # modulo 65536, as the sums of the script
        parts = codes.astype("<u2").reshape(-1).view(np.uint8).reshape(-1, 2)
        note = {"at": self._size, "shape": list(values.shape), "low": low, "step": step}
        # All low bytes, then all high ones, of which most are alike.
        self._add(np.ascontiguousarray(parts.T).tobytes())
        return note

    def plain(self, values: ArrayLike, kind: str) -> dict[str, Any]:
        """Add numbers as they are, as ``f8``, ``f4``, ``u4`` or ``i1``; returns the note."""
        array = np.ascontiguousarray(values, dtype=_TYPES[kind])
        note = {"at": self._size, "shape": list(array.shape), "kind": kind}
        self._add(array.tobytes())
        return note

    def text(self, head: dict[str, Any]) -> str:
        """Everything, deflated, as base64: length of the head (4 bytes), the head, the arrays."""
        words = json.dumps(head, allow_nan=False, separators=(",", ":")).encode()
        deflate = zlib.compressobj(6)
        parts = [deflate.compress(len(words).to_bytes(4, "little") + words)]
        parts += [deflate.compress(chunk) for chunk in self._chunks]
        parts.append(deflate.flush())
        return base64.b64encode(b"".join(parts)).decode()

    def _add(self, chunk: bytes) -> None:
        self._chunks.append(chunk)
        self._size += len(chunk)

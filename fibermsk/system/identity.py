"""Fingerprints of a system, part by part, to tell whether a checkpoint belongs to it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk.model import MovingPoint
from fibermsk.system.cables import ATTACHMENT_FIELDS, Cables
from fibermsk.system.contributions import Contribution, HasFingerprint

__all__ = ["fingerprint"]

Array = NDArray[np.float64]

_FEWEST = 1001
"""Times at which signals are sampled at least, in equal intervals besides the given ones."""


def fingerprint(
    contributions: Iterable[Contribution],
    cables: Cables,
    moving: Iterable[MovingPoint],
    breakpoints: Array,
    times: Array,
) -> dict[str, str]:
    """SHA-256 of the arrays of each part of a system.

    Parameters
    ----------
    contributions, cables, moving, breakpoints
        As built: the physics, the attached ends, the points that lead ends, and corners of signals.
    times : (n_times,) float array
        Times at which activations, line loads given as functions and moving points are sampled, and
        a thousand more between the first and the last [s].

    Returns
    -------
    parts : dict of str
        Name of the part, as it may stand in a message, to its digest.
    """
    times = np.union1d(times, np.linspace(times[0], times[-1], _FEWEST))
    parts: dict[str, list[Any]] = {
        "the attachments": [getattr(cables, name) for name in ATTACHMENT_FIELDS],
        "the moving points": [point.given_at(float(t)) for point in moving for t in times],
        "the breakpoints of signals": [breakpoints],
    }
    for one in contributions:
        if isinstance(one, HasFingerprint):
            for name, values in one.fingerprint(times).items():
                parts.setdefault(name, []).extend(values)
    return {name: _digest(values) for name, values in parts.items()}


def _digest(values: list[Any]) -> str:
    """SHA-256 of arrays and names, with their types and shapes."""
    sha = hashlib.sha256()
    for value in values:
        array = np.ascontiguousarray(value)
        sha.update(f"{array.dtype.str}{array.shape}".encode())
        sha.update(array.tobytes())
    return sha.hexdigest()

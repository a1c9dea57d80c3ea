"""Fingerprints of a system, part by part, to tell whether a checkpoint belongs to it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.model import MovingPoint
from fibermsk.protocol import StateBlock
from fibermsk.system.contribution import Contribution
from fibermsk.system.fibers.cables import ATTACHMENT_FIELDS, Cables
from fibermsk.system.optional import HasFingerprint

_FEWEST = 1001
"""Number of equally spaced times, besides the given ones, at which signals are sampled."""


def fingerprint(
    contributions: Iterable[Contribution],
    cables: Cables,
    moving: Iterable[MovingPoint],
    states: Iterable[StateBlock],
    breakpoints: Array,
    times: Array,
) -> dict[str, str]:
    """SHA-256 of the arrays of each part of a system.

    Parameters
    ----------
    contributions, cables, moving, states, breakpoints
        As built: contributions, attached ends, moving points, unknowns of first order, and corners
        of signals.
    times : (n_times,) float array
        Times at which activations, line loads given as functions and moving points are sampled, and
        a thousand more between the first and the last [s].

    Returns
    -------
    parts : dict of str
        Digest of each part, by its name in messages.
    """
    times = np.union1d(times, np.linspace(times[0], times[-1], _FEWEST))
    parts: dict[str, list[Any]] = {
        "the attachments": [getattr(cables, name) for name in ATTACHMENT_FIELDS],
        "the moving points": [point.given_at(float(t)) for point in moving for t in times],
        "the states": [part for block in states for part in block],
        "the breakpoints of signals": [breakpoints],
    }
    for one in contributions:
        if isinstance(one, HasFingerprint):
            for name, values in _checked(one, one.fingerprint(times)).items():
                parts.setdefault(name, []).extend(values)
    return {name: _digest(values) for name, values in parts.items()}


def _checked(one: Contribution, found: Any) -> dict[str, list[Any]]:
    """Fingerprint of a contribution if it can be digested."""
    owner, must = type(one).__name__, "a dict of lists of arrays, numbers and strings by name"
    _check.instance(owner, "fingerprint", found, dict, must)
    for values in found.values():
        _check.instance(owner, "fingerprint", values, list, must)
        for value in values:
            if np.asarray(value).dtype.kind not in "biufcUS":
                _check.refuse(owner, "fingerprint", value, f"be {must}")
    return found


def _digest(values: list[Any]) -> str:
    """SHA-256 of arrays and names, with their types and shapes."""
    sha = hashlib.sha256()
    for value in values:
        array = np.ascontiguousarray(value)
        sha.update(f"{array.dtype.str}{array.shape}".encode())
        sha.update(array.tobytes())
    return sha.hexdigest()

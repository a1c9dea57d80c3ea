"""NumPy and device vectors of a system."""

from __future__ import annotations

from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk.protocol import Offloaded, System

__all__ = [
    "from_host",
    "largest",
    "on_host",
    "require_host",
    "require_state",
    "require_system",
    "to_host",
]

_OF_A_SYSTEM = ("n", "evaluate", "initial_state", "retract", "enforce", "check_inputs")
"""Attributes that identify a system."""

_OF_HOST = (bool, int, float, str, np.ndarray, np.generic)


def largest(vector: Any) -> float:
    """Largest absolute value, 0 if there is none."""
    return float(abs(vector).max()) if vector.size else 0.0


_OFFLOADED: dict[type, bool] = {}
"""Cache by class, since the check takes longer than most steps of small systems."""


def _device(system: Any) -> Offloaded | None:
    """The system, if its vectors are on a device; else None."""
    kind = type(system)
    if kind not in _OFFLOADED:
        _OFFLOADED[kind] = isinstance(system, Offloaded)
    return system if _OFFLOADED[kind] else None


def on_host(system: System) -> System:
    """The system with NumPy vectors: itself, or its host."""
    device = _device(system)
    return system if device is None else device.host


def to_host(system: System, value: Any) -> Any:
    """Convert vectors of a system to NumPy, also in nested NamedTuples."""
    device = _device(system)
    if device is None or value is None or isinstance(value, _OF_HOST):
        return value
    if hasattr(value, "_fields"):
        return value._make(to_host(system, part) for part in value)
    return device.to_host(value)


def from_host(system: System, value: Any, like: Any) -> Any:
    """Convert NumPy arrays to vectors of the system where `like` has them."""
    device = _device(system)
    if device is None or like is None or isinstance(like, _OF_HOST):
        return value
    if hasattr(value, "_fields"):
        parts = zip(value, like, strict=True)
        return value._make(from_host(system, part, one) for part, one in parts)
    return device.from_host(value)


def require_system(owner: str, system: Any) -> None:
    """Check that an object is a system.

    Raises
    ------
    ModelError
        If it is not.
    """
    try:
        found = not isinstance(system, type) and all(hasattr(system, n) for n in _OF_A_SYSTEM)
    except Exception:  # an object whose attributes raise
        found = False
    if not found:
        _check.refuse(owner, "system", system, "be a system", remedy="fm.build(model) makes one")


def require_state(owner: str, system: System, value: Any) -> tuple[Any, Any]:
    """Check positions and velocities from the user: shape and finite values."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        _check.refuse(owner, "start", value, "be a pair of positions and velocities")
    y, v = (
        _check.array(owner, f"start[{i}]", to_host(system, part), (system.n,))
        for i, part in enumerate(value)
    )
    like = system.scale
    return from_host(system, np.array(y), like), from_host(system, np.array(v), like)


def require_host(owner: str, system: System) -> None:
    """Check that a system has NumPy vectors.

    Raises
    ------
    ModelError
        If it is not.
    """
    if _device(system) is not None:
        remedy = "pass system.host; a run on the GPU can start from the result"
        _check.refuse(owner, "system", system, "be one of backend='cpu'", remedy=remedy)

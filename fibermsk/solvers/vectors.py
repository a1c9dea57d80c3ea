"""NumPy and device vectors of a system."""

from __future__ import annotations

from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk.protocol import Offloaded, Partitioned, System, offers

_OF_A_SYSTEM = ("n", "evaluate", "initial_state", "retract", "enforce", "check_inputs")
"""Attributes that identify a system."""

_OF_HOST = (bool, int, float, str, np.ndarray, np.generic)


def largest(vector: Any, system: Any = None) -> float:
    """Largest absolute value, 0 if there is none; over all processes that share the system."""
    own = float(abs(vector).max()) if vector.size else 0.0
    return system.over_all(own) if offers(system, Partitioned) else own


def on_host(system: System) -> System:
    """The system with NumPy vectors: itself, or its host."""
    return system.host if offers(system, Offloaded) else system


def to_host(system: Any, value: Any) -> Any:
    """Convert vectors of a system to NumPy, also in nested NamedTuples."""
    if value is None or isinstance(value, _OF_HOST) or not offers(system, Offloaded):
        return value
    if hasattr(value, "_fields"):
        return value._make(to_host(system, part) for part in value)
    return system.to_host(value)


def from_host(system: Any, value: Any, like: Any) -> Any:
    """Convert NumPy arrays to vectors of the system where `like` has them."""
    if like is None or isinstance(like, _OF_HOST) or not offers(system, Offloaded):
        return value
    if hasattr(value, "_fields"):
        parts = zip(value, like, strict=True)
        return value._make(from_host(system, part, one) for part, one in parts)
    return system.from_host(value)


def require_system(owner: str, system: Any) -> None:
    """Check that an object is a system."""
    try:
        found = not isinstance(system, type) and all(hasattr(system, n) for n in _OF_A_SYSTEM)
    except Exception:  # an object whose attributes raise
        found = False
    if not found:
        _check.refuse(
            owner, "system", system, "be a model or a system", remedy="fm.build(model) makes one"
        )


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
    """Check that a system has NumPy vectors."""
    if offers(system, Offloaded):
        remedy = "pass system.host; a run on the GPU can start from the result"
        _check.refuse(owner, "system", system, "be one of backend='cpu'", remedy=remedy)

"""Vectors of a system, of NumPy or of a device such as a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from fibermsk.laws import _check
from fibermsk.protocol import Offloaded, System

__all__ = ["from_host", "largest", "require_host", "to_host"]


def largest(vector: Any) -> float:
    """Largest absolute value, 0 if there is none."""
    return float(abs(vector).max()) if vector.size else 0.0


def to_host(system: System, value: Any) -> Any:
    """Numbers, and vectors of a system as arrays of NumPy, in NamedTuples however deep."""
    if not isinstance(system, Offloaded):
        return value
    if hasattr(value, "_fields"):
        return type(value)(*(to_host(system, part) for part in value))
    known = (bool, int, float, str, np.ndarray, np.generic)
    return value if isinstance(value, known) else system.to_host(value)


def from_host(system: System, value: Any) -> Any:
    """The same with vectors of the system in place of arrays of NumPy."""
    if not isinstance(system, Offloaded):
        return value
    if hasattr(value, "_fields"):
        return type(value)(*(from_host(system, part) for part in value))
    return system.from_host(value) if isinstance(value, np.ndarray) else value


def require_host(owner: str, system: System) -> None:
    """Refuse a system whose vectors are not of NumPy.

    Raises
    ------
    ModelError
        Names the remedy.
    """
    if isinstance(system, Offloaded):
        remedy = "pass system.host; a run on the GPU can start from what comes out"
        _check.refuse(owner, "system", system, "be one of backend='cpu'", remedy=remedy)

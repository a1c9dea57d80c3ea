"""Vectors of a system, of NumPy or of a device such as a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk.protocol import Offloaded, System

__all__ = [
    "from_host",
    "largest",
    "require_host",
    "require_state",
    "require_system",
    "to_host",
]

_OF_A_SYSTEM = ("n", "evaluate", "initial_state", "retract", "enforce", "check_inputs")
"""What tells a system from anything else."""


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


def require_system(owner: str, system: Any) -> None:
    """Refuse what is no system.

    Raises
    ------
    ModelError
        Names the remedy.
    """
    try:
        found = not isinstance(system, type) and all(hasattr(system, n) for n in _OF_A_SYSTEM)
    except Exception:  # an object that fails when it is asked
        found = False
    if not found:
        _check.refuse(owner, "system", system, "be a system", remedy="fm.build(model) makes one")


def require_state(owner: str, system: System, value: Any) -> tuple[Any, Any]:
    """Positions and velocities of a system, finite, as a user gives them."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        _check.refuse(owner, "start", value, "be a pair of positions and velocities")
    y, v = (
        _check.array(owner, f"start[{i}]", to_host(system, part), (system.n,))
        for i, part in enumerate(value)
    )
    return from_host(system, np.array(y)), from_host(system, np.array(v))


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

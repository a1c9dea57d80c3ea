"""Unknowns of first order of a system."""

from __future__ import annotations

from fibermsk.protocol import System


def n_states(system: System) -> int:
    """Number of unknowns of first order, the last of y."""
    return sum(len(block.names) for block in getattr(system, "states", ()))


def first_order(system: System) -> slice:
    """Slice of the unknowns of first order."""
    return slice(system.n - n_states(system), system.n)

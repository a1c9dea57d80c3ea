"""Unknowns of first order of a system."""

from __future__ import annotations

from fibermsk.protocol import HasStates, System, offers


def n_states(system: System) -> int:
    """Number of unknowns of first order, the last of y."""
    if not offers(system, HasStates):
        return 0
    return sum(len(block.names) for block in system.states)


def first_order(system: System) -> slice:
    """Slice of the unknowns of first order."""
    return slice(system.n - n_states(system), system.n)

"""Collision checks of the states that solvers accept."""

from __future__ import annotations

from fibermsk.protocol import Collides, System, Verdict, offers
from fibermsk.solvers.newton.stage import State


def begin(system: System, state: State) -> bool:
    """Set the contact points for the start of a run; return whether they changed.

    A state that is not admissible is refused.
    """
    return offers(system, Collides) and system.begin(state.t, state.y)


def judge(system: System, before: State, after: State) -> Verdict:
    """Check the motion between two states."""
    if offers(system, Collides):
        return system.judge((before.t, before.y), (after.t, after.y))
    return Verdict()


def refine_along(system: System, state: State) -> bool:
    """Add contact points where an accepted state needs them; return whether any were added."""
    return offers(system, Collides) and system.refine_along(state.t, state.y)

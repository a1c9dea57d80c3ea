"""Collision checks of the states that solvers accept."""

from __future__ import annotations

from functools import cache
from typing import TypeGuard

from fibermsk.protocol import Collides, System, Verdict
from fibermsk.solvers.newton.stage import State

__all__ = ["begin", "judge", "refine_along"]


@cache
def _has_collisions(kind: type) -> bool:
    """Whether a class implements `Collides`; cached, since the check is slow."""
    return issubclass(kind, Collides)


def _collides(system: System) -> TypeGuard[Collides]:
    return _has_collisions(type(system))


def begin(system: System, state: State) -> bool:
    """Set the contact points for the start of a run; return whether they changed.

    Raises
    ------
    ModelError
        If the state is not admissible.
    """
    return _collides(system) and system.begin(state.t, state.y)


def judge(system: System, before: State, after: State) -> Verdict:
    """Check the motion between two states."""
    if not _collides(system):
        return Verdict()
    return system.judge((before.t, before.y), (after.t, after.y))


def refine_along(system: System, state: State) -> bool:
    """Add contact points where an accepted state needs them; return whether any were added."""
    return _collides(system) and system.refine_along(state.t, state.y)

"""What a system in which things may collide says of the states that solvers accept."""

from __future__ import annotations

from functools import cache
from typing import TypeGuard

from fibermsk.protocol import Collides, System, Verdict
from fibermsk.solvers.stage import State

__all__ = ["begin", "judge", "refine_along"]


@cache
def _has_collisions(kind: type) -> bool:
    """Whether systems of a class are asked; to find out takes longer than most answers."""
    return issubclass(kind, Collides)


def _collides(system: System) -> TypeGuard[Collides]:
    return _has_collisions(type(system))


def begin(system: System, state: State) -> bool:
    """Let the system be as fine as the start of a run asks for; whether that is new.

    Raises
    ------
    ModelError
        If the system does not admit the state.
    """
    return _collides(system) and system.begin(state.t, state.y)


def judge(system: System, before: State, after: State) -> Verdict:
    """Verdict on the motion between two states."""
    if not _collides(system):
        return Verdict()
    return system.judge((before.t, before.y), (after.t, after.y))


def refine_along(system: System, state: State) -> bool:
    """Let the system become finer where an accepted state asks for it; whether it did."""
    return _collides(system) and system.refine_along(state.t, state.y)

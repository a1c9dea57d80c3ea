"""Past of a run, for systems whose forces depend on it."""

from __future__ import annotations

import math

import numpy as np

from fibermsk._arrays import Array
from fibermsk.protocol import Records, System, offers
from fibermsk.solvers.newton.stage import State


def shortest_delay(system: System) -> tuple[float, str]:
    """Longest step that the past allows [s], and the name of the delay; infinite without one."""
    return system.shortest_delay if offers(system, Records) else (math.inf, "")


def record(system: System, state: State) -> None:
    """Record an accepted state."""
    if offers(system, Records):
        system.record(*state)


def confirm(system: System, state: State) -> None:
    """Refuse a restored past of another measure."""
    if offers(system, Records):
        system.confirm(*state)


def hold(system: System, state: State, values: Array | None = None) -> Array:
    """Start a past at a state, or at given values; return what is measured there."""
    return system.hold(*state, values) if offers(system, Records) else np.zeros(0)

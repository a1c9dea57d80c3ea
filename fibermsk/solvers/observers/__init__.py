"""Observers of a run's accepted steps."""

from fibermsk.solvers.observers.frames import Frame, FrameKeeper
from fibermsk.solvers.observers.observer import (
    Accepted,
    Lands,
    Observer,
    Stop,
    require_memory,
    require_observers,
)
from fibermsk.solvers.observers.slack import SlackWatcher
from fibermsk.solvers.observers.stop import StopWhen
from fibermsk.solvers.observers.time_error import TimeErrorEstimator

__all__ = [
    "Accepted",
    "Frame",
    "FrameKeeper",
    "Lands",
    "Observer",
    "SlackWatcher",
    "Stop",
    "StopWhen",
    "TimeErrorEstimator",
    "require_memory",
    "require_observers",
]

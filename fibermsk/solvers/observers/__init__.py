"""Observers of a run's accepted steps."""

from fibermsk.solvers.observers.frames import Frame as Frame, FrameKeeper as FrameKeeper
from fibermsk.solvers.observers.observer import (
    Accepted as Accepted,
    Lands as Lands,
    Observer as Observer,
    Stop as Stop,
    require_memory as require_memory,
    require_observers as require_observers,
)
from fibermsk.solvers.observers.slack import SlackWatcher as SlackWatcher
from fibermsk.solvers.observers.spool import (
    FrameSpooler as FrameSpooler,
    SpooledFrames as SpooledFrames,
)
from fibermsk.solvers.observers.stop import StopWhen as StopWhen
from fibermsk.solvers.observers.time_error import TimeErrorEstimator as TimeErrorEstimator

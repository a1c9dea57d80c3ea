"""Results of a run as plain arrays, independent of the system."""

from fibermsk.results.fields import Field
from fibermsk.results.histories import Histories, StateRecord
from fibermsk.results.progress import Progress
from fibermsk.results.result import BodyMotion, FiberHistory, Result, ShapeRecord
from fibermsk.results.slack import Slack
from fibermsk.results.snapshot import Snapshot
from fibermsk.results.still import JointAxis, MuscleLine, Still

__all__ = [
    "BodyMotion",
    "FiberHistory",
    "Field",
    "Histories",
    "JointAxis",
    "MuscleLine",
    "Progress",
    "Result",
    "ShapeRecord",
    "Slack",
    "Snapshot",
    "StateRecord",
    "Still",
]

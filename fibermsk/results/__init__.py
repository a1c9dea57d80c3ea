"""Results of a run as plain arrays, without the system that made them."""

from fibermsk.results.progress import Progress
from fibermsk.results.result import BodyMotion, FiberHistory, Result, ShapeRecord
from fibermsk.results.slack import Slack
from fibermsk.results.snapshot import Snapshot
from fibermsk.results.still import JointAxis, MuscleLine, Still

__all__ = [
    "BodyMotion",
    "FiberHistory",
    "JointAxis",
    "MuscleLine",
    "Progress",
    "Result",
    "ShapeRecord",
    "Slack",
    "Snapshot",
    "Still",
]

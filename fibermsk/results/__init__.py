"""Results of a run as plain arrays, independent of the system."""

from fibermsk.results.fields import Field as Field
from fibermsk.results.histories import Histories as Histories, StateRecord as StateRecord
from fibermsk.results.muscle_history import MuscleHistory as MuscleHistory
from fibermsk.results.progress import Progress as Progress
from fibermsk.results.result import (
    BodyMotion as BodyMotion,
    FiberHistory as FiberHistory,
    Result as Result,
    ShapeRecord as ShapeRecord,
)
from fibermsk.results.slack import Slack as Slack
from fibermsk.results.snapshot import Snapshot as Snapshot
from fibermsk.results.softening import Softening as Softening
from fibermsk.results.still import (
    FreeCoordinate as FreeCoordinate,
    JointAxis as JointAxis,
    MuscleLine as MuscleLine,
    Posable as Posable,
    Still as Still,
)

"""Line muscles that exert no force and have no mass: results report their paths."""

from __future__ import annotations

from collections.abc import Iterable

from fibermsk.errors import ModelError
from fibermsk.model import LineMuscle
from fibermsk.system.lines.frames import PathsOfFrames
from fibermsk.system.lines.paths import LinePaths
from fibermsk.system.lines.reports import PathReports
from fibermsk.system.lines.solved import PathSolver
from fibermsk.system.skeleton.skeleton import Skeleton


def idle_reports(muscles: Iterable[LineMuscle], skeleton: Skeleton) -> list[PathReports]:
    """A table of each muscle that has a path at the start; they have frames without one apart."""
    found = [muscle for muscle in muscles if _has_path(muscle, skeleton)]
    return [PathReports(PathsOfFrames(LinePaths(skeleton, [muscle])), [0]) for muscle in found]


def _has_path(muscle: LineMuscle, skeleton: Skeleton) -> bool:
    """Whether a muscle has a path at the start; one that acts would be refused without one."""
    try:
        PathSolver(skeleton, muscle).at(skeleton.start)
    except ModelError:
        return False
    return True

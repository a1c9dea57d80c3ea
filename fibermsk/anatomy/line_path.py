"""Path of a line muscle at the start, around which its fibers are placed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.anatomy.path import polyline_length
from fibermsk.errors import ModelError
from fibermsk.model import LineMuscle
from fibermsk.model.muscles.line_muscle import PointOfPath
from fibermsk.system.lines.solved import active_points, muscle_path
from fibermsk.system.skeleton.skeleton import Skeleton


class LinePath(NamedTuple):
    """Path of a line muscle at the start.

    Attributes
    ----------
    active : list of PathPoint, ConditionalPathPoint or MovingPathPoint
        Active path points, from origin to insertion.
    points : (m, 3) float array
        The taut path around the wrap surfaces, distinct points in ground [m].
    length : float
        Its length [m].
    straight : str
        Why the path leads straight through the surfaces; empty if it does not.
    """

    active: list[PointOfPath]
    points: Array
    length: float
    straight: str = ""


def line_path(bodies: Skeleton, muscle: LineMuscle) -> LinePath:
    """Path of a muscle at the start; straight between its points where no taut path is found."""
    active, points = active_points(bodies, muscle, bodies.start)
    try:
        found = muscle_path(bodies, muscle, bodies.start)
    except ModelError as error:
        return LinePath(active, points, polyline_length(points), str(error))
    apart = np.linalg.norm(np.diff(found.polyline, axis=0), axis=1) > 1e-9 * found.length
    return LinePath(active, found.polyline[np.r_[True, apart]], found.length)

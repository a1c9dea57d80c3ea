"""Paths of muscles at one state."""

from __future__ import annotations

from typing import NamedTuple

from fibermsk._arrays import Array
from fibermsk.kernels.lines.path_arrays import PathState


class PlacedPaths(NamedTuple):
    """Paths of m muscles at one state.

    Attributes
    ----------
    length, speed : (m,) float array
        Length [m] and its rate [m/s].
    by_u : (m, n_u) float array
        Derivative of the length by the axes and the drivers.
    by_q : (m, n) float array
        By the coordinates; moment arms are its negative.
    speed_u : (n_u,) float array
        Rates of axes and drivers.
    state : PathState
        Points and sections.
    """

    length: Array
    speed: Array
    by_u: Array
    by_q: Array
    speed_u: Array
    state: PathState

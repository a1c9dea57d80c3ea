"""What data can tell of the unknowns of an identification, without a solution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.identification.equations.movement import Movement


class Conditions(NamedTuple):
    """What data can tell, without a solution.

    Attributes
    ----------
    left : int
        Equations per instant.
    rank, smallest : int and float
        Of what muscles without EMG reach, and its smallest singular value [m].
    idle : tuple of str
        Muscles with EMG that are in none of the equations.
    anchor : float
        Root mean square of the known part of the equations [N m]: it alone fixes the scale of all
        forces and inertias.
    size : float
        That of the whole right side at the guess [N m].
    """

    left: int
    rank: int
    smallest: float
    idle: tuple[str, ...]
    anchor: float
    size: float


def conditions_of(movements: Sequence[Movement], base: Array, idle: tuple[str, ...]) -> Conditions:
    """Conditions of movements at base parameters; `idle` are in none of the equations."""
    reach = [one.reach for one in movements]
    known = [one.reach.rest(one.known) for one in movements]
    whole = [one.reach.rest(one.derivatives @ base + one.known) for one in movements]
    return Conditions(
        reach[0].left.shape[2], reach[0].rank, min(one.smallest for one in reach), idle,
        _rms(known), _rms(whole),
    )  # fmt: skip


def _rms(parts: Sequence[Array]) -> float:
    return float(np.sqrt(np.mean(np.concatenate([one.ravel() for one in parts]) ** 2)))

"""Where lengths of line muscles jump over a range of poses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.system.lines.batch import MuscleGeometry

_LEAST = 1e-4
"""Least jump that is looked for [m]."""

_PARTS, _LEVELS = 50, 4
"""An interval with a jump is divided into so many parts, so many times."""


class Jump(NamedTuple):
    """A jump of the length of a muscle.

    Attributes
    ----------
    muscle : str
        Its name.
    value : float
        Value of the coordinate that moves [rad or m].
    size : float
        Change of the length with a growing coordinate [m].
    """

    muscle: str
    value: float
    size: float


def jumps_of(
    geometry: MuscleGeometry, poses: Array, k: int, length: Array, arm: Array
) -> Iterator[Jump]:
    """Jumps of lengths along poses that follow each other, in which coordinate k moves.

    Parameters
    ----------
    geometry : MuscleGeometry
        Muscles.
    poses : (n, n_coordinates) float array
        Poses from the start pose on.
    k : int
        The coordinate.
    length, arm : (n, m) float array
        Lengths and moment arms about the coordinate there [m].
    """
    for j, m in np.argwhere(np.abs(_beyond(poses[:, k], length, arm)) > _LEAST):
        line, L, r = poses[j : j + 2], length[j : j + 2, m], arm[j : j + 2, m]
        for _ in range(_LEVELS):
            line = np.linspace(line[0], line[1], _PARTS + 1)
            found = geometry.at(np.concatenate([poses[:j], line]), follow=True)
            L, r = found.length[j:, m], found.moment_arm[j:, m, k]
            at = int(np.abs(_beyond(line[:, k], L, r)).argmax())
            line, L, r = line[at : at + 2], L[at : at + 2], r[at : at + 2]
        if abs(size := float(L[1] - L[0])) > _LEAST:
            rises = line[1, k] > line[0, k]
            yield Jump(geometry.muscles[m].name, float(line[0, k]), size if rises else -size)


def _beyond(values: Array, length: Array, arm: Array) -> Array:
    """Changes of lengths beyond those by the mean moment arms."""
    step = np.diff(values).reshape(-1, *(1,) * (length.ndim - 1))
    return np.diff(length, axis=0) + 0.5 * (arm[1:] + arm[:-1]) * step

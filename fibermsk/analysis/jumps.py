"""Where lengths of line muscles jump over a range of poses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.errors import PathError
from fibermsk.model import LineMuscle
from fibermsk.system.lines.batch import MuscleGeometry
from fibermsk.system.skeleton.skeleton import Skeleton

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
    skeleton: Skeleton,
    muscles: Sequence[LineMuscle],
    poses: Array,
    k: int,
    length: Array,
    arm: Array,
) -> Iterator[Jump]:
    """Jumps of lengths along poses that follow each other, in which coordinate k moves.

    Parameters
    ----------
    skeleton : Skeleton
        The bodies.
    muscles : sequence of LineMuscle
        m muscles.
    poses : (n, n_coordinates) float array
        Poses from the start pose on.
    k : int
        The coordinate.
    length, arm : (n, m) float array
        Lengths and moment arms about the coordinate there [m]; NaN in poses without a path, across
        which no jump is looked for.
    """
    for j, m in np.argwhere(np.abs(_beyond(poses[:, k], length, arm)) > _LEAST):
        line, L, r = poses[j : j + 2], length[j : j + 2, m], arm[j : j + 2, m]
        before = poses[:j][np.isfinite(length[:j, m])]
        geometry = MuscleGeometry(skeleton, [muscles[m]])
        try:
            for _ in range(_LEVELS):
                line = np.linspace(line[0], line[1], _PARTS + 1)
                found = geometry.at(np.concatenate([before, line]), follow=True)
                L, r = found.length[len(before) :, 0], found.moment_arm[len(before) :, 0, k]
                at = int(np.abs(_beyond(line[:, k], L, r)).argmax())
                line, L, r = line[at : at + 2], L[at : at + 2], r[at : at + 2]
        except PathError:
            continue  # a gap between two poses
        if abs(size := float(L[1] - L[0])) > _LEAST:
            rises = line[1, k] > line[0, k]
            yield Jump(muscles[m].name, float(line[0, k]), size if rises else -size)


def _beyond(values: Array, length: Array, arm: Array) -> Array:
    """Changes of lengths beyond those by the mean moment arms."""
    step = np.diff(values).reshape(-1, *(1,) * (length.ndim - 1))
    return np.diff(length, axis=0) + 0.5 * (arm[1:] + arm[:-1]) * step

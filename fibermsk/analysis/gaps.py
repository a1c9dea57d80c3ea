"""Lengths and moment arms of line muscles over a range of poses, with gaps where there is no path.

A refused pose ends a solution of all muscles in one compiled loop. Only then each muscle is solved
alone, around the poses in which it is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.errors import PathError
from fibermsk.model import LineMuscle
from fibermsk.system.lines.batch import MuscleGeometry
from fibermsk.system.skeleton.skeleton import Skeleton

_LEAD = 50
"""Most solved poses that are solved again before the poses behind a gap."""


class Gap(NamedTuple):
    """Poses in which a muscle has no path.

    Attributes
    ----------
    muscle : str
        Its name.
    poses : int
        Number of these poses.
    first : int
        Number of the first one, from 0.
    value : float
        Value of the coordinate in the first one [rad or m].
    reason : str
        Why there is no path in the first one.
    """

    muscle: str
    poses: int
    first: int
    value: float
    reason: str


class Swept(NamedTuple):
    """Lengths and moment arms of m muscles along n poses; NaN where there is no path.

    Attributes
    ----------
    length : (n, m) float array
        Lengths [m].
    moment_arm : (n, m) float array
        Moment arms about the coordinate that moves [m, or 1 for a translation].
    refused : tuple of dict of int to PathError
        For each muscle the numbers of the poses without a path, and why.
    """

    length: Array
    moment_arm: Array
    refused: tuple[dict[int, PathError], ...]


def sweep(geometry: MuscleGeometry, skeleton: Skeleton, poses: Array, k: int) -> Swept:
    """Solve the paths along poses that follow each other, in which coordinate k moves."""
    muscles = geometry.muscles
    try:
        found = geometry.at(poses, follow=True)
    except PathError:
        return _one_by_one(muscles, skeleton, poses, k)
    return Swept(found.length, found.moment_arm[:, :, k], tuple({} for _ in muscles))


def _one_by_one(muscles: Sequence[LineMuscle], skeleton: Skeleton, poses: Array, k: int) -> Swept:
    """The same for each muscle alone."""
    length, arm = np.full((2, len(poses), len(muscles)), np.nan)
    refused = tuple(
        _around_gaps(MuscleGeometry(skeleton, [muscle]), poses, k, length[:, m], arm[:, m])
        for m, muscle in enumerate(muscles)
    )
    return Swept(length, arm, refused)


def _around_gaps(
    geometry: MuscleGeometry, poses: Array, k: int, length: Array, arm: Array
) -> dict[int, PathError]:
    """Fill length and arm (n,) of one muscle where it has a path; the other poses, and why.

    Behind a gap the path is followed from the poses before the gap.
    """
    refused: dict[int, PathError] = {}
    first, count, lead = 0, len(poses), np.arange(0)
    while first < len(poses):
        tried = np.concatenate([lead, np.arange(first, min(first + count, len(poses)))])
        try:
            found = geometry.at(poses[tried], follow=True)
        except PathError as error:
            at = (error.pose or 0) - lead.size
            if at < 0:
                # fewer poses of the lead than were solved may not be followed
                lead = lead[lead.size + at + 1 :]
            elif at == 0:
                refused[first] = PathError(str(error.__cause__), reason=error.reason, pose=first)
                first, count = first + 1, 1
            else:
                count = at
            continue
        new = tried[lead.size :]
        length[new], arm[new] = found.length[lead.size :, 0], found.moment_arm[lead.size :, 0, k]
        first, count = first + new.size, 2 * count
        solved = np.flatnonzero(np.isfinite(length))
        lead = solved[np.unique(np.linspace(0, solved.size - 1, _LEAD).round().astype(int))]
    return refused

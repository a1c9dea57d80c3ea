"""Paths in the frames of a result, each solved from the one before, in one compiled call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fibermsk._arrays import Array
from fibermsk._prepared import Open, Prepared, call_known
from fibermsk.errors import PathError
from fibermsk.kernels.lines.frames import fill_frames
from fibermsk.kernels.lines.path_arrays import PathState
from fibermsk.kernels.lines.paths import fill_lengths
from fibermsk.system.contribution import At
from fibermsk.system.lines.paths import LinePaths
from fibermsk.system.lines.placed import PlacedPaths

_OF_LINKS = "rotation", "position", "S"

Found = PlacedPaths | PathError
"""Paths of a frame, or why one has no solution."""


class PathsOfFrames:
    """Paths of line muscles in successive frames."""

    def __init__(self, paths: LinePaths) -> None:
        self._paths = paths
        self._kernels: tuple[Prepared, Prepared] | None = None

    def solve(self, frames: Sequence[At]) -> list[Found]:
        """Solve the next frames."""
        paths, k = self._paths, len(frames)
        if not k or paths.networks.paths:
            return [self._alone(at) for at in frames]
        links = [at.motion.links for at in frames]
        poses = tuple(
            np.array([getattr(one, part) for one in links])
            for part in ("rotation", "position", "S")
        )
        drivers = np.array([paths.axes.drivers(at.motion, at.q) for at in frames])
        m, n_u = len(paths.muscles), paths.axes.n
        length, by_u, kept = np.empty((k, m)), np.empty((k, m, n_u)), paths.branches.new_state()
        # in order of memory: compiled code is made for the layout
        states = PathState._make(
            np.array(np.broadcast_to(one, (k, *one.shape)), order="C") for one in kept
        )
        first = PathState._make(one[0] for one in states)
        if self._kernels is None:
            self._kernels = self._prepare(poses[2][0], drivers[0], first, length[0], by_u[0])
        failed: dict[int, PathError] = {}
        stop = 0
        while stop < k:
            given = poses, drivers, states, kept, *self._kernels, length, by_u
            stop, chained = call_known(fill_frames, stop, *given)
            if stop < k:
                state = PathState._make(one[stop] for one in states)
                failed[stop] = paths.refusal(state, frames[stop].q, chained=chained)
                stop += 1
        paths.branches.follow(kept)
        return [
            failed.get(f)
            or paths.placed(
                at.motion, at.p, length[f], by_u[f], PathState._make(x[f] for x in states)
            )
            for f, at in enumerate(frames)
        ]

    def _alone(self, at: At) -> Found:
        try:
            return self._paths.at(at)
        except PathError as error:
            return error

    def _prepare(
        self, S: Array, driver: Array, state: PathState, length: Array, by_u: Array
    ) -> tuple[Prepared, Prepared]:
        """Kernels of paths and chains, for arrays as these."""
        paths = self._paths
        own: list[Any] = [Open(one) for one in (S, state, length, by_u)]
        poses = Open(np.empty((S.shape[0], 3, 3))), Open(np.empty((S.shape[0], 3))), Open(driver)
        lengths = Prepared(
            fill_lengths, paths.arrays, own[0], paths.moves, paths.drives, *poses, *own[1:]
        )
        return lengths, paths.chains(*own, again=True, ready=paths.may_chain)

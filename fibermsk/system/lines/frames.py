"""Paths in the frames of a result, each solved from the one before, in one compiled call."""

from __future__ import annotations

from typing import Any

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk._prepared import Open, Prepared, call_known
from fibermsk.errors import PathError
from fibermsk.kernels.lines.frames import fill_frames
from fibermsk.kernels.lines.path_arrays import PathState
from fibermsk.kernels.lines.paths import fill_lengths
from fibermsk.system.contribution import AtFrames
from fibermsk.system.lines.paths import LinePaths
from fibermsk.system.lines.placed import PlacedPaths


class FramePaths:
    """Solved paths of m muscles in k frames.

    Attributes
    ----------
    length, speed : (k, m) float array
        Lengths [m] and their rates [m/s]; NaN in frames without a solution.
    by_q : (k, m, n) float array
        Derivatives of the lengths in the coordinates [m/rad, or 1]; NaN likewise.
    failed : dict of PathError
        Why a frame has no solution, by frame.
    motion : Motion
        Bodies and joints.
    """

    def __init__(
        self, paths: LinePaths, frames: AtFrames, states: PathState, length: Array, by_u: Array,
        failed: dict[int, PathError],
    ) -> None:  # fmt: skip
        self.motion, self.failed, self.length = frames.motion, failed, length
        self._states, self._by_u = states, by_u
        length[list(failed)] = by_u[list(failed)] = np.nan
        self._speed_u = paths.axes.speeds(frames.motion, frames.p)
        self.speed = (by_u @ self._speed_u[:, :, None])[:, :, 0]
        self.by_q = by_u @ paths.axes.jacobian(frames.motion)

    def placed(self, f: int) -> PlacedPaths | None:
        """Paths of a frame, in views; None without a solution."""
        if f in self.failed:
            return None
        state = PathState._make(one[f] for one in self._states)
        return PlacedPaths(
            self.length[f], self.speed[f], self._by_u[f], self.by_q[f], self._speed_u[f], state
        )

    def switched(self) -> Index:
        """Frames before which a point began or ceased to act, or a cylinder was left.

        Not those beside a frame without a solution.
        """
        both = (self._states.active, self._states.left)
        changed = np.any([(one[1:] != one[:-1]).any(axis=1) for one in both], axis=0)
        known = np.isin(np.arange(len(self.length)), list(self.failed), invert=True)
        return 1 + np.flatnonzero(changed & known[1:] & known[:-1])


class PathsOfFrames:
    """Paths of line muscles in successive frames; `paths`: at one state."""

    def __init__(self, paths: LinePaths) -> None:
        self.paths = paths
        self._kernels: tuple[Prepared, Prepared] | None = None

    def solve(self, frames: AtFrames) -> FramePaths:
        """Solve the next frames."""
        paths, k = self.paths, frames.t.size
        m, n_u = len(paths.muscles), paths.axes.n
        length, by_u, kept = np.empty((k, m)), np.empty((k, m, n_u)), paths.branches.new_state()
        # in order of memory: compiled code is made for the layout
        states = PathState._make(
            np.array(np.broadcast_to(one, (k, *one.shape)), order="C") for one in kept
        )
        failed: dict[int, PathError] = {}
        if paths.networks.paths:
            for f in range(k):
                self._solve_alone(frames, f, (states, length, by_u), failed)
            return FramePaths(paths, frames, states, length, by_u, failed)
        links, drivers = frames.motion.links, paths.axes.drivers(frames.motion, frames.q)
        poses = links.rotation, links.position, links.S
        if k and self._kernels is None:
            first = PathState._make(one[0] for one in states)
            self._kernels = self._prepare(links.S[0], drivers[0], first, length[0], by_u[0])
        stop = 0
        while self._kernels is not None and stop < k:
            given = poses, drivers, states, kept, *self._kernels, length, by_u
            stop, chained = call_known(fill_frames, stop, *given)
            if stop < k:
                state = PathState._make(one[stop] for one in states)
                failed[stop] = paths.refusal(state, frames.q[stop], chained=chained)
                stop += 1
        paths.branches.follow(kept)
        return FramePaths(paths, frames, states, length, by_u, failed)

    def _solve_alone(
        self, frames: AtFrames, f: int, to: tuple[PathState, Array, Array],
        failed: dict[int, PathError],
    ) -> None:  # fmt: skip
        """Solve one frame from the one before."""
        paths, (states, length, by_u) = self.paths, to
        try:
            placed = paths.place(frames.motion.frame(f), frames.q[f], frames.p[f])
        except PathError as error:
            failed[f] = error
            return
        paths.branches.follow(placed.state)
        length[f], by_u[f] = placed.length, placed.by_u
        for whole, own in zip(states, placed.state, strict=True):
            whole[f] = own

    def _prepare(
        self, S: Array, driver: Array, state: PathState, length: Array, by_u: Array
    ) -> tuple[Prepared, Prepared]:
        """Kernels of paths and chains, for arrays as these."""
        paths = self.paths
        own: list[Any] = [Open(one) for one in (S, state, length, by_u)]
        poses = Open(np.empty((S.shape[0], 3, 3))), Open(np.empty((S.shape[0], 3))), Open(driver)
        lengths = Prepared(
            fill_lengths, paths.arrays, own[0], paths.moves, paths.drives, *poses, *own[1:]
        )
        return lengths, paths.chains(*own, again=True, ready=paths.may_chain)

"""Lengths and moment arms of line muscles in many poses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._prepared import Open
from fibermsk.errors import ModelError, PathError
from fibermsk.kernels.lines.batch import NO_CHAIN, NOT_READY, BatchArrays, Pose, fill_batch
from fibermsk.kernels.lines.path_arrays import SPHERE
from fibermsk.kernels.skeleton.coordinate_map import Rows
from fibermsk.model import Model
from fibermsk.model.muscles.line_muscle import LineMuscle, by_network
from fibermsk.system.lines.paths import LinePaths
from fibermsk.system.skeleton.given import skeleton_of
from fibermsk.system.skeleton.skeleton import Skeleton


class PathBatch(NamedTuple):
    """Lengths and moment arms of m muscles in k poses of n coordinates.

    Attributes
    ----------
    length : (k, m) float array
        Lengths from origin to insertion [m].
    moment_arm : (k, m, n) float array
        -dL/dq [m, 1 for translations]; positive where a pull increases the coordinate.
    """

    length: Array
    moment_arm: Array


class MuscleGeometry:
    """Lengths and moment arms of line muscles in many poses, in one compiled loop.

    Parameters
    ----------
    skeleton : Skeleton or Model
        The bodies.
    muscles : sequence of LineMuscle
        Muscles of the same model.

    Attributes
    ----------
    muscles : tuple of LineMuscle
        The muscles, in the order of the results.

    Raises
    ------
    ModelError
        If a muscle is of another model, or a path point lies inside a surface at the start.

    Examples
    --------
    >>> import numpy as np, fibermsk as fm
    >>> model = fm.make_scene("arm2").model
    >>> skeleton = fm.skeleton(model)
    >>> poses = np.tile(skeleton.start, (3, 1))
    >>> geometry = fm.MuscleGeometry(skeleton, model.muscles)
    >>> geometry.at(poses).moment_arm.shape == (3, len(model.muscles), skeleton.n)
    True
    """

    def __init__(self, skeleton: Skeleton | Model, muscles: Sequence[LineMuscle]) -> None:
        owner = "MuscleGeometry"
        self._skeleton = skeleton_of(owner, skeleton)
        what = "line muscles of the model"
        self.muscles = tuple(
            _check.items(owner, "muscles", muscles, LineMuscle, "a LineMuscle", what)
        )
        for muscle in self.muscles:
            if by_network(muscle):
                raise ModelError(
                    f"{owner}: line muscle {muscle.name!r} has the path of a network, which is "
                    "solved pose by pose only; use muscle_path, or wrapping='blend'"
                )
        self._paths = LinePaths(self._skeleton, self.muscles)
        self._arrays = self._fixed()
        self._chained = bool((self._paths.arrays.kind > SPHERE).any())

    def at(self, q: ArrayLike, *, follow: bool = False) -> PathBatch:
        """Lengths and moment arms in poses.

        Parameters
        ----------
        q : (k, n) array_like
            Poses: the entries of ``skeleton.independent``.
        follow : bool
            By default every pose is solved from the start pose, as `muscle_path` does, and its
            result does not depend on the other poses, to the last bit. True: the poses are a
            motion. Windings around cylinders and branches of geodesics are continued from one pose
            to the next, so that the result may depend on the order; faster around surfaces without
            a closed form.

        Returns
        -------
        batch : PathBatch
            Lengths and moment arms.

        Raises
        ------
        PathError
            If a path has no solution in a pose, whose number from 0 is its attribute ``pose``.
        """
        owner, n = "MuscleGeometry.at", self._skeleton.n
        poses = _check.array(owner, "q", q, ("k", n))
        follow = _check.flag(owner, "follow", follow)
        k, m = poses.shape[0], len(self.muscles)
        pose, found = self._pose(), PathBatch(np.empty((k, m)), np.empty((k, m, n)))
        stop, why = 0, NOT_READY
        for ready in (True,) if self._chained else (False, True):
            if why == NOT_READY:
                own = pose.S, pose.state, Open(np.empty(m)), pose.by_u, Open(True)
                chains = self._paths.chains(*own, ready=ready)
                given = self._arrays, pose, chains, ready, found.length, found.moment_arm
                stop, why = fill_batch(poses, stop, follow, *given)
        if stop < k:
            error = self._paths.refusal(pose.state, poses[stop], chained=why == NO_CHAIN)
            raise PathError(f"pose {stop}: {error}", reason=error.reason, pose=stop) from error
        return found

    def _fixed(self) -> BatchArrays:
        skeleton, tree, paths = self._skeleton, self._skeleton.tree, self._paths
        rows = skeleton.axis_rows, paths.axes.rows
        return BatchArrays(
            skeleton.map_arrays, np.concatenate(rows), skeleton.turned, tree.parent, tree.kind,
            tree.axis, tree.joint_rotation, tree.joint_position, tree.moves, paths.drives,
            paths.arrays, paths.branches.new_state(),
        )  # fmt: skip

    def _pose(self) -> Pose:
        """Work space, with windings and branches of the start."""
        arrays, n = self._arrays, self._skeleton.n
        n_rows, n_u, n_axes = arrays.map.offset.size, arrays.row.size, arrays.parent.size
        J, none = np.zeros((n_rows, n)), np.zeros((0, n))
        J[np.arange(n), np.arange(n)] = 1.0
        rest = np.zeros(n_rows)
        turns = np.empty((arrays.turned.size, 3, 3))
        rows = Rows(
            np.empty(n_rows), rest, rest.copy(), J, none, none.copy(), np.zeros((0, 1, 1)), turns
        )
        return Pose(
            rows, np.empty(n_u), arrays.joint_rotation.copy(), np.empty((n_axes, 3, 3)),
            np.empty((n_axes, 3)), np.empty((n_axes, 6)), self._paths.branches.new_state(),
            np.empty((len(self.muscles), n_u)),
        )  # fmt: skip

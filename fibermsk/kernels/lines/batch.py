"""Lengths and moment arms of paths in many poses: one compiled loop, no memory per pose.

Symbols as in `fibermsk.kernels.lines.paths`: u are the axes of the joints and then the drivers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array, Index
from fibermsk._compile import kernel, part
from fibermsk._prepared import call
from fibermsk.kernels.lines.branches import copy_branches
from fibermsk.kernels.lines.path_arrays import PathArrays, PathState
from fibermsk.kernels.lines.paths import place_paths, solve_paths
from fibermsk.kernels.skeleton.coordinate_map import MapArrays, Rows, fill_rows
from fibermsk.kernels.skeleton.rigid import tree_pose

SOLVED, NO_PATH, NO_CHAIN, NOT_READY = 0, 1, 2, 3
"""Why a batch stops: a section, or a chain of surfaces, has no solution; or see `fill_batch`."""


class BatchArrays(NamedTuple):
    """What does not change from pose to pose.

    Attributes
    ----------
    map : MapArrays
        Map from the state to the axes; without entries if every axis is an entry of the state.
    row : (n_u,) int array
        Row of the map of each u.
    turned : (n_turns,) int array
        First axis of each quaternion.
    parent, kind, axis, joint_rotation, joint_position, moves
        Tree of the axes; see `fibermsk.kernels.skeleton.rigid`.
    drives : (n_points, n_drivers) bool array
        Whether a driver moves a point.
    paths : PathArrays
        The paths.
    start : PathState
        State that is solved from, in every pose unless the last one is followed.
    """

    map: MapArrays
    row: Index
    turned: Index
    parent: Index
    kind: Index
    axis: Array
    joint_rotation: Array
    joint_position: Array
    moves: NDArray[np.bool_]
    drives: NDArray[np.bool_]
    paths: PathArrays
    start: PathState


class Pose(NamedTuple):
    """One pose, overwritten by the next.

    Attributes
    ----------
    rows : Rows
        Rows of the map, at rest.
    u : (n_u,) float array
        Axes and drivers.
    base : (n, 3, 3) float array
        Rotations of the joint frames, with the quaternions.
    rotation, position, S : (n, 3, 3), (n, 3) and (n, 6) float array
        Links; see `fibermsk.kernels.skeleton.rigid.TreeState`.
    state : PathState
        The paths.
    by_u : (m, n_u) float array
        Derivatives of the lengths.
    """

    rows: Rows
    u: Array
    base: Array
    rotation: Array
    position: Array
    S: Array
    state: PathState
    by_u: Array


@part
def solve_pose(q, follow, arrays, pose, length):
    """Solve all paths in the pose q (n,), as `solve_paths` does; fills length (m,)."""
    rows, n, n_axes = pose.rows, q.size, arrays.parent.size
    if not follow:
        copy_branches(arrays.start, pose.state)
    for j in range(n):
        rows.x[j] = q[j]
    for i in range(n, rows.x.size):
        for j in range(n):
            rows.J[i, j] = 0.0
    if rows.x.size > n:
        fill_rows(arrays.map, rows)
    for a in range(arrays.row.size):
        pose.u[a] = rows.x[arrays.row[a]]
    for s in range(arrays.turned.size):
        a = arrays.turned[s]
        for r in range(3):
            for c in range(3):
                pose.base[a, r, c] = 0.0
                for k in range(3):
                    pose.base[a, r, c] += arrays.joint_rotation[a, r, k] * rows.turns[s, k, c]
    tree_pose(
        pose.u[:n_axes], arrays.parent, pose.base, arrays.joint_position, arrays.kind, arrays.axis,
        pose.rotation, pose.position, pose.S,
    )  # fmt: skip
    place_paths(arrays.paths, pose.rotation, pose.position, pose.u[n_axes:], pose.state)
    return solve_paths(
        arrays.paths, pose.S, arrays.moves, arrays.drives, pose.state, length, pose.by_u
    )


@part
def fill_arms(arrays, pose, moment_arm):
    """Fill moment_arm (m, n), -dL/dq of the solved paths."""
    support, J = arrays.map.support, pose.rows.J
    for m in range(moment_arm.shape[0]):
        for j in range(moment_arm.shape[1]):
            moment_arm[m, j] = 0.0
        for a in range(arrays.row.size):
            value, row = pose.by_u[m, a], arrays.row[a]
            if value == 0.0:
                continue
            for s in range(support.shape[1]):
                j = support[row, s]
                if j < 0:
                    break
                moment_arm[m, j] -= value * J[row, j]


@kernel
def fill_batch(q, first, follow, arrays, pose, chains, ready, length, moment_arm):
    """Fill length (k, m) and moment_arm (k, m, n) of the poses q (k, n) from the first one on.

    `chains` is `fibermsk.kernels.lines.chained.solve_chains`, called by its address if it is
    `ready`.

    Returns the pose at which it stops, k if at none, and why: `NO_PATH`, `NO_CHAIN`, or
    `NOT_READY`, if sections are chains.
    """
    for k in range(first, q.shape[0]):
        left = solve_pose(q[k], follow, arrays, pose, length[k])
        if left < 0:
            return k, NO_PATH
        if left > 0:
            if not ready:
                return k, NOT_READY
            again = not follow  # a pose by itself is solved as elsewhere, to the last bit
            if not call(chains, (again, length[k])):
                return k, NO_CHAIN
        fill_arms(arrays, pose, moment_arm[k])
    return q.shape[0], SOLVED

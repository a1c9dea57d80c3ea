"""Skeletons in many states at once: arrays have an axis for the states before their own."""

from __future__ import annotations

from fibermsk._compile import kernel
from fibermsk.kernels.skeleton.coordinate_map import Rows, fill_rows
from fibermsk.kernels.skeleton.rigid import TreeState, tree_state


@kernel
def fill_rows_of_frames(arrays, rows):
    """Fill the rows of a map in all states; see `fibermsk.kernels.skeleton.coordinate_map`."""
    for f in range(rows.x.shape[0]):
        own = Rows(
            rows.x[f], rows.x_dot[f], rows.x_ddot[f], rows.J[f], rows.V[f], rows.W[f], rows.H[f],
            rows.turns[f],
        )  # fmt: skip
        fill_rows(arrays, own)


@kernel
def tree_of_frames(q, p, p_dot, parent, joint_rotation, joint_position, kind, axis, links):
    """Fill all of a `TreeState` in all states; joint_rotation of each, or one for all."""
    rotation, position, S, V, A = links
    for f in range(q.shape[0]):
        own = TreeState(rotation[f], position[f], S[f], V[f], A[f])
        base = joint_rotation[min(f, joint_rotation.shape[0] - 1)]
        tree_state(q[f], p[f], p_dot[f], parent, base, joint_position, kind, axis, own)

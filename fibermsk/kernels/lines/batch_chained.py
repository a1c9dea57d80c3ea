"""Lengths and moment arms in many poses of paths that may be chains of surfaces."""

from __future__ import annotations

from fibermsk._compile import kernel
from fibermsk.kernels.lines.batch import fill_arms, solve_pose
from fibermsk.kernels.lines.chained import solve_chains


@kernel
def fill_chained_batch(q, first, follow, arrays, pose, length, moment_arm, fading):
    """As `fibermsk.kernels.lines.batch.fill_batch`, with all sections.

    ``fading`` as in `fibermsk.kernels.lines.chained.solve_chains`.

    Returns the pose at which it stops, k if at none, and whether a chain failed there.
    """
    for k in range(first, q.shape[0]):
        left = solve_pose(q[k], follow, arrays, pose, length[k])
        if left < 0:
            return k, False
        paths, state = arrays.paths, pose.state
        again = not follow  # a pose by itself is solved as elsewhere, to the last bit
        if left > 0 and not solve_chains(
            paths, pose.S, arrays.moves, arrays.drives, state, again, length[k], pose.by_u, fading
        ):
            return k, True
        fill_arms(arrays, pose, moment_arm[k])
    return q.shape[0], False

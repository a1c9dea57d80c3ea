"""Paths in many states of one motion, each solved from the one before, in one call."""

from __future__ import annotations

from fibermsk._compile import body, part
from fibermsk._prepared import call
from fibermsk.kernels.lines.branches import copy_branches
from fibermsk.kernels.lines.path_arrays import PathState


@part
def _of_frame(states, f):
    """State f of those in a row."""
    return PathState(
        states.x[f], states.active[f], states.slope[f], states.bend[f], states.third[f],
        states.R[f], states.p[f], states.wrapped[f], states.length[f], states.found[f],
        states.reference[f], states.left[f], states.held[f], states.feet[f], states.touches[f],
        states.foot[f], states.touched[f], states.rank[f], states.trouble[f],
    )  # fmt: skip


@body
def fill_frames(first, links, driver, states, kept, paths, chains, length, by_u):
    """Fill lengths (k, m) and by_u (k, m, n_u) of k frames from the first one on.

    Parameters
    ----------
    links : tuple of (k, n, 3, 3), (k, n, 3) and (k, n, 6) float array
        Rotations, positions and axes of the links.
    driver : (k, n_drivers) float array
        Values of the drivers.
    states : PathState
        Those of the frames: each array has an axis for these before its own.
    kept : PathState
        Branches that the first frame follows; those of the last one that was solved.
    paths, chains : Prepared
        `fibermsk.kernels.lines.paths.fill_lengths`, and
        `fibermsk.kernels.lines.chained.solve_chains`.

    Returns
    -------
    stopped : int
        Frame without a solution, k if there is none.
    chained : bool
        Whether it is a chain of surfaces that has none there.
    """
    rotation, position, S = links
    for f in range(first, length.shape[0]):
        state = _of_frame(states, f)
        copy_branches(kept, state)
        own = rotation[f], position[f], driver[f], state, length[f], by_u[f]
        left = call(paths, (S[f], *own))
        if left < 0:
            return f, False
        if left > 0 and not call(chains, (S[f], state, length[f], by_u[f])):
            return f, True
        copy_branches(state, kept)
    return length.shape[0], False

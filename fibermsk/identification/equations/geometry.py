"""Paths of muscles along a motion, and what unknown forces leave of the equations of motion.

With moment arms R (m, n) and forces f (m,) the generalized forces of the muscles are R^T f. Forces
of muscles that nobody measured may be anything; N (n, c) spans what they cannot reach, so that
N^T (R^T f - tau) = 0 holds of the other muscles alone. That is geometry.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.model import LineMuscle
from fibermsk.model.muscles.line_muscle import bodies_of, coordinates_of
from fibermsk.system.lines.batch import MuscleGeometry, PathBatch
from fibermsk.system.skeleton.skeleton import Skeleton

_ZERO = 1e-9
"""Singular value over the largest one below which it is zero."""


def crossed(skeleton: Skeleton, muscles: Sequence[LineMuscle]) -> NDArray[np.bool_]:
    """Mask (m, n) of the entries of the state that can change the length of each path.

    Those whose axes move some bodies of the path and not others, or on which its points depend. The
    others have no moment arm, whatever a computation leaves there.
    """
    found = np.zeros((len(muscles), skeleton.n), bool)
    tree = skeleton.tree
    for k, muscle in enumerate(muscles):
        moves = np.zeros((0, tree.n), bool)
        for body in bodies_of(muscle):
            link = tree.frames[body.name][0]
            own = tree.moves[link] if link >= 0 else np.zeros(tree.n, bool)
            moves = np.vstack([moves, own])
        between = (moves.sum(axis=0) > 0) & (moves.sum(axis=0) < moves.shape[0])
        found[k] = skeleton.driving(between[None])[0]
        for name in coordinates_of(muscle):
            found[k] |= skeleton.depends(name)
    return found


def paths_along(skeleton: Skeleton, muscles: Sequence[LineMuscle], q: Array) -> PathBatch:
    """Lengths and total moment arms along a motion q (k, n), with exact zeros."""
    batch = MuscleGeometry(skeleton, muscles).at(q, follow=True)
    return PathBatch(batch.length, batch.moment_arm * crossed(skeleton, muscles))


class Reach(NamedTuple):
    """What forces of unknown muscles cannot do.

    Attributes
    ----------
    left : (k, n, c) float array
        Orthonormal basis N of the generalized forces beyond their reach, continuous in time.
    rank : int
        Dimension of their reach.
    smallest : float
        Its smallest singular value in the motion [m].
    """

    left: Array
    rank: int
    smallest: float

    def rest(self, forces: Array) -> Array:
        """What they leave of generalized forces (k, n), (k, c)."""
        return np.einsum("knc,kn->kc", self.left, forces)


def beyond(arms: Array) -> Reach:
    """What muscles with moment arms (k, d, n) cannot do; the rank is the largest of the motion."""
    k, d, n = arms.shape
    if d == 0:
        return Reach(np.tile(np.eye(n), (k, 1, 1)), 0, np.inf)
    U, s, _ = np.linalg.svd(arms.transpose(0, 2, 1))
    rank = int((s > _ZERO * s.max()).sum(axis=1).max())
    N = np.ascontiguousarray(U[:, :, rank:])
    if rank < n:
        for i in range(1, k):
            u, _, v = np.linalg.svd(N[i].T @ N[i - 1])
            N[i] = N[i] @ (u @ v)
    smallest = float(s[:, rank - 1].min()) if rank else np.inf
    return Reach(N, rank, smallest)


def refuse_full(reach: Reach, n: int, deep: Sequence[str]) -> None:
    """Refuse unknown muscles that reach all generalized forces: nothing is left to learn from."""
    if reach.rank == n:
        raise ModelError(
            f"identify: the muscles without EMG, {', '.join(deep)}, can give any of the {n} "
            "generalized forces: no equation is left; record EMG of one of them, or remove some"
        )

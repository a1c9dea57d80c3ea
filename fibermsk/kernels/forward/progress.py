"""Where a compiled march is, and the branches that its paths are sought near."""

from __future__ import annotations

from typing import NamedTuple

from fibermsk._arrays import Array, Index
from fibermsk._compile import kernel
from fibermsk.kernels.lines.section import UNSOLVED


class Progress(NamedTuple):
    """Where a march is, kept between calls.

    Attributes
    ----------
    u, f : (n,) float array
        State and its rates.
    number : (4,) float array
        Time, next step, last accepted step; and its error, or for multistep formulas the next
        explicit step, zero before the first.
    count : (5,) int array
        Frames filled, accepted and rejected steps, evaluations, and stops passed.
    """

    u: Array
    f: Array
    number: Array
    count: Index


class Branches(NamedTuple):
    """What paths are sought near; see `fibermsk.kernels.lines.path_arrays.PathState`."""

    reference: Array
    feet: Array
    touches: Index
    rank: Index


@kernel
def branches_of(placed):
    """Copy of the branches of paths."""
    return Branches(
        placed.reference.copy(), placed.feet.copy(), placed.touches.copy(), placed.rank.copy()
    )


@kernel
def copy_branches(source, target):
    """Overwrite the branches of a target, `Branches` or paths, by those of a source."""
    target.reference[:], target.feet[:] = source.reference, source.feet
    target.touches[:], target.rank[:] = source.touches, source.rank


@kernel
def follow(placed):
    """Let chains be sought near their feet of this state, so that Newton's method is short."""
    for k in range(placed.touches.size):
        if placed.touches[k] != UNSOLVED:
            placed.touches[k] = placed.touched[k]
            for r in range(7):
                placed.feet[k, r] = placed.foot[k, r]

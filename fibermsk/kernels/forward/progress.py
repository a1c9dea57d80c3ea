"""Where a compiled march is, and the branches that its paths are sought near."""

from __future__ import annotations

from typing import NamedTuple

from fibermsk._arrays import Array, Index
from fibermsk._compile import kernel


class Progress(NamedTuple):
    """Where a march is, kept between calls.

    Attributes
    ----------
    u, f : (n,) float array
        State and its rates.
    number : (4,) float array
        Time, next step, last accepted step, and its error.
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

"""Where a compiled march is, and the branches that its paths are sought near."""

from __future__ import annotations

from typing import NamedTuple

from fibermsk._arrays import Array, Index
from fibermsk._compile import part
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.branches import copy_branches
from fibermsk.kernels.lines.path_arrays import PathState
from fibermsk.kernels.lines.section import UNSOLVED
from fibermsk.kernels.lines.taut.string import lean
from fibermsk.kernels.lines.taut.surfaces import settle


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
    """What paths are sought near; see `fibermsk.kernels.lines.path_arrays.PathState`.

    ``earlier`` (n_slots, 7) has the feet one step before.
    """

    reference: Array
    feet: Array
    touches: Index
    rank: Index
    earlier: Array


def branches_of(placed: PathState) -> Branches:
    """Copy of the branches of paths."""
    return Branches(
        placed.reference.copy(), placed.feet.copy(), placed.touches.copy(), placed.rank.copy(),
        placed.feet.copy(),
    )  # fmt: skip


@part
def assign(target, source):
    """Overwrite an array (n,); unlike a slice, without a copy in case both overlap."""
    for i in range(target.size):
        target[i] = source[i]


@part
def follow(placed, kept):
    """Keep the branches of this state, and the feet of chains before it."""
    for k in range(placed.touches.size):
        if placed.touches[k] == UNSOLVED:
            continue
        was = kept.touches[k] == 1
        placed.touches[k] = placed.touched[k]
        assign(placed.feet[k], placed.foot[k])
        assign(kept.earlier[k], kept.feet[k] if was else placed.foot[k])
    copy_branches(placed, kept)


@part
def foresee(paths, placed, kept, share):
    """Seek chains near their feet after `share` times the last step, so that few iterations do."""
    g, H = scratch(3), scratch((3, 3))
    for w in range(paths.kind.size):
        start = paths.slot[w]
        for slot in range(start, start + paths.last[w] - paths.first[w]):
            if kept.touches[slot] != 1:
                continue
            now, foot = kept.feet[slot], placed.feet[slot]
            for r in range(7):
                foot[r] = now[r] + share * (now[r] - kept.earlier[slot, r])
            if foot[6] > 0.0 and settle(paths.kind[w], paths.size[w], foot[:3], g, H):
                lean(g, foot[3:6])
            else:
                assign(foot, now)

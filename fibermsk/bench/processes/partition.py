"""Cut of a model's fibers into blocks, and the fibers of other blocks that each block needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array, Index
from fibermsk.errors import ModelError
from fibermsk.kernels.fibers.shape import bezier_hull
from fibermsk.model import Fiber, Model
from fibermsk.system.contact.candidates import Candidates, Place
from fibermsk.system.parts import build_parts


@dataclass(frozen=True)
class Block:
    """Fibers of one process, by their numbers in the whole model, in increasing order.

    Attributes
    ----------
    owned : (n,) int array
        Fibers whose equations the process solves; each fiber has one owner.
    ghosts : (m,) int array
        Fibers of other processes near an owned one.
    sends : dict of int array
        Owned fibers that are ghosts of another process, by its rank.
    receives : dict of int array
        Ghosts by the rank of their owner.
    """

    owned: Index
    ghosts: Index
    sends: dict[int, Index]
    receives: dict[int, Index]

    @property
    def fibers(self) -> Index:
        """All fibers of the block, owned ones and ghosts."""
        return np.sort(np.concatenate([self.owned, self.ghosts]))


def cut(places: Array, parts: int) -> Index:
    """Owner (n,), from 0 to `parts` - 1, of each of n places (n, 3).

    The set is halved along its largest extent, and so is each half, in proportion to the numbers of
    parts on both sides; parts differ by at most one place for each halving.

    Raises
    ------
    ModelError
        If there are fewer places than parts.
    """
    if not 1 <= parts <= len(places):
        _check.refuse("partition", "parts", parts, f"lie between 1 and {len(places)} fibers")
    owner = np.zeros(len(places), np.int64)
    _halve(places, np.arange(len(places)), 0, parts, owner)
    return owner


def _halve(places: Array, chosen: Index, first: int, parts: int, owner: Index) -> None:
    """Give some places to the owners from `first` on."""
    if parts == 1:
        owner[chosen] = first
        return
    own = places[chosen]
    along = int(np.argmax(np.ptp(own, axis=0)))
    # equal coordinates in the order of the other two, so that the cut has few corners
    order = np.lexsort((*np.delete(own, along, axis=1).T, own[:, along]))
    left = parts // 2
    middle = chosen.size * left // parts
    _halve(places, chosen[order[:middle]], first, left, owner)
    _halve(places, chosen[order[middle:]], first + left, parts - left, owner)


def blocks_of(owner: Index, pairs: Index) -> list[Block]:
    """Block of each owner, from the owner (n,) of every fiber and the pairs (m, 2) that may touch.

    Ghosts are the partners of owned fibers that have another owner.
    """
    both = np.concatenate([pairs, pairs[:, ::-1]])
    crossing = np.unique(both[owner[both[:, 0]] != owner[both[:, 1]]], axis=0)
    blocks = []
    for rank in range(int(owner.max()) + 1):
        mine, theirs = (crossing[owner[crossing[:, side]] == rank] for side in (0, 1))
        blocks.append(
            Block(
                np.flatnonzero(owner == rank),
                np.unique(mine[:, 1]),
                _by_rank(theirs[:, 1], owner[theirs[:, 0]]),
                _by_rank(mine[:, 1], owner[mine[:, 1]]),
            )
        )
    return blocks


def _by_rank(fibers: Index, ranks: Index) -> dict[int, Index]:
    return {int(rank): np.unique(fibers[ranks == rank]) for rank in np.unique(ranks)}


def partition(model: Model, parts: int, reach: float) -> list[Block]:
    """Blocks of the fibers of a model, cut by the means of their nodes.

    Ghosts of a block are all fibers that are candidates for contact with an owned one within the
    distance `reach` [m], found by the search of the package itself.

    Raises
    ------
    ModelError
        If the model has what the prototype does not divide, or fewer fibers than parts.
    """
    check(model)
    _check.positive("partition", "reach", reach)
    skeleton, cables, partners = build_parts(model)
    nodes = cables.reference
    places = np.add.reduceat(nodes[:, :3], cables.node_start[:-1])
    places /= np.diff(cables.node_start)[:, None]
    owner = cut(places, parts)
    hull = np.empty((cables.h.size, 4, 3))
    bezier_hull(nodes, cables.elements, cables.h, hull)
    candidates = Candidates(cables, partners, skeleton.tree)
    candidates.search(Place(nodes, hull, skeleton.at(skeleton.start).links), reach)
    runs = candidates.fiber_runs
    own, other = cables.fiber[runs.element], cables.fiber[runs.candidates[runs.start[:-1]]]
    return blocks_of(owner, np.column_stack([own, other]))


def check(model: Model) -> None:
    """Refuse a model that has anything but fibers on the ground that touch each other."""
    others: dict[str, Any] = {
        "bodies": model.bodies[1:],
        "elements": model.elements,
        "line muscles": model.acting_muscles,
        "contacts with friction": [one for one in model.contacts if one.friction is not None],
        "contacts with bones": [
            one
            for one in model.contacts
            if not all(isinstance(b, Fiber) for b in one.second)  # pyright: ignore
        ],
    }
    for what, found in others.items():
        if found:
            raise ModelError(
                f"model {model.name!r}: {len(found)} {what}; must have fibers on the ground and "
                "contacts between fibers alone, for several processes; run it in one"
            )

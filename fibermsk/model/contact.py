"""Contact: which fibers may touch which fibers and bodies, and by which law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.laws.penalty import PenaltyContact
from fibermsk.model.body import Body
from fibermsk.model.fiber import Fiber

__all__ = ["Contact"]

FORMULATIONS = ("variational", "half_pass")

_MOST = 64
"""Contact points on an element: beyond, elements are too few."""


@dataclass(frozen=True, eq=False)
class Contact:
    """Normal contact of every fiber in `first` with everything in `second`.

    A fiber never touches itself, so a sequence of fibers with itself means every fiber with
    every other fiber.

    Parameters
    ----------
    first : Fiber or a sequence of them
        Stored as a tuple.
    second : Fiber, Body or a sequence of them
        Stored as a tuple. Bodies have shapes.
    law : PenaltyContact
        Line force of the gap.
    points_per_element : int
        Gauss points of the contact force on each element; one or more.
    refine : bool
        Double the points of an element where they lie so far apart, or move apart as it stretches,
        that a partner could sink in between two of them. Otherwise they stay as given, and a run in
        which a partner does so fails.
    guard : bool
        Refuse steps in which something passes through something, or sinks in between contact points
        deeper than the law allows. Without, both can happen: for studies of how few points do.
    formulation : {"variational", "half_pass"}
        All forces from one energy for each pair, so that action is reaction and the tangent is
        symmetric; or the two half passes of Gfrerer and Simeon (2021), where each fiber integrates
        its own line force: where fibers cross at an angle the two differ by some percent, on any
        mesh. With the energy, pressure from the side lengthens a fiber, which keeps its volume.

    Raises
    ------
    ModelError
        If a field lies outside its range or no pair is left.
    """

    first: Fiber | Sequence[Fiber]
    second: Fiber | Body | Sequence[Fiber | Body]
    law: PenaltyContact
    points_per_element: int = 5
    formulation: str = "variational"
    refine: bool = True
    guard: bool = True

    def __post_init__(self) -> None:
        """Check the fields and store the items as tuples."""
        owner = "contact"
        first = _check_items(owner, "first", self.first, (Fiber,), "a Fiber")
        second = _check_items(owner, "second", self.second, (Fiber, Body), "a Fiber or a Body")
        _check.instance(owner, "law", self.law, PenaltyContact, "a PenaltyContact")
        for body in second:
            if isinstance(body, Body) and not body.shapes:
                _check.refuse(
                    owner,
                    "second",
                    body,
                    "have shapes to touch",
                    remedy=f"give Body({body.name!r}, shapes=...)",
                )
        points = _check.count(owner, "points_per_element", self.points_per_element, _MOST)
        _check.choice(owner, "formulation", self.formulation, FORMULATIONS)
        _check.flag(owner, "refine", self.refine)
        _check.flag(owner, "guard", self.guard)
        _check.store(self, first=first, second=second, points_per_element=points)
        # items of a side differ, so that only one fiber with itself leaves no pair
        if len(first) == len(second) == 1 and first[0] is second[0]:
            raise ModelError(
                f"{owner}: first = second = fiber {first[0].name!r}; must name something else to "
                "touch, for a fiber never touches itself"
            )

    def shared_pair(self, other: Contact) -> tuple[Fiber, Fiber | Body] | None:
        """First pair of this contact that another one lists too, in the same order or the other.

        The cost grows with the number of items and not with that of the pairs.
        """
        theirs = set(items_of(other.first)), set(items_of(other.second))
        for their_first, their_second in (theirs, theirs[::-1]):
            second = [b for b in items_of(self.second) if b in their_second]
            for a in items_of(self.first):
                if a in their_first:
                    found = next((b for b in second if b is not a), None)
                    if found is not None:
                        return a, found
        return None

    @property
    def fiber_pairs(self) -> tuple[tuple[Fiber, Fiber], ...]:
        """Every unordered pair of fibers that may touch, once."""
        pairs: dict[frozenset[Fiber], tuple[Fiber, Fiber]] = {}
        for a in items_of(self.first):
            for b in items_of(self.second):
                if isinstance(b, Fiber) and a is not b:
                    pairs.setdefault(frozenset((a, b)), (a, b))
        return tuple(pairs.values())

    @property
    def body_pairs(self) -> tuple[tuple[Fiber, Body], ...]:
        """Every pair of a fiber and a body that may touch, once."""
        bodies = [item for item in items_of(self.second) if isinstance(item, Body)]
        return tuple((fiber, body) for fiber in items_of(self.first) for body in bodies)


def items_of(side: Any) -> tuple[Any, ...]:
    """Items of one side of a contact, a tuple since the contact was made."""
    return side


def _check_items(
    owner: str, field: str, value: Any, kinds: tuple[type, ...], what: str
) -> tuple[Any, ...]:
    """Tuple of one item or of a sequence of different items."""
    if isinstance(value, kinds):
        return (value,)
    wanted = f"{what} or a sequence of them"
    items = tuple(_check.instance(owner, field, value, (tuple, list), wanted))
    if not items:
        _check.refuse(owner, field, value, "hold one item or more")
    known = set()
    for i, item in enumerate(items):
        _check.instance(owner, f"{field}[{i}]", item, kinds, what)
        if item in known:
            _check.refuse(owner, f"{field}[{i}]", item, "be listed once")
        known.add(item)
    return items

"""Contact between fibers and of fibers with bodies, and its law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fibermsk import _check
from fibermsk._numbers import part
from fibermsk._shown import Described
from fibermsk.errors import ModelError
from fibermsk.laws.checking import check_contact_law
from fibermsk.laws.friction import Friction
from fibermsk.laws.own import ContactLaw
from fibermsk.laws.penalty import PenaltyContact
from fibermsk.model.muscles.fiber import Fiber
from fibermsk.model.skeleton.body import Body

FORMULATIONS = ("variational", "half_pass")

_MOST = 64
"""Most contact points on an element; for more, use more elements."""


@dataclass(frozen=True, eq=False, repr=False)
class Contact(Described):
    """Normal contact of every fiber in `first` with everything in `second`.

    There is no self-contact: a sequence of fibers with itself means every fiber with every other.

    Parameters
    ----------
    first : Fiber or a sequence of them
        Stored as a tuple.
    second : Fiber, Body or a sequence of them
        Stored as a tuple. Bodies need shapes.
    law : PenaltyContact or ContactLaw
        Line force as a function of the gap. A user-defined law needs an energy for the formulation
        "variational".
    points_per_element : int
        Gauss points of the contact force on each element; one or more.
    refine : bool
        Double the contact points of elements on which they are so far apart, also after stretching,
        that a partner could penetrate between two of them. Otherwise their number is fixed, and a
        run with such penetration fails.
    guard : bool
        Refuse steps in which a fiber passes through a partner, or a partner penetrates between
        contact points deeper than the law allows. Without it both can happen: for studies of the
        number of points.
    formulation : {"variational", "half_pass"}
        One energy for each pair, so that action equals reaction and the tangent is symmetric; or
        the two half passes of Gfrerer and Simeon (2021), where each fiber integrates its own line
        force: where fibers cross at an angle, the two differ by a few percent on any mesh. With the
        energy, lateral pressure lengthens a fiber, whose volume is constant.
    name : str
        Name in parameter paths, "contacts/<name>/stiffness"; its index in the model if left out.
    friction : Friction, optional
        Friction of all pairs; none if left out. Its numbers have the paths
        "contacts/<name>/friction/coefficient" and "contacts/<name>/friction/speed".

    Raises
    ------
    ModelError
        If a field lies outside its range or no pair is left.
    """

    first: Fiber | Sequence[Fiber]
    second: Fiber | Body | Sequence[Fiber | Body]
    law: PenaltyContact | ContactLaw = part(path="")
    points_per_element: int = 5
    formulation: str = "variational"
    refine: bool = True
    guard: bool = True
    name: str = ""
    friction: Friction | None = part(default=None)

    def __post_init__(self) -> None:
        owner = "contact"
        first = _check_items(owner, "first", self.first, (Fiber,), "a Fiber")
        second = _check_items(owner, "second", self.second, (Fiber, Body), "a Fiber or a Body")
        for body in second:
            if isinstance(body, Body) and not body.shapes:
                _check.refuse(
                    owner,
                    "second",
                    body,
                    "have contact shapes",
                    remedy=f"give Body({body.name!r}, shapes=...)",
                )
        points = _check.count(owner, "points_per_element", self.points_per_element, _MOST)
        _check.choice(owner, "formulation", self.formulation, FORMULATIONS)
        if not isinstance(self.law, PenaltyContact):
            if not hasattr(self.law, "line_force"):
                _check.refuse(owner, "law", self.law, "be a PenaltyContact or a user-defined law")
            check_contact_law(owner, self.law, self.formulation == "variational")
        if self.friction is not None:
            _check.instance(owner, "friction", self.friction, Friction, "a Friction or None")
        _check.flag(owner, "refine", self.refine)
        _check.flag(owner, "guard", self.guard)
        if not (isinstance(self.name, str) and self.name == ""):
            _check.item_name(owner, self.name)
        _check.store(self, first=first, second=second, points_per_element=points)
        # items of a side are distinct: only a single fiber with itself leaves no pair
        if len(first) == len(second) == 1 and first[0] is second[0]:
            raise ModelError(
                f"{owner}: first = second = fiber {first[0].name!r}; must differ: no self-contact"
            )

    def shared_pair(self, other: Contact) -> tuple[Fiber, Fiber | Body] | None:
        """First pair of this contact that another one also lists, in either order.

        The cost is linear in the number of items, not of pairs.
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
    def own_law(self) -> type | None:
        """Class of a user-defined law, None for the built-in one."""
        return None if isinstance(self.law, PenaltyContact) else type(self.law)


def items_of(side: Any) -> tuple[Any, ...]:
    """Items of one side of a contact as a tuple."""
    return side


def _check_items(
    owner: str, field: str, value: Any, kinds: tuple[type, ...], what: str
) -> tuple[Any, ...]:
    """Tuple of one item or of a sequence of distinct items."""
    value = (value,) if isinstance(value, kinds) else value
    items = _check.items(owner, field, value, kinds, what, f"{what} or a sequence of them")
    if not items:
        _check.refuse(owner, field, value, "hold one item or more")
    known = set()
    for i, item in enumerate(items):
        if item in known:
            _check.refuse(owner, f"{field}[{i}]", item, "be listed once")
        known.add(item)
    return items

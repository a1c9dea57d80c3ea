"""Contact of fibers with each other and with bones, at the contact points of one search."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from fibermsk._arrays import Array
from fibermsk.laws.own import law_digest
from fibermsk.system.contact.all_sets import flawed, worst_of
from fibermsk.system.contact.passing import Passing
from fibermsk.system.contact.search import ContactSearch
from fibermsk.system.contact.sets import Border
from fibermsk.system.contribution import At, Sums, Update

_DEEP = 0.05
"""Least 1 + gamma g below which a contact is reported as near its limit."""


class _Contact:
    """Contact points of a search, evaluated at the present state."""

    of_positions = True
    _kind: int  # 0 between fibers, 1 with bones

    def __init__(self, search: ContactSearch) -> None:
        self._search = search

    def energy(self, at: At) -> dict[str, float]:
        """Energy of the potentials [J]; half passes have none."""
        return {"contact": self._search.energies[self._kind]}

    def flaw(self, at: At) -> str:
        """Names of a pair with a contact force that is not finite."""
        sets = self._search.sets[self._kind]
        names = flawed(sets, self._search.geometry) if sets else ""
        return f"the contact force between {names}" if names else ""

    def suspects(self, at: At) -> list[str]:
        """Message on a contact near its limit of penetration."""
        left, names = worst_of(self._search.sets[self._kind])
        if left >= _DEEP:
            return []
        text = f"the contact of {names} has {100 * left:.2g} % of its depth left: use a stiffer "
        return [f"{text}contact or smaller loads"]


def _border(sums: Sums) -> Border:
    force, B, R, D = sums.axes
    return Border(sums.nodes, force, sums.lines, B, R, D)


class FiberContact(_Contact):
    """Contact between fibers, and the parts common to both kinds of contact."""

    _kind = 0

    def __init__(self, search: ContactSearch, passing: Passing) -> None:
        super().__init__(search)
        self.begin, self.judge = passing.begin, passing.judge
        self.refine_along = passing.refine_along
        self.memory, self.restore = search.memory, search.restore

    def follow(self, other: FiberContact) -> None:
        """Take the candidates of a system with almost equal sizes."""
        self._search.follow(other._search)

    def follow_points(self, other: FiberContact) -> None:
        """Take the contact points per element of a system with other links."""
        self._search.follow_points(other._search)

    def add(self, at: At, sums: Sums) -> None:
        """Add the forces, and the couplings between fibers."""
        tangent = sums.slopes is not None
        sums.couplings = self._search.scatter_fibers(_border(sums), tangent)

    def step_fraction(self, update: Update, fraction: float) -> float:
        """Fraction of an update that all contact points allow, including those with bones."""
        way, axes, stray = update.way, update.axes, update.stray
        return self._search.step_fraction(way, axes, stray, fraction, update.keep)

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Contact laws of all fibers and bones."""
        partners = self._search.given
        own = [law_digest(kind, ("line_force", "energy")) for kind in partners.kinds if kind]
        return {
            "the contacts": [
                *(
                    getattr(of, f.name)
                    for of in (partners, partners.shapes)
                    for f in fields(of)
                    if f.name not in ("shapes", "kinds", "friction")
                ),
                *own,
            ]
        }


class BoneContact(_Contact):
    """Contact of fibers with bones."""

    _kind = 1

    def add(self, at: At, sums: Sums) -> None:
        """Add the forces to fibers and joint axes."""
        self._search.scatter_bones(_border(sums), sums.slopes is not None)

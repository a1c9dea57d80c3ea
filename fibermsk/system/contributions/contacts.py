"""Contact of fibers with each other and with bones, at the contact points of one search."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk.system.contact import ContactSearch
from fibermsk.system.contact_sets import Border
from fibermsk.system.contributions.contribution import At, Sums

__all__ = ["BoneContact", "FiberContact"]

Array = NDArray[np.float64]

_DEEP = 0.05
"""A contact with less than this part 1 + gamma g left is about to reach its limit."""


class _Contact(ABC):
    """Contact points of a search that was evaluated at the state in question."""

    def __init__(self, search: ContactSearch) -> None:
        self._search = search

    @abstractmethod
    def _sets(self) -> tuple[Any, ...]:
        """Contact points, which are others after each search."""

    def flaw(self, at: At) -> str:
        """Names of two that touch with a force that is not finite."""
        names = self._search.flawed(self._sets())
        return f"the contact force between {names}" if names else ""

    def suspects(self, at: At) -> list[str]:
        """That a contact is close to its deepest."""
        left, names = self._search.worst(self._sets())
        if left >= _DEEP:
            return []
        text = f"the contact of {names} has {100 * left:.2g} % of its depth left: use a stiffer "
        return [f"{text}contact or smaller loads"]


def _border(sums: Sums) -> Border:
    force, B, R, D = sums.axes
    return Border(sums.nodes, force, sums.lines, B, R, D)


class FiberContact(_Contact):
    """Contact among fibers."""

    def add(self, at: At, sums: Sums) -> None:
        """Add the forces, and the couplings of fibers that they make."""
        tangent = sums.slopes is not None
        sums.couplings = self._search.scatter_fibers(_border(sums), tangent)

    def energy(self, at: At) -> dict[str, float]:
        """Energy of the potentials [J]; half passes have none."""
        return {"contact": self._search.energies[0]}

    def _sets(self) -> tuple[Any, ...]:
        return self._search.fiber_sets

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """All who may touch, bones too, and with which laws."""
        partners = self._search.given
        return {
            "the contacts": [
                getattr(of, f.name)
                for of in (partners, partners.shapes)
                for f in fields(of)
                if f.name != "shapes"
            ]
        }


class BoneContact(_Contact):
    """Contact of fibers with bones."""

    def add(self, at: At, sums: Sums) -> None:
        """Add the forces, on fibers and axes."""
        self._search.scatter_bones(_border(sums), sums.slopes is not None)

    def energy(self, at: At) -> dict[str, float]:
        """Energy of the potentials [J]; half passes have none."""
        return {"contact": self._search.energies[1]}

    def _sets(self) -> tuple[Any, ...]:
        return self._search.bone_sets

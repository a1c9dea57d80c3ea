"""Energies of a state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from fibermsk import _check
from fibermsk.system.contribution import At, Contribution
from fibermsk.system.optional import HasEnergy


class Energy(NamedTuple):
    """Energies of a state [J]: kinetic, elastic, gravity, contact.

    The elastic energy is that of fibers (passive, prestress, titin, bending, gradient) and of
    springs and limits of the coordinates.
    """

    kinetic: float
    elastic: float
    gravity: float
    contact: float

    @property
    def total(self) -> float:
        """Sum of all [J]."""
        return self.kinetic + self.elastic + self.gravity + self.contact


def energy(contributions: Iterable[Contribution], at: At) -> Energy:
    """Energies of all contributions that have one."""
    total = Counter(dict.fromkeys(Energy._fields, 0.0))
    for one in contributions:
        if isinstance(one, HasEnergy):
            found = one.energy(at)
            if not isinstance(found, dict) or not found.keys() <= set(Energy._fields):
                owner = f"element {getattr(one, 'name', type(one).__name__)!r}"
                must = f"be a dict with keys of {', '.join(Energy._fields)}"
                _check.refuse(owner, "energy", found, must)
            total.update(found)
    return Energy(**total)

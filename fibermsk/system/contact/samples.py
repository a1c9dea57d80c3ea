"""Contact at sample points of all elements, for reports."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fibermsk._arrays import Array
from fibermsk.system.contact.partners import Partners
from fibermsk.system.contact.search import ContactSearch
from fibermsk.system.fibers.cables import Cables
from fibermsk.system.skeleton.tree import Tree, TreeState

_NO_PARTNERS = np.empty(0, np.int32), np.empty(0)


class ContactSamples:
    """Contact at the same points xi (n_points,) of every element."""

    def __init__(self, cables: Cables, partners: Partners, tree: Tree, xi: Array) -> None:
        n_laws, self._shape = partners.points.size, (cables.h.size, xi.size)
        self._laws = replace(
            partners, points=np.full(n_laws, xi.size), xi=np.tile(xi, (max(n_laws, 1), 1))
        )
        self._search = ContactSearch(cables, self._laws, tree, apart=True)

    def evaluate(self, nodes: Array, state: TreeState) -> None:
        """Find closest points and forces."""
        self._search.evaluate(nodes, state)

    def line_forces(self) -> Array:
        """Contact force per current length, (n_elements, n_points, 3) [N/m]."""
        sets, total = self._search.sets, np.zeros((*self._shape, 3))
        for part in (*sets.fibers, *sets.bones):
            for closed, density in part.line_forces(self._search.geometry):
                run, point = np.divmod(closed, self._shape[1])
                np.add.at(total, (part.runs.element[run], point), density)
        return total

    def axial_forces(self) -> tuple[Array, Array]:
        """Axial forces of contact potentials.

        Returns
        -------
        pressure : (n_elements, n_points) float array
            Due to the pressure on the section [N], not positive. Between fibers, the pressure of
            the partner's points is that of parallel fibers.
        carried : (n_elements, n_points) float array
            What the contact carries beside the section, its energy per current length [N]. Both
            are zero for half passes, whose force has no axial component.
        """
        cables, laws = self._search.cables, self._laws
        pressure, carried = np.zeros((2, *self._shape))
        sets = self._search.sets
        with_partners = [(part, part.points[:2]) for part in sets.fibers]
        for part, points in (*with_partners, *((part, _NO_PARTNERS) for part in sets.bones)):
            if part.potential:
                part.kernels.add_pressure(
                    part.runs.element, part.runs.law, laws.constants, laws.xi, cables.shape_of,
                    cables.radius_rows, *points, part.radii(), part.points.state, pressure, carried,
                )  # fmt: skip
        return pressure, carried

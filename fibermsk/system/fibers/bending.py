"""Bending stiffness of the fibers."""

from __future__ import annotations

import numpy as np

from fibermsk.kernels.fibers import bending
from fibermsk.system.contribution import At, Sums
from fibermsk.system.fibers.cables import Cables


class Bending:
    """Bending moments of fibers whose tissue has a bending stiffness."""

    acts_inside = True
    of_positions = True

    def __init__(self, cables: Cables) -> None:
        self._cables = cables

    def add(self, at: At, sums: Sums) -> None:
        """Add the moments, as forces on the nodes."""
        cables = self._cables
        bent = (
            cables.element_start, at.nodes, cables.elements, cables.h, cables.xi, cables.row_of,
            cables.rows.weight, cables.rows.bending,
        )  # fmt: skip
        if sums.slopes is None:
            bending.bending_residual(*bent, sums.nodes)
        else:
            bending.assemble_bending(*bent, sums.nodes, sums.lines)

    def add_inertia(self, at: At, inertia: Sums, applied: Sums) -> None:
        """Add nothing: moments are material forces, and cancel within a fiber."""

    def energy(self, at: At) -> dict[str, float]:
        """Energy of bending [J]."""
        cables = self._cables
        found = bending.bending_energy(
            at.nodes, cables.bent, cables.elements, cables.h, cables.xi, cables.row_of,
            cables.rows.weight, cables.rows.bending,
        )  # fmt: skip
        return {"elastic": found}

    def flaw(self, at: At) -> str:
        """Name a bending moment that is not finite."""
        return "" if np.isfinite(self.energy(at)["elastic"]) else "the bending moment of a fiber"

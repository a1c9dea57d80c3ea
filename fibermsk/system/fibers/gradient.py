"""Gradient of the stretch along the fibers."""

from __future__ import annotations

from typing import Any

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk.elements.hermite import hermite_d1, hermite_d2
from fibermsk.kernels.fibers import gradient
from fibermsk.model import Model
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums


class StretchGradientForce:
    """Forces between parts of a fiber that stretch differently; see `fibermsk.StretchGradient`."""

    acts_inside = True

    def __init__(self, model: Model, configuration: Configuration) -> None:
        cables = self._cables = configuration.cables
        configuration.element_forces.append(self.add_to_elements)
        grid, h = (cables.h.size, cables.xi.size), cables.h[:, None]
        control = cables.reference[cables.elements].reshape(-1, 4, 3)
        slopes = (
            np.einsum("aek,eai->eki", [np.broadcast_to(d, grid) for d in of(cables.xi, h)], control)
            for of in (hermite_d1, hermite_d2)
        )
        X1, X2 = slopes
        weight, area, G0 = cables.weight, cables.area, cables.G0
        turn, stiffness = (X1 * X2).sum(axis=2) / G0**3, np.zeros(grid)
        for f, fiber in enumerate(model.fibers):
            law = fiber.tissue.gradient
            if law is None:
                continue
            own = slice(cables.element_start[f], cables.element_start[f + 1])
            theta = cables.theta[cables.elements[own, 0], None] + h[own] * cables.xi
            at = theta.clip(0.0, 1.0)
            share = fiber.muscle_fraction_at(at.ravel()).reshape(at.shape)
            energy = law.stress * law.length**2 * share**law.power
            stiffness[own] = energy * area[own] / G0[own]
        # arrays of the kernels after the nodes
        self._data = cables.elements, cables.h, cables.xi, weight, G0, turn, stiffness

    def add(self, at: At, sums: Sums) -> None:
        """Add the forces on the nodes."""
        first = self._cables.element_start
        if sums.slopes is None:
            gradient.gradient_residual(first, at.nodes, *self._data, sums.nodes)
        else:
            gradient.assemble_gradient(first, at.nodes, *self._data, sums.nodes, sums.lines)

    def add_to_elements(self, at: At, nodes: Array, elements: Index, residual: Array) -> None:
        """Add minus the nodal forces of each element alone; see `ElementForces`."""
        first = self._cables.element_start
        gradient.gradient_residual(first, nodes, elements, *self._data[1:], residual)

    def add_inertia(self, at: At, inertia: Sums, applied: Sums) -> None:
        """Add nothing: the forces are material, and cancel within a fiber."""

    def energy(self, at: At) -> dict[str, float]:
        """Energy of differences of the stretch [J]."""
        return {"elastic": gradient.gradient_energy(at.nodes, *self._data)}

    def flaw(self, at: At) -> str:
        """Name a force that is not finite."""
        finite = np.isfinite(self.energy(at)["elastic"])
        return "" if finite else "the force by the gradient of the stretch of a fiber"

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Stiffness at all points."""
        return {"the stretch gradients": [self._data[-1]]}

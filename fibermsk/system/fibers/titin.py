"""Titin of the fibers, with a state of first order at every quadrature point."""

from __future__ import annotations

from typing import Any

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk._ranges import starts
from fibermsk.kernels.fibers import titin
from fibermsk.linalg import PointStates
from fibermsk.linalg.points import COLUMNS, spread_points
from fibermsk.model import Model
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums
from fibermsk.system.fibers.cables import reference_speed
from fibermsk.system.fibers.loads import Loads

FIELD = "titin"
"""Name of the states in results."""


class TitinForce:
    """Force of titin and extracellular matrix of fibers whose tissue has titin.

    It adds its states to those of the configuration.
    """

    acts_inside = True

    def __init__(self, model: Model, configuration: Configuration, loads: Loads) -> None:
        cables = configuration.cables
        self._model, self._cables, self._loads = model, cables, loads
        own = [f for f, fiber in enumerate(model.fibers) if fiber.tissue.titin is not None]
        self._fibers = own
        counts = [model.fibers[f].n_elements for f in own]
        self._start = starts(np.array(counts, np.int64))
        self._inside = np.flatnonzero(np.isin(cables.fiber, own))
        self._arrays = self._at_points(cables.xi, cables.weight)
        self._shape = (self._inside.size, cables.xi.size)
        self._fit = np.linalg.inv(np.vander(cables.xi, increasing=True))
        n_before = sum(block.start.size for block in configuration.states.at_points)
        self._own = slice(n_before, n_before + self._shape[0] * self._shape[1])
        for f, n in zip(own, counts, strict=True):
            law = model.fibers[f].tissue.titin
            assert law is not None
            begin = np.full((n, cables.xi.size), law.relaxed())
            configuration.states.new_at_points(
                model.fibers[f].name, FIELD, "", law.free_length, begin
            )
        configuration.axial_forces.append(self.axial_force)
        configuration.element_forces.append(self.add_to_elements)

    def _at_points(self, xi: Array, weight: Array) -> titin.TitinArrays:
        """Elements with titin, and their data at points xi (n,)."""
        cables, inside = self._cables, self._inside
        theta = cables.theta[cables.elements[inside, 0], None] + cables.h[inside, None] * xi
        stress, law = np.empty(theta.shape), np.empty((inside.size, 10))
        for own, f in enumerate(self._fibers):
            part = slice(self._start[own], self._start[own + 1])
            fiber = self._model.fibers[f]
            value, at = fiber.tissue.titin, theta[part].clip(0.0, 1.0)
            assert value is not None
            stress[part] = value.stress * fiber.muscle_fraction_at(at.ravel()).reshape(at.shape)
            law[part] = *value.constants, value.passive_damping, value.active_damping
        radius = cables.radius_poly[inside] @ np.vander(xi, 5, increasing=True).T
        elements = np.ascontiguousarray(cables.elements[inside])
        return titin.TitinArrays(
            node=elements[:, 0].copy(),
            h=cables.h[inside],
            xi=xi,
            weight=weight[inside],
            area=np.pi * radius**2,
            G0=reference_speed(cables.reference, elements, cables.h[inside], xi),
            stress=stress,
            law=law,
        )

    def _near(self, points: tuple[Array, Array]) -> tuple[Array, Array]:
        """States and rates of the elements with titin."""
        near, rate = (one[self._own].reshape(self._shape) for one in points)
        return near, rate

    def add(self, at: At, sums: Sums) -> None:
        """Add the force, and the rows of the states."""
        loads = self._loads
        _, activation = loads.at(at.t, at.states)
        row = np.empty(self._shape)
        data = (
            self._start, at.nodes, *self._near(at.points), self._arrays, activation[self._inside],
        )  # fmt: skip
        sums.points.rows.append(row)
        if sums.slopes is None:
            titin.titin_residual(*data, sums.nodes, row)
            return
        points = np.empty((*self._shape, COLUMNS))
        titin.assemble_titin(*data, sums.slopes.dv_dy, sums.nodes, row, sums.lines, points)
        of_activation = loads.state_of[self._cables.fiber[self._inside]]
        border = np.where(of_activation >= 0, at.p.size + of_activation, -1)
        sums.points.tangent.append(PointStates(self._arrays.node, border, points))
        if (border >= 0).any():
            # as in the lines, the columns are those without the states
            eliminated = np.zeros_like(at.nodes)
            spread_points(self._arrays.node, points, -points[..., 9] / points[..., 8], eliminated)
            loads.add_columns(eliminated, sums.states.on_nodes)

    def add_to_elements(self, at: At, nodes: Array, elements: Index, residual: Array) -> None:
        """Add minus the nodal forces of each element alone; see `ElementForces`."""
        arrays = self._arrays._replace(node=elements[self._inside, 0])
        row, rest = np.empty(self._shape), np.zeros(self._inside.size)
        titin.titin_residual(
            self._start, nodes, *self._near(at.points), arrays, rest, residual, row
        )

    def add_inertia(self, at: At, inertia: Sums, applied: Sums) -> None:
        """Add nothing: axial forces are material, and cancel within a fiber."""

    def energy(self, at: At) -> dict[str, float]:
        """Energy of titin and matrix [J], zero at rest at a stretch of one."""
        near, _ = self._near(at.points)
        return {"elastic": titin.stored_energy(at.nodes, near, self._arrays)}

    def axial_force(self, nodes: Array, points: Array, xi: Array) -> Array:
        """Axial force [N] at points xi (n,) of all elements, (n_elements, n); zero without titin.

        Between quadrature points the states are polynomials in xi.
        """
        arrays, near = self._arrays, points[self._own].reshape(self._shape)
        if not np.array_equal(xi, self._cables.xi):
            arrays = self._at_points(xi, np.empty((self._cables.h.size, xi.size)))
            near = near @ (np.vander(xi, self._shape[1], increasing=True) @ self._fit).T
        force = np.zeros((self._cables.h.size, xi.size))
        own = np.empty(near.shape)
        titin.titin_force(nodes, near, arrays, own)
        force[self._inside] = own
        return force

    def flaw(self, at: At) -> str:
        """Fiber whose titin has a force that is not finite."""
        near, _ = self._near(at.points)
        force = np.empty(self._shape)
        titin.titin_force(at.nodes, near, self._arrays, force)
        bad = np.flatnonzero(~np.isfinite(force).all(axis=1))
        if not bad.size:
            return ""
        name = self._cables.names[self._cables.fiber[self._inside[bad[0]]]]
        return f"the titin force of fiber {name!r}"

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Stress and constants of the fibers with titin."""
        return {"the titin": [self._arrays.stress, self._arrays.law, self._inside]}

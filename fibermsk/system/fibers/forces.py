"""Inertia, stress, weight and line loads of the fibers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, NoReturn

import numpy as np

from fibermsk._arrays import Array
from fibermsk.elements.hermite import hermite
from fibermsk.errors import ModelError
from fibermsk.kernels.fibers import cable
from fibermsk.kernels.fibers.activation import activation_kernel
from fibermsk.kernels.search.safeguard import stretch_fraction
from fibermsk.laws.checking import check_activation_slope
from fibermsk.laws.layout import StressLayout
from fibermsk.laws.own import law_label
from fibermsk.model import ActivationDynamics, Model, MovingPoint
from fibermsk.system.contribution import At, Signal, Sums, Update
from fibermsk.system.fibers.cables import ATTACHMENT_FIELDS, Cables
from fibermsk.system.fibers.loads import Loads
from fibermsk.system.fibers.stress_groups import StressGroup
from fibermsk.system.fibers.tension import TensionProbe
from fibermsk.system.signals import check_shape

KEEP_STRETCH = 0.2
"""Fraction of the stretch that every update must keep."""

_THETA = np.linspace(0.0, 1.0, 11)
"""Theta at which line loads are checked before a run."""

_SAMPLES = np.linspace(0.0, 1.0, 101)
"""Theta at which line loads are sampled along a fiber."""

_WIDE, _SHORT = 2.0, 0.5
"""Range of plausible stretches of muscle."""

_FOLD = 1.0
"""Largest angle between the end tangents of an element that a cubic resolves [rad]."""


class Fibers:
    """Fibers as cables; refused if a function of theta is not deterministic."""

    acts_inside = True

    def __init__(self, model: Model, cables: Cables, loads: Loads, tension: TensionProbe) -> None:
        for fiber in model.fibers:
            check_shape(fiber)
        self._model, self._cables, self._loads, self._tension = model, cables, loads, tension
        self._groups = tension.groups
        self._slope_kernels = self._with_states()

    def _with_states(self) -> list[tuple[StressGroup, Any]]:
        """Groups with fibers whose activation is a state, and their kernel of the derivative.

        Raises
        ------
        ModelError
            If the derivative of a user-defined law in the activation cannot be computed.
        """
        found, driven = [], set(self._loads.driven.tolist())
        numbers = np.arange(len(self._cables.names))
        for of in self._groups:
            own = [f for f in numbers[of.fibers].tolist() if f in driven]
            if own:
                fiber = self._model.fibers[own[0]]
                if of.layout.muscle is not None:
                    check_activation_slope(f"fiber {fiber.name!r}", fiber.tissue.muscle)
                found.append((of, activation_kernel(of.layout)))
        return found

    def add(self, at: At, sums: Sums) -> None:
        """Add inertia and internal forces, and subtract weight and line loads."""
        slopes = sums.slopes
        external, activation = self._loads.at(at.t, at.states)
        sums.nodes -= external
        sums.present = max(sums.present, self._loads.largest)
        for of in self._groups:
            data = (
                of.element_start, at.nodes, at.velocity, at.acceleration, of.cable,
                activation[of.inside],
            )  # fmt: skip
            if slopes is None:
                of.kernels.cable_residual(*data, sums.nodes)
            else:
                rates = (1.0, slopes.dv_dy, slopes.dvdot_dy)
                of.kernels.assemble_cable(*data, *rates, sums.nodes, sums.lines)
        if slopes is not None and self._loads.driven.size:
            self._add_activation_slopes(at, activation, sums.states.on_nodes)

    def _add_activation_slopes(self, at: At, activation: Array, on_nodes: Array) -> None:
        """Add derivatives of the internal forces in activations that are states, (n_x, n)."""
        found = np.zeros_like(at.nodes)
        for of, slope_kernel in self._slope_kernels:
            slope_kernel(
                of.element_start, at.nodes, at.velocity, of.cable, activation[of.inside], found
            )
        self._loads.add_columns(found, on_nodes)

    def follow_ends(self, at: At, velocity: Array, acceleration: Array, columns: Array) -> None:
        """Add the viscosity and inertia of the elements at attached ends."""
        _, activation = self._loads.at(at.t, at.states)
        for of in self._groups:
            of.kernels.end_rates(
                at.nodes, at.velocity, of.cable, activation[of.inside], of.end_element, of.end_side,
                velocity[of.ends], acceleration[of.ends], columns,
            )  # fmt: skip

    def add_inertia(self, at: At, inertia: Sums, applied: Sums) -> None:
        """Add inertia of the masses at quadrature points, weight and line loads; no stress."""
        cables = self._cables
        external, _ = self._loads.at(at.t, at.states)
        applied.nodes -= external
        ends = at.acceleration[cables.elements].reshape(-1, 4, 3)
        shapes = np.stack(np.broadcast_arrays(*hermite(cables.xi, cables.h[:, None])))
        load = cables.line_density[:, :, None] * np.einsum("aek,eai->eki", shapes, ends)
        cable.line_load_force(
            cables.elements, cables.h, cables.xi, cables.weight, load, inertia.nodes
        )

    def step_fraction(self, update: Update, fraction: float) -> float:
        """Fraction of an update that keeps a fraction of every stretch."""
        cables = self._cables
        part = stretch_fraction(
            update.nodes, update.way, cables.elements, cables.h, cables.xi, KEEP_STRETCH
        )
        return min(fraction, part)

    def inputs(self) -> Iterator[Signal]:
        """Activations, line loads, and prescribed motions of ends."""
        for fiber in self._model.fibers:
            owner = f"fiber {fiber.name!r}"
            signal, load = fiber.activation, fiber.line_load
            if not isinstance(signal, ActivationDynamics):  # else it is a state
                yield Signal(
                    owner, "activation", signal, lambda t, f=fiber: np.array(f.activation_at(t))
                )
            if callable(load):
                yield Signal(owner, "line_load", load, lambda t, f=fiber: f.line_load_at(_THETA, t))
            for end in fiber.attach:
                if isinstance(end, MovingPoint):
                    yield Signal(f"moving point of {owner}", "motion", end.motion, end.position_at)

    def energy(self, at: At) -> dict[str, float]:
        """Kinetic, elastic (active stress has none) and gravity [J].

        Raises
        ------
        ModelError
            If a fiber has a user-defined stress law without an energy.
        """
        cables, elastic = self._cables, 0.0
        local = at.velocity[cables.elements].reshape(-1, 4, 3)
        for of in self._groups:
            if of.kernels.cable_energy is None:
                self._refuse_energy(of.layout)
            elastic += of.kernels.cable_energy(at.nodes, of.cable)
        return {
            "kinetic": 0.5 * float(np.einsum("eab,eai,ebi->", cables.mass, local, local)),
            "elastic": elastic,
            "gravity": -float((self._loads.weight * at.nodes).sum()),
        }

    def _refuse_energy(self, layout: StressLayout) -> NoReturn:
        fiber = next(fiber for fiber in self._model.fibers if fiber.tissue.layout == layout)
        laws = [law_label(kind) for kind in layout.own.values() if not hasattr(kind, "energy")]
        raise ModelError(
            f"fiber {fiber.name!r}: its stress law {laws[0]!r} has no energy(self, stretch); must "
            "have one for energies to be reported"
        )

    def flaw(self, at: At) -> str:
        """Part of the stress or load that is not finite, and its location."""
        activations = self._loads.activations(at.t, at.states)
        stress = self._tension.flaw(at.nodes, at.velocity, activations)
        if stress:
            return stress
        external, _ = self._loads.at(at.t, at.states)
        bad = np.flatnonzero(~np.isfinite(external).all(axis=1))
        return f"the load at {self._cables.describe(int(bad[0]), 0)}" if bad.size else ""

    def suspects(self, at: At) -> list[str]:
        """Fibers that are compressed, stretched beyond the range of muscle, or folded."""
        return [*self._compressed(at), *self._stretched(at), *self._folded(at)]

    def _compressed(self, at: At) -> list[str]:
        cables, found = self._cables, []
        activations = self._loads.activations(at.t, at.states)
        force, theta = self._tension.least(at.nodes, at.velocity, activations, at.points[0])
        for f in np.flatnonzero(force < 0.0):
            where = f"fiber {cables.names[f]!r} is compressed by {-force[f]:.3g} N at theta = "
            where += f"{theta[f]:.2f}"
            if self._model.fibers[f].tissue.bending > 0.0:
                found.append(where)
            else:
                found.append(
                    f"{where}, where a cable without bending stiffness has no definite shape: give "
                    "its tissue bending, or more prestress or viscosity"
                )
        return found

    def _stretched(self, at: At) -> list[str]:
        shortest, longest = self._tension.stretches(at.nodes)
        return [
            f"the stretch of fiber {self._cables.names[f]!r} goes from {shortest[f]:.2f} to "
            f"{longest[f]:.2f}: stiffen or damp the tissue, or lower loads and activation"
            for f in np.flatnonzero((longest > _WIDE) | (shortest < _SHORT))
        ]

    def _folded(self, at: At) -> list[str]:
        cables = self._cables
        tangent = at.nodes[cables.elements][:, :, 3:]
        tangent /= np.linalg.norm(tangent, axis=2, keepdims=True)
        cosine = np.clip((tangent[:, 0] * tangent[:, 1]).sum(axis=1), -1.0, 1.0)
        return [
            f"fiber {cables.names[f]!r} folds within an element: use more elements, or give its "
            "tissue bending"
            for f in np.unique(cables.fiber[np.arccos(cosine) > _FOLD])
        ]

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Fibers, activations and line loads."""
        cables, fibers = self._cables, self._model.fibers
        loads = [
            fiber.line_load_at(_SAMPLES, float(t))
            for fiber in fibers
            for t in (times if callable(fiber.line_load) else times[:1])
        ]
        own = [f.name for f in fields(cables) if f.name not in ATTACHMENT_FIELDS]
        return {
            "the fibers": [
                *(getattr(cables, name) for name in own if name not in ("layouts", "rows")),
                *cables.rows,
                *(layout.digest for layout in cables.layouts),
            ],
            "the activations": [self._loads.signals(float(t)) for t in times],
            "the line loads": loads,
        }

"""Inertia, stress, weight and line loads of the fibers."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk.kernels import attachment, cable
from fibermsk.model import Model
from fibermsk.system.cables import ATTACHMENT_FIELDS, Cables
from fibermsk.system.contributions.contribution import At, Sums
from fibermsk.system.loads import Loads
from fibermsk.system.tension import TensionProbe

__all__ = ["Fibers"]

Array = NDArray[np.float64]

_SAMPLES = np.linspace(0.0, 1.0, 101)
"""Where line loads are sampled along a fiber."""

_WIDE, _SHORT = 2.0, 0.5
"""Stretches beyond which no muscle goes."""

_FOLD = 1.0
"""Angle between the tangents at the two ends of an element that cubics still follow [rad]."""


class Fibers:
    """Fibers as cables.

    Parameters
    ----------
    model : Model
        What they were made of.
    cables : Cables
        Their arrays.
    loads : Loads
        What acts on them from outside.
    tension : TensionProbe
        Looks for slack and for stress that is not finite.
    """

    def __init__(self, model: Model, cables: Cables, loads: Loads, tension: TensionProbe) -> None:
        self._model, self._cables, self._loads, self._tension = model, cables, loads, tension

    def add(self, at: At, sums: Sums) -> None:
        """Add inertia and internal forces, and subtract weight and line loads."""
        cables, slopes = self._cables, sums.slopes
        external, activation = self._loads.at(at.t)
        sums.nodes -= external
        sums.present = max(sums.present, self._loads.largest)
        data = (
            cables.element_start, at.nodes, at.velocity, at.acceleration, cables.elements, cables.h,
            cables.xi, cables.weight, cables.area, cables.G0, cables.law, activation, cables.mass,
        )  # fmt: skip
        if slopes is None:
            cable.cable_residual(*data, sums.nodes)
        else:
            rates = (1.0, slopes.dv_dy, slopes.dvdot_dy)
            cable.assemble_cable(*data, *rates, sums.nodes, sums.lines)

    def follow_ends(self, at: At, velocity: Array, acceleration: Array, columns: Array) -> None:
        """Viscosity and inertia of the elements at attached ends."""
        cables = self._cables
        _, activation = self._loads.at(at.t)
        attachment.end_rates(
            at.nodes, at.velocity, cables.elements, cables.h, cables.xi, cables.weight, cables.area,
            cables.G0, cables.law, activation, cables.mass, cables.end_element, cables.end_side,
            velocity, acceleration, columns,
        )  # fmt: skip

    def energy(self, at: At) -> dict[str, float]:
        """Kinetic, elastic (active stress has none) and gravity [J]."""
        cables = self._cables
        local = at.velocity[cables.elements].reshape(-1, 4, 3)
        elastic = cable.cable_energy(
            at.nodes, cables.elements, cables.h, cables.xi, cables.weight, cables.area, cables.G0,
            cables.law,
        )  # fmt: skip
        return {
            "kinetic": 0.5 * float(np.einsum("eab,eai,ebi->", cables.mass, local, local)),
            "elastic": elastic,
            "gravity": -float((self._loads.weight * at.nodes).sum()),
        }

    def flaw(self, at: At) -> str:
        """Part of the stress, or load, that is not finite."""
        activations = self._loads.activations(at.t)
        stress = self._tension.flaw(at.nodes, at.velocity, activations)
        if stress:
            return stress
        external, _ = self._loads.at(at.t)
        bad = np.flatnonzero(~np.isfinite(external).all(axis=1))
        return f"the load at {self._cables.describe(int(bad[0]), 0)}" if bad.size else ""

    def suspects(self, at: At) -> list[str]:
        """Fibers that are compressed, stretched beyond all muscle, or folded."""
        return [*self._compressed(at), *self._stretched(at), *self._folded(at)]

    def _compressed(self, at: At) -> list[str]:
        cables, found = self._cables, []
        activations = self._loads.activations(at.t)
        force, theta = self._tension.least(at.nodes, at.velocity, activations)
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
            "the fibers": [getattr(cables, name) for name in own],
            "the activations": [self._loads.activations(float(t)) for t in times],
            "the line loads": loads,
        }

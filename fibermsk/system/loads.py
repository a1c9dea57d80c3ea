"""What acts on the fibers from outside at a time: activations, weight and line loads."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fibermsk.kernels import cable
from fibermsk.model import Model
from fibermsk.system.cables import Cables

__all__ = ["Loads"]

Array = NDArray[np.float64]


class Loads:
    """Nodal forces and activations as functions of time; the last time is remembered.

    Attributes
    ----------
    weight : (n_nodes, 6) float array
        Nodal forces of gravity [N].
    """

    def __init__(self, model: Model, cables: Cables, gravity: Array) -> None:
        self._model, self._cables = model, cables
        self._gravity = cables.line_density[:, :, None] * gravity
        self.weight = self._nodal(self._gravity)
        self.forget()

    def forget(self) -> None:
        """Ask the signals anew."""
        self._time = np.nan

    def activations(self, t: float) -> Array:
        """Activation of each fiber at time t, (n_fibers,); a shared signal is asked once."""
        if t == self._time:
            return self._activations
        known: dict[int, float] = {}
        for fiber in self._model.fibers:
            key = id(fiber.activation)
            if key not in known:
                known[key] = fiber.activation_at(t)
        return np.array([known[id(fiber.activation)] for fiber in self._model.fibers])

    def at(self, t: float) -> tuple[Array, Array]:
        """Nodal forces (n_nodes, 6) [N] and activation of every element at time t."""
        if t != self._time:
            cables = self._cables
            activations = self.activations(t)
            load = self._gravity.copy()
            for f in range(len(cables.names)):
                own = slice(cables.element_start[f], cables.element_start[f + 1])
                load[own] += self.line_load(f, t) * cables.G0[own, :, None]
            self._external = self._nodal(load)
            self._activations, self._element_activation = activations, activations[cables.fiber]
            self._time = t
        return self._external, self._element_activation

    def line_load(self, f: int, t: float) -> Array:
        """Line load at the quadrature points of one fiber (n_own_elements, n_points, 3) [N/m]."""
        cables = self._cables
        own = slice(cables.element_start[f], cables.element_start[f + 1])
        theta = cables.theta[cables.elements[own, 0], None] + cables.h[own, None] * cables.xi
        return self._model.fibers[f].line_load_at(theta.ravel(), t).reshape(*theta.shape, 3)

    def _nodal(self, load: Array) -> Array:
        """Nodal forces of a load per theta at the quadrature points."""
        cables = self._cables
        force = np.zeros((cables.n_nodes, 6))
        cable.line_load_force(cables.elements, cables.h, cables.xi, cables.weight, load, force)
        return force

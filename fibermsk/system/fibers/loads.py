"""External inputs of the fibers at a time: activations, weight and line loads.

An activation is a function of time, or a state of first order.
"""

from __future__ import annotations

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk.kernels.fibers import cable
from fibermsk.model import Constant, Model
from fibermsk.system.fibers.cables import Cables

_NO_STATES = np.zeros(0)


class Loads:
    """Nodal forces and activations, those as functions of time cached for the last time.

    Attributes
    ----------
    state_of : (n_fibers,) int array
        Number of each fiber's state among all states; -1 for activations that are functions.
    driven : (n,) int array
        Fibers whose activation is a state.
    driven_nodes, driven_by : (m,) int array
        Nodes of these fibers, and the state of each.
    largest : float
        Largest component of the nodal forces at the last time [N].
    shift : float
        Added to all activations that are functions, for derivatives.
    """

    def __init__(self, model: Model, cables: Cables, gravity: Array, state_of: Index) -> None:
        self._model, self._cables = model, cables
        self.shift = 0.0
        self.state_of, self.driven = state_of, np.flatnonzero(state_of >= 0)
        of_node = state_of[cables.fiber_of_node]
        self.driven_nodes = np.flatnonzero(of_node >= 0)
        self.driven_by = of_node[self.driven_nodes]
        self._gravity = gravity
        # fibers grouped by shared signal, and by whether their load varies
        signals: dict[object, list[int]] = {}
        for f in np.flatnonzero(state_of < 0).tolist():
            signal = model.fibers[f].activation
            key = signal if isinstance(signal, Constant) else id(signal)
            signals.setdefault(key, []).append(f)
        self._sharing = [np.array(fibers) for fibers in signals.values()]
        self._fixed, self._varying = self._weight(), []
        for f, fiber in enumerate(model.fibers):
            if callable(fiber.line_load):
                self._varying.append(f)
            elif np.any(fiber.line_load):
                self._add_line_load(self._fixed, f, 0.0)
        self._external = self._nodal(self._fixed)
        if not self._varying:
            self._fixed = np.zeros((0, 0, 3))
        self.forget()

    @property
    def weight(self) -> Array:
        """Nodal forces (n_nodes, 6) of gravity [N]; a new array."""
        return self._nodal(self._weight())

    def _weight(self) -> Array:
        """Gravity per theta at the quadrature points."""
        return self._cables.line_density[:, :, None] * self._gravity

    @property
    def varies(self) -> bool:
        """Whether the line load of some fiber is a function of time."""
        return bool(self._varying)

    def forget(self) -> None:
        """Clear the cache."""
        self._time = np.nan

    def follow(self, other: Loads) -> None:
        """Take over what fibers with the same signals and loads have at its last time."""
        self._time, self.largest = other._time, other.largest
        self._activations, self._external = other._activations, other._external
        self._element_activation = other._element_activation

    def activations(self, t: float, states: Array = _NO_STATES) -> Array:
        """Activation of each fiber at time t with states (n_states,), (n_fibers,).

        A shared signal is evaluated once.
        """
        if t == self._time:
            return self._with_states(self._activations, states)
        result = np.empty(len(self._model.fibers))
        for fibers in self._sharing:
            result[fibers] = self._model.fibers[fibers[0]].activation_at(t)
        return self._with_states(result, states)

    def signals(self, t: float) -> Array:
        """Activations that are functions at time t; zero where they are states, (n_fibers,)."""
        states = np.zeros(1 + self.state_of.max(initial=-1))
        return self.activations(t, states)

    def _with_states(self, activations: Array, states: Array) -> Array:
        """Activations (n_fibers,) with those that are states."""
        if not self.driven.size:
            return activations
        activations = activations.copy()
        activations[self.driven] = states[self.state_of[self.driven]]
        return activations

    def add_columns(self, force: Array, columns: Array) -> None:
        """Add derivatives of nodal forces (n_nodes, 6) in the activations that are states.

        columns (n_x, n_states): those in the states; each node depends on that of its fiber.
        """
        nodes, states = self.driven_nodes, self.driven_by
        columns.reshape(*force.shape, -1)[nodes, :, states] += force[nodes]

    def external(self, t: float) -> Array:
        """Nodal forces (n_nodes, 6) of weight and line loads at time t [N]."""
        if not self._varying:
            return self._external
        load = self._fixed.copy()
        for f in self._varying:
            self._add_line_load(load, f, t)
        return self._nodal(load)

    def at(self, t: float, states: Array = _NO_STATES) -> tuple[Array, Array]:
        """Nodal forces (n_nodes, 6) [N] and activation of every element at time t."""
        external, activations = self.on_fibers(t, states)
        if self.driven.size or self.shift:
            return external, activations[self._cables.fiber]
        return external, self._element_activation

    def on_fibers(self, t: float, states: Array = _NO_STATES) -> tuple[Array, Array]:
        """Nodal forces (n_nodes, 6) [N] and activation of every fiber at time t."""
        if t != self._time:
            activations = self.signals(t)
            self._external = self.external(t)
            self.largest = float(np.abs(self._external).max(initial=0.0))
            self._activations = activations
            self._element_activation = activations[self._cables.fiber]
            self._time = t
        if self.driven.size or self.shift:
            return self._external, self._with_states(self._activations + self.shift, states)
        return self._external, self._activations

    def _add_line_load(self, load: Array, f: int, t: float) -> None:
        cables = self._cables
        own = slice(cables.element_start[f], cables.element_start[f + 1])
        load[own] += self.line_load(f, t) * cables.rows.G0[cables.row_of[own], :, None]

    def line_load(self, f: int, t: float) -> Array:
        """Line load at the quadrature points of one fiber (n_own_elements, n_points, 3) [N/m]."""
        cables = self._cables
        own = slice(cables.element_start[f], cables.element_start[f + 1])
        theta = cables.theta[cables.elements[own, 0], None] + cables.h[own, None] * cables.xi
        return self._model.fibers[f].line_load_at(theta.ravel(), t).reshape(*theta.shape, 3)

    def _nodal(self, load: Array) -> Array:
        """Nodal forces of a load per theta given at the quadrature points."""
        cables = self._cables
        force = np.zeros((cables.n_nodes, 6))
        cable.line_load_force(cables.elements, cables.h, cables.xi, cables.weight, load, force)
        return force

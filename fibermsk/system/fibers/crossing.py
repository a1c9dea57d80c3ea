"""Port of contributions to the point of a fiber nearest to a given point."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.elements.hermite import hermite, hermite_d1, hermite_d2
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import Sums

_SAMPLES = 8
"""Intervals of an element in the search for the nearest point."""

_ITERATIONS = 60

_EYE = np.eye(3)


class Crossing(NamedTuple):
    """The point of a fiber nearest to a point c.

    Attributes
    ----------
    node : int
        First node of its element, among those of all fibers.
    offset : (3,) float array
        g = x(theta) - c [m].
    J : (3, 15) float array
        Derivative of g in z, the 12 unknowns of the element and c, at constant theta.
    slope : (15,) float array
        Derivative of g . x' in z at constant theta.
    bend : float
        Derivative of g . x' in theta; infinite at the end of a fiber, where theta does not move.
    """

    node: int
    offset: Array
    J: Array
    slope: Array
    bend: float

    def curvature(self) -> Array:
        """Second derivative (15, 15) of |g|^2 / 2 in z, with theta following the nearest point."""
        return self.J.T @ self.J - np.outer(self.slope, self.slope / self.bend)


class FiberCrossing:
    """Nearest point of one fiber, and forces there.

    Parameters
    ----------
    configuration : Configuration
        Configuration of the system.
    fiber : str
        Name of the fiber.

    Raises
    ------
    ModelError
        If the model has no such fiber.
    """

    def __init__(self, configuration: Configuration, fiber: str) -> None:
        cables = configuration.cables
        names = list(cables.names)
        _check.choice("FiberCrossing", "fiber", fiber, names)
        f = names.index(fiber)
        first, end = (int(cables.element_start[f + k]) for k in (0, 1))
        self._node, self._h = int(cables.node_start[f]), cables.h[first:end].copy()
        xi = np.linspace(0.0, 1.0, _SAMPLES + 1)
        self._xi = xi
        self._sampled = np.array([np.stack(hermite(xi, h), axis=1) for h in self._h])

    def nearest(self, nodes: Array, point: Array) -> Crossing:
        """Nearest point of the fiber, whose nodes are among all (n_nodes, 6), to a point (3,)."""
        n = self._h.size
        own = nodes[self._node : self._node + n + 1].reshape(-1, 2, 3)
        ends = np.concatenate([own[:-1], own[1:]], axis=1)  # (n, 4, 3)
        offset = np.einsum("esa,eai->esi", self._sampled, ends) - point
        square = np.einsum("esi,esi->es", offset, offset)
        e, s = np.unravel_index(int(square.argmin()), square.shape)
        found = [self._refine(int(e), int(s), ends[e], point)]
        # a sample at a node belongs to two elements
        if s == 0 and e > 0:
            found.append(self._refine(int(e) - 1, _SAMPLES, ends[e - 1], point))
        if s == _SAMPLES and e < n - 1:
            found.append(self._refine(int(e) + 1, 0, ends[e + 1], point))
        _, e, xi = min(found, key=lambda one: one[0])
        h = self._h[e]
        N, N1, N2 = (np.array(values(xi, h)) for values in (hermite, hermite_d1, hermite_d2))
        g = N @ ends[e] - point
        tangent, bent = N1 @ ends[e], N2 @ ends[e]
        J = np.asarray(np.hstack([np.kron(N, _EYE), -_EYE]), np.float64)
        slope = J.T @ tangent
        slope[:12] += np.kron(N1, g)
        at_end = (e == 0 and xi == 0.0) or (e == n - 1 and xi == 1.0)
        bend = np.inf if at_end else float(tangent @ tangent + g @ bent)
        return Crossing(self._node + e, g, J, slope, bend)

    def _refine(self, e: int, s: int, ends: Array, point: Array) -> tuple[float, int, float]:
        """Squared distance, element and xi of the minimum around sample s of element e."""
        low, high = self._xi[max(s - 1, 0)], self._xi[min(s + 1, _SAMPLES)]
        h, xi = self._h[e], self._xi[s]
        for _ in range(_ITERATIONS):
            g = np.array(hermite(xi, h)) @ ends - point
            tangent = np.array(hermite_d1(xi, h)) @ ends
            value = float(g @ tangent)
            # the minimum lies where the derivative is negative before and positive behind
            low, high = (xi, high) if value < 0.0 else (low, xi)
            bend = float(tangent @ tangent + g @ (np.array(hermite_d2(xi, h)) @ ends))
            new = xi - value / (bend * h) if bend > 0.0 else -1.0
            if not low <= new <= high:
                new = 0.5 * (low + high)
            if abs(new - xi) <= 1e-16:
                break
            xi = new
        # a minimum at an end of the element
        for end in (0.0, 1.0):
            if abs(xi - end) < 1e-15:
                xi = end
        g = np.array(hermite(xi, h)) @ ends - point
        return float(g @ g), e, float(xi)

    @staticmethod
    def push(sums: Sums, found: Crossing, gradient: Array, hessian: Array, C: Array) -> None:
        """Add a potential's gradient (15,) in z and its second derivative to fiber and border.

        Its last three rows, those of the point c, are added to the nodes' coupling with the axes
        only: the force on the point, and the corner, are those of its own port. C (3, n_axes).
        """
        i = found.node
        sums.nodes[i : i + 2] += gradient[:12].reshape(2, 6)
        if sums.slopes is None:
            return
        blocks = hessian[:12, :12]
        # lines hold (column, row)
        sums.lines[i, 0] += blocks[:6, :6].T
        sums.lines[i + 1, 0] += blocks[6:, 6:].T
        sums.lines[i, 1] += blocks[:6, 6:].T
        sums.lines[i, 2] += blocks[6:, :6].T
        own = slice(6 * i, 6 * i + 12)
        sums.axes.B[own] += hessian[:12, 12:] @ C
        sums.axes.R[:, own] += C.T @ hessian[12:, :12]

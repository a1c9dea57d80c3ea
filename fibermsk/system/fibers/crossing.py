"""Port of contributions to the points of fibers nearest to a given point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array, Index
from fibermsk.elements.hermite import hermite, hermite_d1, hermite_d2
from fibermsk.kernels.closest.whole_fiber import find_nearest
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import Sums

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


class FiberCrossings:
    """Nearest points of several fibers, and forces there.

    Parameters
    ----------
    configuration : Configuration
        Configuration of the system.
    fibers : sequence of str
        Names of fibers.

    Raises
    ------
    ModelError
        If the model has no such fiber.
    """

    def __init__(self, configuration: Configuration, fibers: Sequence[str]) -> None:
        cables = configuration.cables
        names = list(cables.names)
        for fiber in fibers:
            _check.choice("FiberCrossings", "fiber", fiber, names)
        of = np.array([names.index(fiber) for fiber in fibers])
        self._start, self._h = cables.element_start[of].astype(np.int64), cables.h
        self._n = np.diff(cables.element_start)[of].astype(np.int64)
        self._node = cables.node_start[of].astype(np.int64)

    def nearest(self, nodes: Array, point: Array) -> tuple[Index, Array, Array]:
        """Nearest points to a point (3,): element, from the fiber's start, xi and distance [m]."""
        n = self._n.size
        element, xi, distance = np.zeros(n, np.int64), np.zeros(n), np.zeros(n)
        find_nearest(nodes, self._node, self._n, self._start, self._h, point, element, xi, distance)
        return element, xi, distance

    def crossing(self, f: int, element: int, xi: float, nodes: Array, point: Array) -> Crossing:
        """Derivatives at the nearest point of fiber number f."""
        node, h = int(self._node[f] + element), self._h[self._start[f] + element]
        ends = nodes[node : node + 2].reshape(4, 3)
        N, N1, N2 = (np.array(values(xi, h)) for values in (hermite, hermite_d1, hermite_d2))
        g = N @ ends - point
        tangent, bent = N1 @ ends, N2 @ ends
        J = (np.append(N, -1.0)[:, None] * _EYE[:, None]).reshape(3, 15)
        slope = J.T @ tangent
        slope[:12] += np.outer(N1, g).ravel()
        at_end = (element == 0 and xi == 0.0) or (element == self._n[f] - 1 and xi == 1.0)
        bend = np.inf if at_end else float(tangent @ tangent + g @ bent)
        return Crossing(node, g, J, slope, bend)

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

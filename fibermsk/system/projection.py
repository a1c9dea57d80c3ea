"""Projection of positions and velocities onto the constraints of contributions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fibermsk._arrays import Array
from fibermsk.errors import ConstraintError
from fibermsk.protocol import ProjectionSlopes
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At
from fibermsk.system.multipliers import Multipliers
from fibermsk.system.skeleton.constraints import Held

_CLOSED, _NEARLY_CLOSED = 1e-16, 1e-12
"""Openings that a projection need not, or if it gets no further does not, make smaller [m]."""

_MOST_PROJECTIONS = 20


class Projection:
    """Coordinates that obey the constraints, near given ones, and rates that do so there.

    Each step changes the coordinates as little as it can to close the constraints in first order.
    """

    def __init__(self, configuration: Configuration, multipliers: Multipliers) -> None:
        self._configuration, self._multipliers = configuration, multipliers

    def project(self, t: float, y: Array, v: Array) -> tuple[Array, Array]:
        """Positions and velocities (n,) that obey the constraints.

        Raises
        ------
        ConstraintError
            If the constraints are not independent, or are not met nearby.
        """
        own = self._configuration
        y, v = y.copy(), v.copy()
        _, p = own.split(v)
        *_, (at, held) = self._approach(t, y, v, second=False)
        p -= self._least(at, held.G, held.g_dot)
        self._multipliers.follow(at)
        y = own.retract(t, y, np.zeros_like(y))
        return y, own.enforce(y, v)

    def slopes(self, t: float, y: Array, v: Array) -> ProjectionSlopes:
        """Derivatives of `project`."""
        own = self._configuration
        y, v = y.copy(), v.copy()
        (nodes, q), n = own.split(y), own.skeleton.n
        by_q, speed, rate = np.eye(n), np.eye(n), np.eye(n)
        for at, held in self._approach(t, y, v, second=True):
            # also where the constraints hold: they would not at coordinates beside these
            least = self._least_matrix(held.G)
            by_q = by_q - self._least_slopes(at, held.G, least, held.g, held.G) @ by_q
            speed = -self._least_slopes(at, held.G, least, held.g_dot, held.V)
            rate = np.eye(n) - least @ held.G
        return ProjectionSlopes(nodes.size + np.arange(q.size), by_q, speed @ by_q, rate)

    def _approach(self, t: float, y: Array, v: Array, *, second: bool) -> Iterator[tuple[At, Held]]:
        """Constraints on the way, the last ones closed; changes the coordinates in y."""
        _, q = self._configuration.split(y)
        before = np.inf
        for _ in range(_MOST_PROJECTIONS):
            at = self._configuration.kinematics(t, y, v, second=second)
            held = self._multipliers.gather(at, second)
            assert held is not None
            yield at, held
            size = float(np.abs(held.g).max(initial=0.0))
            if size <= _CLOSED or (size > 0.5 * before and size < _NEARLY_CLOSED):
                return
            before = size
            q -= self._least(at, held.G, held.g)
        raise ConstraintError(
            f"the constraints are not met near the coordinates {np.round(q, 4).tolist()}: "
            f"{before:.3g} m remain; start from coordinates that close the mechanism"
        )

    def _least(self, at: At, G: Array, right: Array) -> Array:
        """Smallest change (n,) of the coordinates that are not prescribed with G change = right."""
        self._multipliers.own(G, at)
        change, free = np.zeros(G.shape[1]), self._multipliers.open
        change[free] = np.linalg.lstsq(G[:, free], right)[0]
        return change

    def _least_matrix(self, G: Array) -> Array:
        """Matrix (n, m) of `_least`, the pseudo-inverse of G without prescribed coordinates."""
        found, free = np.zeros(G.T.shape), self._multipliers.open
        found[free] = np.linalg.pinv(G[:, free])
        return found

    def _least_slopes(self, at: At, G: Array, least: Array, right: Array, by_q: Array) -> Array:
        """Derivative (n, n) of `_least` in the coordinates, of a right side with derivative by_q.

        With x = G^T z, G G^T z = right: dx = dG^T z + G^T dz.
        """
        free = self._multipliers.open
        x, z = least @ right, least.T @ (least @ right)
        bent = np.array([self._multipliers.curvature(at, one) @ x for one in np.eye(right.size)])
        turned = np.zeros((G.shape[1], G.shape[1]))
        turned[free] = self._multipliers.curvature(at, z)[free]
        return turned + least @ (by_q - bent - G @ turned)

"""Where contributions take hold: points of bodies, bodies that turn, and coordinates.

A port reads places and rates from the kinematics of a state, and brings forces on them, with their
derivatives, to residual and tangent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk.kernels import points
from fibermsk.model import Station
from fibermsk.system.configuration import Configuration
from fibermsk.system.contributions import At, Sums

__all__ = ["BodyPoints", "CoordinatePort", "Placed"]

Array = NDArray[np.float64]


class Placed(NamedTuple):
    """Points at one state.

    Attributes
    ----------
    x, v : (m, 3) float array
        Positions and velocities, ground frame [m, m/s].
    C : (m, 3, n_axes) float array
        How positions follow the axes.
    """

    x: Array
    v: Array
    C: Array


class BodyPoints:
    """Points that ride on bodies.

    Parameters
    ----------
    configuration : Configuration
        Of the system.
    stations : sequence of Station
        The points.
    """

    def __init__(self, configuration: Configuration, stations: Sequence[Station]) -> None:
        self._skeleton = configuration.skeleton
        places = [(self._skeleton.tree.frames[one.body.name], one.position) for one in stations]
        self.link = np.array([link for (link, _, _), _ in places], np.int64)
        self.local = np.array([x + R @ np.asarray(point) for (_, R, x), point in places])

    def at(self, at: At) -> Placed:
        """Where they are."""
        links, tree, m = at.motion.links, self._skeleton.tree, self.link.size
        x, C = np.empty((m, 3)), np.empty((m, 3, tree.n))
        points.place_points(
            links.S, tree.moves, links.rotation, links.position, self.link, self.local, x, C
        )
        return Placed(x, C @ at.motion.speed, C)

    def push(
        self, at: At, placed: Placed, sums: Sums, force: Array, by_x: Array, by_v: Array
    ) -> None:
        """Apply forces (m, 3) on them [N], with derivatives (3 m, 3 m) in positions and velocities.

        With dx = C d(axes) and dv = C d(speeds) + S d(axes), the force on the axes C^T F changes by
        (dC^T F) + C^T (K dx + D dv).
        """
        skeleton, tree, links = self._skeleton, self._skeleton.tree, at.motion.links
        C = placed.C.reshape(-1, tree.n)
        sums.axes.force[:] -= C.T @ force.ravel()
        if sums.slopes is None:
            return
        S = np.empty_like(placed.C)
        points.velocity_slope(links.S, tree.moves, self.link, placed.C, at.motion.speed, S)
        dq = -C.T @ (by_x @ C + by_v @ S.reshape(C.shape))
        points.add_curvature(links.S, tree.moves, self.link, placed.C, -force, dq)
        sums.follow_axes(skeleton, at.motion, dq, -C.T @ by_v @ C)


class CoordinatePort:
    """A coordinate, whether it is an unknown or follows others.

    Parameters
    ----------
    configuration : Configuration
        Of the system.
    name : str
        The coordinate.
    """

    def __init__(self, configuration: Configuration, name: str) -> None:
        self._skeleton = configuration.skeleton
        self._row = self._skeleton.row_of(name)

    def at(self, at: At) -> tuple[float, float]:
        """Its value and rate."""
        rows = at.motion.rows
        x, x_dot = (at.q, at.p) if rows is None else (rows.x, rows.x_dot)
        return float(x[self._row]), float(x_dot[self._row])

    def push(self, at: At, sums: Sums, force: float, by_x: float, by_x_dot: float) -> None:
        """Apply a generalized force along it, with its derivatives in value and rate."""
        rows, slopes, row = at.motion.rows, sums.slopes, self._row
        if rows is None:
            J = np.zeros(at.q.size)
            J[row] = 1.0
        else:
            J = rows.J[row]
        sums.force -= force * J
        if slopes is None:
            return
        way = (by_x + by_x_dot * slopes.dv_dy) * J
        if rows is not None:
            way = way + by_x_dot * rows.V[row]
        sums.corner -= np.outer(J, way)
        if rows is not None and self._skeleton.map is not None:
            weight = np.zeros(rows.x.size)
            weight[row] = -force
            self._skeleton.map.add_curvature(rows, 0, weight, sums.corner)

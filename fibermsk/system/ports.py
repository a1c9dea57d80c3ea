"""Ports of contributions: points of bodies, and coordinates.

A port reads positions and rates from the kinematics of a state, and adds forces on them, with their
derivatives, to residual and tangent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.model import Station
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Slopes, Sums
from fibermsk.system.skeleton.coordinate_map import Push, push_coordinates
from fibermsk.system.skeleton.link_points import LinkPoints


class Placed(NamedTuple):
    """Points at one state.

    Attributes
    ----------
    x, v : (m, 3) float array
        Positions and velocities, ground frame [m, m/s].
    C : (m, 3, n_axes) float array
        Derivative of positions with respect to the axes.
    """

    x: Array
    v: Array
    C: Array


class Accelerated(NamedTuple):
    """Accelerations of points, and derivatives in the coordinates at constant p and p_dot.

    Attributes
    ----------
    a : (m, 3) float array
        Accelerations [m/s^2].
    X, V, W : (3 m, n) float array
        Derivatives of positions, velocities and accelerations; V and W are empty unless requested.
    """

    a: Array
    X: Array
    V: Array
    W: Array


class BodyPoints(LinkPoints):
    """Points fixed to bodies.

    Parameters
    ----------
    configuration : Configuration
        Configuration of the system.
    stations : sequence of Station
        The points.
    """

    def __init__(self, configuration: Configuration, stations: Sequence[Station]) -> None:
        frames = configuration.tree.frames
        places = [(frames[one.body.name], one.position) for one in stations]
        link = np.array([link for (link, _, _), _ in places], np.int64)
        local = np.array([x + R @ np.asarray(point) for (_, R, x), point in places])
        super().__init__(configuration.skeleton, link, local)

    def at(self, at: At) -> Placed:
        """Positions and velocities of the points."""
        x, C = self.place(at.motion)
        return Placed(x, C @ at.motion.speed, C)

    def follow(self, at: At, placed: Placed, slopes: Slopes) -> tuple[Array, Array]:
        """Derivatives of positions and velocities in the coordinates, X and V (3 m, n)."""
        motion, skeleton = at.motion, self._skeleton
        C = placed.C.reshape(-1, placed.C.shape[2])
        X, V = skeleton.columns(motion, C), slopes.dv_dy * C + self._sway(at, placed)
        V = skeleton.columns(motion, V)
        if motion.rows is not None:
            V = V + C @ skeleton.axes_of(motion.rows.V)
        return X, V

    def accelerate(self, at: At, placed: Placed, second: bool) -> Accelerated:
        """Accelerations, and derivatives in the coordinates; those of rates only if `second`."""
        motion, skeleton, tree = at.motion, self._skeleton, self._skeleton.tree
        C, sway = placed.C.reshape(-1, tree.n), self._sway(at, placed)
        a = (C @ motion.rate + sway @ motion.speed).reshape(-1, 3)
        X = skeleton.columns(motion, C)
        if not second:
            none = np.zeros((0, skeleton.n))
            return Accelerated(a, X, none, none)
        bent = self.acceleration_slope(motion, placed.C, 0.0).reshape(C.shape)
        if motion.rows is None:
            return Accelerated(a, X, sway, bent)
        J, V, W = (skeleton.axes_of(part) for part in motion.rows[3:6])
        return Accelerated(a, X, sway @ J + C @ V, bent @ J + 2.0 * sway @ V + C @ W)

    def curvature(self, at: At, placed: Placed, force: Array) -> Array:
        """Derivative (n, n) of X^T force in the coordinates at constant force (m, 3)."""
        motion, skeleton, tree = at.motion, self._skeleton, self._skeleton.tree
        by_axes = np.zeros((tree.n, tree.n))
        self.add_curvature(motion, placed.C, force, by_axes)
        if motion.rows is None:
            return by_axes
        out = np.zeros((skeleton.n, skeleton.n))
        on_axes = placed.C.reshape(-1, tree.n).T @ force.ravel()
        skeleton.pull_back(motion, on_axes, by_axes, out)
        return out

    def _sway(self, at: At, placed: Placed) -> Array:
        """Derivative of the velocities in the axes at constant speeds, (3 m, n_axes)."""
        return self.velocity_slope(at.motion, placed.C).reshape(-1, placed.C.shape[2])

    def pulled(self, at: At, placed: Placed, force: Array) -> Array:
        """Generalized forces (n,) of forces (m, 3) on the points."""
        C = placed.C.reshape(-1, placed.C.shape[2])
        return self._skeleton.from_axes(at.motion, C.T @ force.ravel())

    def push(
        self, at: At, placed: Placed, sums: Sums, force: Array, by_x: Array, by_v: Array
    ) -> None:
        """Apply forces (m, 3) [N], with derivatives (3 m, 3 m) in positions and velocities.

        With dx = C d(axes) and dv = C d(speeds) + S d(axes), the force on the axes C^T F changes by
        (dC^T F) + C^T (K dx + D dv).
        """
        if not self._skeleton.tree.n:
            return  # nothing can move
        C = placed.C.reshape(-1, self._skeleton.tree.n)
        sums.axes.force[:] -= C.T @ force.ravel()
        if sums.slopes is None:
            return
        dq = -C.T @ (by_x @ C + by_v @ self._sway(at, placed))
        self.add_curvature(at.motion, placed.C, -force, dq)
        sums.follow_axes(self._skeleton, at.motion, dq, -C.T @ by_v @ C)


class CoordinatePort:
    """A coordinate, independent or dependent.

    Parameters
    ----------
    configuration : Configuration
        Configuration of the system.
    name : str
        The coordinate.

    Attributes
    ----------
    unit, force_unit : str
        Units of the coordinate and of its generalized force.
    """

    def __init__(self, configuration: Configuration, name: str) -> None:
        self._skeleton = configuration.skeleton
        self._row = self._skeleton.row_of(name)
        self.unit = self._skeleton.units[name]
        self.force_unit = "N" if self.unit == "m" else "N m"

    def at(self, at: At) -> tuple[float, float]:
        """Value and rate of the coordinate."""
        rows = at.motion.rows
        x, x_dot = (at.q, at.p) if rows is None else (rows.x, rows.x_dot)
        return float(x[self._row]), float(x_dot[self._row])

    def follow(self, at: At, slopes: Slopes) -> tuple[Array, Array]:
        """Derivatives of value and rate in the coordinates, two (1, n)."""
        rows, row = at.motion.rows, self._row
        if rows is None:
            J = np.zeros((1, at.q.size))
            J[0, row] = 1.0
            return J, slopes.dv_dy * J
        J = rows.J[row : row + 1]
        return J, rows.V[row : row + 1] + slopes.dv_dy * J

    def push(self, at: At, sums: Sums, force: float, by_x: float, by_x_dot: float) -> None:
        """Apply a generalized force, with its derivatives in value and rate."""
        one = Push(self._row, force, by_x, by_x_dot)
        rows, corner = at.motion.rows, sums.on_coordinates
        push_coordinates(self._skeleton.map, rows, (one,), sums.force, corner)

"""Links and attached fiber ends: coordinates on the host, ends on a device."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.gpu.arrays import DeviceCables
from fibermsk.gpu.device import Device
from fibermsk.kernels.skeleton.points import (
    add_stray,
    fill_acceleration_slope,
    fill_velocity_slope,
    place_point,
)
from fibermsk.system import FiberSystem
from fibermsk.system.contribution import Slopes
from fibermsk.system.skeleton.tree import TreeState


class Links(NamedTuple):
    """Links at one set of coordinates."""

    state: TreeState  # of the host
    S: Any  # as `rotation` and `position`, see `fibermsk.kernels.skeleton.rigid`
    rotation: Any
    position: Any
    point: Any  # positions of the attachments (n_points, 3) [m]
    C: Any  # their derivatives in the coordinates (n_points, 3, n)


class Ends:
    """Attached ends of the fibers: `n` ends, `n_q` coordinates, `tree` of the host.

    `moves` (n_q, n_q) is that of `fibermsk.kernels.skeleton.rigid`. `sides` lists ends at origins
    and at insertions: ends of one side share no element.
    """

    def __init__(self, device: Device, arrays: DeviceCables, host: FiberSystem) -> None:
        self._device, self._arrays, self.tree = device, arrays, host.tree
        cables = host.cables
        self._n_x, self.n_q = 6 * cables.n_nodes, host.tree.n
        self.n = cables.end_element.size
        moving = {node: point for node, point in host.moving_points}
        given = [int(node) in moving for node in cables.attached_nodes]
        self._moving = [(m, moving[int(cables.attached_nodes[m])]) for m in np.flatnonzero(given)]
        self._moved = device.to_device(
            (6 * cables.attached_nodes[given][:, None] + np.arange(3)).ravel()
        )
        self._local, self._at = cables.point_local.copy(), np.nan
        self._local_there = device.to_device(self._local)
        self._link = device.to_device(cables.point_link)
        self.moves = device.to_device(host.tree.moves)
        sides = [np.flatnonzero(cables.end_side == side) for side in range(2)]
        self.sides = [device.to_device(side) for side in sides]
        self._remainder = device.xp.zeros(cables.h.size)

    def coordinates(self, *vectors: Any) -> list[Array]:
        """Coordinate parts of vectors (n,) of the device, on the host."""
        if self.n_q == 0:
            return [np.zeros(0)] * len(vectors)
        ends = np.concatenate([vector[self._n_x :] for vector in vectors])
        return np.split(self._device.to_host(ends), len(vectors))

    def at(self, q: Array, p: Array | None = None, p_dot: Array | None = None) -> Links:
        """Links at coordinates, speeds and accelerations, by default zero."""
        zero = np.zeros(self.n_q)
        state = self.tree.evaluate(q, zero if p is None else p, zero if p_dot is None else p_dot)
        device, xp = self._device, self._device.xp
        S, rotation, position = map(device.to_device, (state.S, state.rotation, state.position))
        point, C = xp.zeros((self.n, 3)), xp.zeros((self.n, 3, self.n_q))
        device.launch(
            place_point, self.n,
            (S, self.moves, rotation, position, self._link, self._local_there, point, C),
        )  # fmt: skip
        return Links(state, S, rotation, position, point, C)

    def retract(self, t: float, y: Any) -> None:
        """Move the attached nodes of y to their attachments at a time [s]."""
        if self._moving and t != self._at:
            for m, point in self._moving:
                self._local[m] = point.position_at(t)
            self._at, self._local_there = t, self._device.to_device(self._local)
        (q,) = self.coordinates(y)
        y[self._arrays.attached] = self.at(q).point.reshape(-1)

    def enforce(self, y: Any, v: Any, t: float | None, derive: bool) -> None:
        """Set the velocities of attached nodes in v; see `fibermsk.protocol.System`."""
        values = self._follow(self.at(*self.coordinates(y)).C, v) if self.n_q else 0.0
        self._set(v, values, t, "velocity_at", derive)

    def enforce_rate(self, y: Any, v: Any, v_dot: Any, t: float | None, derive: bool) -> None:
        """Set the accelerations of attached nodes in v_dot; see `fibermsk.protocol.System`."""
        values = 0.0
        if self.n_q:
            links = self.at(*self.coordinates(y, v, v_dot))
            slope = self.velocity_slope(links, v[self._n_x :])
            values = self._follow(links.C, v_dot) + self._follow(slope, v)
        self._set(v_dot, values, t, "acceleration_at", derive)

    def _set(self, v: Any, values: Any, t: float | None, rate: str, derive: bool) -> None:
        """Set the rates of attached nodes; those on moving points are kept, or prescribed."""
        given = v[self._moved]
        known = [t is not None and (derive or point.gives_rates) for _, point in self._moving]
        if any(known):
            of_points = self._device.to_host(given).reshape(-1, 3)
            for k in np.flatnonzero(known):
                of_points[k] = getattr(self._moving[k][1], rate)(t)
            given = self._device.to_device(of_points.ravel())
        v[self._arrays.attached] = values
        if self._moving:
            v[self._moved] = given

    def _follow(self, C: Any, v: Any) -> Any:
        """Product of C (n_points, 3, n) with the coordinates of v, (3 n_points,)."""
        return C.reshape(-1, self.n_q) @ v[self._n_x :]

    def update(self, links: Links, increment: Any) -> Any:
        """Copy of an increment, with attached nodes updated to first order."""
        new = increment.copy()
        new[self._arrays.attached] = self._follow(links.C, new) if self.n_q else 0.0
        return new

    def velocity_slope(self, links: Links, p: Any) -> Any:
        """Derivative of the ends' velocities in the coordinates at constant p, (n_points, 3, n)."""
        slope = self._device.xp.zeros((self.n, 3, self.n_q))
        riding = (links.S, self.moves, self._link, links.C, p)
        self._device.launch(fill_velocity_slope, self.n, (*riding, slope))
        return slope

    def slopes(self, links: Links, p: Any, p_dot: Any, slopes: Slopes) -> tuple[Any, Any]:
        """Derivatives (n_points, 3, n) as in `fibermsk.system.optional.FollowsEnds`."""
        velocity = self.velocity_slope(links, p)
        if not slopes.rates:
            return velocity, slopes.dvdot_dv * velocity
        acceleration = self._device.xp.zeros((self.n, 3, self.n_q))
        riding = (links.S, self.moves, self._link, links.C, p)
        self._device.launch(
            fill_acceleration_slope, self.n, (*riding, p_dot, slopes.dv_dy, acceleration)
        )
        return velocity, acceleration

    def remainder(self, links: Links, nodes: Any, update_q: Array) -> Any:
        """Bound of the deviation of attached control points from linear motion, per element [m]."""
        self._remainder[...] = 0.0
        if self.n_q:
            at, tree, copy = self._arrays, self.tree, self._device.to_device
            ways = (*tree.turns_and_slides(update_q), tree.chain_length(links.state))
            for side in self.sides:
                self._device.launch(
                    add_stray, side,
                    (
                        nodes, at.elements, at.end_element, at.end_side, self._link, self.moves,
                        links.position, *map(copy, ways), self._remainder,
                    ),
                )  # fmt: skip
        return self._remainder

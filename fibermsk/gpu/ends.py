"""Links and attached fiber ends: coordinates on the host, ends on a device."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.gpu.arrays import DeviceCables
from fibermsk.gpu.device import Device
from fibermsk.kernels.skeleton.points import (
    add_excess,
    add_stray,
    fill_acceleration_slope,
    fill_velocity_slope,
    place_point,
)
from fibermsk.kernels.skeleton.rigid import REVOLUTE
from fibermsk.system import FiberSystem
from fibermsk.system.contribution import Slopes
from fibermsk.system.skeleton.skeleton import Motion
from fibermsk.system.skeleton.tree import TreeState


class Links(NamedTuple):
    """Links at one set of coordinates; `motion` is that of the host."""

    motion: Motion
    S: Any  # as `rotation` and `position`, see `fibermsk.kernels.skeleton.rigid`
    rotation: Any
    position: Any
    point: Any  # positions of the attachments (n_points, 3) [m]
    C: Any  # their derivatives with respect to the axes (n_points, 3, n_axes)

    @property
    def state(self) -> TreeState:
        """State of the tree on the host."""
        return self.motion.links


class Ends:
    """Attached ends of the fibers.

    `n` ends, `n_axes` axes of the `tree` of the host, and `n_border` unknowns besides the nodes:
    `n_q` coordinates, and then the states. `moves` (n_axes, n_axes) is that of
    `fibermsk.kernels.skeleton.rigid`. `sides` lists ends at origins and at insertions: ends of one
    side share no element. `mapped`: axes are functions of the coordinates; `plain`: each unknown of
    the border is an axis.
    """

    def __init__(self, device: Device, arrays: DeviceCables, host: FiberSystem) -> None:
        self._device, self._arrays, self.tree = device, arrays, host.tree
        self._skeleton, cables = host.skeleton, host.cables
        self._n_x, self.n_q, self.n_axes = 6 * cables.n_nodes, host.skeleton.n, host.tree.n
        self.n_border = host.n - self._n_x
        self.mapped = host.skeleton.map is not None
        self.plain = not self.mapped and self.n_border == self.n_q
        self.n = cables.end_element.size
        moving = {node: point for node, point in host.moving_points}
        given = [int(node) in moving for node in cables.attached_nodes]
        self._moving = [(m, moving[int(cables.attached_nodes[m])]) for m in np.flatnonzero(given)]
        self._moved = device.to_device(
            (6 * cables.attached_nodes[given][:, None] + np.arange(3)).ravel()
        )
        self._prescribed = device.to_device(self._n_x + host.skeleton.constraints.held)
        self._local, self._at = cables.point_local.copy(), np.nan
        self._local_there = device.to_device(self._local)
        self._link = device.to_device(cables.point_link)
        self.moves = device.to_device(host.tree.moves)
        self._turns = device.to_device(host.tree.kind == REVOLUTE)
        sides = [np.flatnonzero(cables.end_side == side) for side in range(2)]
        self.sides = [device.to_device(side) for side in sides]
        self._remainder = device.xp.zeros(cables.h.size)

    def border(self, *vectors: Any) -> list[tuple[Array, Array]]:
        """Coordinates (n_q,) and states of vectors (n,) of the device, on the host."""
        if self.n_border == 0:
            return [(np.zeros(0), np.zeros(0))] * len(vectors)
        ends = np.concatenate([vector[self._n_x :] for vector in vectors])
        parts = np.split(self._device.to_host(ends), len(vectors))
        return [(part[: self.n_q], part[self.n_q :]) for part in parts]

    def coordinates(self, *vectors: Any) -> list[Array]:
        """Coordinates of vectors (n,) of the device, on the host."""
        return [q for q, _ in self.border(*vectors)]

    def at(
        self,
        q: Array,
        p: Array | None = None,
        p_dot: Array | None = None,
        *,
        second: bool = False,
    ) -> Links:
        """Links at coordinates, speeds and accelerations, by default zero.

        `second` as in `fibermsk.system.skeleton.skeleton.Skeleton.evaluate`.
        """
        zero = np.zeros(self.n_q)
        rates = zero if p is None else p, zero if p_dot is None else p_dot
        motion = self._skeleton.evaluate(q, *rates, second)
        state, device, xp = motion.links, self._device, self._device.xp
        S, rotation, position = map(device.to_device, (state.S, state.rotation, state.position))
        point, C = xp.zeros((self.n, 3)), xp.zeros((self.n, 3, self.n_axes))
        device.launch(
            place_point, self.n,
            (S, self.moves, rotation, position, self._link, self._local_there, point, C),
        )  # fmt: skip
        return Links(motion, S, rotation, position, point, C)

    def retract(self, t: float, y: Any) -> None:
        """Move prescribed coordinates and attached nodes of y to their places at a time [s]."""
        self._prescribe(y, t, 0)
        if self._moving and t != self._at:
            for m, point in self._moving:
                self._local[m] = point.position_at(t)
            self._at, self._local_there = t, self._device.to_device(self._local)
        (q,) = self.coordinates(y)
        y[self._arrays.attached] = self.at(q).point.reshape(-1)

    def enforce(self, y: Any, v: Any, t: float | None, derive: bool) -> None:
        """Set the velocities of attached nodes in v; see `fibermsk.protocol.System`."""
        self._prescribe(v, t, 1)
        values = 0.0
        if self.n_axes:
            q, p = self.coordinates(y, v)
            links = self.at(q)
            values = self._follow(links.C, self._on_axes(links.motion, p))
        self._set(v, values, t, "velocity_at", derive)

    def enforce_rate(self, y: Any, v: Any, v_dot: Any, t: float | None, derive: bool) -> None:
        """Set the accelerations of attached nodes in v_dot; see `fibermsk.protocol.System`."""
        self._prescribe(v_dot, t, 2)
        values = 0.0
        if self.n_axes:
            links = self.at(*self.coordinates(y, v, v_dot))
            speed, rate = map(self._device.to_device, links.motion[2:])
            slope = self._velocity_slope(links, speed)
            values = self._follow(links.C, rate) + self._follow(slope, speed)
        self._set(v_dot, values, t, "acceleration_at", derive)

    def _prescribe(self, vector: Any, t: float | None, order: int) -> None:
        """Set prescribed coordinates, or their time derivatives of an order, if a time is given."""
        if t is not None and self._prescribed.size:
            values = self._skeleton.constraints.at(t, order)
            vector[self._prescribed] = self._device.to_device(values)

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

    def _on_axes(self, motion: Motion, p: Array) -> Any:
        """Rates (n_axes,) of the axes on the device, from those of the coordinates."""
        return self._device.to_device(self._skeleton.to_axes(motion, p))

    def _follow(self, C: Any, axes: Any) -> Any:
        """Product of C (n_points, 3, n_axes) with a vector of the axes, (3 n_points,)."""
        return C.reshape(-1, self.n_axes) @ axes

    def step_limit(self, y: Any, increment: Any) -> float:
        """Fraction of an update within the turning limit of quaternions."""
        return self._skeleton.step_limit(*self.coordinates(y, increment))

    def update(self, links: Links, y: Any, increment: Any) -> tuple[Any, Any, Any]:
        """Increment with attached nodes updated to first order, and what the axes do of it.

        Returns the new vector (n,), the update of the axes (n_axes,), and the `remainder` of the
        elements.
        """
        new = increment.copy()
        q, way = self.coordinates(y, increment)
        on_axes = self._skeleton.to_axes(links.motion, way)
        there = self._device.to_device(on_axes)
        new[self._arrays.attached] = self._follow(links.C, there) if self.n_axes else 0.0
        nodes = y[: self._n_x].reshape(-1, 6)
        excess = self._skeleton.excess(q, way)
        return new, there, self._find_remainder(links, nodes, on_axes, excess)

    def _velocity_slope(self, links: Links, speed: Any) -> Any:
        """Derivative of the ends' velocities in the axes at constant speed, as C."""
        slope = self._device.xp.zeros((self.n, 3, self.n_axes))
        riding = (links.S, self.moves, self._link, links.C, speed)
        self._device.launch(fill_velocity_slope, self.n, (*riding, slope))
        return slope

    def _acceleration_slope(self, links: Links, speed: Any, rate: Any, dp_dq: float) -> Any:
        """Derivative of the ends' accelerations in the axes, without C dp_dot, as C."""
        slope = self._device.xp.zeros((self.n, 3, self.n_axes))
        riding = (links.S, self.moves, self._link, links.C, speed, rate, dp_dq)
        self._device.launch(fill_acceleration_slope, self.n, (*riding, slope))
        return slope

    def widened(self, rows: Array) -> Any:
        """Derivatives (n_axes, n_q) of the axes as columns of the border, on the device."""
        states = np.zeros((rows.shape[0], self.n_border - self.n_q))
        return self._device.to_device(np.hstack([rows, states]))

    def jacobian(self, links: Links) -> Any:
        """Derivatives (n_axes, n_border) of the axes in the border; only if it is not `plain`."""
        rows = links.motion.rows
        J = np.eye(self.n_axes) if rows is None else self._skeleton.axes_of(rows.J)
        return self.widened(J)

    def slopes(self, links: Links, slopes: Slopes) -> tuple[Any, Any]:
        """Derivatives (n_points, 3, n_border); see `fibermsk.system.optional.FollowsEnds`.

        As `fibermsk.system.fibers.attachments.Attachments.slopes`.
        """
        speed, rate = map(self._device.to_device, links.motion[2:])
        by_axes, b = self._velocity_slope(links, speed), slopes.dv_dy
        rows = links.motion.rows
        if rows is None:
            bent = (
                self._acceleration_slope(links, speed, rate, b)
                if slopes.rates
                else slopes.dvdot_dv * by_axes
            )
            if self.plain:
                return by_axes, bent
            J = self.jacobian(links)
            return self._times(by_axes, J), self._times(bent, J)
        of_axes = [self._skeleton.axes_of(part) for part in rows[3:6]]
        J, V, W = of_axes
        velocity = self._times(by_axes, self.widened(J)) + self._times(links.C, self.widened(V))
        if not slopes.rates:
            return velocity, slopes.dvdot_dv * velocity
        bent = self._acceleration_slope(links, speed, rate, 0.0)
        acceleration = self._times(bent, self.widened(J))
        acceleration += self._times(by_axes, self.widened(2.0 * (V + b * J)))
        return velocity, acceleration + self._times(links.C, self.widened(W + 2.0 * b * V))

    def _times(self, C: Any, J: Any) -> Any:
        """C (n_points, 3, n_axes) times derivatives (n_axes, n_border) of the axes."""
        return (C.reshape(-1, self.n_axes) @ J).reshape(self.n, 3, self.n_border)

    def on_border(self, links: Links) -> Any:
        """Derivatives of the ends in the border, (n_points, 3, n_border)."""
        if self.plain:
            return links.C
        if not self.n_axes:
            return self._device.xp.zeros((self.n, 3, self.n_border))
        return self._times(links.C, self.jacobian(links))

    def _find_remainder(self, links: Links, nodes: Any, update: Array, excess: Array) -> Any:
        """Bound of the deviation of control points from linear motion, per element [m].

        update, excess (n_axes,): linear part of the motion of the axes, and bound of the rest; as
        in `fibermsk.system.fibers.attachments.Attachments.stray`.
        """
        self._remainder[...] = 0.0
        if not self.n_axes:
            return self._remainder
        at, tree, copy = self._arrays, self.tree, self._device.to_device
        chain, way = tree.chain_length(links.state), np.abs(update) + excess
        ways = (*tree.turns_and_slides(way), chain)
        for side in self.sides:
            self._device.launch(
                add_stray, side,
                (
                    nodes, at.elements, at.end_element, at.end_side, self._link, self.moves,
                    links.position, *map(copy, ways), self._remainder,
                ),
            )  # fmt: skip
        if excess.any():
            whole = float(way[tree.kind == REVOLUTE].sum()) + 1.0
            self._device.launch(
                add_excess, int(at.h.size),
                (
                    nodes, at.elements, at.h, links.position, self._turns,
                    float(chain.max(initial=0.0)), whole, copy(excess), self._remainder,
                ),
            )  # fmt: skip
        return self._remainder

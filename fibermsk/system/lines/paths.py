"""Port of line muscles: lengths of their paths, the speeds of these, and the pull of tensions.

Symbols: ``u`` axes of the joints, and then drivers: coordinates that move or switch path points;
``L`` length. The moment arm about a coordinate is -dL/dq.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array, Index
from fibermsk.errors import ModelError, PathError
from fibermsk.kernels.lines import paths as kernels
from fibermsk.kernels.lines.path_arrays import SPHERE, PathArrays, PathState
from fibermsk.kernels.lines.section import CHAIN, FOUND, UNSOLVED
from fibermsk.model.muscles.line_muscle import LineMuscle, bodies_of
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Slopes, Sums
from fibermsk.system.lines.chained import has_chain, points_at
from fibermsk.system.lines.describe import drivers_of, path_arrays
from fibermsk.system.lines.sides import choose_sides, order_along
from fibermsk.system.lines.troubles import explain
from fibermsk.system.skeleton.skeleton import Motion, Skeleton


class PlacedPaths(NamedTuple):
    """Paths of m muscles at one state.

    Attributes
    ----------
    length, speed : (m,) float array
        Length [m] and its rate [m/s].
    by_u : (m, n_u) float array
        Derivative of the length by the axes and the drivers.
    by_q : (m, n) float array
        By the coordinates; moment arms are its negative.
    speed_u : (n_u,) float array
        Rates of axes and drivers.
    state : PathState
        Points and sections.
    """

    length: Array
    speed: Array
    by_u: Array
    by_q: Array
    speed_u: Array
    state: PathState


class LinePaths:
    """Paths of line muscles on a skeleton.

    Parameters
    ----------
    configuration : Configuration or Skeleton
        Configuration of the system, or bodies alone.
    muscles : sequence of LineMuscle
        Muscles of the same model.

    Raises
    ------
    ModelError
        If a point lies inside a surface at the start.
    """

    def __init__(
        self, configuration: Configuration | Skeleton, muscles: Sequence[LineMuscle]
    ) -> None:
        body = configuration
        self._skeleton = body if isinstance(body, Skeleton) else body.skeleton
        self.muscles = tuple(muscles)
        skeleton, tree = self._skeleton, self._skeleton.tree
        self._drivers = drivers_of(self.muscles)
        for muscle in self.muscles:
            names = [body.name for body in bodies_of(muscle)]
            absent = [name for name in names if name not in tree.frames]
            absent += [name for name in drivers_of([muscle]) if name not in skeleton.coordinates]
            if absent:
                raise ModelError(
                    f"line muscle {muscle.name!r}: refers to {absent[0]!r}, which the skeleton "
                    "does not have; must be a muscle of the same model"
                )
        self._rows = np.array([skeleton.row_of(name) for name in self._drivers], np.int64)
        self._arrays = arrays = path_arrays(tree.frames, self.muscles, self._drivers)
        self._drives = np.zeros((arrays.link.size, len(self._drivers)), bool)
        for k in np.flatnonzero(arrays.moving >= 0):
            own = arrays.driver[arrays.moving[k]]
            self._drives[k, own[own >= 0]] = True
        n_slots = arrays.acts.size
        self.reference = np.zeros(n_slots)
        self._rank = np.zeros(arrays.kind.size, np.int64)
        self._feet, self._touches = np.zeros((n_slots, 7)), np.full(n_slots, UNSOLVED, np.int64)
        motion = skeleton.at(skeleton.start)
        state = self._place(motion, self._values(motion, skeleton.start))
        choose_sides(self.muscles, arrays, state)
        order_along(self.muscles, arrays, state)
        self.reference[:] = self._start = state.reference
        self._start_chains(motion, state)
        self._second: tuple[PlacedPaths, Array] | None = None

    @property
    def arrays(self) -> PathArrays:
        """Description of the paths."""
        return self._arrays

    @property
    def drivers(self) -> tuple[Index, NDArray[np.bool_]]:
        """Rows (n_drivers,) of coordinates that move points, and which (n_points, n_drivers)."""
        return self._rows, self._drives

    # the state of the paths

    def _values(self, motion: Motion, q: Array) -> Array:
        """Values of the drivers."""
        return (q if motion.rows is None else motion.rows.x)[self._rows]

    def new_state(self) -> PathState:
        """Arrays of a state, with the branches that paths are sought near."""
        arrays = self._arrays
        n, m, moving = arrays.link.size, arrays.kind.size, arrays.axis.shape
        return PathState(
            np.empty((n, 3)), np.empty(n, bool), np.empty(moving), np.empty(moving),
            np.empty((m, 3, 3)), np.empty((m, 3)), np.full(n, -1, np.int64), np.zeros(n),
            np.zeros((n, FOUND)), self.reference.copy(), self._feet.copy(), self._touches.copy(),
            np.zeros_like(self._feet), np.zeros_like(self._touches), self._rank.copy(),
            np.zeros(2, np.int64),
        )  # fmt: skip

    def _place(self, motion: Motion, drivers: Array) -> PathState:
        """Points and surfaces; sections are not solved."""
        state, links = self.new_state(), motion.links
        kernels.place_paths(self._arrays, links.rotation, links.position, drivers, state)
        return state

    def _solve(
        self, motion: Motion, state: PathState, speed_u: Array, tension: Array
    ) -> tuple[Array, Array, Array, Array]:
        """Lengths, their derivatives in u, and second ones times speeds and tensions."""
        m, n_u = len(self.muscles), self._skeleton.tree.n + len(self._drivers)
        second = n_u if speed_u.size else 0
        length, by_u = np.empty(m), np.empty((m, n_u))
        bend, curve = np.zeros((m if second else 0, n_u)), np.zeros((second, second))
        moves = self._skeleton.tree.moves
        arguments = (
            self._arrays, motion.links.S, moves, self._drives, state, length, by_u,
            speed_u, tension, bend, curve,
        )  # fmt: skip
        if not kernels.solve_paths(*arguments):
            raise explain(self.muscles, self._arrays, state, chained=False)
        if (state.wrapped == CHAIN).any():
            from fibermsk.kernels.lines.chained import solve_chains  # compiles only where used

            if not solve_chains(*arguments):
                raise explain(self.muscles, self._arrays, state, chained=True)
        return length, by_u, bend, curve

    def at(self, at: At) -> PlacedPaths:
        """Lengths, their rates and derivatives at a state."""
        placed = self.place(at.motion, at.q, at.p)
        self.keep(placed)
        return placed

    def keep(self, placed: PlacedPaths) -> None:
        """Follow a solution: the next ones are sought near it."""
        state = placed.state
        self.reference[:] = state.reference
        self._feet[:], self._touches[:], self._rank[:] = state.feet, state.touches, state.rank

    def _start_chains(self, motion: Motion, state: PathState) -> None:
        """Solve the start pose, from which chains of surfaces are followed."""
        self._start_rank = state.rank.copy()
        self._rank[:] = state.rank
        if not (self._arrays.kind > SPHERE).any():
            return
        none = np.zeros(0)
        try:
            self._solve(motion, state, none, none)
        except PathError:
            pass  # the pose asked for may have a path
        self._feet[:], self._touches[:], self._rank[:] = state.feet, state.touches, state.rank

    def place(self, motion: Motion, q: Array, p: Array) -> PlacedPaths:
        """Lengths, rates and derivatives of a motion; keeps the branches known before."""
        rows = motion.rows
        state = self._place(motion, self._values(motion, q))
        none = np.zeros(0)
        length, by_u, _, _ = self._solve(motion, state, none, none)
        rates = (p if rows is None else rows.x_dot)[self._rows]
        speed_u = np.concatenate([motion.speed, rates])
        by_q = self._to_q(motion, by_u)
        return PlacedPaths(length, by_u @ speed_u, by_u, by_q, speed_u, state)

    def _to_q(self, motion: Motion, columns: Array) -> Array:
        """Columns (m, n_u) times du/dq."""
        skeleton, rows = self._skeleton, motion.rows
        n = skeleton.tree.n
        out = np.array(skeleton.columns(motion, columns[:, :n]))
        if self._rows.size and rows is not None:
            out += columns[:, n:] @ rows.J[self._rows]
        elif self._rows.size:
            out[:, self._rows] += columns[:, n:]
        return out

    # the interface of ports

    def follow(self, at: At, placed: PlacedPaths, slopes: Slopes) -> tuple[Array, Array]:
        """Derivatives of lengths and speeds in the coordinates, X and V (m, n)."""
        motion, X = at.motion, placed.by_q
        V = slopes.dv_dy * X + self._to_q(motion, self._bend(at, placed))
        if motion.rows is not None:
            n, rates = self._skeleton.tree.n, motion.rows.V
            V += placed.by_u[:, :n] @ self._skeleton.axes_of(rates)
            V += placed.by_u[:, n:] @ rates[self._rows]
        return X, V

    def _bend(self, at: At, placed: PlacedPaths) -> Array:
        """Second derivatives of lengths in u times speeds, (m, n_u)."""
        if self._second is None or self._second[0] is not placed:
            none = np.zeros(len(self.muscles))
            _, _, bend, _ = self._solve(at.motion, placed.state, placed.speed_u, none)
            self._second = placed, bend
        return self._second[1]

    def push(
        self,
        at: At,
        placed: PlacedPaths,
        sums: Sums,
        tension: Array,
        by_length: Array,
        by_speed: Array,
    ) -> None:
        """Pull with tensions (m,) [N], with derivatives in each path's own length and speed."""
        sums.force[:] += tension @ placed.by_q
        if sums.slopes is None:
            return
        X, D = placed.by_q, self.curvature(at, placed, tension)
        _, V = self.follow(at, placed, sums.slopes)
        sums.corner[:] += D + X.T @ (by_length[:, None] * X + by_speed[:, None] * V)

    def curvature(self, at: At, placed: PlacedPaths, tension: Array) -> Array:
        """Sum of tension times d2L/dq2, (n, n)."""
        motion, skeleton, rows = at.motion, self._skeleton, at.motion.rows
        _, _, bend, curve = self._solve(motion, placed.state, placed.speed_u, tension)
        self._second = placed, bend
        n, force = skeleton.tree.n, tension @ placed.by_u
        if rows is None:
            J = np.zeros((curve.shape[0], skeleton.n))
            J[np.arange(n), np.arange(n)] = 1.0
            J[np.arange(n, J.shape[0]), self._rows] = 1.0
            return J.T @ curve @ J
        J = np.concatenate([skeleton.axes_of(rows.J), rows.J[self._rows]])
        out = J.T @ curve @ J
        skeleton.add_curvature(motion, force[:n], out)
        if self._rows.size and skeleton.map is not None:
            weight = np.zeros(rows.x.size)
            np.add.at(weight, self._rows, force[n:])
            skeleton.map.add_curvature(rows, 0, weight, out)
        return out

    # points along a path

    def along(self, at: At, placed: PlacedPaths, k: int, fractions: Array) -> Array:
        """Points of muscle k at fractions of its length, (n_fractions, 3) [m]."""
        if has_chain(self._arrays, placed.state, k):
            return points_at(self._arrays, placed.state, k, fractions)
        rest = np.zeros_like(placed.speed_u)
        return self._along(at.motion, placed, k, fractions, rest, rest)[:, :, 0]

    def material(
        self, at: At, placed: PlacedPaths, k: int, fractions: Array
    ) -> tuple[Array, Array, Array]:
        """Points that keep their fractions of the length of muscle k, and their derivatives.

        Returns
        -------
        x : (n_fractions, 3) float array
            Positions, ground frame [m].
        J : (n_fractions, 3, n) float array
            Derivatives in the coordinates. They jump where the path touches or leaves a surface.
        bias : (n_fractions, 3) float array
            Accelerations at zero acceleration of the coordinates, J_dot q_dot [m/s^2]. Needs second
            derivatives of the motion.

        Raises
        ------
        NotImplementedError
            If the path is a chain of surfaces: their second derivatives, for J_dot, are missing.
        """
        motion, skeleton, rows = at.motion, self._skeleton, at.motion.rows
        if has_chain(self._arrays, placed.state, k):
            raise NotImplementedError(
                f"line muscle {self.muscles[k].name!r}: its path touches a surface that is neither "
                "cylinder nor sphere, or several at once; second derivatives of the points of such "
                "paths are missing: give the muscle no mass, or replace the surface by via points"
            )
        J_u = self._to_q(motion, np.eye(placed.speed_u.size))
        rest = np.zeros_like(placed.speed_u)
        J = np.empty((np.size(fractions), 3, skeleton.n))
        for c, du in enumerate(J_u.T.copy()):
            J[:, :, c] = self._along(motion, placed, k, fractions, du, rest)[:, :, 1]
        change = rest
        if rows is not None:
            V = np.concatenate([skeleton.axes_of(rows.V), rows.V[self._rows]])
            change = V @ at.p
        found = self._along(motion, placed, k, fractions, placed.speed_u, change)
        return found[:, :, 0], J, found[:, :, 2]

    def _along(
        self, motion: Motion, placed: PlacedPaths, k: int, fractions: Array, du: Array, ddu: Array
    ) -> Array:
        from fibermsk.kernels.lines.along import fill_along  # compiles only where it is used

        fractions = np.ascontiguousarray(fractions, float)
        out, moves = np.empty((fractions.size, 3, 3)), self._skeleton.tree.moves
        state, S = placed.state, motion.links.S
        fill_along(self._arrays, S, moves, state, k, fractions, du, ddu, out)
        return out

    # what contributions remember and report

    def memory(self) -> dict[str, Array]:
        """Winding angles, feet and orders near which those of the next state are sought."""
        memory: dict[str, Array] = {"winding": self.reference.copy()}
        if (self._touches != UNSOLVED).any():
            memory |= {"feet": self._feet.copy(), "touches": self._touches.astype(float)}
            memory["order"] = self._rank.astype(float)
        return memory

    def restore(self, memory: dict[str, Array]) -> None:
        """Return to a `memory`."""
        self.reference[:] = memory["winding"]
        self._touches[:] = memory.get("touches", UNSOLVED)
        self._feet[:] = memory.get("feet", 0.0)
        self._rank[:] = memory.get("order", self._start_rank)

    @property
    def fingerprint(self) -> list[Any]:
        """Arrays that describe the paths."""
        return [*self._arrays, self._start]

    def moved_by(self, k: int) -> list[tuple[str, str, int]]:
        """Coordinates that change the length of muscle k: name, unit and entry of the state."""
        skeleton, arrays = self._skeleton, self._arrays
        points, wraps = slice(*arrays.start[k : k + 2]), slice(*arrays.wrap_start[k : k + 2])
        link = np.concatenate([arrays.link[points], arrays.wrap_link[wraps]])
        moves = np.zeros((link.size, skeleton.tree.n), bool)
        moves[link >= 0] = skeleton.tree.moves[link[link >= 0]]
        axes = np.flatnonzero(moves.any(0) & ~moves.all(0))
        drivers = self._rows[self._drives[points].any(0)]
        if skeleton.map is None:
            own = {*axes.tolist(), *drivers.tolist()}
        else:
            support = skeleton.map.arrays.support
            of_axes, of_drivers = support[-skeleton.tree.n :][axes], support[drivers]
            own = {*of_axes.ravel().tolist(), *of_drivers.ravel().tolist()} - {-1}
        names, units = skeleton.independent, skeleton.units
        return [(names[j], units.get(names[j], "1"), j) for j in sorted(own)]

"""Port of line muscles: lengths of their paths, the speeds of these, and the pull of tensions.

Symbols: ``u`` axes of the joints, and then drivers: coordinates that move or switch path points;
``L`` length. The moment arm about a coordinate is -dL/dq.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from fibermsk._arrays import Array, Index
from fibermsk._prepared import Prepared
from fibermsk.errors import ModelError, PathError
from fibermsk.kernels.lines import paths as kernels
from fibermsk.kernels.lines.path_arrays import SPHERE, PathArrays, PathState
from fibermsk.kernels.lines.section import CHAIN
from fibermsk.model.muscles.line_muscle import LineMuscle, bodies_of
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Slopes, Sums
from fibermsk.system.lines.axes import PathAxes
from fibermsk.system.lines.branches import Branches
from fibermsk.system.lines.chained import along_chains, blends, has_chain, may_chain, points_at
from fibermsk.system.lines.describe import drivers_of, levels_of, path_arrays
from fibermsk.system.lines.networks import NetworkPaths
from fibermsk.system.lines.placed import PlacedPaths
from fibermsk.system.lines.sides import choose_sides, order_along
from fibermsk.system.lines.troubles import explain, told
from fibermsk.system.skeleton.skeleton import Motion, Skeleton


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
        self.axes = PathAxes(skeleton, self._drivers)
        self._levels = levels_of(self.muscles)
        self._build: Callable[[Any], Any] | None = None
        self._own = [bool(levels_of((muscle,))) for muscle in self.muscles]
        self._arrays = arrays = path_arrays(tree.frames, self.muscles, self._drivers)
        # whether chains may have arcs that are blended; None if not, see `solve_chains`
        blended = (blends(arrays, k) and may_chain(arrays, k) for k in range(len(self.muscles)))
        self.fading = any(blended) or None
        self.drives = np.zeros((arrays.link.size, len(self._drivers)), bool)
        for k in np.flatnonzero(arrays.moving >= 0):
            own = arrays.driver[arrays.moving[k]]
            self.drives[k, own[own >= 0]] = True
        self.branches = Branches(arrays)
        motion = skeleton.at(skeleton.start)
        state, drivers = self.branches.new_state(), self.axes.drivers(motion, skeleton.start)
        kernels.fill_places(arrays, motion.links.rotation, motion.links.position, drivers, state)
        choose_sides(self.muscles, arrays, state)
        order_along(self.muscles, arrays, state)
        self._start = state.reference
        self.branches.start(state)
        self.networks = NetworkPaths(self.muscles, arrays)
        self._start_chains(motion, state)
        self._last: tuple[At, PlacedPaths] | None = None
        self._second: tuple[PlacedPaths, Array] | None = None
        self._moved_by: dict[int, list[tuple[str, str, int]]] = {}

    @property
    def arrays(self) -> PathArrays:
        """Description of the paths."""
        return self._arrays

    def built(self, kernel: Any) -> Any:
        """A kernel compiled with the user's surfaces of these paths; itself if there are none."""
        if not self._levels:
            return kernel
        if self._build is None:
            from fibermsk.kernels.lines.taut.own_surface import rebuilt_with

            self._build = rebuilt_with(self._levels)
        return self._build(kernel)

    # the state of the paths

    def refusal(self, state: PathState, q: Array, *, chained: bool) -> PathError:
        """Error about the section of a state that has no solution, in the pose q."""

        def pose(k: int) -> str:
            ranges = self._skeleton.ranges
            moved = [
                told(name, q[j], unit, ranges.get(name, (None, None)))
                for name, unit, j in self.moved_by(k)
            ]
            return f" at {', '.join(moved)}" if moved else ""

        return explain(self.muscles, self._arrays, state, pose, chained=chained)

    @property
    def moves(self) -> NDArray[np.bool_]:
        """Whether an axis moves a link, (n_links, n_axes)."""
        return self._skeleton.tree.moves

    @property
    def may_chain(self) -> bool:
        """Whether a section of any path may be a chain of surfaces."""
        return any(may_chain(self._arrays, k) for k in range(len(self.muscles)))

    def chains(
        self, S: Any, state: Any, length: Any, by_u: Any, again: Any, *, ready: bool
    ) -> Prepared:
        """`solve_chains` of these paths, for compiled code; its arguments may be `Open`.

        Not compiled, and not to be called, unless `ready`.
        """
        own = self._arrays, S, self.moves, self.drives, state
        arguments = *own, again, length, by_u, self.fading
        if not ready:
            return Prepared.absent(types.boolean, *arguments)
        from fibermsk.kernels.lines.chained import solve_chains  # compiles only where it is used

        return Prepared(self.built(solve_chains), *arguments)

    def _solve(self, motion: Motion, state: PathState, q: Array) -> tuple[Array, Array]:
        """Lengths and their derivatives in u; places and fills the state."""
        drivers = self.axes.drivers(motion, q)
        arrays, links, moves = self._arrays, motion.links, self.moves
        length, by_u = np.empty(len(self.muscles)), np.empty((len(self.muscles), self.axes.n))
        left = kernels.fill_lengths(
            arrays, links.S, moves, self.drives, links.rotation, links.position, drivers, state,
            length, by_u,
        )  # fmt: skip
        if left < 0:
            raise self.refusal(state, q, chained=False)
        if left and self.networks.paths:
            self.networks.solve(links.S, moves, self.drives, state, length, by_u)
        if left and (state.wrapped == CHAIN).any():
            from fibermsk.kernels.lines.chained import solve_chains  # compiles only where used

            solve = self.built(solve_chains)
            arguments = arrays, links.S, moves, self.drives, state, True, length, by_u
            if not solve(*arguments, self.fading):
                raise self.refusal(state, q, chained=True)
        return length, by_u

    def _second_of(
        self, motion: Motion, placed: PlacedPaths, tension: Array
    ) -> tuple[Array, Array]:
        """Second derivatives in u: times the speeds (m, n_u), and summed with tensions."""
        bend, curve = (
            np.empty((len(self.muscles), self.axes.n)),
            np.empty((self.axes.n, self.axes.n)),
        )
        state = placed.state
        arguments = (
            self._arrays, motion.links.S, self.moves, self.drives, state,
            placed.speed_u, tension, bend, curve,
        )  # fmt: skip
        kernels.bend_paths(*arguments)
        if self.networks.paths:
            self.networks.bend(*arguments[1:])
        if (state.wrapped == CHAIN).any():
            from fibermsk.kernels.lines.chained import bend_chains  # compiles only where used

            self.built(bend_chains)(*arguments, self.fading)
        return bend, curve

    def at(self, at: At) -> PlacedPaths:
        """Lengths, their rates and derivatives at a state; solved once for it."""
        if self._last is None or self._last[0] is not at:
            placed = self.place(at.motion, at.q, at.p)
            self.branches.follow(placed.state)
            self._last = at, placed
        return self._last[1]

    def _start_chains(self, motion: Motion, state: PathState) -> None:
        """Solve the start pose, from which chains of surfaces are followed."""
        if not (self._arrays.kind > SPHERE).any():
            return
        try:
            self._solve(motion, state, self._skeleton.start)
        except PathError:
            pass  # the pose asked for may have a path
        self.branches.follow_chains(state)

    def points(self, motion: Motion, q: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Positions (n, 3) of all path points [m], ground frame, and whether each is active (n,).

        Nothing is solved.
        """
        state, links = self.branches.new_state(), motion.links
        drivers = self.axes.drivers(motion, q)
        kernels.fill_places(self._arrays, links.rotation, links.position, drivers, state)
        return state.x, state.active

    def place(self, motion: Motion, q: Array, p: Array) -> PlacedPaths:
        """Lengths, rates and derivatives of a motion; keeps the branches known before."""
        state = self.branches.new_state()
        return self.placed(motion, p, *self._solve(motion, state, q), state)

    def placed(
        self, motion: Motion, p: Array, length: Array, by_u: Array, state: PathState
    ) -> PlacedPaths:
        """Solved paths with their rates, in a motion with rates p (n,) of the coordinates."""
        speed_u = self.axes.speeds(motion, p)
        by_q = self.axes.columns(motion, by_u)
        return PlacedPaths(length, by_u @ speed_u, by_u, by_q, speed_u, state)

    # the interface of ports

    def follow(self, at: At, placed: PlacedPaths, slopes: Slopes) -> tuple[Array, Array]:
        """Derivatives of lengths and speeds in the coordinates, X and V (m, n)."""
        motion, X = at.motion, placed.by_q
        V = slopes.dv_dy * X + self.axes.columns(motion, self._bend(at, placed))
        if motion.rows is not None:
            V += placed.by_u @ self.axes.of(motion.rows.V)
        return X, V

    def _bend(self, at: At, placed: PlacedPaths) -> Array:
        """Second derivatives of lengths in u times speeds, (m, n_u)."""
        if self._second is None or self._second[0] is not placed:
            none = np.zeros(len(self.muscles))
            self._second = placed, self._second_of(at.motion, placed, none)[0]
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
        motion = at.motion
        bend, curve = self._second_of(motion, placed, tension)
        self._second = placed, bend
        J = self.axes.jacobian(motion)
        out = J.T @ curve @ J
        self.axes.add_curvature(motion, tension @ placed.by_u, out)
        return out

    def moving_axes(self, k: int) -> tuple[Index, int]:
        """Axes and drivers that move a point or a surface of muscle k; how many move all first."""
        moves, drives = self._touching(k)
        axes = np.flatnonzero(np.concatenate([moves.any(0), drives]))
        of_all = np.concatenate([moves.all(0), np.zeros_like(drives)])[axes]
        return axes, int(np.argmin([*of_all, False]))

    def _touching(self, k: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether axes move the points and surfaces of muscle k, and whether drivers move it."""
        arrays = self._arrays
        points, wraps = slice(*arrays.start[k : k + 2]), slice(*arrays.wrap_start[k : k + 2])
        link = np.concatenate([arrays.link[points], arrays.wrap_link[wraps]])
        moves = np.zeros((link.size, self._skeleton.tree.n), bool)
        moves[link >= 0] = self.moves[link[link >= 0]]
        return moves, np.any(self.drives[points], axis=0)

    # points along a path

    def along(self, at: At, placed: PlacedPaths, k: int, fractions: Array) -> Array:
        """Points of muscle k at fractions of its length, (n_fractions, 3) [m]."""
        return self.at_fractions(at.motion, placed, k, fractions)

    def at_fractions(self, motion: Motion, placed: PlacedPaths, k: int, fractions: Array) -> Array:
        """Points of muscle k as of `along`, in a motion."""
        if has_chain(self._arrays, placed.state, k) and not blends(self._arrays, k):
            return points_at(self._arrays, placed.state, k, fractions, self.built)
        rest = np.zeros_like(placed.speed_u)
        return self._along(motion, placed, k, fractions, rest, rest)[:, :, 0]

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
        """
        motion, skeleton, rows = at.motion, self._skeleton, at.motion.rows
        J_u = self.axes.columns(motion, np.eye(placed.speed_u.size))
        rest = np.zeros_like(placed.speed_u)
        J = np.empty((np.size(fractions), 3, skeleton.n))
        for c, du in enumerate(J_u.T.copy()):
            J[:, :, c] = self._along(motion, placed, k, fractions, du, rest)[:, :, 1]
        change = rest
        if rows is not None:
            change = self.axes.of(rows.V) @ at.p
        found = self._along(motion, placed, k, fractions, placed.speed_u, change)
        return found[:, :, 0], J, found[:, :, 2]

    def _along(
        self, motion: Motion, placed: PlacedPaths, k: int, fractions: Array, du: Array, ddu: Array
    ) -> Array:
        chained = has_chain(self._arrays, placed.state, k) or None
        if chained and self._own[k]:
            return along_chains(
                self._arrays, motion.links.S, self.moves, placed.state, k, fractions,
                du, ddu, self.built,
            )  # fmt: skip
        from fibermsk.kernels.lines.material.along import (
            fill_along,  # compiles only where it is used
        )

        fractions = np.ascontiguousarray(fractions, float)
        out, moves = np.empty((fractions.size, 3, 6)), self.moves
        state, S, moved = placed.state, motion.links.S, (du, ddu, np.zeros((3, du.size)))
        if k in self.networks.paths:
            return self.networks.along(k, S, moves, state, fractions, *moved)
        fill_along(self._arrays, S, moves, state, k, fractions, *moved, out, chained)
        return out

    # what contributions remember and report

    def restore(self, memory: dict[str, Array]) -> None:
        """Return to a memory of the branches."""
        self._last = None
        self.branches.restore(memory)

    @property
    def fingerprint(self) -> list[Any]:
        """Arrays that describe the paths, and what identifies the user's surfaces."""
        found: list[Any] = [*self._arrays, self._start]
        if self._levels:
            from fibermsk.kernels.lines.taut.own_surface import digest_of

            found.append(digest_of(self._levels))
        return found

    def switches(self, k: int, state: PathState) -> bytes:
        """Which points of a muscle are active, and which cylinders it would pass beyond."""
        arrays = self._arrays
        own, wraps = (range(*of[k : k + 2]) for of in (arrays.start, arrays.wrap_start))
        first = arrays.slot[wraps.start] if len(wraps) else 0
        last = wraps.stop - 1
        end = arrays.slot[last] + arrays.last[last] - arrays.first[last] if len(wraps) else 0
        return state.active[own.start : own.stop].tobytes() + state.left[first:end].tobytes()

    def moved_by(self, k: int) -> list[tuple[str, str, int]]:
        """Coordinates that change the length of muscle k: name, unit and entry of the state."""
        if k not in self._moved_by:
            self._moved_by[k] = self._find_moved_by(k)
        return self._moved_by[k]

    def _find_moved_by(self, k: int) -> list[tuple[str, str, int]]:
        skeleton, (moves, drives) = self._skeleton, self._touching(k)
        axes = np.flatnonzero(moves.any(0) & ~moves.all(0))
        drivers = self.axes.rows[drives]
        if skeleton.map is None:
            own = {*axes.tolist(), *drivers.tolist()}
        else:
            support = skeleton.map.arrays.support
            of_axes, of_drivers = support[-skeleton.tree.n :][axes], support[drivers]
            own = {*of_axes.ravel().tolist(), *of_drivers.ravel().tolist()} - {-1}
        names, units = skeleton.independent, skeleton.units
        return [(names[j], units.get(names[j], "1"), j) for j in sorted(own)]

"""The skeleton of a model: exact kinematics and dynamics in generalized coordinates.

The state ``q`` holds the independent coordinates: all but locked ones and those eliminated by
couplings. A `CoordinateMap` computes all coordinates and then the axes of the tree from it; the
mechanics of the tree is pulled back through this map:

    axes  theta(q),  theta_dot = J p,  theta_ddot = J p_dot + V p,
    force J^T tau,   M = J^T M_theta J.

There is no map if every axis is a coordinate.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fibermsk import _check
from fibermsk._arrays import Array, Index
from fibermsk.errors import ModelError
from fibermsk.kernels.skeleton.coordinate_map import FARTHEST_TURN, MapArrays
from fibermsk.model import Model
from fibermsk.system.skeleton.constraints import Constraints
from fibermsk.system.skeleton.coordinate_map import CoordinateMap, MapBuilder, Rows
from fibermsk.system.skeleton.numbering import number_coordinates
from fibermsk.system.skeleton.passive import Passive
from fibermsk.system.skeleton.tree import TreeState, build_tree

_NO_MASS = 1e-13
"""Eigenvalue of a mass matrix with unit diagonal below which it counts as singular."""


class Motion(NamedTuple):
    """A skeleton at one state."""

    links: TreeState  # state of the tree
    rows: Rows | None  # of the map, if there is one
    speed: Array  # theta_dot of the axes (n_axes,)
    rate: Array  # theta_ddot

    def frame(self, f: int) -> Motion:
        """Views of one state of a motion of many, whose arrays have an axis for these first."""
        links = TreeState._make(array[f] for array in self.links)
        rows = None if self.rows is None else Rows._make(array[f] for array in self.rows)
        return Motion(links, rows, self.speed[f], self.rate[f])


def skeleton(model: Model) -> Skeleton:
    """Build the bodies and joints of a model without its fibers.

    Parameters
    ----------
    model : Model
        The description; it is not changed and not kept in sync.

    Returns
    -------
    skeleton : Skeleton
        Poses, mass matrix, inverse and forward dynamics.

    Raises
    ------
    ModelError
        If the model is incomplete.
    """
    return Skeleton(model)


class Skeleton:
    """Bodies and joints as arrays.

    Attributes
    ----------
    coordinates : tuple of str
        Names of all coordinates, including locked and dependent ones.
    units : dict of str
        Unit of each coordinate.
    ranges : dict of (float or None, float or None)
        Declared range of each coordinate.
    independent : tuple of str
        Names of the entries of the state q.
    start, start_speed : (n,) float array
        Initial state and its rates.
    tree : Tree
        Axes and bodies.
    map : CoordinateMap or None
        Map from the state to the axes; None if they are the same.
    joint_of_axis : (n_axes,) int array
        Number of the joint of each axis.
    turned : (n_quaternions,) int array
        First axis of each quaternion.
    passive : Passive
        Passive forces of the coordinates.
    constraints : Constraints
        Couplings with multipliers, and prescribed coordinates.
    """

    def __init__(self, model: Model) -> None:
        _check.instance("skeleton", "model", model, Model, "a Model")
        model.validate()
        self.tree, moving = build_tree(model)
        numbers = number_coordinates(model, moving)
        self.coordinates, self.independent = numbers.names, numbers.independent
        self.units = {one.name: one.unit for one in model.coordinates}
        self.ranges = {one.name: (one.lower, one.upper) for one in model.coordinates}
        self.start, self.start_speed = numbers.start, numbers.start_speed
        self.map: CoordinateMap | None = numbers.map
        self._row, self._first_axis = numbers.row, numbers.first_axis
        self.passive = Passive(numbers)
        self.constraints = Constraints(numbers)
        joints = [number for number, (_, own) in enumerate(moving) for _ in own]
        self.joint_of_axis = np.array(joints, np.int64)
        self.turned = np.array(numbers.turned, np.int64)
        self._at_rest = 0.0, np.zeros(3)  # mass and first moment of fixed bodies
        for body in model.bodies:
            link, R, x = self.tree.frames[body.name]
            if link < 0 and body.mass is not None:
                mass, moment = self._at_rest
                center = R @ np.asarray(body.com) + x
                self._at_rest = mass + body.mass, moment + body.mass * center

    @property
    def n(self) -> int:
        """Number of entries of the state."""
        return self.start.size

    def evaluate(self, q: Array, p: Array, p_dot: Array, second: bool = False) -> Motion:
        """Links, and rows of the map, with second derivatives if `second`."""
        if self.map is None:
            # copies: views of the coordinates would keep all unknowns
            return Motion(self.tree.evaluate(q, p, p_dot), None, p.copy(), p_dot.copy())
        rows = self.map.evaluate(q, p, p_dot, second)
        axes = slice(self._first_axis, None)
        base = None
        if self.turned.size:
            base = self.tree.joint_rotation.copy()
            base[self.turned] = base[self.turned] @ rows.turns
        speed, rate = rows.x_dot[axes], rows.x_ddot[axes]
        return Motion(self.tree.evaluate(rows.x[axes], speed, rate, base), rows, speed, rate)

    def evaluate_frames(self, q: Array, p: Array, p_dot: Array) -> Motion:
        """As `evaluate` for many states (k, n), in arrays with an axis for these first."""
        tree = self.tree
        if self.map is None:
            q, p, p_dot = (np.array(one, order="C") for one in (q, p, p_dot))
            return Motion(tree.evaluate_frames(q, p, p_dot), None, p, p_dot)
        rows = self.map.evaluate_frames(q, p, p_dot)
        of_axes = slice(self._first_axis, None)
        x, speed, rate = (
            np.ascontiguousarray(one[:, of_axes]) for one in (rows.x, rows.x_dot, rows.x_ddot)
        )
        base = None
        if self.turned.size:
            base = np.tile(tree.joint_rotation, (len(q), 1, 1, 1))
            base[:, self.turned] = base[:, self.turned] @ rows.turns
        return Motion(tree.evaluate_frames(x, speed, rate, base), rows, speed, rate)

    def at(self, q: Array) -> Motion:
        """Evaluate at zero rates."""
        zero = np.zeros(self.n)
        return self.evaluate(q, zero, zero)

    def axes_of(self, rows: Array) -> Array:
        """Part of the rows of the map that belongs to the axes."""
        return rows[self._first_axis :]

    def to_axes(self, motion: Motion, vector: Array) -> Array:
        """J times a vector (n,) or columns (n, m)."""
        return vector if motion.rows is None else self.axes_of(motion.rows.J) @ vector

    def columns(self, motion: Motion, columns: Array) -> Array:
        """Columns of the axes (..., n_axes) times J, (..., n)."""
        if self.map is None or motion.rows is None:
            return columns
        return self.map.columns(motion.rows, self._first_axis, columns)

    def from_axes(self, motion: Motion, force: Array) -> Array:
        """J^T times forces on the axes (n_axes,), or rows (n_axes, m)."""
        return force if motion.rows is None else self.axes_of(motion.rows.J).T @ force

    def add_curvature(self, motion: Motion, force: Array, D: Array) -> None:
        """Add the derivative of J^T force in q at constant force on the axes to D (n, n)."""
        if self.map is not None and motion.rows is not None:
            self.map.add_curvature(motion.rows, self._first_axis, force, D)

    def pull_back(self, motion: Motion, force: Array, D: Array, out: Array) -> None:
        """Add the derivative of J^T force in q to out (n, n); D (n_axes, n_axes) is that of force.

        Without a map, D is the result.
        """
        if motion.rows is not None:
            J = self.axes_of(motion.rows.J)
            out += J.T @ D @ J
            self.add_curvature(motion, force, out)

    def dependence(self, motion: Motion) -> tuple[Index, Array, Array, int]:
        """Support of each axis in the state, J, H, and the row of the first axis."""
        if self.map is not None and motion.rows is not None:
            return self.map.arrays.support, motion.rows.J, motion.rows.H, self._first_axis
        own = np.arange(self.n)
        return own[:, None], np.eye(self.n), np.zeros((0, 1, 1)), 0

    def moved_by(self, link: Index) -> NDArray[np.bool_]:
        """Mask (m, n) of the entries of the state that move each link (m,), -1 for the ground."""
        moves = np.zeros((link.size, self.tree.n), bool)
        moves[link >= 0] = self.tree.moves[link[link >= 0]]
        return self.driving(moves)

    def driving(self, axes: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Mask (m, n) of the entries of the state on which some of each set of axes depend.

        axes (m, n_axes) is the mask of the sets.
        """
        if self.map is None:
            return axes
        support = self.map.arrays.support[self._first_axis :]
        depends = np.zeros((self.tree.n, self.n + 1), bool)
        depends[np.arange(self.tree.n)[:, None], support] = True  # -1 is the last column
        return axes @ depends[:, :-1]

    def depends(self, name: str) -> NDArray[np.bool_]:
        """Mask (n,) of the entries of the state on which a coordinate depends."""
        found = np.zeros(self.n + 1, bool)
        row = self.row_of(name)
        found[row if self.map is None else self.map.arrays.support[row]] = True
        return found[:-1]

    def dynamics(
        self, motion: Motion, q: Array, p: Array, p_dot: Array, passive: bool = True
    ) -> Array:
        """M p_dot + bias - gravity, minus passive forces if `passive`: inverse dynamics; (n,)."""
        force = np.zeros(self.tree.n)
        self.tree.dynamics(motion.links, force)
        residual = self.from_axes(motion, force).copy()
        if passive:
            self.passive.add(motion.rows, q, p, p_dot, residual)
        else:
            self.passive.add_lengths(q, p, p_dot, residual)
        return residual

    @property
    def map_arrays(self) -> MapArrays:
        """Arrays of the map; without entries if every axis is an entry of the state."""
        return (MapBuilder(self.n).build() if self.map is None else self.map).arrays

    @property
    def axis_rows(self) -> Index:
        """Row of the map, or entry of the state where there is none, of each axis; (n_axes,)."""
        return (0 if self.map is None else self._first_axis) + np.arange(self.tree.n)

    def all_of(self, motion: Motion, q: Array, p: Array) -> tuple[Array, Array]:
        """Values of all coordinates and their rates, (..., n_coordinates)."""
        if motion.rows is None:
            return q[..., self._row], p[..., self._row]
        return motion.rows.x[..., self._row], motion.rows.x_dot[..., self._row]

    def row_of(self, name: str) -> int:
        """Row of the map, or entry of the state where there is none, of a coordinate."""
        return int(self._row[self.coordinates.index(name)])

    def step_limit(self, q: Array, update: Array) -> float:
        """Largest fraction, at most 1, of an update within the turning limit of quaternions."""
        if self.map is None or not self.map.arrays.states.size:
            return 1.0
        size = np.linalg.norm(q[self.map.arrays.states], axis=1)
        turn = np.linalg.norm(update[self.map.arrays.states], axis=1) / size
        return min(1.0, FARTHEST_TURN / max(float(turn.max()), 1e-300))

    def excess(self, q: Array, update: Array) -> Array:
        """Bound of the nonlinear part of each axis during an update, (n_axes,)."""
        if self.map is None:
            return np.zeros(self.tree.n)
        return self.axes_of(self.map.excess(q, update))

    # public queries

    def q_of(self, values: dict[str, float] | None = None) -> Array:
        """State with given coordinates; the others have their initial values.

        Parameters
        ----------
        values : dict of float
            By coordinate [rad or m].

        Raises
        ------
        ModelError
            If a name is not an independent coordinate.
        """
        q = self.start.copy()
        _check.instance("skeleton", "values", values, (Mapping, type(None)), "a dict or None")
        for name, value in (values or {}).items():
            if name not in self.independent:
                why = "is locked, prescribed or coupled" if name in self.coordinates else "unknown"
                raise ModelError(
                    f"coordinate {name!r}: {why}; must be one of {', '.join(self.independent)}"
                )
            q[self.independent.index(name)] = _check.number(f"coordinate {name!r}", "value", value)
        return q

    def values(self, q: ArrayLike) -> dict[str, float]:
        """All coordinates at a state, by name."""
        q = self._state(q)
        return dict(zip(self.coordinates, self.all_of(self.at(q), q, 0.0 * q)[0], strict=True))

    def rates(self, q: ArrayLike, p: ArrayLike) -> dict[str, float]:
        """Rates of all coordinates at a state with rates p, by name."""
        q, p = self._state(q), self._state(p, "rates")
        motion = self.evaluate(q, p, np.zeros(self.n))
        return dict(zip(self.coordinates, self.all_of(motion, q, p)[1], strict=True))

    def poses(self, q: ArrayLike) -> dict[str, tuple[Array, Array]]:
        """Rotation (3, 3) and position (3,) of every body frame in ground, by body."""
        links = self.at(self._state(q)).links
        return {name: self.tree.place(name, links) for name in self.tree.frames}

    def mass_matrix(self, q: ArrayLike) -> Array:
        """Mass matrix (n, n) of the bodies, with inertia 1 for each quaternion's length."""
        q = self._state(q)
        motion = self.at(q)
        M = np.empty((self.tree.n, self.tree.n))
        self.tree.fill_mass_matrix(motion.links, M)
        if self.map is not None and motion.rows is not None:
            M = self.map.congruence(motion.rows, self._first_axis, M)
            self.passive.add_inertia(q, M)
        return M

    def bias(self, q: ArrayLike, p: ArrayLike) -> Array:
        """Generalized forces at zero acceleration: Coriolis, centrifugal, weight; (n,)."""
        return self.inverse_dynamics(q, p, np.zeros(self.n), passive=False)

    def inverse_dynamics(
        self, q: ArrayLike, p: ArrayLike, p_dot: ArrayLike, *, passive: bool = True
    ) -> Array:
        """Generalized forces of a motion: M p_dot + bias, minus passive forces; (n,).

        Parameters
        ----------
        q, p, p_dot : (n,) array_like
            State, its rates and accelerations.
        passive : bool
            Whether to include the passive forces.
        """
        q = self._state(q)
        p, p_dot = self._state(p, "rates"), self._state(p_dot, "accelerations")
        return self.dynamics(self.evaluate(q, p, p_dot), q, p, p_dot, passive)

    def forward_dynamics(
        self, q: ArrayLike, p: ArrayLike, force: ArrayLike | None = None, t: float = 0.0
    ) -> tuple[Array, Array]:
        """Accelerations under generalized forces, and the multipliers of the couplings.

        Solves M p_dot + G^T lam = force - bias + passive forces with G p_dot = b; prescribed
        coordinates have their prescribed accelerations.

        Parameters
        ----------
        q, p : (n,) array_like
            State and its rates.
        force : (n,) array_like, optional
            Applied besides the passive forces; default zero.
        t : float
            Time of the prescribed coordinates [s].

        Returns
        -------
        p_dot : (n,) float array
            Accelerations.
        lam : (m,) float array
            Multipliers of the couplings.

        Raises
        ------
        ModelError
            If a coordinate moves no mass.
        """
        q, p = self._state(q), self._state(p, "rates")
        t = _check.number("skeleton", "t", t, "s")
        applied = np.zeros(self.n) if force is None else self._state(force, "force")
        G, b = self.constraint(q, p)
        M, m = self.mass_matrix(q), G.shape[0]
        right = np.r_[applied - self.inverse_dynamics(q, p, np.zeros(self.n)), b]
        A, held = np.block([[M, G.T], [G, np.zeros((m, m))]]), self.constraints.held
        A[held] = 0.0
        A[held, held], right[held] = 1.0, self.constraints.at(t, 2)
        size = np.sqrt(np.maximum(M.diagonal(), 1e-300))
        values, modes = np.linalg.eigh(M / np.outer(size, size))
        if values[0] <= _NO_MASS:
            name = self.independent[int(np.argmax(np.abs(modes[:, 0])))]
            raise ModelError(
                f"coordinate {name!r}: moves no mass, alone or with others; each must move a body "
                "with mass independently of the others"
            )
        x = np.linalg.solve(A, right)
        return x[: self.n], x[self.n :]

    def constraint(self, q: ArrayLike, p: ArrayLike) -> tuple[Array, Array]:
        """G (m, n) and b (m,) of the constraints G p_dot = b of couplings with multipliers."""
        q, p = self._state(q), self._state(p, "rates")
        if self.map is None:
            return np.zeros((0, self.n)), np.zeros(0)
        rows = self.map.evaluate(q, p, np.zeros(self.n), False)
        own = self.constraints.row
        return rows.J[own], -rows.x_ddot[own]

    def mass_and_center(self, q: ArrayLike) -> tuple[float, Array]:
        """Total mass [kg] and center of mass in ground (3,) [m]."""
        bodies, links = self.tree.bodies, self.at(self._state(q)).links
        R, x = links.rotation[bodies.link], links.position[bodies.link]
        at_rest, moment = self._at_rest
        mass = float(bodies.mass.sum()) + at_rest
        moment = moment + bodies.mass @ (np.einsum("bij,bj->bi", R, bodies.com) + x)
        return mass, moment / mass

    def _state(self, value: Any, what: str = "state") -> Array:
        """Checked copy of a vector (n,); quaternions of a state must have nonzero length."""
        vector = np.array(_check.array("skeleton", what, value, (self.n,)))
        if what == "state" and self.map is not None:
            for own in self.map.arrays.states:
                if not vector[own].any():
                    names = ", ".join(self.independent[k] for k in own)
                    _check.refuse(
                        "skeleton", f"quaternion ({names})", vector[own], "be nonzero",
                        remedy="(1, 0, 0, 0) is the identity",
                    )  # fmt: skip
        return vector

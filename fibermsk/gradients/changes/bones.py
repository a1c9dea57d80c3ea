"""Masses of bodies and passive forces of coordinates: derivatives of all numbers at once.

With the unknowns held, the work of a body along a virtual twist is linear in its mass and inertia,
and that of a passive force is its product with the virtual displacement of its coordinate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk.gradients.changes.entries import Entry
from fibermsk.gradients.changes.inside import Places
from fibermsk.laws.own import CoordinateLaw
from fibermsk.parameters.lookup import find
from fibermsk.solvers.adjoint.linearized import Linearized
from fibermsk.solvers.adjoint.variation import ForcesOnly
from fibermsk.system import FiberSystem
from fibermsk.system.contribution import At

_MASS, _COM, _INERTIA = 0, slice(1, 4), slice(4, 13)
"""Columns of the numbers of a body."""


class _OnBones(ForcesOnly):
    """Numbers that change rows of coordinates alone."""

    def __init__(self, places: Places) -> None:
        self._places, self._system = places, places.own.system

    def _at(self, at: Linearized) -> At:
        return self._places.at(at.point).at

    def _work(self, at: Linearized, x: Array) -> Array:
        """Virtual displacement of the coordinates of the state."""
        return self._system.split(at.whole(x))[1]

    def _rows(self, at: Linearized, on_q: Array) -> Array:
        """Rows (n,) of the equations, from those of the coordinates."""
        rows = np.zeros(self._system.n)
        self._system.split(rows)[1][:] = on_q
        return at.held(at.pulled(rows))


class Masses(_OnBones):
    """Masses, centers and inertias; a `fibermsk.solvers.adjoint.variation.Change`.

    Parameters
    ----------
    places
        Of the system.
    members : sequence of (int, Entry)
        Number in the gradient, and entry.
    """

    def __init__(self, places: Places, members: Sequence[tuple[int, Entry]]) -> None:
        super().__init__(places)
        model, tree = self._system.model, self._system.skeleton.tree
        own = [b.name for b in model.bodies if b.mass is not None and tree.frames[b.name][0] >= 0]
        numbers, of, ways = list[int](), list[int](), list[Array]()
        for number, entry in members:
            place = find(model, entry.path)[0]
            if place.root.name not in own:
                continue  # of a body that does not move
            body, R = own.index(place.root.name), tree.frames[place.root.name][1]
            numbers.append(number)
            of.append(body)
            ways.append(_way(str(place.steps[0]), (*place.entry, *entry.place), R))
        self._numbers, self._of = np.array(numbers, np.int64), np.array(of, np.int64)
        self._ways: Array = np.reshape(ways, (-1, 13))

    def pull_forces(self, at: Linearized, x: Array, gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        place = self._at(at)
        tree, links = self._system.skeleton.tree, place.motion.links
        on_axes = self._system.skeleton.to_axes(place.motion, self._work(at, x))
        twist = ((tree.moves * on_axes) @ links.S)[tree.bodies.link]
        turn, one = twist[:, :3], _moving(self._system, place)
        # velocities and slopes in the frames of the links
        W = twist[:, 3:] + _cross(turn, one.center)
        slopes = np.empty((turn.shape[0], 13))
        slopes[:, _MASS] = (one.pull * W).sum(axis=1)
        force = tree.bodies.mass[:, None] * one.pull
        # the transpose of a vector product is that with the opposite vector
        twice = _cross(one.spin, _cross(one.spin, W))
        by_center = tree.bodies.mass[:, None] * (twice - _cross(one.turn, W))
        slopes[:, _COM] = _into(one.R, by_center + _cross(force, turn))
        a, w = _into(one.R, one.turn), _into(one.R, one.spin)
        v, gyro = _into(one.R, turn), _into(one.R, _cross(turn, one.spin))
        outer = np.einsum("bi,bj->bij", v, a) + np.einsum("bi,bj->bij", gyro, w)
        slopes[:, _INERTIA] = outer.reshape(-1, 9)
        np.add.at(gradient, self._numbers, (self._ways * slopes[self._of]).sum(axis=1))

    def push_forces(self, at: Linearized, direction: Array) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        part = direction[self._numbers]
        if not part.any():
            return 0.0
        place = self._at(at)
        tree, links = self._system.skeleton.tree, place.motion.links
        one, change = _moving(self._system, place), np.zeros((tree.bodies.link.size, 13))
        np.add.at(change, self._of, part[:, None] * self._ways)
        mass = tree.bodies.mass[:, None]
        moved = np.einsum("bij,bj->bi", one.R, change[:, _COM])
        bent = _cross(one.turn, moved) + _cross(one.spin, _cross(one.spin, moved))
        force = change[:, _MASS, None] * one.pull + mass * bent
        inertia = one.R @ change[:, _INERTIA].reshape(-1, 3, 3) @ one.R.transpose(0, 2, 1)
        turned, spun = (np.einsum("bij,bj->bi", inertia, way) for way in (one.turn, one.spin))
        moment = _cross(moved, mass * one.pull) + _cross(one.center, force)
        moment += turned + _cross(one.spin, spun)
        wrench = np.hstack([moment, force])
        on_axes = ((tree.moves[tree.bodies.link].T @ wrench) * links.S).sum(axis=1)
        return self._rows(at, self._system.skeleton.from_axes(place.motion, on_axes))


class _Moving(NamedTuple):
    """Motion of the bodies (n_bodies, ...) in ground."""

    R: Array  # rotations of their links
    center: Array
    spin: Array
    turn: Array  # its rate
    pull: Array  # acceleration of the center less gravity


def _moving(system: FiberSystem, at: At) -> _Moving:
    bodies, links = system.skeleton.tree.bodies, at.motion.links
    R, V, A = (one[bodies.link] for one in (links.rotation, links.V, links.A))
    center = links.position[bodies.link] + np.einsum("bij,bj->bi", R, bodies.com)
    spin, turn = V[:, :3], A[:, :3]
    velocity = V[:, 3:] + _cross(spin, center)
    pull: Any = A[:, 3:] + _cross(turn, center) + _cross(spin, velocity) - bodies.gravity
    return _Moving(R, center, spin, turn, pull)


def _cross(a: Array, b: Array) -> Array:
    """Vector products of rows (n, 3); `numpy.cross` takes several times as long for few."""
    (x, y, z), (u, v, w) = a.T, b.T
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=1)


def _into(R: Array, vectors: Array) -> Array:
    """Vectors in the frames of the links."""
    found: Array = np.einsum("bji,bj->bi", R, vectors)
    return found


def _way(field: str, at: tuple[int, ...], R: Array) -> Array:
    """What a number changes in the frame of the link (13,); R: rotation of the body in it."""
    found = np.zeros(13)
    if field == "mass":
        found[_MASS] = 1.0
    elif field == "com":
        found[_COM] = R[:, at[0]]
    else:
        own = np.zeros((3, 3))
        own[at] = own[at[::-1]] = 1.0
        found[_INERTIA] = (R @ own @ R.T).ravel()
    return found


class Law(NamedTuple):
    """A number of the passive forces of a coordinate.

    Attributes
    ----------
    number : int
        In the gradient.
    coordinate : str
        Name.
    laws : tuple of tuples of CoordinateLaw
        All laws of the coordinate, at the steps of a difference.
    weights : tuple of float
        Weights of the difference.
    """

    number: int
    coordinate: str
    laws: tuple[tuple[CoordinateLaw, ...], ...]
    weights: tuple[float, ...]


class PassiveForces(_OnBones):
    """Numbers of passive forces; a `fibermsk.solvers.adjoint.variation.Change`.

    Parameters
    ----------
    places
        Of the system.
    members : sequence of Law
        The numbers.
    """

    def __init__(self, places: Places, members: Sequence[Law]) -> None:
        super().__init__(places)
        skeleton = self._system.skeleton
        self._members = members
        self._numbers: Index = np.array([one.number for one in members], np.int64)
        self._row = [skeleton.row_of(one.coordinate) for one in members]

    def _slopes(self, place: At) -> tuple[Array, Array]:
        """Derivatives of the forces (m,), and of their coordinates in the state (m, n)."""
        rows, n = place.motion.rows, self._system.skeleton.n
        x, x_dot = (place.q, place.p) if rows is None else (rows.x, rows.x_dot)
        J = np.eye(n)[self._row] if rows is None else rows.J[self._row]
        slopes = [
            sum(
                weight * law(float(x[row]), float(x_dot[row])).force
                for laws, weight in zip(one.laws, one.weights, strict=True)
                for law in laws
            )
            for one, row in zip(self._members, self._row, strict=True)
        ]
        return np.array(slopes), J

    def pull_forces(self, at: Linearized, x: Array, gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        slopes, J = self._slopes(self._at(at))
        np.add.at(gradient, self._numbers, -slopes * (J @ self._work(at, x)))

    def push_forces(self, at: Linearized, direction: Array) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        part = direction[self._numbers]
        if not part.any():
            return 0.0
        slopes, J = self._slopes(self._at(at))
        return self._rows(at, -(part * slopes) @ J)

"""Rigid bodies as arrays: the tree of elementary joints and what rides on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk.kernels import rigid
from fibermsk.model import Body, Model

__all__ = ["Tree", "TreeState", "build_tree"]

Array = NDArray[np.float64]
_KINDS = {"revolute": rigid.REVOLUTE, "prismatic": rigid.PRISMATIC}


class TreeState(NamedTuple):
    """Links in ground: poses, joint twists, link twists and spatial accelerations."""

    rotation: Array
    position: Array
    S: Array
    V: Array
    A: Array


@dataclass(frozen=True)
class Tree:
    """Arrays of the rigid bodies; link k is moved by coordinate k, ground is link -1.

    Attributes
    ----------
    names : tuple of str
        Names of the coordinates.
    parent, kind, axis, joint_rotation, joint_position
        The joints, see `fibermsk.kernels.rigid`.
    moves : (n, n) bool array
        moves[k, j]: coordinate j moves link k.
    damping, start, start_speed : (n,) float array
        Of each coordinate.
    body_link, mass, com, inertia
        Bodies with mass on moving links, in link frames.
    gravity : (3,) float array
        [m/s^2].
    frames : dict
        Body name to (link, rotation, position) of the body frame in the link frame.
    """

    names: tuple[str, ...]
    parent: NDArray[np.int64]
    kind: NDArray[np.int64]
    axis: Array
    joint_rotation: Array
    joint_position: Array
    moves: NDArray[np.bool_]
    damping: Array
    start: Array
    start_speed: Array
    body_link: NDArray[np.int64]
    mass: Array
    com: Array
    inertia: Array
    gravity: Array
    frames: dict[str, tuple[int, Array, Array]]

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return self.parent.size

    def evaluate(self, q: Array, p: Array, p_dot: Array) -> TreeState:
        """Poses, twists and accelerations of all links; new arrays."""
        n = self.n
        state = TreeState(
            np.empty((n, 3, 3)),
            np.empty((n, 3)),
            np.empty((n, 6)),
            np.empty((n, 6)),
            np.empty((n, 6)),
        )
        rigid.tree_pose(
            q, self.parent, self.joint_rotation, self.joint_position, self.kind, self.axis,
            state.rotation, state.position, state.S,
        )  # fmt: skip
        rigid.tree_motion(p, p_dot, self.parent, state.S, state.V, state.A)
        return state

    def dynamics(self, state: TreeState, p: Array, residual: Array) -> None:
        """Add M p_dot + bias - gravity + damping, the forces that the motion asks for."""
        rigid.inverse_dynamics(
            state.V, state.A, state.S, self.moves, state.rotation, state.position, self.body_link,
            self.mass, self.com, self.inertia, self.gravity, residual,
        )  # fmt: skip
        residual += self.damping * p

    def dynamics_tangent(
        self, state: TreeState, p: Array, p_dot: Array, dp_dq: float, dpdot_dp: float, D: Array
    ) -> None:
        """Add the derivative of `dynamics` in q, with p and p_dot following q linearly."""
        dq, dp, M = (np.zeros((self.n, self.n)) for _ in range(3))
        rigid.inverse_dynamics_tangent(
            p, p_dot, state.V, state.A, state.S, self.parent, self.moves, state.rotation,
            state.position, self.body_link, self.mass, self.com, self.inertia, self.gravity, dq, dp,
        )  # fmt: skip
        self.fill_mass_matrix(state, M)
        D += dq + dp_dq * (dp + np.diag(self.damping)) + (dp_dq * dpdot_dp) * M

    def fill_mass_matrix(self, state: TreeState, M: Array) -> None:
        """Fill M(q), (n, n)."""
        rigid.mass_matrix(
            state.S, self.moves, state.rotation, state.position, self.body_link, self.mass,
            self.com, self.inertia, M,
        )  # fmt: skip

    def chain_length(self, state: TreeState) -> Array:
        """Way along the chain from each link to the first joint that moves it, (n,) [m]."""
        length = np.zeros(self.n)
        for k in range(self.n):
            m = self.parent[k]
            if m >= 0:
                length[k] = length[m] + np.linalg.norm(state.position[k] - state.position[m])
        return length

    def turns_and_slides(self, update: Array) -> tuple[Array, Array]:
        """Sums of the rotations [rad] and of the translations [m] that an update gives the links.

        Two arrays (n,).
        """
        moved = np.abs(update) * self.moves
        turning = self.kind == rigid.REVOLUTE
        return moved[:, turning].sum(axis=1), moved[:, ~turning].sum(axis=1)

    def place(self, name: str, state: TreeState) -> tuple[Array, Array]:
        """Rotation (3, 3) and position (3,) of a body frame in ground."""
        link, rotation, position = self.frames[name]
        if link < 0:
            return rotation, position
        R = state.rotation[link]
        return R @ rotation, state.position[link] + R @ position


def build_tree(model: Model) -> Tree:
    """Number the joints of a model from the ground outwards and gather its bodies."""
    identity, zero = np.eye(3), np.zeros(3)
    frames: dict[str, tuple[int, Array, Array]] = {model.ground.name: (-1, identity, zero)}
    dofs, parent, joint_rotation, joint_position = [], [], [], []
    for body in _outwards(model):
        joint = model.joint_of(body)
        assert joint is not None  # Model.validate
        link, rotation, position = frames[joint.parent.name]
        position = position + rotation @ np.asarray(joint.at)
        for dof in joint.dofs:
            parent.append(link)
            joint_rotation.append(rotation)
            joint_position.append(position)
            dofs.append(dof)
            link, rotation, position = len(dofs) - 1, identity, zero
        rotation = rotation @ np.asarray(joint.rotation)
        frames[body.name] = (link, rotation, position - rotation @ np.asarray(joint.child_at))
    n = len(dofs)
    moves = np.zeros((n, n), bool)
    for k in range(n):
        moves[k, k] = True
        if parent[k] >= 0:
            moves[k] |= moves[parent[k]]
    heavy = [b for b in model.bodies if b.mass is not None and frames[b.name][0] >= 0]
    place = [frames[b.name] for b in heavy]
    return Tree(
        names=tuple(dof.name for dof in dofs),
        parent=np.array(parent, np.int64),
        kind=np.array([_KINDS[dof.kind] for dof in dofs], np.int64),
        axis=np.array([dof.axis for dof in dofs]).reshape(n, 3),
        joint_rotation=np.array(joint_rotation).reshape(n, 3, 3),
        joint_position=np.array(joint_position).reshape(n, 3),
        moves=moves,
        damping=np.array([dof.damping for dof in dofs], float),
        start=np.array([dof.value for dof in dofs], float),
        start_speed=np.array([dof.speed for dof in dofs], float),
        body_link=np.array([link for link, _, _ in place], np.int64),
        mass=np.array([b.mass for b in heavy], float),
        com=np.array(
            [p + R @ np.asarray(b.com) for b, (_, R, p) in zip(heavy, place, strict=True)]
        ).reshape(-1, 3),
        inertia=np.array(
            [R @ np.asarray(b.inertia) @ R.T for b, (_, R, _) in zip(heavy, place, strict=True)]
        ).reshape(-1, 3, 3),
        gravity=np.array(model.gravity),
        frames=frames,
    )


def _outwards(model: Model) -> list[Body]:
    """Bodies without ground, every parent before its children."""
    done = {model.ground.name}
    left = list(model.bodies[1:])
    order: list[Body] = []
    while left:
        for body in left:
            joint = model.joint_of(body)
            if joint is not None and joint.parent.name in done:
                order.append(body)
                done.add(body.name)
                left.remove(body)
                break
    return order

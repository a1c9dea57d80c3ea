"""Rigid bodies as arrays: the tree of elementary joints and its bodies.

Each elementary joint is one axis of a joint of the model; the motion of the axes is computed in
`fibermsk.system.skeleton.skeleton`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk.kernels.skeleton import frames, rigid, rigid_slopes
from fibermsk.kernels.skeleton.rigid import TreeBodies, TreeState
from fibermsk.model import Axis, Body, Model
from fibermsk.model.skeleton.joint import Joint

_KINDS = {"rotation": rigid.REVOLUTE, "translation": rigid.PRISMATIC}


@dataclass(frozen=True)
class Tree:
    """Arrays of the rigid bodies; axis k moves link k, ground is link -1."""

    # joints; see `fibermsk.kernels.skeleton.rigid`
    parent: NDArray[np.int64]
    kind: NDArray[np.int64]
    axis: Array
    joint_rotation: Array
    joint_position: Array
    moves: NDArray[np.bool_]  # moves[k, j]: axis j moves link k, (n, n)
    bodies: TreeBodies  # bodies with mass on moving links, and gravity
    # body name to (link, rotation, position) of the body frame in the link frame
    frames: dict[str, tuple[int, Array, Array]]

    @property
    def n(self) -> int:
        """Number of axes."""
        return self.parent.size

    def evaluate(
        self, q: Array, p: Array, p_dot: Array, joint_rotation: Array | None = None
    ) -> TreeState:
        """Poses, twists and accelerations of all links; new arrays.

        q, p, p_dot (n,) of the axes; joint_rotation in place of the tree's own.
        """
        n = self.n
        state = TreeState(
            np.empty((n, 3, 3)), np.empty((n, 3)), np.empty((n, 6)), np.empty((n, 6)),
            np.empty((n, 6)),
        )  # fmt: skip
        rigid.tree_state(
            q, p, p_dot, self.parent,
            self.joint_rotation if joint_rotation is None else joint_rotation,
            self.joint_position, self.kind, self.axis, state,
        )  # fmt: skip
        return state

    def evaluate_frames(
        self, q: Array, p: Array, p_dot: Array, joint_rotation: Array | None = None
    ) -> TreeState:
        """As `evaluate` for many states: all arrays have an axis for these first."""
        k, n = q.shape
        poses = np.empty((k, n, 3, 3)), np.empty((k, n, 3))
        state = TreeState(*poses, *(np.empty((k, n, 6)) for _ in range(3)))
        frames.tree_of_frames(
            q, p, p_dot, self.parent,
            self.joint_rotation[None] if joint_rotation is None else joint_rotation,
            self.joint_position, self.kind, self.axis, state,
        )  # fmt: skip
        return state

    def dynamics(self, state: TreeState, residual: Array) -> None:
        """Add M p_dot + bias - gravity (inverse dynamics)."""
        rigid.inverse_dynamics(state, self.moves, self.bodies, residual)

    def weight(self, state: TreeState) -> Array:
        """Generalized forces of gravity on the axes, (n,) [N m, N for translations]."""
        force, rest = np.zeros(self.n), self._rest
        self.dynamics(TreeState(state.rotation, state.position, state.S, rest, rest), force)
        return -force

    @cached_property
    def _rest(self) -> Array:
        """Twists, or accelerations, of links that rest."""
        return np.zeros((self.n, 6))

    def slopes(self, state: TreeState, p: Array, p_dot: Array) -> tuple[Array, Array, Array]:
        """Derivatives of `dynamics` in q, in p and in p_dot, which is M; three (n, n)."""
        dq, dp, M = (np.zeros((self.n, self.n)) for _ in range(3))
        rigid_slopes.dynamics_slopes(
            p, p_dot, state, self.parent, self.moves, self.bodies, dq, dp, M
        )
        return dq, dp, M

    def fill_mass_matrix(self, state: TreeState, M: Array) -> None:
        """Fill M(q), (n, n)."""
        rigid.mass_matrix(state, self.parent, self.bodies, M)

    def chain_length(self, state: TreeState) -> Array:
        """Distance along the chain from each link to the first joint that moves it, (n,) [m]."""
        length = np.empty(self.n)
        rigid.chain_lengths(self.parent, state.position, length)
        return length

    def turns_and_slides(self, update: Array) -> tuple[Array, Array]:
        """Sums of the rotations [rad] and translations [m] of the links in an update, two (n,)."""
        turn, slide = np.empty(self.n), np.empty(self.n)
        rigid.turns_and_slides(update, self.moves, self.kind, turn, slide)
        return turn, slide

    def place(self, name: str, state: TreeState) -> tuple[Array, Array]:
        """Rotation (3, 3) and position (3,) of a body frame in ground."""
        return self.place_by(name, state.rotation, state.position)

    def place_by(self, name: str, rotation: Array, position: Array) -> tuple[Array, Array]:
        """As `place`, from poses (..., n, 3, 3) and (..., n, 3) of all links, in any number."""
        link, own_rotation, own_position = self.frames[name]
        if link < 0:
            return own_rotation, own_position
        R = rotation[..., link, :, :]
        return R @ own_rotation, position[..., link, :] + R @ own_position


def build_tree(model: Model) -> tuple[Tree, list[tuple[Joint, list[Axis | None]]]]:
    """Number the axes of a model's joints from the ground outwards and gather its bodies.

    Returns
    -------
    tree : Tree
        Arrays.
    moving : list of (joint, list of Axis or None)
        Moving joints in order, with their axes in the order of the tree; None for each of the three
        axes of a quaternion.
    """
    identity, zero = np.eye(3), np.zeros(3)
    frames: dict[str, tuple[int, Array, Array]] = {model.ground.name: (-1, identity, zero)}
    parent, joint_rotation, joint_position, kind, direction = [], [], [], [], []
    moving: list[tuple[Joint, list[Axis | None]]] = []
    for body in _outwards(model):
        joint = model.joint_of(body)
        assert joint is not None  # Model.validate
        link, rotation, position = frames[joint.parent.name]
        position = position + rotation @ np.asarray(joint.at)
        own: list[Axis | None] = []
        turns = [(None, "rotation", axis) for axis in identity if getattr(joint, "quaternion", ())]
        for axis, what, along in [
            *((axis, axis.kind, np.asarray(axis.direction)) for axis in joint.axes),
            *turns,
        ]:
            if axis is not None and not axis.pairs:
                # a fixed axis is part of the frame
                if what == "translation":
                    position = position + rotation @ (axis.offset * along)
                else:
                    rotation = rotation @ rotation_about(along, axis.offset)
                continue
            parent.append(link)
            joint_rotation.append(rotation)
            joint_position.append(position)
            kind.append(_KINDS[what])
            direction.append(along)
            own.append(axis)
            link, rotation, position = len(parent) - 1, identity, zero
        if own:
            moving.append((joint, own))
        rotation = rotation @ np.asarray(joint.rotation)
        frames[body.name] = (link, rotation, position - rotation @ np.asarray(joint.child_at))
    n = len(parent)
    moves = np.zeros((n, n), bool)
    for k in range(n):
        moves[k, k] = True
        if parent[k] >= 0:
            moves[k] |= moves[parent[k]]
    heavy = [b for b in model.bodies if b.mass is not None and frames[b.name][0] >= 0]
    place = [frames[b.name] for b in heavy]
    tree = Tree(
        parent=np.array(parent, np.int64),
        kind=np.array(kind, np.int64),
        axis=np.array(direction, float).reshape(n, 3),
        joint_rotation=np.array(joint_rotation).reshape(n, 3, 3),
        joint_position=np.array(joint_position).reshape(n, 3),
        moves=moves,
        bodies=TreeBodies(
            link=np.array([link for link, _, _ in place], np.int64),
            mass=np.array([b.mass for b in heavy], float),
            com=np.array(
                [p + R @ np.asarray(b.com) for b, (_, R, p) in zip(heavy, place, strict=True)]
            ).reshape(-1, 3),
            inertia=np.array(
                [R @ np.asarray(b.inertia) @ R.T for b, (_, R, _) in zip(heavy, place, strict=True)]
            ).reshape(-1, 3, 3),
            gravity=np.array(model.gravity),
        ),
        frames=frames,
    )
    return tree, moving


def rotation_about(axis: Array, angle: float) -> Array:
    """Rotation matrix (3, 3) about a unit axis."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


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

"""Kinematics of a tree in director coordinates, as functions of CasADi.

The configuration of a link is q = (x, d_1, d_2, d_3) in R^12: its center of mass and the axes of
its frame, in the ground. Source: penner, with `optimal_control.md`, sections 1 and 3: rotations by
the Cayley map, nodal reparametrisation F_d(u, q), and the null space P = dF_d/du at u = 0, by
automatic differentiation.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from fibermsk._arrays import Array
from fibermsk.control.mechanics.tree import BALL, SLIDE, TURN, Link, LinkTree

SX = Any
"""A symbolic expression."""


def cayley(v: SX) -> SX:
    """Rotation cay(v) (3, 3), by the angle 2 atan(|v| / 2) about v."""
    hat = ca.skew(v)
    return ca.SX.eye(3) + 4.0 / (4.0 + ca.dot(v, v)) * (hat + 0.5 * hat @ hat)


def uncayley(R: SX) -> SX:
    """Vector (3,) whose rotation `cayley` is R; singular at half a turn."""
    return 2.0 * _skew_part(R) / (1.0 + ca.trace(R))


def _rotation(axis: Array, angle: SX) -> SX:
    """Rotation (3, 3) about a fixed axis of length one."""
    hat = ca.skew(ca.DM(axis))
    return ca.SX.eye(3) + ca.sin(angle) * hat + (1.0 - ca.cos(angle)) * hat @ hat


class Directors:
    """Functions of one tree.

    Coordinates of the chart are, link by link, the values of turns and slides, and of balls the
    vector y of cay(y) R, R the reference rotation (3, 3) of the ball, its child in its parent.

    Attributes
    ----------
    tree : LinkTree
        The links.
    n, degrees : int
        Numbers of director coordinates and of degrees of freedom.
    mass : (n, n) casadi.DM
        Constant mass matrix.
    """

    def __init__(self, tree: LinkTree) -> None:
        self.tree, self.n, self.degrees = tree, 12 * len(tree.links), tree.degrees
        self.balls = [k for k, one in enumerate(tree.links) if one.motion == BALL]
        blocks = [_mass(one) for one in tree.links]
        self.mass = ca.diagcat(*blocks)
        gravity = np.zeros(self.n)
        gravity.reshape(-1, 12)[:, :3] = tree.gravity
        self.weight = self.mass @ ca.DM(gravity)
        """Generalized forces of gravity (n,), -dV/dq."""

    @cached_property
    def place(self) -> Any:
        """q (n,) of chart coordinates (degrees,) and references of the balls (3, 3 n_balls)."""
        s, R0 = self.symbols()
        placed: list[tuple[SX, SX]] = []
        for k, (link, own) in enumerate(zip(self.tree.links, self.tree.slots(), strict=True)):
            x_b, R_b = placed[link.parent] if link.parent >= 0 else _ground()
            turn, shift = ca.SX.eye(3), ca.SX.zeros(3)
            if link.motion == TURN:
                turn = _rotation(link.axis, link.offset + link.slope * s[own])
            elif link.motion == SLIDE:
                shift = ca.DM(link.axis) * (link.offset + link.slope * s[own])
            elif link.motion == BALL:
                at = 3 * self.balls.index(k)
                turn = cayley(s[own]) @ R0[:, at : at + 3]
            R = R_b @ turn @ ca.DM(link.rotation)
            joint = x_b + R_b @ (ca.DM(link.at) + shift)
            placed.append((joint - R @ ca.DM(link.child_at), R))
        q = ca.vertcat(*[ca.vertcat(x, ca.vec(R)) for x, R in placed])
        return ca.Function("place", [s, R0], [q], ["s", "R"], ["q"])

    def symbols(self, mark: str = "") -> tuple[SX, SX]:
        """Chart coordinates s (degrees,) and references R (3, 3 n_balls) of a node."""
        return ca.SX.sym(f"s{mark}", self.degrees), ca.SX.sym(f"R{mark}", 3, 3 * len(self.balls))

    @cached_property
    def step(self) -> Any:
        """F_d(u, q): configuration after increments u (degrees,) in the frames of the joints.

        A turn is by 2 tan of half its angle, a ball by a vector in the frame of its parent.
        """
        u, q = ca.SX.sym("u", self.degrees), ca.SX.sym("q", self.n)
        return ca.Function("step", [u, q], [self._stepped(u, q)], ["u", "q"], ["q_new"])

    def _stepped(self, u: SX, q: SX) -> SX:
        new: list[tuple[SX, SX, SX]] = []  # center, axes, rotation since before
        for k, (link, own) in enumerate(zip(self.tree.links, self.tree.slots(), strict=True)):
            x, R = unpacked(q, k)
            x_b, R_b = unpacked(q, link.parent)
            still = ca.SX.zeros(3), ca.SX.eye(3), ca.SX.eye(3)
            new_x_b, _, turn_b = new[link.parent] if link.parent >= 0 else still
            turn, shift = ca.SX.eye(3), ca.SX.zeros(3)
            if link.motion == TURN:
                turn = cayley(u[own] * (R_b @ ca.DM(link.axis)))
            elif link.motion == SLIDE:
                shift = u[own] * (R_b @ ca.DM(link.axis))
            elif link.motion == BALL:
                turn = cayley(R_b @ u[own])
            arm = R @ ca.DM(link.child_at)
            total = turn_b @ turn
            joint = new_x_b + turn_b @ (x + arm - x_b + shift)
            new.append((joint - total @ arm, total @ R, total))
        return ca.vertcat(*[ca.vertcat(x, ca.vec(R)) for x, R, _ in new])

    @cached_property
    def null_space(self) -> Any:
        """P(q) (n, degrees) = dF_d/du at u = 0; for checks, `pull` is cheaper."""
        u, q = ca.SX.sym("u", self.degrees), ca.SX.sym("q", self.n)
        slope = ca.jacobian(self._stepped(u, q), u)
        return ca.Function("null_space", [q], [ca.substitute(slope, u, ca.SX.zeros(u.shape))])

    @cached_property
    def pull(self) -> Any:
        """P(q)^T w (degrees,) of forces w (n,), by one reverse sweep."""
        u, q, w = ca.SX.sym("u", self.degrees), ca.SX.sym("q", self.n), ca.SX.sym("w", self.n)
        slope = ca.gradient(ca.dot(w, self._stepped(u, q)), u)
        found = ca.substitute(slope, u, ca.SX.zeros(u.shape))
        return ca.Function("pull", [q, w], [found], ["q", "w"], ["f"])

    @cached_property
    def constraints(self) -> Any:
        """g(q): that links are rigid, and that joints hold; zero for every configuration."""
        q = ca.SX.sym("q", self.n)
        rows: list[SX] = []
        for k, link in enumerate(self.tree.links):
            x, R = unpacked(q, k)
            rows += [
                ca.dot(R[:, i], R[:, j]) - float(i == j) for i in range(3) for j in range(i + 1)
            ]
            x_b, R_b = unpacked(q, link.parent)
            way = R_b.T @ (x + R @ ca.DM(link.child_at) - x_b) - ca.DM(link.at)
            relative = R_b.T @ R @ ca.DM(link.rotation).T
            rows += _held(link, way, relative)
        return ca.Function("constraints", [q], [ca.vertcat(*rows)], ["q"], ["g"])


def _held(link: Link, way: SX, relative: SX) -> list[SX]:
    """Constraints of a joint: way of its point, and rotation, in the axes of the parent."""
    if link.motion == BALL:
        return [way]
    if link.motion == SLIDE:
        across = ca.DM(_across(link.axis))
        return [across.T @ way, _skew_part(relative)]
    if link.motion == TURN:
        across = ca.DM(_across(link.axis))
        return [way, across.T @ relative @ ca.DM(link.axis)]
    return [way, _skew_part(relative)]


def _skew_part(R: SX) -> SX:
    return ca.vertcat(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])


def _across(axis: Array) -> Array:
    """Two directions (3, 2) across an axis."""
    return np.linalg.svd(axis[None])[2][1:].T


def _ground() -> tuple[SX, SX]:
    return ca.SX.zeros(3), ca.SX.eye(3)


def unpacked(q: SX, link: int) -> tuple[SX, SX]:
    """Center of mass and axes (3, 3) of a link; -1 is the ground."""
    if link < 0:
        return _ground()
    own = q[12 * link : 12 * link + 12]
    return own[:3], ca.reshape(own[3:], 3, 3)


def point_at(q: SX, link: int, at: Array) -> SX:
    """Point of a link, at a way from its center of mass in its axes, in ground (3,) [m]."""
    x, R = unpacked(q, link)
    return x + R @ ca.DM(at)


def _mass(link: Link) -> Any:
    return ca.diagcat(link.mass * ca.DM.eye(3), ca.kron(ca.DM(link.euler), ca.DM.eye(3)))

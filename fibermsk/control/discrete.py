"""Discrete mechanics of a tree: momenta at the nodes of an interval, and motion step by step.

The discrete Lagrangian of an interval of length h is h (v^T M v / 2 - V at the mean of its nodes),
v = (q_1 - q_0) / h. Its momenta at both ends, in the directions that the joints leave free, are

    p_0^- = -P(q_0)^T (D_1 L_d + f^-),    p_1^+ = P(q_1)^T (D_2 L_d + f^+),

and the motion obeys p^+ = p^- at every inner node. Source: penner, with `optimal_control.md`,
section 2.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from fibermsk._arrays import Array
from fibermsk.control.directors import SX, Directors, cayley
from fibermsk.control.tree import BALL
from fibermsk.errors import ConvergenceError

_MOST, _ACCURACY = 50, 1e-13
"""Newton iterations of a step, and its last increment over 1."""


class Node(NamedTuple):
    """Configuration at a node: chart coordinates and references of the balls; see `Directors`."""

    s: Array
    references: Array

    def centered(self, directors: Directors) -> Node:
        """The same with balls at their references."""
        s, R = self.s.copy(), self.references.copy()
        for k, link in enumerate(directors.balls):
            own, at = directors.slots()[link], slice(3 * k, 3 * k + 3)
            R[:, at] = np.array(ca.evalf(cayley(ca.DM(s[own])))) @ R[:, at]
            s[own] = 0.0
        return Node(s, R)


class Discrete:
    """Interval functions of a tree, with the forces of its coordinates.

    Torques act on turns, slides and balls, link by link: of a ball a vector in the frame of its
    parent [N m, N].
    """

    def __init__(self, directors: Directors) -> None:
        self.directors = directors

    @cached_property
    def interval(self) -> Any:
        """p^- and p^+ (degrees,) of nodes s0, R0 and s1, R1, torques (degrees,) and length h."""
        own = self.directors
        s0, s1 = ca.SX.sym("s0", own.degrees), ca.SX.sym("s1", own.degrees)
        R0, R1 = (ca.SX.sym(name, 3, 3 * len(own.balls)) for name in ("R0", "R1"))
        torque, h = ca.SX.sym("torque", own.degrees), ca.SX.sym("h")
        q0, q1 = own.place(s0, R0), own.place(s1, R1)
        inertia, weight = own.mass @ ((q1 - q0) / h), 0.5 * h * own.weight
        impulse = 0.5 * h * (torque + self._passive(s0, R0, s1, R1, h))
        before = own.pull(q0, inertia - weight) - impulse
        after = own.pull(q1, inertia + weight) + impulse
        given = [s0, R0, s1, R1, torque, h]
        return ca.Function("interval", given, [before, after])

    def _passive(self, s0: SX, R0: SX, s1: SX, R1: SX, h: SX) -> SX:
        """Forces of the laws of coordinates at the middle of an interval, on turns and slides."""
        own = self.directors
        found = ca.SX.zeros(own.degrees)
        for link, at in zip(own.tree.links, own.slots(), strict=True):
            if link.motion == BALL or not link.degrees:
                continue
            value, rate = 0.5 * (s0[at] + s1[at]), (s1[at] - s0[at]) / h
            for law in own.tree.coordinates[link.coordinate].laws:
                found[at] += law(value, rate).force / link.slope
        return found

    @cached_property
    def momentum(self) -> Any:
        """P^T M P (degrees, degrees) at a node: momenta of unit speeds of the free directions."""
        own = self.directors
        s, R = ca.SX.sym("s", own.degrees), ca.SX.sym("R", 3, 3 * len(own.balls))
        P = own.null_space(own.place(s, R))
        return ca.Function("momentum", [s, R], [P.T @ own.mass @ P])

    @cached_property
    def _slope(self) -> Any:
        """Residual p^- - p of a step, and its derivative in the new chart coordinates."""
        given = self.interval.mx_in()
        p = ca.MX.sym("p", self.directors.degrees)
        rest = self.interval(*given)[0] - p
        return ca.Function("rest", [*given, p], [rest, ca.jacobian(rest, given[2])])

    def advance(self, node: Node, p: Array, guess: Array, torque: Array, h: float) -> Node:
        """Next node of a motion from a node with momenta p (degrees,), balls centered.

        Raises
        ------
        ConvergenceError
            If no solution is found from the guess (degrees,) of the new chart coordinates.
        """
        s = np.array(guess, float)
        for _ in range(_MOST):
            rest, slope = self._slope(node.s, node.references, s, node.references, torque, h, p)
            change = np.linalg.solve(np.array(slope), np.array(rest).ravel())
            s -= change
            if np.abs(change).max(initial=0.0) <= _ACCURACY * (1.0 + np.abs(s).max(initial=0.0)):
                return Node(s, node.references)
        raise ConvergenceError(
            f"the discrete step of {h:g} s has no solution nearby; use a smaller one"
        )


class DiscreteMotion(NamedTuple):
    """A motion step by step.

    Attributes
    ----------
    nodes : list of Node
        Configurations at all nodes, balls centered.
    momenta : (n_nodes, degrees) float array
        Momenta in the free directions of the joints.
    """

    nodes: list[Node]
    momenta: Array


def march(
    own: Discrete, start: Node, speeds: Array, h: float, n: int, torque: Array | None = None
) -> DiscreteMotion:
    """Motion over n intervals.

    Parameters
    ----------
    own : Discrete
        The tree.
    start : Node
        First configuration.
    speeds : (degrees,) float array
        Its speeds: rates of turns and slides, angular velocities of balls in their parents' frames.
    h : float
        Length of an interval [s].
    n : int
        Number of intervals.
    torque : (n, degrees) float array, optional
        Torques of each interval; none if left out.
    """
    degrees = own.directors.degrees
    torques = np.zeros((n, degrees)) if torque is None else torque
    node = start.centered(own.directors)
    p = np.array(own.momentum(*node)) @ speeds
    nodes, momenta, move = [node], [p], h * _chart_rates(own, speeds)
    for acting in torques:
        new = own.advance(node, p, node.s + move, acting, h)
        p = np.array(own.interval(*node, *new, acting, h)[1]).ravel()
        move = new.s - node.s
        node = new.centered(own.directors)
        nodes.append(node)
        momenta.append(p)
    return DiscreteMotion(nodes, np.array(momenta))


def _chart_rates(own: Discrete, speeds: Array) -> Array:
    """Rates of chart coordinates at centered balls."""
    rates = speeds.copy()
    for link, at in zip(own.directors.tree.links, own.directors.slots(), strict=True):
        if link.degrees == 1:
            rates[at] = speeds[at] / link.slope
    return rates

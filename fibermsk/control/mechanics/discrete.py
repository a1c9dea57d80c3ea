"""Discrete mechanics of a tree: momenta at the nodes of an interval, and motion step by step.

The discrete Lagrangian of an interval of length h is h (v^T M v / 2 - V at the mean of its nodes),
v = (q_1 - q_0) / h. Its momenta at both ends, in the directions that the joints leave free, are

    p_0^- = -P(q_0)^T (D_1 L_d + f^-),    p_1^+ = P(q_1)^T (D_2 L_d + f^+),

and the motion obeys p^+ = p^- at every inner node. Source: penner, with `optimal_control.md`,
section 2.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from fibermsk._arrays import Array
from fibermsk.control.mechanics.branches import in_all_branches
from fibermsk.control.mechanics.directors import SX, Directors, cayley, uncayley
from fibermsk.control.mechanics.elements import Elements
from fibermsk.control.mechanics.tree import BALL
from fibermsk.errors import ConvergenceError, ModelError

_MOST, _ACCURACY = 50, 1e-13
"""Newton iterations of a step, and its last increment over 1."""

_CLOSING = 8
"""Steps of the search for a closed chain."""

_SHORTEST = 1e-3
"""Share of a Newton step that is taken at least, where it makes the residual larger."""


class Node(NamedTuple):
    """Configuration at a node: chart coordinates and references of the balls; see `Directors`."""

    s: Array
    references: Array

    def centered(self, directors: Directors) -> Node:
        """The same with balls at their references."""
        s, R = self.s.copy(), self.references.copy()
        for k, link in enumerate(directors.balls):
            own, at = directors.tree.slots()[link], slice(3 * k, 3 * k + 3)
            R[:, at] = np.array(ca.evalf(cayley(ca.DM(s[own])))) @ R[:, at]
            s[own] = 0.0
        return Node(s, R)


class Discrete:
    """Interval functions of a tree, with the forces of its coordinates and elements.

    Forces act on turns, slides and balls, link by link: on a ball a vector in the frame of its
    parent [N m, N]. Closed chains add multipliers: impulses [N s], one for each equation.
    """

    def __init__(self, directors: Directors, elements: Elements | None = None) -> None:
        self.directors = directors
        self.elements = Elements() if elements is None else elements

    @cached_property
    def interval(self) -> Any:
        """p^- and p^+ (degrees,) of nodes s0, R0 and s1, R1, forces at both and length h."""
        own = self.directors
        (s0, R0), (s1, R1) = own.symbols("0"), own.symbols("1")
        f0, f1 = (ca.SX.sym(name, own.degrees) for name in ("f0", "f1"))
        h = ca.SX.sym("h")
        q0, q1 = own.place(s0, R0), own.place(s1, R1)
        inertia, weight = own.mass @ ((q1 - q0) / h), 0.5 * h * own.weight
        passive = self._passive(s0, R0, s1, R1, h)
        before = own.pull(q0, inertia - weight) - 0.5 * h * (f0 + passive)
        after = own.pull(q1, inertia + weight) + 0.5 * h * (f1 + passive)
        given = [s0, R0, s1, R1, f0, f1, h]
        return ca.Function("interval", given, [before, after])

    def _passive(self, s0: SX, R0: SX, s1: SX, R1: SX, h: SX) -> SX:
        """Forces of the laws of coordinates and across balls at the middle of an interval."""
        own = self.directors
        slots, found = own.tree.slots(), ca.SX.zeros(own.degrees)
        for link, at in zip(own.tree.links, slots, strict=True):
            if link.motion == BALL or not link.degrees:
                continue
            value, rate = 0.5 * (s0[at] + s1[at]), (s1[at] - s0[at]) / h
            coordinate = own.tree.coordinates[link.coordinate]
            for law in coordinate.laws:
                found[at] += _force(coordinate.name, law, value, rate) / link.slope
        for ball in self.elements.balls:
            at, k = slots[ball.link], 3 * own.balls.index(ball.link)
            before, after = (cayley(s[at]) @ R[:, k : k + 3] for s, R in ((s0, R0), (s1, R1)))
            found[at] += ca.DM(ball.torque) - ball.damping * uncayley(after @ before.T) / h
        return found

    @cached_property
    def closure(self) -> Any:
        """Equations c (k,) [m] of closed chains at a node, and P^T (dc/dq)^T times multipliers."""
        own = self.directors
        s, R = own.symbols()
        placed, q = own.place(s, R), ca.SX.sym("q", own.n)
        c = ca.vertcat(*[one.opening(own.tree, q) for one in self.elements.closures])
        held = ca.SX.sym("held", c.numel())
        pull = own.pull(placed, ca.substitute(ca.jtimes(c, q, held, True), q, placed))
        return ca.Function("closure", [s, R, held], [ca.substitute(c, q, placed), pull])

    @cached_property
    def closure_slope(self) -> Any:
        """Rates (k, degrees) at which the equations open for unit speeds of the free directions."""
        s, R, held = self.closure.sx_in()
        return ca.Function("slope", [s, R], [ca.jacobian(self.closure(s, R, held)[1], held).T])

    def speeds(self, node: Node, p: Array) -> Array:
        """Speeds (degrees,) of the free directions at a node with momenta p (degrees,).

        In a closed chain the momenta lack the impulse at the node, which does not change the speeds
        that keep it closed.
        """
        A, C = np.array(self.momentum(*node)), np.array(self.closure_slope(*node))
        no = np.zeros(self.held)
        whole = np.block([[A, -C.T], [C, np.zeros((no.size, no.size))]])
        # of the least size in a singular pose
        found = np.linalg.lstsq(whole, np.concatenate([p, no]), rcond=None)[0]
        return np.asarray(found[: p.size], float)

    def closed(self, node: Node) -> Node:
        """Near pose in which chains are closed, as nearly as a few steps find it."""
        s = node.s.copy()
        for _ in range(_CLOSING if self.held else 0):
            opening, slope = (np.array(one) for one in self._opening(s, node.references))
            s -= np.linalg.pinv(slope) @ opening.ravel()
        return Node(s, node.references)

    @cached_property
    def _opening(self) -> Any:
        """Equations of closed chains, and their derivatives in the chart coordinates."""
        s, R, _ = self.closure.sx_in()
        c = self.closure(s, R, ca.SX(self.held, 1))[0]
        return ca.Function("opening", [s, R], [c, ca.jacobian(c, s)])

    @property
    def held(self) -> int:
        """Number of equations of closed chains."""
        return self.closure.size1_out(0)

    @cached_property
    def momentum(self) -> Any:
        """P^T M P (degrees, degrees) at a node: momenta of unit speeds of the free directions."""
        own = self.directors
        s, R = own.symbols()
        P = own.null_space(own.place(s, R))
        return ca.Function("momentum", [s, R], [P.T @ own.mass @ P])


def _force(name: str, law: Any, value: SX, rate: SX) -> SX:
    """Force of a law of a coordinate."""
    try:
        return in_all_branches(lambda q, p: law(q, p).force, value, rate).value
    except Exception as error:  # whatever a law of the user does
        raise ModelError(
            f"coordinate {name!r}: law {type(law).__name__} cannot be an expression of CasADi "
            f"({type(error).__name__}: {error}); must use arithmetic, comparisons and simple "
            "functions of numpy of single numbers; or leave it out, or use fm.gradient"
        ) from error


def newton(function: Callable[[Array], tuple[Any, Any]], guess: Array, message: str) -> Array:
    """Root (n,) of a function that returns its value and derivative, by damped Newton steps.

    Raises
    ------
    ConvergenceError
        With the message, if none is found from the guess.
    """

    def at(x: Array) -> tuple[Array, Array]:
        rest, slope = function(x)
        return np.array(rest).ravel(), np.array(slope)

    x, (rest, slope) = guess, at(guess)
    for _ in range(_MOST):
        try:
            change = np.linalg.solve(slope, rest)
        except np.linalg.LinAlgError:
            break
        if np.abs(change).max(initial=0.0) <= _ACCURACY * (1.0 + np.abs(x).max(initial=0.0)):
            return x - change
        size, before = 1.0, float(np.linalg.norm(rest))
        while True:
            new = x - size * change
            rest, slope = at(new)
            if np.linalg.norm(rest) <= before or size < _SHORTEST:
                break
            size *= 0.5
        x = new
    raise ConvergenceError(message)

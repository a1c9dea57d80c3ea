"""Motions of a tree alone, step by step, by the package's functions of an interval."""

from typing import NamedTuple

import casadi as ca
import numpy as np

from fibermsk.control.mechanics.discrete import Node, newton


class DiscreteMotion(NamedTuple):
    """Nodes with balls centered, and momenta (n_nodes, degrees) in the free directions."""

    nodes: list
    momenta: np.ndarray


def march(own, start, speeds, h, n, torque=None):
    """Motion of a `Discrete` over n intervals of length h, from a node with speeds (degrees,).

    With torques (n, degrees) of each interval; none if left out.
    """
    step = forward(own)
    torques = np.zeros((n, own.directors.degrees)) if torque is None else torque
    node = start.centered(own.directors)
    p = np.array(own.momentum(*node)) @ speeds
    nodes, momenta, move = [node], [p], h * chart_rates(own, speeds)
    for acting in torques:
        R, m = node.references, p.size

        def rest(x, node=node, R=R, acting=acting, p=p, m=m):
            return step(node.s, R, x[:m], R, acting, acting, h, p, x[m:])

        guess = np.concatenate([node.s + move, np.zeros(own.held)])
        new = Node(newton(rest, guess, f"no step of {h:g} s")[:m], R)
        p = np.array(own.interval(*node, *new, acting, acting, h)[1]).ravel()
        move = new.s - node.s
        node = new.centered(own.directors)
        nodes.append(node)
        momenta.append(p)
    return DiscreteMotion(nodes, np.array(momenta))


def forward(own):
    """What a step leaves, and its derivative in new chart coordinates and multipliers."""
    given = own.interval.mx_in()
    p, held = ca.MX.sym("p", own.directors.degrees), ca.MX.sym("held", own.held)
    pull = own.closure(given[0], given[1], held)[1]
    opening = own.closure(given[2], given[3], ca.MX(own.held, 1))[0]
    rest = ca.vertcat(own.interval(*given)[0] - p - pull, opening)
    slope = ca.horzcat(ca.jacobian(rest, given[2]), ca.jacobian(rest, held))
    return ca.Function("rest", [*given, p, held], [rest, slope])


def chart_rates(own, speeds):
    """Rates of chart coordinates at centered balls."""
    rates = speeds.copy()
    for link, at in zip(own.directors.tree.links, own.directors.tree.slots(), strict=True):
        if link.degrees == 1:
            rates[at] = speeds[at] / link.slope
    return rates

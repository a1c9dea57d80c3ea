"""Forces through cuts of fibers, from what acts on each element alone."""

from __future__ import annotations

import math

from fibermsk._compile import kernel
from fibermsk.kernels.fibers.shape import shape_d1


@kernel
def join_elements(residual, elements, before, share, force):
    """Fill the forces (n_nodes, 3) at nodes with an element on both sides.

    residual (n_elements, 2, 6): minus the forces on both nodes of each element alone. What elements
    before (n,) and those after them do not balance is inertia, of which the former have a share
    (n,).
    """
    for i in range(before.size):
        e = before[i]
        for a in range(3):
            one, next_one = residual[e, 1, a], residual[e + 1, 0, a]
            force[elements[e, 1], a] = (1.0 - share[i]) * one - share[i] * next_one


@kernel
def find_places(points, start, element, law, weights, own, width, high):
    """Fill the element of each point (n,), the part of it that it has, and the end of that part.

    points are in increasing order; start, element, law: of runs; weights (n_laws, n_points).
    """
    run = 0
    for i in range(points.size):
        while start[run + 1] <= points[i]:
            run += 1
        begin = start[run]
        last = 0.0
        for k in range(points[i] - begin + 1):
            last += weights[law[run], k]
        own[i], width[i], high[i] = element[run], weights[law[run], points[i] - begin], last


@kernel
def begin_cuts(elements, through, before, whole):
    """Fill forces through cuts of unloaded elements at their points, and what is left at the end.

    through (n_nodes, 3), before (n_elements, n_points, 3), whole (n_elements, 3).
    """
    for e in range(elements.shape[0]):
        for a in range(3):
            begin = through[elements[e, 0], a]
            whole[e, a] = begin - through[elements[e, 1], a]
            for k in range(before.shape[1]):
                before[e, k, a] = begin


@kernel
def subtract_loads(element, low, high, load, xi, before, whole):
    """Subtract loads from the forces through cuts at the points of all elements, and from sums.

    Loads (n, 3) of elements (n,), each spread evenly from low to high; xi (n_points,), before
    (n_elements, n_points, 3), whole (n_elements, 3).
    """
    for i in range(element.size):
        e = element[i]
        for a in range(3):
            whole[e, a] -= load[i, a]
        for k in range(xi.size):
            part = min(max((xi[k] - low[i]) / (high[i] - low[i]), 0.0), 1.0)
            for a in range(3):
                before[e, k, a] -= part * load[i, a]


@kernel
def fill_along(nodes, elements, h, xi, before, whole, along):
    """Fill the tangential parts (n_elements, n_points) of the forces through cuts.

    The rest `whole` is spread evenly over each element.
    """
    for e in range(elements.shape[0]):
        first, second = nodes[elements[e, 0]], nodes[elements[e, 1]]
        for k in range(xi.size):
            shapes = shape_d1(xi[k], h[e])
            product, square = 0.0, 0.0
            for a in range(3):
                tangent = shapes[1] * first[3 + a] + shapes[3] * second[3 + a]
                tangent += shapes[2] * (second[a] - first[a])
                product += tangent * (before[e, k, a] - xi[k] * whole[e, a])
                square += tangent * tangent
            along[e, k] = product / math.sqrt(square)

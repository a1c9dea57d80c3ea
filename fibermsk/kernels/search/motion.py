"""Bounds of tangents and radii, element by element and fiber by fiber.

``hull`` (n_elements, 4, 3): Bezier control points; ``least`` (n_elements,): lower bound of |a1| on
each element. The radius is r = r0 sqrt(|A1|/|a1|); ``thickest`` bounds r0 on an element, ``widest``
r0 sqrt(|A1|).
"""

from __future__ import annotations

import math

from fibermsk._compile import body, kernel
from fibermsk.kernels.fibers.shape import shape_d1

# If an element turns so far that its hull gives no lower bound of the tangent, half of the least
# tangent at its quadrature points is used.
_HAIRPIN = 0.5

# An update keeps more than this fraction of the tangent at every quadrature point.
_LEAST_LEFT = 0.1


@body
def _slowest(e, nodes, elements, h, xi):
    """Least squared tangent of an element at its quadrature points."""
    i, j = elements[e, 0], elements[e, 1]
    slowest = math.inf
    for k in range(xi.size):
        d0, d1, d2, d3 = shape_d1(xi[k], h[e])
        square = 0.0
        for c in range(3):
            t = d0 * nodes[i, c] + d1 * nodes[i, 3 + c] + d2 * nodes[j, c] + d3 * nodes[j, 3 + c]
            square += t * t
        slowest = min(slowest, square)
    return slowest


@body
def fill_least_tangent(e, nodes, elements, h, xi, hull, least):
    """Fill the bound of one element: its least control vector along the chord."""
    chord = 0.0
    for c in range(3):
        chord += (hull[e, 3, c] - hull[e, 0, c]) ** 2
    smallest = math.inf
    for p in range(3):
        along = 0.0
        for c in range(3):
            along += (hull[e, p + 1, c] - hull[e, p, c]) * (hull[e, 3, c] - hull[e, 0, c])
        smallest = min(smallest, along)
    if smallest > 0.0 and chord > 0.0:
        least[e] = 3.0 * smallest / (math.sqrt(chord) * h[e])
    else:
        least[e] = _HAIRPIN * math.sqrt(_slowest(e, nodes, elements, h, xi))


@kernel
def fill_least_tangents(nodes, elements, h, xi, hull, least):
    """Fill the bounds of all elements."""
    for e in range(h.size):
        fill_least_tangent(e, nodes, elements, h, xi, hull, least)


@body
def fill_radius(f, element_start, widest, least, radii):
    """Fill the bound of one fiber's largest radius."""
    radius = 0.0
    for e in range(element_start[f], element_start[f + 1]):
        radius = max(radius, widest[e] / math.sqrt(least[e]))
    radii[f] = radius


@kernel
def fill_radii(element_start, widest, least, radii):
    """Fill the bounds of all fibers' largest radii."""
    for f in range(radii.size):
        fill_radius(f, element_start, widest, least, radii)


@kernel
def fill_sizes(hull, h, factors, length, thinnest):
    """Fill a bound of each element's length, and its approximate least radius, both (n_elements,).

    factors (3, n_elements): r0 sqrt(|A1|) at start, middle and end, where the radii are compared.
    """
    for e in range(h.size):
        total, start, middle, end = 0.0, 0.0, 0.0, 0.0
        for p in range(3):
            square = 0.0
            for c in range(3):
                square += (hull[e, p + 1, c] - hull[e, p, c]) ** 2
            total += math.sqrt(square)
            start, end = (square if p == 0 else start), square
        for c in range(3):
            middle += (hull[e, 3, c] + hull[e, 2, c] - hull[e, 1, c] - hull[e, 0, c]) ** 2
        length[e] = total
        # |a1| of a cubic: 3 |p1 - p0| / h, 3 |p3 + p2 - p1 - p0| / 4h, 3 |p3 - p2| / h
        thinnest[e] = min(
            factors[0, e] / math.sqrt(3.0 * math.sqrt(start) / h[e]),
            min(
                factors[1, e] / math.sqrt(0.75 * math.sqrt(middle) / h[e]),
                factors[2, e] / math.sqrt(3.0 * math.sqrt(end) / h[e]),
            ),
        )


@body
def fill_widest_section(f, element_start, elements, nodes, reference, thickest, sections):
    """Fill the bound of the radius in pair potentials on one fiber's elements.

    It blends the nodes' factors sqrt(|A1|/|a1|), so that the largest of them bounds it.
    """
    section = 0.0
    first, last = element_start[f], element_start[f + 1]
    for e in range(first, last):
        for side in range(2):
            i = elements[e, side]
            now, then = 0.0, 0.0
            for c in range(3, 6):
                now += nodes[i, c] * nodes[i, c]
                then += reference[i, c] * reference[i, c]
            section = max(section, thickest[e] * math.sqrt(math.sqrt(then / now)))
    for e in range(first, last):
        sections[e] = section


@kernel
def fill_widest_sections(element_start, elements, nodes, reference, thickest, sections):
    """Fill the bounds for the elements of all fibers."""
    for f in range(element_start.size - 1):
        fill_widest_section(f, element_start, elements, nodes, reference, thickest, sections)


@body
def tangent_left(e, h, hull_update, stray, fraction, least):
    """Lower bound of |a1| on an element after a fraction of an update, at least a tenth of it.

    stray (n_elements,): deviation of control points from linear motion [m].
    """
    steepest = 0.0
    for p in range(3):
        change = 0.0
        for c in range(3):
            change += (hull_update[e, p + 1, c] - hull_update[e, p, c]) ** 2
        steepest = max(steepest, change)
    change = (3.0 * fraction * math.sqrt(steepest) + 6.0 * stray[e]) / h[e]
    return max(least[e] - change, _LEAST_LEFT * least[e])


@body
def fill_growth(e, h, widest, least, hull_update, stray, fraction, growth):
    """Fill a bound of the growth of an element's radius in a fraction of an update."""
    left = tangent_left(e, h, hull_update, stray, fraction, least)
    growth[e] = widest[e] * (1.0 / math.sqrt(left) - 1.0 / math.sqrt(least[e]))

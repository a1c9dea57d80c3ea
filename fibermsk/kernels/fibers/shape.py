"""Compiled shape functions and element geometry of the cubic Hermite centerline.

Symbols: ``nodes`` (n_nodes, 6) position and theta-tangent; ``elements`` (n_elements, 2) node
indices; ``h`` (n_elements,) element length in theta; ``power`` (n_elements, 4, 3) coefficients of
the centerline in powers of ``xi``; ``hull`` (n_elements, 4, 3) its Bezier control points, whose
convex hull holds the curve.
"""

from __future__ import annotations

from fibermsk._compile import inlined, kernel
from fibermsk.elements.hermite import hermite, hermite_d1, hermite_d2

shape = kernel(hermite)
shape_d1 = kernel(hermite_d1)
shape_d2 = kernel(hermite_d2)


@inlined
def fill_power(e, nodes, elements, h, power):
    """Fill one element's coefficients; see `power_coefficients`."""
    i, j = elements[e, 0], elements[e, 1]
    for c in range(3):
        x0, x1 = nodes[i, c], nodes[j, c]
        t0, t1 = h[e] * nodes[i, 3 + c], h[e] * nodes[j, 3 + c]
        power[e, 0, c] = x0
        power[e, 1, c] = t0
        power[e, 2, c] = 3.0 * (x1 - x0) - 2.0 * t0 - t1
        power[e, 3, c] = 2.0 * (x0 - x1) + t0 + t1


@kernel
def power_coefficients(nodes, elements, h, power):
    """Fill `power` with the centerline's coefficients of 1, xi, xi**2, xi**3; G eq. 68."""
    for e in range(elements.shape[0]):
        fill_power(e, nodes, elements, h, power)


@inlined
def fill_hull(e, nodes, elements, h, hull):
    """Fill one element's Bezier control points."""
    i, j = elements[e, 0], elements[e, 1]
    for c in range(3):
        hull[e, 0, c] = nodes[i, c]
        hull[e, 1, c] = nodes[i, c] + h[e] * nodes[i, 3 + c] / 3.0
        hull[e, 2, c] = nodes[j, c] - h[e] * nodes[j, 3 + c] / 3.0
        hull[e, 3, c] = nodes[j, c]


@kernel
def bezier_hull(nodes, elements, h, hull):
    """Fill `hull` with the Bezier control points of every element."""
    for e in range(elements.shape[0]):
        fill_hull(e, nodes, elements, h, hull)

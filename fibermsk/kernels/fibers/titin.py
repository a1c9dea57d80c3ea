"""Axial force of titin and extracellular matrix, with the rows of titin's states.

Symbols: ``a1`` = x,theta, ``t`` = a1 / |a1|, ``G0`` = |X,theta|, ``N`` = A0 P axial force, ``near``
(n_elements, n_points) the states z; see `fibermsk.laws.titin`. Rows beta dz/dt + f_1 - f_2 = 0. The
tangent in `lines` is that without the states: N_a - N_z F_a / F_z in place of dN/d|a1| with the
derivatives F of the row; see `fibermsk.linalg.points`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk._compile import inlined, kernel, parallel
from fibermsk.kernels.fibers.element import (
    ZERO_3,
    ZERO_9,
    add_3,
    add_9,
    add_integrals,
    add_stiffness,
    chord,
    dot,
    scale_3,
    slope,
)
from fibermsk.kernels.fibers.shape import shape_d1
from fibermsk.laws import titin as law

_titin_stress = kernel(law.titin_stress)
_titin_energy = kernel(law.titin_energy)
_titin_damping = kernel(law.titin_damping)


class TitinArrays(NamedTuple):
    """Elements of fibers with titin, and data at their points (n_elements, n_points).

    Attributes
    ----------
    node : (n_elements,) int array
        First node of each element; the second is the next.
    h : (n_elements,) float array
        Length in theta.
    xi : (n_points,) float array
        Points in [0, 1].
    weight, area, G0 : float array
        Quadrature weight times h, reference area [m^2] and |X,theta| [m].
    stress : float array
        S times the muscle fraction [N/m^2].
    law : (n_elements, 10) float array
        Constants of `fibermsk.laws.titin.titin_stress` after the stress; two dampings [s].
    """

    node: NDArray[np.int64]
    h: Array
    xi: Array
    weight: Array
    area: Array
    G0: Array
    stress: Array
    law: Array


@inlined
def _stress_at(a1, near, e, k, titin):
    """Results of the law at a point, with |a1| and 1 / G0."""
    length, per_G0 = math.sqrt(dot(a1, a1)), 1.0 / titin.G0[e, k]
    c = titin.law
    found = _titin_stress(
        length * per_G0, near, titin.stress[e, k], c[e, 0], c[e, 1], c[e, 2], c[e, 3], c[e, 4],
        c[e, 5], c[e, 6], c[e, 7],
    )  # fmt: skip
    return length, per_G0, found


@inlined
def _integrate(nodes, near, near_rate, e, titin, activation, dv_dy, tangent, row, points):
    """Integrals over an element of N t and its condensed derivative, with (-g, p, g, q).

    Fills the element's rows, and with a constant `tangent` that is true its entries of `points`.
    """
    i = titin.node[e]
    x = chord(nodes, i, i + 1)
    per_h = 1.0 / titin.h[e]
    beta, beta_slope = _titin_damping(activation[e], titin.law[e, 8], titin.law[e, 9])
    on_g, on_p, on_q = ZERO_3, ZERO_3, ZERO_3
    gg, gp, pp, gq, pq, qq = ZERO_9, ZERO_9, ZERO_9, ZERO_9, ZERO_9, ZERO_9
    for k in range(titin.xi.size):
        _, p, g, q = shape_d1(titin.xi[k], 1.0)
        g *= per_h
        a1 = slope(g, p, q, x)
        length, per_G0, found = _stress_at(a1, near[e, k], e, k, titin)
        P, P_stretch, P_near, back, back_stretch, back_near = found
        t = scale_3(1.0 / length, a1)
        w = titin.weight[e, k] * titin.area[e, k]
        row[e, k] = beta * near_rate[e, k] + back
        on_g = add_3(on_g, w * P * g, t)
        on_p = add_3(on_p, w * P * p, t)
        on_q = add_3(on_q, w * P * q, t)
        if tangent:
            diagonal = back_near + beta * dv_dy
            turning = w * P / length
            along = w * per_G0 * (P_stretch - P_near * back_stretch / diagonal) - turning
            D = (
                turning + along * t[0] * t[0], along * t[1] * t[0], along * t[2] * t[0],
                along * t[0] * t[1], turning + along * t[1] * t[1], along * t[2] * t[1],
                along * t[0] * t[2], along * t[1] * t[2], turning + along * t[2] * t[2],
            )  # fmt: skip
            gg, gp, pp = add_9(gg, g * g, D), add_9(gp, g * p, D), add_9(pp, p * p, D)
            gq, pq, qq = add_9(gq, g * q, D), add_9(pq, p * q, D), add_9(qq, q * q, D)
            points[e, k, 0], points[e, k, 1], points[e, k, 2] = g, p, q
            points[e, k, 3], points[e, k, 4], points[e, k, 5] = t
            points[e, k, 6], points[e, k, 7] = w * P_near, back_stretch * per_G0
            points[e, k, 8], points[e, k, 9] = diagonal, beta_slope * near_rate[e, k]
    return (on_g, on_p, on_q), (gg, gp, pp, gq, pq, qq)


@kernel
def fiber_residual(f, start, nodes, near, near_rate, titin, activation, residual, row):
    """Add the force of one fiber's elements to the residual, and fill their rows."""
    no_points = np.empty((0, 0, 0))
    for e in range(start[f], start[f + 1]):
        integrals, _ = _integrate(
            nodes, near, near_rate, e, titin, activation, 0.0, False, row, no_points
        )
        add_integrals(titin.node[e], integrals, residual)


@kernel
def fiber_tangent(
    f, start, nodes, near, near_rate, titin, activation, dv_dy, residual, row, lines, points
):
    """Add the force of one fiber's elements, its condensed tangent, and fill rows and points."""
    massless = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for e in range(start[f], start[f + 1]):
        i = titin.node[e]
        integrals, (gg, gp, pp, gq, pq, qq) = _integrate(
            nodes, near, near_rate, e, titin, activation, dv_dy, True, row, points
        )
        add_integrals(i, integrals, residual)
        add_stiffness(lines, i, gg, gp, gp, pp, gq, gq, pq, pq, qq, massless)


@parallel("start", least=64)
def titin_residual(start, nodes, near, near_rate, titin, activation, residual, row):
    """Add minus the nodal force to `residual` (n_nodes, 6), and fill `row` (n_elements, n_points).

    ``start`` (n_fibers + 1,): first element of each fiber with titin; ``activation``
    (n_elements,); ``near_rate``: rates of the states.
    """
    for f in prange(start.size - 1):
        fiber_residual(f, start, nodes, near, near_rate, titin, activation, residual, row)


@parallel("start", least=64)
def assemble_titin(
    start, nodes, near, near_rate, titin, activation, dv_dy, residual, row, lines, points
):
    """`titin_residual` with the derivative, where rates follow states by dv_dy.

    ``lines`` (n_nodes, 3, 6, 6): see `fibermsk.linalg.lines`; ``points``: the data of
    `fibermsk.linalg.PointStates`, to be filled.
    """
    for f in prange(start.size - 1):
        fiber_tangent(
            f, start, nodes, near, near_rate, titin, activation, dv_dy, residual, row, lines, points
        )


@kernel
def titin_force(nodes, near, titin, force):
    """Fill the axial force [N] at the points of all elements."""
    for e in range(titin.node.size):
        i = titin.node[e]
        for k in range(titin.xi.size):
            _, p, g, q = shape_d1(titin.xi[k], titin.h[e])
            a1 = slope(g, p, q, chord(nodes, i, i + 1))
            _, _, found = _stress_at(a1, near[e, k], e, k, titin)
            force[e, k] = titin.area[e, k] * found[0]


@kernel
def stored_energy(nodes, near, titin):
    """Energy of titin and matrix [J], zero at rest at a stretch of one."""
    total, c = 0.0, titin.law
    for e in range(titin.node.size):
        i = titin.node[e]
        for k in range(titin.xi.size):
            _, p, g, q = shape_d1(titin.xi[k], titin.h[e])
            a1, G0 = slope(g, p, q, chord(nodes, i, i + 1)), titin.G0[e, k]
            total += titin.weight[e, k] * titin.area[e, k] * G0 * _titin_energy(
                math.sqrt(dot(a1, a1)) / G0, near[e, k], titin.stress[e, k], c[e, 0], c[e, 1],
                c[e, 2], c[e, 3], c[e, 4], c[e, 5], c[e, 6], c[e, 7],
            )  # fmt: skip
    return total

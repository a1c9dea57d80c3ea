"""Internal force, tangent, mass and energy of cable elements.

Symbols: ``a1`` = x,theta, ``a1_dot`` its rate, ``G0`` = |X,theta|, ``A0`` reference cross-section
area, ``P`` nominal axial stress (force per reference area), ``N`` = A0 P axial force, ``t`` =
a1/|a1|. The virtual work of one fiber is the integral of N t . xi,theta over theta; the force on
the nodes is its negative. Sources: Gfrerer and Simeon (2021) eqs. 30-38, with the active and
prestress parts in a form independent of the parametrization.

Of every element and fiber: ``element_start`` (n_fibers + 1,) first element of each fiber,
``activation`` (n_elements,); the other data are in `CableArrays`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk._compile import inlined, kernel, parallel
from fibermsk.kernels._plain import plain
from fibermsk.kernels.fibers.element import (
    ZERO_3,
    ZERO_9,
    add_3,
    add_9,
    add_stiffness,
    chord,
    combine_3,
    dot,
    scale_3,
    slope,
)
from fibermsk.kernels.fibers.shape import shape, shape_d1
from fibermsk.laws.stress import nominal_stress, stored_energy

nominal_stress_of = kernel(nominal_stress)
_stored_energy = kernel(stored_energy)


class CableArrays(NamedTuple):
    """Elements and quadrature data of cables.

    Attributes
    ----------
    elements : (n_elements, 2) int array
        Node numbers; the second is the first plus 1.
    h : (n_elements,) float array
        Length in theta.
    xi : (n_points,) float array
        Quadrature points in [0, 1].
    row_of : (n_elements,) int array
        Row of each element in the following arrays; equal elements share one.
    weight : (n_rows, n_points) float array
        Quadrature weights times h.
    area, G0 : (n_rows, n_points) float array
        Reference area A0 [m^2] and |X,theta| [m].
    law : (n_rows, n_points, n_constants) float array
        Constants of the stress, those of `fibermsk.laws.stress.nominal_stress` first
        (`fibermsk.laws.layout`).
    mass : (n_rows, 4, 4) float array
        Scalar element mass matrices [kg].
    """

    elements: NDArray[np.int64]
    h: Array
    xi: Array
    row_of: NDArray[np.int32]
    weight: Array
    area: Array
    G0: Array
    law: Array
    mass: Array

    @classmethod
    def of(cls, arrays: Any) -> CableArrays:
        """Arrays of the same names of another object, and of its `rows`."""
        own, rows = cls._fields[:4], cls._fields[4:]
        return cls(
            *(getattr(arrays, name) for name in own),
            *(getattr(arrays.rows, name) for name in rows),
        )


@inlined
def law_stress(stretch, stretch_rate, activation, law, row, k):
    """Nominal stress at a point and its derivatives in the stretch and in the stretch rate."""
    return nominal_stress_of(
        stretch, stretch_rate, activation,
        law[row, k, 0], law[row, k, 1], law[row, k, 2], law[row, k, 3], law[row, k, 4],
        law[row, k, 5], law[row, k, 6], law[row, k, 7], law[row, k, 8],
    )  # fmt: skip


@inlined
def law_energy(stretch, law, row, k):
    """Stored energy per reference volume at a point [J/m^3]."""
    return _stored_energy(stretch, law[row, k, 0], law[row, k, 6], law[row, k, 7], law[row, k, 8])


@inlined
def _pull(a1, a1_dot, row, k, cable, activation):
    """Unit tangent t, axial force N, dN/d|a1|, dN/d(t . a1_dot), 1/|a1| and u at a point.

    row: of the element; u = (I - t t) a1_dot / |a1|: derivative of t . a1_dot with the direction of
    the tangent.
    """
    length = math.sqrt(dot(a1, a1))
    inverse = 1.0 / length
    t = scale_3(inverse, a1)
    rate = inverse * dot(a1, a1_dot)
    u = combine_3(inverse, a1_dot, -inverse * rate, t)
    per_G0 = 1.0 / cable.G0[row, k]
    P, dP_dstretch, dP_drate = law_stress(
        length * per_G0, rate * per_G0, activation, cable.law, row, k
    )
    A0 = cable.area[row, k]
    return t, A0 * P, A0 * dP_dstretch * per_G0, A0 * dP_drate * per_G0, inverse, u


@inlined
def _integrate(nodes, velocity, e, cable, activation, cx, cv, tangent):
    """Integrals over an element of N t and of its derivative D, with the slopes (-g, p, g, q).

    Returns the integrals of N t with g, p and q, and those of D with g g, g p, p p, g q, p q and
    q q. D (3, 3) is cx dNt/da1 + cv dNt/da1_dot; a constant `tangent` that is false leaves it out.
    """
    i, row = cable.elements[e, 0], cable.row_of[e]
    x, v = chord(nodes, i, i + 1), chord(velocity, i, i + 1)
    per_h = 1.0 / cable.h[e]
    on_g, on_p, on_q = ZERO_3, ZERO_3, ZERO_3
    gg, gp, pp, gq, pq, qq = ZERO_9, ZERO_9, ZERO_9, ZERO_9, ZERO_9, ZERO_9
    for k in range(cable.xi.size):
        _, p, g, q = shape_d1(cable.xi[k], 1.0)
        g *= per_h
        t, N, N_a, N_v, inverse, u = _pull(
            slope(g, p, q, x), slope(g, p, q, v), row, k, cable, activation[e]
        )
        w = cable.weight[row, k]
        on_g = add_3(on_g, w * N * g, t)
        on_p = add_3(on_p, w * N * p, t)
        on_q = add_3(on_q, w * N * q, t)
        if tangent:
            # w D = turning (I - t t) + t (along t + across u)
            turning = w * cx * N * inverse
            along = w * (cx * N_a + cv * N_v)
            across = w * cx * N_v
            s = combine_3(along - turning, t, across, u)
            D = (
                turning + t[0] * s[0], t[1] * s[0], t[2] * s[0],
                t[0] * s[1], turning + t[1] * s[1], t[2] * s[1],
                t[0] * s[2], t[1] * s[2], turning + t[2] * s[2],
            )  # fmt: skip
            gg, gp, pp = add_9(gg, g * g, D), add_9(gp, g * p, D), add_9(pp, p * p, D)
            gq, pq, qq = add_9(gq, g * q, D), add_9(pq, p * q, D), add_9(qq, q * q, D)
    return (on_g, on_p, on_q), (gg, gp, pp, gq, pq, qq)


@kernel
def element_tangent(nodes, velocity, e, cable, activation, cx, cv, force, K):
    """One element's nodal force and stiffness.

    Fills ``force`` (4, 3), the force on (x_i, x,theta_i, x_j, x,theta_j), and ``K``
    (2, 3, 6, 6), minus the derivative of that force, cx times that in position plus cv times that
    in velocity, as `fibermsk.linalg.lines` has a line of two nodes.
    """
    (on_g, on_p, on_q), (gg, gp, pp, gq, pq, qq) = _integrate(
        nodes, velocity, e, cable, activation, cx, cv, True
    )
    for r in range(3):
        force[0, r], force[1, r] = on_g[r], -on_p[r]
        force[2, r], force[3, r] = -on_g[r], -on_q[r]
    K[:] = 0.0
    massless = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    add_stiffness(K, plain(0), gg, gp, gp, pp, gq, gq, pq, pq, qq, massless)


@inlined
def _add_residual(acceleration, i, row, M, integrals, residual):
    """Add inertia of a row of masses, and the integrals of N t with the slopes (-g, p, g, q)."""
    on_g, on_p, on_q = integrals
    for r in range(3):
        a0, a1 = acceleration[i, r], acceleration[i, 3 + r]
        a2, a3 = acceleration[i + 1, r], acceleration[i + 1, 3 + r]
        m = M[row, 0, 0] * a0 + M[row, 0, 1] * a1 + M[row, 0, 2] * a2 + M[row, 0, 3] * a3
        residual[i, r] += m - on_g[r]
        m = M[row, 1, 0] * a0 + M[row, 1, 1] * a1 + M[row, 1, 2] * a2 + M[row, 1, 3] * a3
        residual[i, 3 + r] += m + on_p[r]
        m = M[row, 2, 0] * a0 + M[row, 2, 1] * a1 + M[row, 2, 2] * a2 + M[row, 2, 3] * a3
        residual[i + 1, r] += m + on_g[r]
        m = M[row, 3, 0] * a0 + M[row, 3, 1] * a1 + M[row, 3, 2] * a2 + M[row, 3, 3] * a3
        residual[i + 1, 3 + r] += m + on_q[r]


@inlined
def add_residual(e, nodes, velocity, acceleration, cable, activation, residual):
    """Add inertia minus internal force of one element; see `assemble_cable`."""
    integrals, _ = _integrate(nodes, velocity, e, cable, activation, 0.0, 0.0, False)
    i, row = cable.elements[e, 0], cable.row_of[e]
    _add_residual(acceleration, i, row, cable.mass, integrals, residual)


@inlined
def add_tangent(e, nodes, velocity, acceleration, cable, activation, cx, cv, ca, residual, lines):
    """Add inertia minus internal force of one element, and their tangent."""
    i, row, mass = cable.elements[e, 0], cable.row_of[e], cable.mass
    integrals, (gg, gp, pp, gq, pq, qq) = _integrate(
        nodes, velocity, e, cable, activation, cx, cv, True
    )
    _add_residual(acceleration, i, row, mass, integrals, residual)
    inertia = (
        ca * mass[row, 0, 0], ca * mass[row, 0, 1], ca * mass[row, 0, 2], ca * mass[row, 0, 3],
        ca * mass[row, 1, 1], ca * mass[row, 1, 2], ca * mass[row, 1, 3],
        ca * mass[row, 2, 2], ca * mass[row, 2, 3], ca * mass[row, 3, 3],
    )  # fmt: skip
    # D is not symmetric, but each integral of it serves both orders of its slopes
    add_stiffness(lines, i, gg, gp, gp, pp, gq, gq, pq, pq, qq, inertia)


@kernel
def fiber_residual(f, element_start, nodes, velocity, acceleration, cable, activation, residual):
    """Add inertia minus internal force of one fiber's elements; see `assemble_cable`."""
    for e in range(element_start[f], element_start[f + 1]):
        add_residual(e, nodes, velocity, acceleration, cable, activation, residual)


@kernel
def fiber_tangent(
    f, element_start, nodes, velocity, acceleration, cable, activation, cx, cv, ca, residual, lines
):
    """Add inertia minus internal force of one fiber's elements, and their tangent."""
    for e in range(element_start[f], element_start[f + 1]):
        add_tangent(
            e, nodes, velocity, acceleration, cable, activation, cx, cv, ca, residual, lines
        )


@parallel("element_start", least=64)
def cable_residual(element_start, nodes, velocity, acceleration, cable, activation, residual):
    """Add inertia minus internal force to `residual`: `assemble_cable` without the tangent."""
    for f in prange(element_start.size - 1):
        fiber_residual(f, element_start, nodes, velocity, acceleration, cable, activation, residual)


@parallel("element_start", least=64)
def assemble_cable(
    element_start, nodes, velocity, acceleration, cable, activation, cx, cv, ca, residual, lines
):
    """Add inertia minus internal force to `residual` (n_nodes, 6), and its tangent to `lines`.

    cx, cv, ca: derivatives of position, velocity and acceleration in the unknowns; ``lines``
    (n_nodes, 3, 6, 6): see `fibermsk.linalg.lines`.
    """
    for f in prange(element_start.size - 1):
        fiber_tangent(
            f, element_start, nodes, velocity, acceleration, cable, activation, cx, cv, ca,
            residual, lines,
        )  # fmt: skip


@kernel
def cable_mass(elements, h, xi, weight, line_density, mass):
    """Fill the scalar element mass matrices (n_elements, 4, 4).

    line_density (n_elements, n_points): mass per theta, rho A0 |X,theta| [kg].
    """
    mass[:] = 0.0
    for e in range(elements.shape[0]):
        for k in range(xi.size):
            n = shape(xi[k], h[e])
            for a in range(4):
                for b in range(4):
                    mass[e, a, b] += weight[e, k] * line_density[e, k] * n[a] * n[b]


@kernel
def line_load_force(elements, h, xi, weight, load, force):
    """Add the nodal force (n_nodes, 6) of a load per theta, (n_elements, n_points, 3) [N]."""
    for e in range(elements.shape[0]):
        for k in range(xi.size):
            n = shape(xi[k], h[e])
            for a in range(4):
                for r in range(3):
                    force[elements[e, a // 2], 3 * (a % 2) + r] += (
                        weight[e, k] * n[a] * load[e, k, r]
                    )


@kernel
def cable_energy(nodes, cable):
    """Stored energy of the passive and prestress parts [J]."""
    total = 0.0
    for e in range(cable.elements.shape[0]):
        for k in range(cable.xi.size):
            _, p, g, q = shape_d1(cable.xi[k], cable.h[e])
            a1 = slope(g, p, q, chord(nodes, cable.elements[e, 0], cable.elements[e, 1]))
            row = cable.row_of[e]
            G0 = cable.G0[row, k]
            energy = law_energy(math.sqrt(dot(a1, a1)) / G0, cable.law, row, k)
            total += cable.weight[row, k] * cable.area[row, k] * G0 * energy
    return total


@kernel
def least_force(f, element_start, nodes, velocity, cable, activation, least, element):
    """Fill the least axial force [N] of any element of fiber f, and the element.

    The force of an element is its mean with the weights 6 xi (1 - xi), which equilibrium
    determines. NaN counts as the least.
    """
    smallest = math.inf
    for e in range(element_start[f], element_start[f + 1]):
        i, row = cable.elements[e, 0], cable.row_of[e]
        x, v = chord(nodes, i, i + 1), chord(velocity, i, i + 1)
        mean = 0.0
        for k in range(cable.xi.size):
            _, p, g, q = shape_d1(cable.xi[k], cable.h[e])
            _, N, _, _, _, _ = _pull(
                slope(g, p, q, x), slope(g, p, q, v), row, k, cable, activation[e]
            )
            mean += cable.weight[row, k] * g * N
        if not mean >= smallest:
            smallest = mean
            element[f] = e
            if mean != mean:
                least[f] = mean
                return
    least[f] = smallest


@kernel
def least_forces(element_start, nodes, velocity, cable, activation, least, element):
    """Fill the least axial force [N] of any element of every fiber, and the element."""
    for f in range(least.size):
        least_force(f, element_start, nodes, velocity, cable, activation, least, element)


@kernel
def sample_cable(nodes, velocity, cable, activation, stretch, force, power):
    """Fill stretch [-], axial force [N] and viscous power per theta [W], (n_elements, n_points).

    The points may be any; weights and masses are not used.
    """
    for e in range(cable.elements.shape[0]):
        i, j, row = cable.elements[e, 0], cable.elements[e, 1], cable.row_of[e]
        for k in range(cable.xi.size):
            _, p, g, q = shape_d1(cable.xi[k], cable.h[e])
            a1, a1_dot = slope(g, p, q, chord(nodes, i, j)), slope(g, p, q, chord(velocity, i, j))
            length, G0, A0 = math.sqrt(dot(a1, a1)), cable.G0[row, k], cable.area[row, k]
            stretch[e, k], rate = length / G0, dot(a1, a1_dot) / (length * G0)
            P, _, dP_drate = law_stress(stretch[e, k], rate, activation[e], cable.law, row, k)
            force[e, k] = A0 * P
            power[e, k] = A0 * G0 * dP_drate * rate * rate

"""Internal force, tangent, mass and energy of cable elements.

Symbols: ``a1`` = x,theta, ``a1_dot`` its rate, ``G0`` = |X,theta|, ``A0`` reference cross-section
area, ``P`` nominal axial stress (force per reference area), ``N`` = A0 P axial force, ``t`` =
a1/|a1|. The virtual work of one fiber is the integral of N t . xi,theta over theta; the force on
the nodes is its negative. Sources: Gfrerer and Simeon (2021) eqs. 30-38, with the active and
prestress parts in the form that does not depend on the parametrization.

Quadrature arrays, per element and point: ``weight`` (quadrature weight times h), ``area`` A0,
``G0``, ``law`` (n_elements, n_points, 7) constants of `fibermsk.laws.stress.nominal_stress`; ``xi``
(n_points,).
"""

from __future__ import annotations

import math

from fibermsk.kernels._compile import kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.shape import shape, shape_d1
from fibermsk.laws.stress import nominal_stress, stored_energy

__all__ = [
    "add_element_matrix",
    "assemble_cable",
    "cable_energy",
    "cable_mass",
    "element_tangent",
    "line_load_force",
    "sample_cable",
]

_stress = kernel(nominal_stress)
_energy = kernel(stored_energy)


@kernel
def _strain(nodes, i, j, d1, G0):
    """Tangent vector, its length and the stretch at one quadrature point."""
    ax = d1[0] * nodes[i, 0] + d1[1] * nodes[i, 3] + d1[2] * nodes[j, 0] + d1[3] * nodes[j, 3]
    ay = d1[0] * nodes[i, 1] + d1[1] * nodes[i, 4] + d1[2] * nodes[j, 1] + d1[3] * nodes[j, 4]
    az = d1[0] * nodes[i, 2] + d1[1] * nodes[i, 5] + d1[2] * nodes[j, 2] + d1[3] * nodes[j, 5]
    length = math.sqrt(ax * ax + ay * ay + az * az)
    return ax, ay, az, length, length / G0


@kernel
def element_tangent(
    nodes, velocity, i, j, h, xi, weight, area, G0, law, activation, cx, cv, force, K
):
    """One element's nodal force and stiffness.

    Adds nothing: fills ``force`` (4, 3), the force on (x_i, x,theta_i, x_j, x,theta_j), and ``K``
    (12, 12), minus the derivative of that force: cx times that in position plus cv times that in
    velocity.
    """
    force[:] = 0.0
    K[:] = 0.0
    t, u, D = scratch(3), scratch(3), scratch((3, 3))
    for k in range(xi.size):
        d1 = shape_d1(xi[k], h)
        ax, ay, az, length, stretch = _strain(nodes, i, j, d1, G0[k])
        bx, by, bz, _, _ = _strain(velocity, i, j, d1, G0[k])
        t[0], t[1], t[2] = ax / length, ay / length, az / length
        rate_length = t[0] * bx + t[1] * by + t[2] * bz
        # u = (I - t t) a1_dot / |a1|: how the stretch rate varies when the tangent turns
        u[0] = (bx - t[0] * rate_length) / length
        u[1] = (by - t[1] * rate_length) / length
        u[2] = (bz - t[2] * rate_length) / length
        P, dP_dstretch, dP_drate = _stress(
            stretch, rate_length / G0[k], activation,
            law[k, 0], law[k, 1], law[k, 2], law[k, 3], law[k, 4], law[k, 5], law[k, 6],
        )  # fmt: skip
        N = area[k] * P
        N_a = area[k] * dP_dstretch / G0[k]
        N_v = area[k] * dP_drate / G0[k]
        for r in range(3):
            for c in range(3):
                projector = -t[r] * t[c] / length
                if r == c:
                    projector += 1.0 / length
                D[r, c] = cx * (t[r] * (N_a * t[c] + N_v * u[c]) + N * projector)
                D[r, c] += cv * N_v * t[r] * t[c]
        for a in range(4):
            wa = weight[k] * d1[a]
            for r in range(3):
                force[a, r] -= wa * N * t[r]
            for b in range(4):
                wab = wa * d1[b]
                for r in range(3):
                    for c in range(3):
                        K[3 * a + r, 3 * b + c] += wab * D[r, c]


@kernel
def add_element_matrix(K, base, stride, data):
    """Add an element's (12, 12) matrix to the matrix entries; base, stride (2, 2): its blocks."""
    for p in range(2):
        for q in range(2):
            start, step = base[p, q], stride[p, q]
            for c in range(6):
                for r in range(6):
                    data[start + c * step + r] += K[6 * p + r, 6 * q + c]


@kernel
def assemble_cable(
    nodes, velocity, acceleration, elements, h, xi, weight, area, G0, law, activation, mass,
    cx, cv, ca, base, stride, residual, data,
):  # fmt: skip
    """Add inertia minus internal force to `residual`, and its tangent to the matrix entries `data`.

    ``activation`` (n_elements,); ``mass`` (n_elements, 4, 4) scalar element mass matrices; cx, cv,
    ca: what an increment of the unknowns does to position, velocity and acceleration; ``base``,
    ``stride`` (n_elements, 2, 2): where the 6 x 6 blocks lie in ``data`` (column after column).
    residual (n_nodes, 6).
    """
    force, K = scratch((4, 3)), scratch((12, 12))
    for e in range(elements.shape[0]):
        i, j = elements[e, 0], elements[e, 1]
        element_tangent(
            nodes, velocity, i, j, h[e], xi, weight[e], area[e], G0[e], law[e], activation[e],
            cx, cv, force, K,
        )  # fmt: skip
        for a in range(4):
            na, ca0 = elements[e, a // 2], 3 * (a % 2)
            for r in range(3):
                inertia = 0.0
                for b in range(4):
                    nb, cb0 = elements[e, b // 2], 3 * (b % 2)
                    inertia += mass[e, a, b] * acceleration[nb, cb0 + r]
                    K[3 * a + r, 3 * b + r] += ca * mass[e, a, b]
                residual[na, ca0 + r] += inertia - force[a, r]
        add_element_matrix(K, base[e], stride[e], data)


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
def cable_energy(nodes, elements, h, xi, weight, area, G0, law):
    """Stored energy of the passive and prestress parts [J]."""
    total = 0.0
    for e in range(elements.shape[0]):
        for k in range(xi.size):
            d1 = shape_d1(xi[k], h[e])
            _, _, _, _, stretch = _strain(nodes, elements[e, 0], elements[e, 1], d1, G0[e, k])
            total += (
                weight[e, k] * area[e, k] * G0[e, k] * _energy(stretch, law[e, k, 0], law[e, k, 6])
            )
    return total


@kernel
def sample_cable(
    nodes, velocity, first, second, h, xi, area, G0, law, activation, stretch, force, power
):
    """Fill stretch [-], axial force [N] and viscous power per theta [W] at sample points.

    Sample ``s`` lies at xi[s] of the element between nodes first[s] and second[s] of length h[s].
    """
    for s in range(xi.size):
        d1 = shape_d1(xi[s], h[s])
        ax, ay, az, length, lam = _strain(nodes, first[s], second[s], d1, G0[s])
        bx, by, bz, _, _ = _strain(velocity, first[s], second[s], d1, G0[s])
        rate = (ax * bx + ay * by + az * bz) / (length * G0[s])
        P, _, dP_drate = _stress(
            lam, rate, activation[s],
            law[s, 0], law[s, 1], law[s, 2], law[s, 3], law[s, 4], law[s, 5], law[s, 6],
        )  # fmt: skip
        stretch[s] = lam
        force[s] = area[s] * P
        power[s] = area[s] * G0[s] * dP_drate * rate * rate

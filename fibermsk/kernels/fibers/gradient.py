"""Gradient of the stretch along fibers: energy, nodal force and tangent.

With a1 = x,theta, a2 = x,theta,theta, G0 = |X,theta| and the stretch |a1| / G0, the energy is the
integral of A0 S l_g^2 (stretch,theta)^2 / (2 G0) over theta;

stretch,theta = e = t . a2 / G0 - turn |a1|,   t = a1 / |a1|,   turn = G0,theta / G0^2.

``stiffness`` (n_elements, n_points) is A0 S l_g^2 / G0 [N m], zero on elements without; ``turn``
[1/m]; the other arrays are those of `fibermsk.kernels.fibers.cable`.
"""

from __future__ import annotations

import math

from numba import prange

from fibermsk._compile import inlined, kernel, parallel
from fibermsk.kernels.fibers.element import (
    ZERO_3,
    ZERO_9,
    add_3,
    add_9,
    add_integrals,
    add_stiffness,
    chord,
    combine_3,
    combine_9,
    dot,
    outer,
    scale_3,
    slope,
    transposed,
    unit,
)
from fibermsk.kernels.fibers.shape import shape_d1, shape_d2


@kernel
def gradient_energy(nodes, elements, h, xi, weight, G0, turn, stiffness):
    """Energy of all elements [J]."""
    total = 0.0
    for e in range(elements.shape[0]):
        if stiffness[e].any():
            x = chord(nodes, elements[e, 0], elements[e, 1])
            for k in range(xi.size):
                _, p1, g1, q1 = shape_d1(xi[k], h[e])
                _, p2, g2, q2 = shape_d2(xi[k], h[e])
                a1, a2 = slope(g1, p1, q1, x), slope(g2, p2, q2, x)
                length = math.sqrt(dot(a1, a1))
                change = dot(a1, a2) / (length * G0[e, k]) - turn[e, k] * length
                total += 0.5 * weight[e, k] * stiffness[e, k] * change * change
    return total


@inlined
def _integrate(nodes, i, e, h, xi, weight, G0, turn, stiffness, tangent):
    """Integrals over an element of the energy's gradient and Hessian, with the shapes' slopes.

    As in `fibermsk.kernels.fibers.bending`.
    """
    x = chord(nodes, i, i + 1)
    on_g, on_p, on_q = ZERO_3, ZERO_3, ZERO_3
    gg, gp, pp, gq, pq, qq = ZERO_9, ZERO_9, ZERO_9, ZERO_9, ZERO_9, ZERO_9
    for k in range(xi.size):
        _, p1, g1, q1 = shape_d1(xi[k], h[e])
        _, p2, g2, q2 = shape_d2(xi[k], h[e])
        a1, a2 = slope(g1, p1, q1, x), slope(g2, p2, q2, x)
        length = math.sqrt(dot(a1, a1))
        r, per_G0 = 1.0 / length, 1.0 / G0[e, k]
        t = scale_3(r, a1)
        m = dot(t, a2)
        n = combine_3(1.0, a2, -m, t)
        change = m * per_G0 - turn[e, k] * length
        w = weight[e, k] * stiffness[e, k]
        # slopes of e in a1 and a2
        e1, e2 = combine_3(r * per_G0, n, -turn[e, k], t), scale_3(per_G0, t)
        f_1, f_2 = scale_3(w * change, e1), scale_3(w * change, e2)
        on_g = add_3(add_3(on_g, g1, f_1), g2, f_2)
        on_p = add_3(add_3(on_p, p1, f_1), p2, f_2)
        on_q = add_3(add_3(on_q, q1, f_1), q2, f_2)
        if tangent:
            # with P = I - t t^T the second slopes of e are -(n t^T + t n^T + m P) / (G0 |a1|^2)
            # - turn P / |a1| in a1, and P / (G0 |a1|) in a1 and a2
            bent = -w * change * r * r * per_G0
            across = m * bent - w * change * turn[e, k] * r
            H11 = outer(outer(unit(across), scale_3(bent, n), t), scale_3(bent, t), n)
            H11 = outer(outer(H11, scale_3(-across, t), t), scale_3(w, e1), e1)
            mixed = w * change * r * per_G0
            H12 = outer(outer(unit(mixed), scale_3(-mixed, t), t), scale_3(w, e1), e2)
            H22 = outer(ZERO_9, scale_3(w, e2), e2)
            H21 = transposed(H12)
            in_a1, in_a2 = combine_9(g1, H11, g2, H21), combine_9(g1, H12, g2, H22)
            gg = add_9(add_9(gg, g1, in_a1), g2, in_a2)
            gp = add_9(add_9(gp, p1, in_a1), p2, in_a2)
            gq = add_9(add_9(gq, q1, in_a1), q2, in_a2)
            in_a1, in_a2 = combine_9(p1, H11, p2, H21), combine_9(p1, H12, p2, H22)
            pp = add_9(add_9(pp, p1, in_a1), p2, in_a2)
            pq = add_9(add_9(pq, q1, in_a1), q2, in_a2)
            in_a1, in_a2 = combine_9(q1, H11, q2, H21), combine_9(q1, H12, q2, H22)
            qq = add_9(add_9(qq, q1, in_a1), q2, in_a2)
    return (on_g, on_p, on_q), (gg, gp, pp, gq, pq, qq)


@kernel
def fiber_residual(f, element_start, nodes, elements, h, xi, weight, G0, turn, stiffness, residual):
    """Add minus the nodal force of one fiber's elements; see `assemble_gradient`."""
    for e in range(element_start[f], element_start[f + 1]):
        if stiffness[e].any():
            i = elements[e, 0]
            integrals, _ = _integrate(nodes, i, e, h, xi, weight, G0, turn, stiffness, False)
            add_integrals(i, integrals, residual)


@kernel
def fiber_tangent(
    f, element_start, nodes, elements, h, xi, weight, G0, turn, stiffness, residual, lines
):
    """Add minus the nodal force of one fiber's elements, and its derivative."""
    massless = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for e in range(element_start[f], element_start[f + 1]):
        if stiffness[e].any():
            i = elements[e, 0]
            integrals, (gg, gp, pp, gq, pq, qq) = _integrate(
                nodes, i, e, h, xi, weight, G0, turn, stiffness, True
            )
            add_integrals(i, integrals, residual)
            add_stiffness(
                lines, i, gg, gp, transposed(gp), pp, gq, transposed(gq), pq, transposed(pq), qq,
                massless,
            )  # fmt: skip


@parallel("element_start", least=64)
def gradient_residual(element_start, nodes, elements, h, xi, weight, G0, turn, stiffness, residual):
    """Add minus the nodal force to `residual`: `assemble_gradient` without the derivative."""
    for f in prange(element_start.size - 1):
        fiber_residual(
            f, element_start, nodes, elements, h, xi, weight, G0, turn, stiffness, residual
        )


@parallel("element_start", least=64)
def assemble_gradient(
    element_start, nodes, elements, h, xi, weight, G0, turn, stiffness, residual, lines
):
    """Add minus the nodal force to `residual` (n_nodes, 6), its derivative to `lines`.

    ``element_start`` (n_fibers + 1,): first element of each fiber; ``lines`` (n_nodes, 3, 6, 6):
    see `fibermsk.linalg.lines`.
    """
    for f in prange(element_start.size - 1):
        fiber_tangent(
            f, element_start, nodes, elements, h, xi, weight, G0, turn, stiffness, residual, lines
        )

"""Bending of fibers: energy, nodal force and tangent.

A solid round fiber resists curvature. With the unit tangent t = a1 / |a1| of the centerline, a1 =
x,theta and a2 = x,theta,theta, its energy is the integral of B |t,s|^2 / 2 over the reference
length s, where

|t,theta|^2 = (|a1|^2 |a2|^2 - (a1 . a2)^2) / |a1|^4.

This is a Kirchhoff rod, straight in its reference configuration and free to twist (Meier, Popp and
Wall, Computer Methods in Applied Mechanics and Engineering 290 (2015), 314-341), on the same cubic
elements: their continuous tangent makes the energy finite. `stiffness` (n_rows, n_points) is B /
|X,theta| [N m]; the other arrays are those of `fibermsk.kernels.fibers.cable`.
"""

from __future__ import annotations

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
def bending_energy(nodes, bent, elements, h, xi, row_of, weight, stiffness):
    """Energy of the elements `bent` [J]."""
    total = 0.0
    for e in bent:
        x, row = chord(nodes, elements[e, 0], elements[e, 1]), row_of[e]
        for k in range(xi.size):
            _, p1, g1, q1 = shape_d1(xi[k], h[e])
            _, p2, g2, q2 = shape_d2(xi[k], h[e])
            a1, a2 = slope(g1, p1, q1, x), slope(g2, p2, q2, x)
            s, p, q = dot(a1, a1), dot(a1, a2), dot(a2, a2)
            total += 0.5 * weight[row, k] * stiffness[row, k] * (s * q - p * p) / (s * s)
    return total


@inlined
def _integrate(nodes, i, e, h, xi, row_of, weight, stiffness, tangent):
    """Integrals over an element of the energy's gradient and Hessian, with the shapes' slopes.

    These are (-g, p, g, q), first and second derivatives. Returns the integrals with g, p and q,
    and those with g g, g p, p p, g q, p q and q q; a constant `tangent` that is false leaves out
    the latter.
    """
    x, of = chord(nodes, i, i + 1), row_of[e]
    per_h = 1.0 / h[e]
    on_g, on_p, on_q = ZERO_3, ZERO_3, ZERO_3
    gg, gp, pp, gq, pq, qq = ZERO_9, ZERO_9, ZERO_9, ZERO_9, ZERO_9, ZERO_9
    for k in range(xi.size):
        _, p1, g1, q1 = shape_d1(xi[k], 1.0)
        _, p2, g2, q2 = shape_d2(xi[k], 1.0)
        g1, p2, q2 = g1 * per_h, p2 * per_h, q2 * per_h
        g2 *= per_h * per_h
        a1, a2 = slope(g1, p1, q1, x), slope(g2, p2, q2, x)
        s, p, q = dot(a1, a1), dot(a1, a2), dot(a2, a2)
        w = weight[of, k] * stiffness[of, k]
        # w times the slopes of f = (s q - p^2) / (2 s^2)
        r = 1.0 / s
        f_s, f_p, f_q = w * (p * p * r - 0.5 * q) * r * r, -w * p * r * r, 0.5 * w * r
        f_1, f_2 = combine_3(2.0 * f_s, a1, f_p, a2), combine_3(f_p, a1, 2.0 * f_q, a2)
        on_g = add_3(add_3(on_g, g1, f_1), g2, f_2)
        on_p = add_3(add_3(on_p, p1, f_1), p2, f_2)
        on_q = add_3(add_3(on_q, q1, f_1), q2, f_2)
        if tangent:
            f_ss, f_sp = w * (q - 3.0 * p * p * r) * r * r * r, 2.0 * w * p * r * r * r
            f_sq, f_pp = -0.5 * w * r * r, -w * r * r
            # second derivatives in a1 and a2: H11 (a1, a1), H12 (a1, a2), H22 (a2, a2)
            row = combine_3(2.0 * f_sp, a1, f_pp, a2)
            H11 = outer(unit(2.0 * f_s), combine_3(4.0 * f_ss, a1, 2.0 * f_sp, a2), a1)
            H11 = outer(H11, row, a2)
            H12 = outer(outer(unit(f_p), row, a1), a1, scale_3(4.0 * f_sq, a2))
            H22 = outer(unit(2.0 * f_q), a1, scale_3(f_pp, a1))
            H21 = transposed(H12)
            # rows with g, p, q times the columns of a1 and of a2
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


@inlined
def add_residual(e, nodes, elements, h, xi, row_of, weight, stiffness, residual):
    """Add minus the nodal force of one element; see `assemble_bending`."""
    i = elements[e, 0]
    integrals, _ = _integrate(nodes, i, e, h, xi, row_of, weight, stiffness, False)
    add_integrals(i, integrals, residual)


@inlined
def add_tangent(e, nodes, elements, h, xi, row_of, weight, stiffness, residual, lines):
    """Add minus the nodal force of one element, and its derivative."""
    i = elements[e, 0]
    integrals, (gg, gp, pp, gq, pq, qq) = _integrate(
        nodes, i, e, h, xi, row_of, weight, stiffness, True
    )
    add_integrals(i, integrals, residual)
    massless = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    add_stiffness(
        lines, i, gg, gp, transposed(gp), pp, gq, transposed(gq), pq, transposed(pq), qq,
        massless,
    )  # fmt: skip


@kernel
def fiber_residual(f, element_start, nodes, elements, h, xi, row_of, weight, stiffness, residual):
    """Add minus the nodal force of one fiber's elements; see `assemble_bending`."""
    for e in range(element_start[f], element_start[f + 1]):
        if stiffness[row_of[e], 0] != 0.0:
            add_residual(e, nodes, elements, h, xi, row_of, weight, stiffness, residual)


@kernel
def fiber_tangent(
    f, element_start, nodes, elements, h, xi, row_of, weight, stiffness, residual, lines
):
    """Add minus the nodal force of one fiber's elements, and its derivative."""
    for e in range(element_start[f], element_start[f + 1]):
        if stiffness[row_of[e], 0] != 0.0:
            add_tangent(e, nodes, elements, h, xi, row_of, weight, stiffness, residual, lines)


@parallel("element_start", least=64)
def bending_residual(element_start, nodes, elements, h, xi, row_of, weight, stiffness, residual):
    """Add minus the nodal force to `residual`: `assemble_bending` without the derivative."""
    for f in prange(element_start.size - 1):
        fiber_residual(
            f, element_start, nodes, elements, h, xi, row_of, weight, stiffness, residual
        )


@parallel("element_start", least=64)
def assemble_bending(
    element_start, nodes, elements, h, xi, row_of, weight, stiffness, residual, lines
):  # fmt: skip
    """Add minus the nodal force to `residual` (n_nodes, 6), its derivative to `lines`.

    ``element_start`` (n_fibers + 1,): first element of each fiber, whose elements are left out if
    they have no stiffness; ``lines`` (n_nodes, 3, 6, 6): see `fibermsk.linalg.lines`.
    """
    for f in prange(element_start.size - 1):
        fiber_tangent(
            f, element_start, nodes, elements, h, xi, row_of, weight, stiffness, residual, lines
        )

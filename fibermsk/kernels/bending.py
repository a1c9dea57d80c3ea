"""Bending of fibers: energy, nodal force and tangent.

A solid round fiber resists curvature. With the unit tangent t = a1 / |a1| of the centerline, a1 =
x,theta and a2 = x,theta,theta, its energy is the integral of B |t,s|^2 / 2 over the reference
length s, where

|t,theta|^2 = (|a1|^2 |a2|^2 - (a1 . a2)^2) / |a1|^4.

That is the Kirchhoff rod that is straight at rest and free to twist (Meier, Popp and Wall, Computer
Methods in Applied Mechanics and Engineering 290 (2015), 314-341), on the same cubic elements: their
continuous tangent makes the energy finite. `stiffness` (n_elements, n_points) is B / |X,theta|
[N m]; the other arrays are those of `fibermsk.kernels.cable`.
"""

from __future__ import annotations

import numpy as np

from fibermsk.kernels._compile import kernel
from fibermsk.kernels.cable import add_element_matrix
from fibermsk.kernels.shape import shape_d1, shape_d2

__all__ = ["assemble_bending", "bending_energy"]


@kernel
def _derivatives(nodes, i, j, d1, d2, a1, a2):
    """Fill a1 and a2; returns their products s = a1.a1, p = a1.a2 and q = a2.a2."""
    s, p, q = 0.0, 0.0, 0.0
    for c in range(3):
        a1[c] = (
            d1[0] * nodes[i, c]
            + d1[1] * nodes[i, 3 + c]
            + d1[2] * nodes[j, c]
            + d1[3] * nodes[j, 3 + c]
        )
        a2[c] = (
            d2[0] * nodes[i, c]
            + d2[1] * nodes[i, 3 + c]
            + d2[2] * nodes[j, c]
            + d2[3] * nodes[j, 3 + c]
        )
        s += a1[c] * a1[c]
        p += a1[c] * a2[c]
        q += a2[c] * a2[c]
    return s, p, q


@kernel
def bending_energy(nodes, bent, elements, h, xi, weight, stiffness):
    """Energy of the elements `bent` [J]."""
    a1, a2 = np.empty(3), np.empty(3)
    total = 0.0
    for e in bent:
        for k in range(xi.size):
            d1, d2 = shape_d1(xi[k], h[e]), shape_d2(xi[k], h[e])
            s, p, q = _derivatives(nodes, elements[e, 0], elements[e, 1], d1, d2, a1, a2)
            total += 0.5 * weight[e, k] * stiffness[e, k] * (s * q - p * p) / (s * s)
    return total


@kernel
def assemble_bending(nodes, bent, elements, h, xi, weight, stiffness, base, stride, residual, data):
    """Add minus the nodal force of the elements `bent` to `residual`, its derivative to `data`.

    residual (n_nodes, 6); ``base``, ``stride`` (n_elements, 2, 2): where the 6 x 6 blocks lie in
    ``data`` (column after column).
    """
    a1, a2 = np.empty(3), np.empty(3)
    g1, g2 = np.empty(3), np.empty(3)
    H11, H12, H22 = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    K = np.empty((12, 12))
    for e in bent:
        i, j = elements[e, 0], elements[e, 1]
        K[:] = 0.0
        for k in range(xi.size):
            d1, d2 = shape_d1(xi[k], h[e]), shape_d2(xi[k], h[e])
            s, p, q = _derivatives(nodes, i, j, d1, d2, a1, a2)
            # slopes of f = (s q - p^2) / (2 s^2)
            r = 1.0 / s
            f_s, f_p, f_q = (p * p * r - 0.5 * q) * r * r, -p * r * r, 0.5 * r
            f_ss, f_sp = (q - 3.0 * p * p * r) * r * r * r, 2.0 * p * r * r * r
            f_sq, f_pp = -0.5 * r * r, -r * r
            for m in range(3):
                g1[m] = 2.0 * f_s * a1[m] + f_p * a2[m]
                g2[m] = f_p * a1[m] + 2.0 * f_q * a2[m]
                for n in range(3):
                    mixed = a1[m] * a2[n] + a2[m] * a1[n]
                    H11[m, n] = 4.0 * f_ss * a1[m] * a1[n] + 2.0 * f_sp * mixed
                    H11[m, n] += f_pp * a2[m] * a2[n]
                    H12[m, n] = 2.0 * f_sp * a1[m] * a1[n] + 4.0 * f_sq * a1[m] * a2[n]
                    H12[m, n] += f_pp * a2[m] * a1[n]
                    H22[m, n] = f_pp * a1[m] * a1[n]
                H11[m, m] += 2.0 * f_s
                H12[m, m] += f_p
                H22[m, m] += 2.0 * f_q
            w = weight[e, k] * stiffness[e, k]
            for a in range(4):
                node, at = elements[e, a // 2], 3 * (a % 2)
                for m in range(3):
                    residual[node, at + m] += w * (d1[a] * g1[m] + d2[a] * g2[m])
                for b in range(4):
                    w11, w12 = w * d1[a] * d1[b], w * d1[a] * d2[b]
                    w21, w22 = w * d2[a] * d1[b], w * d2[a] * d2[b]
                    for m in range(3):
                        for n in range(3):
                            K[3 * a + m, 3 * b + n] += (
                                w11 * H11[m, n]
                                + w12 * H12[m, n]
                                + w21 * H12[n, m]
                                + w22 * H22[m, n]
                            )
        add_element_matrix(K, base[e], stride[e], data)

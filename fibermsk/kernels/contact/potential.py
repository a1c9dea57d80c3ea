"""Contact from one potential for each pair, with exact gradient and second derivative.

The energy of a pair is the sum over both fibers of the integral of r0 Psi(g) |a1| over theta: each
fiber's quadrature points carry the share of their own reference radius, so that two equal
unstretched fibers repel each other with the line force F(g) of the penalty law, once. Here y is the
point where the gap g = d/(r_x + r_y) - 1 is least along the partner; by its stationarity the
gradient needs no derivative of that point. Against a bone the share is r0 + R.

The partner's radius along its element is r_y = r0 (s_a + (s_b - s_a) w) with the nodal factors
s = sqrt(|A1|/|a1|) of eq. 21 and the blend w = xi^2 (3 - 2 xi): it is exact at the nodes and,
unlike |y,theta|, has a continuous slope there, so that the least gap moves and the force changes
without jumps as the point passes a node.

Symbols as in `fibermsk.kernels.contact.contact`; ``z`` = (x, a1, y, t_a, t_b) the fifteen variables
of g at fixed parameter eta of the partner, t_a and t_b its nodal tangents.
"""

from __future__ import annotations

import math

from fibermsk._compile import body, kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.contact_law import law_energy, law_force


@kernel
def partner_curve(power, reference, radius_poly, h, xi, curve, ends):
    """Fill curve (3, 3) with y and two theta-derivatives, ends (2, 3) with the nodal tangents.

    Returns a tuple: radius r and its two theta-derivatives; r0 and its first; the factors s of both
    nodes; the blend w and its slope.
    """
    ta, tb, Ta, Tb = 0.0, 0.0, 0.0, 0.0
    for c in range(3):
        p1, p2, p3 = power[1, c], power[2, c], power[3, c]
        curve[0, c] = power[0, c] + xi * (p1 + xi * (p2 + xi * p3))
        curve[1, c] = (p1 + xi * (2.0 * p2 + 3.0 * xi * p3)) / h
        curve[2, c] = (2.0 * p2 + 6.0 * xi * p3) / (h * h)
        ends[0, c] = p1 / h
        ends[1, c] = (p1 + 2.0 * p2 + 3.0 * p3) / h
        ta += ends[0, c] * ends[0, c]
        tb += ends[1, c] * ends[1, c]
        Ta += (reference[1, c] / h) ** 2
        Tb += ((reference[1, c] + 2.0 * reference[2, c] + 3.0 * reference[3, c]) / h) ** 2
    r0, dr0, ddr0 = radius_poly[4], 0.0, 0.0
    for m in range(3, -1, -1):
        ddr0 = ddr0 * xi + 2.0 * dr0
        dr0 = dr0 * xi + r0
        r0 = r0 * xi + radius_poly[m]
    dr0 /= h
    ddr0 /= h * h
    sa, sb = math.sqrt(math.sqrt(Ta / ta)), math.sqrt(math.sqrt(Tb / tb))
    w, dw, ddw = xi * xi * (3.0 - 2.0 * xi), 6.0 * xi * (1.0 - xi) / h, (6.0 - 12.0 * xi) / (h * h)
    s, ds, dds = sa + (sb - sa) * w, (sb - sa) * dw, (sb - sa) * ddw
    r, dr = r0 * s, dr0 * s + r0 * ds
    ddr = ddr0 * s + 2.0 * dr0 * ds + r0 * dds
    return r, dr, ddr, r0, dr0, sa, sb, w, dw


@kernel
def _gap_along(x, r_x, curve, r, dr, ddr):
    """Gap along the partner and its first two derivatives in theta."""
    d, my, yy, myy = 0.0, 0.0, 0.0, 0.0
    for c in range(3):
        m, y1, y2 = curve[0, c] - x[c], curve[1, c], curve[2, c]
        d += m * m
        my += m * y1
        yy += y1 * y1
        myy += m * y2
    d = math.sqrt(d)
    dd = my / d
    ddd = (yy + myy - dd * dd) / d
    R = r_x + r
    dg = (dd - d / R * dr) / R
    return d / R - 1.0, dg, (ddd - d / R * ddr - 2.0 * dg * dr) / R


@body
def _add_radius_curvature(t, radius, d, R, at, dzz):
    """Add -d/R^2 times the second derivative of a part of the radii that goes with |t|^(-1/2)."""
    tt = t[0] * t[0] + t[1] * t[1] + t[2] * t[2]
    for r in range(3):
        for c in range(3):
            turn = 2.5 * t[r] * t[c] / tt
            if r == c:
                turn -= 1.0
            dzz[at + r, at + c] -= d / (R * R) * 0.5 * radius / tt * turn


@body
def fill_bone_gap(a1, r_x, d, slope, curvature, radius, dz, dzz):
    """Gap to a bone with its derivatives in z = (x, a1): dz (6,), dzz (6, 6).

    slope (3,), curvature (3, 3): first and second derivatives of the distance d in x; radius: of
    the bone.
    """
    aa = a1[0] * a1[0] + a1[1] * a1[1] + a1[2] * a1[2]
    R = r_x + radius
    R_a = scratch(3)
    for c in range(3):
        R_a[c] = -0.5 * r_x * a1[c] / aa
        dz[c] = slope[c] / R
        dz[3 + c] = -d / (R * R) * R_a[c]
    for r in range(3):
        for c in range(3):
            dzz[r, c] = curvature[r, c] / R
            dzz[r, 3 + c] = -slope[r] * R_a[c] / (R * R)
            dzz[3 + c, r] = dzz[r, 3 + c]
            dzz[3 + r, 3 + c] = 2.0 * d * R_a[r] * R_a[c] / (R * R * R)
    _add_radius_curvature(a1, r_x, d, R, 3, dzz)
    return d / R - 1.0


@body
def energy_terms(share, a1, g, law_constants, law, dz, dzz, gradient, hessian):
    """Energy share * Psi(g) * |a1| with its gradient and second derivative in z at fixed eta.

    Works for any number of z whose entries 3 to 5 are a1. Returns share * F * |a1|.
    """
    psi = law_energy(g, law_constants, law)
    F, dF = law_force(g, law_constants, law)
    n = dz.size
    j = math.sqrt(a1[0] * a1[0] + a1[1] * a1[1] + a1[2] * a1[2])
    for i in range(n):
        along = a1[i - 3] / j if 3 <= i < 6 else 0.0
        gradient[i] = share * (psi * along - j * F * dz[i])
        for k in range(n):
            across = a1[k - 3] / j if 3 <= k < 6 else 0.0
            value = -F * (along * dz[k] + dz[i] * across) - j * dF * dz[i] * dz[k]
            value -= j * F * dzz[i, k]
            if 3 <= i < 6 and 3 <= k < 6:
                turn = -along * across
                if i == k:
                    turn += 1.0
                value += psi * turn / j
            hessian[i, k] = share * value
    return share * F * j

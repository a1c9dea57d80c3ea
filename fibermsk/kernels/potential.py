"""Contact from one potential for each pair, with exact gradient and second derivative.

The energy of a pair is the sum over both fibers of the integral of r0 Psi(g) |a1| over theta: each
fiber's quadrature points carry the share of their own reference radius, so that two equal
unstretched fibers repel each other with the line force F(g) of the penalty law, once. Here y is
where the gap g = d/(r_x + r_y) - 1 is least along the partner, which is the closest point where the
partner's radius does not vary; by its stationarity the gradient needs no derivative of that point.
Against a bone the share is r0 + R.

Symbols as in `fibermsk.kernels.contact`; ``z`` = (x, a1, y, y,theta) the twelve numbers that g
depends on at fixed parameter eta of the partner; ``k`` = r0 sqrt(|A1|), so that a radius is k
|a1|^(-1/2).
"""

from __future__ import annotations

import math

import numpy as np

from fibermsk.kernels._compile import kernel
from fibermsk.laws.penalty import line_energy, line_force

__all__ = ["energy_terms", "fill_bone_gap", "fill_gap", "least_gap", "partner_curve"]

_line_force = kernel(line_force)
_line_energy = kernel(line_energy)

_MAX_ITERATIONS = 50


@kernel
def partner_curve(power, reference, radius_poly, h, xi, curve):
    """Fill curve (4, 3) with y and its theta-derivatives; returns k and two of its own."""
    AA, AB, BB, AC = 0.0, 0.0, 0.0, 0.0
    for c in range(3):
        p1, p2, p3 = power[1, c], power[2, c], power[3, c]
        curve[0, c] = power[0, c] + xi * (p1 + xi * (p2 + xi * p3))
        curve[1, c] = (p1 + xi * (2.0 * p2 + 3.0 * xi * p3)) / h
        curve[2, c] = (2.0 * p2 + 6.0 * xi * p3) / (h * h)
        curve[3, c] = 6.0 * p3 / (h * h * h)
        A = (reference[1, c] + xi * (2.0 * reference[2, c] + 3.0 * xi * reference[3, c])) / h
        B = (2.0 * reference[2, c] + 6.0 * xi * reference[3, c]) / (h * h)
        AA += A * A
        AB += A * B
        BB += B * B
        AC += A * 6.0 * reference[3, c] / (h * h * h)
    r0, dr0, ddr0 = radius_poly[4], 0.0, 0.0
    for m in range(3, -1, -1):
        ddr0 = ddr0 * xi + 2.0 * dr0
        dr0 = dr0 * xi + r0
        r0 = r0 * xi + radius_poly[m]
    dr0 /= h
    ddr0 /= h * h
    root = math.sqrt(math.sqrt(AA))
    q = AB / AA
    dq = (BB + AC) / AA - 2.0 * q * q
    droot = 0.5 * root * q
    ddroot = 0.5 * (droot * q + root * dq)
    return r0 * root, dr0 * root + r0 * droot, ddr0 * root + 2.0 * dr0 * droot + r0 * ddroot


@kernel
def _gap_slope(x, r_x, curve, k, dk, ddk):
    """Gap along the partner and its first two derivatives in theta."""
    d, my, yy, myy, yyy = 0.0, 0.0, 0.0, 0.0, 0.0
    bb, yc = 0.0, 0.0
    for c in range(3):
        m, y1, y2, y3 = curve[0, c] - x[c], curve[1, c], curve[2, c], curve[3, c]
        d += m * m
        my += m * y1
        yy += y1 * y1
        myy += m * y2
        yyy += y1 * y2
        bb += y2 * y2
        yc += y1 * y3
    d = math.sqrt(d)
    dd = my / d
    ddd = (yy + myy - dd * dd) / d
    # s = |y'|^(-1/2)
    s = 1.0 / math.sqrt(math.sqrt(yy))
    u = -0.5 * yyy / yy
    ds = s * u
    dds = ds * u + s * (-0.5 * (bb + yc) / yy + yyy * yyy / (yy * yy))
    R = r_x + k * s
    dR = dk * s + k * ds
    ddR = ddk * s + 2.0 * dk * ds + k * dds
    g = d / R - 1.0
    dg = (dd - d / R * dR) / R
    ddg = (ddd - d / R * ddR - 2.0 * dg * dR) / R
    return g, dg, ddg


@kernel
def least_gap(x, r_x, power, reference, radius_poly, h, end_flag, element, xi, curve):
    """Element and parameter of the least gap near a start, and whether it is held there.

    The start is the closest point. Newton's method on dg/dtheta = 0, safeguarded by descent, across
    the elements of one fiber. The point is held (it does not move along the fiber) at a fiber's
    end, or at a node whose two sides both push to it.
    """
    held = False
    for _ in range(_MAX_ITERATIONS):
        k, dk, ddk = partner_curve(
            power[element], reference[element], radius_poly[element], h[element], xi, curve
        )
        g, dg, ddg = _gap_slope(x, r_x, curve, k, dk, ddk)
        step = -dg / ddg if ddg > 0.0 else -math.copysign(0.1 * h[element], dg)
        step /= h[element]
        step = min(max(step, -0.5), 0.5)
        # backtrack until the gap falls
        new = min(max(xi + step, 0.0), 1.0)
        for _ in range(30):
            k, dk, ddk = partner_curve(
                power[element], reference[element], radius_poly[element], h[element], new, curve
            )
            trial, _, _ = _gap_slope(x, r_x, curve, k, dk, ddk)
            if trial <= g + 1e-15:
                break
            new = 0.5 * (new + xi)
        moved = abs(new - xi)
        leaves_low = new <= 0.0 and step < 0.0
        leaves_high = new >= 1.0 and step > 0.0
        xi = new
        if leaves_low or leaves_high:
            flag = end_flag[element]
            if (leaves_low and flag % 2 == 1) or (leaves_high and flag >= 2):
                held = True
                break
            # look from the neighbor's side of the node
            other = element - 1 if leaves_low else element + 1
            other_xi = 1.0 if leaves_low else 0.0
            k, dk, ddk = partner_curve(
                power[other], reference[other], radius_poly[other], h[other], other_xi, curve
            )
            _, dg, _ = _gap_slope(x, r_x, curve, k, dk, ddk)
            if (leaves_low and dg <= 0.0) or (leaves_high and dg >= 0.0):
                held = True
                break
            element, xi = other, other_xi
            continue
        if moved <= 1e-14:
            break
    return element, xi, held


@kernel
def fill_gap(x, a1, r_x, curve, k, dk, ddk, dz, dzz, dz_eta):
    """Gap with dz (12,), dzz (12, 12) and dz_eta (12,), its derivatives in z and mixed with eta.

    Returns g, dg/deta and d2g/deta2; dg/deta vanishes where the gap is least.
    """
    d, aa, yy = 0.0, 0.0, 0.0
    for c in range(3):
        d += (curve[0, c] - x[c]) ** 2
        aa += a1[c] * a1[c]
        yy += curve[1, c] * curve[1, c]
    d = math.sqrt(d)
    root = math.sqrt(math.sqrt(yy))
    r_y = k / root
    R = r_x + r_y
    d_z, R_z = np.zeros(12), np.zeros(12)
    for c in range(3):
        n = (curve[0, c] - x[c]) / d
        d_z[c] = -n
        d_z[6 + c] = n
        R_z[3 + c] = -0.5 * r_x * a1[c] / aa
        R_z[9 + c] = -0.5 * r_y * curve[1, c] / yy
    for i in range(12):
        dz[i] = (d_z[i] - d / R * R_z[i]) / R
        for j in range(12):
            dzz[i, j] = -(d_z[i] * R_z[j] + R_z[i] * d_z[j]) / (R * R)
            dzz[i, j] += 2.0 * d * R_z[i] * R_z[j] / (R * R * R)
    for r in range(3):
        for c in range(3):
            projector = -d_z[6 + r] * d_z[6 + c] / d
            turn_x = 2.5 * a1[r] * a1[c] / aa
            turn_y = 2.5 * curve[1, r] * curve[1, c] / yy
            if r == c:
                projector += 1.0 / d
                turn_x -= 1.0
                turn_y -= 1.0
            for i in range(2):
                for j in range(2):
                    sign = 1.0 if i == j else -1.0
                    dzz[6 * i + r, 6 * j + c] += sign * projector / R
            dzz[3 + r, 3 + c] -= d / (R * R) * 0.5 * r_x / aa * turn_x
            dzz[9 + r, 9 + c] -= d / (R * R) * 0.5 * r_y / yy * turn_y
    # derivatives in k: R_k = |y'|^(-1/2)
    R_k = 1.0 / root
    g_k = -d * R_k / (R * R)
    for i in range(12):
        mixed = -R_k * d_z[i] / (R * R) + 2.0 * d * R_k * R_z[i] / (R * R * R)
        if i >= 9:
            mixed += d / (R * R) * 0.5 * R_k * curve[1, i - 9] / yy
        dz_eta[i] = mixed * dk
        for c in range(3):
            dz_eta[i] += dzz[i, 6 + c] * curve[1, c] + dzz[i, 9 + c] * curve[2, c]
    g_eta = g_k * dk
    g_etaeta = g_k * ddk
    # the part of d2g/deta2 that dz_eta does not hold: k with k, and k with z through dz_eta's own k
    # part
    g_etaeta += 2.0 * d * R_k * R_k / (R * R * R) * dk * dk
    for c in range(3):
        g_eta += dz[6 + c] * curve[1, c] + dz[9 + c] * curve[2, c]
        g_etaeta += dz_eta[6 + c] * curve[1, c] + dz_eta[9 + c] * curve[2, c]
        g_etaeta += dz[6 + c] * curve[2, c] + dz[9 + c] * curve[3, c]
        mixed = -R_k * d_z[6 + c] / (R * R)
        g_etaeta += mixed * dk * curve[1, c]
        mixed = 2.0 * d * R_k * R_z[9 + c] / (R * R * R)
        mixed += d / (R * R) * 0.5 * R_k * curve[1, c] / yy
        g_etaeta += mixed * dk * curve[2, c]
    return d / R - 1.0, g_eta, g_etaeta


@kernel
def fill_bone_gap(x, a1, r_x, n, d, radius, axis, free, dz, dzz):
    """Gap to a bone with its derivatives in z = (x, a1): dz (6,), dzz (6, 6).

    axis: unit direction of the bone's axis; free: the closest point slides along it.
    """
    aa = a1[0] * a1[0] + a1[1] * a1[1] + a1[2] * a1[2]
    R = r_x + radius
    R_a = np.empty(3)
    for c in range(3):
        R_a[c] = -0.5 * r_x * a1[c] / aa
        dz[c] = -n[c] / R
        dz[3 + c] = -d / (R * R) * R_a[c]
    for r in range(3):
        for c in range(3):
            projector = -n[r] * n[c]
            turn = 2.5 * a1[r] * a1[c] / aa
            if r == c:
                projector += 1.0
                turn -= 1.0
            if free:
                projector -= axis[r] * axis[c]
            dzz[r, c] = projector / (d * R)
            dzz[r, 3 + c] = n[r] * R_a[c] / (R * R)
            dzz[3 + c, r] = dzz[r, 3 + c]
            dzz[3 + r, 3 + c] = 2.0 * d * R_a[r] * R_a[c] / (R * R * R)
            dzz[3 + r, 3 + c] -= d / (R * R) * 0.5 * r_x / aa * turn
    return d / R - 1.0


@kernel
def energy_terms(share, a1, g, kappa, gamma, dz, dzz, gradient, hessian):
    """Energy share * Psi(g) * |a1| with its gradient and second derivative in z at fixed eta.

    Works for any number of z whose entries 3 to 5 are a1. Returns share * F * |a1|.
    """
    psi = _line_energy(g, kappa, gamma)
    F, dF = _line_force(g, kappa, gamma)
    n = dz.size
    j = math.sqrt(a1[0] * a1[0] + a1[1] * a1[1] + a1[2] * a1[2])
    j_z = np.zeros(n)
    for c in range(3):
        j_z[3 + c] = a1[c] / j
    for i in range(n):
        gradient[i] = share * (psi * j_z[i] - j * F * dz[i])
        for k in range(n):
            hessian[i, k] = share * (
                -F * (j_z[i] * dz[k] + dz[i] * j_z[k]) - j * dF * dz[i] * dz[k] - j * F * dzz[i, k]
            )
    for r in range(3):
        for c in range(3):
            turn = -j_z[3 + r] * j_z[3 + c]
            if r == c:
                turn += 1.0
            hessian[3 + r, 3 + c] += share * psi * turn / j
    return share * F * j

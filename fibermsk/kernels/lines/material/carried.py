"""Motions of links and of what they carry, as jets; see `fibermsk.kernels.lines.material.jets`.

A motion is given by rates ``du`` and accelerations ``ddu`` (n_u,) of the axes of the joints and the
drivers, a variation by ``way`` (3, n_u): that of the pose, of the rates and of the accelerations.
Jets are stored as rows (f, f', f'', g, g', g'').
"""

from __future__ import annotations

from fibermsk._compile import body, inner_body
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.skeleton.rigid import add_cross, bracket

TWIST, ACCELERATION, WAY, TWIST_VARIED, ACCELERATION_VARIED = 0, 1, 2, 3, 4
"""Rows of the motion of a link: spatial twist and acceleration, variation, and theirs by it."""


@body
def fill_link(S, moves, link, du, ddu, way, out):
    """Fill out (5, 6) with the motion of a link, angular parts first; -1 is the ground.

    A variation about axis b, of the twist V_b and the spatial acceleration A_b, turns what follows
    from there on; by the Jacobi identity,

        V_varied = [S_b, V - V_b],   A_varied = [S_b, A - A_b] + [[V_b, S_b], V - V_b].

    Varied rates D add themselves to V, and [V, D] at each axis and [D, V] of those before it to A.
    """
    part, turned, aside, asides, swift = (
        scratch(6), scratch(6), scratch(6), scratch(6), scratch(6),
    )  # fmt: skip
    out[:] = 0.0
    asides[:] = 0.0
    swift[:] = 0.0
    V, A, W, dV, dA = out[0], out[1], out[2], out[3], out[4]
    for a in range(S.shape[0] if link >= 0 else 0):
        if not moves[link, a]:
            continue
        rate, fast = du[a], way[1, a]
        if fast != 0.0 or way[2, a] != 0.0:
            for r in range(6):
                part[r] = fast * S[a, r]
            bracket(V, part, turned)
            for r in range(6):
                dA[r] += way[2, a] * S[a, r] + turned[r]
        if rate != 0.0:
            for r in range(6):
                part[r] = rate * S[a, r]
            bracket(swift, part, turned)
            for r in range(6):
                dA[r] += turned[r]
        for r in range(6):
            swift[r] += fast * S[a, r]
        if rate != 0.0 or ddu[a] != 0.0:
            for r in range(6):
                part[r] = rate * S[a, r]
            bracket(V, part, turned)
            for r in range(6):
                A[r] += ddu[a] * S[a, r] + turned[r]
                V[r] += part[r]
        if way[0, a] != 0.0:
            for r in range(6):
                part[r] = way[0, a] * S[a, r]
                W[r] += part[r]
            bracket(V, part, aside)
            bracket(aside, V, turned)
            for r in range(6):
                asides[r] += aside[r]
                dV[r] += aside[r]
                dA[r] -= turned[r]
            bracket(A, part, turned)
            for r in range(6):
                dA[r] += turned[r]
    bracket(W, V, turned)
    for r in range(6):
        dV[r] += turned[r]
    bracket(W, A, turned)
    for r in range(6):
        dA[r] += turned[r]
    bracket(asides, V, turned)
    for r in range(6):
        dA[r] += turned[r]
        dV[r] += swift[r]


@inner_body
def fill_rates(V, A, x, fixed, first, second):
    """Fill velocity and acceleration (3,) of a vector x of a link; `fixed` as for `carry`.

    V, A (6,): twist and spatial acceleration, angular part first.
    """
    for r in range(3):
        first[r], second[r] = fixed * V[3 + r], fixed * A[3 + r]
    add_cross(1.0, V[:3], x, first)
    add_cross(1.0, A[:3], x, second)
    add_cross(1.0, V[:3], first, second)


@inner_body
def carry(motion, x, fixed, out):
    """Fill out (3, 6) with a vector x (3,) of a link; with a point of it if `fixed` is 1, else 0.

    A point is carried along; a direction only turns.
    """
    v, a, dx, dv, da = scratch(3), scratch(3), scratch(3), scratch(3), scratch(3)
    V, A, W, dV, dA = motion[0], motion[1], motion[2], motion[3], motion[4]
    fill_rates(V, A, x, fixed, v, a)
    for r in range(3):
        dx[r], dv[r], da[r] = fixed * W[3 + r], fixed * dV[3 + r], fixed * dA[3 + r]
    add_cross(1.0, W[:3], x, dx)
    add_cross(1.0, dV[:3], x, dv)
    add_cross(1.0, V[:3], dx, dv)
    add_cross(1.0, dA[:3], x, da)
    add_cross(1.0, A[:3], dx, da)
    add_cross(1.0, dV[:3], v, da)
    add_cross(1.0, V[:3], dv, da)
    for r in range(3):
        out[r, 0], out[r, 1], out[r, 2] = x[r], v[r], a[r]
        out[r, 3], out[r, 4], out[r, 5] = dx[r], dv[r], da[r]


@inner_body
def _add_offset(motion, e, order, rate, change, way, fast, faster, out):
    """Add to out (3, 6) what a driver adds by the derivative e (3,) of a point, of an order.

    Of the driver: rate and acceleration, and the variations of its value and of these.
    """
    turned = scratch((3, 6))
    carry(motion, e, 0.0, turned)
    for r in range(3):
        f, d, dd = turned[r, 0], turned[r, 1], turned[r, 2]
        g, dg = turned[r, 3], turned[r, 4]
        if order == 1:
            out[r, 1] += rate * f
            out[r, 2] += change * f + 2.0 * rate * d
            out[r, 3] += way * f
            out[r, 4] += rate * g + way * d + fast * f
            out[r, 5] += change * g + 2.0 * rate * dg + way * dd + faster * f + 2.0 * fast * d
        elif order == 2:
            out[r, 2] += rate * rate * f
            out[r, 4] += way * rate * f
            out[r, 5] += rate * rate * g + way * change * f + 2.0 * way * rate * d
            out[r, 5] += 2.0 * rate * fast * f
        else:
            out[r, 5] += way * rate * rate * f


@inner_body
def add_drivers(paths, state, k, motion, n_axes, du, ddu, way, out):
    """Add to path point k, out (3, 6), what drivers move it by; motion (5, 6) is its link's."""
    moving = paths.moving[k]
    for c in range(3):
        d = paths.driver[moving, c]
        if d >= 0:
            d += n_axes
            for order in range(3):
                e = state.slope if order == 0 else state.bend if order == 1 else state.third
                _add_offset(
                    motion, e[moving, c], order + 1, du[d], ddu[d], way[0, d], way[1, d],
                    way[2, d], out,
                )  # fmt: skip


@body
def fill_path_point(paths, S, moves, state, k, du, ddu, way, motion, out):
    """Fill out (3, 6) with path point k, and the motion (5, 6) of its link."""
    fill_link(S, moves, paths.link[k], du, ddu, way, motion)
    carry(motion, state.x[k], 1.0, out)
    if paths.moving[k] >= 0:
        add_drivers(paths, state, k, motion, S.shape[0], du, ddu, way, out)

"""Points fixed to links: positions and derivatives in the generalized coordinates.

Links, coordinates, ``S`` and ``moves`` as in `fibermsk.kernels.skeleton.rigid`. ``link``
(n_points,) carries each point, -1 for the ground, at ``local`` (n_points, 3) in its frame; ``C``
(n_points, 3, n) holds dc/dq. A function of one point m writes only to the entries of m unless
noted.
"""

from __future__ import annotations

import math

import numpy as np

from fibermsk._compile import body, kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.skeleton.rigid import add_cross, chain_lengths, cross, turns_and_slides


@body
def place_point(m, S, moves, rotation, position, link, local, point, C):
    """Fill the position point[m] and its derivatives C[m]."""
    k = link[m]
    for r in range(3):
        point[m, r] = local[m, r]
        for j in range(S.shape[0]):
            C[m, r, j] = 0.0
    if k < 0:
        return
    for r in range(3):
        turned = (
            rotation[k, r, 0] * local[m, 0]
            + rotation[k, r, 1] * local[m, 1]
            + rotation[k, r, 2] * local[m, 2]
        )
        point[m, r] = turned + position[k, r]
    for j in range(S.shape[0]):
        if moves[k, j]:
            cross(S[j, :3], point[m], C[m, :, j])
            for r in range(3):
                C[m, r, j] += S[j, 3 + r]


@body
def _fill_curvature(m, j, k, S, moves, C, out):
    """Fill out (3,) with d2c/dq_j dq_k: w_j x V_k(c) with j at or above k in the chain."""
    if moves[k, j]:
        cross(S[j, :3], C[m, :, k], out)
    else:
        cross(S[k, :3], C[m, :, j], out)


@kernel
def place_points(S, moves, rotation, position, link, local, point, C):
    """Fill the positions c (n_points, 3) of link points, and C = dc/dq (n_points, 3, n)."""
    for m in range(link.size):
        place_point(m, S, moves, rotation, position, link, local, point, C)


@kernel
def add_curvature(S, moves, link, C, force, out):
    """Add the derivative in q of the sum of C^T force (n_points, 3) at constant force to out."""
    curvature = scratch(3)
    for m in range(link.size):
        k = link[m]
        if k < 0:
            continue
        for i in range(out.shape[0]):
            if not moves[k, i]:
                continue
            for j in range(out.shape[0]):
                if moves[k, j]:
                    _fill_curvature(m, i, j, S, moves, C, curvature)
                    for r in range(3):
                        out[i, j] += curvature[r] * force[m, r]


@kernel
def _add_pair(at, mirrored, plane, way, w, c, values):
    """Add `way` times w x c to the entry of two states and to its mirror entry."""
    x, y, z = w[1] * c[2] - w[2] * c[1], w[2] * c[0] - w[0] * c[2], w[0] * c[1] - w[1] * c[0]
    values[at] += way * x
    values[at + plane] += way * y
    values[at + 2 * plane] += way * z
    if mirrored >= 0:
        values[mirrored] += way * x
        values[mirrored + plane] += way * y
        values[mirrored + 2 * plane] += way * z


@kernel
def fill_hessian(S, moves, link, C, first, support, J, H, joint, start, moved, values):
    """Add d2c/dq2 of all points to values, in the order of component, state and state.

    The states move the axes: ``support`` (n_axes, m) those that an axis depends on, from row
    ``first`` of support, J and H on, as in `fibermsk.kernels.skeleton.coordinate_map`; joint
    (n_axes,): joint of each axis, in increasing order; start (n_points + 1,): first
    entry of each point; moved (n_points, n): states that move it.

    With axis i at or above j in the chain the second derivative in both is w_i x C_j. Axes of
    different joints enter by the sums over each joint alone.
    """
    n_axes, width = S.shape[0], support.shape[1]
    rank = np.empty(moved.shape[1], np.int64)
    # for each joint of the chain and each state that moves it: joint, state index, sums
    owner, place = np.empty(n_axes * width, np.int64), np.empty(n_axes * width, np.int64)
    spin, slope = np.empty((n_axes * width, 3)), np.empty((n_axes * width, 3))
    for m in range(link.size):
        if link[m] < 0:
            continue
        size, n_parts, begin = 0, 0, 0
        for b in range(moved.shape[1]):
            rank[b] = size
            if moved[m, b]:
                size += 1
        plane = size * size
        for i in range(n_axes):
            if not moves[link[m], i]:
                continue
            if n_parts > begin and owner[n_parts - 1] != joint[i]:
                begin = n_parts
            for k in range(width):
                b = support[first + i, k]
                if b < 0:
                    break
                way, part = J[first + i, b], begin
                while part < n_parts and place[part] != rank[b]:
                    part += 1
                if part == n_parts:
                    owner[part], place[part] = joint[i], rank[b]
                    for r in range(3):
                        spin[part, r], slope[part, r] = 0.0, 0.0
                    n_parts += 1
                for r in range(3):
                    spin[part, r] += way * S[i, r]
                    slope[part, r] += way * C[m, r, i]
                for o in range(width if H.shape[0] > 0 else 0):
                    c = support[first + i, o]
                    if c < 0:
                        break
                    at = start[m] + rank[b] * size + rank[c]
                    for r in range(3):
                        values[at + r * plane] += H[first + i, k, o] * C[m, r, i]
                for j in range(i, n_axes):
                    if joint[j] != joint[i]:
                        break
                    for o in range(width):
                        c = support[first + j, o]
                        if c < 0:
                            break
                        at = start[m] + rank[b] * size + rank[c]
                        mirrored = start[m] + rank[c] * size + rank[b] if i != j else -1
                        product = way * J[first + j, c]
                        _add_pair(at, mirrored, plane, product, S[i], C[m, :, j], values)
        for u in range(n_parts):
            below = u + 1
            while below < n_parts and owner[below] == owner[u]:
                below += 1
            w0, w1, w2 = spin[u, 0], spin[u, 1], spin[u, 2]
            for v in range(below, n_parts):
                x = w1 * slope[v, 2] - w2 * slope[v, 1]
                y = w2 * slope[v, 0] - w0 * slope[v, 2]
                z = w0 * slope[v, 1] - w1 * slope[v, 0]
                at = start[m] + place[u] * size + place[v]
                values[at] += x
                values[at + plane] += y
                values[at + 2 * plane] += z
                at = start[m] + place[v] * size + place[u]
                values[at] += x
                values[at + plane] += y
                values[at + 2 * plane] += z


@body
def _fill_slope(m, S, moves, link, C, p, p_dot, dp_dq, out):
    """Fill out[m] (3, n) with the sum over j of d2c/dq_j dq_k (p_dot[j] + 2 dp_dq p[j]).

    Down the chain it needs the sum of w_j above each axis, and back up that of V_j(c) below it.
    """
    n, own = p.size, link[m]
    total = scratch(3)
    for r in range(3):
        total[r] = 0.0
        for k in range(n):
            out[m, r, k] = 0.0
    if own < 0:
        return
    for k in range(n):
        if moves[own, k]:
            way = p_dot[k] + 2.0 * dp_dq * p[k]
            for r in range(3):
                total[r] += way * S[k, r]
            cross(total, C[m, :, k], out[m, :, k])
    total[0], total[1], total[2] = 0.0, 0.0, 0.0
    for i in range(n):
        k = n - 1 - i
        if moves[own, k]:
            add_cross(1.0, S[k, :3], total, out[m, :, k])
            way = p_dot[k] + 2.0 * dp_dq * p[k]
            for r in range(3):
                total[r] += way * C[m, r, k]


@body
def fill_velocity_slope(m, S, moves, link, C, p, out):
    """Fill out[m] (3, n); see `velocity_slope`."""
    _fill_slope(m, S, moves, link, C, p, p, 0.0, out)


@kernel
def velocity_slope(S, moves, link, C, p, out):
    """Fill out (n_points, 3, n) with the derivative of v_D = C(q) p in q at constant p.

    Its product with p is the velocity-dependent part of the acceleration, (dC/dq p) p.
    """
    for m in range(link.size):
        fill_velocity_slope(m, S, moves, link, C, p, out)


@body
def fill_acceleration_slope(m, S, moves, link, C, p, p_dot, dp_dq, out):
    """Fill out[m] (3, n); see `acceleration_slope`."""
    _fill_slope(m, S, moves, link, C, p, p_dot, dp_dq, out)
    n, own = p.size, link[m]
    if own < 0:
        return
    # sum over v and w of d3c/dq_k dq_v dq_w p_v p_w: with both above k ...
    spin, inner, twice = scratch(3), scratch(3), scratch((3, 3))
    for r in range(3):
        spin[r] = 0.0
        for c in range(3):
            twice[r, c] = 0.0
    for k in range(n):
        if moves[own, k]:
            trace = twice[0, 0] + twice[1, 1] + twice[2, 2]
            for r in range(3):
                out[m, r, k] -= trace * C[m, r, k]
                for c in range(3):
                    out[m, r, k] += twice[r, c] * C[m, c, k]
            for r in range(3):
                for c in range(3):
                    twice[r, c] += p[k] * S[k, r] * (2.0 * spin[c] + p[k] * S[k, c])
            for r in range(3):
                spin[r] += p[k] * S[k, r]
    # ... one above, and none
    below, bent, one = scratch(3), scratch(3), scratch(3)
    for r in range(3):
        below[r], bent[r] = 0.0, 0.0
    for i in range(n):
        k = n - 1 - i
        if moves[own, k]:
            for r in range(3):
                spin[r] -= p[k] * S[k, r]
                one[r] = 2.0 * below[r] + p[k] * C[m, r, k]
                below[r] += p[k] * C[m, r, k]
            add_cross(p[k], S[k, :3], one, bent)
            cross(S[k, :3], below, inner)
            add_cross(2.0, spin, inner, out[m, :, k])
            add_cross(1.0, S[k, :3], bent, out[m, :, k])


@kernel
def acceleration_slope(S, moves, link, C, p, p_dot, dp_dq, out):
    """Fill out (n_points, 3, n) with the derivative of C p_dot + (dC/dq p) p, dp = dp_dq dq.

    Without the part C dp_dot. Coordinates are numbered from the root outwards, so that with u <= v
    <= w on the chain the third derivative of a point is d3c/dq_u dq_v dq_w = w_u x (w_v x V_w(c)).
    """
    for m in range(link.size):
        fill_acceleration_slope(m, S, moves, link, C, p, p_dot, dp_dq, out)


@body
def add_stray(
    m, nodes, elements, end_element, end_side, link, moves, position, turn, slide, chain_length,
    remainder,
):  # fmt: skip
    """Raise remainder[e] to the bound of an end's deviation from linear motion [m].

    e is the end's element: points at different ends of a fiber must not run in parallel. turn,
    slide (n,): sums of the rotations [rad] and of the translations [m] that the update gives each
    link; chain_length (n,): see `fibermsk.kernels.search.safeguard.bone_fraction`.
    """
    k, e = link[m], end_element[m]
    if k < 0:
        return
    node = elements[e, end_side[m]]
    lever = 0.0
    for j in range(position.shape[0]):
        if moves[k, j]:
            apart = 0.0
            for c in range(3):
                apart += (nodes[node, c] - position[j, c]) ** 2
            lever = max(lever, apart)
    stray = 0.5 * turn[k] ** 2 * (math.sqrt(lever) + chain_length[k]) + turn[k] * slide[k]
    remainder[e] = max(remainder[e], stray)


@body
def add_excess(e, nodes, elements, h, position, turns, farthest, whole, excess, remainder):
    """Add to remainder[e] the bound of what the nonlinear part of the axes' motion moves [m].

    It may move a bone near any element. turns (n,): axes that rotate; farthest: largest chain
    length; whole: 1 plus the sum of all rotations [rad]; excess (n,): bound of the nonlinear part.
    """
    total = 0.0
    for k in range(excess.size):
        lever = 1.0
        if turns[k]:
            lever = 0.0
            for a in range(2):
                apart, tangent = 0.0, 0.0
                for c in range(3):
                    apart += (nodes[elements[e, a], c] - position[k, c]) ** 2
                    tangent += nodes[elements[e, a], 3 + c] ** 2
                lever = max(lever, math.sqrt(apart) + h[e] / 3.0 * math.sqrt(tangent))
            lever = (lever + farthest) * whole
        total += lever * excess[k]
    remainder[e] += total


@kernel
def add_excesses(nodes, elements, h, position, turns, farthest, whole, excess, remainder):
    """Add the bounds of all elements; see `add_excess`."""
    for e in range(h.size):
        add_excess(e, nodes, elements, h, position, turns, farthest, whole, excess, remainder)


@kernel
def fill_strays(
    nodes, elements, end_element, end_side, link, parent, moves, kind, position, update, remainder
):
    """Fill the remainders (n_elements,) of all elements; see `add_stray`.

    update (n,): of the axes, parent and kind (n,) see `fibermsk.kernels.skeleton.rigid`.
    """
    n = parent.size
    turn, slide, length = np.empty(n), np.empty(n), np.empty(n)
    remainder[:] = 0.0
    turns_and_slides(update, moves, kind, turn, slide)
    chain_lengths(parent, position, length)
    for m in range(link.size):
        add_stray(
            m, nodes, elements, end_element, end_side, link, moves, position, turn, slide, length,
            remainder,
        )  # fmt: skip

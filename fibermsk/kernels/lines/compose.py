"""Derivatives of a section in the motion of a skeleton, from those in its own z.

Symbols: z = (o, i, xi_1 .. xi_m) of a section from point k to point j around m surfaces, g and H
the first and second derivatives of its length in z; u are the axes of the joints and then the
drivers, coordinates that move points.
"""

from __future__ import annotations

from fibermsk._compile import body, part
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.skeleton.rigid import bracket, cross


@part
def _moved(moves, link, axis):
    """Whether an axis moves a link, -1 for the ground."""
    return link >= 0 and moves[link, axis]


@part
def _add_driven(paths, slope, k, d, out):
    """Add the derivative of point k by driver d to out (3,)."""
    moving = paths.moving[k]
    for c in range(3 if moving >= 0 else 0):
        if paths.driver[moving, c] == d:
            for r in range(3):
                out[r] += slope[moving, c, r]


@body
def _turning(g, w, x):
    """g . (w x x)."""
    return (
        g[0] * (w[1] * x[2] - w[2] * x[1])
        + g[1] * (w[2] * x[0] - w[0] * x[2])
        + g[2] * (w[0] * x[1] - w[1] * x[0])
    )


@part
def _stays(paths, moves, k, j, surfaces, a):
    """Whether axis a moves all of a section together, or nothing of it."""
    whole = _moved(moves, paths.link[k], a)
    same = whole == _moved(moves, paths.link[j], a)
    for w in surfaces:
        same = same and _moved(moves, paths.wrap_link[w], a) == whole
    return same


@part
def add_first(paths, S, moves, drives, state, k, j, surfaces, g, by_u):
    """Add the derivatives of the length of a section in the u to by_u (n_u,); surfaces (m,).

    Only g is needed: an axis turns and shifts what it moves, so that the forces g on the ends and
    on the surfaces enter by their moments about the ground origin.
    """
    pull, n_axes = scratch((2, 6)), S.shape[0]
    for end in range(2):
        cross(state.x[k if end == 0 else j], g[3 * end : 3 * end + 3], pull[end, :3])
        for r in range(3):
            pull[end, 3 + r] = g[3 * end + r]
    for a in range(n_axes):
        if _stays(paths, moves, k, j, surfaces, a):
            continue
        for end in range(2):
            if _moved(moves, paths.link[k if end == 0 else j], a):
                for r in range(6):
                    by_u[a] += S[a, r] * pull[end, r]
        for s in range(surfaces.size):
            if _moved(moves, paths.wrap_link[surfaces[s]], a):
                for r in range(3):
                    by_u[a] += S[a, 3 + r] * g[6 + 6 * s + r] + S[a, r] * g[9 + 6 * s + r]
    for d in range(drives.shape[1]):
        for end in range(2):
            point = k if end == 0 else j
            if drives[point, d]:
                x = scratch(3)
                x[0], x[1], x[2] = 0.0, 0.0, 0.0
                _add_driven(paths, state.slope, point, d, x)
                for r in range(3):
                    by_u[n_axes + d] += g[3 * end + r] * x[r]


@part
def fill_moves(paths, S, moves, drives, state, k, j, surfaces, dz, who):
    """Fill dz (n_u, 6 + 6 m), derivatives of z in the u that change a section, and who (n_u,).

    Returns their number: axes that move all of the section together are left out. surfaces (m,).
    """
    size, n_axes, n_z = 0, S.shape[0], 6 + 6 * surfaces.size
    for a in range(n_axes):
        if _stays(paths, moves, k, j, surfaces, a):
            continue
        at_o, at_i = _moved(moves, paths.link[k], a), _moved(moves, paths.link[j], a)
        who[size] = a
        for r in range(n_z):
            dz[size, r] = 0.0
        if at_o:
            cross(S[a, :3], state.x[k], dz[size, :3])
        if at_i:
            cross(S[a, :3], state.x[j], dz[size, 3:6])
        for r in range(3):
            if at_o:
                dz[size, r] += S[a, 3 + r]
            if at_i:
                dz[size, 3 + r] += S[a, 3 + r]
        for s in range(surfaces.size):
            if _moved(moves, paths.wrap_link[surfaces[s]], a):
                for r in range(3):
                    dz[size, 6 + 6 * s + r] = S[a, 3 + r]
                    dz[size, 9 + 6 * s + r] = S[a, r]
        size += 1
    for d in range(drives.shape[1]):
        if not (drives[k, d] or drives[j, d]):
            continue
        who[size] = n_axes + d
        for r in range(n_z):
            dz[size, r] = 0.0
        _add_driven(paths, state.slope, k, d, dz[size, :3])
        _add_driven(paths, state.slope, j, d, dz[size, 3:6])
        size += 1
    return size


@part
def _second_of_z(paths, S, moves, state, k, j, surfaces, g, dz, who, u, v):
    """g times the second derivative of z in who[u] and who[v], u <= v.

    With axis a at or above b: w_a x C_b for a point, and 1/2 [S_a, S_b] for a twist.
    """
    a, b, n_axes, total = who[u], who[v], S.shape[0], 0.0
    for end in range(2):
        point = k if end == 0 else j
        own = g[3 * end : 3 * end + 3]
        if a >= n_axes:
            if a == b:
                x = scratch(3)
                x[0], x[1], x[2] = 0.0, 0.0, 0.0
                _add_driven(paths, state.bend, point, a - n_axes, x)
                total += own[0] * x[0] + own[1] * x[1] + own[2] * x[2]
        elif _moved(moves, paths.link[point], a):
            if b >= n_axes or _moved(moves, paths.link[point], b):
                total += _turning(own, S[a, :3], dz[v, 3 * end : 3 * end + 3])
    for s in range(surfaces.size if a < b < n_axes else 0):
        link = paths.wrap_link[surfaces[s]]
        if _moved(moves, link, a) and _moved(moves, link, b):
            x = scratch(6)
            bracket(S[a], S[b], x)
            for r in range(3):
                total += 0.5 * (g[6 + 6 * s + r] * x[3 + r] + g[9 + 6 * s + r] * x[r])
    return total


@part
def add_pair(a, b, value, speed_u, tension, bend, curve):
    """Add the second derivative of a length in a and b, and in b and a; as of `add_second`."""
    bend[a] += value * speed_u[b]
    curve[a, b] += tension * value
    if a != b:
        bend[b] += value * speed_u[a]
        curve[b, a] += tension * value


@part
def add_second(
    paths, S, moves, state, k, j, surfaces, g, H, dz, part, who, size,
    speed_u, tension, bend, curve,
):  # fmt: skip
    """Add the second derivatives of a section, times speeds to bend and times tension to curve.

    bend (n_u,), curve (n_u, n_u); part (6 + 6 m,) is overwritten.
    """
    n_z = 6 + 6 * surfaces.size
    for u in range(size):
        for r in range(n_z):
            part[r] = 0.0
            for c in range(n_z):
                part[r] += H[r, c] * dz[u, c]
        for v in range(u, size):
            value = _second_of_z(paths, S, moves, state, k, j, surfaces, g, dz, who, u, v)
            for r in range(n_z):
                value += part[r] * dz[v, r]
            add_pair(who[u], who[v], value, speed_u, tension, bend, curve)

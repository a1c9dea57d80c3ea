"""Points at fractions of the length of a path, with their derivatives along a motion.

A material point with the fraction alpha of the length at rest keeps it (equal strain). Symbols:
``c`` length up to a section, ``lambda`` planar arclength within a wrapped one, ``jet`` (..., 3) an
array of values with first and second derivatives; see `fibermsk.kernels.lines.jets`. A motion is
given by rates ``du`` and accelerations ``ddu`` (n_u,) of the axes of the joints and the drivers.
Jacobian: the first derivatives for each du alone; its rate times the speeds: the second ones.
"""

from __future__ import annotations

import numpy as np

from fibermsk._compile import kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.jets import (
    angle,
    constant,
    cosine_and_sine,
    minus,
    over,
    plus,
    root,
    scaled,
    times,
)
from fibermsk.kernels.lines.path_arrays import CYLINDER
from fibermsk.kernels.lines.section import DELTA
from fibermsk.kernels.skeleton.rigid import add_cross, bracket


@kernel
def fill_motion_of_link(S, moves, link, du, ddu, V, A):
    """Fill twist V and spatial acceleration A (6,) of a link, angular part first."""
    part, turned = scratch(6), scratch(6)
    V[:] = 0.0
    A[:] = 0.0
    for a in range(S.shape[0] if link >= 0 else 0):
        if moves[link, a]:
            for r in range(6):
                part[r] = du[a] * S[a, r]
            bracket(V, part, turned)
            for r in range(6):
                A[r] += ddu[a] * S[a, r] + turned[r]
                V[r] += part[r]


@kernel
def _carry(V, A, x, first, second):
    """Fill velocity and acceleration (3,) of the point x of a link."""
    for r in range(3):
        first[r] = V[3 + r]
    add_cross(1.0, V[:3], x, first)
    for r in range(3):
        second[r] = A[3 + r]
    add_cross(1.0, A[:3], x, second)
    add_cross(1.0, V[:3], first, second)


@kernel
def fill_point(paths, S, moves, state, k, du, ddu, jet):
    """Fill jet (3, 3), component first, with path point k."""
    V, A, first, second = scratch(6), scratch(6), scratch(3), scratch(3)
    fill_motion_of_link(S, moves, paths.link[k], du, ddu, V, A)
    _carry(V, A, state.x[k], first, second)
    moving, n_axes = paths.moving[k], S.shape[0]
    for c in range(3 if moving >= 0 else 0):
        d = paths.driver[moving, c]
        if d >= 0:
            rate, change = du[n_axes + d], ddu[n_axes + d]
            add_cross(2.0 * rate, V[:3], state.slope[moving, c], second)
            for r in range(3):
                first[r] += rate * state.slope[moving, c, r]
                second[r] += change * state.slope[moving, c, r]
                second[r] += rate * rate * state.bend[moving, c, r]
    for r in range(3):
        jet[r, 0], jet[r, 1], jet[r, 2] = state.x[k, r], first[r], second[r]


@kernel
def _to_surface(R, p, V, A, jet, out):
    """Fill out (3, 3) with a point in the frame of a moving surface."""
    x, v, a = scratch(3), scratch(3), scratch(3)
    for r in range(3):
        x[r] = jet[r, 0]
    _carry(V, A, x, v, a)
    for r in range(3):
        v[r] = jet[r, 1] - v[r]  # relative to the surface
        a[r] = jet[r, 2] - a[r]
    add_cross(-2.0, V[:3], v, a)
    for c in range(3):
        for k in range(3):
            out[c, k] = 0.0
        for r in range(3):
            out[c, 0] += R[r, c] * (x[r] - p[r])
            out[c, 1] += R[r, c] * v[r]
            out[c, 2] += R[r, c] * a[r]


@kernel
def _to_ground(R, p, V, A, local, out):
    """Fill out (3, 3) with a point given in the frame of a moving surface."""
    x, v, a, w, b = scratch(3), scratch(3), scratch(3), scratch(3), scratch(3)
    for r in range(3):
        x[r], v[r], a[r] = p[r], 0.0, 0.0
        for c in range(3):
            x[r] += R[r, c] * local[c, 0]
            v[r] += R[r, c] * local[c, 1]
            a[r] += R[r, c] * local[c, 2]
    _carry(V, A, x, w, b)
    add_cross(2.0, V[:3], v, b)
    for r in range(3):
        out[r, 0], out[r, 1], out[r, 2] = x[r], v[r] + w[r], a[r] + b[r]


@kernel
def _jet(array, r):
    return (array[r, 0], array[r, 1], array[r, 2])


@kernel
def _store(array, r, jet):
    array[r, 0], array[r, 1], array[r, 2] = jet


@kernel
def _norm(x, y, z):
    return root(plus(plus(times(x, x), times(y, y)), times(z, z)))


@kernel
def _plane(d_o, d_i, delta, r):
    """Angles alpha and phi, free lengths a and b, and Lambda around a circle."""
    square = constant(r * r)
    a, b = root(minus(times(d_o, d_o), square)), root(minus(times(d_i, d_i), square))
    alpha, beta = angle(a, constant(r)), angle(b, constant(r))
    turned = delta if delta[0] >= 0.0 else scaled(-1.0, delta)
    phi = minus(minus(turned, alpha), beta)
    return alpha, phi, a, plus(plus(a, scaled(r, phi)), b)


@kernel
def _in_plane(d_o, at_o, d_i, delta, r, share):
    """Point x, y at a share of the length around a circle; at_o is the angle of o."""
    sigma = 1.0 if delta[0] >= 0.0 else -1.0
    alpha, phi, a, Lambda = _plane(d_o, d_i, delta, r)
    run = minus(times(share, Lambda), a)  # planar arclength from P on
    turn = scaled(1.0 / r, run)
    free = run
    if run[0] < 0.0:
        turn = constant(0.0)
    elif turn[0] > phi[0]:
        turn, free = phi, minus(run, scaled(r, phi))
    else:
        free = constant(0.0)
    c, s = cosine_and_sine(plus(at_o, scaled(sigma, plus(alpha, turn))))
    along = scaled(sigma, free)
    return minus(scaled(r, c), times(along, s)), plus(scaled(r, s), times(along, c))


@kernel
def _wrapped_length(kind, r, found, o, i):
    """Length of a wrapped section from its ends (3, 3) in the frame of the surface."""
    flat = constant(0.0)
    h = minus(_jet(i, 2), _jet(o, 2))
    z_o, z_i = (flat, flat) if kind == CYLINDER else (_jet(o, 2), _jet(i, 2))
    d_o, d_i = _norm(_jet(o, 0), _jet(o, 1), z_o), _norm(_jet(i, 0), _jet(i, 1), z_i)
    _, _, _, Lambda = _plane(d_o, d_i, _delta(kind, found, o, i), r)
    return _norm(Lambda, h, flat) if kind == CYLINDER else Lambda


@kernel
def _delta(kind, found, o, i):
    """Angle from o to i about the axis, or in the plane of the path around a sphere."""
    x, y, z = _jet(o, 0), _jet(o, 1), _jet(o, 2)
    X, Y, Z = _jet(i, 0), _jet(i, 1), _jet(i, 2)
    sine, cosine = minus(times(x, Y), times(y, X)), plus(times(x, X), times(y, Y))
    if kind == CYLINDER:
        turn = angle(sine, cosine)
        return (found[DELTA], turn[1], turn[2])
    m_x, m_y = minus(times(y, Z), times(z, Y)), minus(times(z, X), times(x, Z))
    return angle(_norm(m_x, m_y, sine), plus(cosine, times(z, Z)))


@kernel
def _point_around(kind, r, found, o, i, share, out):
    """Fill out (3, 3) with the point at a share of a wrapped section, frame of the surface."""
    delta = _delta(kind, found, o, i)
    x, y, z = _jet(o, 0), _jet(o, 1), _jet(o, 2)
    X, Y, Z = _jet(i, 0), _jet(i, 1), _jet(i, 2)
    flat = constant(0.0)
    if kind == CYLINDER:
        d_o, d_i = _norm(x, y, flat), _norm(X, Y, flat)
        u, v = _in_plane(d_o, angle(y, x), d_i, delta, r, share)
        _store(out, 0, u)
        _store(out, 1, v)
        _store(out, 2, plus(z, times(share, minus(Z, z))))
        return
    # in the basis e = o / |o| and f, the direction of i without its part along e
    d_o, d_i = _norm(x, y, z), _norm(X, Y, Z)
    u, v = _in_plane(d_o, flat, d_i, delta, r, share)
    c, s = cosine_and_sine(delta)
    for k in range(3):
        e, toward = over(_jet(o, k), d_o), over(_jet(i, k), d_i)
        f = over(minus(toward, times(c, e)), s)
        _store(out, k, plus(times(u, e), times(v, f)))


@kernel
def fill_along(paths, S, moves, state, m, fractions, du, ddu, out):
    """Fill out (n_fractions, 3, 3) with points of muscle m, component before derivative.

    The state is solved. At a via point the derivatives are those before it.
    """
    first, last = paths.start[m], paths.start[m + 1]
    n = last - first
    jets, cs = np.zeros((n, 3, 3)), np.zeros((n + 1, 3))
    begin, end = np.empty(n, np.int64), np.empty(n, np.int64)
    a, b, x = scratch((3, 3)), scratch((3, 3)), scratch((3, 3))
    V, A, size = scratch(6), scratch(6), 0
    for k in range(first, last):
        fill_point(paths, S, moves, state, k, du, ddu, jets[k - first])
        if state.active[k]:
            begin[size] = k
            if size > 0:
                end[size - 1] = k
            size += 1
    for j in range(size - 1):
        o, i, w = jets[begin[j] - first], jets[end[j] - first], state.wrapped[begin[j]]
        if w < 0:
            part = _norm(
                minus(_jet(i, 0), _jet(o, 0)),
                minus(_jet(i, 1), _jet(o, 1)),
                minus(_jet(i, 2), _jet(o, 2)),
            )
        else:
            fill_motion_of_link(S, moves, paths.wrap_link[w], du, ddu, V, A)
            _to_surface(state.R[w], state.p[w], V, A, o, a)
            _to_surface(state.R[w], state.p[w], V, A, i, b)
            part = _wrapped_length(paths.kind[w], paths.radius[w], state.found[begin[j]], a, b)
        _store(cs, j + 1, plus(_jet(cs, j), part))
    L = _jet(cs, size - 1)
    for n_th in range(fractions.size):
        at, j = scaled(fractions[n_th], L), 0
        while j + 2 < size and (cs[j + 1, 0] < at[0] or cs[j + 1, 0] == cs[j, 0]):
            j += 1
        o, i, w = jets[begin[j] - first], jets[end[j] - first], state.wrapped[begin[j]]
        share = over(minus(at, _jet(cs, j)), minus(_jet(cs, j + 1), _jet(cs, j)))
        if w < 0:
            for r in range(3):
                step = times(share, minus(_jet(i, r), _jet(o, r)))
                _store(out[n_th], r, plus(_jet(o, r), step))
            continue
        fill_motion_of_link(S, moves, paths.wrap_link[w], du, ddu, V, A)
        _to_surface(state.R[w], state.p[w], V, A, o, a)
        _to_surface(state.R[w], state.p[w], V, A, i, b)
        found = state.found[begin[j]]
        _point_around(paths.kind[w], paths.radius[w], found, a, b, share, x)
        _to_ground(state.R[w], state.p[w], V, A, x, out[n_th])

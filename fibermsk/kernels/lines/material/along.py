"""Points at fractions of the length of a path, with their derivatives along a motion.

A material point with the fraction alpha of the length at rest keeps it (equal strain). Jacobian:
the first derivatives for each du alone; its rate times the speeds: the second ones. Jets are those
of `fibermsk.kernels.lines.material.jets`, motions those of `carried` there.

A section around a cylinder or a sphere lies in a plane with the basis (e, f), e towards its start,
centered on the surface: line, arc and line with the planar length Lambda; along the axis of a
cylinder it rises evenly. If it turns by less than the angle `blend`, it is a mean of this and of
the straight line, so that the points of a path that touches or leaves a surface have two continuous
derivatives.
"""

from __future__ import annotations

import numpy as np

from fibermsk._compile import inner, kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.material.carried import add_drivers, carry, fill_link
from fibermsk.kernels.lines.material.jets import (
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

BEFORE, ARC, AFTER = 0, 1, 2
"""Pieces of a wrapped section; a straight one is all `BEFORE`."""

CENTER, BASE_E, BASE_F, AXIS = 0, 3, 6, 9
ALPHA, PHI, FREE, LAMBDA, START, RISE, WEIGHT, RADIUS, SENSE = range(12, 21)
"""Rows of a wrapped section: vectors, angle from e to the arc, wrap angle, first free length,
planar length, place of the start along the axis, rise, weight of the wrapped path in the mean,
radius and sign of the winding. The last is zero of a straight section, which has no other."""
ROWS = 21


@inner
def get(array, r):
    """Row of an array as a jet."""
    return (
        (array[r, 0], array[r, 1], array[r, 2]),
        (array[r, 3], array[r, 4], array[r, 5]),
    )


@inner
def put(array, r, jet):
    """Store a jet in a row of an array."""
    array[r, 0], array[r, 1], array[r, 2] = jet[0]
    array[r, 3], array[r, 4], array[r, 5] = jet[1]


@inner
def weight_of(phi, blend):
    """Weight of the wrapped path at a wrap angle: 6 u^5 - 15 u^4 + 10 u^3 of u = phi / blend."""
    if not phi[0][0] < blend or blend == 0.0:
        return constant(1.0)
    u = scaled(1.0 / blend, phi)
    cubic = times(u, times(u, u))
    inside = plus(scaled(6.0, times(u, u)), plus(constant(10.0), scaled(-15.0, u)))
    return times(cubic, inside)


@inner
def product(a, b):
    """Inner product of two vectors of jets (3, 6)."""
    total = times(get(a, 0), get(b, 0))
    for r in range(1, 3):
        total = plus(total, times(get(a, r), get(b, r)))
    return total


@inner
def _less(a, c, b, out):
    """Fill out with a - c b, for vectors a, b and a jet c."""
    for r in range(3):
        put(out, r, minus(get(a, r), times(c, get(b, r))))


@inner
def _divide(a, c):
    """Divide a vector of jets by a jet."""
    for r in range(3):
        put(a, r, over(get(a, r), c))


@inner
def _turned(found, sine, cosine):
    """Angle of a cylinder's section from its start to its end, with the winding number."""
    turn = angle(sine, cosine)
    return ((found[DELTA], turn[0][1], turn[0][2]), turn[1])


@inner
def _fill_section(kind, r, blend, R, p, found, motion, o, i, out):
    """Fill out (ROWS, 6) with the section from o to i around a surface; returns its length.

    Of the surface: kind, radius r, angle of the blend, and frame R, p in the ground.
    """
    a, b, z_axis, axis = scratch((3, 6)), scratch((3, 6)), scratch(3), out[AXIS : AXIS + 3]
    e, f = out[BASE_E : BASE_E + 3], out[BASE_F : BASE_F + 3]
    one, rise = constant(1.0), constant(0.0)
    carry(motion, p, 1.0, out[CENTER : CENTER + 3])
    _less(o, one, out, a)
    _less(i, one, out, b)
    axis[:] = 0.0
    if kind == CYLINDER:
        for k in range(3):
            z_axis[k] = R[k, 2]
        carry(motion, z_axis, 0.0, axis)
        z, Z = product(a, axis), product(b, axis)
        _less(a, z, axis, a)
        _less(b, Z, axis, b)
        put(out, START, z)
        rise = minus(Z, z)
    else:
        put(out, START, rise)
    d_o, d_i = root(product(a, a)), root(product(b, b))
    for k in range(3):
        put(e, k, get(a, k))
    _divide(e, d_o)
    x = product(b, e)
    if kind == CYLINDER:
        for k in range(3):
            u, v = (k + 1) % 3, (k + 2) % 3
            put(f, k, minus(times(get(axis, u), get(e, v)), times(get(axis, v), get(e, u))))
        delta = _turned(found, product(b, f), x)
    else:
        _less(b, x, e, f)
        y = root(product(f, f))
        _divide(f, y)
        delta = angle(y, x)
    free, last = root(minus(times(d_o, d_o), constant(r * r))), constant(r)
    alpha = angle(free, last)
    last = root(minus(times(d_i, d_i), times(last, last)))
    turned = scaled(1.0 if delta[0][0] >= 0.0 else -1.0, delta)
    phi = minus(minus(turned, alpha), angle(last, constant(r)))
    Lambda = plus(plus(free, last), scaled(r, phi))
    put(out, ALPHA, alpha)
    put(out, PHI, phi)
    put(out, FREE, free)
    put(out, LAMBDA, Lambda)
    put(out, RISE, rise)
    weight = weight_of(phi, blend)
    put(out, WEIGHT, weight)
    out[RADIUS, 0] = r
    out[SENSE, 0] = -1.0 if kind == CYLINDER and found[DELTA] < 0.0 else 1.0
    length = root(plus(times(Lambda, Lambda), times(rise, rise)))
    if weight[0][0] == 1.0:
        return length
    _less(i, one, o, a)
    straight = root(product(a, a))
    return plus(straight, times(weight, minus(length, straight)))


@inner
def fill_paths(paths, S, moves, state, m, du, ddu, way, points, wraps, ends):
    """Fill the sections of muscle m and return their number n.

    The state is solved. points (n + 1, 3, 6) are the active path points, wraps (n, ROWS, 6) what is
    known of the sections, and ends (n + 1, 6) the lengths up to each point.
    """
    size, last, known, motion, line = 0, -1, -2, scratch((5, 6)), scratch((3, 6))
    ends[0] = 0.0
    for k in range(paths.start[m], paths.start[m + 1]):
        if not state.active[k]:
            continue
        if paths.link[k] != known:
            known = paths.link[k]
            fill_link(S, moves, known, du, ddu, way, motion)
        carry(motion, state.x[k], 1.0, points[size])
        if paths.moving[k] >= 0:
            add_drivers(paths, state, k, motion, S.shape[0], du, ddu, way, points[size])
        j = size - 1
        if size > 0 and state.wrapped[last] < 0:
            wraps[j, SENSE, 0] = 0.0
            _less(points[size], constant(1.0), points[j], line)
            put(ends, size, plus(get(ends, j), root(product(line, line))))
        elif size > 0:
            w = state.wrapped[last]
            if paths.wrap_link[w] != known:
                known = paths.wrap_link[w]
                fill_link(S, moves, known, du, ddu, way, motion)
            length = _fill_section(
                paths.kind[w], paths.radius[w], paths.blend[w], state.R[w], state.p[w],
                state.found[last], motion, points[j], points[size], wraps[j],
            )  # fmt: skip
            put(ends, size, plus(get(ends, j), length))
        last = k
        size += 1
    return size - 1


@inner
def place(at, j, piece, points, wraps, ends, out):
    """Fill out (3, 6) with the point at the length `at`, a jet, on a piece of section j."""
    share = over(minus(at, get(ends, j)), minus(get(ends, j + 1), get(ends, j)))
    o, i, own = points[j], points[j + 1], wraps[j]
    radius, sense = own[RADIUS, 0], own[SENSE, 0]
    if sense == 0.0 or own[WEIGHT, 0] < 1.0:
        for r in range(3):
            step = times(share, minus(get(i, r), get(o, r)))
            put(out, r, plus(get(o, r), step))
        if sense == 0.0:
            return
    run = minus(times(share, get(own, LAMBDA)), get(own, FREE))  # planar, from the arc on
    free, turn, phi = constant(0.0), constant(0.0), get(own, PHI)
    if piece == BEFORE:
        free = run
    elif piece == ARC:
        turn = scaled(1.0 / radius, run)
    else:
        turn, free = phi, minus(run, scaled(radius, phi))
    c, s = cosine_and_sine(scaled(sense, plus(get(own, ALPHA), turn)))
    aside = scaled(sense, free)
    u = minus(scaled(radius, c), times(aside, s))
    v = plus(scaled(radius, s), times(aside, c))
    z = plus(get(own, START), times(share, get(own, RISE)))
    for r in range(3):
        flat = plus(times(u, get(own, BASE_E + r)), times(v, get(own, BASE_F + r)))
        up = times(z, get(own, AXIS + r))
        point = plus(get(own, CENTER + r), plus(flat, up))
        if own[WEIGHT, 0] < 1.0:
            straight = get(out, r)
            point = plus(straight, times(get(own, WEIGHT), minus(point, straight)))
        put(out, r, point)


@inner
def piece_at(n, wraps, ends, at):
    """Section and piece at a length from the origin."""
    j, piece = 0, BEFORE
    while j + 1 < n and (ends[j + 1, 0] < at or ends[j + 1, 0] == ends[j, 0]):
        j += 1
    own = wraps[j]
    if own[SENSE, 0] != 0.0:
        share = (at - ends[j, 0]) / (ends[j + 1, 0] - ends[j, 0])
        run = share * own[LAMBDA, 0] - own[FREE, 0]
        piece = BEFORE if run < 0.0 else ARC if run <= own[RADIUS, 0] * own[PHI, 0] else AFTER
    return j, piece


@kernel
def fill_along(paths, S, moves, state, m, fractions, du, ddu, way, out):
    """Fill out (n_fractions, 3, 6) with points of muscle m.

    The state is solved. At a via point the derivatives are those before it.
    """
    n = paths.start[m + 1] - paths.start[m]
    points, wraps, ends = np.empty((n, 3, 6)), np.empty((n, ROWS, 6)), np.empty((n, 6))
    size = fill_paths(paths, S, moves, state, m, du, ddu, way, points, wraps, ends)
    L = get(ends, size)
    for k in range(fractions.size):
        at = scaled(fractions[k], L)
        j, piece = piece_at(size, wraps, ends, at[0][0])
        place(at, j, piece, points, wraps, ends, out[k])

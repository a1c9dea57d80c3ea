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

from fibermsk._compile import inlined, inner_body, kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.material.carried import add_drivers, carry, fill_link
from fibermsk.kernels.lines.material.chains import chains_of
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
from fibermsk.kernels.lines.material.tangent import (
    bent_there,
    fill_chain,
    place_on_chain,
    weight_of,
)
from fibermsk.kernels.lines.material.vectors import cross_of, divide, get, less, product, put
from fibermsk.kernels.lines.path_arrays import CYLINDER
from fibermsk.kernels.lines.section import DELTA

BEFORE, ARC, AFTER = 0, 1, 2
"""Pieces of a wrapped section; a straight one is all `BEFORE`."""

FOOT, STEEP = 0, 3
"""Rows of a straight section, vectors: x = foot + alpha steep."""
CENTER, BASE_E, BASE_F, AXIS = 0, 3, 6, 9
ALPHA, PHI, FREE, LAMBDA, START, RISE, WEIGHT, RADIUS, SENSE = range(12, 21)
"""Rows of a wrapped section: vectors, angle from e to the arc, wrap angle, first free length,
planar length, place of the start along the axis, rise, weight of the wrapped path in the mean,
radius and sign of the winding. The last is zero of a straight section."""
ROWS = 21
CHAINED = 2.0
"""In the place of the sign: a section over a chain of surfaces, known elsewhere."""


@inner_body
def _turned(found, sine, cosine):
    """Angle of a cylinder's section from its start to its end, with the winding number."""
    turn = angle(sine, cosine)
    return ((found[DELTA], turn[0][1], turn[0][2]), turn[1])


@inner_body
def _fill_section(kind, r, blend, R, p, found, motion, o, i, out):
    """Fill out (ROWS, 6) with the section from o to i around a surface; returns its length.

    Of the surface: kind, radius r, angle of the blend, and frame R, p in the ground.
    """
    a, b, z_axis, axis = scratch((3, 6)), scratch((3, 6)), scratch(3), out[AXIS : AXIS + 3]
    e, f = out[BASE_E : BASE_E + 3], out[BASE_F : BASE_F + 3]
    one, rise = constant(1.0), constant(0.0)
    carry(motion, p, 1.0, out[CENTER : CENTER + 3])
    less(o, one, out, a)
    less(i, one, out, b)
    axis[:] = 0.0
    if kind == CYLINDER:
        for k in range(3):
            z_axis[k] = R[k, 2]
        carry(motion, z_axis, 0.0, axis)
        z, Z = product(a, axis), product(b, axis)
        less(a, z, axis, a)
        less(b, Z, axis, b)
        put(out, START, z)
        rise = minus(Z, z)
    else:
        put(out, START, rise)
    d_o, d_i = root(product(a, a)), root(product(b, b))
    for k in range(3):
        put(e, k, get(a, k))
    divide(e, d_o)
    x = product(b, e)
    if kind == CYLINDER:
        cross_of(axis, e, f)
        delta = _turned(found, product(b, f), x)
    else:
        less(b, x, e, f)
        y = root(product(f, f))
        divide(f, y)
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
    less(i, one, o, a)
    straight = root(product(a, a))
    return plus(straight, times(weight, minus(length, straight)))


@inner_body
def fill_paths(paths, S, moves, state, m, chains, du, ddu, way, points, wraps, ends):
    """Fill the sections of muscle m and return their number n.

    The state is solved, and chains prepared of it; None if the muscle has none, as in all that
    takes them: then nothing of them is compiled. points (n + 1, 3, 6) are the active path points,
    wraps (n, ROWS, 6) what is known of the sections, and ends (n + 1, 6) the lengths up to each
    point.
    """
    size, last, known, motion = 0, -1, -2, scratch((5, 6))
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
        if chains is not None:
            if size > 0 and chains.section[j, 1] > 0:
                wraps[j, SENSE, 0] = CHAINED
                o, i = points[j], points[size]
                length = fill_chain(paths, S, moves, state, chains, j, du, ddu, way, o, i)
                put(ends, size, plus(get(ends, j), length))
                last, size = k, size + 1
                continue
        if size > 0 and state.wrapped[last] < 0:
            own = wraps[j]
            own[SENSE, 0] = 0.0
            less(points[size], constant(1.0), points[j], own[STEEP : STEEP + 3])
            length = _normalized(own[STEEP : STEEP + 3])
            put(ends, size, plus(get(ends, j), length))
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
    size -= 1
    for j in range(size):
        own = wraps[j]
        if own[SENSE, 0] == 0.0:
            less(points[j], get(ends, j), own[STEEP : STEEP + 3], own[FOOT : FOOT + 3])
            for r in range(STEEP, STEEP + 3):
                put(own, r, times(get(ends, size), get(own, r)))
    return size


@inner_body
def _normalized(a):
    """Divide a vector by its length, and return that."""
    length = root(product(a, a))
    inverse = over(constant(1.0), length)
    for r in range(3):
        put(a, r, times(inverse, get(a, r)))
    return length


@inlined
def place(paths, chains, alpha, n, j, piece, points, wraps, ends, out):
    """Fill out (3, 6) with the point at a fraction of the length, on a piece of section j of n."""
    own = wraps[j]
    if own[SENSE, 0] == 0.0:
        for r in range(3):
            put(out, r, plus(get(own, FOOT + r), scaled(alpha, get(own, STEEP + r))))
        return
    run = minus(scaled(alpha, get(ends, n)), get(ends, j))
    share = over(run, minus(get(ends, j + 1), get(ends, j)))
    if chains is not None:
        if own[SENSE, 0] == CHAINED:
            place_on_chain(paths, chains, j, share, piece, points[j], points[j + 1], out)
            return
    _place_in_plane(share, piece, points[j], points[j + 1], own, out)


@inner_body
def _place_in_plane(share, piece, o, i, own, out):
    """As `place`, at a share of the length of a section around one surface from o to i."""
    radius, sense = own[RADIUS, 0], own[SENSE, 0]
    if own[WEIGHT, 0] < 1.0:
        for r in range(3):
            step = times(share, minus(get(i, r), get(o, r)))
            put(out, r, plus(get(o, r), step))
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


@inlined
def pieces_of(chains, wraps, j):
    """Number of the pieces of section j."""
    if chains is not None:
        if wraps[j, SENSE, 0] == CHAINED:
            return chains.section[j, 3] + 1
    return 1 if wraps[j, SENSE, 0] == 0.0 else 3


@inlined
def bends(chains, wraps, j, piece):
    """Whether a piece of section j is an arc."""
    if chains is not None:
        if wraps[j, SENSE, 0] == CHAINED:
            return bent_there(chains, j, piece)
    return piece == ARC


@inlined
def share_at(chains, wraps, j, piece):
    """Share of the length of section j at which a piece starts, which is not the first one."""
    own = wraps[j]
    if chains is not None:
        if own[SENSE, 0] == CHAINED:
            return get(chains.share, chains.section[j, 2] + piece - 1)
    planar = get(own, FREE)
    if piece == AFTER:
        planar = plus(planar, scaled(own[RADIUS, 0], get(own, PHI)))
    return over(planar, get(own, LAMBDA))


@inner_body
def piece_at(n, chains, wraps, ends, at):
    """Section and piece at a length from the origin."""
    j, piece = 0, BEFORE
    while j + 1 < n and (ends[j + 1, 0] < at or ends[j + 1, 0] == ends[j, 0]):
        j += 1
    share = (at - ends[j, 0]) / (ends[j + 1, 0] - ends[j, 0])
    last = pieces_of(chains, wraps, j) - 1
    while piece < last and share > share_at(chains, wraps, j, piece + 1)[0][0]:
        piece += 1
    return j, piece


@kernel
def fill_along(paths, S, moves, state, m, fractions, du, ddu, way, out, chained=None):
    """Fill out (n_fractions, 3, 6) with points of muscle m.

    The state is solved. At a via point the derivatives are those before it. With None for
    ``chained`` no section may be a chain.
    """
    n, chains = paths.start[m + 1] - paths.start[m], None
    if chained is not None:
        chains = chains_of(paths, state, m, -1)
    points, wraps, ends = np.empty((n, 3, 6)), np.empty((n, ROWS, 6)), np.empty((n, 6))
    size = fill_paths(paths, S, moves, state, m, chains, du, ddu, way, points, wraps, ends)
    for k in range(fractions.size):
        j, piece = piece_at(size, chains, wraps, ends, fractions[k] * ends[size, 0])
        place(paths, chains, fractions[k], size, j, piece, points, wraps, ends, out[k])

"""Inertia and weight of a muscle whose mass is spread along its path.

The velocity of the material is discontinuous at via points, which move through it, so the integrals
over the fraction alpha of the length run from corner to corner and along each line and arc. Symbols:
``s`` fraction at a corner, ``tau`` = dx/dalpha, ``[.]`` what is after a corner minus what is before,
``u`` axes and drivers. With the density rho of the mass over alpha, the generalized forces are

    r_a = int rho x_a.(x'' - g) dalpha + sum over corners rho s'^2 (x_a.[tau] - s_a [tau.tau] / 2)
"""

from __future__ import annotations

import numpy as np

from fibermsk._compile import kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.along import (
    AFTER,
    ALPHA,
    ARC,
    AXIS,
    BASE_E,
    BASE_F,
    BEFORE,
    FREE,
    LAMBDA,
    LENGTH,
    PHI,
    RISE,
    ROWS,
    fill_paths,
    get,
    place,
    put,
    sense_of,
)
from fibermsk.kernels.lines.jets import (
    cosine_and_sine,
    over,
    plus,
    scaled,
    times,
)


@kernel
def _density(alpha, knots, densities):
    """Density at a fraction, linear between knots; zero outside."""
    if alpha < knots[0] or alpha > knots[-1]:
        return 0.0
    k = min(max(np.searchsorted(knots, alpha, side="right") - 1, 0), knots.size - 2)
    share = (alpha - knots[k]) / (knots[k + 1] - knots[k])
    return (1.0 - share) * densities[k] + share * densities[k + 1]


@kernel
def _fill_intervals(paths, state, n, wraps, ends, begin, knots, interval, edge):
    """Split a path where its material meets corners, tangent points and knots.

    Fills interval (k, 2) with fractions; and edge (k, 3, 2) with the section and piece of each, and
    those that start at its ends, -1 for a knot. Returns k.
    """
    size, L = 0, ends[n, 0]
    for j in range(n):
        own, wrapped, at = wraps[j], state.wrapped[begin[j]] >= 0, ends[j, 0]
        for part in range(3 if wrapped else 1):
            low, at = at, ends[j + 1, 0]
            if wrapped and part != AFTER:
                planar = own[FREE, 0]
                if part == ARC:
                    planar += own[PHI, 0] * paths.radius[state.wrapped[begin[j]]]
                at = ends[j, 0] + planar * own[LENGTH, 0] / own[LAMBDA, 0]
            first, last = max(low / L, knots[0]), min(at / L, knots[-1])
            while first < last:
                k = np.searchsorted(knots, first, side="right")
                end = min(last, knots[k])
                interval[size, 0], interval[size, 1] = first, end
                edge[size, :2, 0], edge[size, :2, 1] = j, part
                whole = not wrapped or part == AFTER
                edge[size, 2, 0], edge[size, 2, 1] = (j + 1, BEFORE) if whole else (j, part + 1)
                if first > low / L:
                    edge[size, 1, 0] = -1
                if end < at / L:
                    edge[size, 2, 0] = -1
                size += 1
                first = end
    return size


@kernel
def _boundary(paths, state, j, part, wraps, ends, n, begin):
    """Fraction at the start of a piece, as a jet."""
    at = get(ends, j)
    if part != BEFORE:
        own = wraps[j]
        planar = get(own, FREE)
        if part == AFTER:
            planar = plus(planar, scaled(paths.radius[state.wrapped[begin[j]]], get(own, PHI)))
        at = plus(at, times(planar, over(get(own, LENGTH), get(own, LAMBDA))))
    return over(at, get(ends, n))


@kernel
def _fill_direction(paths, state, j, at_end, points, wraps, ends, n, begin, out):
    """Fill out (3, 6) with tau at the start or the end of section j."""
    L, w = get(ends, n), state.wrapped[begin[j]]
    if w < 0:
        length = plus(get(ends, j + 1), scaled(-1.0, get(ends, j)))
        for r in range(3):
            step = plus(get(points[j + 1], r), scaled(-1.0, get(points[j], r)))
            put(out, r, times(step, over(L, length)))
        return
    own, sense = wraps[j], sense_of(paths.kind[w], state.found[begin[j]])
    turned = get(own, ALPHA)
    if at_end:
        turned = plus(turned, get(own, PHI))
    c, s = cosine_and_sine(scaled(sense, turned))
    planar, rise = over(get(own, LAMBDA), get(own, LENGTH)), over(get(own, RISE), get(own, LENGTH))
    for r in range(3):
        flat = plus(times(c, get(own, BASE_F + r)), scaled(-1.0, times(s, get(own, BASE_E + r))))
        t = plus(scaled(sense, times(planar, flat)), times(rise, get(own, AXIS + r)))
        put(out, r, times(L, t))


@kernel
def _dot(a, i, b, j):
    return a[0, i] * b[0, j] + a[1, i] * b[1, j] + a[2, i] * b[2, j]


@kernel
def fill_mass(
    paths, S, moves, state, m, knots, densities, line, arc, speed, rate, gravity, axes, r, M, dq, dp
):
    """Add generalized forces of the mass of muscle m to r (n_u,); returns its energies.

    Parameters
    ----------
    paths, S, moves, state, m
        Solved paths, and the muscle.
    knots, densities : (n_knots,) float array
        Density of the mass over the fraction of the length [kg], linear between knots.
    line, arc : (2, n_nodes) float array
        Nodes and weights on [0, 1] of quadratures with both ends, for lines and arcs.
    speed, rate : (n_u,) float array
        Rates and accelerations of axes and drivers.
    gravity : (3,) float array
        [m/s^2].
    axes : (n_own,) int array
        Axes and drivers that move the path.
    r : (n_u,) float array
        Generalized forces: inertia minus weight.
    M, dq, dp : (n_u, n_u) float array
        Derivatives by accelerations, positions and speeds, added; empty: only r.

    Returns
    -------
    kinetic, potential : float
        Energies [J].
    """
    n_own, n = axes.size, paths.start[m + 1] - paths.start[m]
    points, wraps, ends = np.empty((n, 3, 6)), np.empty((n, ROWS, 6)), np.empty((n, 6))
    begin, most = np.empty(n, np.int64), 3 * n + knots.size
    interval, edge = np.empty((most, 2)), np.empty((most, 3, 2), np.int64)
    way, rest, one = np.zeros(speed.size), np.zeros(speed.size), np.zeros(speed.size)
    n_nodes = max(line.shape[1], arc.shape[1])
    second = M.size > 0
    # of each own axis b: x_b, x'_b and x''_b of the nodes, in the last entry x', x'' - g and x
    found = np.empty((n_own + 1, most, n_nodes, 3, 3))
    moved = np.zeros((n_own, most, 2))  # of the ends of each interval
    # of each corner: point, tau before and after, fraction
    corner = np.empty((n_own, n, 10, 6))
    x, size, sections, kinetic, potential = scratch((3, 6)), 0, 0, 0.0, 0.0
    for b in range(n_own):
        way[axes[b]] = 1.0
        sections = fill_paths(
            paths, S, moves, state, m, speed, rate, way, points, wraps, ends, begin
        )
        way[axes[b]] = 0.0
        if b == 0:
            arguments = wraps, ends, begin, knots, interval, edge
            size = _fill_intervals(paths, state, sections, *arguments)
        L = get(ends, sections)
        for k in range(size):
            j, part = edge[k, 0]
            for end in range(2):
                to, then = edge[k, 1 + end]
                if to >= 0:
                    at = _boundary(paths, state, to, then, wraps, ends, sections, begin)
                    moved[b, k, end] = at[1][0]
            w = state.wrapped[begin[j]]
            radius = paths.radius[w] if w >= 0 else 0.0
            sense = sense_of(paths.kind[w], state.found[begin[j]]) if w >= 0 else 1.0
            rule = arc if part == ARC else line
            for g in range(rule.shape[1]):
                alpha = interval[k, 0] + rule[0, g] * (interval[k, 1] - interval[k, 0])
                at = scaled(alpha, L)
                place(at, part, j, w >= 0, radius, sense, points, wraps, ends, x)
                for c in range(3):
                    for d in range(3):
                        found[b, k, g, d, c] = x[c, 3 + d]
                    if b == 0:
                        found[n_own, k, g, 0, c] = x[c, 1]
                        found[n_own, k, g, 1, c] = x[c, 2] - gravity[c]
                        found[n_own, k, g, 2, c] = x[c, 0]
        for i in range(1, sections):
            arguments = points, wraps, ends, sections, begin
            own = corner[b, i]
            own[:3] = points[i]
            _fill_direction(paths, state, i - 1, True, *arguments, own[3:6])
            _fill_direction(paths, state, i, False, *arguments, own[6:9])
            put(own, 9, over(get(ends, i), L))
    weight = np.zeros((most, n_nodes))
    for k in range(size):
        rule = arc if edge[k, 0, 1] == ARC else line
        span = interval[k, 1] - interval[k, 0]
        for g in range(rule.shape[1]):
            alpha = interval[k, 0] + rule[0, g] * span
            weight[k, g] = rule[1, g] * span * _density(alpha, knots, densities)
            v, f, at = found[n_own, k, g]
            for c in range(3):
                kinetic += 0.5 * weight[k, g] * v[c] * v[c]
                potential -= weight[k, g] * gravity[c] * at[c]
            for a in range(n_own):
                J = found[a, k, g, 0]
                for c in range(3):
                    r[axes[a]] += weight[k, g] * J[c] * f[c]
                for b in range(n_own if second else 0):
                    to, then = axes[a], axes[b]
                    for c in range(3):
                        M[to, then] += weight[k, g] * J[c] * found[b, k, g, 0, c]
                        dp[to, then] += 2.0 * weight[k, g] * J[c] * found[b, k, g, 1, c]
                        dq[to, then] += weight[k, g] * J[c] * found[b, k, g, 2, c]
        if not second:
            continue
        for end in range(2):
            g = 0 if end == 0 else rule.shape[1] - 1
            density = (2.0 * end - 1.0) * _density(interval[k, end], knots, densities)
            for a in range(n_own):
                h = 0.0
                for c in range(3):
                    h += found[a, k, g, 0, c] * found[n_own, k, g, 1, c]
                for b in range(n_own):
                    dq[axes[a], axes[b]] += density * h * moved[b, k, end]
    for i in range(1, sections):
        density = _density(corner[0, i, 9, 0], knots, densities)
        speed_s = corner[0, i, 9, 1]
        for a in range(n_own):
            own = corner[a, i]
            to = axes[a]
            value = _kick(own, own)
            r[to] += density * speed_s * speed_s * value
            for b in range(n_own if second else 0):
                by = corner[b, i]
                dp[to, axes[b]] += 2.0 * density * speed_s * by[9, 3] * value
                dq[to, axes[b]] += 2.0 * density * speed_s * by[9, 4] * value
                dq[to, axes[b]] += _slope_of_density(corner[0, i, 9, 0], knots, densities) * (
                    by[9, 3] * speed_s * speed_s * value
                )
                change = 0.0
                for c in range(3):
                    change += own[c, 3] * (by[6 + c, 3] - by[3 + c, 3])
                    squares = own[6 + c, 0] * by[6 + c, 3] - own[3 + c, 0] * by[3 + c, 3]
                    change -= own[9, 3] * squares
                dq[to, axes[b]] += density * speed_s * speed_s * change
    if not second:
        return kinetic, potential
    for a in range(n_own):
        one[axes[a]] = 1.0
        for b in range(a, n_own):
            way[axes[b]] = 1.0
            fill_paths(paths, S, moves, state, m, one, rest, way, points, wraps, ends, begin)
            way[axes[b]] = 0.0
            L, total = get(ends, sections), 0.0
            for k in range(size):
                j, part = edge[k, 0]
                w = state.wrapped[begin[j]]
                radius = paths.radius[w] if w >= 0 else 0.0
                sense = sense_of(paths.kind[w], state.found[begin[j]]) if w >= 0 else 1.0
                rule = arc if part == ARC else line
                for g in range(rule.shape[1]):
                    alpha = interval[k, 0] + rule[0, g] * (interval[k, 1] - interval[k, 0])
                    at = scaled(alpha, L)
                    place(at, part, j, w >= 0, radius, sense, points, wraps, ends, x)
                    for c in range(3):
                        total += weight[k, g] * x[c, 4] * found[n_own, k, g, 1, c]
            for i in range(1, sections):
                own = corner[0, i]
                bend, change = over(get(ends, i), L)[1][1], 0.0
                for c in range(3):
                    before, after = own[3 + c, 0], own[6 + c, 0]
                    change += points[i, c, 4] * (after - before)
                    change -= 0.5 * bend * (after * after - before * before)
                density = _density(own[9, 0], knots, densities)
                total += density * own[9, 1] * own[9, 1] * change
            dq[axes[a], axes[b]] += total
            if a != b:
                dq[axes[b], axes[a]] += total
        one[axes[a]] = 0.0
    return kinetic, potential


@kernel
def _slope_of_density(alpha, knots, densities):
    """Derivative of the density at a fraction."""
    if alpha < knots[0] or alpha > knots[-1]:
        return 0.0
    k = min(max(np.searchsorted(knots, alpha, side="right") - 1, 0), knots.size - 2)
    return (densities[k + 1] - densities[k]) / (knots[k + 1] - knots[k])


@kernel
def _kick(own, at):
    """x_a.[tau] - s_a [tau.tau] / 2 of a corner."""
    value = 0.0
    for c in range(3):
        before, after = at[3 + c, 0], at[6 + c, 0]
        value += own[c, 3] * (after - before)
        value -= 0.5 * own[9, 3] * (after * after - before * before)
    return value

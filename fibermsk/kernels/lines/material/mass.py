"""Inertia and weight of the mass of a muscle that moves with its path.

Symbols: ``alpha`` fraction of the length, ``rho`` mass over it, ``s`` fraction at a via point,
``tau`` = dx/dalpha, ``[.]`` what is after a via point minus what is before, ``u`` axes and drivers,
``a``, ``b`` columns of `fibermsk.kernels.lines.material.columns`.
By Lagrange's equations the generalized forces of a continuous mass are

    r_a = int rho x_a.(x'' - g) dalpha
          + sum over via points rho s'^2 (x_a.[tau] - s_a [tau.tau] / 2)
"""

from __future__ import annotations

from fibermsk._compile import inlined, inner_body, kernel
from fibermsk.kernels.lines.material.along import (
    ALPHA,
    AXIS,
    BASE_E,
    BASE_F,
    CHAINED,
    FOOT,
    LAMBDA,
    PHI,
    RISE,
    SENSE,
    STEEP,
    WEIGHT,
    fill_paths,
    place,
)
from fibermsk.kernels.lines.material.chains import chains_of
from fibermsk.kernels.lines.material.columns import count_pairs, fill_pair, fill_way, pair_at
from fibermsk.kernels.lines.material.common import (
    FRACTION,
    TAU_AFTER,
    TAU_BEFORE,
    move_common,
    turn_all,
)
from fibermsk.kernels.lines.material.jets import cosine_and_sine, minus, over, plus, scaled, times
from fibermsk.kernels.lines.material.nodes import density_at, edge_fraction, fill_nodes, fill_points
from fibermsk.kernels.lines.material.sums import add_nodes
from fibermsk.kernels.lines.material.tangent import fill_end_way
from fibermsk.kernels.lines.material.vectors import copy, get, put
from fibermsk.kernels.lines.material.work import clear, new_work

TWICE, VARIED = 2, 4
"""Entries of jets that are second derivatives by one column, and by two."""


@inner_body
def _fill_tau(j, at_end, chains, points, wraps, ends, n, out):
    """Fill out (3, 6) with dx/dalpha at the start or the end of section j."""
    own, sense = wraps[j], wraps[j, SENSE, 0]
    if sense == 0.0:
        copy(own[STEEP : STEEP + 3], out)
        return
    steep = over(get(ends, n), minus(get(ends, j + 1), get(ends, j)))
    if chains is not None:
        if sense == CHAINED:
            fill_end_way(chains, j, at_end, points[j], points[j + 1], out)
            for r in range(3):
                put(out, r, times(steep, get(out, r)))
            return
    for r in range(3):
        put(out, r, times(steep, minus(get(points[j + 1], r), get(points[j], r))))
    turned = get(own, ALPHA)
    if at_end:
        turned = plus(turned, get(own, PHI))
    c, s = cosine_and_sine(scaled(sense, turned))
    for r in range(3):
        flat = minus(times(c, get(own, BASE_F + r)), times(s, get(own, BASE_E + r)))
        way = scaled(sense, times(get(own, LAMBDA), flat))
        way = times(steep, plus(way, times(get(own, RISE), get(own, AXIS + r))))
        put(out, r, plus(get(out, r), times(get(own, WEIGHT), minus(way, get(out, r)))))


@inner_body
def _add_via(density, slope, rate, columns, via, r, M, dq, dp):
    """Add the terms of a via point, without those of second derivatives; via (n_own, rows, 6)."""
    for a in range(columns.size):
        own, to, value = via[a], columns[a], 0.0
        for c in range(3):
            before, after = own[TAU_BEFORE + c, 0], own[TAU_AFTER + c, 0]
            value += own[c, 3] * (after - before)
            value -= 0.5 * own[FRACTION, 3] * (after * after - before * before)
        r[to] += density * rate * rate * value
        for b in range(columns.size if M.size else 0):
            by, change = via[b], 0.0
            for c in range(3):
                before, after = by[TAU_BEFORE + c, 3], by[TAU_AFTER + c, 3]
                change += own[c, 3] * (after - before)
                squares = own[TAU_AFTER + c, 0] * after - own[TAU_BEFORE + c, 0] * before
                change -= own[FRACTION, 3] * squares
            s_b, rate_b = by[FRACTION, 3], by[FRACTION, 4]
            dp[to, columns[b]] += 2.0 * density * rate * s_b * value
            dq[to, columns[b]] += (2.0 * density * rate_b + slope * s_b * rate) * rate * value
            dq[to, columns[b]] += density * rate * rate * change


@inner_body
def _place_nodes(paths, chains, alpha, where, nodes, curved, n, points, wraps, ends, out):
    """Fill out (nodes, 3, 6) with the nodes of n sections, if `curved` only of those that bend."""
    for k in range(nodes):
        j, piece = where[k, 0], where[k, 1]
        if not (curved and wraps[j, SENSE, 0] == 0.0):
            place(paths, chains, alpha[k], n, j, piece, points, wraps, ends, out[k])


@inner_body
def _sum_on_lines(nodes, alpha, weight, where, wraps, motion, out):
    """Add to out (n, 2, 3) the forces of the nodes on straight sections, and alpha times these."""
    for k in range(nodes):
        j = where[k, 0]
        for c in range(3 if wraps[j, SENSE, 0] == 0.0 else 0):
            out[j, 0, c] += weight[k] * motion[k, 1, c]
            out[j, 1, c] += alpha[k] * weight[k] * motion[k, 1, c]


@inlined
def _pulled(entry, sections, n_via, nodes, work):
    """Forces on nodes and via points times an entry of the jets of these, of straight sections."""
    wraps, motion, x, via, total = work.wraps, work.motion, work.x, work.via, 0.0
    for j in range(sections):
        for c in range(3 if wraps[j, SENSE, 0] == 0.0 else 0):
            total += work.pull[j, 0, c] * wraps[j, FOOT + c, entry]
            total += work.pull[j, 1, c] * wraps[j, STEEP + c, entry]
    for k in range(nodes):
        for c in range(0 if wraps[work.where[k, 0], SENSE, 0] == 0.0 else 3):
            total += work.weight[k] * motion[k, 1, c] * x[k, c, entry]
    for i in range(1, n_via):
        own, change = via[0, i], 0.0
        fraction = over(get(work.ends, i), get(work.ends, sections))
        twice = fraction[0][2] if entry == TWICE else fraction[1][1]
        for c in range(3):
            before, after = own[TAU_BEFORE + c, 0], own[TAU_AFTER + c, 0]
            change += work.points[i, c, entry] * (after - before)
            change -= 0.5 * twice * (after * after - before * before)
        total += work.dens[i] * own[FRACTION, 1] * own[FRACTION, 1] * change
    return total


@kernel
def fill_masses(
    paths, S, moves, state, muscles, chosen, chained, knot_start, knots, densities, at_points,
    line, arc, speed, rate, gravity, movers, ways, r, M, dq, dp,
):  # fmt: skip
    """Add generalized forces of the mass of muscles; returns the sums of their energies.

    Arguments are those of `fill_mass`, for each one k chosen (n,) of muscles; its knots are those
    from its start on. With None for ``chained`` none may have a chain.
    """
    kinetic, potential, chains, rule = 0.0, 0.0, None, max(line.shape[1], arc.shape[1])
    n, n_own, n_knots = 0, 0, 0
    for k in chosen:
        n = max(n, paths.start[muscles[k] + 1] - paths.start[muscles[k]])
        n_own = max(n_own, movers.column_start[k + 1] - movers.column_start[k])
        n_knots = max(n_knots, knot_start[k + 1] - knot_start[k])
    work = new_work(n, n_own, speed.size, 3 * n + n_knots, rule)
    for k in chosen:
        m, own = muscles[k], slice(knot_start[k], knot_start[k + 1])
        axes = movers.axes[movers.axis_start[k] : movers.axis_start[k + 1]]
        columns = movers.columns[movers.column_start[k] : movers.column_start[k + 1]]
        if chained is not None:
            chains = chains_of(paths, state, m, -1)
            work = new_work(n, n_own, speed.size, 3 * n + n_knots + chains.share.shape[0], rule)
        found = fill_mass(
            paths, S, moves, state, m, chains, knots[own], densities[own], at_points[k], line, arc,
            speed, rate, gravity, axes, movers.n_common[k], columns, ways, work, r, M, dq, dp,
        )  # fmt: skip
        kinetic += found[0]
        potential += found[1]
    return kinetic, potential


@inner_body
def fill_mass(
    paths, S, moves, state, m, chains, knots, densities, at_points, line, arc, speed, rate,
    gravity, axes, n_common, columns, ways, work, r, M, dq, dp,
):  # fmt: skip
    """Add generalized forces of the mass of muscle m, inertia minus weight; returns its energies.

    Parameters
    ----------
    paths, S, moves, state, m
        Solved paths, and the muscle.
    chains
        Its sections over chains; None if no section is one: then nothing of chains is compiled.
    knots, densities : (n,) float array
        Mass over the fraction of the length [kg], linear between knots; or, `at_points`, mass
        points [kg].
    at_points : bool
        Whether the mass is at the knots.
    line, arc : (2, k) float array
        Quadratures; see `fibermsk.kernels.lines.material.nodes.fill_nodes`.
    speed, rate : (n_u,) float array
        Rates and accelerations of axes and drivers.
    gravity : (3,) float array
        [m/s^2].
    axes, n_common, columns, ways
        What moves the path; see `fibermsk.kernels.lines.material.columns`.
    work
        Work space; see `fibermsk.kernels.lines.material.work`.
    r : (n_u + n,) float array
        Generalized forces.
    M, dq, dp : (n_u + n, n_u + n) float array
        Their derivatives by accelerations, positions and speeds; empty: not added.

    Returns
    -------
    kinetic, potential : float
        Energies [J].
    """
    n_own, n_u = columns.size, speed.size
    points, wraps, ends = work.points, work.wraps, work.ends
    alpha, weight, where, edge, sided = work.alpha, work.weight, work.where, work.edge, work.sided
    found, motion, x, passed, via = work.found, work.motion, work.x, work.passed, work.via
    way, one, bent = work.way, work.one, work.bent
    common, others = columns[:n_common], axes[n_common:]
    clear(work)
    nodes, edges, sections, first = 0, 0, 0, max(0, min(n_common, n_own - 1))
    for b in range(first, max(n_own, 1)):
        if b >= n_common and b < n_own:
            fill_way(ways, columns[b] - n_u, others, way)
        moved = speed, rate, way
        sections = fill_paths(paths, S, moves, state, m, chains, *moved, points, wraps, ends)
        if b == first and at_points:
            nodes = fill_points(sections, chains, wraps, ends, knots, alpha, where)
            for k in range(nodes):
                weight[k] = densities[k]
        elif b == first:
            arguments = knots, densities, line, arc, alpha, weight, where, edge, sided
            nodes, edges = fill_nodes(sections, chains, wraps, ends, *arguments)
        placed = chains, alpha, where, nodes, False, sections, points, wraps, ends
        _place_nodes(paths, *placed, x)
        for k in range(nodes):
            for c in range(3):
                for d in range(3 if n_own else 0):
                    found[d, k, c, b] = x[k, c, 3 + d]
                motion[k, 0, c], motion[k, 1, c] = x[k, c, 1], x[k, c, 2] - gravity[c]
                motion[k, 2, c] = x[k, c, 0]
        for k in range(edges if n_own else 0):
            j, piece = edge[k, 1], edge[k, 2]
            passed[b, k] = edge_fraction(j, piece, chains, wraps, ends, sections)[1][0]
        for i in range(1, 1 if at_points else sections):
            arguments = chains, points, wraps, ends, sections
            copy(points[i], via[b, i, :3])
            _fill_tau(i - 1, True, *arguments, via[b, i, TAU_BEFORE:TAU_AFTER])
            _fill_tau(i, False, *arguments, via[b, i, TAU_AFTER:FRACTION])
            put(via[b, i], FRACTION, over(get(ends, i), get(ends, sections)))
    n_via = 1 if at_points else sections
    move_common(S, common, first, speed, rate, gravity, found, motion, nodes, via, n_via)
    kinetic, potential = add_nodes(
        found, motion, nodes, weight, gravity, columns, work.sums, r, M, dq, dp
    )  # fmt: skip
    second = M.size > 0
    # the ends of the integrals move through the material
    for k in range(edges if second else 0):
        f = motion[edge[k, 0], 1]
        for a in range(n_own):
            J = found[0, edge[k, 0], :, a]
            h = sided[k] * (J[0] * f[0] + J[1] * f[1] + J[2] * f[2])
            for b in range(n_common, n_own):
                dq[columns[a], columns[b]] += h * passed[b, k]
    dens = work.dens
    for i in range(1, n_via):
        density, slope = density_at(via[0, i, FRACTION, 0], knots, densities)
        dens[i] = density
        _add_via(density, slope, via[0, i, FRACTION, 1], columns, via[:, i], r, M, dq, dp)
    if not second:
        return kinetic, potential
    # second derivatives of the points
    for a in range(n_common):
        direction, total = S[columns[a], :3], work.sums[0, 0]
        turn_all(
            direction, columns, a, weight, found, motion, nodes, dens, via, n_via, total, dq
        )  # fmt: skip
    pull = work.pull
    _sum_on_lines(nodes, alpha, weight, where, wraps, motion, pull)
    n = n_own - n_common
    for k in range(count_pairs(n)):
        a, b, once, across = pair_at(n, k)
        a, b = n_common + a, n_common + b
        related = fill_pair(ways, columns[a] - n_u, columns[b] - n_u, others, one, bent, way)
        if not (once or (across and related)):
            continue
        fill_paths(paths, S, moves, state, m, chains, one, bent, way, points, wraps, ends)
        curved = chains, alpha, where, nodes, True, sections, points, wraps, ends
        _place_nodes(paths, *curved, x)
        arguments = sections, n_via, nodes, work
        if once:
            dq[columns[a], columns[a]] += _pulled(TWICE, *arguments)
        if across:
            add = _pulled(VARIED, *arguments)
            dq[columns[a], columns[b]] += add
            dq[columns[b], columns[a]] += add
    return kinetic, potential

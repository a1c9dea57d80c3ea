"""Tangent points of a chain as jets, and points along it.

The equations eps(u) = 0 of `fibermsk.kernels.lines.taut.chain` hold at every time and pose. Their
matrix A at the solution, that of the values, gives all derivatives: a step -A^-1 eps corrects those
of one order more, so that three steps are exact for jets.
"""

from __future__ import annotations

from fibermsk._compile import inner_body
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.material.carried import fill_link
from fibermsk.kernels.lines.material.flow import angle_of, fill_slope, flow, settle_state
from fibermsk.kernels.lines.material.jets import constant, minus, over, plus, root, scaled, times
from fibermsk.kernels.lines.material.vectors import (
    carry_frame,
    copy,
    cross_of,
    divide,
    get,
    less,
    out_of_frame,
    product,
    put,
)

ORDERS = 3
"""Orders of derivatives of a jet."""


@inner_body
def weight_of(phi, blend):
    """Weight of the wrapped path at a wrap angle: 6 u^5 - 15 u^4 + 10 u^3 of u = phi / blend."""
    if not phi[0][0] < blend or blend == 0.0:
        return constant(1.0)
    u = scaled(1.0 / blend, phi)
    cubic = times(u, times(u, u))
    inside = plus(scaled(6.0, times(u, u)), plus(constant(10.0), scaled(-15.0, u)))
    return times(cubic, inside)


@inner_body
def _fill_sides(kind, size, y, n, b):
    """Fill n, b (3, 6): normal and b = n x t at a state, frame of the surface."""
    fill_slope(kind, size, y[:3], n)
    divide(n, root(product(n, n)))
    cross_of(n, y[3:], b)


@inner_body
def _fill_tip(kind, size, frame, y, tip, sides):
    """Fill a tangent point tip (3, 6), and n and b there, sides (2, 3, 6), in the ground."""
    n, b = scratch((3, 6)), scratch((3, 6))
    _fill_sides(kind, size, y, n, b)
    out_of_frame(frame, y[:3], True, tip)
    out_of_frame(frame, n, False, sides[0])
    out_of_frame(frame, b, False, sides[1])


@inner_body
def _move_state(kind, size, y, alpha, beta, theta):
    """Move the start of an arc by its unknowns, jets without values."""
    n, b = scratch((3, 6)), scratch((3, 6))
    _fill_sides(kind, size, y, n, b)
    for r in range(3):
        x, t, side = get(y, r), get(y, 3 + r), get(b, r)
        put(y, r, plus(x, plus(times(alpha, t), times(beta, side))))
        put(y, 3 + r, plus(t, times(theta, side)))
    settle_state(kind, size, y)


@inner_body
def _separation(a, b, out):
    """Fill out (3, 6) with b - a; returns its length."""
    less(b, constant(1.0), a, out)
    return root(product(out, out))


@inner_body
def _fill_residual(chains, first, m, sides, o, i, residual):
    """Fill residual (4 m, 6) of a variant's equations, of m arcs from the first one on."""
    line = scratch((3, 6))
    for k in range(m):
        for end in range(2):
            if end == 0:
                before = o if k == 0 else chains.tip[first + k - 1, 1]
                length = _separation(before, chains.tip[first + k, 0], line)
            else:
                after = i if k == m - 1 else chains.tip[first + k + 1, 0]
                length = _separation(chains.tip[first + k, 1], after, line)
            for q in range(2):
                put(residual, 4 * k + 2 * end + q, over(product(sides[k, end, q], line), length))


@inner_body
def _fill_variant(paths, chains, v, o, i, sides, residual):
    """Fill the jets of the tangent points of a variant and of its length; work space at the end."""
    first, m = chains.variant[v]
    inverse, y, swept = chains.inverse[v], scratch((6, 6)), scratch((6, 6))
    for k in range(first, first + m):
        for r in range(6):
            for d in range(6):
                chains.state[k, r, d] = chains.foot[k, r] if d == 0 else 0.0
                chains.run[k, r // 2, d] = 0.0
        chains.run[k, 0, 0] = chains.foot[k, 6]
    for order in range(ORDERS):
        for k in range(m):
            arc = first + k
            w, own = chains.wrap[arc], chains.state[arc]
            kind, size, frame = paths.kind[w], paths.size[w], chains.frame[arc]
            _fill_tip(kind, size, frame, own, chains.tip[arc, 0], sides[k, 0])
            copy(own, y)
            flow(kind, size, y, 0.0, get(chains.run[arc], 0), swept)
            _fill_tip(kind, size, frame, swept, chains.tip[arc, 1], sides[k, 1])
        _fill_residual(chains, first, m, sides, o, i, residual)
        for k in range(m):
            arc, u = first + k, swept
            w, own = chains.wrap[arc], chains.state[arc]
            for q in range(4):
                for d in range(6):
                    u[q, d] = 0.0
                    for c in range(4 * m if d else 0):
                        u[q, d] -= inverse[4 * k + q, c] * residual[c, d]
            alpha, beta, theta, delta = get(u, 0), get(u, 1), get(u, 2), get(u, 3)
            _move_state(paths.kind[w], paths.size[w], own, alpha, beta, theta)
            put(chains.run[arc], 0, plus(get(chains.run[arc], 0), minus(delta, alpha)))
            if order == ORDERS - 1:
                # linear in what changes: nothing of lower order is left
                out_of_frame(chains.frame[arc], own[:3], True, chains.tip[arc, 0])
                c, d = chains.field[arc, 0], chains.field[arc, 2]
                aside = plus(scaled(c, beta), scaled(d, theta))
                for r in range(3):
                    change = scaled(sides[k, 1, 1, r, 0], aside)
                    along = scaled(_forward(sides[k, 1], r), delta)
                    point = plus(get(chains.tip[arc, 1], r), plus(change, along))
                    put(chains.tip[arc, 1], r, point)
    total, line = constant(0.0), y[:3]
    for k in range(m):
        arc = first + k
        before = o if k == 0 else chains.tip[arc - 1, 1]
        total = plus(total, _separation(before, chains.tip[arc, 0], line))
        put(chains.run[arc], 1, total)
        total = plus(total, get(chains.run[arc], 0))
        put(chains.run[arc], 2, total)
        copy(chains.state[arc], chains.here[arc])
        chains.at[arc] = 0.0
    before = o if m == 0 else chains.tip[first + m - 1, 1]
    put(chains.mix[v], 1, plus(total, _separation(before, i, line)))


@inner_body
def _forward(sides, r):
    """Component r of the value of the tangent t = b x n."""
    n, b = sides[0], sides[1]
    u, v = (r + 1) % 3, (r + 2) % 3
    return b[u, 0] * n[v, 0] - b[v, 0] * n[u, 0]


@inner_body
def _fill_weights(paths, chains, first, count):
    """Fill the weights of the variants of a section, by the wrap angles of the first one."""
    for v in range(first, first + count):
        put(chains.mix[v], 0, constant(1.0))
    start, m = chains.variant[first]
    for arc in range(start, start + m if count > 1 else start):
        if chains.fade[arc] < 0:
            continue
        w, y = chains.wrap[arc], chains.state[arc]
        phi = angle_of(paths.kind[w], paths.size[w], y[:3], y[3:], get(chains.run[arc], 0))
        weight = weight_of(phi, paths.blend[w])
        for v in range(count):
            own = weight
            if (v >> chains.fade[arc]) & 1:
                own = minus(constant(1.0), weight)
            put(chains.mix[first + v], 0, times(get(chains.mix[first + v], 0), own))


@inner_body
def fill_chain(paths, S, moves, state, chains, j, du, ddu, way, o, i):
    """Fill the jets of section j between o and i (3, 6); returns its length."""
    first, count, edge, edges = chains.section[j]
    start, m = chains.variant[first]
    last = chains.variant[first + count - 1]
    motion, known = scratch((5, 6)), -2
    for arc in range(start, last[0] + last[1]):
        w = chains.wrap[arc]
        if paths.wrap_link[w] != known:
            known = paths.wrap_link[w]
            fill_link(S, moves, known, du, ddu, way, motion)
        carry_frame(motion, state.R[w], state.p[w], chains.frame[arc])
    sides, residual = chains.sides, chains.residual
    length = constant(0.0)
    for v in range(first, first + count):
        _fill_variant(paths, chains, v, o, i, sides, residual)
    _fill_weights(paths, chains, first, count)
    for v in range(first, first + count):
        length = plus(length, times(get(chains.mix[v], 0), get(chains.mix[v], 1)))
    for e in range(edge, edge + edges):
        v, arc, end = chains.edge[e]
        put(chains.share, e, over(get(chains.run[arc], 1 + end), get(chains.mix[v], 1)))
    return length


@inner_body
def _on_variant(paths, chains, v, at, middle, o, i, out):
    """Fill out (3, 6) with the point at a length, a jet, on the piece with the length `middle`."""
    first, m = chains.variant[v]
    for arc in range(first, first + m):
        if middle < chains.run[arc, 1, 0]:
            _on_line(chains, arc, first, at, o, chains.tip[arc, 0], get(chains.run[arc], 1), out)
            return
        if middle <= chains.run[arc, 2, 0]:
            w, local = chains.wrap[arc], scratch((6, 6))
            kind, size = paths.kind[w], paths.size[w]
            run = minus(at, get(chains.run[arc], 1))
            if run[0][0] < chains.at[arc]:
                copy(chains.state[arc], chains.here[arc])
                chains.at[arc] = 0.0
            chains.at[arc] = flow(kind, size, chains.here[arc], chains.at[arc], run, local)
            out_of_frame(chains.frame[arc], local[:3], True, out)
            return
    _on_line(chains, first + m, first, at, o, i, get(chains.mix[v], 1), out)


@inner_body
def _on_line(chains, arc, first, at, o, end, length, out):
    """Fill out (3, 6) with the point at a length, on the line that leads to an arc."""
    start, low = o, constant(0.0)
    if arc > first:
        start, low = chains.tip[arc - 1, 1], get(chains.run[arc - 1], 2)
    share = over(minus(at, low), minus(length, low))
    for r in range(3):
        step = times(share, minus(get(end, r), get(start, r)))
        put(out, r, plus(get(start, r), step))


@inner_body
def middle_of(chains, j, piece):
    """Share of the length of section j at the middle of a piece."""
    _, _, edge, edges = chains.section[j]
    low = chains.share[edge + piece - 1, 0] if piece > 0 else 0.0
    high = chains.share[edge + piece, 0] if piece < edges else 1.0
    return 0.5 * (low + high)


@inner_body
def place_on_chain(paths, chains, j, share, piece, o, i, out):
    """Fill out (3, 6) with the point at a share, a jet, of the length of section j, on a piece."""
    first, count, _, _ = chains.section[j]
    middle, part = middle_of(chains, j, piece), scratch((3, 6))
    if count == 1:
        L = get(chains.mix[first], 1)
        _on_variant(paths, chains, first, times(share, L), middle * L[0][0], o, i, out)
        return
    for r in range(3):
        put(out, r, constant(0.0))
    for v in range(first, first + count):
        weight, L = get(chains.mix[v], 0), get(chains.mix[v], 1)
        _on_variant(paths, chains, v, times(share, L), middle * L[0][0], o, i, part)
        for r in range(3):
            put(out, r, plus(get(out, r), times(weight, get(part, r))))


@inner_body
def fill_end_way(chains, j, at_end, o, i, out):
    """Fill out (3, 6) with the derivative of the point by the share, at an end of section j."""
    first, count, _, _ = chains.section[j]
    line = scratch((3, 6))
    for r in range(3):
        put(out, r, constant(0.0))
    for v in range(first, first + count):
        arc, m = chains.variant[v]
        if at_end:
            start, end = chains.tip[arc + m - 1, 1] if m else o, i
        else:
            start, end = o, chains.tip[arc, 0] if m else i
        length = _separation(start, end, line)
        L = times(get(chains.mix[v], 0), get(chains.mix[v], 1))
        steep = over(L, length)
        for r in range(3):
            put(out, r, plus(get(out, r), times(steep, get(line, r))))


@inner_body
def bent_there(chains, j, piece):
    """Whether a piece of section j lies on an arc of a variant."""
    first, count, _, _ = chains.section[j]
    middle = middle_of(chains, j, piece)
    for v in range(first, first + count):
        at = middle * chains.mix[v, 1, 0]
        start, m = chains.variant[v]
        for arc in range(start, start + m):
            if chains.run[arc, 1, 0] < at < chains.run[arc, 2, 0]:
                return True
    return False

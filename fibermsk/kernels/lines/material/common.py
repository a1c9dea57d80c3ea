"""Axes that move a whole path as if it were rigid.

They are those below all that the path touches. Their twist S turns with the axes before them, of
the twist V and the spatial acceleration A:

    x_a = S.x,   (S.x)' = S'.x + w x x',   S' = [V, S],   S'' = [A, S] + [V, [V, S]],

with (w, v).x = w x x + v.
"""

from __future__ import annotations

from fibermsk._compile import inner_body
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.skeleton.rigid import add_cross, bracket

POINT, TAU_BEFORE, TAU_AFTER, FRACTION = 0, 3, 6, 9
"""Rows of a via point."""
VIA_ROWS = 10


@inner_body
def move_common(S, axes, known, speed, rate, gravity, found, motion, nodes, via, n_via):
    """Fill the derivatives of nodes and via points by the common axes, the first columns.

    found (3, nodes, 3, n_own), motion (nodes, 3, 3) and via (n_own, n_via, VIA_ROWS, 6) as in
    `fibermsk.kernels.lines.material.mass`; values of via points are those of the column ``known``.
    """
    W, V, A, part, moved = scratch((3, 6)), scratch(6), scratch(6), scratch(6), scratch((3, 3))
    acceleration = scratch(3)
    V[:] = 0.0
    A[:] = 0.0
    for a in range(axes.size):
        own = S[axes[a]]
        bracket(V, own, W[1])
        bracket(V, W[1], part)
        bracket(A, own, W[2])
        for r in range(6):
            W[0, r] = own[r]
            W[2, r] += part[r]
            A[r] += rate[axes[a]] * own[r] + speed[axes[a]] * W[1, r]
            V[r] += speed[axes[a]] * own[r]
        for k in range(nodes):
            x, v, f = motion[k, 2], motion[k, 0], motion[k, 1]
            for r in range(3):
                acceleration[r] = f[r] + gravity[r]
                for d in range(3):
                    moved[d, r] = W[d, 3 + r]
            add_cross(1.0, W[0, :3], x, moved[0])
            add_cross(1.0, W[1, :3], x, moved[1])
            add_cross(1.0, W[0, :3], v, moved[1])
            add_cross(1.0, W[2, :3], x, moved[2])
            add_cross(2.0, W[1, :3], v, moved[2])
            add_cross(1.0, W[0, :3], acceleration, moved[2])
            for d in range(3):
                for r in range(3):
                    found[d, k, r, a] = moved[d, r]
        for i in range(1, n_via):
            for row in range(VIA_ROWS):
                for d in range(3):
                    via[a, i, row, d] = via[known, i, row, d]
                    via[a, i, row, 3 + d] = 0.0
            for row in range(POINT, FRACTION, 3):
                for c in range(3):
                    u, w = (c + 1) % 3, (c + 2) % 3
                    turned = W[0, u] * via[a, i, row + w, 0] - W[0, w] * via[a, i, row + u, 0]
                    via[a, i, row + c, 3] = turned + (W[0, 3 + c] if row == POINT else 0.0)


@inner_body
def turn_all(w, columns, a, weight, found, motion, nodes, dens, via, n_via, total, dq):
    """Add the terms of second derivatives by an axis that moves the whole path, of direction w.

    It turns the derivatives by all columns after it: x_ab = w x x_b, and no fraction changes.
    total (n_own,) is work space.
    """
    turned = scratch(3)
    total[:] = 0.0
    for k in range(nodes):
        f = motion[k, 1]
        for c in range(3):
            turned[c] = 0.0
        add_cross(weight[k], f, w, turned)
        for c in range(3):
            x, scale = found[0, k, c], turned[c]
            for b in range(a, columns.size):
                total[b] += scale * x[b]
    for b in range(a, columns.size):
        for i in range(1, n_via):
            x, own = via[b, i], via[0, i]
            scale = dens[i] * own[FRACTION, 1] * own[FRACTION, 1]
            for c in range(3):
                u, v = (c + 1) % 3, (c + 2) % 3
                bend = own[TAU_AFTER + c, 0] - own[TAU_BEFORE + c, 0]
                total[b] += scale * (w[u] * x[v, 3] - w[v] * x[u, 3]) * bend
        dq[columns[a], columns[b]] += total[b]
        if a != b:
            dq[columns[b], columns[a]] += total[b]

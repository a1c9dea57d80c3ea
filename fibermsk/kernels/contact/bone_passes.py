"""Half passes of bones, from contact points to residual and matrix.

The line force T on the fiber acts exactly opposite on the bone. Runs and contact
points as in `fibermsk.kernels.contact.contact`. The residual is minus the force; the matrix has
`fibermsk.linalg.lines` and a border of the joint coordinates: ``B`` (6 n_nodes, n) its columns,
``R`` (n, 6 n_nodes) its rows.
"""

from __future__ import annotations

from fibermsk._compile import body, kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.contact.bone_border import (
    add_moment,
    add_to_corner,
    clear_shares,
    crossed,
    line_block,
    moves_bone,
)
from fibermsk.kernels.fibers.shape import shape, shape_d1


@body
def _add_block(node, weight, n, d1, Tx, Ta, lines):
    """Subtract weight n_a (n_b Tx + d1_b Ta) from the lines of the element from a node on."""
    moved = scratch((3, 3))
    for b in range(4):
        for c in range(3):
            for r in range(3):
                moved[c, r] = n[b] * Tx[r, c] + d1[b] * Ta[r, c]
        for a in range(4):
            at, kind = line_block(node, a // 2, b // 2)
            part = weight * n[a]
            for c in range(3):
                for r in range(3):
                    lines[at, kind, 3 * (b % 2) + c, 3 * (a % 2) + r] -= part * moved[c, r]


@body
def _add_to_border(node, j, weight, V, n, d1, t, dT, Tx, Ta, B, R):
    """Add a contact point's column and row of one coordinate, at its element's nodes.

    t: vector product of the force and the axis of the coordinate.
    """
    for r in range(3):
        along = t[r] + V[0] * Tx[0, r] + V[1] * Tx[1, r] + V[2] * Tx[2, r]
        turned = V[0] * Ta[0, r] + V[1] * Ta[1, r] + V[2] * Ta[2, r]
        for a in range(4):
            row = 6 * (node + a // 2) + 3 * (a % 2) + r
            B[row, j] -= weight * n[a] * dT[r]
            R[j, row] += weight * (n[a] * along + d1[a] * turned)


@body
def add_bone_passes(task, begin, fibers, runs, laws, points, jacobian, axes, tangent, sums):
    """Add all closed contact points of one fiber; see `scatter_bones`.

    The bone receives -T at x, hence the generalized force -T . V_j(x). When coordinate j moves the
    bone, T turns with it: dT/dq_j = w_j x T - (dT/dx) V_j(x).
    """
    weighted, change = scratch(3), scratch(3)
    state, moves, S = points.state, axes.moves, axes.S
    moments, corners = sums.moments, sums.corners
    clear_shares(task, tangent, moments, corners)
    for run in range(begin[task], begin[task + 1]):
        e, law = runs.element[run], runs.law[run]
        node, link, h = fibers.elements[e, 0], axes.link[runs.shape[run]], fibers.h[e]
        for k in range(laws.n_points[law]):
            s = runs.point_start[run] + k
            if state[s, 0] >= state[s, 1] + state[s, 2]:
                continue
            w = laws.weight[law, k] * h
            T, x, Tx, Ta = points.force[s], points.x[s], jacobian[s, 0], jacobian[s, 1]
            n, d1 = shape(laws.xi[law, k], h), shape_d1(laws.xi[law, k], h)
            for a in range(4):
                for r in range(3):
                    sums.residual[node + a // 2, 3 * (a % 2) + r] -= w * n[a] * T[r]
            for r in range(3):
                weighted[r] = w * T[r]
            if tangent:
                _add_block(node, w, n, d1, Tx, Ta, sums.lines)
            for j in range(moments.shape[1]):
                if not moves_bone(link, j, moves):
                    continue
                V = add_moment(task, j, x, weighted, S, moments)
                if not tangent:
                    continue
                dT = crossed(S[j], T)
                for r in range(3):
                    moved = Tx[r, 0] * V[0] + Tx[r, 1] * V[1] + Tx[r, 2] * V[2]
                    change[r] = dT[r] - moved
                t = crossed(T, S[j])
                _add_to_border(node, j, w, V, n, d1, t, change, Tx, Ta, sums.B, sums.R)
                for r in range(3):
                    change[r] *= w
                add_to_corner(task, link, j, x, weighted, change, S, moves, corners)


@kernel
def scatter_bones(begin, fibers, runs, laws, points, jacobian, axes, tangent, sums):
    """Add the fiber-bone contact of all closed contact points, a task for every fiber with runs.

    begin (n_tasks + 1,): first run of each fiber.
    """
    for task in range(begin.size - 1):
        add_bone_passes(task, begin, fibers, runs, laws, points, jacobian, axes, tangent, sums)

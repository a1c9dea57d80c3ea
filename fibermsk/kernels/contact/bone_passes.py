"""Half passes of bones, from contact points to residual and matrix.

The line force T on the fiber acts exactly opposite on the bone. Runs and slots as in
`fibermsk.kernels.contact.contact`. The residual is minus the force; the matrix has
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

__all__ = ["add_bone_passes", "scatter_bones"]


@body
def _add_block(node, weight, n, d1, Tx, Ta, lines):
    """Subtract weight n_a (n_b Tx + d1_b Ta) from the lines of the element from a node on."""
    for a in range(4):
        for b in range(4):
            at, kind = line_block(node, a // 2, b // 2)
            for c in range(3):
                for r in range(3):
                    lines[at, kind, 3 * (b % 2) + c, 3 * (a % 2) + r] -= (
                        weight * n[a] * (n[b] * Tx[r, c] + d1[b] * Ta[r, c])
                    )


@body
def _add_to_border(node, j, weight, V, n, d1, S, T, dT, Tx, Ta, B, R):
    """Add a contact point's column and row of one coordinate, at its element's nodes."""
    t = crossed(T, S[j])
    for a in range(4):
        row = 6 * (node + a // 2) + 3 * (a % 2)
        for r in range(3):
            B[row + r, j] -= weight * n[a] * dT[r]
            value = t[r] * n[a]
            for c in range(3):
                value += V[c] * (n[a] * Tx[c, r] + d1[a] * Ta[c, r])
            R[j, row + r] += weight * value


@body
def add_bone_passes(
    task, begin, elements, h, run_element, run_shape, run_law, law_points, law_xi, law_weight,
    slot_start, slot_point, state, force, jacobian, shape_link, moves, S, tangent, residual, lines,
    B, R, moments, corners,
):  # fmt: skip
    """Add all closed slots of one fiber; see `scatter_bones`.

    The bone receives -T at x, hence the generalized force -T . V_j(x). When coordinate j moves the
    bone, T turns with it: dT/dq_j = w_j x T - (dT/dx) V_j(x).
    """
    weighted, change = scratch(3), scratch(3)
    clear_shares(task, tangent, moments, corners)
    for run in range(begin[task], begin[task + 1]):
        e, law = run_element[run], run_law[run]
        node, link = elements[e, 0], shape_link[run_shape[run]]
        for k in range(law_points[law]):
            s = slot_start[run] + k
            if state[s, 0] >= state[s, 1] + state[s, 2]:
                continue
            w = law_weight[law, k] * h[e]
            T, x, Tx, Ta = force[s], slot_point[s], jacobian[s, 0], jacobian[s, 1]
            n, d1 = shape(law_xi[law, k], h[e]), shape_d1(law_xi[law, k], h[e])
            for a in range(4):
                for r in range(3):
                    residual[node + a // 2, 3 * (a % 2) + r] -= w * n[a] * T[r]
            for r in range(3):
                weighted[r] = w * T[r]
            if tangent:
                _add_block(node, w, n, d1, Tx, Ta, lines)
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
                _add_to_border(node, j, w, V, n, d1, S, T, change, Tx, Ta, B, R)
                for r in range(3):
                    change[r] *= w
                add_to_corner(task, link, j, x, weighted, change, S, moves, corners)


@kernel
def scatter_bones(
    begin, elements, h, run_element, run_shape, run_law, law_points, law_xi, law_weight, slot_start,
    slot_point, state, force, jacobian, shape_link, moves, S, tangent, residual, lines, B, R,
    moments, corners,
):  # fmt: skip
    """Add the fiber-bone contact of all closed slots, a task for every fiber that has runs.

    begin (n_tasks + 1,): first run of each fiber; moments, corners: see
    `fibermsk.kernels.contact.bone_border`.
    """
    for task in range(begin.size - 1):
        add_bone_passes(
            task, begin, elements, h, run_element, run_shape, run_law, law_points, law_xi,
            law_weight, slot_start, slot_point, state, force, jacobian, shape_link, moves, S,
            tangent, residual, lines, B, R, moments, corners,
        )  # fmt: skip

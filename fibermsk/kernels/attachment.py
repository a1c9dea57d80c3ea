"""Elimination of the fiber ends that are attached to bodies: x_D = c(q), v_D = C(q) p.

The reduced matrix is N^T K N with the null-space matrix N(q) of Gfrerer and Simeon (2021), eq. 58.
Attached rows and columns leave the sparse part, where identity rows stay behind, for the border of
the joint coordinates. Matrix layout and border names as in `fibermsk.kernels.scatter`.
"""

from __future__ import annotations

from fibermsk._compile import body, kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.cable import element_tangent
from fibermsk.kernels.rigid import cross

__all__ = [
    "acceleration_slope",
    "eliminate_attached",
    "end_rate_blocks",
    "leave_identity",
    "take_reaction",
    "velocity_slope",
]


@kernel
def velocity_slope(C, hess_index, hess, p, out):
    """Fill out (n_points, 3, n): how v_D = C(q) p varies with q at constant p."""
    out[:] = 0.0
    for e in range(hess_index.shape[0]):
        m, j, k = hess_index[e, 0], hess_index[e, 1], hess_index[e, 2]
        for r in range(3):
            out[m, r, k] += hess[e, r] * p[j]


@kernel
def acceleration_slope(S, moves, link, C, hess_index, hess, p, p_dot, dp_dq, out):
    """Fill out (n_points, 3, n): how C p_dot + (dC/dq p) p varies with q, where dp = dp_dq dq.

    But for its part C dp_dot. S, moves, link as in `fibermsk.kernels.rigid`; coordinates are
    numbered from the root outwards, so that with u <= v <= w on the chain the third derivative of a
    point is d3c/dq_u dq_v dq_w = w_u x (w_v x V_w(c)).
    """
    out[:] = 0.0
    for e in range(hess_index.shape[0]):
        m, j, k = hess_index[e, 0], hess_index[e, 1], hess_index[e, 2]
        for r in range(3):
            out[m, r, k] += hess[e, r] * (p_dot[j] + 2.0 * dp_dq * p[j])
    inner, outer = scratch(3), scratch(3)
    n = S.shape[0]
    for m in range(link.size):
        if link[m] < 0:
            continue
        for u in range(n):
            if not moves[link[m], u]:
                continue
            for v in range(u, n):
                if not moves[link[m], v]:
                    continue
                for w in range(v, n):
                    if not moves[link[m], w]:
                        continue
                    cross(S[v, :3], C[m, :, w], inner)
                    cross(S[u, :3], inner, outer)
                    # each takes the part of q once, and the other two those of p in either order
                    for r in range(3):
                        out[m, r, u] += (1.0 if v == w else 2.0) * outer[r] * p[v] * p[w]
                        if v != u:
                            out[m, r, v] += (1.0 if u == w else 2.0) * outer[r] * p[u] * p[w]
                        if w != v:
                            out[m, r, w] += (1.0 if u == v else 2.0) * outer[r] * p[u] * p[v]


@kernel
def end_rate_blocks(
    nodes, velocity, elements, h, xi, weight, area, G0, law, activation, mass, end_element,
    end_side, velocity_rate, acceleration_rate, block,
):  # fmt: skip
    """Fill block (n_points, 12, n): how the end element's residual varies with the coordinates.

    Through the end's velocity and acceleration alone, which vary as velocity_rate and
    acceleration_rate (n_points, 3, n). end_element, end_side (n_points,): the element that carries
    the attached node, as its node 0 or 1.
    """
    force, K = scratch((4, 3)), scratch((2, 3, 6, 6))
    for m in range(end_element.size):
        e, side = end_element[m], end_side[m]
        element_tangent(
            nodes, velocity, elements, e, h, xi, weight, area, G0, law, activation, 0.0, 1.0,
            force, K,
        )  # fmt: skip
        for node in range(2):
            # rows of this node, columns of the end node
            columns = K[side, 0] if node == side else K[0, 1 + node]
            for r in range(6):
                inertia = mass[e, 2 * node + r // 3, 2 * side]
                for j in range(block.shape[2]):
                    value = inertia * acceleration_rate[m, r % 3, j]
                    for c in range(3):
                        value += columns[c, r] * velocity_rate[m, c, j]
                    block[m, 6 * node + r, j] = value


@kernel
def eliminate_attached(
    elements, end_element, end_side, C, hess_index, hess, rate_block, attached, fiber, entry_start,
    entries, row_start, row_node, column, block_start, upper, lower, tangent, residual, residual_q,
    lines, B, R, D, reaction,
):  # fmt: skip
    """Reduce residual and matrix to the independent unknowns, in place.

    C (n_points, 3, n); hess, hess_index: the entries of dC/dq; rate_block: see `end_rate_blocks`;
    attached (n_nodes,): the attached point at a node, -1 for none; the couplings as in
    `fibermsk.linalg.couplings`. reaction (n_points, 3) receives the force of the attachment on the
    fiber, eq. 62.
    """
    n_q = residual_q.size
    for m in range(end_element.size):
        take_reaction(m, elements, end_element, end_side, residual, reaction)
        for r in range(3):
            for j in range(n_q):
                residual_q[j] += C[m, r, j] * reaction[m, r]
    if not tangent:
        return
    if n_q:
        for m in range(end_element.size):
            _columns_to_border(
                elements, end_element[m], end_side[m], C[m], rate_block[m], fiber, entry_start,
                entries, row_start, row_node, column, block_start, upper, lower, lines, B, R, D,
            )  # fmt: skip
        for m in range(end_element.size):
            _rows_to_border(
                elements, end_element[m], end_side[m], C[m], attached, fiber, entry_start, entries,
                row_start, row_node, column, block_start, upper, lower, lines, B, R, D,
            )  # fmt: skip
    for m in range(end_element.size):
        leave_identity(
            m, elements, end_element, end_side, fiber, entry_start, entries, row_start, row_node,
            column, block_start, upper, lower, lines,
        )  # fmt: skip
    for i in range(hess_index.shape[0]):
        m, j, k = hess_index[i, 0], hess_index[i, 1], hess_index[i, 2]
        for r in range(3):
            D[j, k] += hess[i, r] * reaction[m, r]


@body
def _rows_at(node, entry, row_start, row_node):
    """Rows of an entry's pair that may have a block at a node of the entry's line."""
    p = entry // 2
    if entry % 2 == 1:
        return row_start[p], row_start[p + 1]
    row = row_start[p] + node - row_node[p]
    if row_start[p] <= row < row_start[p + 1]:
        return row, row + 1
    return 0, 0


@body
def _blocks_at(node, entry, row, column, block_start):
    """Blocks of a row at a node of the entry's line."""
    begin, end = block_start[row], block_start[row + 1]
    if entry % 2 == 0:
        return begin, end
    b = begin + node - column[row]
    if begin <= b < end:
        return b, b + 1
    return 0, 0


@body
def _other_node(entry, row, b, row_start, row_node, column, block_start):
    """Node of the other line that a block couples."""
    p = entry // 2
    if entry % 2 == 0:
        return column[row] + b - block_start[row]
    return row_node[p] + row - row_start[p]


@body
def _coupling(upper, lower, b, above, row, col):
    """Entry of a block: with the rows of the first line if `above`, of the second otherwise."""
    if above:
        return upper[b, col, row]
    return lower[b, col, row] if lower.shape[0] > 0 else upper[b, row, col]


@kernel
def _columns_to_border(
    elements, e, side, C, rate_block, fiber, entry_start, entries, row_start, row_node, column,
    block_start, upper, lower, lines, B, R, D,
):  # fmt: skip
    """Add the columns K[:, D] C, the bone contact's rows R[:, D] C and the velocity part."""
    n_q = C.shape[1]
    node, first = elements[e, side], elements[e, 0]
    other = node + 1 if side == 0 else node - 1
    for c in range(3):
        for r in range(6):
            value = lines[node, 0, c, r]
            beside = lines[node, 2, c, r] if side == 0 else lines[node - 1, 1, c, r]
            for j in range(n_q):
                B[6 * node + r, j] += value * C[c, j]
                B[6 * other + r, j] += beside * C[c, j]
    for k in range(entry_start[fiber[e]], entry_start[fiber[e] + 1]):
        entry = entries[k]
        begin, end = _rows_at(node, entry, row_start, row_node)
        for row in range(begin, end):
            low, high = _blocks_at(node, entry, row, column, block_start)
            for b in range(low, high):
                at = 6 * _other_node(entry, row, b, row_start, row_node, column, block_start)
                for r in range(6):
                    for c in range(3):
                        value = _coupling(upper, lower, b, entry % 2 == 1, r, c)
                        for j in range(n_q):
                            B[at + r, j] += value * C[c, j]
    for r in range(3):
        for i in range(n_q):
            value = R[i, 6 * node + r]
            R[i, 6 * node + r] = 0.0
            for j in range(n_q):
                D[i, j] += value * C[r, j]
    for a in range(12):
        for j in range(n_q):
            B[6 * first + a, j] += rate_block[a, j]


@kernel
def _rows_to_border(
    elements, e, side, C, attached, fiber, entry_start, entries, row_start, row_node, column,
    block_start, upper, lower, lines, B, R, D,
):  # fmt: skip
    """Add the rows C^T K[D, :]; the attached columns in them are in the attached rows of B."""
    n_q = C.shape[1]
    node = elements[e, side]
    other = node + 1 if side == 0 else node - 1
    for c in range(6):
        for r in range(3):
            value = lines[node, 0, c, r]
            beside = lines[node, 1, c, r] if side == 0 else lines[node - 1, 2, c, r]
            for j in range(n_q):
                if c >= 3:
                    R[j, 6 * node + c] += C[r, j] * value
                if c >= 3 or attached[other] < 0:
                    R[j, 6 * other + c] += C[r, j] * beside
    for k in range(entry_start[fiber[e]], entry_start[fiber[e] + 1]):
        entry = entries[k]
        begin, end = _rows_at(node, entry, row_start, row_node)
        for row in range(begin, end):
            low, high = _blocks_at(node, entry, row, column, block_start)
            for b in range(low, high):
                at = _other_node(entry, row, b, row_start, row_node, column, block_start)
                for c in range(3 if attached[at] >= 0 else 0, 6):
                    for r in range(3):
                        value = _coupling(upper, lower, b, entry % 2 == 0, r, c)
                        for j in range(n_q):
                            R[j, 6 * at + c] += C[r, j] * value
    for r in range(3):
        for j in range(n_q):
            value = B[6 * node + r, j]
            B[6 * node + r, j] = 0.0
            for i in range(n_q):
                D[i, j] += C[r, i] * value


@kernel
def take_reaction(m, elements, end_element, end_side, residual, reaction):
    """Move the force on an attached node from the residual to the reactions."""
    node = elements[end_element[m], end_side[m]]
    for r in range(3):
        reaction[m, r] = residual[node, r]
        residual[node, r] = 0.0


@kernel
def leave_identity(
    m, elements, end_element, end_side, fiber, entry_start, entries, row_start, row_node, column,
    block_start, upper, lower, lines,
):  # fmt: skip
    """Clear the rows and columns of an attached node but for ones on the diagonal.

    Two ends may clear the same entry of a coupling, and those of a fiber with one element one of
    its blocks: both write zeros, in whichever order.
    """
    e, side = end_element[m], end_side[m]
    node = elements[e, side]
    for a in range(3):
        for b in range(6):
            lines[node, 0, a, b] = 0.0
            lines[node, 0, b, a] = 0.0
            if side == 0:
                lines[node, 1, b, a] = 0.0
                lines[node, 2, a, b] = 0.0
            else:
                lines[node - 1, 1, a, b] = 0.0
                lines[node - 1, 2, b, a] = 0.0
        lines[node, 0, a, a] = 1.0
    for k in range(entry_start[fiber[e]], entry_start[fiber[e] + 1]):
        entry = entries[k]
        begin, end = _rows_at(node, entry, row_start, row_node)
        for row in range(begin, end):
            low, high = _blocks_at(node, entry, row, column, block_start)
            for b in range(low, high):
                for a in range(3):
                    for c in range(6):
                        if entry % 2 == 0:
                            upper[b, c, a] = 0.0
                        else:
                            upper[b, a, c] = 0.0
                        if lower.shape[0] > 0 and entry % 2 == 0:
                            lower[b, a, c] = 0.0
                        elif lower.shape[0] > 0:
                            lower[b, c, a] = 0.0

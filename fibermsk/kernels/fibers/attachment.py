"""Elimination of the fiber ends that are attached to bodies: x_D = c(q), v_D = C(q) p.

The reduced matrix is N^T K N with the null-space matrix N(q) of Gfrerer and Simeon (2021), eq. 58.
Attached rows and columns are moved from the sparse part, where they become identity rows, to the
border of the joint coordinates. Matrix layout and border names as in
`fibermsk.kernels.contact.scatter`.
"""

from __future__ import annotations

from typing import NamedTuple

from fibermsk._arrays import Index
from fibermsk._compile import body, kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.fibers.cable import element_tangent


class AttachedEnds(NamedTuple):
    """Ends of fibers that are attached to bodies.

    Attributes
    ----------
    node, side, fiber : (n_points,) int array
        Attached node, its place (0 or 1) in its element, and its fiber.
    at_node : (n_nodes,) int array
        Attached point at a node, -1 for none.
    """

    node: Index
    side: Index
    fiber: Index
    at_node: Index


@body
def add_end_rates(
    m, nodes, velocity, cable, activation, end_element, end_side, velocity_rate, acceleration_rate,
    B,
):  # fmt: skip
    """Add the derivative of the residual of an end's element in the coordinates to B.

    Only through the end's velocity and acceleration, whose derivatives are velocity_rate and
    acceleration_rate (n_points, 3, n). end_element, end_side (n_points,): the element that carries
    the attached node, as its node 0 or 1; points at different ends of a fiber must not run in
    parallel.
    """
    force, K = scratch((4, 3)), scratch((2, 3, 6, 6))
    e, side = end_element[m], end_side[m]
    element_tangent(nodes, velocity, e, cable, activation, 0.0, 1.0, force, K)
    for node in range(2):
        # rows of this node, columns of the end node
        columns = K[side, 0] if node == side else K[0, 1 + node]
        for r in range(6):
            inertia = cable.mass[cable.row_of[e], 2 * node + r // 3, 2 * side]
            for j in range(B.shape[1]):
                value = inertia * acceleration_rate[m, r % 3, j]
                for c in range(3):
                    value += columns[c, r] * velocity_rate[m, c, j]
                B[6 * cable.elements[e, node] + r, j] += value


@kernel
def end_rates(
    nodes, velocity, cable, activation, end_element, end_side, velocity_rate, acceleration_rate, B
):
    """Add to B what all ends contribute; see `add_end_rates`."""
    for m in range(end_element.size):
        add_end_rates(
            m, nodes, velocity, cable, activation, end_element, end_side, velocity_rate,
            acceleration_rate, B,
        )  # fmt: skip


@kernel
def take_reactions(end_node, C, residual, residual_q, reaction):
    """Move the forces on all attached nodes to the coordinates through C (n_points, 3, n).

    reaction (n_points, 3) receives the force of the attachment on the fiber, eq. 62.
    """
    for m in range(end_node.size):
        take_reaction(m, end_node, residual, reaction)
        for r in range(3):
            for j in range(residual_q.size):
                residual_q[j] += C[m, r, j] * reaction[m, r]


@kernel
def eliminate_attached(ends, node_start, C, couplings, lines, B, R, D):
    """Reduce the matrix to the independent unknowns, in place, without the part of dC/dq.

    couplings: `fibermsk.linalg.Couplings`. B, R and D already hold the terms that are not from the
    lines.
    """
    if D.shape[0]:
        for m in range(ends.node.size):
            _to_corner(ends.node[m], C[m], R, D)
        for line in range(node_start.size - 1):
            line_to_border(line, node_start, C, ends.at_node, couplings, lines, B, R)
        for m in range(ends.node.size):
            _to_corner(ends.node[m], C[m], B.T, D.T)
    for m in range(ends.node.size):
        leave_identity(m, ends, couplings, lines)


@body
def _rows_at(node, entry, couplings):
    """Rows of an entry's pair that may have a block at a node of the entry's line."""
    p = entry // 2
    first, last = couplings.row_start[p], couplings.row_start[p + 1]
    if entry % 2 == 1:
        return first, last
    row = first + node - couplings.row_node[p]
    if first <= row < last:
        return row, row + 1
    return 0, 0


@body
def _blocks_at(node, entry, row, couplings):
    """Blocks of a row at a node of the entry's line."""
    begin, end = couplings.block_start[row], couplings.block_start[row + 1]
    if entry % 2 == 0:
        return begin, end
    b = begin + node - couplings.column[row]
    if begin <= b < end:
        return b, b + 1
    return 0, 0


@body
def _other_node(entry, row, b, couplings):
    """Node of the other line that a block couples."""
    p = entry // 2
    if entry % 2 == 0:
        return couplings.column[row] + b - couplings.block_start[row]
    return couplings.row_node[p] + row - couplings.row_start[p]


@body
def _coupling(couplings, b, above, row, col):
    """Entry of a block: with the rows of the first line if `above`, of the second otherwise."""
    upper, lower = couplings.upper, couplings.lower
    if above:
        return upper[b, col, row]
    return lower[b, col, row] if lower.shape[0] > 0 else upper[b, row, col]


@body
def _row_of(couplings, b, above, row):
    """First three entries of a row of a block; see `_coupling`."""
    return (
        _coupling(couplings, b, above, row, 0),
        _coupling(couplings, b, above, row, 1),
        _coupling(couplings, b, above, row, 2),
    )


@body
def _column_of(couplings, b, above, col):
    """First three entries of a column of a block; see `_coupling`."""
    return (
        _coupling(couplings, b, above, 0, col),
        _coupling(couplings, b, above, 1, col),
        _coupling(couplings, b, above, 2, col),
    )


@kernel
def _to_corner(node, C, R, D):
    """Move an attached node's columns of R to the corner; all transposed, its rows of B."""
    for r in range(3):
        for i in range(D.shape[0]):
            value = R[i, 6 * node + r]
            R[i, 6 * node + r] = 0.0
            for j in range(D.shape[0]):
                D[i, j] += value * C[r, j]


@body
def _add_to_border(into, out, C, m, at, r, attached, B, R):
    """Add the coupling of unknown r of a node with the position of attached point m.

    into: the matrix's three entries with the row of the former; out: those with its column, unless
    it is an attached node's position, which the corner takes from the rows of B.
    """
    for j in range(C.shape[2]):
        x, y, z = C[m, 0, j], C[m, 1, j], C[m, 2, j]
        B[6 * at + r, j] += into[0] * x + into[1] * y + into[2] * z
        if r >= 3 or attached[at] < 0:
            R[j, 6 * at + r] += out[0] * x + out[1] * y + out[2] * z


@body
def line_to_border(line, node_start, C, attached, couplings, lines, B, R):
    """Add columns K[:, D] C to B, and rows C^T K[D, :] to R, at the nodes of one line."""
    for side in range(2):
        node = node_start[line] if side == 0 else node_start[line + 1] - 1
        beside = node + 1 if side == 0 else node - 1
        m = attached[node]
        if m < 0:
            continue
        own = lines[node, 0]
        below, above = lines[min(node, beside), 2 - side], lines[min(node, beside), 1 + side]
        for r in range(6):
            into, out = (own[0, r], own[1, r], own[2, r]), (own[r, 0], own[r, 1], own[r, 2])
            _add_to_border(into, out, C, m, node, r, attached, B, R)
            into = below[0, r], below[1, r], below[2, r]
            out = above[r, 0], above[r, 1], above[r, 2]
            _add_to_border(into, out, C, m, beside, r, attached, B, R)
    for k in range(couplings.entry_start[line], couplings.entry_start[line + 1]):
        # the same pair from the other line
        p, entry = couplings.entries[k] // 2, couplings.entries[k] ^ 1
        other = couplings.first[p] if entry % 2 == 0 else couplings.second[p]
        for side in range(2):
            node = node_start[other] if side == 0 else node_start[other + 1] - 1
            m = attached[node]
            if m < 0:
                continue
            begin, end = _rows_at(node, entry, couplings)
            for row in range(begin, end):
                low, high = _blocks_at(node, entry, row, couplings)
                for b in range(low, high):
                    at = _other_node(entry, row, b, couplings)
                    for r in range(6):
                        into = _row_of(couplings, b, entry % 2 == 1, r)
                        out = _column_of(couplings, b, entry % 2 == 0, r)
                        _add_to_border(into, out, C, m, at, r, attached, B, R)


@body
def take_reaction(m, end_node, residual, reaction):
    """Move the force on an attached node from the residual to the reactions."""
    node = end_node[m]
    for r in range(3):
        reaction[m, r] = residual[node, r]
        residual[node, r] = 0.0


@body
def leave_identity(m, ends, couplings, lines):
    """Set the rows and columns of an attached node to the identity.

    Two ends may clear the same entry of a coupling, and those of a fiber with one element one of
    its blocks: both write zeros, in any order.
    """
    node, side, fiber = ends.node[m], ends.side[m], ends.fiber[m]
    upper, lower = couplings.upper, couplings.lower
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
    for k in range(couplings.entry_start[fiber], couplings.entry_start[fiber + 1]):
        entry = couplings.entries[k]
        begin, end = _rows_at(node, entry, couplings)
        for row in range(begin, end):
            low, high = _blocks_at(node, entry, row, couplings)
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

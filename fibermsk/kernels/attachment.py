"""Elimination of the fiber ends that are attached to bodies: x_D = c(q), v_D = C(q) p.

The reduced matrix is N^T K N with the null-space matrix N(q) of Gfrerer and Simeon (2021), eq. 58.
Attached rows and columns leave the sparse part, where identity rows stay behind, for the border of
the joint coordinates. Matrix layout and border names as in `fibermsk.kernels.scatter`.
"""

from __future__ import annotations

from fibermsk._compile import body, kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.cable import element_tangent

__all__ = [
    "add_end_rates",
    "eliminate_attached",
    "end_rates",
    "leave_identity",
    "line_to_border",
    "take_reaction",
]


@body
def add_end_rates(
    m, nodes, velocity, elements, h, xi, weight, area, G0, law, activation, mass, end_element,
    end_side, velocity_rate, acceleration_rate, B,
):  # fmt: skip
    """Add to B how the residual of an end's element varies with the coordinates.

    Through the end's velocity and acceleration alone, which vary as velocity_rate and
    acceleration_rate (n_points, 3, n). end_element, end_side (n_points,): the element that carries
    the attached node, as its node 0 or 1; points at different ends of a fiber must not be at work
    at the same time.
    """
    force, K = scratch((4, 3)), scratch((2, 3, 6, 6))
    e, side = end_element[m], end_side[m]
    element_tangent(
        nodes, velocity, elements, e, h, xi, weight, area, G0, law, activation, 0.0, 1.0, force, K
    )
    for node in range(2):
        # rows of this node, columns of the end node
        columns = K[side, 0] if node == side else K[0, 1 + node]
        for r in range(6):
            inertia = mass[e, 2 * node + r // 3, 2 * side]
            for j in range(B.shape[1]):
                value = inertia * acceleration_rate[m, r % 3, j]
                for c in range(3):
                    value += columns[c, r] * velocity_rate[m, c, j]
                B[6 * elements[e, node] + r, j] += value


@kernel
def end_rates(
    nodes, velocity, elements, h, xi, weight, area, G0, law, activation, mass, end_element,
    end_side, velocity_rate, acceleration_rate, B,
):  # fmt: skip
    """Add to B what all ends contribute; see `add_end_rates`."""
    for m in range(end_element.size):
        add_end_rates(
            m, nodes, velocity, elements, h, xi, weight, area, G0, law, activation, mass,
            end_element, end_side, velocity_rate, acceleration_rate, B,
        )  # fmt: skip


@kernel
def eliminate_attached(
    elements, end_element, end_side, node_start, C, hess_index, hess, attached, fiber, n_mirrored,
    row, column, cross, entry_start, entries, tangent, residual, residual_q, lines, B, R, D,
    reaction,
):  # fmt: skip
    """Reduce residual and matrix to the independent unknowns, in place.

    C (n_points, 3, n); hess, hess_index: the entries of dC/dq; attached (n_nodes,): the attached
    point at a node, -1 for none; the couplings as in `fibermsk.linalg.couplings`. B, R and D hold
    already what does not follow from the lines. reaction (n_points, 3) receives the force of the
    attachment on the fiber, eq. 62.
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
            _columns_to_corner(elements[end_element[m], end_side[m]], C[m], R, D)
        for line in range(node_start.size - 1):
            line_to_border(
                line, node_start, C, attached, n_mirrored, row, column, cross, entry_start,
                entries, lines, B, R,
            )  # fmt: skip
        for m in range(end_element.size):
            _rows_to_corner(elements[end_element[m], end_side[m]], C[m], B, D)
    for m in range(end_element.size):
        leave_identity(
            m, elements, end_element, end_side, fiber, row, column, cross, entry_start, entries,
            lines,
        )  # fmt: skip
    for i in range(hess_index.shape[0]):
        m, j, k = hess_index[i, 0], hess_index[i, 1], hess_index[i, 2]
        for r in range(3):
            D[j, k] += hess[i, r] * reaction[m, r]


@kernel
def _columns_to_corner(node, C, R, D):
    """Move an attached node's columns of R to the corner."""
    for r in range(3):
        for i in range(D.shape[0]):
            value = R[i, 6 * node + r]
            R[i, 6 * node + r] = 0.0
            for j in range(D.shape[0]):
                D[i, j] += value * C[r, j]


@kernel
def _rows_to_corner(node, C, B, D):
    """Move an attached node's rows of B to the corner."""
    for r in range(3):
        for j in range(D.shape[0]):
            value = B[6 * node + r, j]
            B[6 * node + r, j] = 0.0
            for i in range(D.shape[0]):
                D[i, j] += C[r, i] * value


@body
def _add_to_border(value, above, across, C, m, at, c, r, attached, B, R):
    """Add an entry of the matrix between an attached node's position c and unknown r of a node.

    value: with the row of the node, if `above`; or in the column of the node, if `across`, unless
    that is an attached one's position: the corner takes it from the rows of B.
    """
    for j in range(C.shape[2]):
        if above:
            B[6 * at + r, j] += value * C[m, c, j]
        if across and not (r < 3 and attached[at] >= 0):
            R[j, 6 * at + r] += C[m, c, j] * value


@body
def line_to_border(
    line, node_start, C, attached, n_mirrored, row, column, cross, entry_start, entries, lines, B,
    R,
):  # fmt: skip
    """Add columns K[:, D] C to B, and rows C^T K[D, :] to R, at the nodes of one line."""
    first, last = node_start[line], node_start[line + 1] - 1
    for side in range(2):
        node, beside = (first, first + 1) if side == 0 else (last, last - 1)
        m = attached[node]
        if m < 0:
            continue
        to, back = (lines[node, 2], lines[node, 1]) if side == 0 else (
            lines[beside, 1], lines[beside, 2],
        )  # fmt: skip
        for c in range(3):
            for r in range(6):
                own = lines[node, 0]
                _add_to_border(own[c, r], True, False, C, m, node, c, r, attached, B, R)
                _add_to_border(own[r, c], False, True, C, m, node, c, r, attached, B, R)
                _add_to_border(to[c, r], True, False, C, m, beside, c, r, attached, B, R)
                _add_to_border(back[r, c], False, True, C, m, beside, c, r, attached, B, R)
    for k in range(entry_start[line], entry_start[line + 1]):
        p, straight = entries[k] // 2, entries[k] % 2 == 0
        own, other = (row[p], column[p]) if straight else (column[p], row[p])
        for a in range(2):
            m = attached[other + a]
            if m < 0:
                continue
            above, across = straight or p < n_mirrored, not straight or p < n_mirrored
            for c in range(3):
                for r in range(12):
                    value = cross[p, r, 6 * a + c] if straight else cross[p, 6 * a + c, r]
                    _add_to_border(
                        value, above, across, C, m, own + r // 6, c, r % 6, attached, B, R
                    )


@kernel
def take_reaction(m, elements, end_element, end_side, residual, reaction):
    """Move the force on an attached node from the residual to the reactions."""
    node = elements[end_element[m], end_side[m]]
    for r in range(3):
        reaction[m, r] = residual[node, r]
        residual[node, r] = 0.0


@kernel
def leave_identity(
    m, elements, end_element, end_side, fiber, row, column, cross, entry_start, entries, lines
):
    """Clear the rows and columns of an attached node but for ones on the diagonal.

    Two ends may clear the same entry of a coupling, and those of a fiber with one element one of
    its blocks: both write zeros, in whichever order.
    """
    e, side = end_element[m], end_side[m]
    node, first = elements[e, side], elements[e, 0]
    at = 0 if side == 0 else 6
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
        p = entries[k] // 2
        for a in range(3):
            for b in range(12):
                if entries[k] % 2 == 0 and row[p] == first:
                    cross[p, at + a, b] = 0.0
                elif entries[k] % 2 == 1 and column[p] == first:
                    cross[p, b, at + a] = 0.0

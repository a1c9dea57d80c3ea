"""Pairs of fibers: sparsity of their blocks in the matrix, and coloring.

Rows, columns, blocks and entries are those of `fibermsk.linalg.couplings`. A task per pair writes
to its own rows and blocks, and to residual and lines of its two fibers, so that pairs which share a
fiber must not run in parallel: they differ in color.
"""

from __future__ import annotations

from fibermsk._compile import body, kernel, loop_body

_NO_NODE = 1 << 62


@body
def is_closed(state, point, gamma):
    """Whether a contact point between fibers carries a force; gamma: limit of its law."""
    d, R = state[point, 0], state[point, 1]
    return d < R and 1.0 + gamma * (d / R - 1.0) > 0.0


@kernel
def span_rows(elements, fiber, runs, of_run, first, row_node, end):
    """Fill the first coupled node (n_pairs,) of each pair's first fiber, and the end of them."""
    row_node[:], end[:] = _NO_NODE, 0
    for run in range(runs.element.size):
        p, low, high = of_run[run], runs.element[run], runs.element[run]
        if fiber[low] != first[p]:
            low = runs.candidates[runs.start[run]]
            high = runs.candidates[runs.start[run + 1] - 1]
        row_node[p] = min(row_node[p], elements[low, 0])
        end[p] = max(end[p], elements[high, 1] + 1)


@kernel
def find_touching(run_start, runs, least, touches):
    """Mark the pairs with a run whose least 1 + gamma g (n_runs,) is below that of open contact."""
    for p in range(touches.size):
        for k in range(run_start[p], run_start[p + 1]):
            if least[runs[k]] < 1.0:
                touches[p] = True
                break


@kernel
def color_pairs(touches, first, second, entry_start, entries, last_user, color):
    """Greedy coloring of the pairs in contact: pairs with a common fiber differ in color.

    last_user (n_pairs,) is workspace. Returns the number of colors.
    """
    n_colors = 0
    color[:], last_user[:] = -1, -1
    for p in range(first.size):
        if not touches[p]:
            continue
        for line in (first[p], second[p]):
            for k in range(entry_start[line], entry_start[line + 1]):
                other = color[entries[k] // 2]
                if other >= 0:
                    last_user[other] = p
        own = 0
        while last_user[own] == p:
            own += 1
        color[p] = own
        n_colors = max(n_colors, own + 1)
    return n_colors


@loop_body
def mark_pair(pair, elements, fiber, runs, laws, partner, state, of_pairs, rows):
    """Widen the rows of one pair to cover its closed points; see `mark_pairs`."""
    column, count = rows.column, rows.block_start[1:]
    for k in range(of_pairs.start[pair], of_pairs.start[pair + 1]):
        run = of_pairs.runs[k]
        e, gamma = runs.element[run], laws.constants[runs.law[run], 1]
        straight = fiber[e] == rows.first[pair]
        for s in range(runs.point_start[run], runs.point_start[run + 1]):
            if not is_closed(state, s, gamma):
                continue
            i, j = elements[e, 0], elements[partner[s], 0]
            if not straight:
                i, j = j, i
            r = rows.row_start[pair] + i - rows.row_node[pair]
            for row in range(r, r + 2):
                if count[row] == 0:
                    column[row], count[row] = j, 2
                else:
                    low = min(column[row], j)
                    count[row] = max(column[row] + count[row], j + 2) - low
                    column[row] = low


@kernel
def mark_pairs(order, elements, fiber, runs, laws, partner, state, of_pairs, rows):
    """Widen all rows: their first columns, and numbers of blocks, zero where there are none.

    order: pairs in contact; partner, state: element and state of the contact points; the number of
    blocks of each row is in ``block_start`` after it.
    """
    for pair in order:
        mark_pair(pair, elements, fiber, runs, laws, partner, state, of_pairs, rows)


@body
def block_of(pair, i, j, rows):
    """Block of node i of a pair's first fiber and node j of its second."""
    row = rows.row_start[pair] + i - rows.row_node[pair]
    return rows.block_start[row] + j - rows.column[row]


@body
def mirror_block(b, upper, lower):
    """Fill a lower block with the transpose of the upper one."""
    for c in range(6):
        for r in range(6):
            lower[b, c, r] = upper[b, r, c]

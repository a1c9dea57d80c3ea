"""Pairs of fibers: sparsity of their blocks in the matrix, and coloring.

Rows, columns, blocks and entries are those of `fibermsk.linalg.couplings`. A task per pair writes
to its own rows and blocks, and to residual and lines of its two fibers, so that pairs which share a
fiber must not run in parallel: they differ in color.
"""

from __future__ import annotations

from fibermsk._compile import body, kernel

__all__ = [
    "block_of",
    "color_pairs",
    "find_touching",
    "is_closed",
    "mark_pair",
    "mark_pairs",
    "mirror_block",
    "mirror_blocks",
    "place_blocks",
    "span_rows",
]

_NO_NODE = 1 << 62


@body
def is_closed(state, slot):
    """Whether a contact point carries a force."""
    return state[slot, 0] < state[slot, 1] + state[slot, 2] and state[slot, 3] > 0.0


@kernel
def span_rows(elements, fiber, run_element, run_start, candidates, of_run, first, row_node, end):
    """Fill the first coupled node (n_pairs,) of each pair's first fiber, and the end of them."""
    row_node[:], end[:] = _NO_NODE, 0
    for run in range(run_element.size):
        p, low, high = of_run[run], run_element[run], run_element[run]
        if fiber[low] != first[p]:
            low, high = candidates[run_start[run]], candidates[run_start[run + 1] - 1]
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


@body
def mark_pair(
    pair, elements, fiber, run_element, slot_start, slot_element, state, run_start, runs, first,
    row_start, row_node, column, count,
):  # fmt: skip
    """Widen the rows of one pair to cover its closed points; see `mark_pairs`."""
    for k in range(run_start[pair], run_start[pair + 1]):
        run = runs[k]
        e = run_element[run]
        straight = fiber[e] == first[pair]
        for s in range(slot_start[run], slot_start[run + 1]):
            if not is_closed(state, s):
                continue
            i, j = elements[e, 0], elements[slot_element[s], 0]
            if not straight:
                i, j = j, i
            r = row_start[pair] + i - row_node[pair]
            for row in range(r, r + 2):
                if count[row] == 0:
                    column[row], count[row] = j, 2
                else:
                    low = min(column[row], j)
                    count[row] = max(column[row] + count[row], j + 2) - low
                    column[row] = low


@kernel
def mark_pairs(
    order, elements, fiber, run_element, slot_start, slot_element, state, run_start, runs, first,
    row_start, row_node, column, count,
):  # fmt: skip
    """Widen all rows: first columns (n_rows,) and numbers of blocks, zero where there are none.

    order: pairs in contact; run_start (n_pairs + 1,), runs: the runs of every pair.
    """
    for pair in order:
        mark_pair(
            pair, elements, fiber, run_element, slot_start, slot_element, state, run_start, runs,
            first, row_start, row_node, column, count,
        )  # fmt: skip


@kernel
def place_blocks(block_start):
    """Turn the block counts in block_start[1:] into row offsets; return the total."""
    block_start[0] = 0
    for row in range(1, block_start.size):
        block_start[row] += block_start[row - 1]
    return block_start[block_start.size - 1]


@body
def block_of(pair, i, j, row_start, row_node, column, block_start):
    """Block of node i of a pair's first fiber and node j of its second."""
    row = row_start[pair] + i - row_node[pair]
    return block_start[row] + j - column[row]


@body
def mirror_block(b, upper, lower):
    """Fill a lower block with the transpose of the upper one."""
    for c in range(6):
        for r in range(6):
            lower[b, c, r] = upper[b, r, c]


@kernel
def mirror_blocks(n, upper, lower):
    """Fill the first n lower blocks with the transposes of the upper ones."""
    for b in range(n):
        mirror_block(b, upper, lower)

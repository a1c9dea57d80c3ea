"""Contact of pairs of elements: which pairs touch, and their share in residual and lines.

A pair is an element with closed contact points and one element of another fiber that these points
meet. It has its own memory for its share of the residual, ``gradient`` (24,), and of the tangent:
``own`` (12, 12) for the integrated element with itself, ``cross`` (12, 12) for its rows and the
partner's columns, ``partner`` (12, 12) for the partner with itself. Tasks over runs fill it, and
tasks over fibers gather it, so that no two tasks write to the same place and every sum has one
order.
"""

from __future__ import annotations

from numba import prange

from fibermsk._compile import kernel, parallel

__all__ = [
    "count_pairs",
    "count_run",
    "gather_gradient",
    "gather_gradients",
    "gather_tangent",
    "gather_tangents",
    "list_pairs",
    "list_run",
]


@kernel
def is_closed(state, slot):
    """Whether a contact point carries a force."""
    return state[slot, 0] < state[slot, 1] + state[slot, 2] and state[slot, 3] > 0.0


@kernel
def pair_of(slot_element, slot, pair_column, first):
    """Pair of a closed slot, among those of its run, which begin at `first`."""
    p = first
    while pair_column[p] != slot_element[slot]:
        p += 1
    return p


@kernel
def count_run(run, slot_start, slot_element, state, counts):
    """Fill the number of pairs of one run."""
    n = 0
    for s in range(slot_start[run], slot_start[run + 1]):
        if is_closed(state, s):
            new = True
            for before in range(slot_start[run], s):
                if is_closed(state, before) and slot_element[before] == slot_element[s]:
                    new = False
            if new:
                n += 1
    counts[run] = n


@kernel
def count_pairs(slot_start, slot_element, state, run_pairs):
    """Fill run_pairs (n_runs + 1,): where each run's pairs begin; returns their number."""
    run_pairs[0] = 0
    for run in range(slot_start.size - 1):
        count_run(run, slot_start, slot_element, state, run_pairs[1:])
        run_pairs[run + 1] += run_pairs[run]
    return run_pairs[slot_start.size - 1]


@kernel
def list_run(run, run_element, slot_start, slot_element, state, run_pairs, pair_row, pair_column):
    """Fill the elements of the pairs of one run."""
    n = run_pairs[run]
    if n == run_pairs[run + 1]:
        return
    for s in range(slot_start[run], slot_start[run + 1]):
        if is_closed(state, s):
            new = True
            for p in range(run_pairs[run], n):
                if pair_column[p] == slot_element[s]:
                    new = False
            if new:
                pair_row[n], pair_column[n] = run_element[run], slot_element[s]
                n += 1


@kernel
def list_pairs(run_element, slot_start, slot_element, state, run_pairs, pair_row, pair_column):
    """Fill the elements of all pairs: the integrated one and the partner."""
    for run in range(run_element.size):
        list_run(
            run, run_element, slot_start, slot_element, state, run_pairs, pair_row, pair_column
        )


@kernel
def _add_gradient(gradient, at, node, residual):
    for a in range(2):
        for r in range(6):
            residual[node + a, r] += gradient[at + 6 * a + r]


@kernel
def gather_gradient(line, entry_start, entries, n_mirrored, row, column, gradient, residual):
    """Add the gradients of one fiber's pairs; see `gather_gradients`."""
    for k in range(entry_start[line], entry_start[line + 1]):
        p = entries[k] // 2
        if entries[k] % 2 == 0:
            _add_gradient(gradient[p], 0, row[p], residual)
        elif p < n_mirrored:
            _add_gradient(gradient[p], 12, column[p], residual)


@parallel("entry_start", least=64)
def gather_gradients(entry_start, entries, n_mirrored, row, column, gradient, residual):
    """Add the gradients of all pairs to the residual (n_nodes, 6), fiber by fiber.

    Entries as in `fibermsk.linalg.couplings`; the first n_mirrored pairs act on both elements;
    ``row``, ``column``: first nodes; gradient (n_pairs, 24).
    """
    for line in prange(entry_start.size - 1):
        gather_gradient(line, entry_start, entries, n_mirrored, row, column, gradient, residual)


@kernel
def _add_element(block, node, lines):
    """Add a (12, 12) block of an element to the lines (n_nodes, 3, 6, 6)."""
    for c in range(6):
        for r in range(6):
            lines[node, 0, c, r] += block[r, c]
            lines[node, 1, c, r] += block[r, 6 + c]
            lines[node, 2, c, r] += block[6 + r, c]
            lines[node + 1, 0, c, r] += block[6 + r, 6 + c]


@kernel
def gather_tangent(line, entry_start, entries, n_mirrored, row, column, own, partner, lines):
    """Add the own blocks of one fiber's pairs; see `gather_tangents`."""
    for k in range(entry_start[line], entry_start[line + 1]):
        p = entries[k] // 2
        if entries[k] % 2 == 0:
            _add_element(own[p], row[p], lines)
        elif p < n_mirrored:
            _add_element(partner[p], column[p], lines)


@parallel("entry_start", least=64)
def gather_tangents(entry_start, entries, n_mirrored, row, column, own, partner, lines):
    """Add the pairs' own blocks to the lines, fiber by fiber; see `gather_gradients`."""
    for line in prange(entry_start.size - 1):
        gather_tangent(line, entry_start, entries, n_mirrored, row, column, own, partner, lines)

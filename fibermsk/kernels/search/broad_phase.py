"""Candidate pairs of elements of different fibers in linear motion: search in grids of cells.

Elements of similar size, within a factor of four, share a grid whose cells are at least twice as
large, so that partners lie in neighboring cells; small elements search the grids of the larger ones
too. Cells are found in a hash table, so that the extent of space does not matter.

Symbols: ``bounds`` (n, N_BOUNDS) of elements, see `fibermsk.kernels.search.bounds`; ``boxes`` (n,
6) middle and extent of boxes that contain an element and its pad during the motion; ``fiber`` (n,);
``group`` (n_fibers,); ``law`` (n_groups, n_groups), negative for fibers without contact.
"""

from __future__ import annotations

import math

import numpy as np

from fibermsk._compile import inlined_body, kernel
from fibermsk.kernels.search.bounds import can_touch

LEVELS = 8
"""Number of grids; a key has three bits for it, and twenty for each number of a cell."""

_CELLS = 2**20

FINER = 4.0
"""Ratio of sizes from one grid to the next."""

SLACK = 1.0 + 1e-6
RESOLUTION = 1e-9
"""Cells are larger than elements by the former, and at least this part of the largest coordinate:
rounding moves no partner out of the neighboring cells, whose numbers stay small."""

_STRIDES = (104729, 4757, 67, 1)
"""Buckets from one grid to the next, and from one cell to the next along the axes: neighbors lie
close to each other in memory."""

_FEWEST_BUCKETS = 16


@kernel
def _fill_boxes(bounds, boxes):
    """Fill the boxes; returns the largest coordinate.

    The frame moves with the mean of all elements. Boxes that are not finite get the extent -1.
    """
    n = bounds.shape[0]
    mean = np.zeros(3)
    for e in range(n):
        if abs(bounds[e, 3]) + abs(bounds[e, 4]) + abs(bounds[e, 5]) < math.inf:
            for c in range(3):
                mean[c] += bounds[e, 3 + c] / n
    largest = 0.0
    for e in range(n):
        total = 0.0
        for c in range(3):
            motion = bounds[e, 3 + c] - mean[c]
            boxes[e, c] = bounds[e, c] + 0.5 * motion
            boxes[e, 3 + c] = bounds[e, 6 + c] + bounds[e, 10] + 0.5 * abs(motion)
            total += abs(boxes[e, c]) + boxes[e, 3 + c]
        if total < math.inf:
            for c in range(3):
                largest = max(largest, abs(boxes[e, c]))
        else:
            boxes[e, 3:] = -1.0
    return largest


@kernel
def _choose_grids(boxes, largest, level, size):
    """Fill each element's grid, 0 the coarsest, and the cell sizes; returns the number of grids."""
    widest = 0.0
    for e in range(boxes.shape[0]):
        widest = max(widest, boxes[e, 3], boxes[e, 4], boxes[e, 5])
    size[:] = 0.0
    n_levels = 0
    for e in range(boxes.shape[0]):
        own = max(boxes[e, 3], boxes[e, 4], boxes[e, 5])
        if own < 0.0:
            level[e] = -1
            continue
        k, limit = 0, widest / FINER
        while own <= limit and k < LEVELS - 1:
            k, limit = k + 1, limit / FINER
        level[e] = k
        n_levels = max(n_levels, k + 1)
        for c in range(3):
            size[k, c] = max(size[k, c], 2.0 * SLACK * boxes[e, 3 + c])
    for k in range(n_levels - 1, -1, -1):
        for c in range(3):
            if k < n_levels - 1:
                size[k, c] = max(size[k, c], size[k + 1, c])
            size[k, c] = max(size[k, c], RESOLUTION * largest, np.finfo(np.float64).tiny)
    return n_levels


@inlined_body
def _fill_cell(box, size, cell):
    """Fill the numbers (3,) of the cell that an element's middle lies in."""
    for c in range(3):
        cell[c] = math.floor(box[c] / size[c])


@inlined_body
def cell_key(level, x, y, z):
    """Number of a cell, the same for cells 2^20 apart only."""
    key = level * _CELLS + x % _CELLS
    return (key * _CELLS + y % _CELLS) * _CELLS + z % _CELLS


@inlined_body
def _bucket(level, x, y, z, mask):
    """Bucket of a cell; other cells may share it."""
    at = _STRIDES[0] * level + _STRIDES[1] * x + _STRIDES[2] * y + _STRIDES[3] * z
    return at & mask


@kernel
def _fill_table(boxes, level, size, mask, key, bucket, bucket_start, order):
    """Sort the elements by buckets, and within them by number; returns how many have a grid."""
    cell = np.empty(3, np.int64)
    bucket_start[:] = 0
    n = 0
    for e in range(level.size):
        k = level[e]
        if k < 0:
            continue
        _fill_cell(boxes[e], size[k], cell)
        key[e] = cell_key(k, cell[0], cell[1], cell[2])
        bucket[e] = _bucket(k, cell[0], cell[1], cell[2], mask)
        bucket_start[bucket[e] + 1] += 1
        n += 1
    for b in range(bucket_start.size - 1):
        bucket_start[b + 1] += bucket_start[b]
    # from behind, so that the end of each bucket moves to its beginning
    for e in range(level.size - 1, -1, -1):
        if level[e] >= 0:
            b = bucket[e] + 1
            bucket_start[b] -= 1
            order[bucket_start[b]] = e
    for b in range(bucket_start.size - 1):
        bucket_start[b] = bucket_start[b + 1]
    bucket_start[-1] = n
    return n


@inlined_body
def _look_around(box, level, size, mask, bucket_start, cell, wanted, begin, end):
    """Fill keys and ranges of the cells with possible partners; returns their number.

    In its own grid only half of the neighbors, since the others look back.
    """
    n = 0
    for k in range(level + 1):
        _fill_cell(box, size[k], cell)
        for j in range(14 if k == level else 0, 27):
            x, y, z = cell[0] + j // 9 - 1, cell[1] + j // 3 % 3 - 1, cell[2] + j % 3 - 1
            b = _bucket(k, x, y, z, mask)
            if bucket_start[b] < bucket_start[b + 1]:
                wanted[n] = cell_key(k, x, y, z)
                begin[n], end[n] = bucket_start[b], bucket_start[b + 1]
                n += 1
    return n


@inlined_body
def _fill_near(box, boxes, first, last, near):
    """Fill the indices from first to last of boxes that overlap with one; return their number."""
    x, y, z, ex, ey, ez = box[0], box[1], box[2], box[3], box[4], box[5]
    n = 0
    for j in range(first, last):
        other = boxes[j]
        near[n] = j
        # one sum instead of branches, which are unpredictable
        n += (
            (abs(other[0] - x) <= other[3] + ex)
            & (abs(other[1] - y) <= other[4] + ey)
            & (abs(other[2] - z) <= other[5] + ez)
        )
    return n


@kernel
def find_pairs(before, after, bounds, moving, fiber, group, law):
    """Pairs of elements of different fibers that can touch; a new array (n_pairs, 2), unordered.

    Arguments as in `fibermsk.kernels.search.bounds.can_touch`.
    """
    n = bounds.shape[0]
    boxes, size = np.empty((n, 6)), np.empty((LEVELS, 3))
    level, key = np.empty(n, np.int64), np.empty(n, np.int64)
    bucket, order = np.empty(n, np.int64), np.empty(n, np.int64)
    largest = _fill_boxes(bounds, boxes)
    n_levels = _choose_grids(boxes, largest, level, size)
    n_buckets = _FEWEST_BUCKETS
    while n_buckets < 2 * n:
        n_buckets *= 2
    mask = n_buckets - 1
    bucket_start = np.empty(n_buckets + 1, np.int64)
    n_in = _fill_table(boxes, level, size, mask, key, bucket, bucket_start, order)
    keys, sorted_boxes = np.empty(n_in, np.int64), np.empty((n_in, 6))
    for i in range(n_in):
        keys[i], sorted_boxes[i] = key[order[i]], boxes[order[i]]
    pairs, count = np.empty((8 * n + 64, 2), np.int32), 0
    near, cell = np.empty(n_in, np.int64), np.empty(3, np.int64)
    wanted, begin = np.empty(27 * LEVELS, np.int64), np.empty(27 * LEVELS, np.int64)
    end = np.empty(27 * LEVELS, np.int64)
    n_cells = 0
    for i in range(n_in):
        a = order[i]
        # elements of one cell search the same cells
        same = i > 0 and keys[i] == keys[i - 1] and bucket[a] == bucket[order[i - 1]]
        if not (same and n_levels == 1):
            n_cells = _look_around(
                boxes[a], level[a], size, mask, bucket_start, cell, wanted, begin, end
            )
        for c in range(-1, n_cells):
            # first its own cell, from itself on
            first, last = (i + 1, bucket_start[bucket[a] + 1]) if c < 0 else (begin[c], end[c])
            sought = keys[i] if c < 0 else wanted[c]
            for m in range(_fill_near(boxes[a], sorted_boxes, first, last, near)):
                b = order[near[m]]
                if keys[near[m]] != sought or fiber[b] == fiber[a]:
                    continue
                if law[group[fiber[a]], group[fiber[b]]] < 0:
                    continue
                if can_touch(bounds, before, after, moving, a, b):
                    if count == pairs.shape[0]:
                        longer = np.empty((2 * count, 2), np.int32)
                        for k in range(count):
                            longer[k, 0], longer[k, 1] = pairs[k, 0], pairs[k, 1]
                        pairs = longer
                    pairs[count, 0], pairs[count, 1] = a, b
                    count += 1
    return pairs[:count]


@kernel
def _sort_both_ways(pairs, n, start, partner):
    """Fill start (n + 1,) and partner (2 n_pairs,): partners of every element, increasing."""
    start[:] = 0
    for p in range(pairs.shape[0]):
        start[pairs[p, 0] + 1] += 1
        start[pairs[p, 1] + 1] += 1
    for e in range(n):
        start[e + 1] += start[e]
    unsorted, place = np.empty(partner.size, np.int32), start[:-1].copy()
    for p in range(pairs.shape[0]):
        a, b = pairs[p, 0], pairs[p, 1]
        unsorted[place[a]], unsorted[place[b]] = b, a
        place[a] += 1
        place[b] += 1
    # each element in turn enters the lists of its partners, whose order is then increasing
    for e in range(n):
        place[e] = start[e]
    for e in range(n):
        for i in range(start[e], start[e + 1]):
            b = unsorted[i]
            partner[place[b]] = e
            place[b] += 1


@kernel
def list_runs(pairs, fiber, group, law):
    """Runs of all elements with the fibers that they are paired with, in increasing order.

    Returns element and law (n_runs,), start (n_runs + 1,) of the candidates, and candidates.
    """
    n = fiber.size
    row_start, candidates = np.empty(n + 1, np.int64), np.empty(2 * pairs.shape[0], np.int32)
    _sort_both_ways(pairs, n, row_start, candidates)
    n_runs = 0
    for e in range(n):
        for i in range(row_start[e], row_start[e + 1]):
            if i == row_start[e] or fiber[candidates[i]] != fiber[candidates[i - 1]]:
                n_runs += 1
    element, run_law = np.empty(n_runs, np.int32), np.empty(n_runs, np.int32)
    start = np.empty(n_runs + 1, np.int32)
    run = 0
    for e in range(n):
        for i in range(row_start[e], row_start[e + 1]):
            other = fiber[candidates[i]]
            if i == row_start[e] or other != fiber[candidates[i - 1]]:
                element[run], start[run] = e, i
                run_law[run] = law[group[fiber[e]], group[other]]
                run += 1
    start[n_runs] = candidates.size
    return element, run_law, start, candidates


@kernel
def mark_new(first, second, known_first, known_second, new):
    """Mark in `new` which pairs are not among the known ones; both lists increase."""
    k = 0
    for i in range(first.size):
        while k < known_first.size and (
            known_first[k] < first[i]
            or (known_first[k] == first[i] and known_second[k] < second[i])
        ):
            k += 1
        new[i] = k == known_first.size or known_first[k] != first[i] or known_second[k] != second[i]


@kernel
def mark_new_in_runs(
    element, start, candidates, known_element, known_start, known_candidates, new
):  # fmt: skip
    """Mark in `new` which candidates of runs are not among those of known runs.

    element (n_runs,), start (n_runs + 1,): element of each run, and where its candidates begin.
    Both lists increase by element, and then by candidate.
    """
    run, k = 0, 0
    for r in range(element.size):
        for i in range(start[r], start[r + 1]):
            while k < known_candidates.size:
                while k >= known_start[run + 1]:
                    run += 1
                before = known_element[run] < element[r]
                same = known_element[run] == element[r]
                if not (before or (same and known_candidates[k] < candidates[i])):
                    break
                k += 1
            new[i] = (
                k == known_candidates.size
                or known_element[run] != element[r]
                or known_candidates[k] != candidates[i]
            )

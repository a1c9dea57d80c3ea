"""Candidate pairs of elements of different fibers at rest, as tasks for a device.

The search of `fibermsk.kernels.search.broad_phase` with elements sorted by the key of their cell
instead of a hash table, so that a task finds a cell by bisection. Symbols as there.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from fibermsk._compile import body
from fibermsk.kernels.search.bounds import can_touch, enclose_one
from fibermsk.kernels.search.broad_phase import FINER, LEVELS, cell_key

OUTSIDE = (1 << 63) - 1
"""Key of elements without a grid."""


class Grids(NamedTuple):
    """Elements in the order of their cells.

    Attributes
    ----------
    order, key : (n,) int array
        Elements sorted by key, and their keys.
    level : (n,) int array
        Grid of each element, -1 for none.
    size : (LEVELS, 3) float array
        Sizes of the cells.
    boxes : (n, 6) float array
        Middle and extent of each element and its pad.
    """

    order: Any
    key: Any
    level: Any
    size: Any
    boxes: Any


class Fibers(NamedTuple):
    """Fiber of each element, group of each fiber, and law of two groups, -1 for no contact."""

    fiber: Any
    group: Any
    law: Any


@body
def fill_bounds(e, hull, still, pad, bounds):
    """Fill the bounds of an element at rest; see `fibermsk.kernels.search.bounds.enclose`."""
    enclose_one(e, hull, hull, still, pad, bounds)


@body
def fill_box(e, bounds, boxes):
    """Fill the box of an element at rest; one that is not finite has the extent -1."""
    total = 0.0
    for c in range(3):
        boxes[e, c] = bounds[e, c]
        boxes[e, 3 + c] = bounds[e, 6 + c] + bounds[e, 10]
        total += abs(boxes[e, c]) + boxes[e, 3 + c]
    if not total < math.inf:
        for c in range(3):
            boxes[e, c], boxes[e, 3 + c] = 0.0, -1.0


@body
def choose_level(e, boxes, widest, level):
    """Fill an element's grid, 0 the coarsest, from the largest extent of all."""
    own = max(boxes[e, 3], boxes[e, 4], boxes[e, 5])
    level[e] = -1
    if own < 0.0:
        return
    k, limit = 0, widest / FINER
    while own <= limit and k < LEVELS - 1:
        k, limit = k + 1, limit / FINER
    level[e] = k


@body
def fill_key(e, boxes, level, size, key):
    """Fill the key of an element's cell."""
    k = level[e]
    if k < 0:
        key[e] = OUTSIDE
        return
    x = int(math.floor(boxes[e, 0] / size[k, 0]))
    y = int(math.floor(boxes[e, 1] / size[k, 1]))
    z = int(math.floor(boxes[e, 2] / size[k, 2]))
    key[e] = cell_key(k, x, y, z)


@body
def _first_of(key, wanted):
    """First index of sorted keys that are not below the wanted one."""
    low, high = 0, key.size
    while low < high:
        middle = (low + high) // 2
        if key[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@body
def _boxes_meet(boxes, a, b):
    """Whether two boxes overlap."""
    for c in range(3):
        if abs(boxes[a, c] - boxes[b, c]) > boxes[a, 3 + c] + boxes[b, 3 + c]:
            return False
    return True


@body
def _is_pair(a, b, hull, bounds, boxes, fibers):
    """Whether two elements are a candidate pair."""
    one, other = fibers.fiber[a], fibers.fiber[b]
    if one == other or not _boxes_meet(boxes, a, b):
        return False
    if fibers.law[fibers.group[one], fibers.group[other]] < 0:
        return False
    return can_touch(bounds, hull, hull, False, a, b)


@body
def find_near(i, hull, bounds, grids, fibers, start, found):
    """Count the pairs of the i-th element in order with later ones, or list them.

    With an empty `found`, their number is stored in start[i]. Otherwise found[2 m] and found[2 m +
    1], from m = start[i] on, receive a n + b and b n + a for each pair (a, b).
    """
    order, key, size = grids.order, grids.key, grids.size
    a, n, count = order[i], order.size, 0
    level = grids.level[a]
    for k in range(level + 1):
        x = int(math.floor(grids.boxes[a, 0] / size[k, 0]))
        y = int(math.floor(grids.boxes[a, 1] / size[k, 1]))
        z = int(math.floor(grids.boxes[a, 2] / size[k, 2]))
        # in its own grid half of the neighbors, since the others look back, and its own cell
        for j in range(13 if k == level else 0, 27):
            wanted = cell_key(k, x + j // 9 - 1, y + j // 3 % 3 - 1, z + j % 3 - 1)
            at = i + 1 if k == level and j == 13 else _first_of(key, wanted)
            while at < n and key[at] == wanted:
                b = order[at]
                if _is_pair(a, b, hull, bounds, grids.boxes, fibers):
                    if found.size > 0:
                        m = 2 * (start[i] + count)
                        found[m], found[m + 1] = a * n + b, b * n + a
                    count += 1
                at += 1
    if found.size == 0:
        start[i] = count


@body
def span_pair(p, elements, fiber, runs, of_pairs, first, row_node, end):
    """Fill the first coupled node of a pair's first fiber, and the end of them.

    As `fibermsk.kernels.contact.pairs.span_rows`.
    """
    low_node, high_node = 1 << 62, 0
    for k in range(of_pairs.start[p], of_pairs.start[p + 1]):
        run = of_pairs.runs[k]
        low, high = runs.element[run], runs.element[run]
        if fiber[low] != first[p]:
            low = runs.candidates[runs.start[run]]
            high = runs.candidates[runs.start[run + 1] - 1]
        low_node = min(low_node, elements[low, 0])
        high_node = max(high_node, elements[high, 1] + 1)
    row_node[p], end[p] = low_node, high_node

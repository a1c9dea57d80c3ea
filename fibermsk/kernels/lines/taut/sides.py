"""Strings from which a search for a taut path starts: through hints, or from all sides."""

from __future__ import annotations

import math

import numpy as np

from fibermsk._compile import kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.section import to_ground
from fibermsk.kernels.lines.taut.string import copy, distance, first_of, lean, length_of, shrink

COARSE = 32
"""Points of the strings from all sides."""
SIDES = 8
"""Sides of the straight line on which strings start; one more starts along it."""
SWEEPS, CALM = 20 * COARSE, 1e-6
"""Most sweeps of shrinking; move of a point in a sweep, of the string's length, that ends it."""
ALIKE = 0.01
"""Distance of the points of two strings, of their length, below which they are the same."""


@kernel
def through_hints(kind, size, R, p, o, i, hint, hinted):
    """Knots (1, k, 3) of a string from o to i through the hints of the surfaces that have one."""
    knots, count = np.empty((1, kind.size + 2, 3)), 1
    copy(o, knots[0, 0])
    for k in range(kind.size):
        if hinted[k] and first_of(kind, size, R, p, k) == k:
            to_ground(R[k], p[k], hint[k], knots[0, count])
            count += 1
    copy(i, knots[0, count])
    return knots[:, : count + 1]


@kernel
def _reach(size, p, o, i):
    """How far [m] a string must swing out of the line from o to i to pass all surfaces."""
    reach = 0.0
    for k in range(p.shape[0]):
        radius = size[k, 0] + size[k, 1] + size[k, 2]
        away = min(distance(p[k], o), distance(p[k], i))
        reach = max(reach, radius + 0.5 * away)
    return reach


@kernel
def from_all_sides(kind, size, R, p, o, i):
    """Different strings (c, COARSE, 3), the shortest first, shrunk from all sides of the line."""
    along, u, w = scratch(3), np.zeros(3), scratch(3)
    span = distance(o, i)
    least = 0
    for r in range(3):
        along[r] = (i[r] - o[r]) / span
        if abs(along[r]) < abs(along[least]):
            least = r
    u[least] = 1.0
    lean(along, u)
    for r in range(3):
        k, j = (r + 1) % 3, (r + 2) % 3
        w[r] = along[k] * u[j] - along[j] * u[k]
    reach = _reach(size, p, o, i)
    strings, length = np.empty((SIDES + 1, COARSE, 3)), np.empty(SIDES + 1)
    x, touched, found = np.empty((COARSE, 3)), np.empty(COARSE, np.int64), 0
    for side in range(SIDES + 1):
        angle = 2.0 * math.pi * side / SIDES
        swing = reach if side < SIDES else 0.0
        for j in range(COARSE):
            share = j / (COARSE - 1.0)
            out = swing * math.sin(math.pi * share)
            for r in range(3):
                x[j, r] = o[r] + share * span * along[r]
                x[j, r] += out * (math.cos(angle) * u[r] + math.sin(angle) * w[r])
        shrink(kind, size, R, p, x, touched, SWEEPS, CALM)
        total = length_of(x)
        new = True
        for c in range(found):
            new = new and not _alike(x, strings[c], ALIKE * total)
        if new:
            place = found
            while place > 0 and length[place - 1] > total:
                length[place] = length[place - 1]
                strings[place] = strings[place - 1]
                place -= 1
            length[place] = total
            strings[place] = x
            found += 1
    return strings[:found]


@kernel
def _alike(x, y, most):
    """Whether no points of the same number of two strings (n, 3) are farther apart."""
    for j in range(x.shape[0]):
        if distance(x[j], y[j]) > most:
            return False
    return True

"""Vectors of jets, stored as arrays (3, 6), and frames that carry them.

Jets are those of `fibermsk.kernels.lines.material.jets`, a row each.
"""

from __future__ import annotations

from fibermsk._compile import inner_body
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.material.carried import carry
from fibermsk.kernels.lines.material.jets import minus, over, plus, times


@inner_body
def get(array, r):
    """Row of an array as a jet."""
    return (
        (array[r, 0], array[r, 1], array[r, 2]),
        (array[r, 3], array[r, 4], array[r, 5]),
    )


@inner_body
def put(array, r, jet):
    """Store a jet in a row of an array."""
    array[r, 0], array[r, 1], array[r, 2] = jet[0]
    array[r, 3], array[r, 4], array[r, 5] = jet[1]


@inner_body
def copy(a, out):
    """Fill out with the vector a, or more rows of jets."""
    for r in range(a.shape[0]):
        put(out, r, get(a, r))


@inner_body
def product(a, b):
    """Inner product of two vectors."""
    total = times(get(a, 0), get(b, 0))
    for r in range(1, 3):
        total = plus(total, times(get(a, r), get(b, r)))
    return total


@inner_body
def less(a, c, b, out):
    """Fill out with a - c b, for vectors a, b and a jet c."""
    for r in range(3):
        put(out, r, minus(get(a, r), times(c, get(b, r))))


@inner_body
def divide(a, c):
    """Divide a vector by a jet."""
    for r in range(3):
        put(a, r, over(get(a, r), c))


@inner_body
def cross_of(a, b, out):
    """Fill out with a x b."""
    for k in range(3):
        u, v = (k + 1) % 3, (k + 2) % 3
        put(out, k, minus(times(get(a, u), get(b, v)), times(get(a, v), get(b, u))))


@inner_body
def carry_frame(motion, R, p, out):
    """Fill out (4, 3, 6) with the axes of a frame of a link and its origin; R, p in the ground."""
    axis = scratch(3)
    for c in range(3):
        for r in range(3):
            axis[r] = R[r, c]
        carry(motion, axis, 0.0, out[c])
    carry(motion, p, 1.0, out[3])


@inner_body
def out_of_frame(frame, local, is_point, out):
    """Fill out (3, 6) with a point, or else a direction, given in a frame (4, 3, 6)."""
    for r in range(3):
        total = times(get(frame[0], r), get(local, 0))
        for c in range(1, 3):
            total = plus(total, times(get(frame[c], r), get(local, c)))
        put(out, r, plus(total, get(frame[3], r)) if is_point else total)

"""Angle of a path about the axis of a cylinder, by which the sides of the cylinder differ.

Paths between the same ends have the same angle, up to whole turns; those with different numbers of
turns cannot be deformed into each other without passing through the axis.
"""

from __future__ import annotations

import math

from fibermsk._compile import body
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.section import to_ground, to_local
from fibermsk.kernels.lines.taut.geodesic import ACCURACY, geodesic

PIECES = 16
"""Pieces of a long arc on another surface, each of which goes less than half around the axis."""


@body
def _angle(a, b):
    """Angle about the z axis from a to b (3,), in (-pi, pi]."""
    return math.atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1])


@body
def winding_of(kinds, sizes, Rs, ps, feet, frame, o, i, k):
    """Angle of a chain about axis k, solved as in `fibermsk.kernels.lines.taut.solve`."""
    a, b, x, y, total = scratch(3), scratch(3), scratch(3), scratch(10), 0.0
    to_local(Rs[k], ps[k], o, a)
    for j in range(kinds.size):
        to_local(Rs[k], ps[k], frame[j, 0, 0], b)
        total += _angle(a, b)
        length = feet[j, 6]
        if j == k:
            radius = sizes[k, 0]
            total += (feet[k, 0] * feet[k, 4] - feet[k, 1] * feet[k, 3]) / radius**2 * length
            to_local(Rs[k], ps[k], frame[k, 1, 0], a)
            continue
        # an arc shorter than its distance from the axis goes less than a quarter around it
        pieces = 1 if length < math.hypot(b[0], b[1]) else PIECES
        for s in range(1, pieces + 1):
            for r in range(3):
                a[r] = b[r]
            geodesic(
                kinds[j], sizes[j], feet[j, :3], feet[j, 3:6], s * length / pieces, ACCURACY, y
            )
            to_ground(Rs[j], ps[j], y, x)
            to_local(Rs[k], ps[k], x, b)
            total += _angle(a, b)
        for r in range(3):
            a[r] = b[r]
    to_local(Rs[k], ps[k], i, b)
    return total + _angle(a, b)

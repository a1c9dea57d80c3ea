"""Nearest points of whole fibers to a given point.

Symbols as in `fibermsk.kernels.closest.closest_point`; ``nodes`` (n_nodes, 6) position and
theta-tangent.
"""

from __future__ import annotations

import math

from fibermsk._compile import kernel
from fibermsk.kernels.closest.polynomial import lowest_point


@kernel
def find_nearest(nodes, node_start, n_elements, element_start, h, point, element, xi, distance):
    """Fill element, from a fiber's start, xi and distance (n,) of the nearest points of n fibers.

    Fiber f has n_elements[f] elements, the first nodes[node_start[f]] and h[element_start[f]].
    """
    for f in range(node_start.size):
        best = math.inf
        for e in range(n_elements[f]):
            i, size = node_start[f] + e, h[element_start[f] + e]
            pp, pv, pw, pu, vv, vw, vu, ww, wu, uu = (0.0,) * 10
            for c in range(3):
                p = nodes[i, c] - point[c]
                chord = nodes[i + 1, c] - nodes[i, c]
                v, end = size * nodes[i, 3 + c], size * nodes[i + 1, 3 + c]
                w, u = 3.0 * chord - 2.0 * v - end, v + end - 2.0 * chord
                pp += p * p
                pv += p * v
                pw += p * w
                pu += p * u
                vv += v * v
                vw += v * w
                vu += v * u
                ww += w * w
                wu += w * u
                uu += u * u
            a = (
                pv, 2.0 * pw + vv, 3.0 * (pu + vw), 4.0 * vu + 2.0 * ww, 5.0 * wu, 3.0 * uu
            )  # fmt: skip
            at = lowest_point(a)
            total = a[3] / 4.0 + at * (a[4] / 5.0 + at * a[5] / 6.0)
            square = pp + 2.0 * at * (a[0] + at * (a[1] / 2.0 + at * (a[2] / 3.0 + at * total)))
            if square < best:
                best, element[f], xi[f] = square, e, at
        distance[f] = math.sqrt(max(best, 0.0))

"""How far a Newton update may go before a contact could leave the admissible range.

After Gfrerer and Simeon (2021), eqs. 69-73: over the update the distance of a quadrature point to a
partner falls at most by their relative displacement, and the radii grow at most as the centerlines
shorten. Here the displacement is taken relative to the partner (a common motion costs nothing), per
run instead of over all other fibers, and bounded by the Bezier control points of the candidate
elements, so that the estimate holds all along the way and no fiber can cross another. Symbols as in
`fibermsk.kernels.contact`.
"""

from __future__ import annotations

import math

import numpy as np

from fibermsk.kernels._compile import kernel
from fibermsk.kernels.shape import shape, shape_d1

__all__ = ["bone_fraction", "fiber_fraction", "stretch_fraction"]

_BISECTIONS = 40


@kernel
def _estimate(fraction, d, r_x, r_y, length, y_length, s, dx, dy, gamma):
    """Lower bound of 1 + gamma g after `fraction` of the update, -inf for a lost tangent."""
    x_left = length - fraction * dx
    y_left = y_length - fraction * dy
    if x_left <= 0.0 or y_left <= 0.0:
        return -np.inf
    radii = r_x * math.sqrt(length / x_left) + r_y * math.sqrt(y_length / y_left)
    return 1.0 + gamma * ((d - fraction * s) / radii - 1.0)


@kernel
def _shorten(fraction, keep, d, r_x, r_y, length, y_length, s, dx, dy, gamma, admissibility):
    """Largest part of `fraction` that keeps the estimate above keep * admissibility."""
    bound = keep * min(admissibility, 1.0)
    if _estimate(fraction, d, r_x, r_y, length, y_length, s, dx, dy, gamma) >= bound:
        return fraction
    low, high = 0.0, fraction
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        if _estimate(middle, d, r_x, r_y, length, y_length, s, dx, dy, gamma) >= bound:
            low = middle
        else:
            high = middle
    return low


@kernel
def _displacement(elements, update, e, xi, h, dx):
    """Fill dx with the update at an element's point; returns the size of the tangent's."""
    i, j = elements[e, 0], elements[e, 1]
    n, d1 = shape(xi, h), shape_d1(xi, h)
    length = 0.0
    for c in range(3):
        dx[c] = n[0] * update[i, c] + n[1] * update[i, 3 + c]
        dx[c] += n[2] * update[j, c] + n[3] * update[j, 3 + c]
        t = d1[0] * update[i, c] + d1[1] * update[i, 3 + c]
        t += d1[2] * update[j, c] + d1[3] * update[j, 3 + c]
        length += t * t
    return math.sqrt(length)


@kernel
def stretch_fraction(nodes, update, elements, h, xi, keep):
    """Largest part, at most 1, of an update that leaves each point `keep` of its stretch."""
    fraction = 1.0
    dx = np.empty(3)
    for e in range(elements.shape[0]):
        for k in range(xi.size):
            dt = _displacement(elements, update, e, xi[k], h[e], dx)
            length = _displacement(elements, nodes, e, xi[k], h[e], dx)
            if dt * fraction > (1.0 - keep) * length:
                fraction = (1.0 - keep) * length / dt
    return fraction


@kernel
def fiber_fraction(
    elements, h, update, hull_update, remainder, run_element, run_start, candidates, run_law,
    law_constants, law_points, law_xi, slot_start, state, fraction, keep,
):  # fmt: skip
    """Shorten `fraction` so that every fiber-fiber slot keeps `keep` of its 1 + gamma g.

    hull_update (n_elements, 4, 3): update of the Bezier control points; remainder (n_elements,):
    how far a control point may stray from that straight way, because the attachments move on
    curves.
    """
    dx = np.empty(3)
    for run in range(run_element.size):
        e = run_element[run]
        law = run_law[run]
        for k in range(law_points[law]):
            st = state[slot_start[run] + k]
            dt = (
                _displacement(elements, update, e, law_xi[law, k], h[e], dx)
                + 6.0 * remainder[e] / h[e]
            )
            s, dy = 0.0, 0.0
            for i in range(run_start[run], run_start[run + 1]):
                b = candidates[i]
                for p in range(4):
                    relative = 0.0
                    for c in range(3):
                        relative += (dx[c] - hull_update[b, p, c]) ** 2
                    s = max(s, math.sqrt(relative) + remainder[e] + remainder[b])
                for p in range(3):
                    slope = 0.0
                    for c in range(3):
                        slope += (hull_update[b, p + 1, c] - hull_update[b, p, c]) ** 2
                    dy = max(dy, (3.0 * math.sqrt(slope) + 6.0 * remainder[b]) / h[b])
            fraction = _shorten(
                fraction, keep, st[0], st[1], st[2], st[4], st[5], s, dt, dy,
                law_constants[law, 1], st[3],
            )  # fmt: skip
    return fraction


@kernel
def bone_fraction(
    elements, h, update, remainder, run_element, run_shape, run_law, law_constants, law_points,
    law_xi, slot_start, slot_point, state, shape_link, moves, position, S, chain_length, update_q,
    fraction, keep,
):  # fmt: skip
    """Shorten `fraction` so that every fiber-bone slot keeps `keep` of its 1 + gamma g.

    A point's distance to a bone changes at most by its displacement in the bone's frame. To first
    order that is dx - sum V_k(x) dq_k; turning the joints by the sum of |dq_k| along the chain adds
    at most a second order term with the lever arms, bounded by the distance of x to the joints and
    by chain_length (n_links,), the distance along the chain from a link to its first joint. Sliding
    joints only add to the levers.
    """
    dx, v = np.empty(3), np.empty(3)
    for run in range(run_element.size):
        e = run_element[run]
        law = run_law[run]
        link = shape_link[run_shape[run]]
        for k in range(law_points[law]):
            slot = slot_start[run] + k
            st = state[slot]
            x = slot_point[slot]
            dt = (
                _displacement(elements, update, e, law_xi[law, k], h[e], dx)
                + 6.0 * remainder[e] / h[e]
            )
            way = math.sqrt(dx[0] ** 2 + dx[1] ** 2 + dx[2] ** 2)
            turn, slide, reach = 0.0, 0.0, 0.0
            if link >= 0:
                for j in range(update_q.size):
                    if not moves[link, j] or update_q[j] == 0.0:
                        continue
                    w = S[j, :3]
                    v[0] = S[j, 3] + w[1] * x[2] - w[2] * x[1]
                    v[1] = S[j, 4] + w[2] * x[0] - w[0] * x[2]
                    v[2] = S[j, 5] + w[0] * x[1] - w[1] * x[0]
                    for c in range(3):
                        dx[c] -= v[c] * update_q[j]
                    if w[0] != 0.0 or w[1] != 0.0 or w[2] != 0.0:
                        turn += abs(update_q[j])
                        lever = 0.0
                        for c in range(3):
                            lever += (x[c] - position[j, c]) ** 2
                        reach = max(reach, math.sqrt(lever))
                    else:
                        slide += abs(update_q[j])
            s = math.sqrt(dx[0] ** 2 + dx[1] ** 2 + dx[2] ** 2) + remainder[e]
            if turn > 0.0:
                lever = reach + way + slide + turn * chain_length[link]
                s += 0.5 * turn * (2.0 * turn * lever + way + slide)
            fraction = _shorten(
                fraction, keep, st[0], st[1], st[2], st[4], 1.0, s, dt, 0.0,
                law_constants[law, 1], st[3],
            )  # fmt: skip
    return fraction

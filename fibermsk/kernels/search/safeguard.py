"""Safeguard of Newton updates: contacts must stay in their admissible range.

After Gfrerer and Simeon (2021), eqs. 69-73: over the update the distance of a quadrature point to a
partner falls at most by their relative displacement, and the radii grow at most as the centerlines
shorten. Here the displacement is taken relative to the partner (a common motion does not matter),
per run instead of over all other fibers, and bounded by the Bezier control points of the candidate
elements, so that the estimate holds throughout and no fiber can cross another. Symbols as in
`fibermsk.kernels.contact.contact`.
"""

from __future__ import annotations

import math

from numba import prange

from fibermsk._compile import body, inlined_body, kernel, loop_body, parallel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.contact.bone_border import moves_bone, velocity_field
from fibermsk.kernels.fibers.shape import shape, shape_d1

# Columns of `ways`, see `fiber_fraction`.
_BALL, _SLOPE, N_WAYS = 3, 4, 5

# Newton's method comes from above; its last iterate is cut by a part beyond round-off.
_CUT = 1e-12
_ITERATIONS = 60

# Stride of runs checked first: the shortened update then clears most other runs quickly.
_SAMPLE = 16


@body
def _estimate(fraction, d, r_x, r_y, length, y_length, s, dx, dy, floor):
    """Lower bound of d - floor (r_x + r_y) after `fraction` of the update, and its slope."""
    x_left = length - fraction * dx
    y_left = y_length - fraction * dy
    x_radius = r_x * math.sqrt(length / x_left)
    y_radius = r_y * math.sqrt(y_length / y_left)
    grown = 0.5 * (x_radius * dx / x_left + y_radius * dy / y_left)
    return d - fraction * s - floor * (x_radius + y_radius), -s - floor * grown


@body
def _shorten(fraction, keep, d, r_x, r_y, length, y_length, s, dx, dy, gamma, admissibility):
    """Largest part of `fraction` that keeps 1 + gamma g above keep * admissibility.

    d shrinks by s, the tangents' lengths by dx and dy, at most. What is left of the gap is a
    concave function of the fraction, so that Newton's method from above stays above its root.
    """
    bound = keep * min(admissibility, 1.0)
    floor = 1.0 - (1.0 - bound) / gamma
    # radii are finite before this
    if fraction * dx >= length:
        fraction = (1.0 - 1e-6) * length / dx
    if fraction * dy >= y_length:
        fraction = (1.0 - 1e-6) * y_length / dy
    for _ in range(_ITERATIONS):
        left, slope = _estimate(fraction, d, r_x, r_y, length, y_length, s, dx, dy, floor)
        if left >= 0.0:
            return fraction
        step = left / slope if slope < 0.0 else fraction
        if step <= 1e-14 * fraction:
            break
        fraction -= step
        if not fraction > 0.0:
            return 0.0
    return (1.0 - _CUT) * fraction


@body
def _displacement(elements, update, e, xi, h):
    """Update at an element's point, and the squared size of the tangent's."""
    i, j = elements[e, 0], elements[e, 1]
    n0, n1, n2, n3 = shape(xi, h)
    d0, d1, d2, d3 = shape_d1(xi, h)
    square = 0.0
    for c in range(3):
        t = d0 * update[i, c] + d1 * update[i, 3 + c] + d2 * update[j, c] + d3 * update[j, 3 + c]
        square += t * t
    x = n0 * update[i, 0] + n1 * update[i, 3] + n2 * update[j, 0] + n3 * update[j, 3]
    y = n0 * update[i, 1] + n1 * update[i, 4] + n2 * update[j, 1] + n3 * update[j, 4]
    z = n0 * update[i, 2] + n1 * update[i, 5] + n2 * update[j, 2] + n3 * update[j, 5]
    return (x, y, z), square


@body
def _keep_stretch(e, nodes, update, elements, h, xi, keep, fraction):
    """Largest part of `fraction` that leaves each point of an element `keep` of its stretch."""
    for k in range(xi.size):
        _, change = _displacement(elements, update, e, xi[k], h[e])
        _, square = _displacement(elements, nodes, e, xi[k], h[e])
        dt, length = math.sqrt(change), math.sqrt(square)
        if dt * fraction > (1.0 - keep) * length:
            fraction = (1.0 - keep) * length / dt
    return fraction


@kernel
def stretch_fraction(nodes, update, elements, h, xi, keep):
    """Largest part, at most 1, of an update that leaves each point `keep` of its stretch."""
    fraction = 1.0
    for e in range(elements.shape[0]):
        fraction = _keep_stretch(e, nodes, update, elements, h, xi, keep, fraction)
    return fraction


@body
def fill_stretch_fraction(e, nodes, update, elements, h, xi, keep, found):
    """Fill found[e], of which the least is the `stretch_fraction`."""
    found[e] = _keep_stretch(e, nodes, update, elements, h, xi, keep, 1.0)


@body
def fill_way(e, h, hull_update, remainder, ways):
    """Fill the bounding ball of an element's updates, and the change of its tangent."""
    slope = 0.0
    for p in range(3):
        change = 0.0
        for c in range(3):
            change += (hull_update[e, p + 1, c] - hull_update[e, p, c]) ** 2
        slope = max(slope, change)
    ball = 0.0
    for c in range(3):
        low = min(
            min(hull_update[e, 0, c], hull_update[e, 1, c]),
            min(hull_update[e, 2, c], hull_update[e, 3, c]),
        )
        high = max(
            max(hull_update[e, 0, c], hull_update[e, 1, c]),
            max(hull_update[e, 2, c], hull_update[e, 3, c]),
        )
        ways[e, c] = 0.5 * (low + high)
    for p in range(4):
        apart = 0.0
        for c in range(3):
            apart += (hull_update[e, p, c] - ways[e, c]) ** 2
        ball = max(ball, apart)
    ways[e, _BALL] = math.sqrt(ball) + remainder[e]
    ways[e, _SLOPE] = (3.0 * math.sqrt(slope) + 6.0 * remainder[e]) / h[e]


@body
def _is_safe(fraction, keep, d, r_x, r_y, length, y_length, s, dx, dy, gamma, admissibility):
    """Whether `_shorten` provably keeps a fraction; takes no roots."""
    x, y = fraction * dx / length, fraction * dy / y_length
    bound = keep * min(admissibility, 1.0)
    # (1 - x)^(-1/2) <= 1 + x up to a half
    radii = r_x * (1.0 + x) + r_y * (1.0 + y)
    left = d - fraction * s - (1.0 - (1.0 - bound) / gamma) * radii
    return x <= 0.5 and y <= 0.5 and left > 0.0


@inlined_body
def _reach(e, first, last, candidates, ways):
    """Bounds of the motion relative to candidates, and of the change of their tangents."""
    s, dy = 0.0, 0.0
    for i in range(first, last):
        b = candidates[i]
        apart = (
            (ways[e, 0] - ways[b, 0]) ** 2
            + (ways[e, 1] - ways[b, 1]) ** 2
            + (ways[e, 2] - ways[b, 2]) ** 2
        )
        s = max(s, math.sqrt(apart) + ways[e, _BALL] + ways[b, _BALL])
        dy = max(dy, ways[b, _SLOPE])
    return s, dy


@inlined_body
def _is_clear(run, ways, runs, laws, quadrature, state, fraction, keep):
    """Whether a run provably keeps the fraction."""
    e, law, own = runs.element[run], runs.law[run], quadrature.values[quadrature.of_run[run]]
    gamma = laws.constants[law, 1]
    s, dy = _reach(e, runs.start[run], runs.start[run + 1], runs.candidates, ways)
    for k in range(laws.n_points[law]):
        at, r_x = runs.point_start[run] + k, own[k, 6]
        d, R = state[at, 0], state[at, 1]
        if not _is_safe(
            fraction, keep, d, r_x, R - r_x, own[k, 7], state[at, 2], s, ways[e, _SLOPE], dy, gamma,
            1.0 + gamma * (d / R - 1.0),
        ):  # fmt: skip
            return False
    return True


@loop_body
def run_fraction(
    run, elements, h, update, ways, runs, laws, quadrature, state, fraction, keep, found
):  # fmt: skip
    """Fraction of one run; see `fiber_fraction`."""
    e, law, remainder = runs.element[run], runs.law[run], update.remainder
    first, last, own = runs.start[run], runs.start[run + 1], quadrature.of_run[run]
    gamma = laws.constants[law, 1]
    s, dy = _reach(e, first, last, runs.candidates, ways)
    for k in range(laws.n_points[law]):
        at = runs.point_start[run] + k
        r_x, length = quadrature.values[own, k, 6], quadrature.values[own, k, 7]
        d, r_y, y_length = state[at, 0], state[at, 1] - r_x, state[at, 2]
        admissibility = 1.0 + gamma * (d / state[at, 1] - 1.0)
        if _is_safe(
            fraction, keep, d, r_x, r_y, length, y_length, s, ways[e, _SLOPE], dy, gamma,
            admissibility,
        ):  # fmt: skip
            continue
        point, change = _displacement(elements, update.nodes, e, laws.xi[law, k], h[e])
        way = 0.0
        for i in range(first, last):
            b = runs.candidates[i]
            farthest = 0.0
            for p in range(4):
                relative = 0.0
                for c in range(3):
                    relative += (point[c] - update.hull[b, p, c]) ** 2
                farthest = max(farthest, relative)
            way = max(way, math.sqrt(farthest) + remainder[e] + remainder[b])
        fraction = _shorten(
            fraction, keep, d, r_x, r_y, length, y_length, way,
            math.sqrt(change) + 6.0 * remainder[e] / h[e], dy, gamma, admissibility,
        )  # fmt: skip
    found[run, 0] = fraction


@parallel("found", least=4096)
def fiber_fraction(
    elements, h, update, runs, laws, quadrature, state, fraction, keep, ways, found
):  # fmt: skip
    """Shorten `fraction` so that every contact point of fibers keeps `keep` of its 1 + gamma g.

    Fills ways (n_elements, N_WAYS), the bounding ball of the updates of each element's points and
    the change of its tangent, and found (n_runs, 1). The balls clear most runs.
    """
    for e in range(h.size):
        fill_way(e, h, update.hull, update.remainder, ways)
    n = found.shape[0]
    for run in range(0, n, _SAMPLE):
        run_fraction(
            run, elements, h, update, ways, runs, laws, quadrature, state, fraction, keep, found
        )  # fmt: skip
        fraction = found[run, 0]
    for run in prange(n):
        if _is_clear(run, ways, runs, laws, quadrature, state, fraction, keep):
            found[run, 0] = fraction
        else:
            run_fraction(
                run, elements, h, update, ways, runs, laws, quadrature, state, fraction, keep,
                found,
            )  # fmt: skip
    for run in range(n):
        fraction = min(fraction, found[run, 0])
    return fraction


@loop_body
def _one_bone_fraction(
    run, elements, h, update, runs, laws, points, axes, motion, fraction, keep
):  # fmt: skip
    """Largest part of `fraction` that one run allows; see `bone_fraction`."""
    dx = scratch(3)
    S, x, state, update_q, position = axes.S, points.x, points.state, motion.update, motion.position
    e, law, remainder = runs.element[run], runs.law[run], update.remainder
    link, steepest = axes.link[runs.shape[run]], motion.steepest[runs.shape[run]]
    for k in range(laws.n_points[law]):
        at = runs.point_start[run] + k
        point, change = _displacement(elements, update.nodes, e, laws.xi[law, k], h[e])
        dx[0], dx[1], dx[2] = point
        dt = math.sqrt(change) + 6.0 * remainder[e] / h[e]
        way = math.sqrt(dx[0] ** 2 + dx[1] ** 2 + dx[2] ** 2)
        turn, slide, reach = 0.0, 0.0, 0.0
        for j in range(update_q.size):
            if not moves_bone(link, j, axes.moves) or update_q[j] == 0.0:
                continue
            V = velocity_field(S, j, x[at])
            lever = 0.0
            for c in range(3):
                dx[c] -= V[c] * update_q[j]
                lever += (x[at, c] - position[j, c]) ** 2
            if S[j, 0] != 0.0 or S[j, 1] != 0.0 or S[j, 2] != 0.0:
                turn += abs(update_q[j])
                reach = max(reach, math.sqrt(lever))
            else:
                slide += abs(update_q[j])
        s = math.sqrt(dx[0] ** 2 + dx[1] ** 2 + dx[2] ** 2) + remainder[e]
        if turn > 0.0:
            lever = reach + way + slide + turn * motion.chain_length[link]
            s += 0.5 * turn * (2.0 * turn * lever + way + slide)
        d, r_x, R, length, s = state[at, 0], state[at, 1], state[at, 2], state[at, 4], steepest * s
        gamma, left = laws.constants[law, 1], state[at, 3]
        if not _is_safe(fraction, keep, d, r_x, R, length, 1.0, s, dt, 0.0, gamma, left):
            fraction = _shorten(
                fraction, keep, d, r_x, R, length, 1.0, s, dt, 0.0, gamma, left
            )  # fmt: skip
    return fraction


@body
def fill_bone_fraction(
    run, elements, h, update, runs, laws, points, axes, motion, fraction, keep, found
):  # fmt: skip
    """Fill found[run, 0], of which the least is the `bone_fraction`."""
    found[run, 0] = _one_bone_fraction(
        run, elements, h, update, runs, laws, points, axes, motion, fraction, keep
    )


@kernel
def bone_fraction(elements, h, update, runs, laws, points, axes, motion, fraction, keep):
    """Shorten `fraction` so that every contact point with bones keeps `keep` of its 1 + gamma g.

    A point's distance to a bone changes at most by its displacement in the bone's frame, times
    the bound of the distance's gradient. To first order it is dx - sum V_k(x) dq_k; turning the
    joints by the sum of |dq_k| along the chain adds at most a second order term with the lever
    arms, bounded by the distance of x to the joints and by the length of the chain. Sliding joints
    only add to the levers.
    """
    for run in range(runs.element.size):
        fraction = _one_bone_fraction(
            run, elements, h, update, runs, laws, points, axes, motion, fraction, keep
        )
    return fraction

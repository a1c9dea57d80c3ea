"""Least gap of a pair potential along a partner, with a proof that it is the global minimum.

The gap g = d/(r_x + r_y) - 1 to a point x may have several minima along a partner whose radius r_y
varies. Newton's method from the closest point finds one of them. It is the global one if D R -
Q r_y', which has the sign of dg/dxi, increases along all elements that could come closer; if this
is not certain, the elements are halved until the rest cannot contain a smaller gap.

Symbols as in `fibermsk.kernels.closest.chain`.
"""

from __future__ import annotations

import math

from fibermsk._compile import body
from fibermsk.kernels.closest.closest_point import way_to
from fibermsk.kernels.closest.rows import (
    BALL,
    BEND,
    BROAD,
    CENTER,
    FASTEST,
    RADIUS_BEND,
    RADIUS_SLOPE,
    RADIUS_TWIST,
    SLOWEST,
    radius_along,
)

_MAX_ITERATIONS = 50

# Slope of the gap per element above which a corner of the reference radius is not round-off.
_CORNER = 1e-9

_DEPTH = 7
"""Maximum number of halvings; the remaining parts are then minimized directly."""

_ROUND_OFF = 1e-12
"""Tolerance for equal gaps."""


@body
def _gap_on_element(e, xi, x, y, z, r_x, power, rows):
    """Gap to an element's point, with its first two derivatives in xi."""
    mm, m1, m2, c11 = 0.0, 0.0, 0.0, 0.0
    way = way_to(e, xi, x, y, z, power)
    for c in range(3):
        v, w, u = power[e, 1, c], power[e, 2, c], power[e, 3, c]
        d1 = v + xi * (2.0 * w + 3.0 * xi * u)
        mm += way[c] * way[c]
        m1 += way[c] * d1
        m2 += way[c] * (2.0 * w + 6.0 * xi * u)
        c11 += d1 * d1
    d = math.sqrt(mm)
    r, r1, r2, _ = radius_along(e, xi, rows)
    R = r_x + r
    slope = m1 / d
    gap_1 = (slope - d / R * r1) / R
    return (
        d / R - 1.0,
        gap_1,
        ((c11 + m2 - slope * slope) / d - d / R * r2 - 2.0 * gap_1 * r1) / R,
    )


@body
def least_gap(x, y, z, r_x, power, rows, end_flag, element, xi):
    """Element and parameter of the local least gap, and whether it is fixed there.

    Starts at the closest point. Newton's method on dg/dtheta = 0, safeguarded by descent, across
    the elements of one fiber; dg/dtheta is continuous at the nodes. The point is fixed (it does not
    move along the fiber) at a fiber's end, or at a node where the reference radius has a corner.
    """
    held = False
    for _ in range(_MAX_ITERATIONS):
        g, slope, curvature = _gap_on_element(element, xi, x, y, z, r_x, power, rows)
        step = -slope / curvature if curvature > 0.0 else -math.copysign(0.1, slope)
        step = min(max(step, -0.5), 0.5)
        # backtrack until the gap decreases
        new = min(max(xi + step, 0.0), 1.0)
        for _ in range(30):
            trial, _, _ = _gap_on_element(element, new, x, y, z, r_x, power, rows)
            if trial <= g + 1e-15:
                break
            new = 0.5 * (new + xi)
        moved = abs(new - xi)
        leaves_low = new <= 0.0 and step < 0.0
        leaves_high = new >= 1.0 and step > 0.0
        xi = new
        if leaves_low or leaves_high:
            _, slope, _ = _gap_on_element(element, xi, x, y, z, r_x, power, rows)
            if (leaves_low and slope < 0.0) or (leaves_high and slope > 0.0):
                continue  # stepped over the minimum
            flag = end_flag[element]
            if (leaves_low and flag % 2 == 1) or (leaves_high and flag >= 2):
                held = True
                break
            # continue on the neighbor's side of the node
            other = element - 1 if leaves_low else element + 1
            other_xi = 1.0 if leaves_low else 0.0
            _, slope, _ = _gap_on_element(other, other_xi, x, y, z, r_x, power, rows)
            if (leaves_low and slope < -_CORNER) or (leaves_high and slope > _CORNER):
                held = True
                break
            if (leaves_low and slope <= 0.0) or (leaves_high and slope >= 0.0):
                break  # the minimum is the node, to round-off
            element, xi = other, other_xi
            continue
        if moved <= 1e-14:
            break
    return element, xi, held


@body
def _may_be_lower(e, x, y, z, r_x, gap, rows):
    """Whether an element could have a gap below a given one; False is certain."""
    apart = (
        (rows[e, CENTER] - x) ** 2 + (rows[e, CENTER + 1] - y) ** 2 + (rows[e, CENTER + 2] - z) ** 2
    )
    reach = rows[e, BALL] + (1.0 + gap) * (r_x + rows[e, BROAD])
    return apart < reach * reach


@body
def _has_one_minimum(e, r_x, gap, rows):
    """Whether the gap has at most one minimum below a given value on an element."""
    d = (1.0 + gap) * (r_x + rows[e, BROAD])
    slope, bend = rows[e, RADIUS_SLOPE], rows[e, RADIUS_BEND]
    # (D R - Q r')' = D' R - D r' - Q r''
    rising = (rows[e, SLOWEST] - rows[e, BEND] * d) * r_x
    return rising > d * (rows[e, FASTEST] * slope + d * bend)


@body
def is_lowest(element, first, last, candidates, x, y, z, r_x, gap, rows):
    """Whether no candidate has a smaller gap than the one found on `element`.

    True is certain; False means unknown.
    """
    for i in range(first, last):
        e = candidates[i]
        if not _may_be_lower(e, x, y, z, r_x, gap, rows):
            continue
        # along elements with at most one minimum each, to the known one
        if abs(e - element) > 1 or not _has_one_minimum(e, r_x, gap, rows):
            return False
    return True


@body
def _rises(e, xi, x, y, z, r_x, power, rows):
    """D R - Q r_y' at an element's point: it has the sign of dg/dxi."""
    D, Q = 0.0, 0.0
    way = way_to(e, xi, x, y, z, power)
    for c in range(3):
        D += way[c] * (power[e, 1, c] + xi * (2.0 * power[e, 2, c] + 3.0 * xi * power[e, 3, c]))
        Q += way[c] * way[c]
    r, r1, _, _ = radius_along(e, xi, rows)
    return D * (r_x + r) - Q * r1


@body
def _has_one_minimum_near(e, at, half, way, d, radii, r_x, power, rows):
    """Whether the gap has at most one minimum within `half` of a point; True is certain.

    There D R - Q r_y' increases: its terms are bounded from their values at the point, with way =
    c - x, d and the radius with its first two derivatives, and from bounds of what follows.
    """
    r, r1, r2 = radii
    c1, c2, c3, D, D1 = 0.0, 0.0, 0.0, 0.0, 0.0
    for c in range(3):
        v, w, u = power[e, 1, c], power[e, 2, c], power[e, 3, c]
        tangent, bend = v + at * (2.0 * w + 3.0 * at * u), 2.0 * w + 6.0 * at * u
        c1 += tangent * tangent
        c2 += bend * bend
        c3 += 36.0 * u * u
        D += way[c] * tangent
        D1 += way[c] * bend
    D1 += c1
    # largest third, second and first derivative of c and |c - x|, change of D', largest |D|
    c3 = math.sqrt(c3)
    c2 = math.sqrt(c2) + half * c3
    c1 = math.sqrt(c1) + half * c2
    farthest = d + half * c1
    change = half * (3.0 * c1 * c2 + farthest * c3)
    D = abs(D) + half * (abs(D1) + change)
    r2 += half * rows[e, RADIUS_TWIST]
    r1 = abs(r1) + half * rows[e, RADIUS_BEND]
    R = r_x + r - half * r1
    reach = farthest if r2 > 0.0 else max(d - half * c1, 0.0)
    return R > 0.0 and (D1 - change) * R > D * r1 + reach * reach * r2


@body
def _is_above_at_end(e, at, half, gap, x, y, z, r_x, power, rows):
    """Whether a part with one minimum has it at an end, not below a given gap."""
    for side in (-1.0, 1.0):
        end = at + side * half
        if side * _rises(e, end, x, y, z, r_x, power, rows) <= 0.0:
            found, _, _ = _gap_on_element(e, end, x, y, z, r_x, power, rows)
            return found >= gap - _ROUND_OFF
    return False


@body
def lowest_gap(known, first, last, candidates, x, y, z, r_x, power, rows, end_flag):
    """Global least gap of all candidates, from a known gap: element, parameter, whether fixed.

    Branch and bound by halving: parts are discarded that cannot contain a smaller gap by bounds of
    the change of distance and radius, or whose only minimum is the known point or lies at an end.
    Newton's method starts in the rest.
    """
    element, xi, held = known
    gap, _, _ = _gap_on_element(element, xi, x, y, z, r_x, power, rows)
    for i in range(first, last):
        e = candidates[i]
        if not _may_be_lower(e, x, y, z, r_x, gap, rows):
            continue
        depth, number = 0, 0
        while True:
            half = 0.5 / (1 << depth)
            at = (2 * number + 1) * half
            way = way_to(e, at, x, y, z, power)
            d = math.sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2])
            r, r1, r2, _ = radius_along(e, at, rows)
            nearest = max(d - half * rows[e, FASTEST], 0.0)
            widest = r_x + r + half * rows[e, RADIUS_SLOPE]
            if nearest / widest - 1.0 < gap - _ROUND_OFF:
                single = _has_one_minimum_near(e, at, half, way, d, (r, r1, r2), r_x, power, rows)
                if not single and depth < _DEPTH:
                    depth += 1
                    number *= 2
                    continue
                settled = single and (
                    (e == element and abs(xi - at) <= half)
                    or _is_above_at_end(e, at, half, gap, x, y, z, r_x, power, rows)
                )
                if not settled:
                    b, b_xi, b_held = least_gap(x, y, z, r_x, power, rows, end_flag, e, at)
                    found, _, _ = _gap_on_element(b, b_xi, x, y, z, r_x, power, rows)
                    if found < gap - _ROUND_OFF and _is_among(b, first, last, candidates):
                        element, xi, held, gap = b, b_xi, b_held, found
            number += 1
            while depth > 0 and number % 2 == 0:
                depth -= 1
                number //= 2
            if depth == 0:
                break
    return element, xi, held


@body
def _is_among(element, first, last, candidates):
    """Whether an element is one of candidates[first:last]."""
    for i in range(first, last):
        if candidates[i] == element:
            return True
    return False

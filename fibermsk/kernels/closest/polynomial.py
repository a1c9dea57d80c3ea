"""Global minimum of a sextic on the unit interval, from its derivative, a quintic.

A quintic is passed as its six coefficients ``a`` in powers of x. Its Bernstein coefficients on an
interval bound the number of its roots there (Descartes' rule of signs): without a change of sign it
has none, with one it has exactly one. If there are more, the interval is halved, so that no root
is missed and no initial guess is needed. No memory is needed: the halves are visited in order,
identified by depth and number.
"""

from __future__ import annotations

import math

from fibermsk._compile import body

# Return values of `sign_pattern`.
RISES, FALLS, DIPS, PEAKS, UNKNOWN = 0, 1, 2, 3, 4

_MAX_ITERATIONS = 100

# Maximum depth of halving. Three roots closer than 2**-26 share one minimum, flat to fourth order:
# its value is exact to round-off.
_MAX_DEPTH = 26

# Round-off of coefficients on a subinterval, over the sum of all coefficients.
_ROUND_OFF = 2e-15


@body
def value_and_slope(a, x):
    """Value and derivative of a quintic."""
    slope = a[5]
    value = a[4] + x * a[5]
    slope = slope * x + value
    value = value * x + a[3]
    slope = slope * x + value
    value = value * x + a[2]
    slope = slope * x + value
    value = value * x + a[1]
    slope = slope * x + value
    value = value * x + a[0]
    return value, slope


@body
def antiderivative(a, x):
    """Integral of a quintic from 0 to x."""
    total = a[4] / 5.0 + x * a[5] / 6.0
    total = a[3] / 4.0 + x * total
    total = a[2] / 3.0 + x * total
    total = a[1] / 2.0 + x * total
    return x * (a[0] + x * total)


@body
def bernstein(a):
    """Bernstein coefficients of a quintic on [0, 1]."""
    return (
        a[0],
        a[0] + 0.2 * a[1],
        a[0] + 0.4 * a[1] + 0.1 * a[2],
        a[0] + 0.6 * a[1] + 0.3 * a[2] + 0.1 * a[3],
        a[0] + 0.8 * a[1] + 0.6 * a[2] + 0.4 * a[3] + 0.2 * a[4],
        a[0] + a[1] + a[2] + a[3] + a[4] + a[5],
    )


@body
def sign_pattern(b, touch):
    """Classify the signs of Bernstein coefficients; those up to `touch` count as zero.

    Returns RISES (never negative), FALLS (never positive), DIPS (negative first, then positive: one
    root, where the antiderivative is least), PEAKS (the opposite), or UNKNOWN.
    """
    lowest = min(min(min(b[0], b[1]), min(b[2], b[3])), min(b[4], b[5]))
    if lowest >= -touch:
        return RISES
    highest = max(max(max(b[0], b[1]), max(b[2], b[3])), max(b[4], b[5]))
    if highest <= touch:
        return FALLS
    p0, p1, p2, p3, p4, p5 = (
        b[0] > 0.0, b[1] > 0.0, b[2] > 0.0, b[3] > 0.0, b[4] > 0.0, b[5] > 0.0,
    )  # fmt: skip
    changes = int(p0 != p1) + int(p1 != p2) + int(p2 != p3) + int(p3 != p4) + int(p4 != p5)
    if changes != 1 or b[0] == 0.0 or b[5] == 0.0:
        return UNKNOWN
    return PEAKS if p0 else DIPS


@body
def bracketed_root(a, low, high, x):
    """Root of a quintic between low, where it is negative, and high, where it is positive.

    Newton's method from x, safeguarded with bisection.
    """
    for _ in range(_MAX_ITERATIONS):
        f, slope = value_and_slope(a, x)
        if f == 0.0:
            return x
        if f < 0.0:
            low = x
        else:
            high = x
        new = x - f / slope if slope > 0.0 else low
        if not (low < new < high):
            new = 0.5 * (low + high)
        if abs(new - x) <= 1e-15 or high - low <= 1e-15:
            return new
        x = new
    return x


@body
def _part(a, low, width):
    """Coefficients of the quintic in t, where x = low + width t."""
    c0, c1, c2, c3, c4, c5 = a
    # Horner's scheme for successive derivatives
    c4 += low * c5
    c3 += low * c4
    c2 += low * c3
    c1 += low * c2
    c0 += low * c1
    c4 += low * c5
    c3 += low * c4
    c2 += low * c3
    c1 += low * c2
    c4 += low * c5
    c3 += low * c4
    c2 += low * c3
    c4 += low * c5
    c3 += low * c4
    c4 += low * c5
    square = width * width
    return (
        c0, c1 * width, c2 * square, c3 * width * square, c4 * square * square,
        c5 * width * square * square,
    )  # fmt: skip


@body
def lowest_point(a):
    """Minimizer on [0, 1] of the antiderivative of a quintic."""
    b = bernstein(a)
    pattern = sign_pattern(b, 0.0)
    if pattern == RISES:
        return 0.0
    if pattern == FALLS:
        return 1.0
    if pattern == DIPS:
        return bracketed_root(a, 0.0, 1.0, b[0] / (b[0] - b[5]))
    return _lowest_of_many(a)


@body
def _lowest_of_many(a):
    """`lowest_point` by halving the interval."""
    touch = _ROUND_OFF * (abs(a[0]) + abs(a[1]) + abs(a[2]) + abs(a[3]) + abs(a[4]) + abs(a[5]))
    best, best_value = 0.0, 0.0
    if not touch < math.inf:
        return best  # coefficients that are NaN
    value = antiderivative(a, 1.0)
    if value < best_value:
        best, best_value = 1.0, value
    depth, number, width = 0, 0, 1.0
    while True:
        low = number * width
        b = bernstein(_part(a, low, width))
        pattern = sign_pattern(b, touch)
        if pattern == UNKNOWN and depth < _MAX_DEPTH:
            depth += 1
            number *= 2
            width *= 0.5
            continue
        # a minimum is where the quintic vanishes
        x, minimum = low, pattern == RISES and b[0] <= touch
        if pattern == FALLS and b[5] >= -touch:
            x, minimum = low + width, True
        elif pattern == DIPS:
            x = bracketed_root(a, low, low + width, low + width * b[0] / (b[0] - b[5]))
            minimum = True
        elif pattern == UNKNOWN:
            x, minimum = low + 0.5 * width, True
        if minimum:
            value = antiderivative(a, x)
            if value < best_value:
                best, best_value = x, value
        number += 1
        while depth > 0 and number % 2 == 0:
            depth -= 1
            number //= 2
            width *= 2.0
        if depth == 0:
            return best

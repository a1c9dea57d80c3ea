"""Values with their first and second derivatives along a motion: triples (f, f', f'')."""

from __future__ import annotations

import math

from fibermsk._compile import inner_body


@inner_body
def constant(value):
    """A value that does not change."""
    return (value, 0.0, 0.0)


@inner_body
def plus(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inner_body
def minus(a, b):
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inner_body
def scaled(c, a):
    """A constant times a."""
    return (c * a[0], c * a[1], c * a[2])


@inner_body
def times(a, b):
    """a b."""
    return (
        a[0] * b[0],
        a[1] * b[0] + a[0] * b[1],
        a[2] * b[0] + 2.0 * a[1] * b[1] + a[0] * b[2],
    )


@inner_body
def over(a, b):
    """a / b."""
    f = a[0] / b[0]
    d = (a[1] - f * b[1]) / b[0]
    return (f, d, (a[2] - 2.0 * d * b[1] - f * b[2]) / b[0])


@inner_body
def root(a):
    """Square root of a positive value."""
    f = math.sqrt(a[0])
    d = 0.5 * a[1] / f
    return (f, d, (0.5 * a[2] - d * d) / f)


@inner_body
def angle(y, x):
    """atan2(y, x)."""
    square = x[0] * x[0] + y[0] * y[0]
    turn = (x[0] * y[1] - y[0] * x[1]) / square
    growth = 2.0 * (x[0] * x[1] + y[0] * y[1]) / square
    return (
        math.atan2(y[0], x[0]),
        turn,
        (x[0] * y[2] - y[0] * x[2]) / square - turn * growth,
    )


@inner_body
def cosine_and_sine(a):
    """cos a and sin a."""
    c, s = math.cos(a[0]), math.sin(a[0])
    square = a[1] * a[1]
    return (c, -s * a[1], -s * a[2] - c * square), (s, c * a[1], c * a[2] - s * square)


@inner_body
def hyperbolic_tangent(a):
    """tanh a."""
    t = math.tanh(a[0])
    slope = 1.0 - t * t
    return (t, slope * a[1], slope * (a[2] - 2.0 * t * a[1] * a[1]))

"""Values with derivatives along a motion, and how these vary.

A jet is a pair of triples ((f, f', f''), (g, g', g'')): the second are the derivatives of the first
in another direction. Triples are those of `fibermsk.kernels.lines.material.triples`.
"""

from __future__ import annotations

from fibermsk._compile import inner_body
from fibermsk.kernels.lines.material.triples import (
    angle as _angle,
    constant as _constant,
    cosine_and_sine as _cosine_and_sine,
    hyperbolic_tangent as _hyperbolic_tangent,
    minus as _minus,
    over as _over,
    plus as _plus,
    root as _root,
    scaled as _scaled,
    times as _times,
)


@inner_body
def constant(value):
    """A value that does not change."""
    return ((value, 0.0, 0.0), (0.0, 0.0, 0.0))


@inner_body
def plus(a, b):
    """a + b."""
    return (_plus(a[0], b[0]), _plus(a[1], b[1]))


@inner_body
def minus(a, b):
    """a - b."""
    return (_minus(a[0], b[0]), _minus(a[1], b[1]))


@inner_body
def scaled(c, a):
    """A constant times a."""
    return (_scaled(c, a[0]), _scaled(c, a[1]))


@inner_body
def times(a, b):
    """a b."""
    return (_times(a[0], b[0]), _plus(_times(a[1], b[0]), _times(a[0], b[1])))


@inner_body
def over(a, b):
    """a / b."""
    f = _over(a[0], b[0])
    return (f, _over(_minus(a[1], _times(f, b[1])), b[0]))


@inner_body
def root(a):
    """Square root of a positive value."""
    f = _root(a[0])
    return (f, _over(_scaled(0.5, a[1]), f))


@inner_body
def angle(y, x):
    """atan2(y, x)."""
    square = _plus(_times(x[0], x[0]), _times(y[0], y[0]))
    turn = _minus(_times(x[0], y[1]), _times(y[0], x[1]))
    return (_angle(y[0], x[0]), _over(turn, square))


@inner_body
def cosine_and_sine(a):
    """cos a and sin a."""
    c, s = _cosine_and_sine(a[0])
    return (c, _scaled(-1.0, _times(s, a[1]))), (s, _times(c, a[1]))


@inner_body
def hyperbolic_tangent(a):
    """tanh a."""
    f = _hyperbolic_tangent(a[0])
    return (f, _times(_minus(_constant(1.0), _times(f, f)), a[1]))

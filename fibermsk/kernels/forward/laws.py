"""Laws of the package by number: passive forces of coordinates and rates of activations."""

from __future__ import annotations

from fibermsk._compile import kernel
from fibermsk.kernels.own_law import constants_at, lazy_law
from fibermsk.laws.activation import PiecewiseActivation, SmoothActivation
from fibermsk.laws.coordinate import Damper, QuadraticLimit, SmoothLimit, Spring

COORDINATE_LAWS = (Spring, Damper, QuadraticLimit, SmoothLimit)
ACTIVATION_LAWS = (PiecewiseActivation, SmoothActivation)
"""Laws in the order of their numbers."""

_spring, _damper, _quadratic, _smooth = (lazy_law(kind, "__call__") for kind in COORDINATE_LAWS)
_piecewise, _mixed = (lazy_law(kind, "rate") for kind in ACTIVATION_LAWS)
_spring_at, _damper_at, _quadratic_at, _smooth_at = (
    constants_at(kind, 0) for kind in COORDINATE_LAWS
)
_piecewise_at, _mixed_at = (constants_at(kind, 0) for kind in ACTIVATION_LAWS)


@kernel
def coordinate_force(kind, rows, i, q, p):
    """Force of law i of a kind, constants in rows (k, m), and its derivatives in q and rate p."""
    if kind == 0:
        force = _spring(_spring_at(rows, i), q, p)
    elif kind == 1:
        force = _damper(_damper_at(rows, i), q, p)
    elif kind == 2:
        force = _quadratic(_quadratic_at(rows, i), q, p)
    else:
        force = _smooth(_smooth_at(rows, i), q, p)
    return force[0], force[1], force[2]


@kernel
def activation_rate(kind, rows, i, e, a):
    """Rate [1/s] of law i of a kind at excitation e and activation a, and its derivative in a."""
    if kind == 0:
        rate, _, slope = _piecewise(_piecewise_at(rows, i), e, a)
    else:
        rate, _, slope = _mixed(_mixed_at(rows, i), e, a)
    return float(rate), float(slope)

"""Curves of De Groote and others (2016) for a Hill muscle with elastic tendon.

Symbols: ``length`` l_M / l_0 of the muscle fibers, ``velocity`` v_M / (v_max l_0), positive in
lengthening, ``tendon_length`` l_T / l_Ts. Forces are relative to the largest isometric force F_0.
Every curve takes numbers or arrays, real or complex, and returns its value and derivative.

Note: the largest active force is 1.00107, at a length of 1.01329 and not of 1; the passive force is
0.018 at optimal length; a slack tendon pushes with up to 0.2.

References
----------
.. [1] De Groote, Kinney, Rao and Fregly, "Evaluation of direct collocation optimal control problem
       formulations for solving the muscle redundancy problem", Annals of Biomedical Engineering 44
       (2016), 2922-2936, doi:10.1007/s10439-016-1591-9, and its supplement.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fibermsk import _check
from fibermsk._numbers import NON_NEGATIVE, POSITIVE, Checked, bounded, number
from fibermsk.laws.hill.row import CURVES

_TENDON, _STRAIN, _WIDTH, _SLACK = range(CURVES, CURVES + 4)
"""Columns of the constants of `DeGrooteCurves` in a row."""

_ACTIVE = (
    (0.8150671134243542, 1.055033428970575, 0.162384573599574, 0.063303448465465),
    (0.433004984392647, 0.716775413397760, -0.029947116970696, 0.200356847296188),
    (0.1, 1.0, 0.353553390593274, 0.0),
)
"""b_1 to b_4 of the three Gaussians of the active curve; eq. S1 of [1]_."""

_PASSIVE_SHAPE, _PASSIVE_STRAIN = 4.0, 0.6
"""Exponent of the passive curve, and the strain at which it is one; eq. S2."""

_SHORTEST = 0.2
"""Length at which the passive force is zero."""

_VELOCITY = (-0.3211346127989808, -8.149, -0.374, 0.8825327733249912)
"""d_1 to d_4; eq. S3."""

TENDON_STRAIN = 0.049
"""Strain of the tendon under F_0."""

TENDON_TOE = 0.2
"""Force over F_0 of the toe of the tendon."""
_TENDON_LOG = math.log(1.0 / TENDON_TOE + 1.0)
TENDON_SHAPE = _TENDON_LOG / TENDON_STRAIN
"""Rate of the exponential of the tendon's curve in its strain."""


def active_force_length(length):
    """Active force f_L of the fibers and its derivative in the length."""
    force, slope = 0.0, 0.0
    for b1, b2, b3, b4 in _ACTIVE:
        width = b3 + b4 * length
        offset = (length - b2) / width
        bell = b1 * np.exp(-0.5 * offset * offset)
        force = force + bell
        slope = slope - bell * offset * (1.0 - b4 * offset) / width
    return force, slope


def passive_force_length(length, strain=_PASSIVE_STRAIN):
    """Passive force f_P of the fibers and its derivative in the length; one at that strain."""
    rate = _PASSIVE_SHAPE / strain
    offset = np.exp(rate * (_SHORTEST - 1.0))
    scale = 1.0 / (math.exp(_PASSIVE_SHAPE) - offset)
    growth = np.exp(rate * (length - 1.0))
    return scale * (growth - offset), scale * rate * growth


def force_velocity(velocity):
    """Force-velocity factor f_V of the active force and its derivative."""
    d1, d2, d3, d4 = _VELOCITY
    y = d2 * velocity + d3
    root = np.sqrt(y * y + 1.0)
    # ln(y + root); for large -y the sum would cancel
    return d1 * np.arcsinh(y) + d4, d1 * d2 / root


def tendon_force_length(tendon_length, strain=TENDON_STRAIN):
    """Force f_T of the tendon and its derivative in the length; negative below one.

    It is one at that strain.
    """
    shape = _TENDON_LOG / strain
    growth = TENDON_TOE * np.exp(shape * (tendon_length - 1.0))
    return growth - TENDON_TOE, shape * growth


@dataclass(frozen=True)
class DeGrooteCurves(Checked):
    """Curves of De Groote and others (2016) of a `HillLaw`.

    Parameters
    ----------
    tendon_strain : float
        Strain of the tendon under the largest isometric force [-], in [0.005, 1].
    passive_strain : float
        Strain of the fibers at which the passive force is the largest isometric force [-];
        positive.
    active_width : float
        Factor of the width of the active force-length curve about optimal length [-], in [0.1, 10].
    slack_width : float
        Strain over which the force of the tendon fades to zero at its slack length [-], below
        tendon_strain. Zero, the default, is the published curve, by which a slack tendon pushes
        with up to 0.2 of the largest isometric force.

    Raises
    ------
    ModelError
        If a number lies outside its range.

    Notes
    -----
    Supplement S1-S4 of [1]_. With a slack width w the force of the tendon is s((l - 1) / w) f_T,
    s(x) = x^3 (10 - 15 x + 6 x^2) between 0 and 1: twice continuously differentiable, zero where
    the tendon is slack and as published above a strain of w.

    References
    ----------
    .. [1] De Groote, Kinney, Rao and Fregly, Annals of Biomedical Engineering 44 (2016), 2922-2936.
    """

    tendon_strain: float = number("", bounded(least=0.005, most=1.0), default=TENDON_STRAIN)
    passive_strain: float = number("", POSITIVE, default=_PASSIVE_STRAIN)
    active_width: float = number("", bounded(least=0.1, most=10.0), default=1.0)
    slack_width: float = number("", NON_NEGATIVE, default=0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.slack_width >= self.tendon_strain:
            must = f"be below tendon_strain = {self.tendon_strain:g}"
            _check.refuse(type(self).__name__, "slack_width", self.slack_width, must)


def constants(values):
    """Constants of the functions below from the values of the fields, real or complex."""
    return values


def refused(curves, form, damping):
    """Tell why a form of the tendon is not possible: what it must be, and a remedy; else None."""
    if form == "implicit" and curves.slack_width > 0.0:
        return 'not be "implicit" for curves with a slack_width', "use the published curve"
    return None


def active_length(c, length):
    """Factor of the active force at a length, and its slope."""
    f, df = active_force_length((length - 1.0) / c[_WIDTH] + 1.0)
    return f, df / c[_WIDTH]


def force_velocity_factor(c, velocity, activation):
    """Factor of the active force at a velocity, and its derivatives in velocity and activation."""
    g, dg = force_velocity(velocity)
    return g, dg, 0.0 * g


def passive(c, length):
    """Passive force f_P and its derivative."""
    return passive_force_length(length, c[_STRAIN])


def tendon(c, length):
    """Force f_T of the tendon and its derivative."""
    width = c[_SLACK]
    if width.real == 0.0 or length.real >= 1.0 + width.real:
        return tendon_force_length(length, c[_TENDON])
    if length.real <= 1.0:
        return 0.0 * length, 0.0 * length
    f, df = tendon_force_length(length, c[_TENDON])
    x = (length - 1.0) / width
    fade = x * x * x * (10.0 - x * (15.0 - 6.0 * x))
    dfade = 30.0 * x * x * (1.0 - x) * (1.0 - x) / width
    return fade * f, fade * df + dfade * f


def tendon_inverse(c, force):
    """Length at a force of the published tendon, its stiffness f_T', and its derivative in f_T."""
    shape = _TENDON_LOG / c[_TENDON]
    # a force of -0.2 has no length: trial states of a solver stay just above
    grown = force + TENDON_TOE if force.real > 1e-6 - TENDON_TOE else 1e-6 + 0.0 * force
    return 1.0 + np.log(grown / TENDON_TOE) / shape, shape * grown, shape


def stored(c, fiber_length, tendon_length):
    """Integrals of f_P and f_T over the lengths, from optimal and from slack length."""
    rate = _PASSIVE_SHAPE / c[_STRAIN]
    offset = np.exp(rate * (_SHORTEST - 1.0))
    x, scale = fiber_length - 1.0, 1.0 / (math.exp(_PASSIVE_SHAPE) - offset)
    in_fibers = scale * (np.expm1(rate * x) / rate - offset * x)
    shape, y, width = _TENDON_LOG / c[_TENDON], tendon_length - 1.0, c[_SLACK]
    if width == 0.0:
        return in_fibers, _published(shape, y)
    # over the range that fades by Gauss points, exact to rounding
    end = min(max(y, 0.0), width)
    points, weights = np.polynomial.legendre.leggauss(20)
    forces = [tendon(c, 1.0 + 0.5 * end * (1.0 + point))[0] for point in points]
    in_tendon = 0.5 * end * float(weights @ np.array(forces))
    if y > width:
        in_tendon += _published(shape, y) - _published(shape, width)
    return in_fibers, in_tendon


def _published(shape, strain):
    """Integral of the published force of the tendon from its slack length to a strain."""
    return TENDON_TOE * (np.expm1(shape * strain) / shape - strain)

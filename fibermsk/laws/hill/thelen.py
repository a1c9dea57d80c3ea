"""Curves of Thelen (2003) for a Hill muscle with elastic tendon, as OpenSim computes them.

References
----------
.. [1] Thelen, "Adjustment of muscle mechanics model parameters to simulate dynamic contractions in
       older adults", Journal of Biomechanical Engineering 125 (2003), 70-77.
.. [2] OpenSim's Thelen2003Muscle.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fibermsk import _check
from fibermsk._numbers import POSITIVE, Checked, above, bounded, number
from fibermsk.laws.hill.row import CURVES

_TENDON, _STRAIN, _ACTIVE, _PASSIVE, _A_F, _LARGEST, _LINEAR = range(CURVES, CURVES + 7)
"""Columns of the constants of `ThelenCurves` in a row."""

_TOE_SHAPE, _TOE_FORCE = 3.0, 0.33
"""Exponent of the tendon's toe, and the force at its end."""

_E3 = math.exp(_TOE_SHAPE)
_TOE_STRAIN = 0.99 * _E3 / (1.66 * _E3 - 0.67)
"""Strain at the end of the toe over that at F_0, so that the slope is continuous; 0.609 in [1]_."""


@dataclass(frozen=True)
class ThelenCurves(Checked):
    """Curves of Thelen (2003) of a `HillLaw`.

    Parameters
    ----------
    tendon_strain, passive_strain : float
        Strains of tendon and fibers under the largest isometric force [-]; positive. OpenSim's
        FmaxTendonStrain and FmaxMuscleStrain.
    active_shape, passive_shape : float
        Shapes of the force-length curves [-]; positive. KshapeActive and KshapePassive.
    force_velocity_shape : float
        Shape A_f of the force-velocity curve [-]; positive. Af.
    eccentric_force : float
        Largest factor of the force in lengthening [-]; above 1. Flen.
    linear_from : float
        Fraction of that factor from which on the curve is linear [-]; above 1 / eccentric_force and
        below 1. OpenSim's fv_linear_extrap_threshold.

    Raises
    ------
    ModelError
        If a number lies outside its range.

    Notes
    -----
    Eqs. 3-7 of [1]_ as in OpenSim: the largest velocity is (0.25 + 0.75 a) v_max; the curve of the
    velocity is linear in faster shortening, with negative force, and in fast lengthening. Its
    slope doubles from shortening to lengthening. OpenSim's muscle of this name has no damping and
    a least activation of 0.01: ``HillLaw(ThelenCurves(), damping=0.0, min_activation=0.01)``.

    References
    ----------
    .. [1] Thelen, Journal of Biomechanical Engineering 125 (2003), 70-77.
    """

    tendon_strain: float = number("", POSITIVE, default=0.033)
    passive_strain: float = number("", POSITIVE, default=0.6)
    active_shape: float = number("", POSITIVE, default=0.45)
    passive_shape: float = number("", bounded(above=0.0, most=100.0), default=5.0)
    force_velocity_shape: float = number("", POSITIVE, default=0.25)
    eccentric_force: float = number("", above(1.0), default=1.4)
    linear_from: float = number("", bounded(above=0.0, most=0.999), default=0.95)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.linear_from <= 1.0 / self.eccentric_force:
            must = f"be greater than 1 / eccentric_force = {1.0 / self.eccentric_force:g}"
            _check.refuse(type(self).__name__, "linear_from", self.linear_from, must)


def constants(values):
    """Constants of the functions below from the values of the fields, real or complex."""
    return values


def refused(curves, form, damping):
    """Tell why a form of the tendon is not possible: what it must be, and a remedy; else None."""
    if form == "implicit":
        return 'not be "implicit" for curves of Thelen: a slack tendon has no force', '"balance"'
    return None


def _factor(c, z):
    """Force-velocity factor and its slope, at a velocity over the largest one of an activation."""
    a_f, largest = c[_A_F], c[_LARGEST]
    if z.real <= 0.0:
        if z.real < -1.0:
            slope = a_f / (a_f + 1.0)
            return (z + 1.0) * slope, slope + 0.0 * z
        per = 1.0 / (1.0 - z / a_f)
        return (1.0 + z) * per, (1.0 + 1.0 / a_f) * per * per
    m, end = (2.0 + 2.0 / a_f) / (largest - 1.0), c[_LINEAR] * largest
    last = (end - 1.0) / (m * (largest - end))
    x = last + 0.0 * z if z.real > last.real else z + 0.0 * last
    per = 1.0 / (1.0 + m * x)
    slope = m * (largest - 1.0) * per * per
    return (1.0 + m * largest * x) * per + slope * (z - x), slope


def active_length(c, length):
    """Factor of the active force at a length, and its slope."""
    x = length - 1.0
    f = np.exp(-x * x / c[_ACTIVE])
    return f, -2.0 * x / c[_ACTIVE] * f


def force_velocity_factor(c, velocity, activation):
    """Factor of the active force at a velocity, and its derivatives in velocity and activation."""
    k = 0.25 + 0.75 * activation
    z = velocity / k
    g, dg = _factor(c, z)
    return g, dg / k, -0.75 * dg * z / k


def passive(c, length):
    """Passive force and its derivative."""
    if length.real <= 1.0:
        return 0.0 * length * c[_STRAIN], 0.0 * length * c[_STRAIN]
    rate, scale = c[_PASSIVE] / c[_STRAIN], 1.0 / (np.exp(c[_PASSIVE]) - 1.0)
    growth = scale * np.exp(rate * (length - 1.0))
    return growth - scale, rate * growth


def tendon(c, length):
    """Force of the tendon and its derivative."""
    strain = length - 1.0
    toe = _TOE_STRAIN * c[_TENDON]
    if strain.real <= 0.0:
        return 0.0 * strain * toe, 0.0 * strain * toe
    if strain.real > toe.real:
        slope = (1.0 - _TOE_FORCE) / (c[_TENDON] - toe)
        return _TOE_FORCE + slope * (strain - toe), slope + 0.0 * strain
    scale, rate = _TOE_FORCE / (_E3 - 1.0), _TOE_SHAPE / toe
    growth = scale * np.exp(rate * strain)
    return growth - scale, rate * growth


def tendon_inverse(c, force):
    """Return NaN: a slack tendon has many lengths."""
    return np.nan * force, np.nan * force, np.nan * force


def stored(c, fiber_length, tendon_length):
    """Integrals of the passive and of the tendon force, from optimal and from slack length."""
    x, y = max(fiber_length - 1.0, 0.0), max(tendon_length - 1.0, 0.0)
    rate, scale = c[_PASSIVE] / c[_STRAIN], 1.0 / (math.exp(c[_PASSIVE]) - 1.0)
    in_fibers = scale * (math.expm1(rate * x) / rate - x)
    toe = _TOE_STRAIN * c[_TENDON]
    scale, rate, bent = _TOE_FORCE / (_E3 - 1.0), _TOE_SHAPE / toe, min(y, toe)
    in_tendon = scale * (math.expm1(rate * bent) / rate - bent)
    if y > toe:
        slope = (1.0 - _TOE_FORCE) / (c[_TENDON] - toe)
        in_tendon += (y - toe) * (_TOE_FORCE + 0.5 * slope * (y - toe))
    return in_fibers, in_tendon

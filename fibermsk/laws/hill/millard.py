"""Curves of Millard and others (2013) for a Hill muscle with elastic tendon: quintic Bezier curves.

References
----------
.. [1] Millard, Uchida, Seth and Delp, "Flexing computational muscle", Journal of Biomechanical
       Engineering 135 (2013), 021005; OpenSim's ActiveForceLengthCurve, ForceVelocityCurve,
       FiberForceLengthCurve and TendonForceLengthCurve.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fibermsk import _check
from fibermsk._numbers import FRACTION, NON_NEGATIVE, POSITIVE, above, bounded, checked, number
from fibermsk.laws.hill.bezier import curve, integral, size_of, value_and_slope
from fibermsk.laws.hill.row import CURVES

SECTIONS = (5, 4, 2, 2)
_ACTIVE, _VELOCITY, _PASSIVE, _TENDON = (CURVES + sum(map(size_of, SECTIONS[:k])) for k in range(4))
"""First columns of the four curves in a row, and their numbers of sections."""

_NAMES = ("active force-length", "force-velocity", "passive force-length", "tendon force-length")


@dataclass(frozen=True)
class MillardCurves:
    """Curves of Millard and others (2013) of a `HillLaw`, as in OpenSim.

    Parameters
    ----------
    min_length, transition_length, max_length : float
        Lengths of the fibers over optimal length at which the active force begins, at which its
        steep limb ends, and at which it vanishes [-].
    ascending_slope : float
        Slope of the shallow ascending limb [-]; zero or positive.
    min_active_force : float
        Least value of the active force-length curve [-]; below 1.
    concentric_slope, concentric_slope_near : float
        Slopes of the force-velocity curve at and near the largest velocity of shortening [-].
    isometric_slope : float
        Its slope at rest [-]; above 1.
    eccentric_slope, eccentric_slope_near : float
        Its slopes at and near the same velocity of lengthening [-].
    eccentric_force : float
        Its value there [-]; above 1.
    concentric_curviness, eccentric_curviness : float
        In [0, 1].
    passive_start, passive_strain : float
        Strains of the fibers at which the passive force begins, and is the largest isometric force.
    passive_low_stiffness, passive_stiffness : float
        Stiffness at small force and at the largest isometric force [-]; the second by default
        2 / (passive_strain - passive_start).
    passive_curviness : float
        In [0, 1].
    tendon_strain : float
        Strain of the tendon under the largest isometric force [-]; positive.
    tendon_stiffness : float
        Its stiffness there [-]; by default 1.375 / tendon_strain.
    tendon_toe_force, tendon_curviness : float
        Force at the end of its toe, in (0, 1); in [0, 1].

    Raises
    ------
    ModelError
        If a number lies outside its range, or a curve would not be monotone between its corners.

    Notes
    -----
    The curves are the Bezier curves of [1]_ themselves, inverted to rounding by Newton's method.
    OpenSim builds its active curve with a least value of 0.1 and sets it to zero, with the slopes
    at the largest velocities, in a muscle with damping: these are the defaults here. Without
    damping an elastic tendon needs the three above zero.

    References
    ----------
    .. [1] Millard, Uchida, Seth and Delp, Journal of Biomechanical Engineering 135 (2013), 021005.
    """

    min_length: float = number("", POSITIVE, default=0.47 - 0.0259)
    transition_length: float = number("", POSITIVE, default=0.73)
    max_length: float = number("", above(1.05), default=1.8123)
    ascending_slope: float = number("", NON_NEGATIVE, default=0.8616)
    min_active_force: float = number("", bounded(least=0.0, most=0.9), default=0.0)
    concentric_slope: float = number("", bounded(least=0.0, most=0.99), default=0.0)
    concentric_slope_near: float = number("", bounded(above=0.0, most=0.99), default=0.25)
    isometric_slope: float = number("", above(1.0), default=5.0)
    eccentric_slope: float = number("", NON_NEGATIVE, default=0.0)
    eccentric_slope_near: float = number("", POSITIVE, default=0.15)
    eccentric_force: float = number("", above(1.0), default=1.4)
    concentric_curviness: float = number("", FRACTION, default=0.6)
    eccentric_curviness: float = number("", FRACTION, default=0.9)
    passive_start: float = number("", bounded(above=-1.0), default=0.0)
    passive_strain: float = number("", POSITIVE, default=0.7)
    passive_low_stiffness: float = number("", POSITIVE, default=0.2)
    passive_stiffness: float = number("", POSITIVE, default=None)
    passive_curviness: float = number("", FRACTION, default=0.75)
    tendon_strain: float = number("", POSITIVE, default=0.049)
    tendon_stiffness: float = number("", POSITIVE, default=None)
    tendon_toe_force: float = number("", bounded(above=0.0, most=0.99), default=2.0 / 3.0)
    tendon_curviness: float = number("", FRACTION, default=0.5)

    def __post_init__(self) -> None:
        owner = type(self).__name__
        _check.store(self, **checked(self, owner))
        if self.passive_strain <= self.passive_start:
            must = f"exceed passive_start = {self.passive_start:g}"
            _check.refuse(owner, "passive_strain", self.passive_strain, must)
        if self.passive_stiffness is None:
            span = self.passive_strain - self.passive_start
            _check.store(self, passive_stiffness=2.0 / span)
        if self.tendon_stiffness is None:
            _check.store(self, tendon_stiffness=1.375 / self.tendon_strain)
        row = np.array(constants([getattr(self, name) for name in _FIELDS]))
        at = 0
        for name, n in zip(_NAMES, SECTIONS, strict=True):
            part = row[at : at + size_of(n)]
            at += size_of(n)
            if np.isnan(part).any() or not (np.diff(part[: n + 1]) > 0.0).all():
                must = "have corners that turn one way, at increasing arguments"
                remedy = "change its points or slopes"
                _check.refuse(owner, f"the {name} curve", self, must, remedy=remedy)


_FIELDS = tuple(MillardCurves.__dataclass_fields__)


def constants(values):
    """Constants of the functions below from the values of the fields, real or complex."""
    (
        x0, x1, x3, rise, low, slope_c, near_c, isometric, slope_e, near_e, largest, bend_c, bend_e,
        start, strain, soft, stiff, bend_p, tendon_strain, k, toe_force, bend_t,
    ) = values  # fmt: skip
    # active force-length; the optimal length is 1
    wide = 0.05
    shoulder = 1.0 - wide
    y1 = 1.0 - rise * (shoulder - x1)
    x01, x1s = 0.5 * (x0 + x1), 0.5 * (x1 + shoulder)
    x23 = 0.5 * (1.0 + wide + x3)
    active_points = (
        (x0, low, 0.0 * x0),
        (x01, 0.5 * y1, 1.25 * y1 / (x1 - x0)),
        (x1s, 0.5 * (y1 + 1.0), rise),
        (1.0, 1.0, 0.0),
        (x23, 0.5, -1.0 / (x3 - 1.0 - 2.0 * wide)),
        (x3, low, 0.0),
    )
    velocity_points = (
        (-1.0, 0.0, slope_c),
        (-0.9, 0.05 * (near_c + slope_c), near_c),
        (0.0, 1.0, isometric),
        (0.9, largest - 0.05 * (near_e + slope_e), near_e),
        (1.0, largest, slope_e),
    )
    one_over, span = 1.0 / stiff, strain - start
    dx = 0.1 * (one_over if one_over.real < span.real else span)
    passive_points = (
        (1.0 + start, 0.0, 0.0),
        (1.0 + start + dx, 0.5 * soft * dx, soft),
        (1.0 + strain, 1.0, stiff),
    )
    toe = (toe_force - 1.0) / k + 1.0 + tendon_strain
    foot, middle = 1.0 + 0.1 * (toe - 1.0), (0.5 * toe_force - 1.0) / k + 1.0 + tendon_strain
    slope = 0.5 * toe_force / (middle - foot)
    tendon_points = (
        (1.0, 0.0, 0.0),
        (0.5 * (foot + middle), 0.5 * slope * (middle - foot), slope),
        (toe, toe_force, k),
    )
    return [
        *curve(active_points, (1.0,) * 5),
        *curve(velocity_points, (bend_c, bend_c, bend_e, bend_e)),
        *curve(passive_points, (bend_p,) * 2),
        *curve(tendon_points, (bend_t,) * 2),
    ]


def refused(curves, form, damping):
    """Tell why a form of the tendon is not possible: what it must be, and a remedy; else None."""
    if form == "implicit":
        return 'not be "implicit" for curves of Millard: a slack tendon has no force', '"balance"'
    least = min(curves.concentric_slope, curves.eccentric_slope, curves.min_active_force)
    if form == "elastic" and damping == 0.0 and least == 0.0:
        remedy = "give damping=0.1, or concentric_slope, eccentric_slope and min_active_force"
        return 'not be "elastic" without damping where the force does not grow', remedy
    return None


def active_length(c, length):
    """Factor of the active force at a length, and its slope."""
    return value_and_slope(c, _ACTIVE, 5, length)


def force_velocity_factor(c, velocity, activation):
    """Factor of the active force at a velocity, and its derivatives in velocity and activation."""
    g, dg = value_and_slope(c, _VELOCITY, 4, velocity)
    return g, dg, 0.0 * g


def passive(c, length):
    """Passive force and its derivative."""
    return value_and_slope(c, _PASSIVE, 2, length)


def tendon(c, length):
    """Force of the tendon and its derivative."""
    return value_and_slope(c, _TENDON, 2, length)


def tendon_inverse(c, force):
    """Return NaN: a slack tendon has many lengths."""
    return np.nan * force, np.nan * force, np.nan * force


def stored(c, fiber_length, tendon_length):
    """Integrals of the passive and of the tendon force, from where they begin."""
    return integral(c, _PASSIVE, 2, fiber_length), integral(c, _TENDON, 2, tendon_length)

"""Force-velocity curves of active muscle: factor of the stress over velocity / largest velocity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from fibermsk._numbers import Checked, bounded, number
from fibermsk.laws.hill import force_velocity


class ForceVelocity(Protocol):
    """Force-velocity curve: a frozen dataclass of numbers, best given by `law_constant`.

    It is checked at velocities from -1.5 to 1.5.
    """

    def factor(self, velocity: Any) -> Any:
        """Factor of the active stress at a velocity over the largest one; lengthening is positive.

        Zero or positive, one at a velocity of zero. Or a tuple of the factor and its derivative. A
        factor alone must accept complex numbers: its derivative is a complex step.
        """
        ...


def faded(velocity, start, force, slope):
    """Continuation of a curve to zero at velocities below `start`, continuously differentiable.

    The parabola that has force and slope of the curve there, and touches zero.
    """
    touch = start - 2.0 * force / slope
    if velocity <= touch:
        return 0.0, 0.0
    part = (velocity - touch) / (start - touch)
    return force * part * part, slope * part


@dataclass(frozen=True)
class DeGrooteForceVelocity(Checked):
    """Force-velocity curve of De Groote et al. (2016).

    Parameters
    ----------
    toe : float
        Velocity above -1 below which the curve fades to zero [-], in [0.01, 0.5]; the published
        curve becomes negative below -1.

    Notes
    -----
    See `fibermsk.laws.hill.force_velocity`. With the default toe the factor at -1 is 0.004.
    """

    toe: float = number("", bounded(least=0.01, most=0.5), default=0.05)

    def factor(self, velocity):
        """Factor and derivative at a velocity over the largest one."""
        start = self.toe - 1.0
        if velocity < start:
            force, slope = force_velocity(start)
            return faded(velocity, start, force, slope)
        return force_velocity(velocity)


@dataclass(frozen=True)
class HillForceVelocity(Checked):
    """Force-velocity curve of two hyperbolas: Hill's in shortening, another one in lengthening.

    Parameters
    ----------
    curvature : float
        Constant kappa of Hill's hyperbola [-], in [0.02, 10]; smaller in slow muscle.
    eccentric : float
        Factor f_e of fast lengthening [-], in [1.01, 5].
    steepness : float
        Slope in lengthening over that in shortening, s, at a velocity of zero [-], in [1, 50].
    smoothing : float
        Width of the transition between the slopes where s is above 1, over the velocity c below
        [-], in [0.01, 2].
    toe : float
        Velocity above -1 below which the curve fades to zero [-], in [0.01, 0.5].

    Notes
    -----
    (1 + v) / (1 - v / kappa) in shortening, 1 + (f_e - 1) v / (v + c) in lengthening, with c = (f_e
    - 1) / (s (1 + 1 / kappa)). For s above 1, a cubic has value and slope of the one at 0 and of
    the other at smoothing times c; it increases, and the isometric factor stays 1. Hill's hyperbola
    reaches zero with a slope: a parabola replaces it below -1 + toe, so that the factor is
    continuously differentiable, never negative, and zero below about -1 - toe. At -1 it is about
    toe / (4 (1 + 1 / kappa)).
    """

    curvature: float = number("", bounded(least=0.02, most=10.0), default=0.25)
    eccentric: float = number("", bounded(least=1.01, most=5.0), default=1.4)
    steepness: float = number("", bounded(least=1.0, most=50.0), default=1.0)
    smoothing: float = number("", bounded(least=0.01, most=2.0), default=0.5)
    toe: float = number("", bounded(least=0.01, most=0.5), default=0.05)

    def factor(self, velocity):
        """Factor and derivative at a velocity over the largest one."""
        kappa, rise, first = self.curvature, self.eccentric - 1.0, 1.0 + 1.0 / self.curvature
        if velocity <= 0.0:
            start = self.toe - 1.0
            v = max(velocity, start)
            per = 1.0 / (1.0 - v / kappa)
            force, slope = (1.0 + v) * per, first * per * per
            if velocity < start:
                return faded(velocity, start, force, slope)
            return force, slope
        c = rise / (self.steepness * first)
        width = self.smoothing * c
        if self.steepness > 1.0 and velocity < width:
            # cubic 1 + x (first + x (k2 + x k3)), of which the end is known
            per = 1.0 / (width + c)
            secant, last = rise * per, rise * c * per * per
            k2 = (3.0 * secant - 2.0 * first - last) / width
            k3 = (first + last - 2.0 * secant) / (width * width)
            x = velocity
            return 1.0 + x * (first + x * (k2 + x * k3)), first + x * (2.0 * k2 + 3.0 * x * k3)
        per = 1.0 / (velocity + c)
        return 1.0 + rise * velocity * per, rise * c * per * per

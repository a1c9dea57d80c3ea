"""Generalized forces of a single coordinate: springs, dampers, limits.

Each law returns the force [N m or N] on a coordinate q [rad or m] with rate p, its derivatives in
both, and the energy it stores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from fibermsk import _check
from fibermsk._numbers import NON_NEGATIVE, POSITIVE, Checked, number


class CoordinateForce(NamedTuple):
    """Force on a coordinate [N m or N], its derivatives in q and in p, and the energy [J]."""

    force: float
    dq: float
    dp: float
    energy: float


@dataclass(frozen=True)
class Spring(Checked):
    """A linear spring, -stiffness (q - rest).

    Parameters
    ----------
    stiffness : float
        [N m/rad or N/m]; zero or positive.
    rest : float
        Coordinate at which the force is zero [rad or m].
    """

    stiffness: float = number("N m/rad or N/m", NON_NEGATIVE)
    rest: float = number("rad or m", default=0.0)

    def __call__(self, q: float, p: float) -> CoordinateForce:
        """Evaluate the force at a coordinate and its rate."""
        k, x = self.stiffness, q - self.rest
        return CoordinateForce(-k * x, -k, 0.0, 0.5 * k * x * x)


@dataclass(frozen=True)
class Damper(Checked):
    """A viscous damper, -damping p.

    Parameters
    ----------
    damping : float
        [N m s/rad or N s/m]; zero or positive.
    """

    damping: float = number("N m s/rad or N s/m", NON_NEGATIVE)

    def __call__(self, q: float, p: float) -> CoordinateForce:
        """Evaluate the force at a coordinate and its rate."""
        return CoordinateForce(-self.damping * p, 0.0, -self.damping, 0.0)


@dataclass(frozen=True)
class QuadraticLimit(Checked):
    """Quadratic penalty outside a range, +-stiffness (distance)^2; continuously differentiable.

    The limit terms of the passive joint torque of Munoz-Pepi and others (2023), table I, whose
    inequalities are misprinted; with a `Spring` and a `Damper` it is the whole torque.

    Parameters
    ----------
    lower, upper : float
        Range without force [rad or m].
    stiffness : float
        [N m/rad^2 or N/m^2]; zero or positive.
    """

    lower: float = number("rad or m")
    upper: float = number("rad or m")
    stiffness: float = number("N m/rad^2 or N/m^2", NON_NEGATIVE, default=1e4)

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_range("QuadraticLimit", self.lower, self.upper)

    def __call__(self, q: float, p: float) -> CoordinateForce:
        """Evaluate the force at a coordinate and its rate."""
        x = max(q - self.upper, 0.0) - max(self.lower - q, 0.0)
        k, size = self.stiffness, abs(x)
        return CoordinateForce(-k * x * size, -2.0 * k * size, 0.0, k * size**3 / 3.0)


@dataclass(frozen=True)
class SmoothLimit(Checked):
    """OpenSim's CoordinateLimitForce: stiffness and damping with a smooth transition.

    Beyond a limit the stiffness rises to its full value over the transition along a quintic step s,
    as does the damping: above, force = -s (upper_stiffness (q - upper) + damping p), with s =
    step((q - upper) / transition); and similarly below.

    Parameters
    ----------
    lower, upper : float
        Range without force [rad or m].
    lower_stiffness, upper_stiffness : float
        [N m/rad or N/m]; zero or positive.
    damping : float
        [N m s/rad or N s/m]; zero or positive.
    transition : float
        Width of the transition [rad or m]; positive.
    """

    lower: float = number("rad or m")
    upper: float = number("rad or m")
    lower_stiffness: float = number("N m/rad or N/m", NON_NEGATIVE)
    upper_stiffness: float = number("N m/rad or N/m", NON_NEGATIVE)
    damping: float = number("N m s/rad or N s/m", NON_NEGATIVE)
    transition: float = number("rad or m", POSITIVE)

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_range("SmoothLimit", self.lower, self.upper)

    def __call__(self, q: float, p: float) -> CoordinateForce:
        """Evaluate the force at a coordinate and its rate."""
        if q > self.upper:
            return _beyond(self, q - self.upper, p, self.upper_stiffness, 1.0)
        if q < self.lower:
            return _beyond(self, self.lower - q, -p, self.lower_stiffness, -1.0)
        return CoordinateForce(0.0, 0.0, 0.0, 0.0)


def _beyond(law: Any, x: float, rate: float, k: float, sign: float) -> CoordinateForce:
    """Force at a distance x beyond a limit with rate, on the side given by a sign."""
    w = law.transition
    u = min(x / w, 1.0)
    step = u**3 * (10.0 - 15.0 * u + 6.0 * u * u)
    slope = 30.0 * u * u * (1.0 - u) ** 2 / w
    load = k * x + law.damping * rate
    # integral of k x step up to the transition, and of k x beyond
    energy = k * w * w * (2.0 * u**5 - 2.5 * u**6 + 6.0 / 7.0 * u**7)
    energy += 0.5 * k * (x * x - w * w) if x > w else 0.0
    return CoordinateForce(
        -sign * step * load, -step * k - slope * load, -step * law.damping, energy
    )


def _check_range(owner: str, lower: float, upper: float) -> None:
    """Refuse an empty range."""
    if upper < lower:
        _check.refuse(owner, "upper", upper, f"be at least lower = {lower}", unit="rad or m")

"""Generalized forces that belong to one coordinate: springs, dampers, limits.

Each law gives the force [N m or N] on a coordinate q [rad or m] with rate p, its derivatives in
both, and the energy it stores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fibermsk import _check

__all__ = ["CoordinateForce", "Damper", "QuadraticLimit", "SmoothLimit", "Spring"]


class CoordinateForce(NamedTuple):
    """Force on a coordinate [N m or N], its derivatives in q and in p, and the energy [J]."""

    force: float
    dq: float
    dp: float
    energy: float


@dataclass(frozen=True)
class Spring:
    """A linear spring, -stiffness (q - rest).

    Parameters
    ----------
    stiffness : float
        [N m/rad or N/m]; zero or positive.
    rest : float
        Coordinate without force [rad or m].

    Raises
    ------
    ModelError
        If a number is not finite or the stiffness is negative.
    """

    stiffness: float
    rest: float = 0.0

    def __post_init__(self) -> None:
        """Check the numbers and store them as floats."""
        _check.store(
            self,
            stiffness=_check.non_negative("Spring", "stiffness", self.stiffness, "N m/rad or N/m"),
            rest=_check.number("Spring", "rest", self.rest, "rad or m"),
        )

    def __call__(self, q: float, p: float) -> CoordinateForce:
        """Force at a coordinate and its rate."""
        k, x = self.stiffness, q - self.rest
        return CoordinateForce(-k * x, -k, 0.0, 0.5 * k * x * x)


@dataclass(frozen=True)
class Damper:
    """A viscous damper, -damping p.

    Parameters
    ----------
    damping : float
        [N m s/rad or N s/m]; zero or positive.

    Raises
    ------
    ModelError
        If the number is not finite or negative.
    """

    damping: float

    def __post_init__(self) -> None:
        """Check the number and store it as a float."""
        unit = "N m s/rad or N s/m"
        _check.store(self, damping=_check.non_negative("Damper", "damping", self.damping, unit))

    def __call__(self, q: float, p: float) -> CoordinateForce:
        """Force at a coordinate and its rate."""
        return CoordinateForce(-self.damping * p, 0.0, -self.damping, 0.0)


@dataclass(frozen=True)
class QuadraticLimit:
    """A penalty outside a range, +-stiffness (distance)^2: continuous with its slope.

    The limit terms of the passive joint torque of Munoz-Pepi and others (2023), table I, whose
    inequalities are misprinted; with a `Spring` and a `Damper` it is the whole torque.

    Parameters
    ----------
    lower, upper : float
        Range without force [rad or m].
    stiffness : float
        [N m/rad^2 or N/m^2]; zero or positive.

    Raises
    ------
    ModelError
        If a number is not finite, the stiffness is negative or the range is empty.
    """

    lower: float
    upper: float
    stiffness: float = 1e4

    def __post_init__(self) -> None:
        """Check the numbers and store them as floats."""
        lower, upper = _check_range("QuadraticLimit", self.lower, self.upper)
        unit = "N m/rad^2 or N/m^2"
        stiffness = _check.non_negative("QuadraticLimit", "stiffness", self.stiffness, unit)
        _check.store(self, lower=lower, upper=upper, stiffness=stiffness)

    def __call__(self, q: float, p: float) -> CoordinateForce:
        """Force at a coordinate and its rate."""
        x = max(q - self.upper, 0.0) - max(self.lower - q, 0.0)
        k, size = self.stiffness, abs(x)
        return CoordinateForce(-k * x * size, -2.0 * k * size, 0.0, k * size**3 / 3.0)


@dataclass(frozen=True)
class SmoothLimit:
    """OpenSim's CoordinateLimitForce: stiffness and damping that set in over a transition.

    Beyond a limit the stiffness rises to its full value over the transition along a quintic step
    s, as does the damping: above, force = -s (upper_stiffness (q - upper) + damping p), with
    s = step((q - upper) / transition); below likewise.

    Parameters
    ----------
    lower, upper : float
        Range without force [rad or m].
    lower_stiffness, upper_stiffness : float
        [N m/rad or N/m]; zero or positive.
    damping : float
        [N m s/rad or N s/m]; zero or positive.
    transition : float
        Width over which they set in [rad or m]; positive.

    Raises
    ------
    ModelError
        If a field lies outside its range.
    """

    lower: float
    upper: float
    lower_stiffness: float
    upper_stiffness: float
    damping: float
    transition: float

    def __post_init__(self) -> None:
        """Check the numbers and store them as floats."""
        owner = "SmoothLimit"
        lower, upper = _check_range(owner, self.lower, self.upper)
        unit = "N m/rad or N/m"
        _check.store(
            self,
            lower=lower,
            upper=upper,
            lower_stiffness=_check.non_negative(
                owner, "lower_stiffness", self.lower_stiffness, unit
            ),
            upper_stiffness=_check.non_negative(
                owner, "upper_stiffness", self.upper_stiffness, unit
            ),
            damping=_check.non_negative(owner, "damping", self.damping, "N m s/rad or N s/m"),
            transition=_check.positive(owner, "transition", self.transition, "rad or m"),
        )

    def __call__(self, q: float, p: float) -> CoordinateForce:
        """Force at a coordinate and its rate."""
        if q > self.upper:
            return self._beyond(q - self.upper, p, self.upper_stiffness, 1.0)
        if q < self.lower:
            return self._beyond(self.lower - q, -p, self.lower_stiffness, -1.0)
        return CoordinateForce(0.0, 0.0, 0.0, 0.0)

    def _beyond(self, x: float, rate: float, k: float, sign: float) -> CoordinateForce:
        """Force at a distance x from a limit that grows at a rate, on the side of a sign."""
        w = self.transition
        u = min(x / w, 1.0)
        step = u**3 * (10.0 - 15.0 * u + 6.0 * u * u)
        slope = 30.0 * u * u * (1.0 - u) ** 2 / w
        load = k * x + self.damping * rate
        # integral of k x step up to the transition, and of k x beyond
        energy = k * w * w * (2.0 * u**5 - 2.5 * u**6 + 6.0 / 7.0 * u**7)
        energy += 0.5 * k * (x * x - w * w) if x > w else 0.0
        return CoordinateForce(
            -sign * step * load, -step * k - slope * load, -step * self.damping, energy
        )


def _check_range(owner: str, lower: float, upper: float) -> tuple[float, float]:
    """Ends of a range that is not empty."""
    lower = _check.number(owner, "lower", lower, "rad or m")
    upper = _check.number(owner, "upper", upper, "rad or m")
    if upper < lower:
        _check.refuse(owner, "upper", upper, f"be at least lower = {lower}", unit="rad or m")
    return lower, upper

"""Range of a coordinate in which a force element acts, with a smooth transition."""

from __future__ import annotations

from dataclasses import dataclass

from fibermsk import _check
from fibermsk._numbers import POSITIVE, checked, number


@dataclass(frozen=True)
class CoordinateRange:
    """Range of a coordinate, as that of a conditional path point, with a smooth transition.

    Parameters
    ----------
    coordinate : str
        Name of the coordinate.
    lower, upper : float
        Its range [rad or m].
    transition : float
        Distance outside of the range over which the share falls from one to zero [rad or m];
        positive.

    Raises
    ------
    ModelError
        If a number is not finite, upper lies below lower, or the transition is not positive.
    """

    coordinate: str
    lower: float = number("rad or m")
    upper: float = number("rad or m")
    transition: float = number("rad or m", POSITIVE, default=0.1)

    def __post_init__(self) -> None:
        owner = "coordinate range"
        _check.name(f"{owner}: coordinate", self.coordinate)
        _check.store(self, **checked(self, owner))
        if self.upper < self.lower:
            must = f"be at least lower = {self.lower}"
            _check.refuse(owner, "upper", self.upper, must, unit="rad or m")

    def share(self, value: float) -> tuple[float, float, float]:
        """Share at a value of the coordinate, from 0 far outside to 1 inside, and two derivatives.

        1 - s(x) at a distance x of the range over the transition, with the quintic step
        s = x^3 (10 - 15 x + 6 x^2).
        """
        w = self.transition
        x, sign = max((self.lower - value, -1.0), (value - self.upper, 1.0))
        x /= w
        if x <= 0.0:
            return 1.0, 0.0, 0.0
        if x >= 1.0:
            return 0.0, 0.0, 0.0
        step = x**3 * (10.0 - 15.0 * x + 6.0 * x * x)
        slope = 30.0 * x * x * (1.0 - x) ** 2
        bend = 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x)
        return 1.0 - step, -sign * slope / w, -bend / w**2

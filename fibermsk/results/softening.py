"""Intervals in which a fiber softens as it stretches."""

from __future__ import annotations

from typing import NamedTuple


class Softening(NamedTuple):
    """Interval in which muscle of a fiber lies on, or on both sides of, a falling branch.

    There the static stress falls with the stretch at the present activation: a uniform stretch is
    unstable, one part shortens and another lengthens, and the result does not converge with the
    mesh.
    """

    fiber: str
    start: float  # first of consecutive frames [s]
    end: float  # the last of them [s]
    time: float  # frame of the steepest fall [s]
    theta: float  # material coordinate there
    slope: float  # derivative of the static nominal stress in the stretch there [N/m^2]; negative
    shortest: float  # least stretch of the fiber's muscle in that frame
    longest: float  # and its largest

    def __str__(self) -> str:
        return (
            f"{self.fiber} from t = {self.start:.4g} to {self.end:.4g} s, lowest slope "
            f"dP/dlambda = {self.slope:.3g} N/m^2 at theta = {self.theta:.2f}, t = "
            f"{self.time:.4g} s, where its muscle has stretches from {self.shortest:.2f} to "
            f"{self.longest:.2f}"
        )

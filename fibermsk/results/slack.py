"""Intervals of compression of a fiber."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Slack"]


class Slack(NamedTuple):
    """Interval in which a fiber is compressed.

    Attributes
    ----------
    fiber : str
        Its name.
    start, end : float
        Times of the first and last of consecutive steps with a negative axial force [s].
    theta : float
        Material coordinate of the minimum.
    force : float
        Minimum axial force [N]; negative.
    """

    fiber: str
    start: float
    end: float
    theta: float
    force: float

    def __str__(self) -> str:
        """Summary in one line."""
        return (
            f"{self.fiber} from t = {self.start:.4g} to {self.end:.4g} s, "
            f"lowest force {self.force:.3g} N at theta = {self.theta:.2f}"
        )

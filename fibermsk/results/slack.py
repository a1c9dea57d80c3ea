"""Intervals of compression of a fiber."""

from __future__ import annotations

from typing import NamedTuple


class Slack(NamedTuple):
    """Interval in which a fiber is compressed."""

    fiber: str
    start: float  # first of consecutive steps with a negative axial force [s]
    end: float  # the last of them [s]
    theta: float  # material coordinate of the minimum
    force: float  # minimum axial force [N]; negative

    def __str__(self) -> str:
        return (
            f"{self.fiber} from t = {self.start:.4g} to {self.end:.4g} s, "
            f"lowest force {self.force:.3g} N at theta = {self.theta:.2f}"
        )

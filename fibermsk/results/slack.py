"""Times in which a fiber is compressed."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Slack"]


class Slack(NamedTuple):
    """A fiber under compression.

    Attributes
    ----------
    fiber : str
        Its name.
    start, end : float
        First and last step in a row at which the axial force was negative somewhere [s].
    theta : float
        Where it was least.
    force : float
        The least axial force [N]; negative.
    """

    fiber: str
    start: float
    end: float
    theta: float
    force: float

    def __str__(self) -> str:
        """One line."""
        return (
            f"{self.fiber} from t = {self.start:.4g} to {self.end:.4g} s, "
            f"at worst {self.force:.3g} N at theta = {self.theta:.2f}"
        )

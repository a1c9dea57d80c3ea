"""Which fibers went slack in a run, where and when."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk.results import Slack

__all__ = ["SlackLog"]

Array = NDArray[np.float64]


class SlackLog(NamedTuple):
    """The times in which each fiber was compressed; a value, which `add` does not change.

    Rows hold the fiber, the first and the last time [s], theta, and the least axial force [N].

    Attributes
    ----------
    ended : (n, 5) float array
        Intervals that are over.
    going : (n_fibers, 5) float array
        Intervals that go on, NaN for fibers that are taut.
    """

    ended: Array
    going: Array

    @classmethod
    def empty(cls, n_fibers: int) -> SlackLog:
        """Log at the start."""
        return cls(np.empty((0, 5)), np.full((n_fibers, 5), np.nan))

    def add(self, t: float, force: Array, theta: Array) -> SlackLog:
        """The log with one step more: least axial force of each fiber [N], and where it is."""
        slack, before = force < 0.0, ~np.isnan(self.going[:, 0])
        if not (slack | before).any():
            return self
        fibers = np.arange(force.size, dtype=float)
        now = np.column_stack([fibers, *np.full((2, force.size), t), theta, force])
        going = np.where(before[:, None], self.going, now)
        going[:, 2] = t
        worse = slack & (force < going[:, 4])
        going[worse, 3:] = now[worse, 3:]
        going[~slack] = np.nan
        return SlackLog(np.concatenate([self.ended, self.going[before & ~slack]]), going)

    def intervals(self, names: tuple[str, ...]) -> tuple[Slack, ...]:
        """All intervals so far, in the order of their start."""
        rows = [*self.ended, *self.going[~np.isnan(self.going[:, 0])]]
        rows.sort(key=lambda row: (row[1], row[0]))
        return tuple(Slack(names[int(row[0])], *map(float, row[1:])) for row in rows)

"""Log of fibers that went slack in a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.results import Slack

if TYPE_CHECKING:
    from fibermsk.solvers.observers.observer import Accepted


class SlackLog(NamedTuple):
    """Time intervals in which each fiber was compressed; immutable.

    Rows hold the fiber, the first and the last time [s], theta, and the least axial force [N].
    """

    ended: Array  # completed intervals (n, 5)
    going: Array  # open intervals (n_fibers, 5), NaN for taut fibers

    @classmethod
    def empty(cls, n_fibers: int) -> SlackLog:
        """Empty log."""
        return cls(np.empty((0, 5)), np.full((n_fibers, 5), np.nan))

    def add(self, t: float, force: Array, theta: Array) -> SlackLog:
        """Log after a step with the least axial force of each fiber [N] and its theta."""
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
        """All intervals, sorted by start."""
        rows = [*self.ended, *self.going[~np.isnan(self.going[:, 0])]]
        rows.sort(key=lambda row: (row[1], row[0]))
        return tuple(Slack(names[int(row[0])], *map(float, row[1:])) for row in rows)


class SlackWatcher:
    """Observer that logs where fibers are compressed."""

    name = "slack"

    def start(self, now: Accepted) -> SlackLog:
        """Log after the start."""
        return self.step(SlackLog.empty(len(now.system.fiber_names)), now)

    def step(self, log: SlackLog, now: Accepted) -> SlackLog:
        """Log after a step."""
        return log.add(now.t, *now.system.least_tension(*now.memory.state))

    def finish(self, log: SlackLog, now: Accepted) -> tuple[Slack, ...]:
        """All intervals."""
        return log.intervals(now.system.fiber_names)

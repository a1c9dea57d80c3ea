"""Corners of signals, merged with output times and with each other within round-off.

A corner is a time at which a signal, such as an activation, is not smooth. Steps end there, and the
method is restarted. Corners and output times that should coincide may differ by round-off; a step
between them would divide by it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fibermsk.errors import ConvergenceError
from fibermsk.protocol import System
from fibermsk.solvers.newton.newton import NewtonReport
from fibermsk.solvers.newton.stage import Method, State
from fibermsk.solvers.steps.control import StepFailure

_OF_RUN, _OF_INTERVAL = 1e-8, 1e-6
"""Times closer than these fractions of the duration and of the frame interval are merged."""


class Corners(NamedTuple):
    """Corners of a system's signals during a run."""

    system: System
    near: float  # times that differ by at most this are merged [s]

    @classmethod
    def of_run(cls, system: System, times: np.ndarray) -> Corners:
        """Corners of a run with equally spaced output times (n_frames,) [s]."""
        span = float(times[-1] - times[0])
        return cls(system, min(_OF_RUN * span, _OF_INTERVAL * span / (times.size - 1)))

    def landing(self, t: float, target: float) -> float:
        """Latest end of a step from t: the next corner, or the target if that is earlier.

        The end is farther than `near` from t if the target is.
        """
        corner = self.system.next_breakpoint(t + self.near, np.inf)
        return corner if corner < target - self.near else target

    def passed(self, t: float, h: float) -> bool:
        """Whether the step of length h [s] that ended at t reached or crossed a corner.

        With h = 0, whether there is a corner at t.
        """
        since = t - h + self.near if h > 0.0 else t - self.near
        return self.system.next_breakpoint(since, np.inf) <= t + self.near

    def restart(self, method: Method, memory: Any) -> Any:
        """Restart a method from its present state just after a corner; return its memory."""
        state: State = memory.state
        try:
            # a signal that jumps between merged corners has its later value here
            anew = method.start(self.system, state._replace(t=state.t + self.near))
        except ConvergenceError as error:
            raise StepFailure(state, 0.0, NewtonReport(reason=str(error))) from error
        return anew._replace(state=anew.state._replace(t=state.t))

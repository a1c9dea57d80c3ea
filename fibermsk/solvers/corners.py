"""Which times are one: corners of signals beside the output times of a run, and beside each other.

A corner is a time at which a signal, such as an activation, is not smooth. Steps end there, and the
memory of a method starts anew. Corners and output times come from different computations, and those
that are meant to be one may differ by round-off: a step between them would divide by it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fibermsk.errors import ConvergenceError
from fibermsk.protocol import System
from fibermsk.solvers.control import StepFailure
from fibermsk.solvers.newton import NewtonReport
from fibermsk.solvers.stage import Method, State

__all__ = ["Corners"]

_OF_RUN, _OF_INTERVAL = 1e-8, 1e-6
"""Parts of the duration of a run, and of the time between its frames, below which times are one."""


class Corners(NamedTuple):
    """Corners of a system's signals during a run.

    Attributes
    ----------
    system : System
        Whose they are.
    near : float
        Times that differ by this much or less are one [s].
    """

    system: System
    near: float

    @classmethod
    def of_run(cls, system: System, times: np.ndarray) -> Corners:
        """Those of a run with these output times (n_frames,) [s], in equal intervals."""
        span = float(times[-1] - times[0])
        return cls(system, min(_OF_RUN * span, _OF_INTERVAL * span / (times.size - 1)))

    def landing(self, t: float, target: float) -> float:
        """Where a step from t towards a target ends at the latest: at a corner before it, or there.

        The landing lies farther than `near` from t, if the target does.
        """
        corner = self.system.next_breakpoint(t + self.near, np.inf)
        return corner if corner < target - self.near else target

    def passed(self, t: float, h: float) -> bool:
        """Whether the step of length h [s] that ended at t met a corner, or passed one.

        Without a step, h = 0, whether there is one at t.
        """
        since = t - h + self.near if h > 0.0 else t - self.near
        return self.system.next_breakpoint(since, np.inf) <= t + self.near

    def restart(self, method: Method, memory: Any) -> Any:
        """Memory of a method that starts anew from its present state, just after a corner.

        Raises
        ------
        StepFailure
            If there are no accelerations.
        """
        state: State = memory.state
        try:
            # a signal that jumps, between corners that are one, has its later value here
            anew = method.start(self.system, state._replace(t=state.t + self.near))
        except ConvergenceError as error:
            raise StepFailure(state, 0.0, NewtonReport(reason=str(error))) from error
        return anew._replace(state=anew.state._replace(t=state.t))

"""The backward Euler method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk.protocol import Evaluation, System
from fibermsk.solvers.newton import Newton, NewtonReport

__all__ = ["BackwardEuler", "State"]

Array = NDArray[np.float64]


class State(NamedTuple):
    """Where a system is: time [s], positions and velocities."""

    t: float
    y: Array
    v: Array


@dataclass(frozen=True)
class BackwardEuler:
    """First order, L-stable: y' = y + h v', F(t', y', v', (v' - v) / h) = 0.

    Eq. 64 of [1]_; velocities of attached nodes are C(q') p'.

    References
    ----------
    .. [1] Gfrerer and Simeon, Multibody System Dynamics 52 (2021), 1-30.
    """

    name = "backward_euler"

    def step(
        self, system: System, newton: Newton, old: State, h: float
    ) -> tuple[State, NewtonReport]:
        """One step of length h [s].

        Returns
        -------
        new : State
            At old.t + h; not to be used where the report says that Newton has not converged.
        report : NewtonReport
            Its `final` evaluation holds the attachment forces.
        """
        t = old.t + h

        def velocity(y: Array) -> Array:
            return system.enforce(y, (y - old.y) / h)

        def evaluate(y: Array, tangent: bool) -> Evaluation:
            v = velocity(y)
            return system.evaluate(t, y, v, (v - old.v) / h, 1.0 / h, 1.0 / h, tangent=tangent)

        # predictor: go on with the old velocity, as far as the contacts allow
        increment = h * old.v
        fraction = system.step_fraction(old.y, increment, newton.keep)
        start = system.retract(t, old.y, fraction * increment)
        y, report = newton.solve(system, t, start, evaluate)
        return State(t, y, velocity(y)), report

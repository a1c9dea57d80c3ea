"""Steps as long as an error tolerance allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fibermsk.laws import _check
from fibermsk.protocol import System
from fibermsk.solvers.control import Advanced, Counters, StepFailure, attempt
from fibermsk.solvers.newton import Newton
from fibermsk.solvers.stage import Method

__all__ = ["AdaptiveSteps"]


class _Pace(NamedTuple):
    """Length of the next step, and the scaled error of the last."""

    h: float
    error: float


@dataclass(frozen=True)
class AdaptiveSteps:
    """Steps as long as the error tolerance allows, ending on outputs and corners of the signals.

    The method's own estimate of a step's error in the positions, over its tolerance, is kept below
    one; a proportional-integral controller proposes the next step (Hairer and Wanner, Solving
    Ordinary Differential Equations II, sec. IV.2). A step in which Newton's method or the safeguard
    fails is halved.

    Parameters
    ----------
    relative : float
        Tolerance relative to each unknown's scale: fiber lengths, and 1 rad; positive.
    length, angle : float
        Absolute tolerances added to it, for fiber positions [m] and coordinates [rad or m].
    shortest : float
        A shorter step ends the run [s].
    longest : float
        No step is longer [s].

    Raises
    ------
    ModelError
        If a number is out of range.
    """

    relative: float = 1e-4
    length: float = 0.0
    angle: float = 0.0
    shortest: float = 1e-10
    longest: float = np.inf

    landing = True

    def __post_init__(self) -> None:
        """Check the numbers."""
        owner = "AdaptiveSteps"
        _check.positive(owner, "relative", self.relative)
        _check.non_negative(owner, "length", self.length, "m")
        _check.non_negative(owner, "angle", self.angle, "rad")
        _check.positive(owner, "shortest", self.shortest, "s")
        if not self.longest > self.shortest:
            _check.refuse(owner, "longest", self.longest, "be longer than shortest", unit="s")

    def start(self, system: System, method: Method, memory: Any, dt: float) -> _Pace:
        """Begin with a hundredth of the output interval."""
        return _Pace(min(0.01 * dt, self.longest), 1.0)

    def advance(
        self,
        system: System,
        method: Method,
        newton: Newton,
        memory: Any,
        control: _Pace,
        t_new: float,
        counters: Counters,
    ) -> Advanced:
        """Make one accepted step; see `Control`."""
        pace = control
        absolute = np.where(system.is_coordinate, self.angle, self.length)
        tolerance = absolute + self.relative * system.scale
        order = method.error_order
        while True:
            t = memory.state.t
            landing = system.next_breakpoint(t, t_new)
            left = landing - t
            # no sliver at the end: two equal steps rather than a long and a short one
            h = left if left <= 1.01 * pace.h else min(pace.h, 0.5 * left)
            target = landing if h == left else t + h
            step = attempt(system, method, newton, memory, target, counters)
            if step.evaluation is None:
                pace = _Pace(0.5 * h, 1.0)
            else:
                size = max(float(np.abs(step.error / tolerance).max()), 1e-10)
                if size <= 1.0:
                    counters.accept(step)
                    factor = 0.9 * size ** (-0.7 / order) * pace.error ** (0.4 / order)
                    longer = h * min(max(factor, 0.2), method.most_growth)
                    # a step cut short by a landing says nothing against the longer one before
                    if h < pace.h:
                        longer = max(longer, pace.h)
                    pace = _Pace(min(longer, self.longest), size)
                    return Advanced(step.memory, pace, step.evaluation, h)
                counters.rejected_steps += 1
                pace = _Pace(h * max(0.9 * size ** (-1.0 / order), 0.1), 1.0)
            if pace.h < self.shortest:
                raise StepFailure(memory.state, h, step.reports[-1])

"""Adaptive time steps from an error tolerance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._numbers import NON_NEGATIVE, POSITIVE, Checked, number
from fibermsk.protocol import System, Tolerance
from fibermsk.solvers.newton.newton import Newton, NewtonReport
from fibermsk.solvers.newton.stage import Method, Step
from fibermsk.solvers.steps.control import Advanced, Counters, StepFailure, attempt

_AIM = 0.7
"""Target scaled error of the next step, so that few are rejected."""

_LEAST_CHANGE = 0.2
_SLOW = 10
_CUTS = 3
"""A step with more Newton iterations than `_SLOW` in one solve, or with `_CUTS` or more updates cut
by the safeguard, is followed by a shorter one."""

_SHORTER = 0.7

_ERROR = NewtonReport(reason="the error of the step stays above the tolerance")
_STRUGGLE = NewtonReport(
    reason="Newton's method needs many iterations, or contacts near their limit cut its updates"
)
_ROUND_OFF = 1e-12
"""Least step over the time at its start."""


_CRAWL, _MOST_CRAWLS = 1e-6, 1000
"""After so many successive steps shorter than this fraction of the time to the next landing the run
fails for lack of progress, such as between contacts pressed to their limit."""


class _Pace(NamedTuple):
    """Length of the next step [s], scaled error of the last, and its length (0: no step yet) [s].

    After a step that was cut short, the next step may exceed the growth limit of the method:
    one-step methods allow it, others reach it gradually. The last number counts successive very
    short steps.
    """

    h: float
    error: float
    last: float = 0.0
    crawls: float = 0.0


@dataclass(frozen=True)
class AdaptiveSteps(Checked):
    """Steps as long as the error tolerance allows, landing on corners of the signals.

    The method's own estimate of a step's error, over its tolerance, is kept below one: of each
    fiber the root mean square of its positions over its length, of each coordinate the absolute
    value. A proportional-integral controller proposes the next step (Hairer and Wanner, Solving
    Ordinary Differential Equations II, sec. IV.2). A step in which Newton's method or the safeguard
    fails is halved; one with many iterations or reduced updates is followed by a shorter one.

    The local error of each step is controlled, not the global error. Velocities are controlled only
    if `speed` or `angular_speed` is given.

    Parameters
    ----------
    relative : float
        Tolerance of positions relative to a fiber's length, to 1 rad (1 m of sliders), and to the
        scale of a state of first order; positive.
    length : float
        Absolute tolerance added to it for fiber positions [m].
    angle : float
        Absolute tolerance added to it for coordinates [rad, m for sliders].
    speed : float, optional
        Tolerance of fiber velocities [m/s]; default: not controlled.
    angular_speed : float, optional
        Tolerance of the rates of coordinates [rad/s, m/s for sliders]; default: not controlled.
    shortest : float
        Minimum step [s]; a shorter one ends the run.
    longest : float
        Maximum step [s].
    landing : bool
        Whether steps end on every output time. Otherwise frames are interpolated with cubic Hermite
        polynomials between both ends of a step, with the attachments enforced, which saves steps
        where frames are close.
    state : float
        Absolute tolerance added to that of first-order states, over their scale.
    """

    relative: float = number("", POSITIVE, default=3e-4)
    length: float = number("m", NON_NEGATIVE, default=0.0)
    angle: float = number("rad", NON_NEGATIVE, default=0.0)
    speed: float | None = number("m/s", POSITIVE, default=None)
    angular_speed: float | None = number("rad/s", POSITIVE, default=None)
    shortest: float = number("s", POSITIVE, default=1e-10)
    longest: float = np.inf
    landing: bool = True
    state: float = number("", NON_NEGATIVE, default=0.0)

    meets_corners = True

    def __post_init__(self) -> None:
        super().__post_init__()
        owner = "AdaptiveSteps"
        longest = self.longest
        real = isinstance(longest, int | float | np.floating) and not isinstance(longest, bool)
        if not (real and longest > self.shortest):
            _check.refuse(owner, "longest", longest, "be longer than shortest", unit="s")
        _check.instance(owner, "landing", self.landing, bool, "True or False")

    @property
    def _tolerance(self) -> Tolerance:
        speeds = self.speed, self.angular_speed
        return Tolerance(self.relative, self.length, self.angle, *speeds, self.state)

    def start(self, system: System, method: Method, memory: Any, dt: float) -> _Pace:
        """Choose a first step in which the initial acceleration moves nothing beyond the tolerance.

        Higher derivatives are unknown; a first step that is too long for them is rejected.
        """
        size = system.error_size(0.5 * memory.v_dot, None, self._tolerance)
        h = 1.0 / np.sqrt(size) if size > 0.0 else dt
        return _Pace(max(float(min(h, dt, self.longest)), self.shortest), _AIM)

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
        pace, tolerance, order = control, self._tolerance, method.error_order
        most_growth, t = method.most_growth, memory.state.t
        left = t_new - t
        longest = np.inf
        if pace.last > 0.0 and not getattr(method, "one_step", False):
            longest = most_growth * pace.last
        shortest = max(self.shortest, _ROUND_OFF * abs(t))
        obstacle = _ERROR
        while True:
            # two equal steps rather than a long one and a very short one
            h = left if left <= min(1.01 * pace.h, longest) else min(pace.h, longest, 0.5 * left)
            target = t_new if h == left else t + h
            step = attempt(system, method, newton, memory, target, counters)
            if step.evaluation is None:
                obstacle = step.reports[-1]
                pace = _Pace(0.5 * h, _AIM, pace.last, pace.crawls)
            else:
                assert step.error is not None
                size = system.error_size(step.error, step.velocity_error, tolerance)
                size = max(size, 1e-10)
                if size <= 1.0:
                    counters.accept(step)
                    factor = (_AIM / size) ** (0.7 / order) * (pace.error / _AIM) ** (0.4 / order)
                    longer = h * min(max(factor, _LEAST_CHANGE), most_growth)
                    # a step cut short by a landing does not reduce the proposed length
                    # nor did the error stand in the way of a longer step
                    shorter = h == left or h < pace.h or pace.h >= self.longest
                    free = obstacle is _ERROR and shorter
                    if h < pace.h:
                        longer, size = max(longer, pace.h), pace.error
                    if _struggled(step):
                        longer = min(longer, _SHORTER * h)
                        obstacle = _STRUGGLE if obstacle is _ERROR else obstacle
                        free = False
                    crawls = pace.crawls + 1.0 if h < _CRAWL * left else 0.0
                    if crawls > _MOST_CRAWLS:
                        reason = (
                            f"{_MOST_CRAWLS} steps in a row were shorter than {_CRAWL:g} of the "
                            "time to the next output: the run makes no progress"
                        )
                        raise StepFailure(memory.state, h, NewtonReport(reason=reason))
                    pace = _Pace(min(longer, self.longest), size, target - t, crawls)
                    return Advanced(step, pace, h, None if free else obstacle)
                counters.rejected_steps += 1
                factor = max((_AIM / size) ** (1.0 / order), _LEAST_CHANGE)
                pace = _Pace(h * factor, _AIM, pace.last, pace.crawls)
            # no growth after a repeated step
            most_growth = 1.0
            if pace.h < shortest:
                raise StepFailure(memory.state, h, obstacle)


def _struggled(step: Step) -> bool:
    """Whether Newton's method was slow or the safeguard cut many updates."""
    return any(
        len(report.history) > _SLOW or sum(part < 1.0 for part in report.fractions) >= _CUTS
        for report in step.reports
    )

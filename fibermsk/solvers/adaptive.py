"""Steps as long as an error tolerance allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk.protocol import System, Tolerance
from fibermsk.solvers.control import Advanced, Counters, StepFailure, attempt
from fibermsk.solvers.newton import Newton, NewtonReport
from fibermsk.solvers.stage import Method, Step

__all__ = ["AdaptiveSteps"]

_AIM = 0.7
"""Scaled error that the next step is chosen for, so that few are rejected."""

_LEAST_CHANGE = 0.2
_SLOW = 10
_CUTS = 3
"""A step that took more Newton iterations than `_SLOW` in one solve, or in which the safeguard cut
`_CUTS` updates or more, is followed by a shorter one."""

_SHORTER = 0.7


_ROUND_OFF = 1e-12
"""A step is no shorter than this part of the time it starts at."""


_CRAWL, _MOST_CRAWLS = 1e-6, 1000
"""So many steps in a row that are shorter than this part of the way to the next landing mean that
the run gets nowhere, such as between contacts that are pressed to their limit."""


class _Pace(NamedTuple):
    """Length of the next step [s], scaled error of the last, and its length (0: no step yet) [s].

    The next step may be longer than the last by more than a method allows, where the last was cut
    short: methods of one step do not mind, and others get there by and by. The last number counts
    the very short steps in a row.
    """

    h: float
    error: float
    last: float = 0.0
    crawls: float = 0.0


@dataclass(frozen=True)
class AdaptiveSteps:
    """Steps as long as the error tolerance allows, ending on corners of the signals.

    The method's own estimate of a step's error, over its tolerance, is kept below one: of each
    fiber the root mean square of its positions over its length, of each coordinate the absolute
    value. A proportional-integral controller proposes the next step (Hairer and Wanner, Solving
    Ordinary Differential Equations II, sec. IV.2). A step in which Newton's method or the safeguard
    fails is halved; one in which they struggle is followed by a shorter one.

    What is controlled is the error of one step, not that at the end. Velocities are controlled only
    where `speed` or `angular_speed` is given.

    Parameters
    ----------
    relative : float
        Tolerance of positions relative to a fiber's length, and to 1 rad (1 m of sliders);
        positive.
    length : float
        Absolute tolerance added to it for fiber positions [m].
    angle : float
        Absolute tolerance added to it for coordinates [rad, m for sliders].
    speed : float, optional
        Tolerance of fiber velocities [m/s]; they are not controlled if left out.
    angular_speed : float, optional
        Tolerance of the rates of coordinates [rad/s, m/s for sliders]; likewise.
    shortest : float
        A shorter step ends the run [s].
    longest : float
        No step is longer [s].
    landing : bool
        End a step on every output time. Otherwise steps pass them, and the frames come from the
        cubic Hermite polynomials through both ends of a step, with the attachments enforced: fewer
        steps where frames are close.

    Raises
    ------
    ModelError
        If a number is out of range.
    """

    relative: float = 3e-4
    length: float = 0.0
    angle: float = 0.0
    speed: float | None = None
    angular_speed: float | None = None
    shortest: float = 1e-10
    longest: float = np.inf
    landing: bool = True

    def __post_init__(self) -> None:
        """Check the numbers."""
        owner = "AdaptiveSteps"
        _check.positive(owner, "relative", self.relative)
        _check.non_negative(owner, "length", self.length, "m")
        _check.non_negative(owner, "angle", self.angle, "rad")
        for name, value, unit in (
            ("speed", self.speed, "m/s"),
            ("angular_speed", self.angular_speed, "rad/s"),
        ):
            if value is not None:
                _check.positive(owner, name, value, unit)
        _check.positive(owner, "shortest", self.shortest, "s")
        longest = self.longest
        number = isinstance(longest, int | float | np.floating) and not isinstance(longest, bool)
        if not (number and longest > self.shortest):
            _check.refuse(owner, "longest", longest, "be longer than shortest", unit="s")
        _check.instance(owner, "landing", self.landing, bool, "True or False")

    @property
    def _tolerance(self) -> Tolerance:
        return Tolerance(self.relative, self.length, self.angle, self.speed, self.angular_speed)

    def start(self, system: System, method: Method, memory: Any, dt: float) -> _Pace:
        """Begin with a step in which the initial acceleration moves nothing beyond the tolerance.

        How fast velocities will change their rates is not known; a first step that is too long for
        them is rejected.
        """
        size = system.error_size(0.5 * memory.v_dot, None, self._tolerance)
        h = 1.0 / np.sqrt(size) if size > 0.0 else dt
        return _Pace(max(float(min(h, dt, self.longest)), self.shortest), _AIM)

    @property
    def meets_corners(self) -> bool:
        """Whether steps end on the corners of signals: they do."""
        return True

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
        while True:
            # no sliver at the end: two equal steps rather than a long and a short one
            h = left if left <= min(1.01 * pace.h, longest) else min(pace.h, longest, 0.5 * left)
            target = t_new if h == left else t + h
            step = attempt(system, method, newton, memory, target, counters)
            if step.evaluation is None:
                pace = _Pace(0.5 * h, _AIM, pace.last, pace.crawls)
            else:
                assert step.error is not None
                size = system.error_size(step.error, step.velocity_error, tolerance)
                size = max(size, 1e-10)
                if size <= 1.0:
                    counters.accept(step)
                    factor = (_AIM / size) ** (0.7 / order) * (pace.error / _AIM) ** (0.4 / order)
                    longer = h * min(max(factor, _LEAST_CHANGE), most_growth)
                    # a step cut short by a landing says nothing against the longer one before
                    if h < pace.h:
                        longer, size = max(longer, pace.h), pace.error
                    if _struggled(step):
                        longer = min(longer, _SHORTER * h)
                    crawls = pace.crawls + 1.0 if h < _CRAWL * left else 0.0
                    if crawls > _MOST_CRAWLS:
                        reason = (
                            f"{_MOST_CRAWLS} steps in a row were shorter than {_CRAWL:g} of the "
                            "time to the next output: the run gets nowhere"
                        )
                        raise StepFailure(memory.state, h, NewtonReport(reason=reason))
                    pace = _Pace(min(longer, self.longest), size, target - t, crawls)
                    return Advanced(step, pace, h)
                counters.rejected_steps += 1
                factor = max((_AIM / size) ** (1.0 / order), _LEAST_CHANGE)
                pace = _Pace(h * factor, _AIM, pace.last, pace.crawls)
            # after a step that had to be repeated the next one is not longer
            most_growth = 1.0
            if pace.h < shortest:
                raise StepFailure(memory.state, h, step.reports[-1])


def _struggled(step: Step) -> bool:
    """Whether Newton's method or the safeguard found the step hard."""
    return any(
        len(report.history) > _SLOW or sum(part < 1.0 for part in report.fractions) >= _CUTS
        for report in step.reports
    )

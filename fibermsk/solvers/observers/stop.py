"""Event location: end a run where a function of the state changes sign."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from scipy.optimize import brentq

from fibermsk import _check
from fibermsk.solvers.observers.observer import Accepted, Redo, Stop

_PRECISION = 1e-10
"""Relative accuracy of the event time, over the step."""

_SHORTEST = 1e-6
"""Shortest attempted part of a step."""

_DIRECTIONS = ("either", "rising", "falling")


class _Short(Exception):
    """A repeated step that ended before the requested time."""

    def __init__(self, now: Accepted) -> None:
        super().__init__()
        self.now = now


@dataclass(frozen=True)
class StopWhen:
    """End a run where a condition changes its sign.

    The step with the sign change is repeated with ends that converge to the time of the change,
    which is then the last state of the result: within 1e-10 of a step, or 1e-6 if the change
    follows a previous step that closely. The status of the result is "stopped".

    A condition that is zero or past its change at the start does not end the run. Two changes
    within one step are not detected; use shorter steps
    (``fm.AdaptiveSteps(longest=...)``).

    Parameters
    ----------
    condition : callable
        Function of an `fm.Moment`, the state by name, that returns a number, such as the height of
        a point above a table; continuous near its change.
    message : str
        Meaning of the change; part of the result's message.
    direction : {"either", "rising", "falling"}
        Direction of the sign changes that end the run.
    name : str
        Unique name among the observers of a run.

    Raises
    ------
    ModelError
        If the type or range of an argument is wrong, or the condition returns no finite number
        during the run.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("fall", gravity=(0, 0, -10.0))
    >>> ball = model.add(fm.Body("ball", mass=1.0, com=(0, 0, 0), inertia=(0.1, 0.1, 0.1)))
    >>> _ = model.add(fm.Slider("height", model.ground, ball, (0, 0, 5.0), axis=(0, 0, 1)))
    >>> lands = fm.StopWhen(lambda now: now.position(ball)[2], "the ball lands")
    >>> result = fm.simulate(fm.build(model), t_end=2.0, dt=0.25, observers=[lands])
    >>> print(result.status, round(result.time[-1], 9))
    stopped 1.0
    """

    condition: Callable[[Any], float]
    message: str
    direction: Literal["either", "rising", "falling"] = "either"
    name: str = "stop"

    def __post_init__(self) -> None:
        owner = f"StopWhen {_check.item_name('StopWhen', self.name)!r}"
        if not callable(self.condition):
            _check.refuse(owner, "condition", self.condition, "be a function of a Moment")
        _check.instance(owner, "message", self.message, str, "a text")
        _check.choice(owner, "direction", self.direction, _DIRECTIONS)

    def start(self, now: Accepted) -> float:
        """Value at the start."""
        return self._value(now)

    def land(self, last: float, now: Accepted, redo: Redo) -> Accepted:
        """Step that ends where the condition changes its sign."""
        while now.before is not None and self._changes(last, value := self._value(now)):
            try:
                end = self._locate(last, now, value, redo)
                return now if end == now.t else redo(end)
            except _Short as short:
                now = short.now
        return now

    def step(self, last: float, now: Accepted) -> float | Stop:
        """Last nonzero value, or a `Stop` where it has changed its sign."""
        value = self._value(now)
        if self._changes(last, value):
            return Stop(self.message, value)
        return value if value != 0.0 else last

    def finish(self, last: float, now: Accepted) -> None:
        """Do nothing."""

    def _value(self, now: Accepted) -> float:
        owner = f"StopWhen {self.name!r} at t = {now.t:g} s"
        value: Any = self.condition(now.view)
        if isinstance(value, bool):
            remedy = "return the compared quantity, such as the distance to the table"
            _check.refuse(owner, "condition", value, "be a number", remedy=remedy)
        return _check.number(owner, "condition", value)

    def _changes(self, last: float, value: float) -> bool:
        if last > 0.0:
            return value <= 0.0 and self.direction != "rising"
        return last < 0.0 and value >= 0.0 and self.direction != "falling"

    def _locate(self, last: float, now: Accepted, value: float, redo: Redo) -> float:
        """Earliest time found after the change in a step."""
        early, late = now.before.state.t, now.t
        first = early + _SHORTEST * (late - early)
        known = {early: last, late: value}

        def at(t: float) -> float:
            t = t if t == early else max(t, first)
            if t not in known:
                tried = redo(t)
                if tried.t < t:
                    raise _Short(tried)
                known[t] = self._value(tried)
            return known[t]

        brentq(at, early, late, xtol=_PRECISION * (late - early))
        return min(t for t, found in known.items() if self._changes(last, found))

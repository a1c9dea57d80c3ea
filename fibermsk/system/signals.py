"""Functions of time from the user: their corners, and a check that they are deterministic.

With a function that keeps state, such as a controller with memory or a random number, the result
would depend on the attempted steps. It is rejected: before a run, by evaluation in two orders, and
during it, by repeated evaluation at earlier times.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.model import Constant, Fiber, Ramp, Table
from fibermsk.model.element import Element
from fibermsk.model.muscles.fiber import SAMPLES
from fibermsk.system.contribution import Contribution, Signal
from fibermsk.system.optional import HasInputs

_PURE = (Constant, Ramp, Table)
"""Signal classes of this package, which are immutable."""

_TWICE = 64
"""Maximum number of times at which each function is evaluated twice before a run."""

_AT_ONCE = 8
"""Number of functions that are evaluated again per step, in turn."""


def all_signals(contributions: Iterable[Contribution], elements: Iterable[Element]) -> list[Signal]:
    """Functions of time of all contributions and elements."""
    asked = [one for one in contributions if isinstance(one, HasInputs)]
    given = [
        Signal(f"element {element.name!r}", field, f, lambda t, f=f: np.asarray(f(t), float))
        for element in elements
        for field, f in element.signals
    ]
    return [*(signal for one in asked for signal in one.inputs()), *given]


def corners(signals: Iterable[Signal]) -> Array:
    """Times at which signals are not smooth, in increasing order (n,) [s].

    Taken from the attribute `breakpoints` of the signals, as of `Ramp` and `Table`.

    Raises
    ------
    ModelError
        If breakpoints are not finite numbers.
    """
    found = {id(one.function): one for one in signals if hasattr(one.function, "breakpoints")}
    given = [
        _check.array(
            f"{one.owner}: {one.field}", "breakpoints", one.function.breakpoints, ("m",), "s"
        )
        for one in found.values()
    ]
    return np.unique(np.concatenate([np.zeros(0), *given]))


def delayed(corners: Array, delays: Iterable[float]) -> Array:
    """Corners (n,) [s], and with them the start of a run and all corners after each delay [s].

    A motion is less smooth at a corner, and so is what follows it a delay later.
    """
    later = [np.append(corners, 0.0) + delay for delay in delays]
    return np.unique(np.concatenate([corners, *later])) if later else corners


class Inputs:
    """Check of the functions of time that may keep state."""

    def __init__(self, signals: Iterable[Signal]) -> None:
        found: dict[tuple[str, int], Signal] = {}
        for one in signals:
            if type(one.function) not in _PURE:
                found.setdefault((one.field, id(one.function)), one)
        self._all = list(found.values())
        self._time = np.nan
        # times of the present run, values at some of them, and the last evaluated time
        self._times: Array | None = None
        self._first: list[dict[float, Array]] = []
        self._last: dict[int, tuple[float, Array]] = {}
        self._turn = 0

    def check(self, times: Array) -> None:
        """Evaluate every function at all times, and again at some of them in another order.

        Parameters
        ----------
        times : (n,) float array
            Times of a run [s]. If the array is that of the last call, at the end of the run, values
            must equal those at its start; functions may change between runs.

        Raises
        ------
        ModelError
            If one raises, leaves its range, or keeps state.
        """
        some = np.unique(np.linspace(0, times.size - 1, _TWICE).round().astype(int))
        if times is not self._times:
            self._first = [{} for _ in self._all]
        self._times, self._time = times, np.nan
        mixed = np.random.default_rng(0).permutation(some)
        for k, one in enumerate(self._all):
            values = [one.ask(float(t)) for t in times]
            for i in mixed:
                t = float(times[i])
                before = self._first[k][t] if t in self._first[k] else values[i]
                for again in (values[i], one.ask(t)):
                    _compare(one, t, before, again)
            self._first[k] = {float(times[i]): values[i] for i in some}
            self._last.pop(k, None)

    def ask_again(self, t: float) -> None:
        """Evaluate some functions at earlier times of a run, and store values at a new one.

        Raises
        ------
        ModelError
            If a value differs from the earlier one.
        """
        if t == self._time:
            return
        for _ in range(min(_AT_ONCE, len(self._all))):
            k, self._turn = self._turn, (self._turn + 1) % len(self._all)
            one = self._all[k]
            if k in self._last:
                _compare(one, self._last[k][0], self._last[k][1], one.ask(self._last[k][0]))
            self._last[k] = t, one.ask(t)
        self._time = t


def check_shape(fiber: Fiber) -> None:
    """Reject a function of theta whose values differ in a second evaluation."""
    for field, at in (("radius", fiber.radius_at), ("muscle_fraction", fiber.muscle_fraction_at)):
        if callable(getattr(fiber, field)) and not np.array_equal(at(SAMPLES), at(SAMPLES)):
            _refuse(f"fiber {fiber.name!r}: {field} as a function of theta", "theta")
    path = fiber.path
    if callable(path) and not np.array_equal(path(SAMPLES.copy()), path(SAMPLES.copy())):
        _refuse(f"fiber {fiber.name!r}: path as a function of theta", "theta")


def _compare(one: Signal, t: float, before: Array, now: Array) -> None:
    if not np.array_equal(before, now):
        k = int(np.argmax(np.ravel(before != now)))
        values = f"{np.ravel(before)[k]:.6g}, and {np.ravel(now)[k]:.6g}"
        _refuse(f"{one.owner}: {one.field} at t = {t:g} s = {values}", "t")


def _refuse(what: str, argument: str) -> NoReturn:
    raise ModelError(
        f"{what} when evaluated again; must not change between calls; the function keeps "
        f"state or is random: let it depend on {argument} alone (fm.Table holds recorded values)"
    )

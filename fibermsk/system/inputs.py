"""Functions that a user gives: a value belongs to its argument alone, whenever it is asked for.

A function that keeps state, such as a controller with a memory or a random number, would give a run
whose answer depends on the steps that were tried. It is refused: before a run, where it is asked in
two orders; and within it, where it is asked again for earlier times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from fibermsk.errors import ModelError
from fibermsk.model import Constant, Fiber, Model, MovingPoint, Ramp, Table
from fibermsk.model.fiber import SAMPLES

__all__ = ["Inputs"]

Array = NDArray[np.float64]

_PURE = (Constant, Ramp, Table)
"""Signals of this package, which are values."""

_THETA = np.linspace(0.0, 1.0, 11)
"""Where line loads are asked for."""

_TWICE = 64
"""Times at which each function is asked twice before a run, at most."""

_AT_ONCE = 8
"""Functions that are asked again at one time of a run, in turns."""


class Input(NamedTuple):
    """A function of time: whose it is, and what it gives as an array."""

    owner: str
    field: str
    ask: Callable[[float], Array]


class Inputs:
    """All functions of time that a model was given, each once.

    Raises
    ------
    ModelError
        If a function of theta keeps state.
    """

    def __init__(self, model: Model) -> None:
        for fiber in model.fibers:
            _check_shape(fiber)
        self._all = list(_inputs(model))
        # times of the present run, values at some of them, and the last that was asked for
        self._times: Array | None = None
        self._first: list[dict[float, Array]] = []
        self._last: dict[int, tuple[float, Array]] = {}
        self._turn = 0

    def check(self, times: Array) -> None:
        """Ask every function at all times, and then at some of them in another order.

        Parameters
        ----------
        times : (n,) float array
            Of a run [s]. With the same array as in the call before, at the end of the run, values
            must be what they were at its start; between runs functions may be changed.

        Raises
        ------
        ModelError
            If one raises, leaves its range, or keeps state.
        """
        some = np.unique(np.linspace(0, times.size - 1, _TWICE).round().astype(int))
        if times is not self._times:
            self._first = [{} for _ in self._all]
        self._times = times
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
        """Ask some functions at earlier times of a run, and remember what they give at this one.

        Raises
        ------
        ModelError
            If one gives something else than before.
        """
        for _ in range(min(_AT_ONCE, len(self._all))):
            k, self._turn = self._turn, (self._turn + 1) % len(self._all)
            one = self._all[k]
            if k in self._last:
                _compare(one, self._last[k][0], self._last[k][1], one.ask(self._last[k][0]))
            self._last[k] = t, one.ask(t)


def _inputs(model: Model) -> Iterator[Input]:
    """Functions of time of a model; one that several fibers share comes once."""
    seen: set[tuple[str, int]] = set()

    def is_new(field: str, function: object) -> bool:
        key = field, id(function)
        if key in seen:
            return False
        seen.add(key)
        return True

    for fiber in model.fibers:
        owner = f"fiber {fiber.name!r}"
        signal, load = fiber.activation, fiber.line_load
        if type(signal) not in _PURE and is_new("activation", signal):
            yield Input(owner, "activation", lambda t, f=fiber: np.array(f.activation_at(t)))
        if callable(load) and is_new("line_load", load):
            yield Input(owner, "line_load", lambda t, f=fiber: f.line_load_at(_THETA, t))
        for end in fiber.attach:
            if isinstance(end, MovingPoint) and is_new("motion", end.motion):
                yield Input(f"moving point of {owner}", "motion", end.position_at)
    for element in model.elements:
        for field, signal in element.signals:
            if type(signal) not in _PURE:
                yield Input(
                    f"element {element.name!r}",
                    field,
                    lambda t, f=signal: np.asarray(f(t), float),
                )


def _check_shape(fiber: Fiber) -> None:
    """Refuse a function of theta that gives something else when it is asked twice."""
    for field, at in (("radius", fiber.radius_at), ("muscle_fraction", fiber.muscle_fraction_at)):
        if callable(getattr(fiber, field)) and not np.array_equal(at(SAMPLES), at(SAMPLES)):
            _refuse(f"fiber {fiber.name!r}: {field} as a function of theta", "theta")
    path = fiber.path
    if callable(path) and not np.array_equal(path(SAMPLES.copy()), path(SAMPLES.copy())):
        _refuse(f"fiber {fiber.name!r}: path as a function of theta", "theta")


def _compare(one: Input, t: float, before: Array, now: Array) -> None:
    if not np.array_equal(before, now):
        k = int(np.argmax(np.ravel(before != now)))
        values = f"{np.ravel(before)[k]:.6g}, and {np.ravel(now)[k]:.6g}"
        _refuse(f"{one.owner}: {one.field} at t = {t:g} s = {values}", "t")


def _refuse(what: str, argument: str) -> NoReturn:
    raise ModelError(
        f"{what} when asked again; must give the same whenever it is asked; the function keeps "
        f"state or is random: let it depend on {argument} alone (fm.Table holds recorded values)"
    )

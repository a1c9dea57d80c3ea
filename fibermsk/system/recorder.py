"""Accepted states, told to the contributions whose forces depend on the past."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol, runtime_checkable

import numpy as np

from fibermsk._arrays import Array
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At

View = Callable[[], Any]
"""Function that returns the present state by name, an `fm.Moment`."""


@runtime_checkable
class HasPast(Protocol):
    """A contribution whose forces depend on accepted states a delay ago, such as a reflex.

    It records them, and is a `HasMemory` as well, so that checkpoints and repeated steps have them.
    """

    @property
    def delays(self) -> dict[str, float]:
        """Delays [s] by name, for messages; no step is longer than the shortest."""
        ...

    def record(self, at: At, view: View) -> None:
        """Record an accepted state."""
        ...

    def hold(self, at: At, view: View, values: Array | None = None) -> Array:
        """Start a new past at a state and return what is measured there, one value per delay.

        With `values` the past holds those instead.
        """
        ...

    def confirm(self, at: At, view: View) -> None:
        """Refuse a past whose last record is not what is measured at its state."""
        ...


class Recorder:
    """All contributions with a past.

    `view` returns a state by name, from its time [s], positions and velocities.

    Attributes
    ----------
    delays : dict of float
        Delays with which forces follow the motion [s], by name.
    """

    def __init__(
        self, contributions: Iterable[Any], configuration: Configuration, view: Callable[..., Any]
    ) -> None:
        self._all = [one for one in contributions if isinstance(one, HasPast) and one.delays]
        self._configuration, self._view = configuration, view
        self.delays = {name: delay for one in self._all for name, delay in one.delays.items()}

    @property
    def shortest(self) -> tuple[float, str]:
        """Shortest delay [s] and its name; infinite without any."""
        name = min(self.delays, key=self.delays.__getitem__, default="")
        return self.delays.get(name, np.inf), name

    def record(self, t: float, y: Array, v: Array) -> None:
        """Record an accepted state."""
        if self._all:
            at = self._configuration.kinematics(t, y, v)
            for one in self._all:
                one.record(at, lambda: self._view(t, y, v))

    def confirm(self, t: float, y: Array, v: Array) -> None:
        """Refuse a past whose last record is not what is measured at its state."""
        if self._all:
            at = self._configuration.kinematics(t, y, v)
            for one in self._all:
                one.confirm(at, lambda: self._view(t, y, v))

    def hold(self, t: float, y: Array, v: Array, values: Array | None) -> Array:
        """Start a new past at a state, or at given values; return what is measured there."""
        found, first = np.zeros(len(self.delays)), 0
        if self._all:
            at = self._configuration.kinematics(t, y, v)
            for one in self._all:
                own = slice(first, first := first + len(one.delays))
                given = None if values is None else values[own]
                found[own] = one.hold(at, lambda: self._view(t, y, v), given)
        return found

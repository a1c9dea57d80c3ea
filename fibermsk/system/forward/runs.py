"""Runs of a compiled march between output times."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk._prepared import call_known
from fibermsk.kernels.forward.correction import Correction
from fibermsk.kernels.forward.march import march
from fibermsk.kernels.forward.multistep import HIGHEST, History, march_stiff
from fibermsk.kernels.forward.progress import Progress, branches_of
from fibermsk.kernels.forward.runge_kutta import Tableau

if TYPE_CHECKING:
    from fibermsk.system.forward.equations import ForwardMarch


class Settings(NamedTuple):
    """Settings of a run.

    Attributes
    ----------
    tolerance, longest : float
        As for `fibermsk.Explicit`.
    times : (n_frames,) float array
        Times of the frames [s].
    y, v : (n,) float array
        Positions and velocities at the start.
    """

    tolerance: float
    longest: float
    times: Array
    y: Array
    v: Array


class ForwardRun:
    """A run between output times, which advances some steps at a time.

    Attributes
    ----------
    status : int
        Zero, or why the last attempt failed; see `fibermsk.kernels.forward.right_side`.
    """

    def __init__(self, engine: ForwardMarch, settings: Settings) -> None:
        self._engine, self._settings = engine, settings
        self._state = engine.memory()
        times = settings.times
        u = engine.pack(settings.y, settings.v)
        f, n = np.zeros_like(u), (times.size, u.size)
        self.status = engine.rates_at(float(times[0]), u, f, self._state)
        self._frames, self._h = np.zeros(n), np.zeros(times.size)
        self._frames[0] = u
        number = np.array([times[0], *self._first_step(u, f)])
        self._kept = branches_of(self._state.placed)
        self._at = Progress(u, f, number, np.array([1, 0, 0, 1, 0], np.int64))

    def _first_step(self, u: Array, f: Array) -> tuple[float, float, float]:
        """First step to try, last step, and its error or zero; see `Progress`."""
        raise NotImplementedError

    def _advance(self, most: int, stops: Array) -> int:
        """Make at most so many steps; returns the status."""
        raise NotImplementedError

    @property
    def done(self) -> bool:
        """Whether all frames are filled."""
        return self._at.count[0] == self._settings.times.size

    @property
    def time(self) -> float:
        """Time reached [s]."""
        return float(self._at.number[0])

    @property
    def steps(self) -> int:
        """Accepted steps."""
        return int(self._at.count[1])

    @property
    def rejected(self) -> int:
        """Rejected steps."""
        return int(self._at.count[2])

    @property
    def evaluations(self) -> int:
        """Evaluations of the rates."""
        return int(self._at.count[3])

    def advance(self, most: int) -> None:
        """Make at most so many steps."""
        if not self.status:
            self.status = self._advance(most, self._engine.stops(self._settings.times))

    def end(self) -> None:
        """Give the memory back; the run does not go on."""
        self._engine.give_back(self._state)

    def frames(self) -> tuple[Array, tuple[Array, Array], Array]:
        """Times, positions and velocities of the frames so far, and lengths of their steps.

        The rates of states are not known.
        """
        n = int(self._at.count[0])
        return self._settings.times[:n], self._engine.unpack(self._frames[:n]), self._h[:n]


class ExplicitRun(ForwardRun):
    """A run with a Runge-Kutta method."""

    def __init__(self, engine: ForwardMarch, tableau: Tableau, settings: Settings) -> None:
        self._tableau = tableau
        super().__init__(engine, settings)
        self._stages = np.zeros((tableau.c.size + 1, self._at.u.size))

    def _first_step(self, u: Array, f: Array) -> tuple[float, float, float]:
        # a start that changes no unknown by more than its tolerance's fifth root
        scale, tolerance = self._engine.scale, self._settings.tolerance
        speed = float(np.sqrt(np.mean((f / np.maximum(scale, np.abs(u))) ** 2)))
        step = 0.1 * tolerance ** (1.0 / self._tableau.order) / max(speed, 1e-6)
        return min(step, self._settings.times[-1]), 0.0, 1.0

    def _advance(self, most: int, stops: Array) -> int:
        engine, given = self._engine, self._settings
        return call_known(
            march, engine.arrays, self._state, self._kept, self._stages, self._tableau,
            given.tolerance, engine.scale, given.times, stops, given.longest, most, self._at,
            self._frames, self._h,
        )  # fmt: skip


class StiffRun(ForwardRun):
    """A run with multistep formulas."""

    def __init__(
        self, engine: ForwardMarch, tableau: Tableau, highest: int, settings: Settings
    ) -> None:
        super().__init__(engine, settings)
        self._tableau = tableau
        n_u, (m, n) = self._at.u.size, (self._state.length.size, self._state.push.size)
        self._highest = highest
        self._history = History(np.zeros((HIGHEST + 3, n_u)), np.zeros(2, np.int64))
        u, d, psi, size = np.zeros((4, n_u))
        length, speed, activation, state = np.zeros((4, m))
        self._work = Correction(
            u, d, psi, size, np.zeros((tableau.c.size, n_u)), np.zeros((m, n)),
            np.zeros(engine.arrays.coordinate_row.size), length, speed, activation, state,
            np.zeros((m, 2, 6)), np.zeros((n, n)), np.zeros(n), np.zeros(n),
        )  # fmt: skip

    def _first_step(self, u: Array, f: Array) -> tuple[float, float, float]:
        return 0.0, 0.0, 0.0  # the march chooses it

    def _advance(self, most: int, stops: Array) -> int:
        engine, given = self._engine, self._settings
        return call_known(
            march_stiff, engine.arrays, self._state, self._kept, self._work, self._tableau,
            self._highest, given.tolerance, engine.scale, given.times, stops, given.longest, most,
            self._at, self._history, self._frames, self._h,
        )  # fmt: skip

"""Clock of a viewer: the frame at each time."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fibermsk.errors import ModelError
from fibermsk.view.fields import nearest_index

SPEEDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
"""Speeds of the buttons; any between the first and the last may be set."""


class Playback:
    """Times of frames [s], increasing, and the current one.

    While playing, the clock `time` [s] is at or after the current frame, else equal to it. With
    `loop` it restarts at the end.
    """

    def __init__(self, times: ArrayLike, time: float | None = None) -> None:
        self.times: NDArray[np.float64] = np.array(times, dtype=float)
        if self.times.ndim != 1 or self.times.size == 0:
            raise ModelError(f"times has shape {self.times.shape}; must hold at least one time")
        if not np.all(np.isfinite(self.times)) or np.any(np.diff(self.times) <= 0.0):
            raise ModelError("times of a playback must be finite and increase")
        self.frame = 0
        self.time = float(self.times[0])
        self.playing = False
        self.loop = True
        self._speed = 1.0
        if time is not None:
            self.seek(time)

    @property
    def speed(self) -> float:
        """Simulated seconds per second, 0.05 to 20; 1 is real time."""
        return self._speed

    @speed.setter
    def speed(self, value: float) -> None:
        if not SPEEDS[0] <= value <= SPEEDS[-1]:
            raise ModelError(f"speed = {value}; must lie between {SPEEDS[0]} and {SPEEDS[-1]}")
        self._speed = float(value)

    def toggle(self) -> None:
        """Play or pause."""
        if self.playing:
            self.pause()
        else:
            self.play()

    def play(self) -> None:
        """Start the clock, from the first frame if it is at the last; a single frame stays."""
        if self.times.size < 2 or self.playing:
            return
        if self.frame == self.times.size - 1:
            self._show(0)
        self.playing = True

    def pause(self) -> None:
        """Stop the clock at the current frame."""
        self.playing = False
        self.time = float(self.times[self.frame])

    def seek(self, time: float) -> None:
        """Set the frame nearest to a time [s] within the run."""
        self._show(nearest_index(self.times, time))

    def step(self, n: int) -> None:
        """Advance by n frames, back if negative, cyclically, and pause."""
        self.playing = False
        self._show((self.frame + n) % self.times.size)

    def advance(self, wall_seconds: float) -> bool:
        """Advance the clock by wall time [s]; returns whether the frame changed.

        The last frame is always shown before a restart.
        """
        if not math.isfinite(wall_seconds) or wall_seconds < 0.0:
            raise ModelError(f"wall_seconds = {wall_seconds}; must be finite and not negative")
        if not self.playing:
            return False
        before = self.frame
        end = self.times.size - 1
        first, last = float(self.times[0]), float(self.times[-1])
        self.time += self._speed * wall_seconds
        if self.time >= last and before != end:
            self.frame, self.time = end, last
            self.playing = self.loop
        elif self.time > last:
            if not self.loop:
                self.pause()
                return False
            self.time = first + (self.time - last) % (last - first)
            self.frame = self._at(self.time)
        else:
            self.frame = self._at(self.time)
        return self.frame != before

    def _at(self, time: float) -> int:
        """Last frame up to a time."""
        return max(int(np.searchsorted(self.times, time, side="right")) - 1, 0)

    def _show(self, frame: int) -> None:
        self.frame = frame
        self.time = float(self.times[frame])

"""Jumps of the lengths of line muscles, named in a warning."""

from __future__ import annotations

import numpy as np

from fibermsk import _check
from fibermsk.errors import ModelWarning
from fibermsk.results import Result

_LEAST = 1e-4
"""Least jump that is told [m]."""

_MOST_TOLD = 5
"""Largest number of muscles named in a warning."""


class Jumps:
    """Largest jump of the length of each muscle, over consecutive parts of a run."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[float, float, int]] = {}  # size [m], time [s], number

    def add(self, result: Result) -> None:
        """Look at the next frames."""
        for name, muscle in result.muscles.items():
            jumps = np.abs(muscle["length_jump"])
            at = np.flatnonzero(jumps > _LEAST)
            if at.size:
                worst = int(jumps.argmax())
                now = float(jumps[worst]), float(result.time[worst])
                size, time, n = self._found.get(name, (*now, 0))
                size, time = now if now[0] > size else (size, time)
                self._found[name] = size, time, n + at.size

    def remark(self) -> ModelWarning | None:
        """Warning of paths whose length jumps, the largest jump first; None without any."""
        if not self._found:
            return None
        found = [(size, name, t, n) for name, (size, t, n) in self._found.items()]
        found.sort(reverse=True)
        told = [
            f"{name} by about {1e3 * size:.2g} mm before t = {t:.4g} s"
            + (f", and {n - 1} more times" if n > 1 else "")
            for size, name, t, n in found
        ]
        return ModelWarning(
            f"lengths of line muscles jump: {_check.first_names(told, _MOST_TOLD, '; ')}, where a "
            "conditional path point or a cylinder of finite length starts or ceases to act, as in "
            "OpenSim. The energy of the motion jumps with them; fibermsk muscles shows where",
            kind="length_jump",
            time=found[0][2],
        )

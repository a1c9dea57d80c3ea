"""What a run is warned of at its end, from consecutive parts of its result."""

from __future__ import annotations

import numpy as np

from fibermsk._plausible import RULES
from fibermsk.errors import ModelWarning
from fibermsk.model import Model
from fibermsk.results import Result, Softening
from fibermsk.system.fibers.cables import Cables
from fibermsk.system.fibers.softening import SofteningLog, softening_remark
from fibermsk.system.lines.jumps import Jumps
from fibermsk.system.lines.slack import SlackTendons

_MUSCLE_STRESS = "muscle stress"
_MUSCLE = 0.9
"""Muscle fraction above which tissue counts as muscle."""


class Remarks:
    """Warnings about a run: softening fibers, stress, slack tendons and jumps of lengths."""

    def __init__(self, model: Model, cables: Cables) -> None:
        self._softening = SofteningLog(model, cables)
        self._stress, self._slack, self._jumps = _Stress(model), SlackTendons(), Jumps()

    def add(self, result: Result) -> None:
        """Look at the next frames."""
        for one in (self._softening, self._stress, self._slack, self._jumps):
            one.add(result)

    @property
    def softening(self) -> tuple[Softening, ...]:
        """Intervals in which fibers soften, fiber by fiber."""
        return self._softening.intervals

    def warnings(self) -> list[ModelWarning]:
        """All of them."""
        others = self._stress.remark(), self._slack.remark(), self._jumps.remark()
        found = softening_remark(self.softening), *others
        return [one for one in found if one is not None]


class _Stress:
    """Largest stress in muscle."""

    def __init__(self, model: Model) -> None:
        self._model, self._worst = model, (0.0, "", 0.0, 0.0)

    def add(self, result: Result) -> None:
        """Look at the next frames."""
        if _MUSCLE_STRESS in self._model.meant:
            return
        for name, fiber in result.fibers.items():
            stress = fiber.axial_force / (np.pi * fiber.radius**2)
            stress = np.where(fiber.muscle_fraction > _MUSCLE, stress, 0.0)
            i, k = np.unravel_index(np.argmax(stress), stress.shape)
            found = float(stress[i, k]), name, float(result.time[i]), float(fiber.theta[k])
            self._worst = max(self._worst, found)

    def remark(self) -> ModelWarning | None:
        """Warning of an implausible largest stress: fiber, time and location."""
        stress, name, time, theta = self._worst
        if not stress > RULES[_MUSCLE_STRESS].most:
            return None
        text = (
            f"fiber {name!r}: the stress in its muscle reaches {stress:.3g} N/m^2 at t = {time:.4g}"
            f" s, theta = {theta:.2f}; muscle generates 3e5 and tears below 1e7: check units "
            f"and stretch. If this is intended: Model(meant=[{_MUSCLE_STRESS!r}])"
        )
        return ModelWarning(text, kind="plausibility", fiber=name, time=time)

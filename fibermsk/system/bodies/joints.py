"""Passive forces of coordinates: springs, dampers, limits, quaternion lengths."""

from __future__ import annotations

from fibermsk.system.contribution import At, Sums
from fibermsk.system.skeleton.passive import Passive


class PassiveJoints:
    """Passive forces of the coordinates."""

    def __init__(self, passive: Passive) -> None:
        self._passive = passive

    def add(self, at: At, sums: Sums) -> None:
        """Subtract the passive forces."""
        rates, corner = (at.q, at.p, at.p_dot), sums.on_coordinates
        self._passive.add(at.motion.rows, *rates, sums.force, corner)

    def energy(self, at: At) -> dict[str, float]:
        """Energy of springs and limits [J]."""
        return {"elastic": self._passive.energy(at.motion.rows, at.q, at.p)}

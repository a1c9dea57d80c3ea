"""What coordinates do by themselves: springs, dampers, limits, lengths of quaternions."""

from __future__ import annotations

from fibermsk.system.contributions.contribution import At, Sums
from fibermsk.system.passive import Passive

__all__ = ["PassiveJoints"]


class PassiveJoints:
    """Forces of coordinates on themselves."""

    def __init__(self, passive: Passive) -> None:
        self._passive = passive

    def add(self, at: At, sums: Sums) -> None:
        """Subtract them."""
        rows, rates, slopes = at.motion.rows, (at.q, at.p, at.p_dot), sums.slopes
        self._passive.add(rows, *rates, sums.force)
        if slopes is not None:
            self._passive.add_tangent(rows, *rates, slopes.dv_dy, slopes.dvdot_dv, sums.corner)

    def energy(self, at: At) -> dict[str, float]:
        """Energy of springs and limits [J]."""
        return {"elastic": self._passive.energy(at.motion.rows, at.q, at.p)}

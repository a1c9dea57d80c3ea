"""Tendon, muscle and tendon along one fiber, with their elements and radii."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fibermsk._arrays import Array
from fibermsk.errors import ModelError


@dataclass(frozen=True, eq=False)
class Sections:
    """Muscle fraction and radius along a fiber: functions of theta for `fm.Fiber`.

    The fraction starts to rise, is one, starts to fall and is zero at the `marks` (4,), which are
    among the nodes (n_elements + 1,); belly and tendon are radii [m].
    """

    marks: Array
    nodes: Array
    belly: float
    tendon: float

    def muscle_fraction(self, theta: Array) -> Array:
        """Muscle fraction (n,): 3 s^2 - 2 s^3 over each transition."""
        a, b, c, d = self.marks
        s = np.minimum((theta - a) / (b - a), (d - theta) / (d - c)).clip(0.0, 1.0)
        return s * s * (3.0 - 2.0 * s)

    def radius(self, theta: Array) -> Array:
        """Radius (n,) [m]."""
        return self.tendon + (self.belly - self.tendon) * self.muscle_fraction(theta)


def transition_length(length: float, muscle: float, transition: float) -> float:
    """Length of a transition beside a muscle part, where the fiber has room for two of them.

    Lengths in one unit; `transition` is relative to that of the muscle.
    """
    return min(transition * muscle, 0.45 * (length - muscle))


def divide(
    owner: str,
    length: float,
    muscle: float,
    proximal: float,
    transition: float,
    n_elements: int,
    belly: float,
    tendon: float,
) -> Sections:
    """Divide a fiber into sections, of each (at most five) with one element or more.

    All lengths and the radii of belly and tendon are in m; what is not muscle is tendon, the
    fraction `proximal` of it before the muscle. The transition of the muscle fraction is relative
    to the length of the muscle; it is part of the tendon, since most of it is nearly as stiff.
    """
    change = transition_length(length, muscle, transition)
    spare = length - muscle - 2.0 * change
    before = proximal * spare
    cuts = np.array([0.0, before, before + change, before + change + muscle])
    cuts = np.r_[cuts, cuts[-1] + change, length] / length
    widths = np.diff(cuts)
    # parts of zero length, as without tendon on one side, have no element
    there = widths > 1e-3
    least = int(there.sum())
    if n_elements < least:
        raise ModelError(
            f"{owner}: n_elements = {n_elements}; must be {least} or more: one for each part of "
            "tendon, transition and muscle"
        )
    counts = there.astype(int)
    for _ in range(n_elements - least):
        counts[np.argmax(np.where(counts > 0, widths / np.maximum(counts, 1), 0.0))] += 1
    cuts[1] = cuts[1] if there[0] else 0.0
    cuts[4] = cuts[4] if there[4] else 1.0
    nodes = [np.zeros(1)]
    for k, count in enumerate(counts):
        if count:
            nodes.append(np.linspace(cuts[k], cuts[k + 1], count + 1)[1:])
    return Sections(cuts[1:5], np.concatenate(nodes), belly, tendon)

"""Along one fiber: tendon, muscle and tendon, the elements that hold them, and their radii."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fibermsk.errors import ModelError

__all__ = ["Sections", "divide"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sections:
    """Where a fiber is muscle, and how thick it is: functions of theta for `fm.Fiber`.

    Attributes
    ----------
    marks : (4,) float array
        Theta where the muscle fraction begins to rise, is one, begins to fall, and is zero.
    nodes : (n_elements + 1,) float array
        Nodes; the marks are among them.
    belly, tendon : float
        Radii of the muscle and of the tendon part [m].
    """

    marks: Array
    nodes: Array
    belly: float
    tendon: float

    def muscle_fraction(self, theta: Array) -> Array:
        """Share of muscle (n,): 3 s^2 - 2 s^3 over each transition."""
        a, b, c, d = self.marks
        s = np.minimum((theta - a) / (b - a), (d - theta) / (d - c)).clip(0.0, 1.0)
        return s * s * (3.0 - 2.0 * s)

    def radius(self, theta: Array) -> Array:
        """Radius (n,) [m]."""
        return self.tendon + (self.belly - self.tendon) * self.muscle_fraction(theta)


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
    """Sections of a fiber.

    Parameters
    ----------
    owner : str
        For messages.
    length : float
        Of the whole fiber [m].
    muscle : float
        Of its muscle part [m]; the rest is tendon.
    proximal : float
        Share of the tendon that lies before the muscle, in [0, 1].
    transition : float
        Length over which the muscle fraction rises, and falls, over that of the muscle; it is taken
        from the tendon, for most of it is nearly as stiff.
    n_elements : int
        Elements; one or more for each of the five parts that are there.
    belly, tendon : float
        Radii [m].

    Raises
    ------
    ModelError
        If there are fewer elements than parts.
    """
    change = min(transition * muscle, 0.45 * (length - muscle))
    spare = length - muscle - 2.0 * change
    before = proximal * spare
    cuts = np.array([0.0, before, before + change, before + change + muscle])
    cuts = np.r_[cuts, cuts[-1] + change, length] / length
    widths = np.diff(cuts)
    # a part of no length, such as a muscle without tendon on one side has, gets no element
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

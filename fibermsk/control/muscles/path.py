"""What optimal control asks of the path of a muscle."""

from __future__ import annotations

from abc import ABC, abstractmethod

import casadi as ca
import numpy as np

from fibermsk._arrays import Array
from fibermsk.control.mechanics.directors import SX


class MusclePath(ABC):
    """Path of one muscle.

    Attributes
    ----------
    name : str
        Name of the muscle.
    n : int
        Number of unknowns that describe it at a node.
    word : str
        How it is described, for remarks.
    """

    name: str
    n: int = 0
    word: str

    @abstractmethod
    def at(self, s: SX, q: SX, g: SX) -> tuple[SX, SX]:
        """Length [m], and forces P^T dl/dq (degrees,) of a unit tension that lengthens it.

        At chart coordinates s, director coordinates q, and unknowns g (n,) of the path.
        """

    def equations(self, q: SX, g: SX) -> SX:
        """What the unknowns must make zero, (n,)."""
        return ca.SX(0, 1)

    def guess(self, q: Array) -> Array:
        """Unknowns (n,) from which a search starts."""
        return np.zeros(0)

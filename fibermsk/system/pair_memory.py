"""Memory of the pairs of elements that touch, kept from one evaluation to the next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fibermsk.linalg import Couplings

__all__ = ["PairMemory"]

Array = NDArray[np.float64]
Index = NDArray[np.int64]

_SPARE = 1.5
"""How much more memory is taken than needed, so that it is rarely taken anew."""


class PairMemory:
    """Pairs of elements with their parts of residual and tangent; see `fibermsk.kernels.pairs`.

    The pairs of potentials come first, those of half passes after them.

    Attributes
    ----------
    n, n_mirrored : int
        Number of pairs, and of those of potentials.
    row_element, column_element : (>= n,) int array
        The integrated element and the partner.
    gradient : (>= n, 24) float array
        Share of the residual.
    own, cross, partner : (>= n, 12, 12) float array
        Shares of the tangent; there is room for them only once `make_room_for_blocks` was called.
    """

    def __init__(self) -> None:
        self.n = self.n_mirrored = 0
        self.row_element = self.column_element = np.zeros(0, np.int64)
        self.gradient = np.zeros((0, 24))
        self.own = self.cross = self.partner = np.zeros((0, 12, 12))

    def resize(self, n_mirrored: int, n: int) -> None:
        """Set the numbers of pairs; the contents are lost."""
        self.n, self.n_mirrored = n, n_mirrored
        if n > self.row_element.size:
            room = int(_SPARE * n)
            self.row_element, self.column_element = np.zeros((2, room), np.int64)
            self.gradient = np.empty((room, 24))

    def make_room_for_blocks(self) -> None:
        """Room for the blocks of all pairs."""
        if self.n > self.own.shape[0]:
            room = self.row_element.size
            self.own, self.cross, self.partner = np.empty((3, room, 12, 12))

    def couplings(self, elements: Index, fiber_of_node: Index) -> Couplings:
        """Couplings of the matrix; their blocks are not copied."""
        return Couplings.between(
            elements[self.row_element[: self.n], 0],
            elements[self.column_element[: self.n], 0],
            self.n_mirrored,
            self.cross[: self.n],
            fiber_of_node,
        )

"""Constants of the tissue of all elements: those of equal elements are stored once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array, Short


class LawRows:
    """Rows of constants, of one element each, without equal ones.

    Parameters
    ----------
    n_points, size : int
        Quadrature points of an element, and constants of a point.
    """

    def __init__(self, n_points: int, size: int) -> None:
        self._shape = n_points, size
        self._numbers: dict[bytes, int] = {}
        self._rows: list[NDArray[np.float64]] = []

    def add(self, constants: Array, last: Array | None = None) -> Short:
        """Add elements' constants (n, n_points, at most size); the row of each element (n,).

        last (n, n_points): the last constants, if there is one of that kind.
        """
        whole = np.zeros((len(constants), *self._shape))
        whole[:, :, : constants.shape[2]] = constants
        if last is not None:
            whole[:, :, -1] = last
        found = np.empty(len(whole), np.int32)
        for e, row in enumerate(whole):
            known = self._numbers.setdefault(row.tobytes(), len(self._rows))
            if known == len(self._rows):
                self._rows.append(row.copy())
            found[e] = known
        return found

    @property
    def array(self) -> Array:
        """All rows (n_rows, n_points, size)."""
        return np.array(self._rows).reshape(-1, *self._shape)

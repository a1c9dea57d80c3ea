"""Solution of a linear system."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Solution(NamedTuple):
    """A solution (n,), and its number of iterations: 0 if direct."""

    x: NDArray[np.float64]
    iterations: int


Solver = Callable[[NDArray[np.float64], float], Solution]
"""From right-hand side (n,) and tolerance to a solution; see `fibermsk.solvers.newton.linear`."""

"""Coordinates and their rates at the start; the shapes of fibers are those of moved ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fibermsk._arrays import Array
from fibermsk.solvers.adjoint.linearized import Linearized
from fibermsk.solvers.adjoint.variation import ForcesOnly, Variation
from fibermsk.system import FiberSystem


class Starts(ForcesOnly):
    """Numbers of the start; a `fibermsk.solvers.adjoint.variation.Change`.

    Parameters
    ----------
    system : FiberSystem
        The system.
    varied : sequence of Variation
        Each number.
    """

    def __init__(self, system: FiberSystem, varied: Sequence[Variation]) -> None:
        self._varied, self._first = varied, 6 * system.cables.n_nodes

    def pull_start(self, cotangents: tuple[Array, Array], gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        y, v = cotangents
        y = y.copy()
        y[: self._first] = 0.0
        for one in self._varied:
            one.pull_start((y, v), gradient)

    def push_start(self, direction: Array) -> tuple[Array | float, Array | float]:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        moved = [one.push_start(direction) for one in self._varied]
        dy, dv = (np.asarray(sum(own)) for own in zip(*moved, strict=True))
        if dy.ndim:
            dy[: self._first] = 0.0
        return dy, dv

    def pull_forces(self, at: Linearized, x: Array, gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""

    def push_forces(self, at: Linearized, direction: Array) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        return 0.0

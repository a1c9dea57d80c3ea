"""Least axial force along fibers: where they go slack."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fibermsk.kernels import cable
from fibermsk.system.cables import N_POINTS, Cables

if TYPE_CHECKING:
    from fibermsk.system.system import FiberSystem

__all__ = ["TensionProbe", "describe_slack"]

Array = NDArray[np.float64]

_ROUND_OFF = 1e-9
"""Compression over A0 mu that counts as none: a strain of 3e-10."""


class TensionProbe:
    """Axial force at the Gauss points of all fibers, with what stays the same kept in rows.

    Attributes
    ----------
    stiffness : (n_fibers,) float array
        Largest A0 mu of each fiber [N], to compare forces with.
    """

    def __init__(self, cables: Cables) -> None:
        self._cables = cables
        self._first, self._second = (part.repeat(N_POINTS) for part in cables.elements.T)
        self._h = cables.h.repeat(N_POINTS)
        self._xi = np.tile(cables.xi, cables.h.size)
        self._area, self._G0 = cables.area.ravel(), cables.G0.ravel()
        self._law = cables.law.reshape(-1, cables.law.shape[2])
        self._theta = (cables.theta[cables.elements[:, :1]] + cables.h[:, None] * cables.xi).ravel()
        self._start = N_POINTS * cables.element_start[:-1]
        self._stretch, self._force, self._power = (np.empty(self._xi.size) for _ in range(3))
        self.stiffness = self._reduce(np.maximum, self._area * self._law[:, 0])

    def forces(self, nodes: Array, velocity: Array, activation: Array) -> Array:
        """Axial force at all points (n_elements * 5,) [N]; activation (n_fibers,)."""
        cable.sample_cable(
            nodes, velocity, self._first, self._second, self._h, self._xi, self._area, self._G0,
            self._law, activation[self._cables.fiber].repeat(N_POINTS), self._stretch, self._force,
            self._power,
        )  # fmt: skip
        return self._force.copy()

    def least(self, nodes: Array, velocity: Array, activation: Array) -> tuple[Array, Array]:
        """Least axial force of each fiber (n_fibers,) [N], and the theta where it is."""
        force = self.forces(nodes, velocity, activation)
        least = self._reduce(np.minimum, force)
        if force.size == 0:
            return least, least.copy()
        counts = np.diff(np.r_[self._start, force.size])
        # written so that a NaN counts as the least
        hits = np.flatnonzero(~(force > least.repeat(counts)))
        return least, self._theta[hits[np.searchsorted(hits, self._start)]]

    def _reduce(self, operation: np.ufunc, values: Array) -> Array:
        return operation.reduceat(values, self._start) if values.size else np.zeros(0)


def describe_slack(system: FiberSystem, t: float, y: Array, v: Array) -> str:
    """The fibers under compression, where and how much; empty if there are none.

    Parameters
    ----------
    system : FiberSystem
        Of which the state is.
    t : float
        Time [s].
    y, v : (n,) float array
        Positions and velocities.
    """
    force, theta = system.least_tension(t, y, v)
    slack = np.flatnonzero(force < -_ROUND_OFF * system.tension.stiffness)
    names = system.cables.names
    return ", ".join(f"{names[f]!r} at theta = {theta[f]:.3g}: {force[f]:.3g} N" for f in slack)

"""Stretch and axial force along the fibers: where they go slack, and where they make no sense."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fibermsk.kernels import cable
from fibermsk.system.cables import N_POINTS, Cables

__all__ = ["TensionProbe"]

Array = NDArray[np.float64]

_PARTS = {"passive elastic": 0, "passive viscous": 1, "active": 2, "prestress": 6}
"""Amplitudes of the parts among the constants of the stress law."""

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

    def least(self, nodes: Array, velocity: Array, activation: Array) -> tuple[Array, Array]:
        """Least axial force of each fiber (n_fibers,) [N], and the theta where it is.

        Compression within round-off counts as zero force.
        """
        self._sample(nodes, velocity, activation, self._law)
        force = self._force
        least = self._reduce(np.minimum, force)
        if force.size == 0:
            return least, least.copy()
        counts = np.diff(np.r_[self._start, force.size])
        # written so that a NaN counts as the least
        hits = np.flatnonzero(~(force > least.repeat(counts)))
        theta = self._theta[hits[np.searchsorted(hits, self._start)]]
        return self.rounded(least), theta

    def rounded(self, least: Array) -> Array:
        """Least forces (n_fibers,) [N] with those within round-off set to zero, in place."""
        least[np.abs(least) < _ROUND_OFF * self.stiffness] = 0.0
        return least

    def stretches(self, nodes: Array) -> tuple[Array, Array]:
        """Least and largest stretch of each fiber, two arrays (n_fibers,)."""
        self._sample(nodes, np.zeros_like(nodes), np.zeros(self.stiffness.size), self._law)
        return self._reduce(np.minimum, self._stretch), self._reduce(np.maximum, self._stretch)

    def flaw(self, nodes: Array, velocity: Array, activation: Array) -> str:
        """The part of the stress that is not finite and where, empty if there is none."""
        self._sample(nodes, velocity, activation, self._law)
        bad = np.flatnonzero(~(np.isfinite(self._stretch) & (self._stretch > 0.0)))
        if bad.size:
            return f"the stretch of {self._place(bad[0])}"
        for name, column in _PARTS.items():
            law = self._law.copy()
            law[:, [other for other in _PARTS.values() if other != column]] = 0.0
            self._sample(nodes, velocity, activation, law)
            bad = np.flatnonzero(~np.isfinite(self._force))
            if bad.size:
                return f"the {name} stress of {self._place(bad[0])}"
        return ""

    def _place(self, point: np.int64) -> str:
        fiber = self._cables.names[self._cables.fiber[point // N_POINTS]]
        return f"fiber {fiber!r} at theta = {self._theta[point]:.3g}"

    def _sample(self, nodes: Array, velocity: Array, activation: Array, law: Array) -> None:
        cable.sample_cable(
            nodes, velocity, self._first, self._second, self._h, self._xi, self._area, self._G0,
            law, activation[self._cables.fiber].repeat(N_POINTS), self._stretch, self._force,
            self._power,
        )  # fmt: skip

    def _reduce(self, operation: np.ufunc, values: Array) -> Array:
        return operation.reduceat(values, self._start) if values.size else np.zeros(0)

"""Stretch and axial force along the fibers: where they go slack, and where they make no sense."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fibermsk.kernels import cable
from fibermsk.system.cables import N_POINTS, Cables

__all__ = ["TensionProbe"]

Array = NDArray[np.float64]

_PARTS = {"passive elastic": 0, "passive viscous": 1, "active": 2, "prestress": 6, "stiffening": 7}
"""Amplitudes of the parts among the constants of the stress law."""

_ROUND_OFF = 1e-9
"""Compression over A0 mu that counts as none: a strain of 3e-10."""


class TensionProbe:
    """Axial force and stretch at the Gauss points of all fibers.

    Attributes
    ----------
    stiffness : (n_fibers,) float array
        Largest A0 mu of each fiber [N], to compare forces with.
    round_off : float
        Force that counts as none beside the largest of these [N].
    """

    def __init__(self, cables: Cables) -> None:
        self._cables = cables
        self._start = N_POINTS * cables.element_start[:-1]
        self.stiffness = self._reduce(np.maximum, (cables.area * cables.law[:, :, 0]).ravel())
        self.round_off = _ROUND_OFF * float(self.stiffness.max(initial=0.0))

    def least(self, nodes: Array, velocity: Array, activation: Array) -> tuple[Array, Array]:
        """Least axial force of each fiber (n_fibers,) [N], and the theta where it is.

        Compression within round-off counts as zero force.
        """
        cables = self._cables
        least = np.empty(self.stiffness.size)
        element, point = np.zeros((2, least.size), np.int64)
        cable.least_forces(
            cables.element_start, nodes, velocity, cables.elements, cables.h, cables.xi,
            cables.area, cables.G0, cables.law, activation[cables.fiber], least, element, point,
        )  # fmt: skip
        theta = cables.theta[cables.elements[element, 0]] + cables.h[element] * cables.xi[point]
        return self.rounded(least), theta

    def rounded(self, least: Array) -> Array:
        """Least forces (n_fibers,) [N] with those within round-off set to zero, in place."""
        least[np.abs(least) < _ROUND_OFF * self.stiffness] = 0.0
        return least

    def stretches(self, nodes: Array) -> tuple[Array, Array]:
        """Least and largest stretch of each fiber, two arrays (n_fibers,)."""
        stretch, _ = self._sample(
            nodes, np.zeros_like(nodes), np.zeros(self.stiffness.size), self._cables.law
        )
        return self._reduce(np.minimum, stretch), self._reduce(np.maximum, stretch)

    def flaw(self, nodes: Array, velocity: Array, activation: Array) -> str:
        """The part of the stress that is not finite and where, empty if there is none."""
        stretch, _ = self._sample(nodes, velocity, activation, self._cables.law)
        bad = np.flatnonzero(~(np.isfinite(stretch) & (stretch > 0.0)))
        if bad.size:
            return f"the stretch of {self._place(bad[0])}"
        for name, column in _PARTS.items():
            law = self._cables.law.copy()
            law[:, :, [other for other in _PARTS.values() if other != column]] = 0.0
            _, force = self._sample(nodes, velocity, activation, law)
            bad = np.flatnonzero(~np.isfinite(force))
            if bad.size:
                return f"the {name} stress of {self._place(bad[0])}"
        return ""

    def _place(self, sample: np.int64) -> str:
        cables = self._cables
        e, point = divmod(int(sample), N_POINTS)
        theta = cables.theta[cables.elements[e, 0]] + cables.h[e] * cables.xi[point]
        return f"fiber {cables.names[cables.fiber[e]]!r} at theta = {theta:.3g}"

    def _sample(
        self, nodes: Array, velocity: Array, activation: Array, law: Array
    ) -> tuple[Array, Array]:
        """Stretch and force [N] at all points, element after element."""
        cables = self._cables
        first, second = (part.repeat(N_POINTS) for part in cables.elements.T)
        stretch, force, power = np.empty((3, first.size))
        cable.sample_cable(
            nodes, velocity, first, second, cables.h.repeat(N_POINTS),
            np.tile(cables.xi, cables.h.size), cables.area.ravel(), cables.G0.ravel(),
            law.reshape(-1, law.shape[2]), activation[cables.fiber].repeat(N_POINTS), stretch,
            force, power,
        )  # fmt: skip
        return stretch, force

    def _reduce(self, operation: np.ufunc, values: Array) -> Array:
        return operation.reduceat(values, self._start) if values.size else np.zeros(0)

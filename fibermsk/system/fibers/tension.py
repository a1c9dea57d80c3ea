"""Stretch and axial force along the fibers: detection of slack and of values not finite."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from fibermsk._arrays import Array
from fibermsk.system.fibers.cables import N_POINTS, Cables, per_fiber
from fibermsk.system.fibers.stress_groups import sample, stress_groups

AxialForce = Callable[[Array, Array, Array], Array]
"""Axial force [N] (n_elements, n) of the nodes (n_nodes, 6), states at quadrature points and n
points xi in [0, 1] of all elements."""

_ROUND_OFF = 1e-9
"""Compression over A0 mu that counts as round-off: a strain of 3e-10."""


_NO_POINTS = np.zeros(0)


class TensionProbe:
    """Axial force and stretch at the Gauss points of all fibers.

    Parameters
    ----------
    cables : Cables
        The fibers.
    others : sequence of AxialForce
        Axial forces beside the stress, as of titin.

    Attributes
    ----------
    stiffness : (n_fibers,) float array
        Largest A0 mu of each fiber [N], the scale of its forces.
    round_off : float
        Force that counts as round-off relative to the largest of these [N].
    groups : tuple of StressGroup
        Fibers by the kind of their stress law.
    """

    def __init__(self, cables: Cables, others: Sequence[AxialForce] = ()) -> None:
        self._cables, self.groups, self._others = cables, stress_groups(cables), others
        self._start = N_POINTS * cables.element_start
        self.stiffness = per_fiber(np.maximum, (cables.area * cables.modulus).ravel(), self._start)
        self.round_off = _ROUND_OFF * float(self.stiffness.max(initial=0.0))

    def least(
        self, nodes: Array, velocity: Array, activation: Array, points: Array = _NO_POINTS
    ) -> tuple[Array, Array]:
        """Least axial force of each fiber (n_fibers,) [N], and its theta.

        The force of an element is its mean with the weights 6 xi (1 - xi): single points swing
        where the stretch jumps. Compression within round-off counts as zero force. ``points``
        (n_states,) are states at quadrature points.
        """
        cables = self._cables
        if self._others:
            return self._least_of_all(nodes, velocity, activation, points)
        least = np.empty(self.stiffness.size)
        activation = activation[cables.fiber]
        theta = np.empty(least.size)
        for of in self.groups:
            found = np.empty(of.element_start.size - 1)
            element = np.zeros(found.size, np.int64)
            of.kernels.least_forces(
                of.element_start, nodes, velocity, of.cable, activation[of.inside], found, element
            )
            least[of.fibers] = found
            theta[of.fibers] = cables.theta[of.cable.elements[element]].mean(axis=1)
        return self.rounded(least), theta

    def _least_of_all(
        self, nodes: Array, velocity: Array, activation: Array, points: Array
    ) -> tuple[Array, Array]:
        cables = self._cables
        force = self.forces(nodes, velocity, activation, points)
        share = 6.0 * cables.xi * (1.0 - cables.xi) * cables.weight / cables.h[:, None]
        mean, starts = np.sum(share * force, axis=1), cables.element_start
        at = [a + np.argmin(mean[a:b]) for a, b in zip(starts[:-1], starts[1:], strict=True)]
        return self.rounded(mean[at]), cables.theta[cables.elements[at]].mean(axis=1)

    def forces(
        self, nodes: Array, velocity: Array, activation: Array, points: Array = _NO_POINTS
    ) -> Array:
        """Axial force of the tissue at the Gauss points of all elements, (n_elements, n_points)."""
        cables = self._cables
        _, force = self._sample(nodes, velocity, activation, cables.rows.law)
        force = force.reshape(-1, N_POINTS)
        for one in self._others:
            force += one(nodes, points, cables.xi)
        return force

    def rounded(self, least: Array) -> Array:
        """Least forces (n_fibers,) [N] with those within round-off set to zero, in place."""
        least[np.abs(least) < _ROUND_OFF * self.stiffness] = 0.0
        return least

    def stretches(self, nodes: Array) -> tuple[Array, Array]:
        """Least and largest stretch of each fiber, two arrays (n_fibers,)."""
        stretch = self.stretch(nodes).ravel()
        least, most = (per_fiber(f, stretch, self._start) for f in (np.minimum, np.maximum))
        return least, most

    def stretch(self, nodes: Array) -> Array:
        """Stretch at the Gauss points of all elements, (n_elements, n_points)."""
        still, relaxed = np.zeros_like(nodes), np.zeros(self.stiffness.size)
        stretch, _ = self._sample(nodes, still, relaxed, self._cables.rows.law)
        return stretch.reshape(-1, N_POINTS)

    def flaw(self, nodes: Array, velocity: Array, activation: Array) -> str:
        """Part of the stress that is not finite, and its location; empty if none."""
        stretch, _ = self._sample(nodes, velocity, activation, self._cables.rows.law)
        bad = np.flatnonzero(~(np.isfinite(stretch) & (stretch > 0.0)))
        if bad.size:
            return f"the stretch of {self._place(bad[0])}"
        for of in self.groups:
            for name, column in of.layout.amplitudes.items():
                law = self._cables.rows.law.copy()
                off = [other for other in of.layout.amplitudes.values() if other != column]
                law[:, :, off] = 0.0
                _, force = self._sample(nodes, velocity, activation, law)
                own = np.zeros((self._cables.h.size, N_POINTS), bool)
                own[of.inside] = True
                bad = np.flatnonzero(own.ravel() & ~np.isfinite(force))
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
        """Stretch and force [N] at all points, sorted by element."""
        cables, rows = self._cables, self._cables.rows
        stretch, force = sample(
            self.groups, cables.xi, rows.area, rows.G0, law, cables.row_of, nodes, velocity,
            activation[cables.fiber],
        )  # fmt: skip
        return stretch.ravel(), force.ravel()

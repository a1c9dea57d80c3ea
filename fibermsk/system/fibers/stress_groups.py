"""Elements grouped by the kind of their stress law; each group has its own kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk.kernels.fibers.own_stress import StressKernels, stress_kernels
from fibermsk.laws.layout import StressLayout
from fibermsk.system.fibers.cables import Cables

__all__ = ["StressGroup", "sample", "stress_groups"]

Array = NDArray[np.float64]
Index = NDArray[np.int64]


@dataclass(frozen=True)
class StressGroup:
    """Fibers of one kind of stress law.

    Attributes
    ----------
    layout : StressLayout
        Columns of the law's constants.
    kernels : StressKernels
        Compiled for the law.
    fibers, inside, ends : int array or slice
        Indices of its fibers, elements and attached ends; a slice if it has all.
    element_start, elements, h, weight, area, G0, law, mass, end_element, end_side
        Arrays of `Cables` for its elements, with the same node numbers.
    """

    layout: StressLayout
    kernels: StressKernels
    fibers: Index | slice
    inside: Index | slice
    ends: Index | slice
    element_start: Index
    elements: Index
    h: Array
    weight: Array
    area: Array
    G0: Array
    law: Array
    mass: Array
    end_element: Index
    end_side: Index

    def points(self, n: int) -> Index | slice:
        """Indices of its sample points, with `n` for each element."""
        if isinstance(self.inside, slice):
            return self.inside
        return (n * self.inside[:, None] + np.arange(n)).ravel()


def stress_groups(cables: Cables) -> tuple[StressGroup, ...]:
    """Group all fibers; a single group shares the arrays of `cables`.

    Raises
    ------
    ModelError
        If a law cannot be compiled.
    """
    return tuple(_group(cables, k) for k in range(len(cables.layouts)))


def _group(cables: Cables, k: int) -> StressGroup:
    layout = cables.layouts[k]
    kernels = stress_kernels(layout)
    if len(cables.layouts) == 1:
        every = slice(None)
        return StressGroup(
            layout, kernels, every, every, every, cables.element_start, cables.elements, cables.h,
            cables.weight, cables.area, cables.G0, cables.law, cables.mass, cables.end_element,
            cables.end_side,
        )  # fmt: skip
    fibers = np.flatnonzero(cables.layout == k)
    inside = np.flatnonzero(cables.layout[cables.fiber] == k)
    ends = np.flatnonzero(cables.layout[cables.point_fiber] == k)
    counts = np.diff(cables.element_start)[fibers]
    return StressGroup(
        layout, kernels, fibers, inside, ends, np.r_[0, np.cumsum(counts)],
        cables.elements[inside], cables.h[inside], cables.weight[inside], cables.area[inside],
        cables.G0[inside], np.ascontiguousarray(cables.law[inside][..., : layout.size]),
        cables.mass[inside], np.searchsorted(inside, cables.end_element[ends]),
        cables.end_side[ends],
    )  # fmt: skip


def sample(
    groups: tuple[StressGroup, ...],
    xi: Array,
    area: Array,
    G0: Array,
    law: Array,
    nodes: Array,
    velocity: Array,
    activation: Array,
) -> tuple[Array, Array]:
    """Sample stretch [-] and axial force [N] at the same points of all elements, (n_elements, n).

    Parameters
    ----------
    groups : tuple of StressGroup
        Of all fibers.
    xi : (n,) float array
        On [0, 1].
    area, G0 : (n_elements, n) float array
        As in `Cables`, at these points.
    law : (n_elements, n, n_constants) float array
        Constants of the stress laws at these points.
    nodes, velocity : (n_nodes, 6) float array
        Configuration and its rate.
    activation : (n_elements,) float array
        In [0, 1].
    """
    n = xi.size
    stretch, force = np.empty((2, area.size))
    for group in groups:
        inside, own = group.inside, group.points(n)
        m = group.h.size
        found: Any = np.empty((3, n * m))
        first, second = (part.repeat(n) for part in group.elements.T)
        rows = np.ascontiguousarray(law[inside][..., : group.layout.size])
        group.kernels.sample_cable(
            nodes, velocity, first, second, group.h.repeat(n), np.tile(xi, m),
            area[inside].ravel(), G0[inside].ravel(), rows.reshape(n * m, 1, group.layout.size),
            activation[inside].repeat(n), *found,
        )  # fmt: skip
        stretch[own], force[own] = found[0], found[1]
    return stretch.reshape(-1, n), force.reshape(-1, n)

"""Elements grouped by the kind of their stress law; each group has its own kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fibermsk._arrays import Array, Index, Short
from fibermsk._ranges import sizes, starts
from fibermsk.kernels.fibers.cable import CableArrays
from fibermsk.kernels.fibers.own_stress import StressKernels, stress_kernels
from fibermsk.laws.layout import StressLayout
from fibermsk.system.fibers.cables import Cables

_OF_ELEMENTS = "elements", "h", "row_of"
"""Arrays with one entry for each element."""

_ROWS = "weight", "area", "G0", "law", "mass"
"""Arrays whose rows equal elements share."""


@dataclass(frozen=True)
class StressGroup:
    """Fibers of one kind of stress law."""

    layout: StressLayout  # columns of the law's constants
    kernels: StressKernels  # compiled for the law
    # indices of its fibers, elements and attached ends; a slice if it has all
    fibers: Index | slice
    inside: Index | slice
    ends: Index | slice
    # as in `Cables`, for its fibers and ends
    element_start: Index
    end_element: Index
    end_side: Index
    cable: CableArrays  # its elements, with the same node numbers


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
    fibers = inside = ends = slice(None)
    if len(cables.layouts) > 1:
        fibers = np.flatnonzero(cables.layout == k)
        inside = np.flatnonzero(cables.layout[cables.fiber] == k)
        ends = np.flatnonzero(cables.layout[cables.point_fiber] == k)
    whole, counts = CableArrays.of(cables), sizes(cables.element_start)[fibers]
    own = {name: getattr(whole, name)[inside] for name in _OF_ELEMENTS}
    own["law"] = np.ascontiguousarray(whole.law[..., : layout.size])
    numbers = np.arange(cables.h.size)[inside]
    return StressGroup(
        layout, stress_kernels(layout), fibers, inside, ends, starts(counts),
        np.searchsorted(numbers, cables.end_element[ends]), cables.end_side[ends],
        whole._replace(**own),
    )  # fmt: skip


def side_by_side(groups: Sequence[StressGroup], n_nodes: int) -> StressGroup:
    """One group of systems with the same nodes, whose nodes and elements are in a row.

    Indices in all fibers, elements and ends, and attached ends, are those of the first.
    """
    cables = [one.cable for one in groups]
    own = {
        name: np.concatenate([getattr(one, name) for one in cables])
        for name in (*_OF_ELEMENTS, *_ROWS)
    }
    first = n_nodes * np.arange(len(cables))
    own["elements"] = np.concatenate(
        [one.elements + k for one, k in zip(cables, first, strict=True)]
    )
    rows = starts([len(one.law) for one in cables])[:-1].astype(np.int32)
    own["row_of"] = np.concatenate([one.row_of + k for one, k in zip(cables, rows, strict=True)])
    counts = np.concatenate([sizes(one.element_start) for one in groups])
    return replace(groups[0], element_start=starts(counts), cable=cables[0]._replace(**own))


def sample(
    groups: tuple[StressGroup, ...],
    xi: Array,
    area: Array,
    G0: Array,
    law: Array,
    row_of: Short,
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
    area, G0, law : (n_rows, n) and (n_rows, n, n_constants) float array
        As in `ElementRows`, at these points.
    row_of : (n_elements,) int array
        Row of each element.
    nodes, velocity : (n_nodes, 6) float array
        Configuration and its rate.
    activation : (n_elements,) float array
        In [0, 1].
    """
    stretch, force = np.empty((2, row_of.size, xi.size))
    for group in groups:
        inside = group.inside
        cable = group.cable._replace(
            xi=xi, row_of=row_of[inside], area=area, G0=G0,
            law=np.ascontiguousarray(law[..., : group.layout.size]),
        )  # fmt: skip
        found: Any = np.empty((3, group.cable.h.size, xi.size))
        group.kernels.sample_cable(nodes, velocity, cable, activation[inside], *found)
        stretch[inside], force[inside] = found[0], found[1]
    return stretch, force

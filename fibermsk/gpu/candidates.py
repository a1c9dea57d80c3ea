"""Runs on a device: found on the host once in a while, with the memory that their points need."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk.gpu.device import Device
from fibermsk.kernels.rows import N_COLUMNS
from fibermsk.kernels.shape import bezier_hull
from fibermsk.linalg.coloring import color_lines
from fibermsk.system.broad_phase import BoneRuns, find_bone_runs, find_fiber_runs
from fibermsk.system.cables import Cables
from fibermsk.system.partners import Partners
from fibermsk.system.tree import TreeState

__all__ = ["Place", "Runs", "color_fibers", "find_bones", "find_runs"]

Array = NDArray[np.float64]


class Runs(NamedTuple):
    """Runs as in `fibermsk.system.broad_phase.FiberRuns`, and what is found for them.

    Attributes
    ----------
    element, law, start, candidates, slot_start
        The runs.
    section_element, section_law, of_section
        The quadrature points that runs share, and which of them are a run's.
    rows, sections, found
        Room for `fibermsk.kernels.rows`, and (n_runs, 2) for what bodies find for each run.
    slot_element, slot_xi, slot_held, state, force
        Contact points, see `fibermsk.kernels.gaps`.
    counts : (n_runs,) int array
        Pairs of each run.
    """

    element: Any
    law: Any
    start: Any
    candidates: Any
    slot_start: Any
    section_element: Any
    section_law: Any
    of_section: Any
    rows: Any
    sections: Any
    found: Any
    slot_element: Any
    slot_xi: Any
    slot_held: Any
    state: Any
    force: Any
    counts: Any

    @property
    def n(self) -> int:
        """Number of runs."""
        return int(self.element.size)


class Place(NamedTuple):
    """Where candidates are looked for, on the host.

    Attributes
    ----------
    hull : (n_elements, 4, 3) float array
        Bezier control points [m].
    radii : (n_fibers,) float array
        Largest current radius of each fiber [m].
    reach : float
        Relative displacement that the candidates stay valid for [m].
    """

    hull: Array
    radii: Array
    reach: float

    @classmethod
    def of(cls, cables: Cables, nodes: Array, radii: Array, reach: float) -> Place:
        """From nodes (n_nodes, 6)."""
        hull = np.empty((cables.h.size, 4, 3))
        bezier_hull(nodes, cables.elements, cables.h, hull)
        return cls(hull, radii, reach)


def find_bones(cables: Cables, partners: Partners, place: Place, state: TreeState) -> BoneRuns:
    """Runs of all elements that could touch a bone, on the host."""
    reach = np.full((partners.shape_radius.size, cables.h.size), place.reach)
    shapes = partners.place_shapes(state)
    return find_bone_runs(partners, cables.fiber, place.hull, place.radii, *shapes, reach)


def find_runs(
    device: Device, cables: Cables, partners: Partners, place: Place
) -> tuple[Runs, NDArray[np.int64]]:
    """Runs of all elements that could touch other fibers, and colors of the fibers.

    Parameters
    ----------
    device : Device
        Where the runs shall lie.
    cables, partners
        Of the host.
    place : Place
        Where they are looked for.

    Returns
    -------
    runs : Runs
        Arrays of the device.
    color : (n_fibers,) int array
        Of the host; fibers that share a run differ.
    """
    still, (hull, radii, reach) = np.zeros(cables.h.size), place
    runs = find_fiber_runs(partners, cables.fiber, hull, hull, still, radii, reach)
    n_laws = max(partners.points.size, 1)
    sections, of_section = np.unique(runs.element * n_laws + runs.law, return_inverse=True)
    xp, copy = device.xp, device.to_device
    n_runs, n_slots = runs.element.size, int(runs.slot_start[-1])
    found = Runs(
        *map(copy, (runs.element, runs.law, runs.start, runs.candidates, runs.slot_start)),
        *map(copy, (sections // n_laws, sections % n_laws, of_section.astype(np.int64))),
        rows=xp.zeros((cables.h.size, N_COLUMNS)),
        sections=xp.zeros((sections.size, partners.xi.shape[1], 8)),
        found=xp.zeros((n_runs, 2)),
        slot_element=xp.zeros(n_slots, int),
        slot_xi=xp.zeros(n_slots),
        slot_held=xp.zeros(n_slots, bool),
        state=xp.zeros((n_slots, 6)),
        force=xp.zeros((n_slots, 3)),
        counts=xp.zeros(n_runs, int),
    )
    first, second = cables.fiber[runs.element], cables.fiber[runs.candidates[runs.start[:-1]]]
    return found, color_lines(len(cables.names), first, second)


def color_fibers(device: Device, color: NDArray[np.int64]) -> tuple[Any, list[Any]]:
    """Colors (n_fibers,) on a device, and the fibers of each color."""
    groups = [np.flatnonzero(color == own) for own in range(color.max(initial=-1) + 1)]
    return device.to_device(color), [device.to_device(group) for group in groups]

"""Contact of fibers with each other and with bones on a device: candidates, forces, safeguard.

As `fibermsk.system.contact`, among fibers for pair potentials alone. Candidates are found on the
host, which is rare; all else that a Newton iteration needs stays on the device but for a few
numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk.gpu.arrays import DeviceCables
from fibermsk.gpu.bones import Bones
from fibermsk.gpu.border import Border
from fibermsk.gpu.candidates import Place, color_fibers, find_bones, find_runs
from fibermsk.gpu.device import Device
from fibermsk.gpu.ends import Ends, Links
from fibermsk.gpu.pairs import DeviceCouplings, PairMemory, list_couplings
from fibermsk.kernels.gaps import fiber_gap
from fibermsk.kernels.motion import fill_growth, fill_least_tangent, fill_radii
from fibermsk.kernels.pair_potential import run_gradients, run_tangents
from fibermsk.kernels.pairs import count_run, gather_gradient, gather_tangent, list_run
from fibermsk.kernels.rows import fill_row, fill_section
from fibermsk.kernels.safeguard import N_WAYS, fill_way, run_fraction
from fibermsk.kernels.shape import fill_hull, fill_power
from fibermsk.system.cables import Cables
from fibermsk.system.partners import Partners
from fibermsk.system.tree import TreeState

__all__ = ["DeviceContact"]

Array = NDArray[np.float64]

# Candidates are searched within this part of the largest fiber radius beyond contact.
_SKIN = 0.5


class DeviceContact:
    """Candidate pairs and contact state for one configuration after the other.

    Parameters
    ----------
    device : Device
        Where the arrays lie.
    arrays : DeviceCables
        Fibers there.
    cables, partners
        Of the host.
    ends : Ends
        Attached ends, and the links that carry bones.

    Attributes
    ----------
    groups : list of (n,) int array
        Fibers by color: those of one color are no candidates for each other.
    """

    groups: list[Any]

    def __init__(
        self, device: Device, arrays: DeviceCables, cables: Cables, partners: Partners, ends: Ends
    ) -> None:
        self._device, self._arrays, self._cables = device, arrays, cables
        self._partners = partners
        self._bones = Bones(device, arrays, cables, partners, ends.tree, ends.moves)
        xp, n, n_fibers = device.xp, cables.h.size, len(cables.names)
        self._law = tuple(map(device.to_device, (partners.constants, partners.points, partners.xi)))
        self._law_weight = device.to_device(partners.weight)
        self._power, self._hull, self._built_hull, self._hull_update = (
            xp.zeros((n, 4, 3)) for _ in range(4)
        )
        self._ways = xp.zeros((n, N_WAYS))
        self._least, self._sections, self._growth = (xp.zeros(n) for _ in range(3))
        self._radii = xp.zeros(n_fibers)
        self._skin = _SKIN * float(arrays.thickest.max())
        self._reach = -1.0
        self._memory = PairMemory(device)
        self._fibers_touch = bool((partners.fiber_law >= 0).any())
        self._touches = self._fibers_touch or self._bones.touch
        self._color, self.groups = color_fibers(device, np.zeros(n_fibers, np.int64))

    def evaluate(self, nodes: Any, links: Links) -> float:
        """Find closest points and forces; returns the least 1 + gamma g, at most 1."""
        self._nodes, self._links = nodes, links
        if not self._touches:
            return 1.0
        self._bound()
        if not self._covered(0.0, 0.0):
            self._search(0.0)
        return self._points()

    def _bound(self) -> None:
        """Centerlines, control points, and bounds of tangents and radii."""
        at, nodes, launch = self._arrays, self._nodes, self._device.launch
        n = int(at.h.size)
        launch(fill_power, n, (nodes, at.elements, at.h, self._power))
        launch(fill_hull, n, (nodes, at.elements, at.h, self._hull))
        launch(
            fill_least_tangent, n, (nodes, at.elements, at.h, at.xi, self._hull, self._least)
        )  # fmt: skip
        launch(
            fill_radii, self._radii.size,
            (
                at.element_start, at.elements, nodes, at.reference, at.thickest, at.widest,
                self._least, self._radii, self._sections,
            ),
        )  # fmt: skip

    def _points(self) -> float:
        """State of every contact point; returns the least 1 + gamma g, at most 1."""
        at, runs, launch = self._arrays, self._runs, self._device.launch
        least = self._bones.evaluate(self._power, self._links)
        if runs.n == 0:
            return least
        constants, points, xi = self._law
        reference = (self._power, at.reference_power, at.radius_poly, at.h)
        launch(fill_row, int(at.h.size), (*reference, runs.rows))
        launch(
            fill_section, runs.section_element.size,
            (*reference, runs.section_element, runs.section_law, points, xi, runs.sections),
        )  # fmt: skip
        launch(
            fiber_gap, runs.n,
            (
                self._power, runs.rows, runs.sections, self._sections, at.radius_poly, at.h,
                at.end_flag, runs.element, runs.start, runs.candidates, runs.law, runs.of_section,
                constants, points, xi, self._law_weight, runs.slot_start, runs.slot_element,
                runs.slot_xi, runs.slot_held, runs.state, runs.force, runs.found,
            ),
        )  # fmt: skip
        return min(least, float(runs.found[:, 0].min()))

    def scatter(
        self, residual: Any, residual_q: Array, lines: Any, border: Border | None
    ) -> DeviceCouplings:
        """Add the forces found last, and with a border their tangent.

        Parameters
        ----------
        residual, residual_q : (n_nodes, 6) and (n_q,) array
            The latter of the host.
        lines : (n_nodes, 3, 6, 6) array
            Of the matrix.
        border : Border or None
            Of the matrix.

        Returns
        -------
        couplings : DeviceCouplings
            Their blocks are valid until the next call, and undefined without a border.
        """
        if self._touches:
            self._bones.scatter(self._links, residual, residual_q, lines, border)
        return self._scatter_fibers(residual, lines if border is not None else None)

    def _scatter_fibers(self, residual: Any, lines: Any) -> DeviceCouplings:
        device, at = self._device, self._arrays
        xp, launch = device.xp, device.launch
        row = column = xp.zeros(0, int)
        touching, begin = row, row
        if self._touches and self._runs.n:
            runs = self._runs
            slots = (runs.slot_start, runs.slot_element, runs.state)
            launch(count_run, runs.n, (*slots, runs.counts))
            begin = xp.zeros(runs.n + 1, int)
            begin[1:] = xp.cumsum(runs.counts)
            touching, n = xp.flatnonzero(runs.counts), int(begin[-1])
            row, column = xp.zeros(n, int), xp.zeros(n, int)
            launch(list_run, touching, (runs.element, *slots, begin, row, column))
        n = int(row.size)
        gradient = self._memory.gradient(n)
        own, cross, partner = self._memory.blocks(n if lines is not None else 0)
        if n:
            self._fill(touching, begin, column, gradient, (own, cross, partner), lines is not None)
        couplings = list_couplings(
            device, at.elements[row, 0], at.elements[column, 0], cross, at.fiber_of_node,
            self._color,
        )  # fmt: skip
        if n:
            entries = (
                couplings.entry_start, couplings.entries, n, couplings.row, couplings.column
            )  # fmt: skip
            n_fibers = int(self._radii.size)
            launch(gather_gradient, n_fibers, (*entries, gradient, residual))
            if lines is not None:
                launch(gather_tangent, n_fibers, (*entries, own, partner, lines))
        return couplings

    def _fill(
        self, touching: Any, begin: Any, column: Any, gradient: Any, blocks: Any, tangent: bool
    ) -> None:
        """Fill the shares of all pairs; begin (n_runs + 1,): where each run's pairs begin."""
        at, runs, launch = self._arrays, self._runs, self._device.launch
        search = (
            self._power, at.reference_power, at.radius_poly, at.h, runs.element, runs.law,
            *self._law, self._law_weight, runs.slot_start, runs.slot_element, runs.slot_xi,
        )  # fmt: skip
        if tangent:
            launch(
                run_tangents, touching,
                (*search, runs.slot_held, runs.state, begin, column, gradient, *blocks),
            )  # fmt: skip
        else:
            launch(run_gradients, touching, (*search, runs.state, begin, column, gradient))

    def step_fraction(
        self, update: Any, update_q: Any, remainder: Any, fraction: float, keep: float
    ) -> float:
        """Part of an update that keeps every admissibility above `keep` times its present value.

        Parameters
        ----------
        update : (n_nodes, 6) array
            Update of the nodes, to first order in the coordinates at attached nodes.
        update_q : (n_q,) array
            Update of the coordinates.
        remainder : (n_elements,) array
            How far an element's control points may stray from the linear update [m].
        fraction : float
            Part of the update to start from.
        keep : float
            Between 0 and 1.
        """
        if not self._touches:
            return fraction
        at, launch, bones, links = self._arrays, self._device.launch, self._bones, self._links
        n = int(at.h.size)
        launch(fill_hull, n, (update, at.elements, at.h, self._hull_update))
        launch(
            fill_growth, n,
            (at.h, at.widest, self._least, self._hull_update, remainder, fraction, self._growth),
        )  # fmt: skip
        way = fraction * _longest(self._hull_update) + float(remainder.max())
        grown = 2.0 * float(self._growth.max())
        beside = bones.approach(
            self._hull, self._hull_update, remainder, links, update_q, fraction
        )  # fmt: skip
        if not self._covered(2.0 * way, beside, grown):
            apart = 2.0 * way if self._fibers_touch else 0.0
            self._search(max(apart, float(beside.max(initial=0.0))) + grown)
            self._points()
        fraction = bones.fraction(update, remainder, links, update_q, fraction, keep)
        runs = self._runs
        if runs.n == 0:
            return fraction
        launch(fill_way, n, (at.h, self._hull_update, remainder, self._ways))
        constants, points, xi = self._law
        launch(
            run_fraction, runs.n,
            (
                at.elements, at.h, update, self._hull_update, remainder, self._ways,
                runs.element, runs.start, runs.candidates, runs.law, constants, points, xi,
                runs.slot_start, runs.state, fraction, keep, runs.found,
            ),
        )  # fmt: skip
        return float(runs.found[:, 0].min())

    def memory(self) -> dict[str, Array]:
        """Where and how far around the candidates were last found, from which all follows."""
        if not self._touches:
            return {}
        nodes, state, reach = self._built
        rotation, position = state.rotation, state.position
        return {
            "nodes": nodes, "rotation": rotation, "position": position, "reach": np.array(reach),
        }  # fmt: skip

    def restore(self, memory: dict[str, Array], links: Links) -> None:
        """Find the candidates again that a `memory` tells of, in the same order.

        links: anything; those of the memory take their place.
        """
        if self._touches:
            rest = np.zeros((memory["position"].shape[0], 6))
            state = TreeState(memory["rotation"], memory["position"], rest, rest, rest)
            self._nodes = self._device.to_device(memory["nodes"])
            self._links = links._replace(state=state)
            self._bound()
            self._search(float(memory["reach"]))

    def _covered(self, apart: float, beside: Array | float, grown: float = 0.0) -> bool:
        """Whether the candidates hold for the present configuration and beyond.

        apart, beside: how far any two fibers, and any fiber and the bones of each link, may
        approach each other from here [m]; grown: by how much the radii of any two may grow [m].
        """
        if self._reach < 0.0:
            return False
        if self._fibers_touch:
            apart += 2.0 * _longest(self._hull - self._built_hull)
        else:
            apart = 0.0
        beside = beside + self._bones.motion(
            self._built_hull, self._hull, self._built_poses, self._bones.poses(self._links.state)
        )
        grown += 2.0 * max(0.0, float((self._radii - self._built_radii).max()))
        return max(apart, float(beside.max(initial=0.0))) + grown <= self._reach

    def _search(self, reach: float) -> None:
        """Find candidates around the present configuration and make room for their points."""
        device, state = self._device, self._links.state
        nodes, radii = device.to_host(self._nodes), device.to_host(self._radii)
        self._built = (nodes, state, reach)
        self._reach = 1.25 * reach + self._skin
        self._built_hull[...] = self._hull
        self._built_radii = self._radii.copy()
        self._built_poses = self._bones.poses(state)
        # the memory of the runs before is given back first
        self._runs: Any = None
        place = Place.of(self._cables, nodes, radii, self._reach)
        self._runs, color = find_runs(device, self._cables, self._partners, place)
        self._color, self.groups = color_fibers(device, color)
        self._bones.allocate(find_bones(self._cables, self._partners, place, state))


def _longest(vectors: Any) -> float:
    """Length of the longest of vectors (n_elements, 4, 3)."""
    return float((vectors**2).sum(axis=2).max()) ** 0.5

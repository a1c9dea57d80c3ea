"""Contact of fibers with each other on a device: candidates, forces, safeguard.

As `fibermsk.system.contact`, for pair potentials alone. Candidates are found on the host, which is
rare; all else that a Newton iteration needs stays on the device but for a few numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk.gpu.arrays import DeviceCables
from fibermsk.gpu.candidates import color_fibers, find_runs
from fibermsk.gpu.device import Device
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

    Attributes
    ----------
    groups : list of (n,) int array
        Fibers by color: those of one color are no candidates for each other.
    """

    groups: list[Any]

    def __init__(
        self, device: Device, arrays: DeviceCables, cables: Cables, partners: Partners
    ) -> None:
        self._device, self._arrays, self._cables = device, arrays, cables
        self._partners = partners
        xp, n, n_fibers = device.xp, cables.h.size, len(cables.names)
        self._law = tuple(map(device.to_device, (partners.constants, partners.points, partners.xi)))
        self._law_weight = device.to_device(partners.weight)
        self._power, self._hull, self._built_hull, self._hull_update = (
            xp.zeros((n, 4, 3)) for _ in range(4)
        )
        self._ways, self._remainder = xp.zeros((n, N_WAYS)), xp.zeros(n)
        self._least, self._sections, self._growth = (xp.zeros(n) for _ in range(3))
        self._radii = xp.zeros(n_fibers)
        self._skin = _SKIN * float(arrays.thickest.max())
        self._reach = -1.0
        self._memory = PairMemory(device)
        self._touches = bool((partners.fiber_law >= 0).any())
        self._color, self.groups = color_fibers(device, np.zeros(n_fibers, np.int64))

    def evaluate(self, nodes: Any) -> float:
        """Find closest points and forces; returns the least 1 + gamma g, at most 1."""
        if not self._touches:
            return 1.0
        self._nodes = nodes
        self._bound()
        if not self._covered(0.0):
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
        """State of every contact point."""
        at, runs, launch = self._arrays, self._runs, self._device.launch
        if runs.n == 0:
            return 1.0
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
        return min(1.0, float(runs.found[:, 0].min()))

    def scatter(self, residual: Any, lines: Any) -> DeviceCouplings:
        """Add the forces found last to the residual (n_nodes, 6), and their tangent to the lines.

        Lines may be None. Returns the couplings, whose blocks are valid until the next call, and
        undefined without lines.
        """
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

    def step_fraction(self, update: Any, fraction: float, keep: float) -> float:
        """Part of an update that keeps every admissibility above `keep` times its present value.

        Parameters
        ----------
        update : (n_nodes, 6) float array
            Update of the nodes.
        fraction : float
            Part of the update to start from.
        keep : float
            Between 0 and 1.
        """
        if not self._touches:
            return fraction
        at, launch = self._arrays, self._device.launch
        n = int(at.h.size)
        launch(fill_hull, n, (update, at.elements, at.h, self._hull_update))
        launch(
            fill_growth, n,
            (at.h, at.widest, self._least, self._hull_update, fraction, self._growth),
        )  # fmt: skip
        way = _longest(self._hull_update)
        reach = 2.0 * way * fraction + 2.0 * float(self._growth.max())
        if not self._covered(reach):
            self._search(reach)
            self._points()
        runs = self._runs
        if runs.n == 0:
            return fraction
        launch(fill_way, n, (at.h, self._hull_update, self._remainder, self._ways))
        constants, points, xi = self._law
        launch(
            run_fraction, runs.n,
            (
                at.elements, at.h, update, self._hull_update, self._remainder, self._ways,
                runs.element, runs.start, runs.candidates, runs.law, constants, points, xi,
                runs.slot_start, runs.state, fraction, keep, runs.found,
            ),
        )  # fmt: skip
        return float(runs.found[:, 0].min())

    def memory(self) -> dict[str, Array]:
        """Where and how far around the candidates were last found, from which all follows."""
        if not self._touches:
            return {}
        nodes, reach = self._built
        return {"nodes": nodes, "reach": np.array(reach)}

    def restore(self, memory: dict[str, Array]) -> None:
        """Find the candidates again that a `memory` tells of, in the same order."""
        if self._touches:
            self._nodes = self._device.to_device(memory["nodes"])
            self._bound()
            self._search(float(memory["reach"]))

    def _covered(self, reach: float) -> bool:
        """Whether the candidates hold for the present configuration and `reach` beyond it."""
        if self._reach < 0.0:
            return False
        moved = 2.0 * _longest(self._hull - self._built_hull)
        grown = 2.0 * max(0.0, float((self._radii - self._built_radii).max()))
        return moved + grown + reach <= self._reach

    def _search(self, reach: float) -> None:
        """Find candidates around the present configuration and make room for their points."""
        device = self._device
        nodes, radii = device.to_host(self._nodes), device.to_host(self._radii)
        self._built = (nodes, reach)
        self._reach = 1.25 * reach + self._skin
        self._built_hull[...] = self._hull
        self._built_radii = self._radii.copy()
        # the memory of the runs before is given back first
        self._runs: Any = None
        self._runs, color = find_runs(
            device, self._cables, self._partners, nodes, radii, self._reach
        )
        self._color, self.groups = color_fibers(device, color)


def _longest(vectors: Any) -> float:
    """Length of the longest of vectors (n_elements, 4, 3)."""
    return float((vectors**2).sum(axis=2).max()) ** 0.5

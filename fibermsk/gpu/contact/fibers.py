"""Contact of fibers with each other on a device: forces, tangent, safeguard.

As `fibermsk.system.contact.sets`, with a task for every run, or for every pair of fibers,
color by color.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fibermsk.gpu.arrays import DeviceCables
from fibermsk.gpu.device import Device
from fibermsk.gpu.pairs import DeviceCouplings, DevicePairs
from fibermsk.kernels.closest.gaps import fiber_gap
from fibermsk.kernels.closest.rows import N_COLUMNS, fill_row, fill_section
from fibermsk.kernels.contact.contact import fiber_run, fiber_run_slopes
from fibermsk.kernels.contact.pair_potential import pair_gradients, pair_tangents
from fibermsk.kernels.contact.pairs import mark_pair, mirror_block
from fibermsk.kernels.contact.scatter import pair_half_passes
from fibermsk.kernels.contact.shares import N_SHARE, share_gradient, share_tangent
from fibermsk.kernels.search.safeguard import run_fraction
from fibermsk.system.contact.broad_phase import FiberRuns
from fibermsk.system.contact.fiber_pairs import BlockMemory, FiberPairs, RunsOfPairs
from fibermsk.system.contact.partners import Partners
from fibermsk.system.fibers.cables import Cables

__all__ = ["Fibers"]


class _Runs(NamedTuple):
    """Runs of one formulation on a device, with their contact points and results of tasks.

    Attributes
    ----------
    potential : bool
        True for potentials, False for half passes.
    element, law, start, candidates, slot_start
        See `fibermsk.system.contact.broad_phase.FiberRuns`.
    pair_start, of_pairs
        See `fibermsk.system.contact.fiber_pairs.RunsOfPairs`.
    of_section, section_element, section_law, section_start
        Section of each run; element and law of each section (shared quadrature points); first
        section of each fiber.
    sections : (n_sections, n_points, 8) float array
        See `fibermsk.kernels.closest.rows`.
    shares : (n_sections, n_points, N_SHARE) float array
        See `fibermsk.kernels.contact.shares`; half passes have none.
    slot_element, slot_xi, held, state, force, jacobian
        Contact points, see `fibermsk.kernels.closest.gaps` and `fibermsk.kernels.contact.contact`;
        potentials have no jacobian.
    found : (n_runs, 2) float array
        Results for each run.
    """

    potential: bool
    element: Any
    law: Any
    start: Any
    candidates: Any
    slot_start: Any
    pair_start: Any
    of_pairs: Any
    of_section: Any
    section_element: Any
    section_law: Any
    section_start: Any
    sections: Any
    shares: Any
    slot_element: Any
    slot_xi: Any
    held: Any
    state: Any
    force: Any
    jacobian: Any
    found: Any

    @property
    def n(self) -> int:
        """Number of runs."""
        return int(self.element.size)


class Fibers:
    """Contact points between fibers in successive configurations.

    Parameters
    ----------
    device : Device
        Device of the arrays.
    arrays : DeviceCables
        Fibers on the device.
    cables, partners
        Of the host.
    """

    def __init__(
        self, device: Device, arrays: DeviceCables, cables: Cables, partners: Partners
    ) -> None:
        self._device, self._arrays, self._cables = device, arrays, cables
        self._partners = partners
        laws = (partners.constants, partners.points, partners.xi, partners.weight)
        self._constants, self._points, self._xi, self._weight = map(device.to_device, laws)
        self._rows = device.xp.zeros((cables.h.size, N_COLUMNS))
        self._memory = BlockMemory(device.xp)
        none = np.zeros(0, np.int64)
        self.allocate(FiberRuns(none, none, np.zeros(1, np.int64), none, np.zeros(1, np.int64)))

    @property
    def touch(self) -> bool:
        """Whether any fiber may touch another one."""
        return bool((self._partners.fiber_law >= 0).any())

    @property
    def groups(self) -> list[Any]:
        """Fibers by color: fibers of one color have no common candidate pairs."""
        return self._pairs.fibers

    def allocate(self, runs: FiberRuns) -> None:
        """Copy new runs from the host and allocate their contact points."""
        partners = self._partners
        # release the memory of the old runs first
        self._sets: list[_Runs] = []
        pairs = FiberPairs.of(runs, self._cables)
        self._pairs = DevicePairs.of(self._device, pairs)
        # the order in which they are scattered: blocks of potentials are mirrored
        for potential in (True, False):
            own = (partners.variational == potential)[runs.law]
            if own.any():
                chosen = runs.select(own, partners.points)
                self._sets.append(self._copied(chosen, pairs.sort(own), potential))

    def _copied(self, runs: FiberRuns, of_pairs: RunsOfPairs, potential: bool) -> _Runs:
        xp, copy, cables = self._device.xp, self._device.to_device, self._cables
        n_laws, n_points = self._partners.xi.shape
        keys, of_section = np.unique(runs.element * n_laws + runs.law, return_inverse=True)
        element, law = keys // n_laws, keys % n_laws
        n_slots = int(runs.slot_start[-1])
        index = (
            runs.element, runs.law, runs.start, runs.candidates, runs.slot_start, *of_pairs,
            of_section.astype(np.int64), element, law,
            np.searchsorted(element, cables.element_start),
        )  # fmt: skip
        return _Runs(
            potential,
            *map(copy, index),
            sections=xp.zeros((keys.size, n_points, 8)),
            shares=xp.zeros((keys.size if potential else 0, n_points, N_SHARE)),
            slot_element=xp.zeros(n_slots, int),
            slot_xi=xp.zeros(n_slots),
            held=xp.zeros(n_slots, bool),
            state=xp.zeros((n_slots, 6)),
            force=xp.zeros((n_slots, 3)),
            jacobian=xp.zeros((0 if potential else n_slots, 4, 3, 3)),
            found=xp.zeros((runs.element.size, 2)),
        )

    def evaluate(self, power: Any, widest: Any) -> float:
        """Find closest points and forces; returns the least 1 + gamma g, at most 1.

        power (n_elements, 4, 3): centerlines in powers of xi; widest (n_elements,): bound of the
        radius anywhere on the element's fiber [m].
        """
        self._power, least = power, 1.0
        if self._sets:
            self._device.launch(fill_row, int(self._arrays.h.size), (*self._shape, self._rows))
        for runs in self._sets:
            self._find(runs, widest)
            least = min(least, float(runs.found[:, 0].min()))
        return least

    @property
    def _shape(self) -> tuple[Any, ...]:
        at = self._arrays
        return self._power, at.reference_power, at.radius_poly, at.h

    def _find(self, runs: _Runs, widest: Any) -> None:
        """Fill the contact points of one formulation."""
        at, launch = self._arrays, self._device.launch
        launch(
            fill_section, int(runs.section_element.size),
            (
                *self._shape, runs.section_element, runs.section_law, self._points, self._xi,
                runs.sections,
            ),
        )  # fmt: skip
        index = (runs.element, runs.start, runs.candidates, runs.law)
        if runs.potential:
            launch(
                fiber_gap, runs.n,
                (
                    self._power, self._rows, runs.sections, widest, at.radius_poly, at.h,
                    at.end_flag, *index, runs.of_section, self._constants, self._points, self._xi,
                    self._weight, runs.slot_start, runs.slot_element, runs.slot_xi, runs.held,
                    runs.state, runs.force, runs.found,
                ),
            )  # fmt: skip
        else:
            launch(
                fiber_run, runs.n,
                (
                    *self._shape, *index, self._constants, self._points, runs.of_section,
                    runs.slot_start, self._rows, runs.sections, runs.found, runs.slot_element,
                    runs.slot_xi, runs.state, runs.force,
                ),
            )  # fmt: skip

    def scatter(self, residual: Any, lines: Any, tangent: bool) -> DeviceCouplings:
        """Add the last forces to the residual (n_nodes, 6), and their tangent to the lines.

        Returns the couplings, whose blocks are valid until the next call; without tangent there are
        none.
        """
        couplings = self._couplings(tangent)
        for runs in self._sets:
            if runs.potential:
                self._add_potential(runs, residual, lines, couplings, tangent)
            else:
                self._add_half_passes(runs, residual, lines, couplings, tangent)
        return couplings

    def _couplings(self, tangent: bool) -> DeviceCouplings:
        """Couplings of all closed contact points with zero blocks; none without tangent."""
        pairs, xp = self._pairs, self._device.xp
        column, block_start = xp.zeros(pairs.n_rows, int), xp.zeros(pairs.n_rows + 1, int)
        n = 0
        if tangent:
            for runs in self._sets:
                self._mark(runs, column, block_start[1:])
            block_start[1:] = xp.cumsum(block_start[1:])
            n = int(block_start[-1])
        both = not all(runs.potential for runs in self._sets)
        return DeviceCouplings(
            pairs.first, pairs.second, pairs.row_start, pairs.row_node, column, block_start,
            *self._memory.make_room(n, both), *pairs.entries, n_blocks=n,
        )  # fmt: skip

    def _mark(self, runs: _Runs, column: Any, count: Any) -> None:
        """Widen the rows of all pairs to cover their closed points: first columns and counts."""
        at, pairs = self._arrays, self._pairs
        self._device.launch(
            mark_pair, pairs.n,
            (
                at.elements, at.fiber, runs.element, runs.slot_start, runs.slot_element, runs.state,
                runs.pair_start, runs.of_pairs, pairs.first, pairs.row_start, pairs.row_node,
                column, count,
            ),
        )  # fmt: skip

    def _add_potential(
        self, runs: _Runs, residual: Any, lines: Any, blocks: DeviceCouplings, tangent: bool
    ) -> None:
        """Add gradient and tangent of the potentials, color by color."""
        at, pairs, launch = self._arrays, self._pairs, self._device.launch
        runs.shares[...] = 0.0
        law = (self._constants, self._points, self._xi, self._weight)
        points = (
            runs.element, runs.law, *law, runs.of_section, runs.sections, runs.slot_start,
            runs.slot_element, runs.slot_xi,
        )  # fmt: skip
        of_pairs, shape = (runs.pair_start, runs.of_pairs), (*self._shape, at.elements)
        for group in pairs.groups:
            if tangent:
                launch(
                    pair_tangents, group,
                    (
                        *shape, at.fiber, *points, runs.held, runs.state, *of_pairs, pairs.first,
                        *blocks.rows, runs.shares, residual, lines, blocks.upper,
                    ),
                )  # fmt: skip
            else:
                arguments = (*shape, *points, runs.state, *of_pairs, runs.shares, residual)
                launch(pair_gradients, group, arguments)
        sections = (
            runs.section_start, runs.section_element, runs.section_law, self._points, self._xi,
            at.h, at.elements, runs.sections, runs.shares,
        )  # fmt: skip
        n_fibers = int(runs.section_start.size) - 1
        launch(share_gradient, n_fibers, (*sections, residual))
        if tangent:
            launch(share_tangent, n_fibers, (*sections, lines))
            if blocks.lower.size:
                launch(mirror_block, blocks.n_blocks, (blocks.upper, blocks.lower))

    def _add_half_passes(
        self, runs: _Runs, residual: Any, lines: Any, blocks: DeviceCouplings, tangent: bool
    ) -> None:
        """Add forces and tangent of the half passes, color by color."""
        at, pairs, launch = self._arrays, self._pairs, self._device.launch
        if tangent:
            launch(
                fiber_run_slopes, runs.n,
                (
                    *self._shape, at.end_flag, runs.law, self._constants, self._points,
                    runs.of_section, runs.slot_start, runs.sections, runs.slot_element,
                    runs.slot_xi, runs.state, runs.jacobian,
                ),
            )  # fmt: skip
        for group in pairs.groups:
            launch(
                pair_half_passes, group,
                (
                    at.h, at.elements, at.fiber, runs.element, runs.law, self._points, self._xi,
                    self._weight, runs.slot_start, runs.slot_element, runs.slot_xi, runs.state,
                    runs.force, runs.jacobian, runs.pair_start, runs.of_pairs, pairs.first,
                    *blocks.rows, tangent, residual, lines, blocks.upper, blocks.lower,
                ),
            )  # fmt: skip

    def fraction(
        self, update: Any, hull_update: Any, remainder: Any, ways: Any, fraction: float, keep: float
    ) -> float:
        """Shorten a part of an update; see `fibermsk.kernels.search.safeguard.fiber_fraction`."""
        at = self._arrays
        for runs in self._sets:
            self._device.launch(
                run_fraction, runs.n,
                (
                    at.elements, at.h, update, hull_update, remainder, ways, runs.element,
                    runs.start, runs.candidates, runs.law, self._constants, self._points, self._xi,
                    runs.slot_start, runs.state, fraction, keep, runs.found,
                ),
            )  # fmt: skip
            fraction = min(fraction, float(runs.found[:, 0].min()))
        return fraction

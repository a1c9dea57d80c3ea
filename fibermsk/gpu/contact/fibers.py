"""Contact of fibers with each other on a device: forces, tangent, safeguard.

As `fibermsk.system.contact.sets`, with a task per run, or per pair of fibers, color by color.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fibermsk.gpu.arrays import DeviceCables
from fibermsk.gpu.contact.candidates import PairsOfRuns, choose_fiber_runs
from fibermsk.gpu.device import Device
from fibermsk.gpu.pairs import BlockMemory, DeviceCouplings
from fibermsk.kernels.closest.gaps import fiber_gap
from fibermsk.kernels.closest.rows import N_COLUMNS, fill_quadrature, fill_row
from fibermsk.kernels.contact.contact import fiber_run, fiber_run_slopes
from fibermsk.kernels.contact.pair_potential import pair_gradients, pair_tangents
from fibermsk.kernels.contact.pairs import mark_pair, mirror_block
from fibermsk.kernels.contact.scatter import pair_half_passes
from fibermsk.kernels.contact.shares import N_SHARE, share_gradient, share_tangent
from fibermsk.kernels.contact_arrays import (
    ContactLaws,
    FiberPoints,
    FiberShapes,
    FiberUpdate,
    PairRows,
    QuadraturePoints,
)
from fibermsk.kernels.search.safeguard import run_fraction
from fibermsk.system.contact.broad_phase import FiberRuns
from fibermsk.system.contact.fiber_pairs import RunsOfPairs
from fibermsk.system.contact.partners import Partners


class _Set(NamedTuple):
    """Runs of one formulation on a device, with their contact points and results of tasks."""

    potential: bool  # True for potentials, False for half passes
    runs: FiberRuns
    of_pairs: RunsOfPairs
    quadrature: QuadraturePoints
    points: FiberPoints
    held: Any  # (n_points,), see `fibermsk.kernels.closest.gaps`
    jacobian: Any  # (n_points, 4, 3, 3), see `kernels.contact.contact`; empty for potentials
    found: Any  # results of the runs (n_runs, 2)

    @property
    def n(self) -> int:
        """Number of runs."""
        return int(self.runs.element.size)


class Fibers:
    """Contact points between fibers; partners are those of the host."""

    def __init__(self, device: Device, arrays: DeviceCables, partners: Partners) -> None:
        self._device, self._arrays = device, arrays
        self._partners = partners
        self._laws = ContactLaws(*map(device.to_device, partners.laws))
        self._rows = device.xp.zeros((int(arrays.h.size), N_COLUMNS))
        self._memory = BlockMemory(device.xp)
        self.allocate(FiberRuns(*map(device.to_device, FiberRuns.none())))

    @property
    def touch(self) -> bool:
        """Whether any fiber may touch another one."""
        return bool((self._partners.fiber_law >= 0).any())

    @property
    def groups(self) -> list[Any]:
        """Fibers by color: fibers of one color have no common candidate pairs."""
        return self._pairs.fibers

    def allocate(self, runs: FiberRuns) -> None:
        """Take new runs on the device and allocate their contact points."""
        variational, device = self._partners.variational, self._device
        # release the memory of the old runs first
        self._sets: list[_Set] = []
        pairs = PairsOfRuns(device, self._arrays, runs)
        self._pairs = pairs.pairs
        # the order in which they are scattered: blocks of potentials are mirrored
        for potential in (True, False):
            if variational.size and (variational == potential).all():
                self._add_set(runs, pairs.sort(None), potential)
                return
            own = device.to_device(variational == potential)[runs.law]
            if bool(own.any()):
                chosen = choose_fiber_runs(device.xp, runs, own, self._laws.n_points)
                self._add_set(chosen, pairs.sort(own), potential)

    def _add_set(self, runs: FiberRuns, of_pairs: RunsOfPairs, potential: bool) -> None:
        n_runs = int(runs.element.size)
        if not n_runs:
            return
        xp, n_points = self._device.xp, self._partners.xi.shape[1]
        # successive runs of one element with one law have the same quadrature points
        new = xp.zeros(n_runs, bool)
        new[0] = True
        new[1:] = (runs.element[1:] != runs.element[:-1]) | (runs.law[1:] != runs.law[:-1])
        element, law = runs.element[new], runs.law[new]
        n, n_own = int(runs.point_start[-1]), int(element.size)
        quadrature = QuadraturePoints(
            xp.cumsum(new) - 1,
            xp.searchsorted(element, self._arrays.element_start),
            element,
            law,
            values=xp.zeros((n_own, n_points, 8)),
            shares=xp.zeros((0, n_points, N_SHARE)),
        )
        force = xp.zeros((0 if potential else n, 3))
        points = FiberPoints(
            xp.zeros(n, np.int32), xp.zeros(n), xp.zeros((n, 3)), force, xp.zeros(n, bool)
        )
        one = _Set(
            potential,
            runs,
            of_pairs,
            quadrature,
            points,
            held=xp.zeros(n, bool),
            jacobian=xp.zeros((0 if potential else n, 4, 3, 3)),
            found=xp.zeros((n_runs, 2)),
        )
        self._sets.append(one)

    def evaluate(self, fibers: FiberShapes, widest: Any) -> float:
        """Find closest points and forces; returns the least 1 + gamma g, at most 1.

        widest (n_elements,): bound of the radius on the element's fiber [m].
        """
        self._fibers, least = fibers, 1.0
        if self._sets:
            arguments = (*fibers[:5], self._rows)
            self._device.launch(fill_row, int(self._arrays.h.size), arguments)
        for one in self._sets:
            self._find(one, widest)
            least = min(least, float(one.found[:, 0].min()))
        return least

    def _find(self, one: _Set, widest: Any) -> None:
        """Fill the contact points of one formulation."""
        fibers, laws, quadrature, launch = (
            self._fibers, self._laws, one.quadrature, self._device.launch,
        )  # fmt: skip
        launch(fill_quadrature, int(quadrature.element.size), (fibers, laws, quadrature))
        search = (self._rows, one.runs, laws, quadrature, one.points)
        if one.potential:
            launch(fiber_gap, one.n, (fibers, widest, *search, one.held, one.found))
        else:
            launch(fiber_run, one.n, (fibers, *search, one.found))

    def release(self) -> None:
        """Release the memory of all contact points; `allocate` follows."""
        self._sets = []

    def scatter(self, residual: Any, lines: Any, tangent: bool, rounds: bool) -> DeviceCouplings:
        """Add the last forces to the residual (n_nodes, 6), and their tangent to the lines.

        Returns the couplings, valid until the next call, in single precision if it `rounds`.
        """
        couplings = self._couplings(tangent, rounds)
        for one in self._sets:
            if one.potential:
                self._add_potential(one, residual, lines, couplings, tangent)
            else:
                self._add_half_passes(one, residual, lines, couplings, tangent)
        return couplings

    def _couplings(self, tangent: bool, rounds: bool) -> DeviceCouplings:
        """Couplings of all closed contact points with zero blocks; none without tangent."""
        pairs, xp, at = self._pairs, self._device.xp, self._arrays
        rows = self._rows_of_pairs = PairRows(
            pairs.first, pairs.row_start, pairs.row_node, xp.zeros(pairs.n_rows, int),
            xp.zeros(pairs.n_rows + 1, int),
        )  # fmt: skip
        n = 0
        if tangent:
            for one in self._sets:
                self._device.launch(
                    mark_pair, pairs.n,
                    (
                        at.elements, at.fiber, one.runs, self._laws, one.points.element,
                        one.points.state, one.of_pairs, rows,
                    ),
                )  # fmt: skip
            rows.block_start[1:] = xp.cumsum(rows.block_start[1:])
            n = int(rows.block_start[-1])
        both = not all(one.potential for one in self._sets)
        blocks = self._memory.make_room(n, both, rounds)
        return DeviceCouplings(
            pairs.first, pairs.second, *rows[1:], *blocks, *pairs.entries, n_blocks=n
        )  # fmt: skip

    def _add_potential(
        self, one: _Set, residual: Any, lines: Any, blocks: DeviceCouplings, tangent: bool
    ) -> None:
        """Add gradient and tangent of the potentials, color by color."""
        fibers, laws, launch = self._fibers, self._laws, self._device.launch
        size = *one.quadrature.values.shape[:2], N_SHARE
        quadrature = one.quadrature._replace(shares=self._device.xp.zeros(size))
        common = (fibers, one.runs, laws, quadrature, one.points)
        for group in self._pairs.groups:
            if tangent:
                sums = (self._rows_of_pairs, residual, lines, blocks.upper)
                launch(pair_tangents, group, (*common, one.held, one.of_pairs, *sums))
            else:
                launch(pair_gradients, group, (*common, one.of_pairs, residual))
        n_fibers = int(quadrature.start.size) - 1
        launch(share_gradient, n_fibers, (fibers, laws, quadrature, residual))
        if tangent:
            launch(share_tangent, n_fibers, (fibers, laws, quadrature, lines))
            if blocks.lower.size:
                launch(mirror_block, blocks.n_blocks, (blocks.upper, blocks.lower))

    def _add_half_passes(
        self, one: _Set, residual: Any, lines: Any, blocks: DeviceCouplings, tangent: bool
    ) -> None:
        """Add forces and tangent of the half passes, color by color."""
        fibers, laws, launch = self._fibers, self._laws, self._device.launch
        if tangent:
            arguments = (fibers, one.runs, laws, one.quadrature, one.points, one.jacobian)
            launch(fiber_run_slopes, one.n, arguments)
        arguments = (
            fibers, one.runs, laws, one.points, one.jacobian, one.of_pairs, self._rows_of_pairs,
            tangent, residual, lines, (blocks.upper, blocks.lower),
        )  # fmt: skip
        for group in self._pairs.groups:
            launch(pair_half_passes, group, arguments)

    def fraction(self, update: FiberUpdate, ways: Any, fraction: float, keep: float) -> float:
        """Shorten a part of an update; see `fibermsk.kernels.search.safeguard.fiber_fraction`."""
        at = self._arrays
        for one in self._sets:
            self._device.launch(
                run_fraction, one.n,
                (
                    at.elements, at.h, update, ways, one.runs, self._laws, one.quadrature,
                    one.points.state, fraction, keep, one.found,
                ),
            )  # fmt: skip
            fraction = min(fraction, float(one.found[:, 0].min()))
        return fraction

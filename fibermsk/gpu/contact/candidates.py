"""Search of candidate pairs on a device, in the order of the host's search.

As `fibermsk.system.contact.broad_phase`, with one task per element and sorts of CuPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk.gpu.arrays import DeviceCables
from fibermsk.gpu.device import Device
from fibermsk.gpu.pairs import DevicePairs
from fibermsk.kernels.contact_arrays import BoneShapes
from fibermsk.kernels.search import device_pairs
from fibermsk.kernels.search.bone_bounds import mark_near_bones
from fibermsk.kernels.search.bounds import N_BOUNDS
from fibermsk.kernels.search.broad_phase import LEVELS, RESOLUTION, SLACK
from fibermsk.system.contact.broad_phase import BoneRuns, FiberRuns
from fibermsk.system.contact.fiber_pairs import RunsOfPairs
from fibermsk.system.contact.partners import Partners


class Searches:
    """Searches for the contact laws of `partners`.

    `among_fibers` (n_elements,) and `on_bones` (n_elements, n_shapes) are doublings of contact
    points, and n_laws the number of laws without these; see
    `fibermsk.system.contact.spacing.Spacing`.
    """

    def __init__(
        self,
        device: Device,
        arrays: DeviceCables,
        partners: Partners,
        doublings: tuple[Index, Index],
        n_laws: int,
    ) -> None:
        copy, self._device, self._arrays = device.to_device, device, arrays
        self._any = bool((partners.fiber_law >= 0).any())
        self._fibers = device_pairs.Fibers(
            arrays.fiber, copy(partners.group), copy(partners.fiber_law)
        )
        self._bone_law, self._points = copy(partners.bone_law), copy(partners.points)
        self._steepest = copy(partners.shapes.steepest)
        self._n_shapes, self._n_laws = partners.bone_law.shape[1], n_laws
        self._among_fibers, self._on_bones = (copy(one) if one.any() else None for one in doublings)
        self._still = device.xp.zeros(int(arrays.h.size))

    def fiber_runs(self, hull: Any, radii: Any, reach: float) -> FiberRuns:
        """Runs of all elements that could touch another fiber, as arrays of the device.

        hull (n_elements, 4, 3): control points; radii (n_fibers,); see
        `fibermsk.system.contact.broad_phase.find_fiber_runs`.
        """
        xp, n = self._device.xp, int(self._arrays.h.size)
        found = self._find(hull, radii, reach) if self._any else xp.zeros(0, np.int64)
        if not found.size:
            return FiberRuns(*map(self._device.to_device, FiberRuns.none()))
        found = xp.sort(found)
        first = found // n
        second = found - first * n
        fiber, group, law = self._fibers
        begins = xp.zeros(int(found.size), bool)
        begins[0], other = True, fiber[second]
        begins[1:] = (first[1:] != first[:-1]) | (other[1:] != other[:-1])
        at = xp.flatnonzero(begins)
        element, start = first[at], xp.zeros(int(at.size) + 1, np.int32)
        start[:-1], start[-1:] = at, found.size
        laws = law[group[fiber[element]], group[other[at]]]
        if self._among_fibers is not None:
            laws = laws + self._n_laws * self._among_fibers[element]
        element, laws, second = (one.astype(np.int32) for one in (element, laws, second))
        return FiberRuns(element, laws, start, second, point_starts(xp, self._points[laws]))

    def _find(self, hull: Any, radii: Any, reach: float) -> Any:
        """Keys a n + b and b n + a of all pairs (a, b)."""
        xp, launch, n = self._device.xp, self._device.launch, int(self._arrays.h.size)
        bounds, boxes = xp.zeros((n, N_BOUNDS)), xp.zeros((n, 6))
        pad = radii[self._arrays.fiber] + 0.5 * reach
        launch(device_pairs.fill_bounds, n, (hull, self._still, pad, bounds))
        launch(device_pairs.fill_box, n, (bounds, boxes))
        level, key, start = (xp.zeros(n, np.int64) - 1 for _ in range(3))
        extent = boxes[:, 3:]
        launch(device_pairs.choose_level, n, (boxes, float(extent.max()), level))
        size = self._device.to_device(self._cell_sizes(boxes, extent, level))
        launch(device_pairs.fill_key, n, (boxes, level, size, key))
        order = xp.argsort(key)
        grids = device_pairs.Grids(order, key[order], level, size, boxes)
        common = hull, bounds, grids, self._fibers, start
        launch(device_pairs.find_near, n, (*common, xp.zeros(0, np.int64)))
        end = xp.cumsum(start)
        start[...] = end - start
        found = xp.zeros(2 * int(end[-1]), np.int64)
        if found.size:
            launch(device_pairs.find_near, n, (*common, found))
        return found

    def _cell_sizes(self, boxes: Any, extent: Any, level: Any) -> Array:
        """Sizes (LEVELS, 3) of the cells; see `fibermsk.kernels.search.broad_phase`."""
        size, xp, to_host = np.zeros((LEVELS, 3)), self._device.xp, self._device.to_host
        least = max(RESOLUTION * float(abs(boxes[:, :3]).max()), np.finfo(np.float64).tiny)
        for k in range(int(level.max()), -1, -1):
            own = xp.where((level == k)[:, None], extent, 0.0)
            size[k] = np.maximum(2.0 * SLACK * to_host(own.max(axis=0)), least)
            if k + 1 < LEVELS:
                size[k] = np.maximum(size[k], size[k + 1])
        return np.where(size > 0.0, size, 1.0)

    def bone_runs(self, hull: Any, radii: Any, reach: float, shapes: BoneShapes) -> BoneRuns:
        """Runs of all elements that could touch a bone, as arrays of the device."""
        xp, n = self._device.xp, int(self._arrays.h.size)
        if not self._n_shapes:
            return BoneRuns(*map(self._device.to_device, BoneRuns.none()))
        fiber, group, _ = self._fibers
        near = xp.zeros((n, self._n_shapes), bool)
        self._device.launch(
            mark_near_bones, n,
            (hull, shapes, self._steepest, reach, radii, fiber, group, self._bone_law, near),
        )  # fmt: skip
        element, shape = xp.nonzero(near)
        laws = self._bone_law[group[fiber[element]], shape]
        if self._on_bones is not None:
            laws = laws + self._n_laws * self._on_bones[element, shape]
        element, shape, laws = (one.astype(np.int32) for one in (element, shape, laws))
        return BoneRuns(element, shape, laws, point_starts(xp, self._points[laws]))


def point_starts(xp: Any, counts: Any) -> Any:
    """First quadrature point of each run, and their total, (n + 1,)."""
    start = xp.zeros(int(counts.size) + 1, np.int32)
    start[1:] = xp.cumsum(counts)
    return start


def choose_fiber_runs(xp: Any, runs: FiberRuns, keep: Any, points: Any) -> FiberRuns:
    """Runs of a mask (n_runs,), some of them; points (n_laws,) of a law."""
    counts, law = (runs.start[1:] - runs.start[:-1])[keep], runs.law[keep]
    start = xp.zeros(int(counts.size) + 1, np.int32)
    start[1:] = xp.cumsum(counts)
    of_candidate = xp.searchsorted(runs.start, xp.arange(int(runs.candidates.size)), side="right")
    candidates = runs.candidates[keep[of_candidate - 1]]
    return FiberRuns(runs.element[keep], law, start, candidates, point_starts(xp, points[law]))


class PairsOfRuns:
    """Pairs of fibers that have common runs.

    `pairs` are these, on the device, with colors of the host: they are few next to the runs.
    """

    def __init__(self, device: Device, arrays: DeviceCables, runs: FiberRuns) -> None:
        xp, self._xp, to_host = device.xp, device.xp, device.to_host
        fiber, n_fibers = arrays.fiber, int(arrays.element_start.size) - 1
        own, other = fiber[runs.element], fiber[runs.candidates[runs.start[:-1]]]
        keys, self._of_run = xp.unique(
            np.minimum(own, other) * n_fibers + np.maximum(own, other), return_inverse=True
        )
        self._n = int(keys.size)
        first, second = np.divmod(to_host(keys), max(n_fibers, 1))
        row_node, end = xp.zeros(self._n, np.int64), xp.zeros(self._n, np.int64)
        device.launch(
            device_pairs.span_pair, self._n,
            (
                arrays.elements, fiber, runs, self.sort(None), device.to_device(first), row_node,
                end,
            ),
        )  # fmt: skip
        spans = to_host(row_node), to_host(end)
        self.pairs = DevicePairs.of(device, (first, second), spans, n_fibers)

    def sort(self, keep: Any) -> RunsOfPairs:
        """Runs of a mask (n_runs,), all for None, sorted by pair; see `FiberPairs.sort`."""
        xp, of_run = self._xp, self._of_run if keep is None else self._of_run[keep]
        n = int(of_run.size)
        # keys that all differ, so that the order does not depend on the sort
        order = xp.argsort(of_run * n + xp.arange(n))
        start = xp.searchsorted(of_run[order], xp.arange(self._n + 1))
        return RunsOfPairs(start, order.astype(np.int32))

"""Contact of fibers with bones on a device: forces on fibers and joints, safeguard.

As `fibermsk.system.contact.sets`, with a task for every run, or for every fiber with runs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.gpu.arrays import DeviceCables
from fibermsk.gpu.border import Border
from fibermsk.gpu.contact.candidates import point_starts
from fibermsk.gpu.device import Device
from fibermsk.gpu.ends import Links
from fibermsk.kernels.contact import bone_passes, contact, variational
from fibermsk.kernels.contact_arrays import (
    BoneAxes,
    BoneMotion,
    BonePoints,
    BoneShapes,
    BoneSums,
    ContactLaws,
    FiberShapes,
    FiberUpdate,
)
from fibermsk.kernels.search.bone_bounds import fill_approaches, fill_motions
from fibermsk.kernels.search.safeguard import fill_bone_fraction
from fibermsk.system.contact.broad_phase import BoneRuns
from fibermsk.system.contact.partners import Partners
from fibermsk.system.skeleton.tree import Tree, TreeState


class _Set(NamedTuple):
    """Runs of one formulation on a device, with their contact points and results of tasks."""

    potential: bool  # True for potentials, False for half passes
    runs: BoneRuns
    begin: Any  # first run of each fiber with runs (n_tasks + 1,)
    points: BonePoints
    jacobian: Any  # (n_points, 2, 3, 3), see `kernels.contact.contact`; empty for potentials
    found: Any  # results of the runs (n_runs, 2)
    moments: Any  # (n_tasks, n_q), see `fibermsk.kernels.contact.bone_border`
    corners: Any  # (n_tasks, n_q, n_q), likewise

    @property
    def n(self) -> int:
        """Number of runs."""
        return int(self.runs.element.size)

    @property
    def n_tasks(self) -> int:
        """Number of fibers with runs."""
        return int(self.begin.size) - 1


class Bones:
    """Contact points of fibers and bones; partners and tree are those of the host."""

    def __init__(
        self, device: Device, arrays: DeviceCables, partners: Partners, tree: Tree,
        moves: Any,
    ) -> None:  # fmt: skip
        self._device, self._arrays = device, arrays
        self._partners, self._tree, self._moves = partners, tree, moves
        copy = device.to_device
        self._laws = ContactLaws(*map(copy, partners.laws))
        shapes = partners.shapes
        self._bones = tuple(map(copy, (shapes.field, shapes.kind, shapes.grids)))
        self._shape_link, self._steepest = copy(shapes.link), copy(shapes.steepest)
        self._links = np.unique(partners.shape_link)
        self._links_there = copy(self._links)
        self._beside = device.xp.zeros((int(arrays.h.size), self._links.size))
        self._sets: list[_Set] = []

    @property
    def touch(self) -> bool:
        """Whether any fiber may touch a bone."""
        return bool((self._partners.bone_law >= 0).any())

    def allocate(self, runs: BoneRuns) -> None:
        """Take new runs on the device and allocate their contact points."""
        variational, device = self._partners.variational, self._device
        # release the memory of the old runs first
        self._sets = []
        for potential in (False, True):
            own = device.to_device(variational == potential)[runs.law]
            if bool(own.any()):
                element, shape, law = (one[own] for one in runs[:3])
                start = point_starts(device.xp, self._laws.n_points[law])
                self._sets.append(self._allocated(BoneRuns(element, shape, law, start), potential))

    def _allocated(self, runs: BoneRuns, potential: bool) -> _Set:
        xp, n_axes = self._device.xp, self._tree.n
        fiber = self._arrays.fiber[runs.element]
        begins = xp.flatnonzero(fiber[1:] != fiber[:-1])
        n_runs, n, n_tasks = int(fiber.size), int(runs.point_start[-1]), int(begins.size) + 1
        begin = xp.zeros(n_tasks + 1, np.int64)
        begin[1:-1], begin[-1:] = begins + 1, n_runs
        return _Set(
            potential,
            runs,
            begin,
            BonePoints(xp.zeros((n, 3)), xp.zeros((n, 6)), xp.zeros((n, 3))),
            jacobian=xp.zeros((0 if potential else n, 2, 3, 3)),
            found=xp.zeros((n_runs, 2)),
            moments=xp.zeros((n_tasks, n_axes)),
            corners=xp.zeros((n_tasks, n_axes, n_axes)),
        )

    def release(self) -> None:
        """Release the memory of all contact points; `allocate` follows."""
        self._sets = []

    def shapes_at(self, state: TreeState) -> BoneShapes:
        """Bones in the ground frame."""
        places = self._partners.shapes.places(state)
        return BoneShapes(self._device.to_device(places), *self._bones)

    def evaluate(self, fibers: FiberShapes, links: Links) -> float:
        """Find closest points and forces; returns the least 1 + gamma g, at most 1."""
        self._fibers, least = fibers, 1.0
        self._shapes = self.shapes_at(links.state)
        for one in self._sets:
            self._device.launch(
                contact.fill_bone_run, one.n,
                (
                    fibers, one.runs, self._shapes, self._laws, one.points, one.jacobian,
                    one.found,
                ),
            )  # fmt: skip
            least = min(least, float(one.found[:, 0].min()))
        return least

    def scatter(
        self, links: Links, residual: Any, residual_q: Array, lines: Any, border: Border | None
    ) -> None:
        """Add the last forces on nodes and axes and, with a border, their tangent."""
        device, n_q = self._device, self._tree.n
        axes, tangent = self._axes(links), border is not None
        for one in self._sets:
            if border is None:
                B = R = device.xp.zeros((0, 0))
            else:
                B, R = border.B, border.R
            sums = BoneSums(residual, lines, B, R, one.moments, one.corners)
            common = (one.begin, self._fibers, one.runs)
            if one.potential:
                arguments = (self._shapes, self._laws, one.points, axes, tangent, sums)
                device.launch(variational.add_bone_potential, one.n_tasks, (*common, *arguments))
            else:
                arguments = (self._laws, one.points, one.jacobian, axes, tangent, sums)
                device.launch(bone_passes.add_bone_passes, one.n_tasks, (*common, *arguments))
            if n_q:
                residual_q += device.to_host(one.moments.sum(axis=0))
            if n_q and border is not None:
                border.D[:] += device.to_host(one.corners.sum(axis=0))

    def _axes(self, links: Links) -> BoneAxes:
        return BoneAxes(self._shape_link, self._moves, links.S)

    def poses(self, state: TreeState) -> tuple[Any, Any]:
        """Rotations and positions of the links with bones, (n_links, 3, 3) and (n_links, 3)."""
        rotation, position = np.eye(3)[None], np.zeros((1, 3))
        rotation = np.concatenate([state.rotation, rotation])[self._links]
        position = np.concatenate([state.position, position])[self._links]
        return self._device.to_device(rotation), self._device.to_device(position)

    def motion(
        self, before: Any, after: Any, poses: tuple[Any, Any], poses_after: tuple[Any, Any]
    ) -> Array:
        """Largest motion of any control point (n_elements, 4, 3) beside each link [m]."""
        if not self.touch:
            return np.zeros(0)
        arguments = (before, after, *poses, *poses_after, self._beside)
        self._device.launch(fill_motions, int(self._beside.shape[0]), arguments)
        return self._device.to_host(self._beside.max(axis=0))

    def approach(
        self, hull: Any, hull_update: Any, stray: Any, links: Links, update_q: Any, fraction: float
    ) -> Array:
        """Bound of the approach of any element to the bones of each link [m], on the host.

        See `fibermsk.kernels.search.bone_bounds.fill_bone_approach`.
        """
        if not self.touch:
            return np.zeros(0)
        self._device.launch(
            fill_approaches, int(self._beside.shape[0]),
            (
                hull, hull_update, stray, self._links_there, links.S, self._moves, links.position,
                self._chain_length(links), update_q, fraction, self._beside,
            ),
        )  # fmt: skip
        return self._device.to_host(self._beside.max(axis=0))

    def _chain_length(self, links: Links) -> Any:
        return self._device.to_device(self._tree.chain_length(links.state))

    def fraction(
        self, update: FiberUpdate, links: Links, update_q: Any, fraction: float, keep: float
    ) -> float:
        """Shorten a part of an update; see `fibermsk.kernels.search.safeguard.bone_fraction`."""
        at, axes = self._arrays, self._axes(links)
        motion = BoneMotion(update_q, links.position, self._steepest, self._chain_length(links))
        for one in self._sets:
            self._device.launch(
                fill_bone_fraction, one.n,
                (
                    at.elements, at.h, update, one.runs, self._laws, one.points, axes, motion,
                    fraction, keep, one.found,
                ),
            )  # fmt: skip
            fraction = min(fraction, float(one.found[:, 0].min()))
        return fraction

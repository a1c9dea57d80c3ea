"""Contact of fibers with each other and with bones on a device: candidates, forces, safeguard.

As `fibermsk.system.contact.search`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from fibermsk._arrays import Array
from fibermsk.gpu.arrays import DeviceCables
from fibermsk.gpu.contact.bones import Bones
from fibermsk.gpu.contact.candidates import Searches
from fibermsk.gpu.contact.fibers import Fibers
from fibermsk.gpu.device import Device
from fibermsk.gpu.ends import Ends, Links
from fibermsk.kernels.contact_arrays import FiberShapes, FiberUpdate
from fibermsk.kernels.fibers.shape import fill_hull, fill_power
from fibermsk.kernels.search.motion import (
    fill_growth,
    fill_least_tangent,
    fill_radius,
    fill_widest_section,
)
from fibermsk.kernels.search.safeguard import N_WAYS, fill_way
from fibermsk.system.contact.search import SKIN
from fibermsk.system.contact.spacing import Spacing
from fibermsk.system.contribution import Update
from fibermsk.system.skeleton.tree import TreeState


class DeviceContact:
    """Candidate pairs and contact state; the spacing is that of the host.

    `fibers` and `bones` are the contact points, `links` the poses of the bones; `rounds`: whether
    the blocks of couplings are in single precision.
    """

    def __init__(self, device: Device, arrays: DeviceCables, spacing: Spacing, ends: Ends) -> None:
        self._device, self._arrays, self.rounds = device, arrays, False
        self._spacing, self._ends = spacing, ends
        xp, n = device.xp, int(arrays.h.size)
        self._power, self._hull, self._built_hull, self._hull_update = (
            xp.zeros((n, 4, 3)) for _ in range(4)
        )
        self._shapes = FiberShapes.of(arrays, self._power)
        self._ways = xp.zeros((n, N_WAYS))
        self._least, self._sections, self._growth = (xp.zeros(n) for _ in range(3))
        self._radii = xp.zeros(int(arrays.element_start.size) - 1)
        self._skin = SKIN * float(arrays.thickest.max())
        self._take_spacing()

    def _take_spacing(self) -> None:
        """Initialize the contact points from the spacing."""
        spacing = self._spacing
        every = self._device, self._arrays, spacing.rules
        self._revision, doublings = spacing.revision, (spacing.among_fibers, spacing.on_bones)
        self._searches = Searches(*every, doublings, spacing.n_laws)
        self.fibers = Fibers(*every)
        self.bones = Bones(*every, self._ends.tree, self._ends.moves)
        self._touches = self.fibers.touch or self.bones.touch
        self._reach = -1.0

    def follow_spacing(self) -> bool:
        """Update the contact points if the spacing has changed; then evaluate again."""
        changed = self._revision != self._spacing.revision
        if changed:
            self._take_spacing()
        return changed

    @contextmanager
    def rounded(self) -> Iterator[None]:
        """Context of couplings in single precision."""
        before, self.rounds = self.rounds, True
        try:
            yield
        finally:
            self.rounds = before

    def forget(self) -> None:
        """Invalidate the candidates."""
        self._reach = -1.0

    def evaluate(self, nodes: Any, links: Links) -> float:
        """Find closest points and forces; returns the least 1 + gamma g, at most 1."""
        self._nodes, self.links = nodes, links
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
        n = int(self._radii.size)
        launch(fill_radius, n, (at.element_start, at.widest, self._least, self._radii))
        launch(
            fill_widest_section, n,
            (at.element_start, at.elements, nodes, at.reference, at.thickest, self._sections),
        )  # fmt: skip

    def _points(self) -> float:
        """State of every contact point; returns the least 1 + gamma g, at most 1."""
        bones = self.bones.evaluate(self._shapes, self.links)
        return min(bones, self.fibers.evaluate(self._shapes, self._sections))

    def step_fraction(self, wanted: Update, fraction: float) -> float:
        """Fraction of an update that keeps a fraction of every admissibility."""
        _, update, update_q, remainder, keep = wanted
        if not self._touches:
            return fraction
        at, launch, bones, links = self._arrays, self._device.launch, self.bones, self.links
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
            apart = 2.0 * way if self.fibers.touch else 0.0
            self._search(max(apart, float(beside.max(initial=0.0))) + grown)
            self._points()
        moves = FiberUpdate(update, self._hull_update, remainder)
        fraction = bones.fraction(moves, links, update_q, fraction, keep)
        launch(fill_way, n, (at.h, self._hull_update, remainder, self._ways))
        return self.fibers.fraction(moves, self._ways, fraction, keep)

    def memory(self) -> dict[str, Array]:
        """Configuration and reach of the last search, which determine the candidates."""
        if not self._touches:
            return {}
        if not self._memory:  # copied once for each search
            nodes, state, reach = self._built
            self._memory = {
                "nodes": self._device.to_host(nodes), "rotation": state.rotation,
                "position": state.position, "reach": np.array(reach),
            }  # fmt: skip
        return {**self._memory, **self._spacing.memory()}

    def restore(self, memory: dict[str, Array], links: Links) -> None:
        """Find the candidates of a `memory` again, in the same order; `links` are replaced."""
        if self._touches:
            rest = np.zeros((memory["position"].shape[0], 6))
            state = TreeState(memory["rotation"], memory["position"], rest, rest, rest)
            self._nodes = self._device.to_device(memory["nodes"])
            self.links = links._replace(motion=links.motion._replace(links=state))
            self._bound()
            self._search(float(memory["reach"]))

    def _covered(self, apart: float, beside: Array | float, grown: float = 0.0) -> bool:
        """Whether the candidates are valid for the present configuration and a further motion.

        apart, beside: bounds of the approach of fibers to each other and to the bones of each link;
        grown: bound of the growth of two radii [m].
        """
        if self._reach < 0.0:
            return False
        if self.fibers.touch:
            apart += 2.0 * _longest(self._hull - self._built_hull)
        else:
            apart = 0.0
        beside = beside + self.bones.motion(
            self._built_hull, self._hull, self._built_poses, self.bones.poses(self.links.state)
        )
        grown += 2.0 * max(0.0, float((self._radii - self._built_radii).max()))
        return max(apart, float(beside.max(initial=0.0))) + grown <= self._reach

    def _search(self, reach: float) -> None:
        """Find candidates near the present configuration and allocate their contact points."""
        state, radii = self.links.state, self._radii
        self._built, self._memory = (self._nodes.copy(), state, reach), {}
        self._reach = 1.25 * reach + self._skin
        self._built_hull[...] = self._hull
        self._built_radii = radii.copy()
        self._built_poses = self.bones.poses(state)
        found = self._searches
        self.fibers.release()
        self.bones.release()
        self.fibers.allocate(found.fiber_runs(self._hull, radii, self._reach))
        shapes = self.bones.shapes_at(state)
        self.bones.allocate(found.bone_runs(self._hull, radii, self._reach, shapes))


def _longest(vectors: Any) -> float:
    """Largest length of vectors (n_elements, 4, 3)."""
    return float((vectors**2).sum(axis=2).max()) ** 0.5

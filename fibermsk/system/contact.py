"""Contact of all fibers with each other and with the bones: candidates, forces, safeguard."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fibermsk.kernels import contact as kernels
from fibermsk.kernels import safeguard
from fibermsk.kernels.scatter import scatter_bones, scatter_fibers
from fibermsk.kernels.shape import bezier_hull, power_coefficients
from fibermsk.system.broad_phase import find_bone_runs, find_fiber_runs
from fibermsk.system.cables import Cables, reference_speed
from fibermsk.system.partners import Partners
from fibermsk.system.pattern import BlockPattern, build_pattern
from fibermsk.system.tree import Tree, TreeState

__all__ = ["ContactSearch"]

Array = NDArray[np.float64]

# Candidates are searched within this part of the largest fiber radius beyond contact. A wider skin
# is searched more rarely but holds more candidates.
_SKIN = 0.5

# Radii are bounded by their values at quadrature points; between them they may be this much larger.
_RADIUS_SLACK = 1.05


class ContactSearch:
    """Candidate pairs and contact state for one configuration after the other.

    The candidates are only a bound on who may touch: the forces do not depend on when they were
    found.
    """

    def __init__(self, cables: Cables, partners: Partners, tree: Tree) -> None:
        self.cables, self.partners, self.tree = cables, partners, tree
        n = cables.elements.shape[0]
        self._power, self._hull = np.empty((n, 4, 3)), np.empty((n, 4, 3))
        self._radius = cables.radius_poly @ np.vander(cables.xi, 5, increasing=True).T
        self._reach = -1.0
        self._pattern: BlockPattern | None = None
        self._links = np.unique(partners.shape_link[partners.shape_link >= 0])

    @property
    def pattern(self) -> BlockPattern:
        """Sparsity pattern of the tangent for the current candidates."""
        if self._pattern is None:
            cables, runs = self.cables, self.runs
            self._pattern = build_pattern(
                cables.n_nodes,
                cables.elements,
                runs.pair_first,
                runs.candidates,
                cables.attached_nodes,
            )
        return self._pattern

    def evaluate(self, nodes: Array, state: TreeState) -> float:
        """Find closest points and forces; returns the least 1 + gamma g, at most 1."""
        self._nodes, self._state = nodes, state
        cables = self.cables
        power_coefficients(nodes, cables.elements, cables.h, self._power)
        bezier_hull(nodes, cables.elements, cables.h, self._hull)
        if not self._covered(0.0):
            self._search(0.0)
        return self._points()

    def _points(self) -> float:
        cables, partners, runs, bones = self.cables, self.partners, self.runs, self.bones
        start, end = partners.place_shapes(self._state)
        least = kernels.fiber_runs(
            self._power, cables.reference_power, cables.radius_poly, cables.h, cables.end_flag,
            runs.element, runs.start, runs.candidates, runs.law, partners.constants,
            partners.points, partners.xi, runs.slot_start, self.slot_element, self.slot_xi,
            self.fiber_state, self.fiber_force, self._fiber_jacobian,
        )  # fmt: skip
        least_bone = kernels.bone_runs(
            self._power, cables.reference_power, cables.radius_poly, cables.h, bones.element,
            bones.shape, bones.law, start, end, partners.shape_radius, partners.shape_infinite,
            partners.constants, partners.points, partners.xi, bones.slot_start, self.slot_point,
            self.bone_state, self.bone_force, self._bone_jacobian,
        )  # fmt: skip
        return min(least, least_bone, 1.0)

    def scatter(
        self,
        residual: Array,
        residual_q: Array,
        data: Array,
        B: Array,
        R: Array,
        D: Array,
        tangent: bool,
    ) -> None:
        """Add the forces found last, and their tangent, to residual and matrix."""
        cables, partners, runs, bones = self.cables, self.partners, self.runs, self.bones
        pattern = self.pattern
        scatter_fibers(
            cables.elements, cables.h, runs.element, runs.start, runs.candidates, runs.law,
            partners.points, partners.xi, partners.weight, runs.slot_start, self.slot_element,
            self.slot_xi, self.fiber_state, self.fiber_force, self._fiber_jacobian,
            pattern.self_base, pattern.self_stride, pattern.pair_base, pattern.pair_stride, tangent,
            residual, data,
        )  # fmt: skip
        scatter_bones(
            cables.elements, cables.h, bones.element, bones.shape, bones.law, partners.points,
            partners.xi, partners.weight, bones.slot_start, self.slot_point, self.bone_state,
            self.bone_force, self._bone_jacobian, partners.shape_link, self.tree.moves,
            self._state.S, pattern.self_base, pattern.self_stride, tangent, residual, residual_q,
            data, B, R, D,
        )  # fmt: skip

    def step_fraction(
        self, update: Array, update_q: Array, remainder: Array, fraction: float, keep: float
    ) -> float:
        """Part of an update that keeps every admissibility above `keep` times its present value.

        Parameters
        ----------
        update : (n_nodes, 6) float array
            Update of the nodes, to first order in the coordinates at attached nodes.
        update_q : (n,) float array
            Update of the coordinates.
        remainder : (n_elements,) float array
            How far an element's control points may stray from the linear update [m].
        fraction : float
            Part of the update to start from.
        keep : float
            Between 0 and 1.
        """
        cables, partners = self.cables, self.partners
        hull_update = np.empty_like(self._hull)
        bezier_hull(update, cables.elements, cables.h, hull_update)
        reach = 2.0 * float(np.sqrt((hull_update**2).sum(axis=2).max()) + remainder.max())
        for link in self._links:
            joints = np.flatnonzero(self.tree.moves[link])
            lever = np.linalg.norm(
                self._hull[:, :, None] - self._state.position[joints], axis=3
            ).max()
            turn = float(np.abs(update_q[joints]).sum())
            reach = max(
                reach, 0.5 * reach + turn * (lever + (1.0 + turn) * self.tree.chain_length[link])
            )
        if not self._covered(reach * fraction):
            self._search(reach * fraction)
            self._points()
        runs, bones = self.runs, self.bones
        fraction = safeguard.fiber_fraction(
            cables.elements, cables.h, update, hull_update, remainder, runs.element, runs.start,
            runs.candidates, runs.law, partners.constants, partners.points, partners.xi,
            runs.slot_start, self.fiber_state, fraction, keep,
        )  # fmt: skip
        return safeguard.bone_fraction(
            cables.elements, cables.h, update, remainder, bones.element, bones.shape, bones.law,
            partners.constants, partners.points, partners.xi, bones.slot_start, self.slot_point,
            self.bone_state, partners.shape_link, self.tree.moves, self._state.position,
            self._state.S, self.tree.chain_length, update_q, fraction, keep,
        )  # fmt: skip

    def line_forces(self) -> Array:
        """Contact force on every element's quadrature points per current length [N/m].

        Only where all laws have the same number of points; (n_elements, n_points, 3).
        """
        n_points = int(self.partners.points.max(initial=1))
        total = np.zeros((self.cables.h.size, n_points, 3))
        for runs, state, force in (
            (self.runs, self.fiber_state, self.fiber_force),
            (self.bones, self.bone_state, self.bone_force),
        ):
            if runs.element.size:
                density = (force / state[:, 4:5]).reshape(-1, n_points, 3)
                np.add.at(total, runs.element, density)
        return total

    def bone_wrenches(self) -> Array:
        """Force on each bone shape and its moment about the ground origin, (n_shapes, 6) [N, N m].

        The force acts at the closest point of the axis.
        """
        cables, partners, bones = self.cables, self.partners, self.bones
        start, end = partners.place_shapes(self._state)
        total = np.zeros((partners.shape_radius.size, 6))
        for run, (element, shape, law) in enumerate(
            zip(bones.element, bones.shape, bones.law, strict=True)
        ):
            n = partners.points[law]
            own = slice(bones.slot_start[run], bones.slot_start[run] + n)
            weight = partners.weight[law, :n] * cables.h[element]
            force = -weight[:, None] * self.bone_force[own]
            axis = end[shape] - start[shape]
            along = (self.slot_point[own] - start[shape]) @ axis / max(axis @ axis, 1e-300)
            if not partners.shape_infinite[shape]:
                along = along.clip(0.0, 1.0)
            point = start[shape] + along[:, None] * axis
            total[shape, :3] += force.sum(axis=0)
            total[shape, 3:] += np.cross(point, force).sum(axis=0)
        return total

    def worst(self) -> tuple[float, str]:
        """Least 1 + gamma g and the names of the two that touch there."""
        candidates = [(1.0, "")]
        names = self.cables.names
        if self.fiber_state.shape[0]:
            s = int(np.argmin(self.fiber_state[:, 3]))
            run = int(np.searchsorted(self.runs.slot_start, s, side="right")) - 1
            a = names[self.cables.fiber[self.runs.element[run]]]
            b = names[self.cables.fiber[self.slot_element[s]]]
            candidates.append((float(self.fiber_state[s, 3]), f"fiber {a!r} and fiber {b!r}"))
        if self.bone_state.shape[0]:
            s = int(np.argmin(self.bone_state[:, 3]))
            run = int(np.searchsorted(self.bones.slot_start, s, side="right")) - 1
            a = names[self.cables.fiber[self.bones.element[run]]]
            b = self.partners.shape_body[self.bones.shape[run]]
            candidates.append((float(self.bone_state[s, 3]), f"fiber {a!r} and body {b!r}"))
        return min(candidates)

    def _radii(self) -> Array:
        """Bound of each fiber's largest current radius."""
        cables = self.cables
        speed = reference_speed(self._nodes, cables.elements, cables.h, cables.xi)
        with np.errstate(divide="ignore"):
            radius = (self._radius * np.sqrt(cables.G0 / speed)).max(axis=1)
        return _RADIUS_SLACK * np.maximum.reduceat(radius, cables.element_start[:-1])

    def _covered(self, reach: float) -> bool:
        """Whether the candidates hold for the present configuration and `reach` beyond it."""
        if self._reach < 0.0:
            return False
        moved = 2.0 * float(np.sqrt(((self._hull - self._built_hull) ** 2).sum(axis=2).max()))
        for link, local in zip(self._links, self._built_local, strict=True):
            relative = self._in_link(link) - local
            moved = max(moved, float(np.sqrt((relative**2).sum(axis=2).max())))
        grown = 2.0 * float((self._radii() - self._built_radii).max())
        return moved + max(grown, 0.0) + reach <= self._reach

    def _in_link(self, link: int) -> Array:
        """Control points of all elements in a link's frame."""
        return (self._hull - self._state.position[link]) @ self._state.rotation[link]

    def _search(self, reach: float) -> None:
        """Find candidates around the present configuration and make room for their points."""
        cables, partners = self.cables, self.partners
        radii = self._radii()
        self._reach = 1.25 * reach + _SKIN * float(self._radius.max())
        self._built_hull = self._hull.copy()
        self._built_local = [self._in_link(link) for link in self._links]
        self._built_radii = radii
        start, end = partners.place_shapes(self._state)
        self.bones = find_bone_runs(
            partners, cables.fiber, self._hull, radii, start, end, self._reach
        )
        runs = find_fiber_runs(partners, cables.fiber, self._hull, radii, self._reach)
        old = getattr(self, "runs", None)
        self.runs = runs
        if (
            old is None
            or not np.array_equal(old.candidates, runs.candidates)
            or not np.array_equal(old.element, runs.element)
            or not np.array_equal(old.start, runs.start)
        ):
            self._pattern = None
        n = int(runs.slot_start[-1])
        self.slot_element, self.slot_xi = np.empty(n, np.int64), np.empty(n)
        self.fiber_state, self.fiber_force = np.empty((n, 6)), np.zeros((n, 3))
        self._fiber_jacobian = np.empty((n, 4, 3, 3))
        n = int(self.bones.slot_start[-1])
        self.slot_point, self.bone_state = np.empty((n, 3)), np.empty((n, 6))
        self.bone_force, self._bone_jacobian = np.zeros((n, 3)), np.empty((n, 2, 3, 3))

"""Candidate pairs for contact, with a Verlet skin so that they are rarely searched."""

from __future__ import annotations

from math import comb
from typing import Any, NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.kernels.fibers.shape import bezier_hull
from fibermsk.kernels.search.held import (
    Elements,
    Found,
    bound_radii,
    fill_way,
    motion_along,
    motion_between,
    motion_since,
)
from fibermsk.kernels.search.motion import fill_least_tangents, fill_radii, fill_sizes
from fibermsk.system.contact.broad_phase import BoneRuns, FiberRuns, find_bone_runs, find_fiber_runs
from fibermsk.system.contact.partners import Partners
from fibermsk.system.fibers.cables import Cables
from fibermsk.system.skeleton.tree import Tree, TreeState

# Bezier coefficients of a quartic from its coefficients in powers of xi.
_BEZIER = np.array([[comb(i, j) / comb(4, j) for j in range(5)] for i in range(5)])


def hull_of(cables: Cables, nodes: Array) -> Array:
    """Bezier control points (n_elements, 4, 3) of nodes (n_nodes, 6) [m]; a new array."""
    hull = np.empty((cables.h.size, 4, 3))
    bezier_hull(nodes, cables.elements, cables.h, hull)
    return hull


def bound_sections(cables: Cables) -> tuple[Array, Array]:
    """Bounds on each element (n_elements,) of r0 [m], and of r0 sqrt(|A1|)."""
    hull = hull_of(cables, cables.reference)
    speeds = np.linalg.norm(3.0 * np.diff(hull, axis=1), axis=2).max(axis=1) / cables.h
    thickest = (cables.radius_poly @ _BEZIER.T).max(axis=1)
    return thickest, thickest * np.sqrt(speeds)


def element_sizes(cables: Cables, hull: Array) -> tuple[Array, Array]:
    """Bound of each element's length, and approximate least radius, two arrays (n_elements,) [m].

    hull (n_elements, 4, 3): Bezier control points.
    """
    length, thinnest = np.empty((2, cables.h.size))
    fill_sizes(hull, cables.h, cables.section_factors, length, thinnest)
    return length, thinnest


class Place(NamedTuple):
    """A configuration: nodes (n_nodes, 6), Bezier control points (n_elements, 4, 3), links."""

    nodes: Array
    hull: Array
    state: TreeState


class FoundAt(NamedTuple):
    """Nodes (n_nodes, 6) and links of the configuration of a search."""

    nodes: Array
    state: TreeState


def into_link(place: Place, link: int, elements: Any) -> Array:
    """Control points (m, 4, 3) of some elements in the frame of a link, -1 for the ground."""
    hull = place.hull[elements]
    if link < 0:
        return hull
    return (hull - place.state.position[link]) @ place.state.rotation[link]


class Way(NamedTuple):
    """An update from a configuration."""

    place: Place  # before the update
    after: Array  # control points (n_elements, 4, 3) after it, to first order in the coordinates
    stray: Array  # bound (n_elements,) of their deviation from linear motion [m]
    radii: Array  # bound (n_fibers,) of each fiber's radius during it [m]
    approach: Array  # bound (n_links, n_elements) of the approach to the bones of each link [m]


class Candidates:
    """Candidate pairs near the configuration of the last search.

    `search` finds all pairs closer than the sum of their radii and a reach (Verlet skin). The list
    stays valid until a pair that it lacks may have approached by the reach, including growth of the
    radii; `hold` bounds this from the motion since the search. The forces use only these
    candidates, so the reach is kept short.

    An update may go farther. `hold_along` applies the same bound at its end. If it fails, `beyond`
    finds the missing pairs that could touch during the update. They serve the safeguard of this
    update alone; the candidates are searched again only if the next evaluation requires it.

    Attributes
    ----------
    fiber_runs, bone_runs
        Candidate pairs.
    found_at : FoundAt
        Configuration of the last search.
    links : (n_links,) int array
        Links with bones that fibers may touch, in increasing order.
    """

    fiber_runs: FiberRuns
    bone_runs: BoneRuns

    def __init__(self, cables: Cables, partners: Partners, tree: Tree) -> None:
        self.cables, self.partners, self.tree = cables, partners, tree
        self.thickest, self._widest = bound_sections(cables)
        self._no_stray = np.zeros(cables.h.size)
        self.links, self.link_of_shape = np.unique(partners.shape_link, return_inverse=True)
        self._reach, self._among = -1.0, bool((partners.fiber_law >= 0).any())
        n = cables.h.size
        self._elements = Elements(
            cables.elements, cables.h, self._widest, cables.xi, cables.element_start
        )
        # work arrays of one call
        self._least = np.empty(n)
        self._beside, self._grown = np.empty(self.links.size), np.empty(len(cables.names))

    def search(self, place: Place, reach: float) -> None:
        """Find the candidates around a configuration."""
        cables, partners = self.cables, self.partners
        hull = place.hull
        self.found_at, self._reach = FoundAt(place.nodes.copy(), place.state), reach
        self._remember(hull)
        self.fiber_runs = find_fiber_runs(
            partners, cables.fiber, hull, hull, self._no_stray, self._radii, reach
        )
        self.bone_runs = find_bone_runs(
            partners, cables.fiber, hull, self._radii, partners.shapes.at(place.state),
            np.full((partners.shape_radius.size, cables.h.size), reach),
        )  # fmt: skip

    def found_in(self, nodes: Array) -> None:
        """Let the nodes of the last search be this array of equal values, as of a memory."""
        self.found_at = self.found_at._replace(nodes=nodes)

    def follow(self, other: Candidates) -> None:
        """Take those of the same fibers and shapes with almost equal sizes."""
        self.found_at, self._reach = other.found_at, other._reach
        self.fiber_runs, self.bone_runs = other.fiber_runs, other.bone_runs
        self._remember(hull_of(self.cables, self.found_at.nodes))

    def _remember(self, hull: Array) -> None:
        """Keep what bounds of the motion since the search need of it, except for its hull."""
        nodes, state = self.found_at
        self._radii = np.empty(len(self.cables.names))
        bound_radii(self._elements, nodes, hull, self._least, self._radii)
        rotation, position = np.empty((self.links.size, 3, 3)), np.zeros((self.links.size, 3))
        rotation[:] = np.eye(3)
        moving = self.links >= 0
        rotation[moving], position[moving] = (
            part[self.links[moving]] for part in (state.rotation, state.position)
        )
        self._poses = rotation, position

    @property
    def _found(self) -> Found:
        """Configuration of the last search; its hull is a new array, not held between calls."""
        hull = hull_of(self.cables, self.found_at.nodes)
        return Found(hull, self._radii, self.links, *self._poses)

    @property
    def were_found(self) -> bool:
        """Whether a search was made."""
        return self._reach >= 0.0

    def forget(self) -> None:
        """Invalidate the candidates."""
        self._reach = -1.0

    def hold(self, place: Place) -> bool:
        """Whether the candidates include every pair that touches in a configuration."""
        if not self.were_found:
            return False
        motion = motion_since(
            self._elements, self._found, self._among, place.nodes, place.hull,
            place.state.rotation, place.state.position, self._least, self._grown, self._beside,
        )  # fmt: skip
        return motion <= self._reach

    def way(
        self, place: Place, hull_update: Array, remainder: Array, update_q: Array, fraction: float
    ) -> Way:
        """Bounds of a fraction of an update, in arrays that the next call overwrites.

        Parameters
        ----------
        place : Place
            Configuration before the update.
        hull_update : (n_elements, 4, 3) float array
            Update of the Bezier control points, to first order in the coordinates [m].
        remainder : (n_elements,) float array
            Bound of the deviation of an element's control points from the linear update [m].
        update_q : (n,) float array
            Update of the coordinates.
        fraction : float
            Fraction of the update.
        """
        state = place.state
        n = self.cables.h.size
        after, radii, approach = (
            np.empty((n, 4, 3)),
            self._grown,
            np.empty((2 + self.links.size, n)),
        )
        fill_way(
            self._elements, self.links, place.nodes, place.hull, hull_update, remainder, state.S,
            self.tree.moves, state.position, self.tree.chain_length(state), update_q, fraction,
            after, radii, approach,
        )  # fmt: skip
        return Way(place, after, remainder, radii, approach[2:])

    def hold_along(self, way: Way) -> bool:
        """Whether the candidates include every pair that touches during an update.

        They must be valid at its start. Relative motions are largest at one of its ends.
        """
        state = way.place.state
        motion = motion_along(
            self._found, self._among, way.place.hull, way.after, way.stray, way.radii,
            way.approach, state.rotation, state.position, self._beside,
        )  # fmt: skip
        return motion <= self._reach

    def along(
        self, before: Place, after: Place, stray: Array, beside: Array, least: tuple[Array, Array]
    ) -> tuple[FiberRuns, BoneRuns]:
        """Runs with every pair that could touch during a motion between two configurations.

        Parameters
        ----------
        before, after : Place
            Its ends; control points and poses are interpolated linearly.
        stray : (n_elements,) float array
            Bound of the deviation of control points from linear motion [m].
        beside : (n_links,) float array
            The same in the frame of each link with bones [m].
        least : pair of (n_elements,) float array
            The `least_tangents` at both ends.
        """
        cables, partners = self.cables, self.partners
        if self.were_found:
            radii, found = np.empty(len(cables.names)), np.empty((2, self.links.size))
            motion = motion_between(
                self._elements, self._found, self._among, before.hull, after.hull,
                before.state[:2], after.state[:2], *least, stray, beside, radii, found,
            )  # fmt: skip
            if motion <= self._reach:
                return self.fiber_runs, self.bone_runs
        radii = np.maximum(*map(self._bound_radii, least))
        fibers = find_fiber_runs(partners, cables.fiber, before.hull, after.hull, stray, radii, 0.0)
        approach = np.empty((self.links.size, cables.h.size))
        for i, link in enumerate(self.links):
            way = into_link(after, link, slice(None)) - into_link(before, link, slice(None))
            approach[i] = np.linalg.norm(way, axis=2).max(axis=1) + beside[i]
        shapes = partners.shapes.at(before.state)
        approach = approach[self.link_of_shape]
        return fibers, find_bone_runs(partners, cables.fiber, before.hull, radii, shapes, approach)

    def beyond(self, way: Way) -> tuple[FiberRuns, BoneRuns]:
        """Pairs that could touch during an update and are not among the candidates."""
        cables, partners = self.cables, self.partners
        hull, state = way.place.hull, way.place.state
        fibers = find_fiber_runs(partners, cables.fiber, hull, way.after, way.stray, way.radii, 0.0)
        bones = find_bone_runs(
            partners, cables.fiber, hull, way.radii, partners.shapes.at(state),
            way.approach[self.link_of_shape],
        )  # fmt: skip
        points = partners.points
        return fibers.beyond(self.fiber_runs, points), bones.beyond(self.bone_runs, points)

    def thickness(self, least_tangents: Array) -> Array:
        """Bound of the largest radius of each element (n_elements,) [m]."""
        return self._widest / np.sqrt(least_tangents)

    def _bound_radii(self, least_tangents: Array) -> Array:
        """Bound of each fiber's largest radius.

        r = r0 sqrt(|A1|/|a1|) with r0 and |A1| below the largest of their Bezier coefficients.
        """
        radii = np.empty(len(self.cables.names))
        fill_radii(self.cables.element_start, self._widest, least_tangents, radii)
        return radii

    def least_tangents(self, place: Place) -> Array:
        """Lower bound of |a1| on each element."""
        cables = self.cables
        least = np.empty(cables.h.size)
        fill_least_tangents(place.nodes, cables.elements, cables.h, cables.xi, place.hull, least)
        return least

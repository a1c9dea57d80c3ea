"""Candidates for contact: found once in a while, and what is left of them."""

from __future__ import annotations

from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk.kernels.bone_bounds import fill_bone_approach, motion_beside
from fibermsk.kernels.bounds import fill_after, relative_motion
from fibermsk.kernels.motion import fill_least_tangents, fill_radii, fill_sizes
from fibermsk.kernels.shape import bezier_hull
from fibermsk.system.broad_phase import BoneRuns, FiberRuns, find_bone_runs, find_fiber_runs
from fibermsk.system.cables import Cables
from fibermsk.system.partners import Partners
from fibermsk.system.tree import Tree, TreeState

__all__ = ["Candidates", "Place", "Way", "bound_sections", "element_sizes", "into_link"]

Array = NDArray[np.float64]

# Bezier coefficients of a quartic from its coefficients in powers of xi.
_BEZIER = np.array([[comb(i, j) / comb(4, j) for j in range(5)] for i in range(5)])


def bound_sections(cables: Cables) -> tuple[Array, Array]:
    """Bounds on each element (n_elements,) of r0 [m], and of r0 sqrt(|A1|)."""
    hull = np.empty((cables.h.size, 4, 3))
    bezier_hull(cables.reference, cables.elements, cables.h, hull)
    speeds = np.linalg.norm(3.0 * np.diff(hull, axis=1), axis=2).max(axis=1) / cables.h
    thickest = (cables.radius_poly @ _BEZIER.T).max(axis=1)
    return thickest, thickest * np.sqrt(speeds)


def element_sizes(cables: Cables, hull: Array) -> tuple[Array, Array]:
    """Bound of each element's length, and about its least radius, two arrays (n_elements,) [m].

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


def into_link(place: Place, link: int, elements: Any) -> Array:
    """Control points (m, 4, 3) of some elements in the frame of a link, -1 for the ground."""
    hull = place.hull[elements]
    if link < 0:
        return hull
    return (hull - place.state.position[link]) @ place.state.rotation[link]


class Way(NamedTuple):
    """An update from a place.

    Attributes
    ----------
    place : Place
        Where it begins.
    after : (n_elements, 4, 3) float array
        Bezier control points at its end, to first order in the coordinates.
    stray : (n_elements,) float array
        How far they may leave the straight way there [m].
    radii : (n_fibers,) float array
        Bound of each fiber's radius on it [m].
    approach : (n_links, n_elements) float array
        Bound of how far each element approaches the bones of each link [m].
    """

    place: Place
    after: Array
    stray: Array
    radii: Array
    approach: Array


class Candidates:
    """Pairs that could touch near the place of the last search.

    What `search` finds holds every pair that is no farther apart than its radii and a reach. It
    holds on until two that are not among them may have approached each other by the reach, their
    growing radii included: `hold` bounds this from the motion since the search. The forces only use
    these candidates, so the reach is kept short.

    An update may go farther. `hold_along` bounds the motion at its end likewise; if they do not
    hold, `beyond` finds the pairs that could touch on its way and are not among them. These are for
    the safeguard of this update alone: the candidates stay as they are, and are searched anew
    only if the next place that forces are wanted for asks for it.

    Attributes
    ----------
    fiber_runs, bone_runs
        The candidates.
    """

    fiber_runs: FiberRuns
    bone_runs: BoneRuns

    def __init__(self, cables: Cables, partners: Partners, tree: Tree) -> None:
        self.cables, self.partners, self.tree = cables, partners, tree
        self.thickest, self._widest = bound_sections(cables)
        self._no_stray = np.zeros(cables.h.size)
        self._links, self._link_of_shape = np.unique(partners.shape_link, return_inverse=True)
        self._reach = -1.0

    def search(self, place: Place, reach: float) -> None:
        """Find the candidates around a place."""
        cables, partners = self.cables, self.partners
        hull = place.hull.copy()
        self._place = Place(place.nodes.copy(), hull, place.state)
        self._reach = reach
        self._radii = self._bound_radii(self.least_tangents(place))
        self.fiber_runs = find_fiber_runs(
            partners, cables.fiber, hull, hull, self._no_stray, self._radii, reach
        )
        self.bone_runs = find_bone_runs(
            partners, cables.fiber, hull, self._radii, partners.shapes.at(place.state),
            np.full((partners.shape_radius.size, cables.h.size), reach),
        )  # fmt: skip

    @property
    def found_at(self) -> Place:
        """Place of the last search."""
        return self._place

    @property
    def were_found(self) -> bool:
        """Whether there was a search."""
        return self._reach >= 0.0

    def forget(self) -> None:
        """Make them hold nowhere."""
        self._reach = -1.0

    def hold(self, place: Place) -> bool:
        """Whether they hold every pair that touches at a place."""
        if not self.were_found:
            return False
        radii = self._bound_radii(self.least_tangents(place))
        return self._within_reach(radii, self._fiber_motion(place.hull), self._bone_motion(place))

    @property
    def links(self) -> NDArray[np.int64]:
        """Links that carry bones that fibers may touch, in increasing order."""
        return self._links

    def way(
        self, place: Place, hull_update: Array, remainder: Array, update_q: Array, fraction: float
    ) -> Way:
        """Bounds of a part of an update.

        Parameters
        ----------
        place : Place
            Where it begins.
        hull_update : (n_elements, 4, 3) float array
            Update of the Bezier control points, to first order in the coordinates [m].
        remainder : (n_elements,) float array
            How far an element's control points may stray from the linear update [m].
        update_q : (n,) float array
            Update of the coordinates.
        fraction : float
            Part of the update.
        """
        cables = self.cables
        after, left = np.empty_like(place.hull), np.empty(cables.h.size)
        fill_after(
            place.hull, hull_update, remainder, cables.h, fraction, self.least_tangents(place),
            after, left,
        )  # fmt: skip
        approach = np.empty((self._links.size, cables.h.size))
        chain_length = self.tree.chain_length(place.state)
        for i, link in enumerate(self._links):
            fill_bone_approach(
                place.hull, hull_update, remainder, link, place.state.S, self.tree.moves,
                place.state.position, chain_length, update_q, fraction, approach[i],
            )  # fmt: skip
        return Way(place, after, remainder, self._bound_radii(left), approach)

    def hold_along(self, way: Way) -> bool:
        """Whether they hold every pair that touches anywhere on a way from where they hold.

        The relative motion of two is largest at one of its ends.
        """
        hulls = (way.place.hull, way.after)
        apart = max(self._fiber_motion(hull) for hull in hulls)
        beside = self._bone_motion(way.place) + way.approach.max(axis=1, initial=0.0)
        return self._within_reach(way.radii, apart + 2.0 * way.stray.max(initial=0.0), beside)

    def along(
        self, before: Place, after: Place, stray: Array, beside: Array, least: tuple[Array, Array]
    ) -> tuple[FiberRuns, BoneRuns]:
        """Runs that hold every pair that could touch on a way between two places.

        Parameters
        ----------
        before, after : Place
            Its ends; control points and poses go from one to the other in straight lines.
        stray : (n_elements,) float array
            How far control points may leave these [m].
        beside : (n_links,) float array
            How far they may leave straight lines in the frame of each link with bones [m].
        least : pair of (n_elements,) float array
            The `least_tangents` at both ends.
        """
        cables, partners = self.cables, self.partners
        radii = np.maximum(*map(self._bound_radii, least))
        if self.were_found:
            apart = max(self._fiber_motion(place.hull) for place in (before, after))
            near = np.maximum(self._bone_motion(before), self._bone_motion(after)) + beside
            if self._within_reach(radii, apart + 2.0 * stray.max(initial=0.0), near):
                return self.fiber_runs, self.bone_runs
        fibers = find_fiber_runs(partners, cables.fiber, before.hull, after.hull, stray, radii, 0.0)
        approach = np.empty((self._links.size, cables.h.size))
        for i, link in enumerate(self._links):
            way = into_link(after, link, slice(None)) - into_link(before, link, slice(None))
            approach[i] = np.linalg.norm(way, axis=2).max(axis=1) + beside[i]
        shapes = partners.shapes.at(before.state)
        approach = approach[self._link_of_shape]
        return fibers, find_bone_runs(partners, cables.fiber, before.hull, radii, shapes, approach)

    def beyond(self, way: Way) -> tuple[FiberRuns, BoneRuns]:
        """Pairs that could touch somewhere on a way and are not among the candidates."""
        cables, partners = self.cables, self.partners
        hull, state = way.place.hull, way.place.state
        fibers = find_fiber_runs(partners, cables.fiber, hull, way.after, way.stray, way.radii, 0.0)
        bones = find_bone_runs(
            partners, cables.fiber, hull, way.radii, partners.shapes.at(state),
            way.approach[self._link_of_shape],
        )  # fmt: skip
        points = partners.points
        return fibers.beyond(self.fiber_runs, points), bones.beyond(self.bone_runs, points)

    def thickness(self, least_tangents: Array) -> Array:
        """Bound of the largest radius of each element (n_elements,) [m]."""
        return self._widest / np.sqrt(least_tangents)

    def _within_reach(self, radii: Array, apart: float, beside: Array) -> bool:
        """Whether motions of fibers among each other and beside each link leave them valid."""
        motion = max(apart, beside.max(initial=0.0))
        return bool(motion + 2.0 * (radii - self._radii).max(initial=0.0) <= self._reach)

    def _fiber_motion(self, hull: Array) -> float:
        """Bound of any relative motion since the search, if fibers touch each other at all."""
        if not (self.partners.fiber_law >= 0).any():
            return 0.0
        return relative_motion(self._place.hull, hull)

    def _bone_motion(self, place: Place) -> Array:
        """Largest motion of any element beside each link since the search."""
        poses = [
            (np.eye(3), np.zeros(3)) if link < 0 else (state.rotation[link], state.position[link])
            for link in self._links
            for state in (self._place.state, place.state)
        ]
        motions = [
            motion_beside(self._place.hull, place.hull, *before, *after)
            for before, after in zip(poses[::2], poses[1::2], strict=True)
        ]
        return np.array(motions)

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

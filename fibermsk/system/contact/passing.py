"""Continuous collision detection: fibers that pass through each other or through bones.

Between two states control points and coordinates are interpolated linearly; deviations due to
attachments and rotating bones are bounded. Pairs with a separating plane are accepted
(`fibermsk.kernels.search.passing`). The others are checked for collision during the motion, and at
its end, along the whole element, for penetration beyond the limit of the contact law.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array, Index
from fibermsk._ranges import sizes
from fibermsk.errors import ModelError
from fibermsk.kernels.bones.bone_shape import fill_slopes
from fibermsk.kernels.contact_arrays import BoneShapes
from fibermsk.kernels.search.bone_bounds import fill_bends
from fibermsk.kernels.search.passing import FIRST_LOOK, MOST_PARTS, find_passing, mark_near
from fibermsk.kernels.search.passing_bones import find_passing_bones, mark_near_bones_between
from fibermsk.protocol import Verdict
from fibermsk.system.configuration import Configuration
from fibermsk.system.contact.broad_phase import BoneRuns, FiberRuns
from fibermsk.system.contact.candidates import Place, element_sizes, hull_of
from fibermsk.system.contact.grid import FLAT
from fibermsk.system.skeleton.skeleton import Motion

_TURN = 0.05
"""Largest rotation of a body in one piece of a motion [rad]."""

_MOST_PIECES = 256

_PASSING = 0.9
"""Fraction of the least admissible distance below which a pair counts as colliding during a motion.
End states may be closer to that distance than the motion between them."""

_SINKING, _SHALLOW = 0.5, 0.1
"""Contact points are added where 1 + gamma g between them is below this fraction of the least at
them, and below this value."""

_SAMPLES = 8
"""Times within a step at which prescribed motions are compared with linear motion."""

_XI = np.linspace(0.0, 1.0, 17)
"""Sample points of an element inside thin parts of a mesh."""


class _State(NamedTuple):
    """Positions, configuration of bodies and fibers, and lower bounds of the tangent lengths."""

    y: Array
    motion: Motion
    place: Place
    least: Array

    @classmethod
    def of(cls, system: Configuration, y: Array, motion: Motion | None = None) -> _State:
        """Evaluate the configuration at positions y (n,), with the bodies there if known."""
        cables = system.cables
        nodes, q = system.split(y)
        motion = system.posed(q)[0] if motion is None else motion
        place = Place(nodes, hull_of(cables, nodes), motion.links)
        return cls(y, motion, place, system.contact.candidates.least_tangents(place))


class Passing:
    """Collision checks of a system; satisfies `fibermsk.protocol.Collides`."""

    def __init__(self, system: Configuration, owner: str) -> None:
        self._system, self._owner = system, owner
        self._last: tuple[Array, Motion] | None = None

    def begin(self, t: float, y: Array) -> bool:
        """Start a run: set contact points by the present spacing."""
        system, spacing = self._system, self._system.contact.spacing
        known = spacing.memory()
        spacing.clear()
        system.contact.candidates.forget()
        system.forget()
        self.refine_along(t, y)
        verdict = self.judge((t, y), (t, y))
        while verdict.refined:
            verdict = self.judge((t, y), (t, y))
        if verdict.reason:
            raise ModelError(
                f"{self._owner}: in the start state {verdict.reason}; move the fibers apart, or "
                "start from another state"
            )
        return any(not np.array_equal(known[key], now) for key, now in spacing.memory().items())

    def judge(self, before: tuple[float, Array], after: tuple[float, Array]) -> Verdict:
        """Check the motion between two states, each a time [s] and positions (n,).

        The bodies at the end of the previous motion are cached, since most motions start there.
        """
        if not self._system.partners.points.size:
            return Verdict()
        last, start = self._last, before[1]
        motion = last[1] if last is not None and last[0] is start else None
        known = _State.of(self._system, start, motion)
        new = known if after[1] is start else _State.of(self._system, after[1])
        self._last = new.y, new.motion
        return _judge(self._system, before[0], known, after[0], new)

    def refine_along(self, t: float, y: Array) -> bool:
        """Add contact points where the spacing at y requires it."""
        system = self._system
        if not system.partners.points.size:
            return False
        if system.must_look_at(y):
            nodes, q = system.split(y)
            system.contact.locate(nodes, system.skeleton.at(q).links)
            system.forget()
        refined = system.contact.refine_along()
        if refined:
            system.forget()
        return refined


def _judge(system: Configuration, t0: float, before: _State, t1: float, after: _State) -> Verdict:
    """Check the motion between two states."""
    y0, y1 = before.y, after.y
    contact, skeleton = system.contact, system.skeleton
    (_, q0), (_, q1) = system.split(y0), system.split(y1)
    sway = _sway(system, t0, y0, t1, y1)
    if system.must_look_at(y1):
        contact.locate(after.place.nodes, after.place.state)
    change = skeleton.to_axes(before.motion, q1 - q0)
    turn, _ = skeleton.tree.turns_and_slides(np.abs(change) + skeleton.excess(q0, q1 - q0))
    pieces = max(1, int(np.ceil(turn.max(initial=0.0) / _TURN)))
    if pieces > _MOST_PIECES:
        return Verdict(f"a body turns by {turn.max():.3g} rad in one step")
    start = before
    for k in range(1, pieces):
        end = _State.of(system, _between(system, y0, y1, k / pieces))
        reason = _Way(system, start, end, *sway).passing()
        if reason:
            return Verdict(reason)
        start = end
    way = _Way(system, start, after, *sway)
    reason = way.passing()
    if reason:
        return Verdict(reason)
    if way.clear:
        return Verdict()
    near = way.near
    system.look_at(y1)
    least, names = contact.depths(*near)
    # much deeper between contact points than at them: soon beyond the limit
    between = least < _SINKING * min(contact.worst()[0], 1.0) and least < _SHALLOW
    if least > 0.0 and not between:
        return Verdict(admissibility=least)
    if contact.refine(*near):
        system.forget()
        return Verdict(refined=True)
    if least > 0.0:
        return Verdict(admissibility=least)
    return Verdict(
        f"{names} penetrate between contact points, deeper than their contact law allows "
        f"(1 + gamma g = {least:.3g}): use more elements or points_per_element"
    )


class _Way:
    """One piece of a motion, and its candidate pairs without a separating plane."""

    def __init__(
        self, system: Configuration, before: _State, after: _State, sway: Array, sway_axes: Array
    ) -> None:
        self._system = system
        skeleton, partners = system.skeleton, system.partners
        (nodes, q0), (_, q1) = system.split(before.y), system.split(after.y)
        change = skeleton.to_axes(before.motion, q1 - q0)
        excess = skeleton.excess(q0, q1 - q0) + sway_axes
        self._stray = system.attached.stray(before.motion, nodes, change, excess) + sway
        places = self._places = before.place, after.place
        candidates = system.contact.candidates
        beside = _bends(system, places, change, excess, candidates.links)
        least = before.least, after.least
        runs = candidates.along(*places, self._stray, beside, least)
        if not partners.guarded.all():
            fibers, bones = runs
            runs = (
                fibers.select(partners.guarded[fibers.law], partners.points),
                bones.select(partners.guarded[bones.law], partners.points),
            )
        # least admissible distance over the sum of both radii
        self._part = 1.0 - 1.0 / partners.constants[:, 1]
        thickest = np.maximum(*map(candidates.thickness, least))
        self._find_fibers(runs[0], thickest)
        self._find_bones(runs[1], thickest, beside[candidates.link_of_shape])
        self._runs = runs

    @property
    def near(self) -> tuple[FiberRuns, BoneRuns]:
        """Candidate pairs without a separating plane."""
        points = self._system.partners.points
        fibers, bones = self._runs
        return fibers.select_candidates(self._pairs, points), bones.select(self._touching, points)

    @property
    def clear(self) -> bool:
        """Whether all candidate pairs have a separating plane."""
        return not (self._pairs.any() or self._touching.any())

    def _find_fibers(self, runs: FiberRuns, thickest: Array) -> None:
        """Find pairs of elements without a separating plane."""
        self._pairs = np.zeros(runs.candidates.size, bool)
        if runs.element.size:
            before, after = self._places
            mark_near(
                before.hull, after.hull, self._system.cables.fiber, self._stray, thickest,
                runs.element, runs.start, runs.candidates, runs.law, self._part, self._pairs,
            )  # fmt: skip
        self._first = self._second = np.zeros(0, np.int64)
        self._pair_floor = np.zeros(0)
        if not self._pairs.any():
            return
        self._first, self._second = runs.pair_first[self._pairs], runs.candidates[self._pairs]
        law = np.repeat(runs.law, sizes(runs.start))[self._pairs]
        least = self._thinnest[self._first] + self._thinnest[self._second]
        stray = self._stray[self._first] + self._stray[self._second]
        self._pair_floor = _PASSING * self._part[law] * least + stray

    def _find_bones(self, runs: BoneRuns, thickest: Array, bends: Array) -> None:
        """Find elements that are not proven to stay clear of a bone.

        bends (n_shapes,): deviations from linear motion in the frame of the link of each shape.
        """
        partners, (before, after) = self._system.partners, self._places
        shapes, element, shape = partners.shapes, runs.element, runs.shape
        near = self._touching = np.zeros(element.size, bool)
        self._bone_shapes = np.zeros(0, np.int64)
        if not element.size:
            return
        ways = np.empty((2, element.size, 4, 3))
        at_rest = BoneShapes(shapes.local, shapes.field, shapes.kind, shapes.grids)
        mark_near_bones_between(
            before.hull, after.hull, before.state[:2], after.state[:2], (element, shape, runs.law),
            (partners.shape_link, partners.shape_radius, shapes.thin, shapes.steepest),
            (self._part, thickest, self._stray, bends), at_rest, FIRST_LOOK, ways, near,
        )  # fmt: skip
        if not near.any():
            return
        self._bone_place = shapes.steepest, at_rest
        element, shape = element[near], shape[near]
        self._bone_shapes, self._bone_elements = shape, element
        self._bone_ways = ways[:, near]
        floor = partners.shape_radius[shape] + self._thinnest[element]
        slack = (self._stray[element] + bends[shape]) * shapes.steepest[shape]
        self._bone_floor = _PASSING * self._part[runs.law[near]] * floor + slack

    @cached_property
    def _thinnest(self) -> Array:
        """Approximate least radius of each element at both ends."""
        cables = self._system.cables
        return np.minimum(*(element_sizes(cables, place.hull)[1] for place in self._places))

    def passing(self) -> str:
        """Name the pair that collides; empty if none does."""
        if not (self._first.size or self._bone_shapes.size):
            return ""
        cables, partners = self._system.cables, self._system.partners
        found = np.zeros(self._first.size, bool)
        hulls = [place.hull for place in self._places]
        find_passing(*hulls, self._first, self._second, self._pair_floor, found)
        if found.any():
            k = int(np.argmax(found))
            a, b = (cables.names[cables.fiber[e[k]]] for e in (self._first, self._second))
            return f"fiber {a!r} would pass through fiber {b!r}"
        shape = self._bone_shapes
        if not shape.size:
            return ""
        found = np.zeros(shape.size, bool)
        place = (*self._bone_place, MOST_PARTS)
        find_passing_bones(*self._bone_ways, shape, self._bone_floor, *place, found)
        found |= self._through_thin_parts()
        if found.any():
            k = int(np.argmax(found))
            name = cables.names[cables.fiber[self._bone_elements[k]]]
            return f"fiber {name!r} would pass through body {partners.shape_body[shape[k]]!r}"
        return ""

    def _through_thin_parts(self) -> NDArray[np.bool_]:
        """Runs in which a centerline crosses the medial axis of a thin part of a mesh.

        Across the medial axis the gradient of the signed distance reverses; on it the gradient
        vanishes.
        """
        shapes, shape = self._system.partners.shapes, self._bone_shapes
        found = np.zeros(shape.size, bool)
        basis = np.stack([(1 - _XI) ** 3, 3 * _XI * (1 - _XI) ** 2, 3 * _XI**2 * (1 - _XI), _XI**3])
        for k in np.flatnonzero(shapes.thin[shape]):
            b = slice(shape[k], shape[k] + 1)
            own = BoneShapes(shapes.local[b], shapes.field[b], shapes.kind[b], shapes.grids)
            depth, slope = np.empty((2, _XI.size)), np.empty((2, _XI.size, 3))
            for end in range(2):
                points = np.ascontiguousarray(basis.T @ self._bone_ways[end, k])
                fill_slopes(points, own, depth[end], slope[end])
            inside = depth < shapes.field[shape[k], 0]
            flat = np.linalg.norm(slope[1], axis=1) < FLAT
            turned = (slope[0] * slope[1]).sum(axis=1) < 0.0
            found[k] = bool((inside[1] & (flat | (inside[0] & turned))).any())
        return found


def _between(system: Configuration, y0: Array, y1: Array, part: float) -> Array:
    """Interpolated positions, with the attached ends moved by the bodies."""
    y = (1.0 - part) * y0 + part * y1
    nodes, q = system.split(y)
    moved = [node for node, _ in system.moving_points]
    kept = nodes[moved, :3].copy()
    nodes[system.cables.attached_nodes, :3] = system.attached.place(system.skeleton.at(q)).c
    nodes[moved, :3] = kept
    return y


def _sway(system: Configuration, t0: float, y0: Array, t1: float, y1: Array) -> tuple[Array, Array]:
    """Sampled deviation of prescribed motions from linear motion: per element [m], per axis."""
    cables, skeleton = system.cables, system.skeleton
    sway, axes = np.zeros(cables.h.size), np.zeros(skeleton.tree.n)
    held = skeleton.constraints.held
    if not t1 > t0 or not (system.moving_points or held.size):
        return sway, axes
    (nodes0, q0), (nodes1, q1) = system.split(y0), system.split(y1)
    parts = np.arange(1, _SAMPLES) / _SAMPLES
    for node, point in system.moving_points:
        straight = nodes0[node, :3] + parts[:, None] * (nodes1[node, :3] - nodes0[node, :3])
        given = np.array([point.position_at(t0 + part * (t1 - t0)) for part in parts])
        own = (cables.elements == node).any(axis=1)
        sway[own] = np.maximum(sway[own], np.linalg.norm(given - straight, axis=1).max())
    if held.size:
        straight = q0[held] + parts[:, None] * (q1[held] - q0[held])
        given = np.array([skeleton.constraints.at(t0 + part * (t1 - t0), 0) for part in parts])
        change = np.zeros(skeleton.n)
        change[held] = np.abs(given - straight).max(axis=0)
        motion = skeleton.at(q0)
        J = np.eye(skeleton.n) if motion.rows is None else skeleton.axes_of(motion.rows.J)
        axes = np.abs(J) @ change
    return sway, axes


def _bends(
    system: Configuration, places: tuple[Place, Place], change: Array, excess: Array, links: Index
) -> Array:
    """Deviation of control points from linear motion in the frame of each link with bones [m]."""
    tree, (before, after), bends = system.skeleton.tree, places, np.empty(links.size)
    fill_bends(
        links, tree.moves, tree.kind, before.state.position, np.abs(change) + excess, excess,
        tree.chain_length(before.state), before.hull, after.hull, bends,
    )  # fmt: skip
    return bends

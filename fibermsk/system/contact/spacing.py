"""Spacing of contact points: as specified, and refined where fibers have stretched.

A partner that crosses a fiber between two contact points is detected only by the distance of these
points. With spacing L and sum of both radii R, the penetration midway is larger by the fraction
1 - sqrt(1 - (L / 2R)^2) of R. Points are added, by doubling
their number on an element, until this is at most half of the deepest relative penetration 1/gamma.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from fibermsk._arrays import Array, Index, Short
from fibermsk._ranges import sizes
from fibermsk.elements import gauss_rule
from fibermsk.system.contact.broad_phase import BoneRuns, FiberRuns, point_starts
from fibermsk.system.contact.partners import Partners

Runs = TypeVar("Runs", FiberRuns, BoneRuns)

MOST_DOUBLINGS = 5
"""Largest number of doublings of the contact points of an element."""

_DENSE = 0.1
"""Spacing of the points at which penetration is sampled, over the sum of the radii."""

_MOST_DENSE = 257


def _with_rules(partners: Partners, rules: list[list[tuple[Array, Array]]]) -> Partners:
    """Partners whose law number k * n_laws + law has the points `rules[k][law]`."""
    flat = [rule for level in rules for rule in level]
    widest = max((xi.size for xi, _ in flat), default=1)
    xi, weight = np.zeros((2, len(flat), widest))
    for i, (points, weights) in enumerate(flat):
        xi[i, : points.size], weight[i, : points.size] = points, weights
    return replace(
        partners,
        constants=np.tile(partners.constants, (len(rules), 1)),
        kind=np.tile(partners.kind, len(rules)),
        variational=np.tile(partners.variational, len(rules)),
        friction=np.tile(partners.friction, (len(rules), 1)),
        points=np.array([points.size for points, _ in flat], np.int64),
        xi=xi,
        weight=weight,
    )


def densely(partners: Partners, n_points: Index) -> Partners:
    """Partners with evenly spaced points on elements, ends included, to sample penetration.

    Penetration is that of the true radii at closest points, as in half passes; pair potentials
    blend the radii along a partner.
    n_points (n_rules,): law number k * n_laws + law has the k-th of these numbers.
    """
    n_laws = partners.points.size
    rules = [(np.linspace(0.0, 1.0, int(n)), np.full(int(n), 1.0 / n)) for n in n_points]
    found = _with_rules(partners, [[rule] * n_laws for rule in rules])
    return replace(found, variational=np.zeros_like(found.variational))


class Spacing:
    """Number of doublings of the contact points of each element, for laws as the contacts specify.

    Attributes
    ----------
    among_fibers : (n_elements,) int array
        For contact with other fibers.
    on_bones : (n_elements, n_shapes) int array
        For contact with each bone shape.
    revision : int
        Number of changes so far.
    """

    def __init__(self, partners: Partners, n_elements: int) -> None:
        self._given = partners
        self.among_fibers = np.zeros(n_elements, np.int64)
        self.on_bones = np.zeros((n_elements, partners.shape_link.size), np.int64)
        self._levels, self.revision = 1, 0
        self._rules, self._current = partners, 0
        n = partners.points
        self._gaps = np.array([_widest_gap(gauss_rule(int(k))[0]) for k in n]).reshape(n.size)
        # spacing at which a crossing partner midway has half the admissible penetration left
        part = 1.0 - 0.5 / partners.constants[:, 1] if n.size else np.zeros(0)
        self._allowed = 2.0 * np.sqrt(1.0 - part * part)

    @property
    def n_laws(self) -> int:
        """Number of laws as the contacts specify them."""
        return self._given.points.size

    @property
    def rules(self) -> Partners:
        """Partners whose law number level * n_laws + law has the points of a level."""
        if self._current == self.revision:
            return self._rules
        self._current = self.revision
        needed = 1 + int(max(self.among_fibers.max(initial=0), self.on_bones.max(initial=0)))
        if needed != self._levels:
            self._levels = needed
            counts = [self._given.points << level for level in range(needed)]
            rules = [[gauss_rule(int(n)) for n in level] for level in counts]
            self._rules = self._given if needed == 1 else _with_rules(self._given, rules)
        return self._rules

    def place_fibers(self, runs: FiberRuns) -> FiberRuns:
        """Fiber runs with the laws of their elements' levels."""
        if not self.among_fibers.any():
            return runs
        return self._number(runs, self.among_fibers[runs.element], self.rules)

    def place_bones(self, runs: BoneRuns) -> BoneRuns:
        """Bone runs with the laws of their elements' levels."""
        if not self.on_bones.any():
            return runs
        return self._number(runs, self.on_bones[runs.element, runs.shape], self.rules)

    def _number(self, runs: Runs, level: Index, rules: Partners) -> Runs:
        """Runs with the laws of given levels."""
        law = (runs.law + self._given.points.size * level).astype(np.int32)
        return runs._replace(law=law, point_start=point_starts(rules.points, law))

    def dense(
        self, fibers: FiberRuns, bones: BoneRuns, length: Array, thinnest: Array
    ) -> tuple[Partners, FiberRuns, BoneRuns]:
        """The same runs with points dense enough to detect any partner.

        length, thinnest (n_elements,): of the elements, and their least radii [m].
        """
        sums = (
            thinnest[fibers.element] + _least_of_runs(fibers, thinnest),
            thinnest[bones.element] + self._given.shape_radius[bones.shape],
        )
        wanted = [
            1 + np.ceil(length[runs.element] / (_DENSE * total))
            for runs, total in zip((fibers, bones), sums, strict=True)
        ]
        most = min(max(int(n.max(initial=9)) for n in wanted), _MOST_DENSE)
        numbers = np.array([9, *(2**k + 1 for k in range(4, 9) if 2 ** (k - 1) + 1 < most)])
        rules = densely(self._given, numbers)
        levels = [np.minimum(np.searchsorted(numbers, n), numbers.size - 1) for n in wanted]
        return (
            rules,
            self._number(fibers, levels[0], rules),
            self._number(bones, levels[1], rules),
        )

    def follow(self, fibers: FiberRuns, bones: BoneRuns, length: Array, thinnest: Array) -> bool:
        """Double points where elements have become too long; return whether any were doubled."""
        refine = self._given.refine
        if not refine.any():
            return False
        wide = length * self._gaps.max(initial=0.0)
        radius = min(thinnest.min(initial=np.inf), self._given.shape_radius.min(initial=np.inf))
        if not (wide > self._allowed.min() * (thinnest + radius)).any():
            return False  # whoever the partner is
        before = int(self.among_fibers.sum() + self.on_bones.sum())
        total = thinnest[fibers.element] + _least_of_runs(fibers, thinnest)
        level = self._needed(fibers.law, length[fibers.element], total)
        np.maximum.at(self.among_fibers, fibers.element, level)
        total = thinnest[bones.element] + self._given.shape_radius[bones.shape]
        level = self._needed(bones.law, length[bones.element], total)
        np.maximum.at(self.on_bones, (bones.element, bones.shape), level)
        changed = int(self.among_fibers.sum() + self.on_bones.sum()) > before
        self.revision += changed
        return changed

    def double(self, fibers: FiberRuns, bones: BoneRuns) -> bool:
        """Double the points of some runs and of their partners; False if all have the maximum."""
        keep = self._given.refine
        own = np.unique(
            np.r_[
                fibers.element[keep[fibers.law]],
                fibers.candidates[np.repeat(keep[fibers.law], sizes(fibers.start))],
            ]
        )
        beside = np.unique(np.stack([bones.element, bones.shape])[:, keep[bones.law]], axis=1)
        room = self.among_fibers[own] < MOST_DOUBLINGS
        room_beside = self.on_bones[beside[0], beside[1]] < MOST_DOUBLINGS
        self.among_fibers[own[room]] += 1
        self.on_bones[beside[0][room_beside], beside[1][room_beside]] += 1
        changed = bool(room.any() or room_beside.any())
        self.revision += changed
        return changed

    @property
    def in_use(self) -> bool:
        """Whether any element has more points than its contacts specify."""
        return bool(self.among_fibers.any() or self.on_bones.any())

    def memory(self) -> dict[str, Any]:
        """Number of doublings, by name; new arrays."""
        return {
            "points_among_fibers": self.among_fibers.copy(),
            "points_on_bones": self.on_bones.copy(),
        }

    def is_as(self, memory: dict[str, Any]) -> bool:
        """Whether the doublings are those of a `memory`."""
        own = self.memory()
        return all(np.array_equal(own[name], memory[name]) for name in own)

    def restore(self, memory: dict[str, Any]) -> None:
        """Restore the doublings of a `memory` of the same elements and shapes."""
        self.among_fibers[:] = memory["points_among_fibers"]
        self.on_bones[:] = memory["points_on_bones"]
        self.revision += 1

    def clear(self) -> None:
        """Reset to the points that the contacts specify."""
        self.revision += self.in_use
        self.among_fibers[:] = 0
        self.on_bones[:] = 0

    def _needed(self, law: Short, length: Array, total: Array) -> Index:
        """Doublings that runs need; none where the contact is not refined."""
        ratio = length * self._gaps[law] / (self._allowed[law] * total)
        level = np.ceil(np.log2(np.maximum(ratio, 1.0))).astype(np.int64)
        return np.where(self._given.refine[law], np.minimum(level, MOST_DOUBLINGS), 0)


def _widest_gap(xi: Array) -> float:
    """Largest distance between neighboring points, also across adjacent elements."""
    return float(max(np.diff(xi).max(initial=0.0), 2.0 * xi[0]))


def _least_of_runs(runs: FiberRuns, values: Array) -> Array:
    """Least value (n_elements,) among the candidates of each run."""
    if not runs.element.size:
        return np.zeros(0)
    return np.minimum.reduceat(values[runs.candidates], runs.start[:-1])

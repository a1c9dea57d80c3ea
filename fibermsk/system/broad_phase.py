"""Candidate pairs: which elements could touch while nothing moves farther than a reach.

Elements are enclosed in balls around their Bezier control points; a k-d tree of the ball centers
yields the pairs in range, so the cost grows with the number of neighbors and not with all pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from fibermsk.system.partners import Partners

__all__ = ["BoneRuns", "FiberRuns", "find_bone_runs", "find_fiber_runs"]

Array = NDArray[np.float64]
Index = NDArray[np.int64]


@dataclass(frozen=True)
class FiberRuns:
    """One run for every element and every other fiber near it.

    Attributes
    ----------
    element, law : (n_runs,) int array
        The integrated element and its contact law.
    start : (n_runs + 1,) int array
        Where the run's candidates begin.
    candidates : (n_pairs,) int array
        Elements of the other fiber.
    slot_start : (n_runs + 1,) int array
        Where the run's quadrature points begin.
    """

    element: Index
    law: Index
    start: Index
    candidates: Index
    slot_start: Index

    @property
    def pair_first(self) -> Index:
        """Integrated element of each candidate pair."""
        return np.repeat(self.element, np.diff(self.start))


@dataclass(frozen=True)
class BoneRuns:
    """One run for every element and every bone shape near it; fields as in `FiberRuns`."""

    element: Index
    shape: Index
    law: Index
    slot_start: Index


def _slots(points: Index, law: Index) -> Index:
    return np.r_[0, np.cumsum(points[law])].astype(np.int64)


def _balls(hull: Array) -> tuple[Array, Array]:
    """Centers and radii of balls that hold the elements."""
    center = 0.5 * (hull.min(axis=1) + hull.max(axis=1))
    return center, np.linalg.norm(hull - center[:, None], axis=2).max(axis=1)


def find_fiber_runs(
    partners: Partners, fiber: Index, hull: Array, radius: Array, reach: float
) -> FiberRuns:
    """Runs of all elements that could touch another fiber.

    Parameters
    ----------
    partners : Partners
        Who may touch whom.
    fiber : (n_elements,) int array
        Fiber of each element.
    hull : (n_elements, 4, 3) float array
        Bezier control points [m].
    radius : (n_fibers,) float array
        Largest current radius of each fiber [m].
    reach : float
        Relative displacement that the runs stay valid for [m].
    """
    first = second = np.zeros(0, np.int64)
    if (partners.fiber_law >= 0).any():
        center, ball = _balls(hull)
        touch = ball + radius[fiber]
        pairs = KDTree(center).query_pairs(2.0 * touch.max() + reach, output_type="ndarray")
        a, b = pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64)
        law = partners.fiber_law[partners.group[fiber[a]], partners.group[fiber[b]]]
        keep = (law >= 0) & (fiber[a] != fiber[b])
        a, b = a[keep], b[keep]
        apart = np.linalg.norm(center[a] - center[b], axis=1)
        a, b = _near(a, b, apart <= touch[a] + touch[b] + reach)
        low, high = hull.min(axis=1), hull.max(axis=1)
        gap = np.maximum(low[a] - high[b], low[b] - high[a]).clip(min=0.0)
        limit = radius[fiber[a]] + radius[fiber[b]] + reach
        a, b = _near(a, b, np.linalg.norm(gap, axis=1) <= limit)
        first, second = np.r_[a, b], np.r_[b, a]
    order = np.lexsort((second, first))
    first, second = first[order], second[order]
    key = first * (fiber.max(initial=0) + 1) + fiber[second]
    begins = np.flatnonzero(np.r_[True, key[1:] != key[:-1]]) if key.size else np.zeros(0, int)
    element = first[begins]
    law = partners.fiber_law[partners.group[fiber[element]], partners.group[fiber[second[begins]]]]
    return FiberRuns(
        element=element,
        law=law,
        start=np.r_[begins, first.size].astype(np.int64),
        candidates=second,
        slot_start=_slots(partners.points, law),
    )


def _near(a: Index, b: Index, near: NDArray[np.bool_]) -> tuple[Index, Index]:
    return a[near], b[near]


def find_bone_runs(
    partners: Partners,
    fiber: Index,
    hull: Array,
    radius: Array,
    shape_start: Array,
    shape_end: Array,
    reach: float,
) -> BoneRuns:
    """Runs of all elements that could touch a bone; arguments as in `find_fiber_runs`."""
    center, ball = _balls(hull)
    element, shape, law = [], [], []
    for s in range(shape_start.shape[0]):
        own = partners.bone_law[partners.group[fiber], s]
        axis = shape_end[s] - shape_start[s]
        length_sq = float(axis @ axis)
        along = (
            (center - shape_start[s]) @ axis / length_sq if length_sq > 0.0 else np.zeros(len(ball))
        )
        if not partners.shape_infinite[s]:
            along = along.clip(0.0, 1.0)
        d = np.linalg.norm(center - shape_start[s] - along[:, None] * axis, axis=1)
        near = np.flatnonzero(
            (own >= 0) & (d <= ball + radius[fiber] + partners.shape_radius[s] + reach)
        )
        element.append(near)
        shape.append(np.full(near.size, s))
        law.append(own[near])
    elements, shapes, laws = (
        np.concatenate([np.zeros(0, np.int64), *part]).astype(np.int64)
        for part in (element, shape, law)
    )
    order = np.lexsort((shapes, elements))
    return BoneRuns(
        elements[order], shapes[order], laws[order], _slots(partners.points, laws[order])
    )

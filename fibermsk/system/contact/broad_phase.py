"""Broad phase: candidate pairs of elements with other fibers and bones, grouped in runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array, Index, Short
from fibermsk._ranges import begins, short_starts, sizes
from fibermsk.kernels.contact_arrays import BoneShapes
from fibermsk.kernels.search.bone_bounds import find_near_bones
from fibermsk.kernels.search.bounds import N_BOUNDS, enclose
from fibermsk.kernels.search.broad_phase import find_pairs, list_runs, mark_new, mark_new_in_runs
from fibermsk.system.contact.partners import Partners


class FiberRuns(NamedTuple):
    """Candidate pairs, one run for every element and every other fiber near it.

    Runs are sorted by element and then by partner, candidates within a run by number. The order
    depends only on the set of pairs.
    """

    element: Short  # the integrated element (n_runs,)
    law: Short  # its contact law (n_runs,)
    start: Short  # where the run's candidates begin (n_runs + 1,)
    candidates: Short  # elements (n_pairs,) of the other fiber
    point_start: Short  # where the run's quadrature points begin (n_runs + 1,)

    @classmethod
    def none(cls) -> FiberRuns:
        """No runs."""
        none, zero = np.zeros(0, np.int32), np.zeros(1, np.int32)
        return cls(none, none, zero, none, zero)

    @property
    def pair_first(self) -> Short:
        """Integrated element of each candidate pair."""
        return np.repeat(self.element, sizes(self.start))

    def select(self, keep: NDArray[np.bool_], points: Index) -> FiberRuns:
        """Runs of a mask (n_runs,)."""
        if keep.all():
            return self
        return self.select_candidates(np.repeat(keep, sizes(self.start)), points)

    def parts(self, most: int) -> Iterator[FiberRuns]:
        """Consecutive runs with at most so many quadrature points together, or one run."""
        for first, last in _ranges_of(self.point_start, most):
            at = slice(first, last + 1)
            begin, end = int(self.start[first]), int(self.start[last])
            yield FiberRuns(
                self.element[first:last],
                self.law[first:last],
                self.start[at] - begin,
                self.candidates[begin:end],
                self.point_start[at] - self.point_start[first],
            )

    def beyond(self, known: FiberRuns, points: Index) -> FiberRuns:
        """Runs with only the candidates that `known` lacks."""
        new = np.empty(self.candidates.size, bool)
        own = self.element, self.start, self.candidates
        mark_new_in_runs(*own, known.element, known.start, known.candidates, new)
        return self.select_candidates(new, points)

    def select_candidates(self, chosen: NDArray[np.bool_], points: Index) -> FiberRuns:
        """Runs with only the candidates of a mask (n_pairs,), without empty runs."""
        before = short_starts(chosen)
        counts = sizes(before[self.start])
        keep = counts > 0
        law = self.law[keep]
        return FiberRuns(
            element=self.element[keep],
            law=law,
            start=short_starts(counts[keep]),
            candidates=self.candidates[chosen],
            point_start=point_starts(points, law),
        )


class BoneRuns(NamedTuple):
    """One run for every element and every bone shape near it; fields as in `FiberRuns`."""

    element: Short
    shape: Short
    law: Short
    point_start: Short

    @classmethod
    def none(cls) -> BoneRuns:
        """No runs."""
        none = np.zeros(0, np.int32)
        return cls(none, none, none, np.zeros(1, np.int32))

    def of_fibers(self, fiber: Index) -> Index:
        """First run of each fiber with runs, and the number of runs.

        fiber (n_elements,): fiber of each element.
        """
        first = np.flatnonzero(begins(fiber[self.element]))
        return np.append(first, self.element.size)

    def parts(self, most: int) -> Iterator[BoneRuns]:
        """As of `FiberRuns`."""
        for first, last in _ranges_of(self.point_start, most):
            element, shape, law = (one[first:last] for one in (self.element, self.shape, self.law))
            start = self.point_start[first : last + 1] - self.point_start[first]
            yield BoneRuns(element, shape, law, start)

    def select(self, keep: NDArray[np.bool_], points: Index) -> BoneRuns:
        """Runs of a mask (n_runs,)."""
        if keep.all():
            return self
        law = self.law[keep]
        return BoneRuns(self.element[keep], self.shape[keep], law, point_starts(points, law))

    def beyond(self, known: BoneRuns, points: Index) -> BoneRuns:
        """Runs that `known` lacks."""
        new = np.empty(self.element.size, bool)
        mark_new(self.element, self.shape, known.element, known.shape, new)
        return self.select(new, points)


def _ranges_of(point_start: Short, most: int) -> Iterator[tuple[int, int]]:
    """First run and end of consecutive parts with at most so many points, or one run."""
    first, n = 0, point_start.size - 1
    while first < n:
        end = int(np.searchsorted(point_start, point_start[first] + most, side="right")) - 1
        last = min(max(end, first + 1), n)
        yield first, last
        first = last


def point_starts(points: Index, law: Short) -> Short:
    """First quadrature point of each run, and their total, from the laws of the runs."""
    return short_starts(points[law])


def find_fiber_runs(
    partners: Partners,
    fiber: Index,
    before: Array,
    after: Array,
    stray: Array,
    radius: Array,
    reach: float,
) -> FiberRuns:
    """Find runs of all elements that could touch another fiber during a linear motion.

    Parameters
    ----------
    partners : Partners
        Contact laws between fibers and bones.
    fiber : (n_elements,) int array
        Fiber of each element.
    before, after : (n_elements, 4, 3) float array
        Bezier control points before and after the motion [m]; the same array if at rest.
    stray : (n_elements,) float array
        Bound of the deviation of control points from linear motion [m]; zero at rest.
    radius : (n_fibers,) float array
        Largest radius of each fiber during the motion [m].
    reach : float
        Additional distance below which a pair is a candidate [m].
    """
    if not (partners.fiber_law >= 0).any():
        return FiberRuns.none()
    bounds = np.empty((fiber.size, N_BOUNDS))
    enclose(before, after, stray, radius[fiber] + 0.5 * reach, bounds)
    laws = (fiber, partners.group, partners.fiber_law)
    pairs = find_pairs(before, after, bounds, before is not after, *laws)
    del bounds  # not needed in the lists
    element, law, start, candidates = list_runs(pairs, *laws)
    return FiberRuns(element, law, start, candidates, point_starts(partners.points, law))


def find_bone_runs(
    partners: Partners,
    fiber: Index,
    hull: Array,
    radius: Array,
    shapes: BoneShapes,
    approach: Array,
) -> BoneRuns:
    """Find runs of all elements that could touch a bone.

    Parameters
    ----------
    partners, fiber, radius
        As in `find_fiber_runs`.
    hull : (n_elements, 4, 3) float array
        Bezier control points [m].
    shapes : BoneShapes
        In the ground frame.
    approach : (n_shapes, n_elements) float array
        Bound of how far each element approaches each shape [m].
    """
    near = np.empty((fiber.size, partners.shape_link.size), bool)
    find_near_bones(
        hull, shapes, partners.shapes.steepest, approach, radius, fiber, partners.group,
        partners.bone_law, near,
    )  # fmt: skip
    element, shape = (part.astype(np.int32) for part in np.nonzero(near))
    law = partners.bone_law[partners.group[fiber[element]], shape].astype(np.int32)
    return BoneRuns(element, shape, law, point_starts(partners.points, law))

"""Placing of a bundle beside others of a model, around bones and wrap surfaces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from fibermsk._arrays import Array
from fibermsk.anatomy import path as paths
from fibermsk.anatomy.bundle import MuscleBundle, fibers_from_muscle
from fibermsk.anatomy.models.guides import shapes_of_wraps
from fibermsk.anatomy.models.sizes import Sizes
from fibermsk.anatomy.obstacles import Obstacles
from fibermsk.anatomy.packing import Neighbors
from fibermsk.anatomy.room import least_gap
from fibermsk.errors import ModelError
from fibermsk.model import LineMuscle, Model
from fibermsk.model.skeleton.body import shapes_of

_REDUCED = 0.5
"""Least factor of the radii to make room for a neighbor, below which the bundles overlap, or for a
wrap surface, below which it is left out."""

_MOST_CROSSED = 4
"""Largest number of neighbors in the way of a bundle for which it is moved aside."""

_CLOSE = 2.0
"""Factor of the radii up to which neighbors count when a bundle is moved aside."""

_NEAR = 0.02
"""Distance of two bundles below which they may come into contact [m]."""


Found = tuple[MuscleBundle, tuple[str, ...]]


def place(
    placed: Mapping[str, MuscleBundle],
    n_elements: Sequence[int],
    make: Callable[[int, Sequence[str]], Placing],
) -> tuple[Placing, Found]:
    """Place a muscle with the first of some numbers of elements with which all surfaces leave room.

    If none does: with the last, without the wrap surfaces that leave no room. `make` is a function
    of the number of elements and the names of these surfaces.
    """

    def attempt(n: int, without: Sequence[str]) -> tuple[Placing, Found | ModelError]:
        placing = make(n, without)
        try:
            found = placing.beside(placed)
        except ModelError as error:
            return placing, error
        factor = found[0].report.radius_factor
        if factor < _REDUCED and placing.shapes.deepest:
            return placing, ModelError(f"radii must be reduced to {factor:.2g}")
        return placing, found

    *coarser, n = n_elements
    for fewer in coarser:
        placing, found = attempt(fewer, ())
        if not isinstance(found, ModelError):
            return placing, found
    without: list[str] = []
    placing, found = attempt(n, without)
    while isinstance(found, ModelError):
        if not placing.shapes.deepest:
            raise found
        without.append(placing.shapes.deepest)
        placing, found = attempt(n, without)
    # those that did not matter
    for name in without[:-1]:
        rest = [one for one in without if one != name]
        again, other = attempt(n, rest)
        if not isinstance(other, ModelError):
            without, placing, found = rest, again, other
    return placing, found


class Placing:
    """Placing of one muscle."""

    def __init__(
        self,
        model: Model,
        muscle: LineMuscle,
        sizes: Sizes,
        points: Array,
        poses: Mapping[str, tuple[Array, Array]],
        options: dict[str, Any],
        without: Sequence[str],
    ) -> None:
        self._muscle, self._sizes, self._options = muscle, sizes, dict(options)
        self.without = tuple(without)
        tendons = sizes.tendon_radius * sizes.belly_radius
        self.shapes = shapes_of_wraps(muscle, points, poses, tendons, without)
        self._model = model.copy()
        self._model.add(*self.shapes.bodies, *self.shapes.joints)
        self._remarks: list[str] = []
        touched = []
        given = self._options.pop("bones", None)
        for body in model.bodies if given is None else given:
            if not shapes_of(body):
                continue
            depth = -float(Obstacles([body], poses).distance(points[[0, -1]])[0].min())
            if depth > 2.0 * sizes.belly_radius:
                self._remarks.append(
                    f"an end lies {1e3 * depth:.0f} mm inside {body.name}, deeper than the muscle "
                    "is thick: its fibers do not touch this body"
                )
                continue
            touched.append(body)
        self.bones = (*touched, *self.shapes.bodies)

    def beside(self, placed: Mapping[str, MuscleBundle]) -> Found:
        """The bundle, and the muscles through which it passes."""
        alone = self._bundle(())
        room = {name: overlap(alone, one) for name, one in placed.items() if is_near(alone, one)}
        crossed = [name for name, factor in room.items() if factor < 1.0]
        if 0 < len(crossed) <= _MOST_CROSSED:
            try:
                close = [name for name, factor in room.items() if factor < _CLOSE]
                moved = self._bundle([placed[name] for name in close])
                if self._has_place(moved, alone):
                    return moved, ()
            except ModelError:
                pass  # no room: they pass through each other
        return alone, tuple(crossed)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Bones that are not touched."""
        return tuple(self._remarks)

    def _has_place(self, bundle: MuscleBundle, alone: MuscleBundle) -> bool:
        """Whether fibers stay half as thick, and within half the thickness of where they were."""
        moved = max(bundle.report.moved_origin, bundle.report.moved_insertion)
        before = max(alone.report.moved_origin, alone.report.moved_insertion)
        least = min(_REDUCED, alone.report.radius_factor)
        thickness = 2.0 * self._sizes.belly_radius
        aside = max(
            float(np.linalg.norm(one - other, axis=1).max())
            for (one, _), (other, _) in zip(_samples(bundle), _samples(alone), strict=True)
        )
        near = moved <= max(thickness, before) and aside <= 0.5 * thickness
        return bundle.report.radius_factor >= least and near

    def _bundle(self, beside: Sequence[MuscleBundle]) -> MuscleBundle:
        return fibers_from_muscle(
            self._muscle,
            self._sizes.n_fibers,
            model=self._model,
            bones=self.bones,
            beside=beside,
            **self._options,
        )


def _samples(bundle: MuscleBundle) -> list[tuple[Array, Array]]:
    """Dense points (n, 3) and radii (n,) of the fibers [m]."""
    found = []
    for curve, part in zip(bundle.curves, bundle.sections, strict=True):
        grid = paths.Grid.over(part.nodes, 10)
        found.append((grid.value @ curve.nodal, part.radius(grid.at)))
    return found


def is_near(one: MuscleBundle, other: MuscleBundle) -> bool:
    """Whether the boxes around two bundles are closer than a contact distance."""
    boxes = []
    for bundle in (one, other):
        points = np.concatenate([points for points, _ in _samples(bundle)])
        margin = max(part.belly for part in bundle.sections) + 0.5 * _NEAR
        boxes.append((points.min(axis=0) - margin, points.max(axis=0) + margin))
    (low, high), (other_low, other_high) = boxes
    return bool((low <= other_high).all() and (other_low <= high).all())


def overlap(one: MuscleBundle, other: MuscleBundle) -> float:
    """Factor of the radii of one bundle at which it touches the other."""
    theirs = _samples(other)
    neighbors = Neighbors(
        np.concatenate([points for points, _ in theirs]),
        np.concatenate([radius for _, radius in theirs]),
    )
    nothing = Obstacles([], {})
    return min(
        least_gap([points], [radius], nothing, neighbors)[0] for points, radius in _samples(one)
    )

"""Centerlines of parallel fibers around a path, without overlap."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from fibermsk._arrays import Array
from fibermsk.anatomy import path as paths
from fibermsk.anatomy.calibrate import Calibration
from fibermsk.anatomy.obstacles import Obstacles
from fibermsk.anatomy.packing import Neighbors, pack_section, place_ends, relax
from fibermsk.anatomy.room import least_gap
from fibermsk.anatomy.sections import Sections, divide, transition_length
from fibermsk.errors import ModelError

PER_ELEMENT = 10
"""Samples per element for distances during relaxation."""

_FINE = 40
"""Samples per element for the smallest gap."""

_MOST_MUSCLE = 0.95
"""Largest length of the muscle part over that of the fiber."""

_GOLDEN = 0.6180339887498949
"""Its multiples modulo one are evenly spread."""

_PASSES = 3
"""Iterations of relaxation and division of the lengths into tendon and muscle."""

_MARGIN = 1e-3
"""Tolerance of the smallest gap, relative to the radii."""


@dataclass(frozen=True)
class Arrangement:
    """Arrangement of `n` fibers of a bundle in the room that bones and other bundles leave.

    Numbers are those of `fibermsk.fibers_from_muscle`; the tissue has areas and lengths of muscle
    and tendon, and the owner is for messages. The muscle parts are distributed over the length of
    the belly [m], if that is larger than theirs.
    """

    owner: str
    n: int
    n_elements: int
    proximal: float
    transition: float
    clearance: float
    smoothing: float
    spread: float
    obstacles: Obstacles
    neighbors: Neighbors
    tissue: Calibration
    belly_length: float = 0.0
    shorten: bool = False

    def pack(self, points: Array, axes: Array) -> tuple[list[paths.Curve], list[Sections]]:
        """Centerlines and sections of all fibers along the path (m, 3) of the line muscle [m].

        `axes` (3, 3) are those of the origin's body, in ground: the first cross-section rotates
        with them, so that results do not depend on the frame.
        """
        center = paths.smooth(points, 0.5 * self.smoothing)
        aside = self._aside(center, axes)
        layout = pack_section(self.n)
        reach = 1.0 + float(np.hypot(*layout.T).max())
        sections = self._sections(paths.polyline_length(center))
        section = sections[0]
        grid = paths.Grid.over(section.nodes, PER_ELEMENT)
        # the bundle as one thick fiber, with the radius of its fibers at the ends
        taper = np.minimum(np.minimum(grid.at, 1.0 - grid.at) / 0.15, 1.0)
        thick = _mean_radius(sections, grid.at) * (1.0 + (reach - 1.0) * taper)
        half = replace(self, smoothing=0.5 * self.smoothing)  # the fibers are smoothed once more
        middle = half._relax([grid], grid.fit(center)[None], thick[None], aside)[0]
        center = paths.resample(paths.Grid.over(section.nodes, _FINE).value @ middle, len(center))
        e1, e2 = paths.transported_frames(center, aside)
        at = np.linspace(0.0, 1.0, len(center))
        # from the ends to the belly in one sweep: fibers with sharp bends would overlap
        ends = section.tendon + self.spread * (section.belly - section.tendon)
        sweep = ends + (section.belly - ends) * np.sin(np.pi * at) ** 2
        mean = _mean_radius(sections, at)
        sweep = sweep if self._span() == 0.0 else np.minimum(sweep, np.maximum(mean, ends))
        spacing = np.maximum(sweep, mean)[:, None] * (1.0 + self.clearance)
        offsets = [spacing * (u * e1 + v * e2) for u, v in layout]
        # onto the outer side of the tangent plane of the nearest bone: points beyond its middle
        # would be pushed out on the other side
        phi, way = self.obstacles.distance(center)
        floor = spacing[:, 0] - np.where(np.isfinite(phi), phi, np.inf)
        lifts = [
            np.maximum(floor - np.einsum("ai,ai->a", offset, way), 0.0)[:, None] * way
            for offset in offsets
        ]
        starts = np.array([center + a + b for a, b in zip(offsets, lifts, strict=True)])
        thin = np.full(self.n, section.tendon)
        for end in (0, -1):
            thin[:] = [part.radius(at[[end]])[0] for part in sections]
            placed = place_ends(
                starts[:, end], thin, self.obstacles, self.neighbors, self.clearance
            )
            # displacements of an end decay along the fiber
            fade = np.exp(-(((at if end == 0 else 1.0 - at) / 0.1) ** 2))[None, :, None]
            starts = starts + fade * (placed - starts[:, end])[:, None, :]
        grids = [paths.Grid.over(part.nodes, PER_ELEMENT) for part in sections]
        nodal = wanted = _fitted(grids, starts)
        for _ in range(_PASSES):
            nodal = self._relax(grids, nodal, _radii(sections, grids), aside, wanted)
            fine = [
                paths.Grid.over(part.nodes, _FINE).value @ one
                for part, one in zip(sections, nodal, strict=True)
            ]
            sections = self._sections(float(np.mean([paths.polyline_length(one) for one in fine])))
            grids = [paths.Grid.over(part.nodes, PER_ELEMENT) for part in sections]
            nodal = _fitted(grids, [paths.resample(one, len(center)) for one in fine])
            wanted = _fitted(grids, starts)
        nodal = self._relax(grids, nodal, _radii(sections, grids), aside, wanted)
        curves = [paths.Curve(part.nodes, one) for part, one in zip(sections, nodal, strict=True)]
        return curves, sections

    def room(self, curves: list[paths.Curve], sections: list[Sections]) -> tuple[float, str]:
        """Factor of the radii, one or less, without overlap, and the nearest pair."""
        points, radii = [], []
        for curve, part in zip(curves, sections, strict=True):
            fine = paths.Grid.over(part.nodes, _FINE)
            points.append(fine.value @ curve.nodal)
            radii.append(part.radius(fine.at))
        gap, nearest = least_gap(points, radii, self.obstacles, self.neighbors)
        return min(1.0, gap * (1.0 - _MARGIN)), nearest

    def muscle_length(self, length: float) -> float:
        """Length of the muscle part of fibers of a length [m]; refused without room for tendons."""
        muscle, longest = self.tissue.muscle_length, _MOST_MUSCLE * length
        if muscle <= longest:
            return muscle
        if not self.shorten:
            raise ModelError(
                f"{self.owner}: length of the fibers = {length:.4g} m; must leave room for tendons "
                f"beside a muscle of {muscle:.4g} m; the bones or `smoothing` shorten the path too "
                "much: reduce smoothing, or set the true length of the path"
            )
        return longest

    def _span(self) -> float:
        """Length over which the muscle parts are displaced along the path [m]."""
        return max(self.belly_length - self.tissue.muscle_length, 0.0)

    def _sections(self, length: float) -> list[Sections]:
        """Sections of all fibers, for their mean length."""
        muscle = self.muscle_length(length)
        wider = self.tissue.muscle_length / muscle
        belly = math.sqrt(self.tissue.muscle_area * wider / self.n / math.pi)
        tendon = math.sqrt(self.tissue.tendon_area * wider / self.n / math.pi)

        def section(proximal: float) -> Sections:
            return divide(
                self.owner, length, muscle, proximal, self.transition, self.n_elements, belly,
                tendon,
            )  # fmt: skip

        # as in `divide`: what is neither muscle nor transition
        spare = length - muscle - 2.0 * transition_length(length, muscle, self.transition)
        span = min(self._span(), spare)
        if self.n == 1 or not span > 0.0:
            return [section(self.proximal)] * self.n
        first = min(max(self.proximal * spare - 0.5 * span, 0.0), spare - span)
        # neighbors in the cross-section are far apart along the path
        place = np.argsort(np.argsort(np.arange(self.n) * _GOLDEN % 1.0)) / (self.n - 1)
        return [section(float((first + span * one) / spare)) for one in place]

    def _relax(
        self,
        grids: list[paths.Grid],
        nodal: Array,
        radius: Array,
        aside: Array,
        wanted: Array | None = None,
    ) -> Array:
        return relax(
            grids, nodal, radius, self.obstacles, self.neighbors,
            clearance=self.clearance, smoothing=self.smoothing, aside=aside, wanted=wanted,
        )  # fmt: skip

    @staticmethod
    def _aside(center: Array, axes: Array) -> Array:
        """Normal direction: the axis of the body most nearly perpendicular to the path."""
        chord = center[-1] - center[0]
        if not np.linalg.norm(chord) > 0.0:
            chord = center[len(center) // 2] - center[0]
        chord = chord / np.linalg.norm(chord)
        axis = axes[:, np.argmin(np.round(np.abs(chord @ axes), 6))]
        axis = axis - (axis @ chord) * chord
        return axis / np.linalg.norm(axis)


def _mean_radius(sections: list[Sections], at: Array) -> Array:
    """Root mean square radius of fibers [m] at theta (n,): that of equal fibers of equal area."""
    if all(part is sections[0] for part in sections):
        return sections[0].radius(at)
    return np.sqrt(np.mean([part.radius(at) ** 2 for part in sections], axis=0))


def _fitted(grids: list[paths.Grid], curves: Iterable[Array]) -> Array:
    """Nodal values of dense curves on their grids, (n, 2 n_nodes, 3) [m]."""
    return np.array([grid.fit(curve) for grid, curve in zip(grids, curves, strict=True)])


def _radii(sections: list[Sections], grids: list[paths.Grid]) -> Array:
    """Radii of fibers at the samples of their grids (n, n_samples) [m]."""
    return np.array([part.radius(grid.at) for part, grid in zip(sections, grids, strict=True)])

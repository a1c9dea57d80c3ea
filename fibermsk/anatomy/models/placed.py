"""Muscles as bundles, with what guides them, and their placing in a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from fibermsk._shown import Described
from fibermsk.anatomy.bundle import MuscleBundle
from fibermsk.anatomy.line_path import LinePath
from fibermsk.anatomy.models.along import proximal_of, smoothing_of
from fibermsk.anatomy.models.carriers import Carriers
from fibermsk.anatomy.models.guides import Shapes, rings_of
from fibermsk.anatomy.models.mirror import Plane, mirrored, same_bones
from fibermsk.anatomy.models.placing import Placing, is_near, overlap, place
from fibermsk.anatomy.models.sizes import TENSIONS, Sizes
from fibermsk.anatomy.obstacles import Pose
from fibermsk.model import Body, LineMuscle, Model

SPREAD = 0.15
"""Width of attachments: closer to the points of the line muscle than those of a single bundle."""

_TOUCHING = 2e-3
"""Overlap of two bundles, over the radii of fibers, below which they only touch."""

_Found = tuple[Placing, MuscleBundle, tuple[str, ...]]


@dataclass(frozen=True, eq=False, repr=False)
class PlacedMuscle(Described):
    """A muscle of a model as a bundle, with what guides it.

    Attributes
    ----------
    bundle : MuscleBundle
        Its fibers, with their report.
    sizes : Sizes
        Specific tension, number of fibers and belly, before radii are reduced to make room.
    shapes : Shapes
        Shapes of its wrap surfaces.
    rings : tuple of ViaRing
        Rings at its path points.
    bones : tuple of Body
        Bodies with shapes that its fibers touch.
    overlaps : tuple of str
        Muscles through which it passes, without contact.
    remarks : tuple of str
        What could not be represented, and numbers of the file that are implausible.
    without : tuple of str
        Wrap surfaces left out because they leave no room.
    moving : tuple
        Bodies without mass that move as its moving path points do, and their joints.
    """

    bundle: MuscleBundle
    sizes: Sizes
    shapes: Shapes
    rings: tuple[Any, ...]
    bones: tuple[Body, ...]
    overlaps: tuple[str, ...]
    remarks: tuple[str, ...]
    without: tuple[str, ...] = ()
    moving: tuple[Any, ...] = ()

    @property
    def n_elements(self) -> int:
        """Finite elements of each fiber."""
        return len(self.bundle.sections[0].nodes) - 1

    @property
    def thickness(self) -> float:
        """Diameter of the belly as built [m], of all fibers packed side by side."""
        return 2.0 * self.sizes.belly_radius * self.bundle.report.radius_factor

    @property
    def specific_tension(self) -> float:
        """Force over the cross-section of the fibers as built [N/m^2]."""
        return self.sizes.specific_tension / self.bundle.report.radius_factor**2

    @property
    def moved(self) -> float:
        """Largest distance of a fiber's end from that of the line muscle [m]."""
        report = self.bundle.report
        return max(report.moved_origin, report.moved_insertion)

    def __str__(self) -> str:
        """One line with numbers, and remarks below it."""
        report, sizes = self.bundle.report, self.sizes
        line = (
            f"{report.name}: {sizes.n_fibers} fibers of {self.n_elements} elements, "
            f"{1e-4 * self.specific_tension:.0f} N/cm^2, starts at {report.start_length:.2f} of "
            f"the optimum, belly {1e3 * sizes.belly_length:.0f} mm long and "
            f"{1e3 * self.thickness:.0f} mm thick, (radii reduced to {report.radius_factor:.2f}), "
            f"ends moved by {1e3 * self.moved:.1f} mm, {1e3 * report.mass:.0f} g, "
            f"{len(self.rings)} rings, {len(self.shapes.bodies)} bodies with wrap surfaces"
        )
        return "\n".join([line, *(f"    {text}" for text in self.remarks)])


class Work:
    """Placing of muscles of a model in its initial pose."""

    def __init__(
        self,
        model: Model,
        lines: Mapping[str, LinePath],
        carriers: Carriers,
        poses: Mapping[str, Pose],
        n_elements: Sequence[int],
        activation: Any,
        others: Mapping[str, Any],
    ) -> None:
        self._model, self._lines, self._carriers, self._poses = model, lines, carriers, poses
        self._n_elements, self._activation, self._others = n_elements, activation, others
        self._coordinates = {one.name: one for one in model.coordinates}

    def _signal(self, name: str) -> Any:
        given = self._activation
        return given.get(name, 0.0) if isinstance(given, Mapping) else given

    def _ends(self, muscle: LineMuscle) -> tuple[Body, Body]:
        """Bodies that carry the ends of a muscle's fibers."""
        active = self._lines[muscle.name].active
        return self._carriers.under(active[0]), self._carriers.under(active[-1])

    def _placing(
        self, muscle: LineMuscle, sizes: Sizes, n_elements: int, without: Sequence[str]
    ) -> Placing:
        line = self._lines[muscle.name]
        length = self._others.get("length") or line.length
        # a path shorter than its tendon is refused later, with the numbers of the muscle
        rest = max(length - muscle.tendon_slack_length, 1e-3 * length)
        options = {
            "n_elements": n_elements,
            "activation": self._signal(muscle.name),
            "specific_tension": sizes.specific_tension,
            "tendon_radius": sizes.tendon_radius,
            "belly_length": sizes.belly_length,
            "shorten": True,
            "ends": self._ends(muscle),
            "spread": SPREAD,
            "smoothing": smoothing_of(sizes, rest, length),
            "proximal": proximal_of(sizes, line.points, rest),
            **self._others,
        }
        return Placing(self._model, muscle, sizes, line.points, self._poses, options, without)

    def place(self, muscle: LineMuscle, sizes: Sizes, placed: Mapping[str, PlacedMuscle]) -> _Found:
        """Place a muscle beside earlier ones."""
        bundles = {name: one.bundle for name, one in placed.items()}
        make = partial(self._placing, muscle, sizes)
        placing, (bundle, overlaps) = place(bundles, self._n_elements, make)
        return placing, bundle, overlaps

    def image(
        self,
        muscle: LineMuscle,
        sizes: Sizes,
        placed: Mapping[str, PlacedMuscle],
        like: str,
        partner: Mapping[str, str],
        plane: Plane,
    ) -> _Found | None:
        """The mirror image of the bundle of another muscle; None if their bones differ."""
        one = placed[like]
        placing = self._placing(muscle, sizes, one.n_elements, one.without)
        ends = self._ends(muscle)
        signal = self._signal(muscle.name)
        bundle = mirrored(one.bundle, muscle, plane, ends, self._poses, signal)
        if not same_bones(one.bundle, bundle, one.bones, placing.bones, self._poses):
            return None
        crossed = {partner.get(name, name) for name in one.overlaps}
        # the other side, and muscles without an image, were not in the way of the first
        alone = [name for name in placed if partner.get(name) not in placed]
        for name in (like, *alone):
            theirs = placed[name].bundle
            if is_near(bundle, theirs) and overlap(bundle, theirs) < 1.0 - _TOUCHING:
                crossed.add(name)
        return placing, bundle, tuple(name for name in placed if name in crossed)

    def guided(
        self,
        muscle: LineMuscle,
        sizes: Sizes,
        placing: Placing,
        bundle: MuscleBundle,
        overlaps: tuple[str, ...],
        more: Iterable[str],
    ) -> PlacedMuscle:
        """A placed bundle with its rings and remarks."""
        line, carriers = self._lines[muscle.name], self._carriers
        rings, points = rings_of(bundle, line.active, carriers, self._poses, self._coordinates)
        remarks = [*placing.shapes.remarks, *placing.remarks]
        if line.straight:
            remarks.append(f"starts straight between its path points: {line.straight}")
        if overlaps:
            remarks.append(
                f"passes through {', '.join(overlaps)}, whose paths leave no room: without contact"
            )
        remarks += [*points, *(text for text in more if text)]
        made = PlacedMuscle(
            bundle,
            sizes,
            placing.shapes,
            rings,
            placing.bones,
            overlaps,
            tuple(remarks),
            placing.without,
            tuple(carriers.of(muscle)),
        )
        if made.specific_tension > TENSIONS[1] >= sizes.specific_tension:
            text = (
                f"radii reduced to {bundle.report.radius_factor:.2f}, because of "
                f"{bundle.report.nearest}: the force is that of "
                f"{1e-4 * made.specific_tension:.0f} N/cm^2, more than any muscle has"
            )
            made = replace(made, remarks=(*made.remarks, text))
        return made

"""Scene of a result as triangles and colors, independent of the renderer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk.results.result import BodyMotion, Result, ShapeRecord
from fibermsk.results.still import Still
from fibermsk.view.drawing.anchors import BoneSurface, fiber_ends, find_anchors, line_ends
from fibermsk.view.drawing.arrows import Arrows, ArrowScale, elements_per_arrow
from fibermsk.view.drawing.camera import Camera, find_camera
from fibermsk.view.drawing.colors import color_table
from fibermsk.view.drawing.detail import PICTURE_POINTS, choose_detail
from fibermsk.view.drawing.envelopes import Envelopes, bundles, check_bundles
from fibermsk.view.drawing.fillets import Fillets
from fibermsk.view.drawing.labels import Label, fiber_labels
from fibermsk.view.drawing.looks import NAME_COLORS, Theme, find_theme, ghostly
from fibermsk.view.drawing.meshes import extreme_points
from fibermsk.view.drawing.pieces import (
    Piece,
    body_pieces,
    end_pieces,
    still_labels,
    still_pieces,
)
from fibermsk.view.drawing.tubes import Tubes
from fibermsk.view.fields import check_field, check_frames, fiber_field, field_range
from fibermsk.view.forces import check_kinds, greatest_force

LIGHTS = (
    ((-0.35, 0.55, 0.76), 0.66),
    ((0.6, 0.1, 0.8), 0.30),
    ((0.1, -0.8, 0.6), 0.14),
)
"""Lights that move with the camera: direction to each (right, up, to the viewer), strength."""
AMBIENT = 0.22
"""Strength of ambient light."""
OVERSAMPLING = 2
"""Rendered pixels per pixel of a picture, along each side."""

_CAMERA_FRAMES = 24
_ALONG = 9
"""Points along a capsule that stand for it."""
_REST_FRAMES = 12
"""Frames in which the end of a fiber must rest in the frame of its body."""
_ARROW_PART = 0.22
"""Length of the longest arrow over the size of the scene."""
_HEAD = 0.07
"""Radius of the head of an arrow over the length of the longest."""
_POINTS_PER_ARROW = 100
"""Points of the budget per contact arrow."""
GHOST = 0.4
"""Opacity of an overlaid result."""
_BEHIND = 1e-3
"""Offset of an overlaid result away from the viewer, over the size of the scene."""


class Stage:
    """Meshes of a result with at least one frame, and their motion.

    Parameters as for `fibermsk.view.screenshot`; `limits` of the color scale and `scales` of the
    arrows are by default those of the whole run; `budget` of points: see `choose_detail`. A `ghost`
    is translucent, for overlays.

    `tubes` are the fibers, None without any, and with `envelope` `envelopes` the skins around their
    bundles; `pieces` all else, in body frames, translucent ones last; `cloud` (n, 3) points over
    the whole run, with the thickness `margins` (n,) there [m]; `named` whether there are labels.
    """

    def __init__(
        self,
        shown: Result | Still,
        color_by: str,
        *,
        labels: bool = False,
        limits: tuple[float, float] | None = None,
        theme: str = "light",
        arrows: Iterable[str] = (),
        scales: Mapping[str, ArrowScale] | None = None,
        budget: int = PICTURE_POINTS,
        ghost: bool = False,
        envelope: bool = False,
    ) -> None:
        still = shown if isinstance(shown, Still) else None
        result = shown.result if isinstance(shown, Still) else shown
        check_frames(result)
        kinds = check_kinds(arrows)
        self.theme: Theme = find_theme(theme)
        self.result = result
        self.is_still = still is not None
        self.most_arrows = max(budget // _POINTS_PER_ARROW, 1)
        self.opacity = GHOST if ghost else 1.0
        self._drawn = result.drawn
        self.set_field(color_by, limits)
        self.tubes: Tubes | None = None
        if self._drawn:
            fibers = tuple(self._drawn.values())
            most = max(fiber.node_theta.size for fiber in fibers) - 1
            self.tubes = Tubes(fibers, choose_detail(len(fibers), most, budget))
        self.envelopes: Envelopes | None = None
        if envelope and self.tubes is not None:
            self.envelopes = Envelopes(self.tubes, bundles(self._drawn))
        if envelope:
            check_bundles(result.scene, self._drawn)
        self.cloud, self.margins = self._extent(still)
        self.size = float(np.linalg.norm(np.ptp(self.cloud, axis=0)))
        self.arrows: dict[str, Arrows] = {}
        self.set_arrows(kinds, scales)
        self.pieces = [
            piece
            for name, body in result.bodies.items()
            for piece in body_pieces(name, body, self._spans(body))
        ]
        frames = np.unique(np.linspace(0, result.time.size - 1, _REST_FRAMES).astype(int))
        ends = fiber_ends(self._drawn.values(), frames)
        if still is not None:
            ends += line_ends(still.muscles.values())
        bones = {name: BoneSurface(body) for name, body in result.bodies.items()}
        self.pieces += end_pieces(
            *find_anchors(ends, result.bodies, bones, frames, self.size), bones
        )
        self.labels: list[Label] = []
        self.still = still
        self.named = labels
        if still is not None:
            self.pose_as(still)
        if ghost:
            self.pieces = [self._ghost(piece) for piece in self.pieces]
        self.pieces.sort(key=lambda piece: piece.opacity < 1.0)
        self.fillets = Fillets(self.pieces, self, frames, _BEHIND * self.size if ghost else 0.0)

    def pose_as(self, still: Still, marked: str | None = None) -> None:
        """Show a model in another pose, with one muscle marked; pieces of bodies stay the same."""
        self.still, self.result = still, still.result
        self.cloud, self.margins = self._extent(still)
        self.pieces = [piece for piece in self.pieces if piece.body]
        self.pieces += still_pieces(still, self.size, axes=self.named, marked=marked)
        self.labels = []
        if self.named:
            color = NAME_COLORS[self.theme.name]
            named = fiber_labels(still.result.fibers, 0, color)
            # of a line muscle and its bundle one name
            bundles = {label.words for label in named}
            others = [
                label
                for label in still_labels(still, self.theme.name)
                if label.words not in bundles
            ]
            self.labels = others + named

    def set_field(self, color_by: str, limits: tuple[float, float] | None = None) -> None:
        """Color the fibers by a field; by default with the limits of the run."""
        color_by = check_field(color_by)
        fibers = self._drawn.values()
        self._values = [fiber_field(fiber, color_by) for fiber in fibers]
        self.limits = limits if limits is not None else field_range(self.result, color_by)
        self.color_by = color_by
        self.colors = color_table(color_by, self.limits)

    @property
    def colored(self) -> bool:
        """Whether any fiber has a value of the field."""
        return any(np.isfinite(own).any() for own in self._values)

    @property
    def lines_are_gray(self) -> bool:
        """Whether line muscles have no value of the field, but fibers do."""
        return self.colored and not all(np.isfinite(own).any() for own in self._values)

    def set_arrows(
        self, kinds: Iterable[str], scales: Mapping[str, ArrowScale] | None = None
    ) -> None:
        """Show arrows of these kinds only."""
        kinds = check_kinds(kinds)
        if not self.result.fibers:
            kinds = tuple(kind for kind in kinds if kind == "attachment" and self._drawn)
        if scales is None:
            scales = arrow_scales([self], kinds)
        self.arrows = {
            kind: self.arrows[kind]
            if kind in self.arrows and self.arrows[kind].scale == scales[kind]
            else Arrows(self.result, kind, scales[kind])
            for kind in kinds
        }

    def tips(self, frame: int | None = None) -> tuple[Array, Array]:
        """Points and radii around the tips of the arrows at a frame, by default over the run."""
        frames = self._spread() if frame is None else np.array([frame])
        points, reach = [np.empty((0, 3))], [np.empty(0)]
        for arrows in self.arrows.values():
            for k in frames:
                arrows.move(int(k))
                ends = arrows.anchors + arrows.scale.length / arrows.scale.force * arrows.forces
                there = np.any(arrows.forces != 0.0, axis=1) & np.all(np.isfinite(ends), axis=1)
                points.append(ends[there])
                reach.append(np.full(np.sum(there), _HEAD * arrows.scale.longest))
        return np.concatenate(points), np.concatenate(reach)

    @property
    def lift(self) -> float:
        """Offset of arrows towards the viewer [m], in front of their fibers."""
        fibers = self._drawn.values()
        thick = max((float(np.nanmax(fiber.radius)) for fiber in fibers), default=0.0)
        return 1.5 * thick + 0.03 * max((a.scale.longest for a in self.arrows.values()), default=0)

    @property
    def behind(self) -> float:
        """Offset of the fibers of a ghost away from the viewer [m]."""
        return _BEHIND * self.size if self.opacity < 1.0 else 0.0

    def move(self, frame: int) -> None:
        """Update tubes, colors, arrows and joints of bones to a frame."""
        self.fillets.move(self, frame)
        if self.tubes is not None:
            self.tubes.move(frame)
            if self.envelopes is not None:
                self.envelopes.move()
            self.paint(frame)
        for arrows in self.arrows.values():
            arrows.move(frame)

    def paint(self, frame: int) -> None:
        """Update the colors only."""
        if self.tubes is not None:
            self.tubes.paint(self._values, frame, self.limits, self.colors)
            if self.envelopes is not None:
                self.envelopes.paint()

    def pose(self, body: str, frame: int) -> Array:
        """Homogeneous transformation (4, 4) from the body frame to ground."""
        transformation = np.eye(4)
        if not body:
            return transformation
        motion = self.result.bodies[body]
        transformation[:3, :3] = motion.rotation[frame]
        transformation[:3, 3] = motion.position[frame]
        return transformation

    def camera(self, size: tuple[int, int], room: float) -> Camera:
        """Camera that sees the whole run; `room` is the free part of the width."""
        return common_camera([self], "fit", size[0] / size[1], room=room)

    def extent_at(self, frame: int) -> tuple[Array, Array]:
        """Points of one frame, and the thickness there."""
        return self._extent(self.still, np.array([frame]))

    def _extent(
        self, still: Still | None, frames: NDArray[np.int64] | None = None
    ) -> tuple[Array, Array]:
        """Points of some frames, by default of the whole run, and the thickness there."""
        frames = self._spread() if frames is None else frames
        found: list[tuple[Array, float]] = []
        for fiber in self._drawn.values():
            found.append((fiber.position[frames].reshape(-1, 3), float(np.nanmax(fiber.radius))))
        for body in self.result.bodies.values():
            for shape in (*body.shapes, *body.visuals):
                if shape.kind != "infinite_cylinder":
                    ends, radius = _outline(shape)
                    turned = ends @ body.rotation[frames].swapaxes(1, 2)
                    places = turned + body.position[frames, None]
                    found.append((places.reshape(-1, 3), radius))
        if still is not None:
            found += [(line.points, line.radius) for line in still.muscles.values()]
        if not found:
            for body in self.result.bodies.values():
                thick = max((shape.radius for shape in body.shapes), default=0.1)
                found.append((body.position[frames], 5.0 * thick))
        if not found:
            return np.zeros((1, 3)), np.ones(1)
        cloud = np.concatenate([points for points, _ in found])
        thickness = np.concatenate([np.full(len(points), radius) for points, radius in found])
        seen = np.all(np.isfinite(cloud), axis=1) & np.isfinite(thickness)
        return cloud[seen], thickness[seen]

    def _spread(self) -> NDArray[np.int64]:
        """Some frames of the whole run."""
        last = self.result.time.size - 1
        return np.unique(np.linspace(0, last, _CAMERA_FRAMES).astype(int))

    def _ghost(self, piece: Piece) -> Piece:
        """Translucent piece, hidden by a solid one at the same place."""
        surface = piece.surface
        points = surface.points - _BEHIND * self.size * surface.normals
        return piece._replace(
            surface=surface._replace(points=points),
            color=ghostly(piece.color),
            opacity=GHOST * piece.opacity,
        )

    def _spans(self, body: BodyMotion) -> dict[int, tuple[float, float]]:
        """Drawn intervals of infinite cylinders: slightly beyond the scene."""
        spans = {}
        for number, shape in enumerate(body.shapes):
            if shape.kind != "infinite_cylinder":
                continue
            axis = shape.end - shape.start
            axis = axis / np.linalg.norm(axis)
            local = (self.cloud - body.position[0]) @ body.rotation[0] - shape.start
            along = local @ axis
            spans[number] = (
                float(np.min(along - self.margins)) - 0.1 * shape.radius,
                float(np.max(along + self.margins)) + 0.1 * shape.radius,
            )
        return spans


def common_camera(
    stages: Sequence[Stage], preset: str, aspect: float, *, room: float = 0.0, head: float = 0.0
) -> Camera:
    """Camera that sees all runs from one of `PRESETS`; parameters as for `find_camera`."""
    cloud = np.concatenate([stage.cloud for stage in stages])
    margins = np.concatenate([stage.margins for stage in stages])
    up, turn = stages[0].result.up, fit_turn(stages[0])
    return find_camera(preset, cloud, margins, aspect, up, room=room, head=head, turn=turn)


def fit_turn(stage: Stage) -> float:
    """Sideward part of the view ``"fit"``, larger for left and right of a skeleton."""
    return 0.5 if stage.is_still else 0.3


def arrow_scales(stages: Sequence[Stage], kinds: Iterable[str]) -> dict[str, ArrowScale]:
    """Common scales of several stages, by kind of arrow."""
    kinds = check_kinds(kinds)
    size = _ARROW_PART * max(stage.size for stage in stages)
    scales = {}
    for kind in kinds:
        share = 1
        if kind == "contact":
            share = max(elements_per_arrow(stage.result, stage.most_arrows) for stage in stages)
        greatest = max(greatest_force(stage.result, kind, share) for stage in stages)
        scales[kind] = ArrowScale.of(greatest, size, share)
    return scales


def _outline(shape: ShapeRecord) -> tuple[Array, float]:
    """Points in the body frame, and a radius around them, that enclose a shape."""
    if shape.kind == "mesh":
        return extreme_points(shape.vertices), 0.0
    part = np.linspace(0.0, 1.0, _ALONG)[:, None]
    return (1.0 - part) * shape.start + part * shape.end, shape.radius

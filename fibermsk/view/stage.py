"""What is to be seen of a result, as triangles and numbers, whoever draws it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fibermsk.results.result import BodyMotion, Result, ShapeRecord
from fibermsk.results.still import Still
from fibermsk.view.camera import Camera, fit_camera
from fibermsk.view.fields import check_frames, fiber_field, field_range
from fibermsk.view.labels import Label
from fibermsk.view.meshes import extreme_points
from fibermsk.view.pieces import body_pieces, still_labels, still_pieces
from fibermsk.view.surfaces import Surface, TubeLayout

__all__ = ["AMBIENT", "FIELD_COLORS", "LIGHTS", "OVERSAMPLING", "Stage"]

Array = NDArray[np.float64]

FIELD_COLORS = ("#fbeee2", "#f2c3a7", "#e2826a", "#c03a3f", "#750d25")
"""From pale tendon to dark muscle red; lightness falls steadily, so it reads in gray too."""
LIGHTS = (
    ((-0.35, 0.55, 0.76), 0.66),
    ((0.6, 0.1, 0.8), 0.30),
    ((0.1, -0.8, 0.6), 0.14),
)
"""Lights that move with the camera: direction to each (right, up, to the viewer), strength."""
AMBIENT = 0.14
"""Light that comes from everywhere."""
OVERSAMPLING = 2
"""Pixels drawn for each pixel of a picture, along each side."""

_POINTS_PER_ELEMENT = 6
_CAMERA_FRAMES = 24


class Stage:
    """Meshes of a result and how they move.

    Parameters
    ----------
    shown : Result or Still
        With at least one frame.
    color_by : str
        Field that colors the fibers.
    labels : bool
        Whether the joint axes of a still are drawn, with its names.
    limits : (float, float), optional
        Values at the ends of the color scale; by default the range over the whole run, so that
        all pictures of a run compare.

    Attributes
    ----------
    tubes : TubeLayout or None
        The fibers; None where there is none.
    pieces : list of Piece
        Everything else, in the frames of the bodies; what is not solid comes last.
    labels : list of Label
        Names of what a still shows.
    cloud : (n, 3) float array
        Points of what is drawn, over the whole run [m].
    limits : (float, float)
        Values at the ends of the color scale.
    """

    def __init__(
        self,
        shown: Result | Still,
        color_by: str,
        *,
        labels: bool = False,
        limits: tuple[float, float] | None = None,
    ) -> None:
        still = shown if isinstance(shown, Still) else None
        result = shown.result if isinstance(shown, Still) else shown
        check_frames(result)
        self.result = result
        self.is_still = still is not None
        self.color_by = color_by
        self._fields = {name: fiber_field(fiber, color_by) for name, fiber in result.fibers.items()}
        self.limits = limits if limits is not None else field_range(result, color_by)
        self.tubes: TubeLayout | None = None
        if result.fibers:
            most = max(fiber.node_theta.size for fiber in result.fibers.values()) - 1
            n_points = int(np.clip(_POINTS_PER_ELEMENT * most + 1, 49, 257))
            self._theta = np.linspace(0.0, 1.0, n_points)
            self.tubes = TubeLayout(len(result.fibers), n_points)
        self.cloud, self._margins = self._extent(still)
        self.pieces = [
            piece
            for name, body in result.bodies.items()
            for piece in body_pieces(name, body, self._spans(body))
        ]
        self.labels: list[Label] = []
        if still is not None:
            size = float(np.linalg.norm(np.ptp(self.cloud, axis=0)))
            self.pieces += still_pieces(still, size, axes=labels)
            self.labels = still_labels(still) if labels else []
        self.pieces.sort(key=lambda piece: piece.opacity < 1.0)

    def fiber_surface(self, frame: int) -> Surface:
        """All fibers at one frame, in ground."""
        assert self.tubes is not None
        fibers = self.result.fibers.values()
        center = np.stack([fiber.centerline(self._theta, frame) for fiber in fibers])
        radius = np.stack([self._sample(f.theta, f.radius[frame]) for f in fibers])
        points, normals = self.tubes.points(center, radius)
        return Surface(points, normals, self.tubes.faces)

    def fiber_values(self, frame: int) -> Array:
        """Field at the points of the fibers' surface at one frame."""
        assert self.tubes is not None
        rows = [
            self._sample(fiber.theta, self._fields[name][frame])
            for name, fiber in self.result.fibers.items()
        ]
        return self.tubes.spread(np.stack(rows))

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
        """Camera that sees the whole run; `room` is the part of the width kept free."""
        turn = 0.5 if self.is_still else 0.3  # left and right of a skeleton side by side
        aspect, up = size[0] / size[1], self.result.up
        return fit_camera(self.cloud, self._margins, aspect, up, room=room, turn=turn)

    def _sample(self, theta: Array, values: Array) -> Array:
        return np.interp(self._theta, theta, values)

    def _extent(self, still: Still | None) -> tuple[Array, Array]:
        """Points that the run passes through, and how thick the thing there is."""
        n_frames = self.result.time.size
        frames = np.unique(np.linspace(0, n_frames - 1, _CAMERA_FRAMES).astype(int))
        points, margins = [], []
        for fiber in self.result.fibers.values():
            nodes = fiber.position[frames].reshape(-1, 3)
            points.append(nodes)
            margins.append(np.full(len(nodes), float(np.nanmax(fiber.radius))))
        for body in self.result.bodies.values():
            for shape in (*body.shapes, *body.visuals):
                if shape.kind == "infinite_cylinder":
                    continue
                ends, radius = _outline(shape)
                places = ends @ body.rotation[frames].swapaxes(1, 2) + body.position[frames, None]
                points.append(places.reshape(-1, 3))
                margins.append(np.full(len(points[-1]), radius))
        if still is not None:
            for line in still.muscles.values():
                points.append(line.points)
                margins.append(np.full(len(line.points), line.radius))
            for shape in still.sticks:
                points.append(_outline(shape)[0])
                margins.append(np.full(2, shape.radius))
        if not points:
            for body in self.result.bodies.values():
                points.append(body.position[frames])
                thick = max((shape.radius for shape in body.shapes), default=0.1)
                margins.append(np.full(len(frames), 5.0 * thick))
        if not points:
            return np.zeros((1, 3)), np.ones(1)
        cloud, thickness = np.concatenate(points), np.concatenate(margins)
        seen = np.all(np.isfinite(cloud), axis=1) & np.isfinite(thickness)
        return cloud[seen], thickness[seen]

    def _spans(self, body: BodyMotion) -> dict[int, tuple[float, float]]:
        """Where its infinite cylinders are drawn: just past everything else."""
        spans = {}
        for number, shape in enumerate(body.shapes):
            if shape.kind != "infinite_cylinder":
                continue
            axis = shape.end - shape.start
            axis = axis / np.linalg.norm(axis)
            local = (self.cloud - body.position[0]) @ body.rotation[0] - shape.start
            along = local @ axis
            spans[number] = (
                float(np.min(along - self._margins)) - 0.1 * shape.radius,
                float(np.max(along + self._margins)) + 0.1 * shape.radius,
            )
        return spans


def _outline(shape: ShapeRecord) -> tuple[Array, float]:
    """Points in the body frame, and a radius around them, that hold all of a shape."""
    if shape.kind == "mesh":
        return extreme_points(shape.vertices), 0.0
    return np.stack([shape.start, shape.end]), shape.radius

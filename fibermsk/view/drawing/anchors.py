"""Places at which fibers are fixed to bodies, for the drawing of their ends.

Results do not name the bodies of attachments: an end belongs to the body in whose frame it rests.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from fibermsk._arrays import Array
from fibermsk.results.result import BodyMotion, FiberHistory, ShapeRecord
from fibermsk.results.still import MuscleLine

_REST = 1e-4
"""Largest motion of an end in the frame of its body, over the size of the scene."""
_FARTHEST = 0.08
"""Largest distance of an end from the surface of its bone, over the size of the scene."""

_NEAR = 7.0, 0.5
"""Distance over the radius of a fiber within which moving ends, and those at rest, meet."""
_LEAST = 0.006
"""Least radius of a fiber with a visible plate, over the size of the scene."""


class Anchor(NamedTuple):
    """End of a fiber or muscle on a body; vectors (3,) in the body frame [m]."""

    body: str
    point: Array  # end of the fiber
    bone: Array  # nearest point of the bone
    normal: Array  # outwards, unit
    along: Array  # of the fiber, away from the end, unit
    radius: float  # of the fiber
    gap: float  # from the surface to the end; negative inside


class BoneSurface:
    """Nearest points on the shapes of one body."""

    def __init__(self, body: BodyMotion) -> None:
        shapes = *body.shapes, *body.visuals
        self._solids = [shape for shape in shapes if shape.kind != "mesh"]
        meshes = [shape for shape in shapes if len(shape.faces)]
        self._tree: Any = None
        if meshes:
            # without the solids, which are then drawn translucent
            self._solids = []
            corners = np.concatenate([mesh.vertices[mesh.faces] for mesh in meshes])
            normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            sizes = np.linalg.norm(normals, axis=1, keepdims=True)
            self._normals = normals / np.maximum(sizes, 1e-300)
            self._corners, centers = corners, corners.mean(axis=1)
            self._reach = np.linalg.norm(corners - centers[:, None], axis=2).max(axis=1)
            self._tree = KDTree(centers)

    @property
    def is_empty(self) -> bool:
        """Whether the body has no shape."""
        return not self._solids and self._tree is None

    def nearest(self, point: Array) -> tuple[Array, Array, float] | None:
        """Nearest point, outward normal there, and distance, negative inside; None without any."""
        found = [_nearest_on(shape, point) for shape in self._solids]
        if self._tree is not None:
            place, normal = self._on_mesh(point)
            away = point - place
            gap = float(np.linalg.norm(away)) * (1.0 if away @ normal >= 0.0 else -1.0)
            if gap > 0.0:
                normal = away / gap
            found.append((place, normal, gap))
        return min(found, key=lambda one: one[2]) if found else None

    def _on_mesh(self, point: Array) -> tuple[Array, Array]:
        """Nearest point of the triangles, and the normal of the one that has it."""
        from trimesh.triangles import closest_point  # pyright: ignore[reportMissingImports]

        least, _ = self._tree.query(point)
        near = np.array(self._tree.query_ball_point(point, least + self._reach.max()))
        away = np.linalg.norm(self._tree.data[near] - point, axis=1)
        near = near[away <= least + self._reach[near]]
        places = closest_point(self._corners[near], np.tile(point, (len(near), 1)))
        k = int(np.argmin(np.linalg.norm(places - point, axis=1)))
        return places[k], self._normals[near[k]]


class End(NamedTuple):
    """End of a fiber or muscle: places over some frames, and what is drawn there."""

    path: Array  # (n_frames, 3), ground [m]
    along: Array  # away from the end at the first frame (3,), ground
    radius: float  # [m]


def fiber_ends(fibers: Iterable[FiberHistory], frames: NDArray[np.int64]) -> list[End]:
    """Both ends of fibers at some frames, without free ones: these never have a force."""
    ends = []
    for fiber in fibers:
        pulls = fiber.force_origin, fiber.force_insertion
        for end, sign in ((0, 1.0), (-1, -1.0)):
            # line muscles, which have no stretch, are never free
            held = len(fiber.position) == 1 or np.isnan(fiber.stretch[0, 0])
            if held or np.any(pulls[end]):
                path, along = fiber.position[frames, end], sign * fiber.tangent[0, end]
                ends.append(End(path, along, float(fiber.radius[0, end])))
    return ends


def line_ends(lines: Iterable[MuscleLine]) -> list[End]:
    """Both ends of line muscles of a model."""
    return [
        End(points[:1], points[1] - points[0], line.radius)
        for line in lines
        for points in (line.points, line.points[::-1])
        if len(points) > 1
    ]


def find_anchors(
    ends: Iterable[End],
    bodies: Mapping[str, BodyMotion],
    bones: Mapping[str, BoneSurface],
    frames: NDArray[np.int64],
    size: float,
) -> tuple[list[Anchor], list[Anchor]]:
    """Anchors of ends at some frames: on bones, and on bodies that have no shape, such as ground.

    Ends far from a moving bone of their body have none, nor have those that meet others on a body
    without shape. `size` is that of the scene [m].
    """
    ends = list(ends)
    starts = np.array([end.path[0] for end in ends]).reshape(-1, 3)
    shaped = [name for name, bone in bones.items() if not bone.is_empty]
    on_bones, in_air = list[Anchor](), list[Anchor]()
    for end in ends:
        rests = _frames_of(end, bodies, frames, size)
        if anchor := _anchor(end, rests, bodies, bones, frames, size):
            on_bones.append(anchor)
        elif np.all(np.isfinite(end.path)):
            fixed = bool(np.max(np.ptp(end.path, axis=0)) <= _REST * size)
            if not fixed and any(name in rests for name in shaped):
                continue  # it belongs to a bone, however far
            name = "" if fixed else next(iter(rests), None)
            near = np.linalg.norm(starts - end.path[0], axis=1) < _NEAR[fixed] * end.radius
            if name is not None and np.sum(near) == 1:
                place = end.path[0] if fixed else rests[name]
                turned = np.eye(3) if fixed else bodies[name].rotation[frames[0]]
                in_air.append(_square(end, name, place, turned, _LEAST * size))
    return on_bones, in_air


def _frames_of(
    end: End, bodies: Mapping[str, BodyMotion], frames: NDArray[np.int64], size: float
) -> dict[str, Array]:
    """Place of an end (3,) in each body in whose frame it rests [m]."""
    found = dict[str, Array]()
    for name, body in bodies.items():
        local = np.einsum("fji,fj->fi", body.rotation[frames], end.path - body.position[frames])
        if np.all(np.isfinite(local)) and np.max(np.ptp(local, axis=0)) <= _REST * size:
            found[name] = local[0]
    return found


def _anchor(
    end: End,
    rests: Mapping[str, Array],
    bodies: Mapping[str, BodyMotion],
    bones: Mapping[str, BoneSurface],
    frames: NDArray[np.int64],
    size: float,
) -> Anchor | None:
    """The nearest bone of those in whose frame an end rests."""
    best: Anchor | None = None
    for name, local in rests.items():
        near = bones[name].nearest(local)
        if near is None or near[2] > _FARTHEST * size or (best and near[2] >= best.gap):
            continue
        way = _way(end, bodies[name].rotation[frames[0]])
        best = Anchor(name, local, near[0], near[1], way, end.radius, near[2])
    return best


def _square(end: End, name: str, place: Array, turned: Array, least: float) -> Anchor:
    """Anchor on a body without shape, or on ground: its surface is square to the fiber.

    It is drawn for a fiber of the `least` radius at least [m].
    """
    way = _way(end, turned)
    return Anchor(name, place, place, way, way, max(end.radius, least), 0.0)


def _way(end: End, turned: Array) -> Array:
    """Unit vector of a fiber away from its end, in the frame of a body."""
    way = turned.T @ end.along
    return way / max(float(np.linalg.norm(way)), 1e-300)


def _nearest_on(shape: ShapeRecord, point: Array) -> tuple[Array, Array, float]:
    axis = shape.end - shape.start
    part = float((point - shape.start) @ axis / max(float(axis @ axis), 1e-300))
    if shape.kind == "capsule":
        part = min(max(part, 0.0), 1.0)
    center = shape.start + part * axis
    away = point - center
    distance = float(np.linalg.norm(away))
    normal: Array = away / max(distance, 1e-300)
    if distance <= 1e-12:
        normal = np.asarray(np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))]), dtype=float)
        normal = normal / max(float(np.linalg.norm(normal)), 1e-300)
    on: Array = center + shape.radius * normal
    return on, normal, distance - shape.radius

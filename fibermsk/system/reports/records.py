"""Parts of a model that results store: shapes, up direction, units of coordinates."""

from __future__ import annotations

import numpy as np

from fibermsk._arrays import Array
from fibermsk.model import Body, Capsule, InfiniteCylinder, Model
from fibermsk.model.skeleton.body import Shape, ends_of, shapes_of, visuals_of
from fibermsk.model.skeleton.mesh import vertices_of
from fibermsk.results import BodyMotion, ShapeRecord


def body_motion(body: Body, position: Array, rotation: Array) -> BodyMotion:
    """Motion and visible shapes of a body; arrays over frames as in the result."""
    return BodyMotion(
        position,
        rotation,
        tuple(_record(shape) for shape in shapes_of(body)),
        tuple(ShapeRecord.mesh(*vertices_of(mesh)) for mesh in visuals_of(body)),
    )


def is_seen(body: Body) -> bool:
    """Whether a body, or the ground, has anything to draw."""
    return bool(shapes_of(body) or visuals_of(body))


def up(model: Model) -> tuple[float, float, float]:
    """Unit vector against gravity; z where there is none."""
    size = float(np.linalg.norm(model.gravity))
    if size == 0.0:
        return 0.0, 0.0, 1.0
    x, y, z = (0.0 - float(g) / size for g in model.gravity)
    return x, y, z


def coordinate_units(model: Model) -> dict[str, str]:
    """Units of the coordinates that are not angles."""
    return {c.name: c.unit for c in model.coordinates if c.unit != "rad"}


def _record(shape: Shape) -> ShapeRecord:
    if isinstance(shape, Capsule | InfiniteCylinder):
        kind = "capsule" if isinstance(shape, Capsule) else "infinite_cylinder"
        start, end = ends_of(shape)
        return ShapeRecord(kind, start, end, shape.radius)
    return ShapeRecord.mesh(*vertices_of(shape), float(shape.radius or 0.0))

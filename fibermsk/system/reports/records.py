"""Parts of a model that results store: shapes, up direction, units of coordinates."""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from fibermsk._arrays import Array
from fibermsk.model import Body, Capsule, InfiniteCylinder, Model
from fibermsk.model.skeleton.body import Shape, ends_of, shapes_of, visuals_of
from fibermsk.model.skeleton.mesh import Mesh, vertices_of
from fibermsk.results import BodyMotion, ShapeRecord

_STICK = 0.035
"""Radius of a stick over its length."""
_SHORTEST = 1e-6
"""Least length of a stick [m]."""

_MESHES: WeakKeyDictionary[Mesh, ShapeRecord] = WeakKeyDictionary()


def body_motion(model: Model, body: Body, position: Array, rotation: Array) -> BodyMotion:
    """Motion and visible shapes of a body; arrays over frames as in the result.

    A body without shapes has sticks from joint to joint, at the ends to its center of mass.
    """
    return BodyMotion(
        position,
        rotation,
        tuple(_record(shape) for shape in shapes_of(body)),
        tuple(_mesh_record(mesh) for mesh in visuals_of(body))
        if is_seen(body)
        else _sticks(model, body),
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


def _sticks(model: Model, body: Body) -> tuple[ShapeRecord, ...]:
    """Capsules in the frame of a body."""
    joint = model.joint_of(body)
    if joint is None:
        return ()
    start = np.asarray(joint.child_at, dtype=float)
    ends = [j.at for j in model.joints if j.parent is body]
    if not ends and body.mass is not None:
        ends = [body.com]
    found = []
    for end in np.asarray(ends, dtype=float).reshape(-1, 3):
        length = float(np.linalg.norm(end - start))
        if length > _SHORTEST:
            found.append(ShapeRecord("capsule", start, end, _STICK * length))
    return tuple(found)


def _record(shape: Shape) -> ShapeRecord:
    if isinstance(shape, Capsule | InfiniteCylinder):
        kind = "capsule" if isinstance(shape, Capsule) else "infinite_cylinder"
        start, end = ends_of(shape)
        return ShapeRecord(kind, start, end, shape.radius)
    return _mesh_record(shape)


def _mesh_record(mesh: Mesh) -> ShapeRecord:
    """Record of a mesh, which all results share: its arrays are those of the mesh, read-only."""
    if mesh not in _MESHES:
        record = ShapeRecord.mesh(*vertices_of(mesh), float(mesh.radius or 0.0))
        vertices, faces = vertices_of(mesh)
        _MESHES[mesh] = replace(record, vertices=vertices, faces=faces)
    return _MESHES[mesh]

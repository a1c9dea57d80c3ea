"""Bodies with meshes, frames and wrap surfaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from fibermsk.model.muscles.wrap import (
    Surface,
    WrapCylinder,
    WrapEllipsoid,
    WrapSphere,
    WrapTorus,
)
from fibermsk.model.skeleton.body import Body, shapes_of, visuals_of
from fibermsk.model.skeleton.mesh import Mesh
from fibermsk.read.osim.report import PlacedMesh
from fibermsk.write.osim.joints import Names
from fibermsk.write.osim.notes import Notes, legal
from fibermsk.write.osim.tree import (
    angles_of,
    first_free,
    inside,
    leaf,
    named,
    offset_frame,
    set_of,
)

SURFACES: dict[type, dict[str, str]] = {
    WrapCylinder: {"radius": "radius", "length": "length"},
    WrapEllipsoid: {"dimensions": "radii"},
    WrapSphere: {"radius": "radius"},
    WrapTorus: {"inner_radius": "inner_radius", "outer_radius": "outer_radius"},
}
"""Property of each wrap object of OpenSim, and the field here; classes have the same names."""


class Bodies:
    """Elements of the bodies of a file; frames and wrap surfaces are added as muscles need them."""

    def __init__(self, model: Element, names: Names, notes: Notes) -> None:
        self.names, self.notes = names, notes
        self._model = model
        self._elements: dict[str, Element] = {}
        self._surfaces: dict[int, str] = {}
        self._frames: dict[tuple[str, bytes], str] = {}

    def add(self, body: Body, placed: Sequence[PlacedMesh]) -> None:
        """Add a body; `placed` are the mesh files that it was read with."""
        if body.name == "ground":
            element = named(self._model, "Ground", "ground")
        else:
            element = named(set_of(self._model, "BodySet"), "Body", self.names.bodies[body.name])
            inertia = np.zeros((3, 3)) if body.inertia is None else np.asarray(body.inertia)
            leaf(element, "mass", 0.0 if body.mass is None else body.mass)
            leaf(element, "mass_center", body.com)
            components = inertia[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)]
            leaf(element, "inertia", components)
        self._elements[body.name] = element
        self._add_meshes(element, body, placed)

    def _add_meshes(self, element: Element, body: Body, placed: Sequence[PlacedMesh]) -> None:
        """Attach the files of the meshes that a body has, and of those that were not found."""
        kept: list[Any] = [*visuals_of(body), *shapes_of(body)]
        known = {id(one.mesh) for one in placed if one.mesh is not None}
        for shape in kept:
            if not isinstance(shape, Mesh):
                text = "shapes for contact of fibers are left out"
                self.notes.add(text, f"{type(shape).__name__} of {body.name}")
            elif id(shape) not in known:
                text = "meshes that come from no file named in a model are left out"
                self.notes.add(text, f"{shape.name or 'mesh'} of {body.name}")
        used = {id(one) for one in kept}
        attached = [one for one in placed if one.mesh is None or id(one.mesh) in used]
        # in frames of their own all of them, if one is: their order stays
        moved = any(not _is_same_frame(one) for one in attached)
        for k, one in enumerate(attached):
            name, holder = f"{legal(body.name)}_geom_{k + 1}", element
            if moved:
                components = inside(element, "components")
                holder = offset_frame(components, f"{name}_frame", "..", one.position, one.rotation)
            mesh = named(inside(holder, "attached_geometry"), "Mesh", name, socket_frame="..")
            leaf(mesh, "scale_factors", one.scale)
            leaf(mesh, "mesh_file", one.file)

    def frame(self, body: Body, position: Any, rotation: Any, name: str) -> str:
        """Path of a frame in a body; that of the body itself if both coincide."""
        place = np.concatenate([np.ravel(position), np.ravel(rotation)])
        path = self.names.frame(body)
        if np.array_equal(place, np.concatenate([np.zeros(3), np.eye(3).ravel()])):
            return path
        key = body.name, place.tobytes()
        if key not in self._frames:
            components = inside(self._elements[body.name], "components")
            taken = [one.get("name", "") for one in components]
            found = first_free(f"{legal(name)}_frame", taken)
            offset_frame(components, found, "..", position, rotation)
            self._frames[key] = f"{path}/{found}"
        return self._frames[key]

    def surface(self, surface: Surface) -> str | None:
        """Name of a wrap surface in the file; None if OpenSim has no such surface."""
        if id(surface) in self._surfaces:
            return self._surfaces[id(surface)]
        fields = SURFACES.get(type(surface))
        if fields is None:
            text = f"surfaces {type(surface).__name__} are left out: muscles do not wrap around"
            self.notes.add(text, surface.name)
            return None
        name = first_free(legal(surface.name), self._surfaces.values())
        if name != surface.name:
            text = "wrap surfaces are renamed: their names are those of others, or not legal"
            self.notes.add(text, f"{surface.name!r} to {name!r}")
        objects = set_of(self._elements[surface.body.name], "WrapObjectSet")
        element = named(objects, type(surface).__name__, name)
        leaf(element, "active", surface.active)
        leaf(element, "xyz_body_rotation", angles_of(surface.rotation))
        leaf(element, "translation", surface.position)
        leaf(element, "quadrant", surface.quadrant)
        for tag, field in fields.items():
            leaf(element, tag, getattr(surface, field))
        self._surfaces[id(surface)] = name
        return name


def _is_same_frame(one: PlacedMesh) -> bool:
    """Whether the frame of a mesh is that of its body."""
    return not np.any(one.position) and np.array_equal(one.rotation, np.eye(3))

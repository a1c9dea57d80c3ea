"""Contact of meshes: elastic foundations of OpenSim, and the files of their meshes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fibermsk.forces import MeshContact
from fibermsk.model.skeleton.mesh import Mesh
from fibermsk.write.osim.elements.contacts import RUBBING, half_space, surface, write_materials
from fibermsk.write.osim.notes import legal
from fibermsk.write.osim.tree import angles_of, first_free

if TYPE_CHECKING:
    from fibermsk.write.osim.elements.elements import Elements


class MeshFiles:
    """Meshes of contact geometry, in files of a folder beside the model."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.meshes: dict[str, Mesh] = {}  # by file, relative to the model

    def name_of(self, mesh: Mesh) -> str:
        """File of a mesh, which is added; equal meshes share one."""
        for file, known in self.meshes.items():
            if known is mesh or _same(known, mesh):
                return file
        stem = first_free(legal(mesh.name or "mesh"), [Path(one).stem for one in self.meshes])
        file = f"{self._folder}/{stem}.obj"
        self.meshes[file] = mesh
        return file


def _same(one: Mesh, other: Mesh) -> bool:
    return one.name == other.name and all(
        np.array_equal(getattr(one, field), getattr(other, field))
        for field in ("vertices", "faces")
    )


def text_of_mesh(mesh: Mesh) -> str:
    """Wavefront OBJ of a mesh, with all digits."""
    points = [f"v {x!r} {y!r} {z!r}" for x, y, z in np.asarray(mesh.vertices).tolist()]
    faces = [f"f {a} {b} {c}" for a, b, c in (np.asarray(mesh.faces) + 1).tolist()]
    return "\n".join([*points, *faces, ""])


def write_foundation(to: Elements, item: MeshContact) -> bool:
    """Add an elastic foundation, its surfaces and the files of its meshes."""
    origin = item.body.at(0.0, 0.0, 0.0)
    own = surface(
        to, "ContactMesh", f"{item.name}_mesh", origin, filename=to.files.name_of(item.mesh)
    )
    # of two meshes OpenSim halves the stiffness of both
    stiffness = item.stiffness * (1.0 if item.surface is None else 2.0)
    material = stiffness, *(getattr(item, field) for field in RUBBING)
    rigid = (0.0,) * len(material)
    write_materials(
        to, "ElasticFoundationForce", item, ((own, material), (_other(to, item), rigid))
    )
    return True


def _other(to: Elements, item: MeshContact) -> str:
    """Name of the surface without springs, which is added."""
    numbers: dict[str, Any] = {"orientation": angles_of(item.axes)}
    if item.surface is not None:
        numbers["filename"] = to.files.name_of(item.surface)
        return surface(to, "ContactMesh", f"{item.name}_other", item.other, **numbers)
    if item.radius:
        numbers["radius"] = item.radius
        return surface(to, "ContactSphere", f"{item.name}_other", item.other, **numbers)
    return half_space(to, item)

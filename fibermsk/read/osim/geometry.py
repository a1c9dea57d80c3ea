"""Meshes of bodies: search of the files, and selection for contact with fibers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.read.osim.document import Document
from fibermsk.read.osim.report import PlacedMesh
from fibermsk.read.osim.skeleton.frames import Frame, Frames, placed, socket
from fibermsk.read.xml_tree import Element

Contact = Sequence[str] | Mapping[str, str | Sequence[str]]

ONES = (1.0, 1.0, 1.0)
ZEROS = (0.0,) * 6


class MeshReference(NamedTuple):
    """Mesh file of a body with its scale and frame."""

    element: Element
    file: str
    frame: Frame
    scale: np.ndarray


def find_meshes(
    document: Document, frames: Frames, holders: Sequence[Element]
) -> list[MeshReference]:
    """Mesh files of ground, bodies and frames; other geometry is reported."""
    found: list[MeshReference] = []
    for holder in holders:
        shapes = document.inside(holder, "attached_geometry")
        for element in [*shapes, *document.parts(holder, "Mesh")]:
            found += _attached(document, frames, element)
        visible = document.child(holder, "VisibleObject")
        if visible is not None:
            found += _visible(document, frames.around(visible), visible)
    return found


def _attached(document: Document, frames: Frames, element: Element) -> list[MeshReference]:
    """Mesh in version 4."""
    if element.tag == "FrameGeometry":
        return []
    if element.tag != "Mesh":
        element.leave()
        text = f"the geometry {element.tag} is not drawn and has no contact"
        document.not_understood(element, text)
        return []
    element.seen = True
    scale = document.vector(element, 3, "scale_factors", default=ONES)
    file = document.text(element, "mesh_file")
    named = socket(document, element, "frame")
    frame = frames.named(named, element) if named is not None and named.text else None
    return [MeshReference(element, file, frame or frames.around(element), scale)] if file else []


def _visible(document: Document, frame: Frame, visible: Element) -> list[MeshReference]:
    """Meshes in versions 2 and 3."""
    scale = document.vector(visible, 3, "scale_factors", default=ONES)
    pose = document.vector(visible, 6, "transform", default=ZEROS)
    frame = placed(frame, pose[:3], pose[3:])
    files = document.words(visible, "geometry_files")
    found = [MeshReference(visible, file, frame, scale) for file in files]
    for element in document.objects(visible, "GeometrySet"):
        element.seen = True
        file = document.text(element, "geometry_file")
        own = document.vector(element, 3, "scale_factors", default=ONES)
        pose = document.vector(element, 6, "transform", default=ZEROS)
        if file:
            place = placed(frame, pose[:3], pose[3:])
            found.append(MeshReference(element, file, place, scale * own))
    return found


class Meshes:
    """Meshes of the bodies, read on demand; `folder` is searched first."""

    def __init__(
        self,
        document: Document,
        references: list[MeshReference],
        bodies: list[str],
        folder: Path | None,
        contact: Contact,
        outside: bool,
    ) -> None:
        self.document = document
        self.outside = outside
        self.references: dict[str, list[MeshReference]] = {}
        for reference in references:
            self.references.setdefault(reference.frame.body, []).append(reference)
        beside = document.path.parent
        self.folders = [beside, beside / "Geometry"]
        if folder is not None:
            self.folders = [folder, folder / "Geometry", *self.folders]
        self.touched = self._touched(contact, bodies)
        self._read: dict[tuple[Path, str], Any] = {}

    def of(self, body: str) -> dict[str, Any]:
        """Shapes and visuals of a body, as fields of `Body`."""
        shapes, visuals = [], []
        for reference in self.references.get(body, []):
            wanted = Path(reference.file).name in self.touched.get(body, ())
            mesh = self._mesh(reference, wanted)
            frame = reference.frame
            place = (frame.position, frame.rotation, reference.scale)
            self.document.report.placed.append(PlacedMesh(body, reference.file, *place, mesh))
            if mesh is not None:
                (shapes if wanted else visuals).append(mesh)
        return {"shapes": tuple(shapes), "visuals": tuple(visuals)}

    def of_contact(self, element: Element, file: str) -> Any:
        """Mesh of contact geometry in its own frame; None, which is reported, without its file."""
        path = self._find(file) if file else None
        if path is None:
            text = self._why_missing(file, "it does NOT ACT") if file else "names no mesh file"
            self.document.not_understood(element, f"the {element.tag}: {text}")
            return None
        try:
            return self._of_file(path, "first")
        except ModelError as error:
            self.document.not_understood(element, f"the {element.tag} does NOT ACT: {error}")
            return None

    def _of_file(self, path: Path, quads: str = "shorter") -> Any:
        """Mesh of a file, read once for each way to divide its quads."""
        key = path, quads
        if key not in self._read:
            from fibermsk.read.mesh import read_mesh

            self._read[key] = read_mesh(path, quads=quads)
        return self._read[key]

    def _why_missing(self, file: str, so: str) -> str:
        """Why a mesh file is not read, and what follows."""
        folders = ", ".join(str(folder) for folder in dict.fromkeys(self.folders))
        if self._find(file, anywhere=True) is None:
            return f"mesh file not found, {so}; looked in {folders}; give geometry=FOLDER"
        return (
            f"the mesh file {file[:80]!r} is outside of {folders}: not read, {so}; give "
            "geometry=FOLDER, or geometry_outside=True if you trust the model"
        )

    def _touched(self, contact: Any, bodies: list[str]) -> dict[str, set[str]]:
        """Names of the mesh files in contact with fibers, by body."""
        owner = f"read_osim of {self.document.path}"
        if isinstance(contact, str):
            contact = (contact,)
        if not isinstance(contact, Mapping):
            what = "names of bodies, or a mapping of names of bodies to mesh files"
            _check.instance(owner, "contact", contact, (tuple, list, set, frozenset), what)
            contact = dict.fromkeys(contact)
        touched: dict[str, set[str]] = {}
        for body, files in contact.items():
            if body not in bodies:
                must = f"be a body of the file: {', '.join(bodies)}"
                _check.refuse(owner, "contact", body, must)
            names = {Path(reference.file).name for reference in self.references.get(body, [])}
            wanted = names if files is None else {files} if isinstance(files, str) else set(files)
            wanted = {Path(str(name)).name for name in wanted}
            missing = wanted - names
            if missing or not wanted:
                must = f"be mesh files of {body!r}: {', '.join(sorted(names)) or 'none'}"
                _check.refuse(owner, f"contact of {body!r}", sorted(missing), must)
            touched[body] = wanted
        return touched

    def _mesh(self, reference: MeshReference, wanted: bool) -> Any:
        """Placed mesh of one file; None for an unreadable one without contact."""
        document, element = self.document, reference.element
        path = self._find(reference.file)
        body = reference.frame.body
        document.report.meshes.append((body, reference.file, None if path is None else str(path)))
        if path is None:
            text = self._why_missing(reference.file, "not drawn")
            if wanted:
                document.fail(element, f"{reference.file}: {text}", "must be found for contact")
            absent = self._find(reference.file, anywhere=True) is None
            (document.note if absent else document.not_understood)(element, text)
            return None
        try:
            read = self._of_file(path)
            with document.naming(element):
                frame = reference.frame
                mesh = read.placed(frame.rotation, frame.position, reference.scale)
            for remark in mesh.report.remarks if wanted else ():
                document.note(element, f"contact mesh {path.name}: {remark}")
            return mesh
        except ModelError as error:
            if wanted:
                raise
            document.not_understood(element, f"mesh not drawn: {error}")
            return None

    def _find(self, file: str, *, anywhere: bool = False) -> Path | None:
        """Path of a mesh file in the folders, after resolving links and `..`."""
        name = file.replace("\\", "/")
        for folder in self.folders:
            for candidate in (folder / name, folder / Path(name).name):
                try:
                    if candidate.is_file() and (anywhere or self.outside or self._holds(candidate)):
                        return candidate
                except (OSError, ValueError, RuntimeError):
                    continue
        return None

    def _holds(self, file: Path) -> bool:
        """Whether a file is in one of the folders."""
        place = file.resolve()
        return any(place.is_relative_to(folder.resolve()) for folder in self.folders)

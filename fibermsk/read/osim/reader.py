"""Model of an OpenSim file."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.files import path_of
from fibermsk.model.model import Model
from fibermsk.model.skeleton.body import Body
from fibermsk.model.skeleton.coupling import Coupling
from fibermsk.model.skeleton.joint import FunctionalJoint, Weld
from fibermsk.read.osim.assembly import assembled, started
from fibermsk.read.osim.document import Document
from fibermsk.read.osim.forces.actuators import read_actuators
from fibermsk.read.osim.forces.elements import add_elements
from fibermsk.read.osim.forces.forces import read_forces
from fibermsk.read.osim.forces.muscles import read_muscle
from fibermsk.read.osim.forces.source import Source
from fibermsk.read.osim.forces.wraps import read_wrap_objects
from fibermsk.read.osim.geometry import Contact, Meshes, find_meshes
from fibermsk.read.osim.leftovers import report_leftovers
from fibermsk.read.osim.skeleton.bodies import find_bodies, make_body
from fibermsk.read.osim.skeleton.constraints import read_constraints
from fibermsk.read.osim.skeleton.coordinates import CoordinateEntry, make_coordinate
from fibermsk.read.osim.skeleton.frames import Frames
from fibermsk.read.osim.skeleton.holding import Holding
from fibermsk.read.osim.skeleton.joints import JointEntry, in_tree_order, read_joints
from fibermsk.read.osim.skeleton.loops import cut_loops, shared
from fibermsk.read.osim.skeleton.markers import read_markers
from fibermsk.read.xml_tree import Element

GRAVITY = (0.0, -9.80665, 0.0)
METERS = ("", "unassigned", "meters", "m")
NEWTONS = ("", "unassigned", "n", "newtons")


def read_osim(
    path: str | os.PathLike[str],
    *,
    geometry: str | os.PathLike[str] | None = None,
    contact: Contact = (),
    unsupported: str | None = None,
    geometry_outside: bool = False,
) -> Model:
    """Read a model from an OpenSim file (.osim) of version 2 to 4.

    Bodies, joints, coordinates, couplings, forces, muscles as descriptions of their paths and
    numbers, wrap surfaces and meshes. ``model.import_report`` lists all that was not
    understood or changed.

    Parameters
    ----------
    path : path
        The file.
    geometry : path, optional
        Folder of the mesh files, searched before the folder of the file and ``Geometry`` in it.
    contact : sequence of str, or mapping of str to str or a sequence of str
        Bodies whose meshes fibers touch, and which of their mesh files; other meshes are only
        drawn.
    unsupported : {None, "weld"}
        Treatment of a joint that is not understood: an error, or a weld that the report lists.
    geometry_outside : bool
        Whether the file may name meshes outside of these folders, by absolute paths, ``..`` or
        links. Otherwise they are not read, and the report lists them.

    Returns
    -------
    model : Model
        With `ImportReport` as ``import_report``.

    Raises
    ------
    ModelError
        If the file cannot be read or describes no tree of bodies, with file, line and element.

    Examples
    --------
    >>> model = fm.read_osim("arm26.osim", geometry="Geometry")  # doctest: +SKIP
    >>> print(model.import_report)  # doctest: +SKIP
    """
    file = path_of(path, "read_osim: path")
    owner = f"read_osim of {file}"
    if unsupported is not None and not (isinstance(unsupported, str) and unsupported == "weld"):
        _check.refuse(owner, "unsupported", unsupported, "be None or 'weld'")
    _check.flag(owner, "geometry_outside", geometry_outside)
    folder = None if geometry is None else path_of(geometry, f"{owner}: geometry")
    if folder is not None and not folder.is_dir():
        _check.refuse(owner, "geometry", str(folder), "be a folder of mesh files")
    # the checks of the model refuse overflows
    with _without_collections(), np.errstate(all="ignore"):
        return _Reader(Document(file), folder, contact, unsupported, geometry_outside).model


@contextmanager
def _without_collections() -> Iterator[None]:
    """Context without garbage collection: all of a large tree of elements is in use."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


class _Reader:
    """Steps of reading a file, in the order of their dependencies."""

    def __init__(
        self,
        document: Document,
        folder: Path | None,
        contact: Contact,
        unsupported: str | None,
        outside: bool,
    ) -> None:
        self.document = document
        ground, elements = find_bodies(document)
        names = ["ground", *(element.name for element in elements)]
        frames = Frames(document, names)
        joints = read_joints(document, frames, elements, unsupported=unsupported)
        self.joints, closing = in_tree_order(document, joints, elements)
        massless = {one.name for one in elements if document.number(one, "mass") == 0.0}
        self.cuts = cut_loops(document, self.joints, closing, names, massless)
        self.coordinates = self._collect()
        constraints = read_constraints(document, self.coordinates)
        muscles, forces, actuators = read_forces(document, self.coordinates)
        holders = [*([] if ground is None else [ground]), *elements, *frames.check()]
        references = find_meshes(document, frames, holders)
        meshes = Meshes(document, references, names, folder, contact, outside)
        self.model = self._start(ground, meshes)
        bodies = {"ground": self.model.ground}
        for element in elements:
            with document.naming(element):
                for body in shared(make_body(document, element, meshes), self.cuts):
                    bodies[body.name] = self.model.add(body)
        for joint in self.joints:
            self._add_joint(joint, bodies)
        for element, coupling in constraints.couplings:
            with document.naming(element):
                self.model.add(coupling)
            self._check_start(element, coupling)
        self._hold(Holding(document, frames, bodies), constraints.holding)
        surfaces = read_wrap_objects(document, frames, bodies, holders)
        for element in muscles:
            muscle = read_muscle(document, frames, bodies, self.coordinates, surfaces, element)
            if muscle is not None:
                with document.naming(element):
                    self.model.add(muscle)
        self.model.add(*read_markers(document, frames, bodies))
        source = Source(document, frames, bodies, self.coordinates, surfaces, meshes)
        add_elements(source, self.model, forces)
        document.report.actuators = read_actuators(source, actuators)
        report_leftovers(document)
        document.report.entries.sort(key=lambda entry: entry.line)
        document.report.joint_kinds = {joint.name: joint.kind for joint in (*joints, *self.joints)}
        self.model.import_report = document.report

    def _collect(self) -> dict[str, CoordinateEntry]:
        """Coordinates of all joints by name."""
        found: dict[str, CoordinateEntry] = {}
        for joint in self.joints:
            for entry in joint.coordinates:
                if entry.name in found:
                    what, other = f"the coordinate {entry.name!r} exists", found[entry.name]
                    self.document.fail_twice(entry.element, what, other.element)
                found[entry.name] = entry
        return found

    def _start(self, ground: Element | None, meshes: Meshes) -> Model:
        """Empty model with its name, gravity and ground."""
        document, element = self.document, self.document.model
        for tag, usual, unit in (("length_units", METERS, "m"), ("force_units", NEWTONS, "N")):
            text = document.text(element, tag)
            if text.lower() not in usual:
                said = f"{tag} says {text[:40]!r}: the numbers are read in {unit}, as in OpenSim"
                document.changed(element, said)
        gravity = document.vector(element, 3, "gravity", default=GRAVITY)
        with document.naming(ground or element):
            body = Body("ground", **meshes.of("ground"))
            return Model(element.name or document.path.stem, gravity, ground=body)

    def _add_joint(self, entry: JointEntry, bodies: dict[str, Body]) -> None:
        """Add one joint to the model."""
        document = self.document
        parent, child = bodies[entry.parent.body], bodies[entry.child.body]
        coordinates = [make_coordinate(document, one) for one in entry.coordinates]
        placement: dict[str, Any] = {
            "at": entry.parent.position,
            "child_at": entry.child.position,
            "rotation": entry.rotation,
        }
        with document.naming(entry.element):
            if entry.axes or coordinates:
                own = (entry.name, parent, child, coordinates, entry.axes)
                joint = FunctionalJoint(*own, **placement)
            else:
                joint = Weld(parent, child, **placement)
            self.model.add(joint)

    def _hold(self, holding: Holding, elements: list[Element]) -> None:
        """Add constraints of bodies, and start where they are closed."""
        document, found = self.document, list[tuple[Element, Any]]()
        for element in elements:
            found.append((element, holding.read(element)))
        found += [(cut.joint.element, holding.close(cut)) for cut in self.cuts]
        for element, one in found:
            with document.naming(element):
                self.model.add(one)
        if not found:
            return
        willing = {name for name, one in self.coordinates.items() if one.willing}
        try:
            values = assembled(self.model, [one for _, one in found], willing)
        except ModelError as error:
            document.changed(found[0][0], f"its start is not closed: {error}")
            return
        if values is None:
            for element, _ in found:
                text = "no pose near the default values closes it: a run must start from another"
                document.changed(element, text)
            return
        self.model, changes = started(self.model, values)
        for name, (before, after) in changes.items():
            text = f"{name} starts at {after:.6g}, where the constraints are closed, not at "
            text += f"its default_value {before:.6g}"
            document.changed(self.coordinates[name].element, text)

    def _check_start(self, element: Element, coupling: Coupling) -> None:
        """Report if a coupling changes the start value of its dependent coordinate."""
        values = {one.name: one.value for one in self.model.coordinates}
        start = coupling.value(values)
        given = values[coupling.dependent]
        if not abs(start - given) <= 1e-6:
            text = (
                f"{coupling.dependent} starts at {start:.6g}, the value of its coupling, not at "
                f"its default_value {given:.6g}"
            )
            self.document.changed(element, text)

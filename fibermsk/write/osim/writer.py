"""OpenSim's file of a model."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ElementTree, indent

from fibermsk import _check
from fibermsk.files import check_writable, path_of, replacing_all
from fibermsk.model.model import Model
from fibermsk.model.skeleton.joint import Weld
from fibermsk.read.osim.report import ImportReport
from fibermsk.write.osim.actuators import write_actuators
from fibermsk.write.osim.bodies import Bodies
from fibermsk.write.osim.elements.elements import Elements
from fibermsk.write.osim.elements.meshes import MeshFiles, text_of_mesh
from fibermsk.write.osim.forces import write_laws
from fibermsk.write.osim.joints import names_of, write_coupling, write_joint
from fibermsk.write.osim.muscles import write_muscle
from fibermsk.write.osim.notes import Notes, legal
from fibermsk.write.osim.tree import leaf, named, set_of

VERSION = "40600"
"""Version of the files, that of OpenSim 4.5 and 4.6."""


def write_osim(model: Model, path: str | os.PathLike[str]) -> Path:
    """Write a model as an OpenSim file (.osim) of version 4.

    Bodies, joints, coordinates with their laws, couplings, line muscles with their wrap surfaces,
    and names of mesh files come out as OpenSim 4.5 and later read them; `read_osim` reads the same
    model from the file. Numbers have all their digits.

    Parameters
    ----------
    model : Model
        The model; not changed.
    path : path
        The file, whose name ends in .osim. It is written whole or not at all, with the meshes of
        contacts, in files of the folder NAME_meshes beside it.

    Returns
    -------
    path : pathlib.Path
        The file.

    Raises
    ------
    ModelError
        If a joint or a function has no counterpart in OpenSim, with its name and the remedy, or
        the file cannot be written.

    Warns
    -----
    ModelWarning
        Of all that the file does not say, by name: fibers, contacts, elements, laws and surfaces
        without a class in OpenSim, excitations, and names that change.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.read_osim("arm26.osim")  # doctest: +SKIP
    >>> heavier = fm.with_parameters(model, {"r_humerus/mass": 2.5})  # doctest: +SKIP
    >>> fm.write_osim(heavier, "arm26_heavier.osim")  # doctest: +SKIP
    """
    owner = "write_osim"
    _check.instance(owner, "model", model, Model, "a Model")
    file = path_of(path, f"{owner}: path")
    if file.suffix.lower() != ".osim":
        _check.refuse(owner, "path", str(file), "end in .osim", remedy=f"{file.stem}.osim")
    check_writable(file)
    notes, meshes = Notes(model.name), MeshFiles(f"{file.stem}_meshes")
    tree = document_of(model, notes, meshes)
    if meshes.meshes:
        (file.parent / f"{file.stem}_meshes").mkdir(exist_ok=True)
    others = [file.parent / one for one in meshes.meshes]
    with replacing_all([file, *others]) as (beside, *besides):
        tree.write(beside, encoding="UTF-8", xml_declaration=True)
        for place, mesh in zip(besides, meshes.meshes.values(), strict=True):
            place.write_text(text_of_mesh(mesh), "utf-8")
    notes.warn()
    return file


def document_of(model: Model, notes: Notes, meshes: MeshFiles) -> ElementTree:
    """Document of a model; `notes` collects what it does not say, `meshes` those of contacts."""
    root = Element("OpenSimDocument", {"Version": VERSION})
    name = legal(model.name)
    if name != model.name:
        notes.add("the model is renamed", f"{model.name!r} to {name!r}")
    element = named(root, "Model", name)
    report: Any = model.import_report
    report = report if isinstance(report, ImportReport) else ImportReport("")
    # points without mass where fibers meet go with the fibers
    loose = {body.name for body in model.junctions if body.mass is None and model.fibers}
    joints = [joint for joint in model.joints if joint.child.name not in loose]
    _note_left_out(model, loose, notes)
    placed = [body for body in model.bodies if body.name not in loose]
    names = names_of(model, joints, placed, notes)
    bodies = Bodies(element, names, notes)
    for body in placed:
        bodies.add(body, [one for one in report.placed if one.body == body.name])
    leaf(element, "gravity", model.gravity)
    leaf(element, "length_units", "meters")
    leaf(element, "force_units", "N")
    motions: dict[str, str] = {}
    for joint in joints:
        given = None if isinstance(joint, Weld) else report.joint_kinds.get(joint.name)
        motions |= write_joint(set_of(element, "JointSet"), joint, names, notes, given)
    for coupling in model.couplings:
        write_coupling(set_of(element, "ConstraintSet"), coupling, names)
    forces = set_of(element, "ForceSet")
    write_laws(forces, model, names, motions, notes)
    for muscle in model.muscles:
        write_muscle(forces, model, muscle, bodies)
    taken = [str(one.get("name")) for one in forces]
    elements = Elements(element, model, bodies, taken, meshes)
    for item in model.elements:
        if item.name in report.actuators:
            notes.add("controls of actuators are left out", item.name)
        elif not elements.add(item):
            notes.add("elements are left out", f"{item.name} ({type(item).__name__})")
    write_actuators(forces, model, report.actuators, bodies)
    for marker in model.markers:
        found = named(set_of(element, "MarkerSet"), "Marker", legal(marker.name))
        leaf(found, "socket_parent_frame", names.frame(marker.body))
        leaf(found, "location", marker.station.position)
    tree = ElementTree(root)
    indent(tree, "  ")
    return tree


def _note_left_out(model: Model, loose: set[str], notes: Notes) -> None:
    """Note the items without a counterpart in OpenSim."""
    kinds = (("fibers", model.fibers), ("contacts", model.contacts))
    for what, items in kinds:
        for k, item in enumerate(items):
            name = str(getattr(item, "name", "") or f"number {k + 1}")
            notes.add(f"{what} are left out", name)
    for name in loose:
        notes.add("junctions of fibers are left out", name)

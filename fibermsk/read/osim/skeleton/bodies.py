"""Bodies: masses, inertias and meshes."""

from __future__ import annotations

import numpy as np

from fibermsk.errors import ModelError
from fibermsk.model.skeleton.body import Body
from fibermsk.read.osim.document import Document
from fibermsk.read.osim.geometry import Meshes
from fibermsk.read.xml_tree import Element

COMPONENTS = ("inertia_xx", "inertia_yy", "inertia_zz", "inertia_xy", "inertia_xz", "inertia_yz")
USUAL = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
"""Default components of the inertia in versions 2 and 3."""

MAX_BODIES = 2000
"""The largest known model has 250."""


def find_bodies(document: Document) -> tuple[Element | None, list[Element]]:
    """Ground, if the file describes it, and the other bodies in the order of the file."""
    ground = document.child(document.model, "Ground")
    bodies: list[Element] = []
    listed = document.objects(document.model, "BodySet")
    names: dict[str, Element] = {}
    for element in [*listed, *document.parts(document.model, "Body")]:
        if element.tag != "Body":
            continue
        element.seen = True
        if not element.name:
            document.fail(element, "has no name", "must have one")
        if element.name in names:
            document.fail_twice(element, "has the name of a body", names[element.name])
        names[element.name] = element
        if len(names) > MAX_BODIES:
            document.fail(element, f"is body {len(names)}", f"must be one of {MAX_BODIES} at most")
        if element.name == "ground":
            if ground is not None:
                document.fail(element, "is a second ground", "must have another name")
            ground = element
            for tag in ("mass", "mass_center", "inertia", "Joint", *COMPONENTS):
                document.child(element, tag)  # meaningless for the ground
        else:
            bodies.append(element)
    return ground, bodies


def make_body(document: Document, element: Element, meshes: Meshes) -> Body:
    """Body of the model, with a mass of None if the file has 0."""
    mass = document.number(element, "mass")
    com = document.vector(element, 3, "mass_center", default=(0.0, 0.0, 0.0))
    if any(child.tag in COMPONENTS for child in element.children):
        xx, yy, zz, xy, xz, yz = (
            document.number(element, tag, default=usual)
            for tag, usual in zip(COMPONENTS, USUAL, strict=True)
        )
    else:
        usual = USUAL if document.version < 30500 else (0.0,) * 6
        xx, yy, zz, xy, xz, yz = document.vector(element, 6, "inertia", default=usual)
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    with document.naming(element):
        dressed = meshes.of(element.name)
        if mass == 0.0:
            if inertia.any():
                text = "has an inertia and no mass: used without inertia, as in OpenSim"
                document.changed(element, text)
            return Body(element.name, None, com, None, **dressed)
        try:
            return Body(element.name, mass, com, inertia, **dressed)
        except ModelError as error:
            if "inertia" not in str(error):
                raise
            body = Body(element.name, mass, com, inertia, strict=False, **dressed)
            text = (
                "its inertia is not physically possible (a principal moment is not positive, or "
                "above the sum of the other two): used unchanged, as in OpenSim"
            )
            document.note(element, text)
            return body

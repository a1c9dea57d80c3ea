"""Coordinates: values, ranges, and prescribed or locked motions."""

from __future__ import annotations

from dataclasses import dataclass, field

from fibermsk.laws.own import CoordinateLaw
from fibermsk.model.skeleton.coordinate import Coordinate
from fibermsk.read.osim.document import Document
from fibermsk.read.osim.functions import FUNCTIONS, property_function, read_function
from fibermsk.read.xml_tree import Element


@dataclass
class CoordinateEntry:
    """Coordinate of the file while forces and couplings are collected."""

    name: str
    element: Element  # its element, or the joint if the file does not describe it
    kind: str = "rotation"  # "rotation" or "translation", its unit
    # "rotational", "translational" or "coupled" in OpenSim; limits of the first are in degrees
    motion: str = "rotational"
    given: bool = True  # whether the file describes it
    range: tuple[float, float] | None = None  # declared range, if there is one
    willing: bool = False  # whether it moves first where constraints are closed at the start
    laws: list[CoordinateLaw] = field(default_factory=list)  # forces on it


def read_coordinates(document: Document, joint: Element) -> list[CoordinateEntry]:
    """Coordinates of a joint, in <coordinates> or, up to version 3, in <CoordinateSet>."""
    entries = []
    listed = document.inside(joint, "coordinates")
    for element in [*listed, *document.objects(joint, "CoordinateSet")]:
        if element.tag != "Coordinate":
            continue
        element.seen = True
        if not element.name:
            document.fail(element, "has no name", "must have one")
        entry = CoordinateEntry(element.name, element)
        if document.child(element, "range") is not None:
            lower, upper = map(float, document.vector(element, 2, "range"))
            entry.range = (lower, upper)
        entry.willing = document.flag(element, "is_free_to_satisfy_constraints", default=False)
        entries.append(entry)
    return entries


def make_coordinate(document: Document, entry: CoordinateEntry) -> Coordinate:
    """Coordinate of the model."""
    if not entry.given:
        with document.naming(entry.element):
            return Coordinate(entry.name, entry.kind, forces=entry.laws)
    element = entry.element
    value = document.number(element, "default_value", default=0.0)
    speed = document.number(element, "default_speed_value", default=0.0)
    lower, upper = entry.range or (None, None)
    locked = document.flag(element, "locked", default=False)
    prescribed = _prescribed(document, entry, locked)
    if locked and speed != 0.0:
        document.changed(element, f"is locked: its speed {speed:g} is set to 0")
        speed = 0.0
    clamped = document.flag(element, "clamped", default=False)
    if clamped:
        text = "is clamped, which limits tools that set it: no force keeps it in its range"
        document.note(element, text)
    if clamped and lower is not None and upper is not None:
        outside = max(lower - value, value - upper)
        if outside > 1e-8:
            document.fail(
                element,
                f"default_value = {value:g}",
                f"must lie in its range {lower:g} to {upper:g}, as it is clamped",
                "correct the value or the range",
            )
    document.child(element, "motion_type")  # follows from the joint
    document.child(element, "initial_value")  # of version 2, replaced by default_value
    with document.naming(element):
        return Coordinate(
            entry.name,
            entry.kind,
            value if prescribed is None else 0.0,
            speed if prescribed is None else 0.0,
            lower=lower,
            upper=upper,
            forces=tuple(entry.laws),
            locked=locked,
            prescribed=prescribed,
        )


def _prescribed(document: Document, entry: CoordinateEntry, locked: bool):
    """Prescribed function of time, or None."""
    element = entry.element
    found = property_function(document, element, "prescribed_function")
    wanted = document.flag(element, "prescribed", default=False)
    if found is None:
        if wanted:
            document.note(element, "is prescribed without a function: free here, as in OpenSim")
        return None
    if wanted and not locked and found.tag in FUNCTIONS:
        return read_function(document, found)
    found.leave()
    if not wanted:
        document.note(element, "has a prescribed_function that is disabled: not imported")
    elif locked:
        document.note(element, "is locked, which overrides its prescribed_function: not imported")
    else:
        document.fail(
            found,
            "prescribes a motion with a function that is not understood",
            f"must be one of {', '.join(FUNCTIONS)}",
            "set <prescribed> to false, or fit a SimmSpline to it",
        )
    return None

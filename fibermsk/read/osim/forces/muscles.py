"""Muscles: paths, and parameters of their muscle models."""

from __future__ import annotations

from typing import Any

from fibermsk.model.muscles.line_muscle import LineMuscle
from fibermsk.model.muscles.wrap import WrapSurface
from fibermsk.model.skeleton.body import Body
from fibermsk.read.osim.document import FALSE, LARGEST, TRUE, Document
from fibermsk.read.osim.forces.paths import read_points
from fibermsk.read.osim.forces.wraps import read_path_wraps
from fibermsk.read.osim.functions import FUNCTIONS
from fibermsk.read.osim.skeleton.coordinates import CoordinateEntry
from fibermsk.read.osim.skeleton.frames import Frames
from fibermsk.read.xml_tree import Element

MUSCLES = (
    "Thelen2003Muscle",
    "Thelen2003Muscle_Deprecated",
    "Millard2012EquilibriumMuscle",
    "Millard2012AccelerationMuscle",
    "Schutte1993Muscle",
    "Schutte1993Muscle_Deprecated",
    "Delp1990Muscle_Deprecated",
    "DeGrooteFregly2016Muscle",
    "RigidTendonMuscle",
    "ActivationFiberLengthMuscle",
    "ActivationFiberLengthMuscle_Deprecated",
    "Hyfydy2012Muscle",
)

NUMBERS = {
    "max_isometric_force": (1000.0, "max_isometric_force"),
    "optimal_fiber_length": (0.1, "optimal_fiber_length"),
    "tendon_slack_length": (0.2, "tendon_slack_length"),
    "pennation_angle": (0.0, "pennation_angle_at_optimal", "pennation_angle"),
    "max_contraction_velocity": (10.0, "max_contraction_velocity"),
}
"""Numbers of every muscle: OpenSim's default and names in files."""

CONTROLS = ("min_control", "max_control")
SETTINGS = (*CONTROLS, "appliesForce", "isDisabled", "GeometryPath", "components")
"""Children of a muscle that are not parameters of its force."""


def read_muscle(
    document: Document,
    frames: Frames,
    bodies: dict[str, Body],
    coordinates: dict[str, CoordinateEntry],
    surfaces: dict[str, WrapSurface],
    element: Element,
) -> LineMuscle | None:
    """Line muscle of one muscle of the file; None if its path is not understood."""
    element.seen = True
    path = document.child(element, "GeometryPath")
    if path is None:
        element.leave()
        text = "the muscle has no GeometryPath, the only kind of path understood: left out"
        document.not_understood(element, text)
        return None
    disabled = document.flag(element, "isDisabled", default=False)
    applies = document.flag(element, "appliesForce", default=not disabled)
    if not applies:
        text = "the muscle is disabled in the file: its description is imported nevertheless"
        document.note(element, text)
    points = read_points(document, frames, bodies, coordinates, path)
    wraps = read_path_wraps(document, path, surfaces, len(points))
    values: dict[str, Any] = {
        name: document.number(element, *tags, default=default)
        for name, (default, *tags) in NUMBERS.items()
    }
    if values["max_contraction_velocity"] == 0.0:  # kinds that have a time scale instead
        values["max_contraction_velocity"] = 10.0
        text = "has max_contraction_velocity 0, which its kind does not use: taken as 10 1/s"
        document.changed(element, text)
    parameters = _parameters(document, element)
    default = document.defaults.get(element.tag)
    if default is not None and default is not element:
        seen = [part.seen for part in default.walk()]
        parameters = {**_parameters(document, default), **parameters}
        for part, was in zip(default.walk(), seen, strict=True):
            part.seen = was
    if not applies:
        parameters["appliesForce"] = False
    with document.naming(element):
        return LineMuscle(
            element.name or f"muscle on line {element.line}",
            points,
            wraps=wraps,
            kind=element.tag,
            parameters=parameters,
            **values,
        )


def _parameters(document: Document, element: Element, prefix: str = "") -> dict[str, object]:
    """Other values of a muscle, those of curves under "Curve.value"."""
    known = {tag for _, *tags in NUMBERS.values() for tag in tags}
    found: dict[str, object] = {}
    for child in element.children:
        if not prefix and child.tag in known:
            continue
        if not prefix and child.tag in SETTINGS:
            if child.tag in CONTROLS:
                child.seen = True
            continue
        # curves are identified by class, functions by property
        key = prefix + (child.name if child.name and child.tag in FUNCTIONS else child.tag)
        if child.children:
            if prefix.count(".") < 3:
                child.seen = True
                found.update(_parameters(document, child, f"{key}."))
            continue
        value = _value(document, child)
        if value is not None:
            child.seen = True
            found[key] = value
    return found


def _value(document: Document, element: Element) -> object:
    """Number, boolean, numbers or word of an element; None if it is none of them."""
    text = element.text
    if not text:
        element.seen = True
        return None
    if text.lower() in TRUE[:1] + FALSE[:1]:
        return text.lower() == "true"
    words = text.split()
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        return text if len(words) == 1 and len(text) <= 80 and text.isidentifier() else None
    if not all(abs(number) <= LARGEST for number in numbers):
        document.fail(element, f"has {text[:40]!r}", "must be finite numbers below 1e12")
    return numbers[0] if len(numbers) == 1 else tuple(numbers)

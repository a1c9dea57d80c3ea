"""Forces on coordinates, which become laws of these, and other forces; the rest is reported."""

from __future__ import annotations

import math

from fibermsk.laws.coordinate import Damper, SmoothLimit, Spring
from fibermsk.read.osim.document import Document
from fibermsk.read.osim.forces.actuators import READERS as DRIVEN
from fibermsk.read.osim.forces.elements import KNOWN
from fibermsk.read.osim.forces.muscles import MUSCLES
from fibermsk.read.osim.forces.paths import coordinate_of
from fibermsk.read.osim.skeleton.coordinates import CoordinateEntry
from fibermsk.read.xml_tree import Element

DEGREE = math.pi / 180.0


def read_forces(
    document: Document, coordinates: dict[str, CoordinateEntry]
) -> tuple[list[Element], list[Element], list[Element]]:
    """Add forces on coordinates to these as laws, and return muscles, other forces and actuators.

    The forces are those that become elements of a model, the actuators those that need a control.
    """
    muscles, elements, actuators = [], [], []
    known = {"CoordinateLimitForce": _limit, "SpringGeneralizedForce": _spring}
    listed = document.objects(document.model, "ForceSet")
    listed += document.objects(document.model, "ActuatorSet")  # its name in the earliest files
    for element in [*listed, *document.parts(document.model, *known, *KNOWN, *DRIVEN, *MUSCLES)]:
        if element.tag in MUSCLES or (element.tag not in known and _is_muscle(element)):
            if element.tag not in MUSCLES:
                text = "has an unknown type: its path and parameters are imported unchanged"
                document.changed(element, f"the muscle {element.tag} {text}")
            muscles.append(element)
            continue
        disabled = document.flag(element, "isDisabled", default=False)
        applies = document.flag(element, "appliesForce", default=not disabled)
        if applies and element.tag in KNOWN:
            elements.append(element)
            continue
        if applies and element.tag in DRIVEN:
            actuators.append(element)
            continue
        if element.tag not in known or not applies:
            element.leave()
            _report(document, element, applies)
            continue
        element.seen = True
        name = coordinate_of(document, coordinates, element, "coordinate")
        if name is None:
            document.fail(element, "names no coordinate", "must name one")
        with document.naming(element):
            known[element.tag](document, element, coordinates[name])
    return muscles, elements, actuators


def _is_muscle(element: Element) -> bool:
    """Whether an element of unknown type describes a muscle."""
    given = {child.tag for child in element.children}
    return {"GeometryPath", "max_isometric_force"} <= given


def _report(document: Document, element: Element, applies: bool) -> None:
    """Report a force that is not imported."""
    if not applies:
        document.note(element, f"the {element.tag} is disabled in the file: not imported")
    else:
        text = "is not understood: it does NOT ACT"
        document.not_understood(element, f"the force {element.tag} {text}")


def _limit(document: Document, element: Element, entry: CoordinateEntry) -> None:
    """Smooth limit of a CoordinateLimitForce, in degrees for rotations."""
    unit = DEGREE if entry.motion == "rotational" else 1.0
    law = SmoothLimit(
        lower=unit * document.number(element, "lower_limit", default=0.0),
        upper=unit * document.number(element, "upper_limit", default=0.0),
        lower_stiffness=document.number(element, "lower_stiffness", default=1.0) / unit,
        upper_stiffness=document.number(element, "upper_stiffness", default=1.0) / unit,
        damping=document.number(element, "damping", default=0.001) / unit,
        transition=unit * document.number(element, "transition", default=0.1),
    )
    document.child(element, "compute_dissipation_energy")  # output only
    entry.laws.append(law)


def _spring(document: Document, element: Element, entry: CoordinateEntry) -> None:
    """Spring and damper of a SpringGeneralizedForce."""
    stiffness = document.number(element, "stiffness", default=0.0)
    rest = document.number(element, "rest_length", default=0.0)
    viscosity = document.number(element, "viscosity", default=0.0)
    if stiffness != 0.0:
        entry.laws.append(Spring(stiffness, rest))
    if viscosity != 0.0:
        entry.laws.append(Damper(viscosity))

"""Forces of a file that become elements of the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fibermsk.model import Model
from fibermsk.read.osim.forces import bushings, contacts, formulas, lines, loads
from fibermsk.read.osim.forces.source import Made, Reader, Source
from fibermsk.read.xml_tree import Element

PAIRS: dict[str, Callable[[Source, Element], list[tuple[str, Made]]]] = {
    "HuntCrossleyForce": contacts.read_hunt_crossley,
    "ElasticFoundationForce": contacts.read_foundation,
}
"""Readers of forces of several pairs of surfaces, by class."""

READERS: dict[str, Reader] = {
    **lines.READERS,
    **bushings.READERS,
    **formulas.READERS,
    **loads.READERS,
    "SmoothSphereHalfSpaceForce": contacts.read_smooth,
    "MeyerFregly2016Force": contacts.read_point,
}
"""Readers of other forces by class."""

KNOWN = (*READERS, *PAIRS)
"""Classes of forces that become elements."""


def add_elements(source: Source, model: Model, found: list[Element]) -> None:
    """Add forces of a file to the model."""
    document = source.document
    held = {one.name for one in model.coordinates if one.locked or one.prescribed is not None}
    for element in found:
        element.seen = True
        name = name_of(element)
        if element.tag in PAIRS:
            pairs = PAIRS[element.tag](source, element)
            made = [
                (f"{name}_{of.replace(' ', '_')}" if len(pairs) > 1 else name, one)
                for of, one in pairs
            ]
        else:
            one = READERS[element.tag](source, element)
            made = [] if one is None else [(name, one)]
        for own, one in made:
            coordinate = one.arguments.get("coordinate")
            if coordinate in held:
                text = f"acts on {coordinate!r}, which is held: without effect, as in OpenSim"
                document.note(element, f"the {element.tag} {text}")
                continue
            with document.naming(element):
                model.add(make(one.kind, own, one.arguments))


def name_of(element: Element) -> str:
    """Name of a force, or the line of one without a name."""
    return element.name or f"{element.tag} on line {element.line}"


def make(kind: str, name: str, arguments: dict[str, Any]) -> Any:
    """Make an element of a class in `fibermsk.forces`."""
    from fibermsk import forces  # loads the compiler, which most files do not need

    return getattr(forces, kind)(name, **arguments)

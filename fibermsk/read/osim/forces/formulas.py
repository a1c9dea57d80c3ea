"""Forces given by formulas on coordinates and between points."""

from __future__ import annotations

from fibermsk.read.osim.forces.lines import read_ends
from fibermsk.read.osim.forces.paths import coordinate_of
from fibermsk.read.osim.forces.source import Made, Reader, Source
from fibermsk.read.xml_tree import Element


def _on_coordinate(source: Source, element: Element) -> Made | None:
    document = source.document
    name = coordinate_of(document, source.coordinates, element, "coordinate")
    if name is None:
        document.fail(element, "names no coordinate", "must name one")
    force = document.text(element, "expression", default="0.0")
    return Made("CoordinateFormula", {"coordinate": name, "force": force})


def _between_points(source: Source, element: Element) -> Made | None:
    ends = read_ends(source, element)
    force = source.document.text(element, "expression", default="0.0")
    return None if ends is None else Made("PointFormula", ends | {"force": force})


READERS: dict[str, Reader] = {
    "ExpressionBasedCoordinateForce": _on_coordinate,
    "ExpressionBasedPointToPointForce": _between_points,
}

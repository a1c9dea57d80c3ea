"""Couplings of coordinates; other constraints are reported and not enforced."""

from __future__ import annotations

from fibermsk.model.function import Scaled
from fibermsk.model.skeleton.coupling import Coupling
from fibermsk.read.osim.document import Document
from fibermsk.read.osim.functions import function_in, read_function
from fibermsk.read.osim.skeleton.coordinates import CoordinateEntry
from fibermsk.read.xml_tree import Element

CONSEQUENCES = {
    "WeldConstraint": "two frames are not connected",
    "PointConstraint": "two points are not connected",
    "ConstantDistanceConstraint": "the distance of two points is not kept",
    "PointOnLineConstraint": "a point is not kept on its line",
    "RollingOnSurfaceConstraint": "a body does not roll on its surface",
}


def read_couplings(
    document: Document, coordinates: dict[str, CoordinateEntry]
) -> list[tuple[Element, Coupling]]:
    """Couplings of a file with their elements; other constraints are reported."""
    listed = document.objects(document.model, "ConstraintSet")
    listed = [*listed, *document.parts(document.model, "CoordinateCouplerConstraint")]
    couplings = []
    for element in listed:
        disabled = document.flag(element, "isDisabled", default=False)
        enforced = document.flag(element, "isEnforced", default=not disabled)
        if not enforced:
            element.leave()
            document.note(element, f"the {element.tag} is disabled in the file: not imported")
        elif element.tag != "CoordinateCouplerConstraint":
            element.leave()
            means = CONSEQUENCES.get(element.tag, "it does not restrict the motion")
            text = f"the {element.tag} is NOT ENFORCED: {means}, and the model moves differently"
            document.not_understood(element, text)
        else:
            element.seen = True
            couplings.append((element, _coupling(document, element, coordinates)))
    return couplings


def _coupling(
    document: Document, element: Element, coordinates: dict[str, CoordinateEntry]
) -> Coupling:
    """Coupling of one constraint."""
    independent = document.words(element, "independent_coordinate_names")
    dependent = document.text(element, "dependent_coordinate_name")
    for name in [*independent, dependent]:
        if name not in coordinates:
            document.fail(
                element, f"couples {name[:80]!r}", "must couple coordinates of joints of the model"
            )
    function = function_in(document, document.child(element, "coupled_coordinates_function"))
    if function is None:
        document.fail(element, "has no function", "must give a coupled_coordinates_function")
    factor = document.number(element, "scale_factor", default=1.0)
    if len(independent) != 1:
        document.fail(
            element,
            f"couples {dependent!r} to {len(independent)} coordinates",
            "must couple it to one",
            "disable it (isEnforced false) and constrain the coordinate in another way",
        )
    with document.naming(element):
        shape = read_function(document, function)
        if factor != 1.0:
            shape = Scaled(shape, factor)
        return Coupling(dependent, shape, independent[0])

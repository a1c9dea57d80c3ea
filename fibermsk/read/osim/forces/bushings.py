"""Bushings: linear ones, and those with functions or formulas."""

from __future__ import annotations

from typing import Any

import numpy as np

from fibermsk.model import Station
from fibermsk.read.osim.forces.source import Made, Reader, Source
from fibermsk.read.osim.functions import property_function, read_function
from fibermsk.read.osim.skeleton.frames import Frame, placed
from fibermsk.read.xml_tree import Element

_ZERO = (0.0, 0.0, 0.0)
FUNCTIONS = (
    ("m_x_theta_x_function", "m_y_theta_y_function", "m_z_theta_z_function"),
    ("f_x_delta_x_function", "f_y_delta_y_function", "f_z_delta_z_function"),
)
FORMULAS = (
    ("Mx_expression", "My_expression", "Mz_expression"),
    ("Fx_expression", "Fy_expression", "Fz_expression"),
)
_VISUAL = "moment_visual_scale", "force_visual_scale", "visual_aspect_ratio"


def _frame(source: Source, element: Element, k: int) -> Frame:
    """Frame 1 or 2 of a bushing; before version 4 by body, location and orientation."""
    document = source.document
    frame = source.frames.of(element, f"frame{k}", f"body_{k}")
    angles = document.vector(element, 3, f"orientation_body_{k}", default=_ZERO)
    position = document.vector(element, 3, f"location_body_{k}", default=_ZERO)
    return placed(frame, angles, position)


def _frames(source: Source, element: Element) -> dict[str, Any] | None:
    """Frames of a bushing; None if one body has both, which is reported."""
    document = source.document
    source.document.inside(element, "frames")
    first, second = (_frame(source, element, k) for k in (1, 2))
    for tag in _VISUAL:
        document.child(element, tag)
    if first.body == second.body:
        text = f"the {element.tag} has both frames on {first.body!r}: without effect"
        document.note(element, text)
        return None
    return {
        "first": Station(source.bodies[first.body], first.position),
        "second": Station(source.bodies[second.body], second.position),
        "first_axes": first.rotation,
        "second_axes": second.rotation,
    }


def _numbers(source: Source, element: Element, *kinds: str) -> dict[str, np.ndarray]:
    """Stiffness or damping, rotational and translational."""
    return {
        name: source.document.vector(element, 3, name, default=_ZERO)
        for kind in kinds
        for name in (f"rotational_{kind}", f"translational_{kind}")
    }


def _linear(source: Source, element: Element) -> Made | None:
    frames, numbers = _frames(source, element), _numbers(source, element, "stiffness", "damping")
    return None if frames is None else Made("Bushing", frames | numbers)


def _of_functions(source: Source, element: Element) -> Made | None:
    document, frames = source.document, _frames(source, element)
    damping = _numbers(source, element, "damping")
    laws = []
    for names in FUNCTIONS:
        found = [property_function(document, element, name) for name in names]
        laws.append([None if one is None else read_function(document, one) for one in found])
    if frames is None:
        return None
    return Made("Bushing", frames | damping | {"moments": laws[0], "forces": laws[1]})


def _of_formulas(source: Source, element: Element) -> Made | None:
    frames, damping = _frames(source, element), _numbers(source, element, "damping")
    moments, forces = (
        [source.document.text(element, name) or None for name in names] for names in FORMULAS
    )
    if frames is None:
        return None
    return Made("Bushing", frames | damping | {"moments": moments, "forces": forces})


READERS: dict[str, Reader] = {
    "BushingForce": _linear,
    "FunctionBasedBushingForce": _of_functions,
    "ExpressionBasedBushingForce": _of_formulas,
}

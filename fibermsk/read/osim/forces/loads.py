"""Prescribed forces and torques on bodies, as functions of time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.model.function import Function, Pieces, is_constant
from fibermsk.read.osim.forces.source import Made, Reader, Source
from fibermsk.read.osim.functions import read_input
from fibermsk.read.xml_tree import Element


@dataclass(frozen=True, eq=False)
class InFrame:
    """Three functions of time as a vector, in the axes of a frame and from its origin."""

    functions: list[Function]
    rotation: Array  # (3, 3)
    origin: Array  # (3,)
    pieces: list[Pieces] = field(init=False, repr=False)
    breakpoints: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        pieces = [one.pieces() for one in self.functions]
        knots = [
            getattr(one, "breakpoints", piece.knots)
            for one, piece in zip(self.functions, pieces, strict=True)
        ]
        breakpoints = np.unique(np.concatenate(knots))
        _check.store(self, pieces=pieces, breakpoints=breakpoints)

    def __call__(self, t: float) -> Array:
        """Evaluate at a time [s], (3,)."""
        return self.origin + self.rotation @ np.array([float(one(t)) for one in self.pieces])


def _prescribed(source: Source, element: Element) -> Made | None:
    document = source.document
    frame = source.frames.of(element, "frame", "body")
    of_ground = document.flag(element, "forceIsGlobal", default=True)
    at_ground = document.flag(element, "pointIsGlobal", default=False)
    force = _functions(source, element, "forceFunctions")
    point = _functions(source, element, "pointFunctions")
    torque = _functions(source, element, "torqueFunctions")
    if force is None and torque is None:
        document.note(element, f"the {element.tag} has no functions: without effect")
        return None
    still, none = np.eye(3), np.zeros(3)
    turn = still if of_ground else frame.rotation
    place = (still, none) if at_ground else (frame.rotation, frame.position)
    # without a point the force acts at the origin of the frame
    at = frame.position if point is None else _vector(point, *place)
    given: dict[str, Any] = {
        "body": source.bodies[frame.body],
        "at": at,
        "frame": "ground" if of_ground else "body",
        "at_frame": "ground" if at_ground and point is not None else "body",
    }
    for name, functions in (("force", force), ("torque", torque)):
        if functions is not None:
            given[name] = _vector(functions, turn, none)
    return Made("ExternalForce", given)


def _vector(functions: list[Function], rotation: Array, origin: Array) -> InFrame | Array:
    """Vector of three functions, an array if they are constant."""
    found = InFrame(functions, rotation, origin)
    return found(0.0) if all(map(is_constant, functions)) else found


def _functions(source: Source, element: Element, name: str) -> list[Function] | None:
    """Three functions of a set, <FunctionSet name=...> or <name>; None if it is empty."""
    document = source.document
    sets = [one for one in element.children if name in (one.name, one.tag)]
    if len(sets) > 1:
        document.fail(sets[1], f"is a second {name}", "must be given once")
    if not sets:
        return None
    sets[0].seen = True
    listed = document.inside(sets[0], "objects") or document.objects(sets[0], "FunctionSet")
    if not listed:
        return None
    if len(listed) != 3:
        document.fail(element, f"has {len(listed)} functions in {name}", "must have three or none")
    return [read_input(document, one) for one in listed]


READERS: dict[str, Reader] = {"PrescribedForce": _prescribed}

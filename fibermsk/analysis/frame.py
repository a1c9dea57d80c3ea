"""Muscles and coordinates of a model that an analysis concerns, and what it leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.forces import (
    Bushing,
    CoordinateFormula,
    EllipsoidContact,
    ExternalForce,
    ForcePair,
    Ligament,
    MeshContact,
    PathActuator,
    PathFormula,
    PathSpring,
    PneumaticActuator,
    PointConstraint,
    PointContact,
    PointFormula,
    PointOnLineConstraint,
    PointSpring,
    SphereContact,
    ToeLigament,
    TorquePair,
    WeldConstraint,
)
from fibermsk.model import LineMuscle, Model
from fibermsk.system.skeleton.skeleton import Skeleton

ACTING = (
    Bushing, CoordinateFormula, EllipsoidContact, ExternalForce, ForcePair, Ligament, MeshContact,
    PathActuator, PathFormula, PathSpring, PneumaticActuator, PointContact, PointFormula,
    PointSpring, SphereContact, ToeLigament, TorquePair,
)  # fmt: skip
"""Elements whose forces follow from time, coordinates and their rates alone."""

HOLDING = PointConstraint, PointOnLineConstraint, WeldConstraint
"""Elements that hold points and bodies to each other."""


def free_coordinate(owner: str, model: Model, skeleton: Skeleton, name: str) -> int:
    """Entry of the state of a free coordinate."""
    coordinate = model.coordinate(name)
    if name not in skeleton.independent or coordinate.prescribed is not None:
        names = [one for one in skeleton.independent if model.coordinate(one).prescribed is None]
        must = f"be free, one of {', '.join(names) or 'none'}"
        _check.refuse(owner, "coordinate", name, must, remedy="it is locked, coupled or prescribed")
    return skeleton.independent.index(name)


def chosen(model: Model, muscles: str | Sequence[str] | None) -> tuple[LineMuscle, ...]:
    """Line muscles by name or pattern, all by default, in the order of the model."""
    owner = f"model {model.name!r}"
    if not model.muscles:
        raise ModelError(f"{owner}: has no line muscle; must have one or more")
    if muscles is None:
        return model.muscles
    what = "names of muscles, or patterns"
    patterns = [muscles] if isinstance(muscles, str) else muscles
    patterns = _check.items(owner, "muscles", patterns, str, "a name or pattern", what)
    if not patterns:
        _check.refuse(owner, "muscles", muscles, "be one name or more")
    found = set[str]()
    for pattern in patterns:
        own = {one.name for one in model.muscles if fnmatchcase(one.name, pattern)}
        found |= own or {model.muscle(pattern).name}
    return tuple(one for one in model.muscles if one.name in found)


def refuse_other_forces(model: Model, analysis: str, known: tuple[type, ...] = ()) -> None:
    """Refuse items whose forces an analysis of bodies and line muscles leaves out.

    Elements of types that are `known` to the analysis are not refused.
    """
    for kind in ("fibers", "contacts", "elements"):
        unknown = [one for one in getattr(model, kind) if not isinstance(one, known)]
        if unknown:
            must = f"be left out: their forces are not part of {analysis}"
            names = [one.name or "contact" for one in unknown][:5]
            remedy = "remove them: model.edit(remove=...)"
            _check.refuse(f"model {model.name!r}", kind, names, must, remedy=remedy)

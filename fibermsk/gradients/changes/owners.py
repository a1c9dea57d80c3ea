"""Which numbers of a model are inside of a fiber or line muscle, and which are its signal."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from fibermsk.forces import (
    Bushing,
    CoordinateActuator,
    CoordinateController,
    CoordinateFormula,
    ExternalForce,
    JointTorque,
    PointConstraint,
    PointFormula,
    PointOnLineConstraint,
    PointSpring,
    ViaRing,
    WeldConstraint,
)
from fibermsk.gradients.changes.entries import Entry
from fibermsk.gradients.changes.functions import driver_of
from fibermsk.gradients.changes.loose import can_loosen
from fibermsk.model import ActivationDynamics, Body, Constant, Contact, Coordinate, Mesh, Table
from fibermsk.model.muscles.line_muscle import LineMuscle, by_network
from fibermsk.model.muscles.wrap import Surface
from fibermsk.model.skeleton.body import length_of, shapes_of
from fibermsk.model.skeleton.joint import JOINTS
from fibermsk.parameters.places import Place
from fibermsk.system import FiberSystem
from fibermsk.system.contact.forces import BoneContact
from fibermsk.system.friction.forces import FrictionForces
from fibermsk.system.own_forces import OwnForces
from fibermsk.system.varying import Kind

_OF_FIBERS = "tissue", "activation", "line_load"
_OF_MUSCLES = (
    "activation", "law", "max_isometric_force", "optimal_fiber_length", "tendon_slack_length",
    "pennation_angle", "max_contraction_velocity",
)  # fmt: skip
"""Fields whose numbers move nothing and have no part in contact."""

_OF_SHAPES = "attach", "radius"
"""Fields of fibers of their shape."""

_ON_BONES = (
    Bushing, CoordinateActuator, CoordinateController, CoordinateFormula, ExternalForce,
    JointTorque, PointConstraint, PointFormula, PointOnLineConstraint, PointSpring, WeldConstraint,
)  # fmt: skip
"""Elements that fibers have no part in."""

_OF_BODIES = "mass", "com", "inertia"
"""Fields of bodies that move nothing."""

_OF_JOINTS = "damping", "forces"
"""Fields of joints and coordinates of passive forces."""

_KNOTS = "knots"


def owner_of(system: FiberSystem, own: OwnForces, path: str) -> int | None:
    """Owner, by number in `OwnForces.names`, of a number inside of it.

    None if it is not inside of one, or of an activation that is a state of others too.
    """
    name, _, rest = path.partition("/")
    if name not in own.names:
        return None
    owner, field = own.names.index(name), rest.partition("/")[0]
    fields = _OF_FIBERS if owner < len(system.fiber_names) else _OF_MUSCLES
    inside = field in fields and not (field == "activation" and owner in own.shared)
    return owner if inside else None


def fiber_shaped_by(system: FiberSystem, path: str) -> int | None:
    """Number of the fiber whose shape a number at a path belongs to: its ends, or its radius.

    None if it is none of these, or if an element may depend on it in ways of its own.
    """
    name, _, rest = path.partition("/")
    if name not in system.fiber_names or rest.partition("/")[0] not in _OF_SHAPES:
        return None
    if not all(isinstance(one, _ON_BONES) for one in system.model.elements):
        return None
    return system.fiber_names.index(name)


def can_be_held(system: FiberSystem, place: Place) -> bool:
    """Whether a number enters as a held coordinate; see `fibermsk.gradients.changes.loose`."""
    if driver_of(place) is not None and system.multipliers.any:
        return False  # forces along coordinates have no part in the rows of constraints
    return can_loosen(place) and not system.multipliers.holding and _moves_straight_fibers(system)


def cosine_of(place: Place, entry: Entry) -> float:
    """Cosine of a capsule's axis with the direction in which a number moves an end; else zero."""
    if not isinstance(place.root, Body) or place.steps[-1] not in ("start", "end"):
        return 0.0
    shape: Any = shapes_of(place.root)[int(place.steps[1])]
    axis = np.subtract(shape.end, shape.start) / length_of(shape)
    return float(axis[(*place.entry, *entry.place)[0]])


def is_of_contact(system: FiberSystem, place: Place) -> bool:
    """Whether a number is that of a contact, or the radius of a shape and nothing else."""
    if not _acts_on_bones(system):
        return False
    root, steps = place.root, place.steps
    if not isinstance(root, Body) or steps[0] != "shapes" or steps[-1] != "radius":
        return isinstance(root, Contact)
    shape = shapes_of(root)[int(steps[1])]
    return not isinstance(shape, Mesh) or shape.spacing is not None  # else that of its grid too


def is_inertia(system: FiberSystem, place: Place) -> bool:
    """Whether a number is the mass, center or inertia of a body, and has no other part."""
    of_body = isinstance(place.root, Body) and place.steps[0] in _OF_BODIES
    return of_body and _acts_on_bones(system) and not system.multipliers.any


def coordinate_of_law(system: FiberSystem, place: Place, path: str) -> str | None:
    """Name of the coordinate whose passive forces a number belongs to; None if to none."""
    root, steps = place.root, place.steps
    of_joint = isinstance(root, (Coordinate, *JOINTS)) and steps[0] in _OF_JOINTS
    if not of_joint or not _acts_on_bones(system):
        return None
    names = [root.name] if isinstance(root, Coordinate) else [one.name for one in root.coordinates]
    name = path.partition("/")[0]
    own = [one for one in names if one == name] if len(names) > 1 else names
    return own[0] if own and own[0] in system.skeleton.coordinates else None


def _acts_on_bones(system: FiberSystem) -> bool:
    """Whether no element may depend on any number, as those of a user may."""
    return all(isinstance(one, (*_ON_BONES, ViaRing)) for one in system.model.elements)


def is_of_start(system: FiberSystem, place: Place, path: str) -> bool:
    """Whether a number is a coordinate, or its rate, at the start and nothing else."""
    root, name = place.root, path.rpartition("/")[0].rpartition("/")[2]
    if not isinstance(root, (Coordinate, *JOINTS)) or place.steps not in {("value",), ("speed",)}:
        return False
    return name in system.skeleton.independent and _moves_straight_fibers(system)


def _moves_straight_fibers(system: FiberSystem) -> bool:
    """Whether what moves bones at the start has no part in the equations but by straight fibers.

    Others do not follow; elements of a user may depend on any number.
    """
    model = system.model
    return (
        all(fiber.path is None for fiber in model.fibers)
        and _acts_on_bones(system)
        and not any(map(by_network, model.massive_muscles))
    )


def muscles_around(system: FiberSystem, own: OwnForces, place: Place) -> set[int] | None:
    """Muscles, by number in `OwnForces.names`, whose paths a number of a surface may change.

    None if it is no such number, or changes a muscle that has a mass or no law.
    """
    root = place.root
    if not isinstance(root, Surface) or not _acts_on_bones(system):
        return None
    near = [m for m in system.model.muscles if any(one.shape is root for one in m.wraps)]
    apart = any(m.name not in own.names or m in system.model.massive_muscles for m in near)
    return None if apart else {own.names.index(m.name) for m in near}


def kinds_of(system: FiberSystem, place: Place) -> tuple[Kind, ...] | None:
    """Kinds of contributions that hold all that a number changes, where nothing moves.

    None if a number may change more.
    """
    if not _acts_on_bones(system):
        return None
    field = str(place.steps[0]) if place.steps else ""
    if place.root is system.model:
        return system.weighing
    if isinstance(place.root, Surface):
        return system.on_paths
    if isinstance(place.root, Body) and field == "shapes":
        rubbing = [one for one in map(type, system.contributions) if one is FrictionForces]
        return (BoneContact, *rubbing)
    if isinstance(place.root, LineMuscle):
        # bounds of conditional points change nothing but when a path jumps
        idle = place.root.law is None and field in _OF_MUSCLES
        return () if idle or place.steps[-1] in ("lower", "upper") else None
    return () if field == "visuals" else None


def signal_weight(
    system: FiberSystem, path: str, place: tuple[int, ...]
) -> Callable[[float], float] | None:
    """Derivative in a number of the activation or excitation that it belongs to, over time.

    None if it belongs to none, or to one that is neither a number nor a table.
    """
    name, *rest = path.split("/")
    if not rest or rest[0] != "activation":
        return None
    signal: Any = _muscle(system, name).activation
    rest = rest[1:]
    if isinstance(signal, ActivationDynamics):
        if not rest or rest[0] != "excitation":
            return None
        signal, rest = signal.excitation, rest[1:]
    if isinstance(signal, Constant | float | int) and not rest:
        return lambda t: 1.0
    if type(signal) is Table and rest and rest[0] == _KNOTS:
        return _hat(np.asarray(signal.times).tolist(), int(rest[1]) if rest[1:] else place[0])
    return None


def _hat(times: list[float], k: int) -> Callable[[float], float]:
    """Derivative of linear interpolation in value k; before the first and after the last: 1."""
    before = times[k - 1] if k else -math.inf
    at, after = times[k], times[k + 1] if k + 1 < len(times) else math.inf

    def weight(t: float) -> float:
        if not before < t < after:
            return 0.0
        low, high = (before, at) if t < at else (after, at)
        return (t - low) / (high - low) if math.isfinite(low) else 1.0

    return weight


def _muscle(system: FiberSystem, name: str) -> Any:
    return next(one for one in (*system.model.fibers, *system.model.muscles) if one.name == name)

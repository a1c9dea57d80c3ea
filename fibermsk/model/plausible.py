"""Numbers of a model with units, and which of them are implausible."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from fibermsk import _check
from fibermsk._plausible import Quantity
from fibermsk.errors import ModelWarning
from fibermsk.laws.active import HillStress
from fibermsk.laws.coordinate import QuadraticLimit, SmoothLimit, Spring
from fibermsk.laws.penalty import PenaltyContact
from fibermsk.laws.stress import KelvinVoigt
from fibermsk.model.function import Function, Linear
from fibermsk.model.muscles.dynamics import ActivationDynamics
from fibermsk.model.muscles.fiber import SAMPLES, Fiber
from fibermsk.model.muscles.line_muscle import LineMuscle
from fibermsk.model.skeleton.body import Body, Capsule, shapes_of, visuals_of
from fibermsk.model.skeleton.coordinate import Coordinate
from fibermsk.model.skeleton.mesh import Mesh, vertices_of
from fibermsk.model.skeleton.moving_point import MovingPoint

if TYPE_CHECKING:
    from fibermsk.model.model import Model
    from fibermsk.model.muscles.tissue import Tissue
    from fibermsk.model.skeleton.joint import Joint

UNBOUNDED = 9999.0
"""Symmetric ranges at least this large mean "no limit" in published models."""

_MOST_NAMED = 4
"""Most objects named in one warning."""


def remarks(
    model: Model, lengths: Mapping[str, float], concerns: Callable[[Any], bool] = lambda item: True
) -> list[ModelWarning]:
    """Warnings about implausible numbers of a model, one for each kind.

    `lengths` are the reference lengths of the fibers by name [m]; `concerns` selects items.
    """
    groups: dict[tuple[str, str, str], list[Quantity]] = {}
    for finding in implausible(model, lengths, concerns):
        kind = finding.owner.partition(" ")[0]
        groups.setdefault((kind, finding.field, finding.rule), []).append(finding)
    found = []
    for first, *others in groups.values():
        text = str(first)
        if others:
            owners = [other.owner for other in others]
            text += f" (likewise {_check.first_names(owners, _MOST_NAMED)})"
        fiber = first.owner.split("'")[1] if first.owner.startswith("fiber ") else None
        found.append(ModelWarning(text, kind="plausibility", fiber=fiber))
    idle = model.idle_muscles
    if idle and concerns(model):
        names = _check.first_names([repr(muscle.name) for muscle in idle], _MOST_NAMED)
        text = (
            f"model {model.name!r}: {len(idle)} line muscles exert no force, since they have no "
            f"law: {names}; those of OpenSim act with fibermsk run --controls or "
            "fm.with_muscle_forces, others with law=fm.HillLaw(), and fibers in their place with "
            "--bundle or fm.fibers_from_muscle"
        )
        found.append(ModelWarning(text, kind="line_muscles"))
    return found


def implausible(
    model: Model, lengths: Mapping[str, float], concerns: Callable[[Any], bool] = lambda item: True
) -> list[Quantity]:
    """Implausible numbers of a model not declared as intended; one per object and field."""
    found: dict[tuple[str, str], Quantity] = {}
    for one in quantities(model, lengths, concerns):
        if not one.is_plausible and one.rule not in model.meant:
            found.setdefault((one.owner, one.field), one)
    return list(found.values())


def quantities(
    model: Model, lengths: Mapping[str, float], concerns: Callable[[Any], bool]
) -> Iterator[Quantity]:
    """Every number of a model, or of some of its items, that has a rule."""
    owner = f"model {model.name!r}"
    if concerns(model):
        yield Quantity(owner, "gravity", "gravity", _norm(model.gravity))
    carried = _carried(model)
    for body in filter(concerns, model.bodies):
        yield from _of_body(body, carried.get(body))
    for joint in filter(concerns, model.joints):
        yield from _of_joint(joint)
    for fiber in filter(concerns, model.fibers):
        yield from _of_fiber(fiber, lengths[fiber.name])
    for contact in filter(concerns, model.contacts):
        first: Any = contact.first
        field = f"stiffness of the law of {first[0].name!r}"
        if isinstance(contact.law, PenaltyContact):
            yield Quantity("contact", field, "contact stiffness", contact.law.stiffness)
    for muscle in filter(concerns, model.muscles):
        yield from _of_muscle(muscle)


def _norm(vector: Any) -> float:
    return float(np.linalg.norm(vector))


def _carried(model: Model) -> dict[Body, float]:
    """Mass of each movable body with its descendants [kg]."""
    total = {body: 0.0 for body in model.bodies[1:]}
    moved: set[Body] = set()
    for body in model.bodies[1:]:
        below, joint = body, model.joint_of(body)
        while joint is not None:
            total[below] += body.mass or 0.0
            if joint.axes or joint.coordinates:
                moved.add(body)
            below, joint = joint.parent, model.joint_of(joint.parent)
    return {body: mass for body, mass in total.items() if body in moved and body.mass is not None}


def _of_body(body: Body, carried: float | None) -> Iterator[Quantity]:
    """Mass, inertia, shapes and visuals of a body."""
    owner = f"body {body.name!r}"
    yield Quantity(owner, "com (distance from the origin)", "place", _norm(body.com))
    extents = []
    for i, shape in enumerate((*shapes_of(body), *visuals_of(body))):
        field = f"shapes[{i}]" if i < len(shapes_of(body)) else "visuals"
        if isinstance(shape, Mesh):
            extents.append(float(shape.report.extents.max()))
            yield Quantity(owner, f"extent of {field}", "bone size", extents[-1])
            place = float(np.abs(vertices_of(shape)[0].mean(axis=0)).max())
            yield Quantity(owner, f"place of {field}", "place", place)
            continue
        yield Quantity(owner, f"radius of {field}", "bone radius", shape.radius)
        if isinstance(shape, Capsule):
            length = _norm(np.subtract(shape.end, shape.start))
            extents.append(length + 2.0 * shape.radius)
            yield Quantity(owner, f"length of {field}", "place", length)
            yield Quantity(owner, f"place of {field}", "place", _norm(shape.start))
    if body.mass is None or carried is None:
        return
    # a body between two joints may have almost no mass
    yield Quantity(owner, "mass", "mass", max(body.mass, min(carried, 1.0)))
    if body.inertia is None or not np.any(body.inertia) or carried > 2.0 * body.mass:
        return
    largest = float(np.abs(np.linalg.eigvalsh(np.asarray(body.inertia))).max())
    gyration = math.sqrt(largest / body.mass)
    field = "radius of gyration sqrt(inertia / mass)"
    yield Quantity(owner, field, "radius of gyration", gyration)
    if extents:
        over = gyration / max(extents)
        yield Quantity(owner, f"{field} over its size", "gyration over size", over)


def _of_joint(joint: Joint) -> Iterator[Quantity]:
    """Frames of a joint, its coordinates and the range of its axes."""
    owner = f"joint {joint.name!r}"
    for field in ("at", "child_at"):
        yield Quantity(owner, f"{field} (distance)", "place", _norm(getattr(joint, field)))
    for coordinate in joint.coordinates:
        if coordinate.kind != "quaternion":
            yield from _of_coordinate(coordinate)
    for k, axis in enumerate(joint.axes):
        rule = "angle" if axis.kind == "rotation" else "translation"
        yield Quantity(owner, f"offset of axes[{k}]", rule, axis.offset)
        for name, function in axis.pairs:
            if not isinstance(function, Linear):
                for value in _values(function):
                    yield Quantity(owner, f"axes[{k}] as a function of {name!r}", rule, value)


def _values(function: Function) -> list[float]:
    """Values of a function at its knots."""
    pieces = function.pieces()
    return [float(value) for value in pieces(pieces.knots)]


def _speed(coordinate: Coordinate, field: str, value: float) -> Quantity:
    rule = "speed" if coordinate.kind == "translation" else "angular speed"
    return Quantity(f"coordinate {coordinate.name!r}", field, rule, value)


def _of_coordinate(coordinate: Coordinate) -> Iterator[Quantity]:
    """Initial values, range and laws of a coordinate."""
    owner = f"coordinate {coordinate.name!r}"
    rule = "angle" if coordinate.kind == "rotation" else "translation"
    fields: dict[str, float | None] = {
        "value": coordinate.value,
        "lower": coordinate.lower,
        "upper": coordinate.upper,
    }
    for law in coordinate.laws:
        if isinstance(law, Spring):
            fields["rest of its Spring"] = law.rest
        elif isinstance(law, QuadraticLimit | SmoothLimit):
            name = type(law).__name__
            fields |= {f"lower of its {name}": law.lower, f"upper of its {name}": law.upper}
    motion = coordinate.prescribed
    if motion is not None:
        pieces = motion.pieces()
        fields["prescribed value"] = max([float(pieces(0.0)), *_values(motion)], key=abs)
        yield _speed(coordinate, "prescribed speed at t = 0", float(pieces(0.0, 1)))
    yield _speed(coordinate, "speed", coordinate.speed)
    lower, upper = coordinate.lower or 0.0, coordinate.upper or 0.0
    # published models write "no limit" as -99999 to 99999, or -100 m to 100 m
    no_limit = lower == -upper and (upper >= UNBOUNDED or rule == "translation")
    for field, value in fields.items():
        open_end = field in ("lower", "upper") and no_limit
        if value is not None and not open_end:
            yield Quantity(owner, field, rule, value)


def _of_fiber(fiber: Fiber, length: float) -> Iterator[Quantity]:
    """Dimensions, tissue, loads and times of a fiber."""
    owner = f"fiber {fiber.name!r}"
    radius = float(fiber.radius_at(SAMPLES).max())
    yield Quantity(owner, "radius", "fiber radius", radius)
    yield Quantity(owner, "length", "fiber length", length)
    yield Quantity(owner, "length over its diameter", "slenderness", 0.5 * length / radius)
    for end in fiber.attach:
        if isinstance(end, MovingPoint):
            yield Quantity(owner, "place of its moving point", "place", _norm(end.position_at(0.0)))
        elif end is not None:
            yield Quantity(owner, f"attachment on {end.body.name!r}", "place", _norm(end.position))
    load = np.linalg.norm(fiber.line_load_at(SAMPLES, 0.0), axis=1)
    yield Quantity(owner, "line_load", "line load", float(load.max()))
    activation = fiber.activation
    if isinstance(activation, ActivationDynamics):
        activation = activation.signal
    corners = np.asarray(getattr(activation, "breakpoints", ()), float)
    if corners.size:
        latest = float(corners[np.argmax(np.abs(corners))])
        yield Quantity(owner, "time of its activation", "instant", latest)
    yield from _of_tissue(f"{owner}: tissue", fiber.tissue)


def _of_tissue(owner: str, tissue: Tissue) -> Iterator[Quantity]:
    """Density, moduli and stresses."""
    yield Quantity(owner, "density", "density", tissue.density)
    # without an active part, the material need not be muscle
    muscle = "muscle modulus" if tissue.active is not None else "passive modulus"
    for part, law, rule in (
        ("muscle", tissue.muscle, muscle),
        ("tendon", tissue.tendon, "passive modulus"),
    ):
        if not isinstance(law, KelvinVoigt) or (part == "tendon" and law is tissue.muscle):
            continue
        yield Quantity(owner, f"{part}.shear_modulus", rule, law.shear_modulus)
        yield Quantity(owner, f"{part}.viscosity", "viscosity", law.viscosity)
    yield Quantity(owner, "prestress", "prestress", tissue.prestress)
    yield Quantity(owner, "bending", "bending", tissue.bending)
    if tissue.active is not None:
        active = tissue.active
        yield Quantity(owner, "active.max_stress", "muscle stress", active.max_stress)
        yield Quantity(owner, "active.optimal_stretch", "optimal stretch", active.optimal_stretch)
        if isinstance(active, HillStress):
            speed = active.max_velocity
            yield Quantity(owner, "active.max_velocity", "contraction speed", speed)
        else:
            yield Quantity(owner, "active.width", "width", active.width)
    if tissue.stiffening is not None:
        yield Quantity(owner, "stiffening.stress", "prestress", tissue.stiffening.stress)


def _of_muscle(muscle: LineMuscle) -> Iterator[Quantity]:
    """Force and lengths of a line muscle."""
    owner = f"line muscle {muscle.name!r}"
    for field, rule in (
        ("max_isometric_force", "muscle force"),
        ("optimal_fiber_length", "muscle length"),
        ("tendon_slack_length", "muscle length"),
        ("max_contraction_velocity", "contraction speed"),
    ):
        yield Quantity(owner, field, rule, getattr(muscle, field))

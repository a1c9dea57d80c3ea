"""A system with held coordinates where numbers of a model place or turn its parts.

A joint's frame, a path point, a wrap surface or a contact shape moves with a number as it does
along axes put in its place, whose coordinates are held at zero. The tangent in these coordinates so
holds the derivatives of the equations in all such numbers.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk.gradients.changes.entries import Entry
from fibermsk.gradients.changes.functions import driver_of
from fibermsk.model import (
    Axis,
    Body,
    Capsule,
    Coordinate,
    InfiniteCylinder,
    Linear,
    LineMuscle,
    Model,
)
from fibermsk.model.contact import items_of
from fibermsk.model.muscles.line_muscle import MovingPathPoint
from fibermsk.model.muscles.wrap import Surface
from fibermsk.model.skeleton.body import length_of, shapes_of
from fibermsk.model.skeleton.joint import IDENTITY, JOINTS, FunctionalJoint, Joint, Weld
from fibermsk.model.skeleton.junction import is_junction
from fibermsk.parameters.lookup import find
from fibermsk.parameters.places import Place
from fibermsk.parameters.revise import redirected
from fibermsk.protocol import BorderedMatrix
from fibermsk.solvers.adjoint.linearized import Point
from fibermsk.system import FiberSystem
from fibermsk.system.contribution import Slopes

_NOTHING = 1e-30
"""Mass [kg] and moments of inertia [kg m^2] of bodies without: every coordinate must move some."""

_ORIGIN = 0.0, 0.0, 0.0
_AT, _TURN, _BEHIND, _DIRECTION, _OFFSET = "at", "rotation", "child_at", "direction", "offset"

Part = tuple[Any, ...]
"""What moves: the item of the model by identity, a path point by number, field and axis."""

Held = dict[Part, list[str]]
"""Names of held coordinates, by what of one joint they move."""


class Loose(NamedTuple):
    """A system with held coordinates.

    Attributes
    ----------
    system : FiberSystem
        The system.
    own : (n,) int array
        Those of its unknowns that are the unknowns without held coordinates.
    held : (k,) int array
        Its unknowns that are held coordinates.
    ways : (m, k) float array
        Derivatives of the held coordinates in each number.
    """

    system: FiberSystem
    own: Index
    held: Index
    ways: Array

    def whole(self, vector: Array) -> Array:
        """A vector (n,), with zeros for held coordinates."""
        found = np.zeros(self.system.n)
        found[self.own] = vector
        return found

    def moved(self, direction: Array) -> Array:
        """Increment of its unknowns where the held coordinates of the numbers move by (m,)."""
        found = np.zeros(self.system.n)
        found[self.held] = direction @ self.ways
        return found

    def products(self, cotangent: Array) -> Array:
        """Products (m,) with a cotangent of its unknowns."""
        found: Array = self.ways @ cotangent[self.held]
        return found

    def ends_moved(self, y: Array) -> Array:
        """Derivatives (n_points, 3, m) of the attached ends in the numbers, at positions y (n,)."""
        whole = self.whole(y)
        own = self.system.followers(whole, 0.0 * whole)
        columns = np.zeros((own.entries.size, self.system.n))
        columns[:, own.on] = own.by_position
        return (columns[:, self.held] @ self.ways.T).reshape(-1, 3, len(self.ways))

    def tangent(self, point: Point, slopes: Slopes) -> tuple[BorderedMatrix, Array]:
        """Tangent and residual at a point without held coordinates."""
        t, *vectors = point[:4]
        y, v, v_dot = map(self.whole, vectors)
        return self.system.reduced((t, y, v, v_dot), slopes)


def can_loosen(place: Place) -> bool:
    """Whether a number does nothing but move a part of a skeleton, or of paths of line muscles."""
    root, steps = place.root, place.steps
    if driver_of(place) is not None:
        return not isinstance(root, JOINTS) or not is_junction(root.child, root)
    if isinstance(root, JOINTS):
        if is_junction(root.child, root):
            return False
        of_axis = len(steps) == 3 and steps[0] == "axes" and steps[2] in (_DIRECTION, _OFFSET)
        return of_axis or steps in {(_AT,), (_BEHIND,), (_TURN,), ("axis",)}
    if isinstance(root, Surface):
        return steps in {("position",), (_TURN,)}
    if isinstance(root, Body):
        return len(steps) == 3 and steps[0] == "shapes" and steps[2] in _ways_of(place)
    of_point = isinstance(root, LineMuscle) and steps[0] == "points"
    return of_point and steps[2:] in {("station", "position"), (_AT,), (_TURN,)}


def loosened(system: FiberSystem, entries: Sequence[Entry]) -> Loose:
    """System with held coordinates for numbers of which `can_loosen` holds."""
    parts, wanted = Held(), list[tuple[list[str], Array]]()
    for entry in entries:
        part, way = _part_of(find(system.model, entry.path)[0], entry)
        names = parts.setdefault(part, [f"held {len(parts)} {k}" for k in range(way.size)])
        wanted.append((names, way))
    own = FiberSystem(_with_held(system.model, parts))
    first, n_q = 6 * own.cables.n_nodes, own.skeleton.n
    index = {name: first + k for k, name in enumerate(own.skeleton.independent)}
    column = {name: k for k, name in enumerate(name for names in parts.values() for name in names)}
    ways = np.zeros((len(wanted), len(column)))
    for row, (names, way) in zip(ways, wanted, strict=True):
        row[[column[name] for name in names]] = way
    kept = [index[name] for name in system.skeleton.independent]
    before = np.r_[:first, np.array(kept, np.int64), first + n_q : own.n]
    return Loose(own, before, np.array([index[name] for name in column], np.int64), ways)


def _ways_of(place: Place) -> tuple[str, ...]:
    """Fields of a shape, none of it sphere or mesh, that move it, or one of its ends across it."""
    shape = shapes_of(place.root)[int(place.steps[1])]
    if isinstance(shape, InfiniteCylinder):
        return "point", "axis"
    return ("start", "end") if isinstance(shape, Capsule) and length_of(shape) > 0.0 else ()


def _motion_of(shape: Capsule | InfiniteCylinder, field: str, way: Array) -> Array:
    """Translation and rotation (6,) about the body's origin that a change of a field is.

    An end of a capsule moves across its axis as it turns about the other one.
    """
    if field == "point":
        return np.concatenate([way, np.zeros(3)])
    if isinstance(shape, InfiniteCylinder):
        turn, about = np.cross(np.asarray(shape.axis), way), np.asarray(shape.point)
    else:
        here, about = (shape.start, shape.end) if field == "start" else (shape.end, shape.start)
        lever = np.subtract(here, about)
        turn, about = np.cross(lever, way) / (lever @ lever), np.asarray(about)
    return np.concatenate([-np.cross(turn, about), turn])


def _part_of(place: Place, entry: Entry) -> tuple[Part, Array]:
    """What a number moves, and the derivatives of its held coordinates."""
    root, steps, at = place.root, place.steps, (*place.entry, *entry.place)
    if driver_of(place) is not None:
        if isinstance(root, LineMuscle):
            return (id(root), steps[1], _AT), _component(root.points[int(steps[1])], int(steps[3]))
        return (id(root), "axes", steps[1], _OFFSET), np.ones(1)
    way = np.eye(3)[at[0]] if at else np.ones(1)
    if entry.turn is not None:
        way = entry.turn.slopes[:, at[0]]
    if isinstance(root, Body):
        if entry.along is not None:
            way = way / np.linalg.norm(entry.along)  # of the vector, which the model does not keep
        shape: Any = shapes_of(root)[int(steps[1])]
        return (id(root), "shapes", steps[1]), _motion_of(shape, str(steps[2]), way)
    if isinstance(root, Surface):
        return (id(root), _AT if steps[0] == "position" else _TURN), way
    if isinstance(root, LineMuscle):
        return (id(root), steps[1], _TURN if steps[-1] == _TURN else _AT), way
    if steps[-1] not in ("axis", _DIRECTION):
        return (id(root), *steps), way
    number = 0 if steps == ("axis",) else steps[1]
    # a vector turns by its product with its change, over the square of its length
    along = np.array(entry.along)
    return (id(root), "axes", number, _DIRECTION), np.cross(along, way) / (along @ along)


def _component(point: Any, number: int) -> Array:
    """Direction (3,) of a component of a moving point in its body."""
    return np.asarray(point.rotation)[:, number]


def _with_held(model: Model, parts: Held) -> Model:
    """The model with held coordinates."""
    of = dict[int, Held]()
    for (item, *part), names in parts.items():
        of.setdefault(item, {})[tuple(part)] = names
    new, carriers = dict[int, Any](), _Carriers()
    shapes = {id(wrap.shape): wrap.shape for one in model.muscles for wrap in one.wraps}
    for key, shape in shapes.items():
        if key in of:
            body = carriers.new(shape.body, shape.position, shape.rotation, of[key])
            new[key] = replace(shape, body=body, position=_ORIGIN, rotation=IDENTITY)
    for muscle in model.muscles:
        if id(muscle) in of:
            new[id(muscle)] = _on_carriers(muscle, of[id(muscle)], carriers)
    added = carriers.joints
    for joint in model.joints:
        if id(joint) in of:
            *before, new[id(joint)] = _loose(joint, of[id(joint)])
            added += before
            new |= {id(body): _heavy(body) for body in _moved_by(model, joint)}
    apart = {
        body: [
            carriers.new(
                body, _ORIGIN, IDENTITY, _of_pose(of[id(body)].get(("shapes", k), [])), shape
            )
            for k, shape in enumerate(shapes_of(body))
        ]
        for body in model.bodies if id(body) in of
    }  # fmt: skip
    for body in apart:
        new[id(body)] = replace(new.get(id(body), body), shapes=())
    for contact in model.contacts if apart else ():
        second = [apart.get(one, [one]) for one in items_of(contact.second)]
        new[id(contact)] = replace(contact, second=[one for several in second for one in several])
    found = redirected(model, new)
    for one in added:
        found.add(one.child, replace(one, parent=found.body(one.parent.name)))
    return found


class _Carriers:
    """New bodies at places of others, along which held coordinates move them."""

    def __init__(self) -> None:
        self.joints = list[Joint]()

    def new(self, parent: Body, at: Any, rotation: Any, held: Held, shapes: Any = ()) -> Body:
        """A body at a place of another."""
        body = _heavy(Body(f"carrier {len(self.joints)}", shapes=shapes))
        weld = Weld(parent, body, at, rotation=rotation)
        self.joints += _loose(weld, held) if held else [weld]
        return body


def _of_pose(names: list[str]) -> Held:
    """Held coordinates of a place and its orientation, from their names in this order."""
    return {(_AT,): names[:3], (_TURN,): names[3:]} if names else {}


def _on_carriers(muscle: LineMuscle, held: Held, carriers: _Carriers) -> LineMuscle:
    """A muscle with some of its path points on bodies of their own; of their number and field."""
    points = list(muscle.points)
    for k in dict.fromkeys(number for number, _ in held):
        own: Held = {(field,): names for (number, field), names in held.items() if number == k}
        one = points[k]
        if isinstance(one, MovingPathPoint):
            body = carriers.new(one.body, one.at, one.rotation, own)
            points[k] = replace(one, body=body, at=_ORIGIN, rotation=IDENTITY)
        else:
            body = carriers.new(one.body, one.station.position, IDENTITY, own)
            points[k] = replace(one, station=body.at(*_ORIGIN))
    return replace(muscle, points=points)


def _loose(joint: Joint, held: Held) -> list[FunctionalJoint]:
    """A joint with held coordinates; behind a quaternion, which turns last, in a second joint."""
    axes = _along("translation", np.eye(3), held.get((_AT,), ()))
    for k, axis in enumerate(joint.axes):
        turn = _along("rotation", np.eye(3), held.get(("axes", k, _DIRECTION), ()))
        more = [(name, Linear()) for name in held.get(("axes", k, _OFFSET), ())]
        axes += [*turn, replace(axis, terms=(*axis.pairs, *more)), *map(_back, reversed(turn))]
    of_child = np.asarray(joint.rotation).T
    behind = [
        *_along("rotation", of_child, held.get((_TURN,), ())),
        *_along("translation", -of_child, held.get((_BEHIND,), ())),
    ]
    fresh = {name for names in held.values() for name in names}
    quaternion = getattr(joint, "quaternion", ())
    if not (quaternion and behind):
        axes += behind
        own = [*joint.coordinates, *_coordinates(axes, fresh)]
        return [
            FunctionalJoint(
                joint.name, joint.parent, joint.child, own, axes, joint.at, joint.child_at,
                joint.rotation, quaternion,
            )
        ]  # fmt: skip
    own = [*joint.coordinates, *_coordinates(axes, fresh)]
    between = _heavy(Body(f"carrier behind {joint.name}"))
    return [
        FunctionalJoint(
            f"{joint.name} before", joint.parent, between, own, axes, joint.at,
            quaternion=quaternion,
        ),
        FunctionalJoint(
            joint.name, between, joint.child, _coordinates(behind, fresh), behind,
            child_at=joint.child_at, rotation=joint.rotation,
        ),
    ]  # fmt: skip


def _along(kind: str, ways: Array, names: Sequence[str]) -> list[Axis]:
    """An axis along each of some directions (3, 3), if there are names of coordinates for them."""
    return [Axis(kind, way, name) for way, name in zip(ways, names, strict=False)]


def _back(axis: Axis) -> Axis:
    """The inverse of an axis of one coordinate."""
    return replace(axis, terms=((axis.pairs[0][0], Linear(-1.0)),))


def _coordinates(axes: Sequence[Axis], fresh: Set[str]) -> list[Coordinate]:
    """Held coordinates of some axes."""
    kinds = {name: axis.kind for axis in axes for name, _ in axis.pairs if name in fresh}
    return [Coordinate(name, kind) for name, kind in kinds.items()]


def _moved_by(model: Model, joint: Joint) -> list[Body]:
    """Bodies that a joint moves."""
    found = [joint.child]
    for body in found:
        found += [one.child for one in model.joints if one.parent is body]
    return found


def _heavy(body: Body) -> Body:
    """A body that has a mass and an inertia, if only next to none."""
    mass = _NOTHING if body.mass is None else body.mass
    inertia = _NOTHING * np.eye(3) if body.inertia is None else body.inertia
    return replace(body, mass=mass, inertia=inertia)

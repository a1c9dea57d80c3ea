"""Items of a model whose bodies are stretched along their axes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.analysis.scaling.elements import along_paths, placed_elements
from fibermsk.analysis.scaling.inertia import scaled_inertia, stretches
from fibermsk.errors import ModelError
from fibermsk.model import (
    Axis,
    Body,
    Linear,
    Model,
    PathPoint,
    PathWrap,
    Scaled,
    WrapCylinder,
    WrapEllipsoid,
    WrapSphere,
    WrapTorus,
)
from fibermsk.model.function import Function
from fibermsk.model.multivariate import MultivariatePolynomial
from fibermsk.model.skeleton.body import Capsule, shapes_of, visuals_of
from fibermsk.model.skeleton.joint import FunctionalJoint, Joint
from fibermsk.model.skeleton.mesh import Mesh
from fibermsk.read.osim.report import ImportReport, PlacedMesh

Factors = Mapping[str, Array]

_FIXED_SHAPE = ("EllipsoidJoint", "ScapulothoracicJoint")
"""Joints whose lengths along turned axes are no lengths along axes of the parent."""


def sized(model: Model, factors: Factors, masses: Mapping[str, float]) -> Model:
    """The model with scaled bodies, joints, paths, wrap surfaces and markers, and new masses.

    Lengths of fibers and tendons, and rest lengths of springs and ligaments, stay.
    """
    one = np.ones(3)

    def of(body: Body) -> Array:
        return factors.get(body.name, one)

    values: dict[Any, dict[str, Any]] = {}
    for body in model.bodies:
        if body.name in factors or body.name in masses:
            values[body] = _body(body, of(body), masses.get(body.name))
    for joint in model.joints:
        values[joint] = _joint(model, joint, of(joint.parent), of(joint.child))
    for coupling in model.couplings:
        factor = _of_coordinate(model, coupling.dependent, of)
        if factor != 1.0:
            values[coupling] = {"function": _coupled(coupling.function, factor)}
    for item in model.markers:
        values[item] = _fixed(item, of)
    for item in (*model.muscles, *along_paths(model)):
        values |= _path(item.points, item.wraps, of)
    values |= placed_elements(model, of)
    new = model.edit({item: own for item, own in values.items() if own})
    report = model.import_report
    if isinstance(report, ImportReport):
        actuators = {name: _actuator(one, of) for name, one in report.actuators.items()}
        placed = [_placed(one, model, new, of) for one in report.placed]
        new.import_report = replace(report, actuators=actuators, placed=placed)
    return new


def _placed(one: PlacedMesh, model: Model, new: Model, of: Callable[[Body], Array]) -> PlacedMesh:
    """Place of a mesh file in a scaled body; as it was if its own axes are not those scaled."""
    body = model.body(one.body)
    s = of(body)
    if not ((s == s[0]).all() or np.array_equal(np.abs(one.rotation), np.eye(3))):
        return one
    old, scaled = ([*visuals_of(b), *shapes_of(b)] for b in (body, new.body(one.body)))
    mesh = next((b for a, b in zip(old, scaled, strict=True) if a is one.mesh), None)
    return one._replace(position=s * one.position, scale=s * one.scale, mesh=mesh)


def _fixed(item: Any, of: Callable[[Body], Array]) -> dict[str, Any]:
    """New station of a marker or path point."""
    body = item.station.body
    return {"station": body.at(of(body) * np.asarray(item.station.position))}


def _path(
    points: Iterable[Any], wraps: Iterable[PathWrap], of: Callable[[Body], Array]
) -> dict[Any, dict[str, Any]]:
    """New fields of the points and surfaces of a path."""
    values = dict[Any, dict[str, Any]]()
    for point in points:
        if isinstance(point, PathPoint):
            values[point] = _fixed(point, of)
            continue
        s = of(point.body)
        functions = zip(point.functions, s.tolist(), strict=True)
        values[point] = {
            "at": s * np.asarray(point.at),
            "functions": tuple(_times(f, k) for f, k in functions),
        }
    for wrap in wraps:
        values[wrap.shape] = _surface(wrap.shape, of(wrap.shape.body))
    return values


def _actuator(one: Any, of: Callable[[Body], Array]) -> Any:
    """An actuator of the file with its path, if it has one, on scaled bodies."""
    given = one.arguments
    if "points" not in given:
        return one
    values = _path(given["points"], given["wraps"], of)
    points = [replace(point, **values[point]) for point in given["points"]]
    wraps = [replace(wrap, shape=replace(wrap.shape, **values[wrap.shape]))
             for wrap in given["wraps"]]  # fmt: skip
    return one._replace(arguments=given | {"points": points, "wraps": wraps})


def _body(body: Body, s: Array, mass: float | None) -> dict[str, Any]:
    """New fields of a body."""
    found: dict[str, Any] = {}
    if body.mass is not None:
        new = body.mass if mass is None else mass
        found = {"mass": new, "com": s * np.asarray(body.com)}
        if body.inertia is not None:
            found["inertia"] = scaled_inertia(np.asarray(body.inertia), body.mass, new, s)
            found["strict"] = False
    if not (s == 1.0).all():
        found["shapes"] = tuple(_shape(one, s) for one in shapes_of(body))
        found["visuals"] = tuple(
            one.placed(np.eye(3), np.zeros(3), scale=s) for one in visuals_of(body)
        )
    return found


def _shape(shape: Any, s: Array) -> Any:
    """A contact shape; the radius of a cylinder follows the mean of the stretches across it."""
    if isinstance(shape, Mesh):
        return shape.placed(np.eye(3), np.zeros(3), scale=s)
    if isinstance(shape, Capsule):
        axis = np.subtract(shape.end, shape.start)
        radius = shape.radius * _across(axis, s)
        return Capsule(s * np.asarray(shape.start), s * np.asarray(shape.end), radius)
    axis = np.asarray(shape.axis)
    return type(shape)(s * np.asarray(shape.point), s * axis, shape.radius * _across(axis, s))


def _across(axis: Array, s: Array) -> float:
    """Mean stretch of two directions across an axis, of all if it has no length."""
    size = float(np.linalg.norm(axis))
    if size == 0.0:
        return float(s.mean())
    U = np.linalg.svd(axis[:, None] / size, full_matrices=True)[0]
    return float(stretches(U, s)[1:].mean())


def _joint(model: Model, joint: Joint, parent: Array, child: Array) -> dict[str, Any]:
    """New fields of a joint: its points in both bodies, and translations along its axes."""
    found: dict[str, Any] = {}
    if not (parent == 1.0).all():
        found["at"] = parent * np.asarray(joint.at)
        if isinstance(joint, FunctionalJoint):
            kinds = getattr(model.import_report, "joint_kinds", {})
            if kinds.get(joint.name) in _FIXED_SHAPE:
                must = f"be 1 for the parent of joint {joint.name!r}, {kinds[joint.name]}"
                remedy = "its ellipsoid is not scaled: scale the model in its own program"
                _check.refuse("scale", f"factors of {joint.parent.name!r}", parent, must,
                              remedy=remedy)  # fmt: skip
            axes = tuple(_axis(one, parent) for one in joint.axes)
            if any(new is not old for new, old in zip(axes, joint.axes, strict=True)):
                found["axes"] = axes
    if not (child == 1.0).all():
        found["child_at"] = child * np.asarray(joint.child_at)
    return found


def _axis(axis: Axis, s: Array) -> Axis:
    """An axis whose translation is scaled, unless it is a coordinate itself."""
    if axis.kind != "translation" or _is_coordinate(axis):
        return axis
    factor = _along(axis, s)
    terms = tuple((name, _times(function, factor)) for name, function in axis.pairs)
    return Axis(axis.kind, axis.direction, terms, factor * axis.offset)


def _is_coordinate(axis: Axis) -> bool:
    """Whether the motion along an axis is a coordinate, which is measured and not scaled."""
    if len(axis.pairs) != 1 or axis.offset != 0.0:
        return False
    function = axis.pairs[0][1]
    return isinstance(function, Linear) and (function.slope, function.intercept) == (1.0, 0.0)


def _along(axis: Axis, s: Array) -> float:
    """Factor of lengths along an axis of the parent."""
    return float(np.asarray(axis.direction) ** 2 @ s)


def _of_coordinate(model: Model, name: str, of: Any) -> float:
    """Factor of a translation that is a coordinate, by the parent of its joint."""
    for joint in model.joints:
        for axis in joint.axes:
            if axis.kind == "translation" and _is_coordinate(axis) and axis.pairs[0][0] == name:
                return _along(axis, of(joint.parent))
    return 1.0


def _coupled(function: Any, factor: float) -> Any:
    """A multiple of the function of a coupling, of one coordinate or of several."""
    if isinstance(function, MultivariatePolynomial):
        return replace(function, coefficients=factor * np.asarray(function.coefficients))
    if isinstance(function, Sequence):
        return tuple(_times(one, factor) for one in function)
    return _times(function, factor)


def _times(function: Function, factor: float) -> Function:
    """A multiple of a function."""
    if factor == 1.0:
        return function
    if isinstance(function, Linear):
        return Linear(factor * function.slope, factor * function.intercept)
    if isinstance(function, Scaled):
        return Scaled(function.function, factor * function.factor)
    return Scaled(function, factor)


def _surface(shape: Any, s: Array) -> dict[str, Any]:
    """New fields of a wrap surface, as in OpenSim: radii by the stretches along its own axes."""
    if (s == 1.0).all():
        return {}
    along = stretches(np.asarray(shape.rotation), s)
    across = 0.5 * float(along[0] + along[1])
    found: dict[str, Any] = {"position": s * np.asarray(shape.position)}
    if isinstance(shape, WrapSphere):
        return found | {"radius": shape.radius * float(s.mean())}
    if isinstance(shape, WrapCylinder):
        sizes = {"radius": shape.radius * across, "length": shape.length * float(along[2])}
        return found | sizes
    if isinstance(shape, WrapEllipsoid):
        return found | {"radii": along * np.asarray(shape.radii)}
    if isinstance(shape, WrapTorus):
        radii = {name: across * getattr(shape, name) for name in ("inner_radius", "outer_radius")}
        return found | radii
    raise ModelError(
        f"scale: wrap surface {shape.name!r} is a {type(shape).__name__}; must be a sphere, "
        "cylinder, ellipsoid or torus"
    )

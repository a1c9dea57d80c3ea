"""View of a model in one pose, before it is built or without fibers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from fibermsk import _check, _plausible
from fibermsk._arrays import Array
from fibermsk._version import __version__
from fibermsk.errors import ModelError
from fibermsk.model import Body, LineMuscle, Model
from fibermsk.model.function import Linear
from fibermsk.model.skeleton.axis import Axis
from fibermsk.model.skeleton.joint import Joint
from fibermsk.protocol import Frames
from fibermsk.results import (
    BodyMotion,
    FreeCoordinate,
    JointAxis,
    MuscleLine,
    Result,
    Still,
)
from fibermsk.system.lines.reports import drawn_radius
from fibermsk.system.lines.solved import PathSolver, active_points
from fibermsk.system.reports.records import body_motion, coordinate_units, is_seen, up
from fibermsk.system.reports.wrap_meshes import wrap_mesh
from fibermsk.system.skeleton.free import free_model
from fibermsk.system.skeleton.skeleton import Skeleton, skeleton

Poses = dict[str, tuple[Array, Array]]


def still(model: Model, coordinates: Mapping[str, float] | None = None) -> Still:
    """Return a model in one pose for display: bones, fibers, muscle lines, wraps, axes.

    Parameters
    ----------
    model : Model
        The description, complete.
    coordinates : mapping of str to float, optional
        Coordinates by name [rad or m]; default: initial values. Not for models with
        fibers, whose shape is known only in the initial configuration.

    Returns
    -------
    still : Still
        For `fibermsk.view.show` and `fibermsk.view.screenshot`. Muscles are drawn along their taut
        paths, with the arcs on wrap surfaces. One without a taut path in this pose, as where a path
        point lies inside a surface, is straight between its points and says why
        (`MuscleLine.problem`).

    Raises
    ------
    ModelError
        If the model is incomplete or has no such coordinate.
    """
    _check.instance("still", "model", model, Model, "a Model")
    if coordinates is not None:
        what = "a dict of numbers by coordinate"
        _check.instance("still", "coordinates", coordinates, Mapping, what)
    if model.fibers and coordinates is not None:
        raise ModelError(
            f"still: coordinates = {dict(coordinates)}; must be left out for a model with fibers, "
            "whose shape is known only at its start: change the start values of joints"
        )
    values = {} if coordinates is None else dict(coordinates)
    for one in model.coordinates:
        value = values.get(one.name)
        if isinstance(value, float | int) and math.isfinite(value):
            rule = "translation" if one.kind == "translation" else "angle"
            _plausible.warn_of(f"coordinate {one.name!r}", "value", rule, value)
    return PosedModel(model).still(values)


class PosedModel:
    """A model in pose after pose, for display.

    `coordinates` are those that can be set; see `Posable`.
    """

    def __init__(self, model: Model) -> None:
        self._model = model if model.fibers else free_model(_with_masses(model))
        self._frame = skeleton(self._model)
        self._lines = {one.name: _Line(self._frame, one) for one in self._model.muscles}
        shapes = (wrap.shape for muscle in self._model.muscles for wrap in muscle.wraps)
        self._wraps = {shape.name: shape for shape in shapes if shape.active}
        self.coordinates = _free(self._model, self._frame)

    def still(self, values: Mapping[str, float]) -> Still:
        """The model at values of coordinates [rad or m]; the others have their initial ones."""
        model, frame = self._model, self._frame
        q = frame.q_of(dict(values))
        poses = frame.poses(q)
        muscles = {name: line.at(q) for name, line in self._lines.items()}
        return Still(
            result=_with_fibers(model) if model.fibers else _bones(model, frame, q, poses),
            muscles=muscles,
            wraps={
                name: wrap_mesh(shape, *poses[shape.body.name])
                for name, shape in self._wraps.items()
            },
            axes=_axes(model, frame, q, poses),
            poses=None if model.fibers else self,
        )


def _with_masses(model: Model) -> Model:
    """The model with a mass for each body that lacks one: a pose does not depend on them."""
    light: dict[Any, Any] = {
        body: {"mass": 1.0, "inertia": (1.0, 1.0, 1.0)}
        for body in model.bodies
        if body.mass is None and body is not model.ground
    }
    return model.edit(light) if light else model


class _Line:
    """The line of a muscle in pose after pose."""

    def __init__(self, frame: Skeleton, muscle: LineMuscle) -> None:
        self._frame, self._muscle, self._radius = frame, muscle, drawn_radius(muscle)
        self._solver: PathSolver | None = None
        self._problem = ""
        try:
            self._solver = PathSolver(frame, muscle)
        except ModelError as error:
            self._problem = str(error)

    def at(self, q: Array) -> MuscleLine:
        """The line at a state."""
        problem = self._problem
        if self._solver is not None:
            try:
                path = self._solver.at(q)
            except ModelError as error:
                problem = str(error)
            else:
                arms = tuple(path.moment_arms.items())
                return MuscleLine(path.polyline, self._radius, path.length, arms)
        _, points = active_points(self._frame, self._muscle, q)
        return MuscleLine(points, self._radius, problem=problem)


_REACH = {"rad": math.pi, "m": 1.0}
"""Range about the initial value, in both directions, of a coordinate that declares none."""


def _free(model: Model, frame: Skeleton) -> tuple[FreeCoordinate, ...]:
    """Coordinates that can be set: neither locked, coupled, prescribed nor of a quaternion."""
    if model.fibers:
        return ()
    found = []
    for name in frame.independent:
        one = model.coordinate(name)
        if one.prescribed is not None or one.kind == "quaternion":
            continue
        unit, lower, upper = frame.units[name], one.lower, one.upper
        declared = lower is not None and upper is not None and lower < upper
        if lower is None or upper is None or not declared:
            lower, upper = one.value - _REACH[unit], one.value + _REACH[unit]
        found.append(FreeCoordinate(name, unit, lower, upper, declared))
    return tuple(found)


def _bones(model: Model, frame: Skeleton, q: Array, poses: Poses) -> Result:
    """A single frame of the bodies."""
    bodies: dict[str, BodyMotion] = {}
    for body in model.bodies:
        if body is not model.ground or is_seen(body):
            rotation, position = poses[body.name]
            bodies[body.name] = body_motion(model, body, position[None], rotation[None])
    values = {name: np.array([value]) for name, value in frame.values(q).items()}
    return Result(
        scene=model.name,
        parameters={},
        time=np.zeros(1),
        coordinates=values,
        speeds={name: np.zeros(1) for name in values},
        bodies=bodies,
        fibers={},
        step_size=np.zeros(1),
        newton_iterations=np.zeros(1, dtype=np.int64),
        min_admissibility=np.ones(1),
        method="",
        version=__version__,
        up=up(model),
        coordinate_units=coordinate_units(model),
    )


def _with_fibers(model: Model) -> Result:
    """A single frame of bodies and fibers, at the start."""
    from fibermsk.system.build import build

    system = build(model)
    y, v = system.initial_state()
    frames = Frames(
        t=np.zeros(1),
        y=y[None],
        v=v[None],
        reactions=np.zeros((1, len(system.cables.attached_nodes), 3)),
        multipliers=np.zeros((1, 0)),
        step_size=np.zeros(1),
        newton_iterations=np.zeros(1, dtype=np.int64),
        admissibility=np.ones(1),
    )
    return system.observe(frames)


def _place(poses: Poses, body: Body, point: object) -> Array:
    rotation, position = poses[body.name]
    return rotation @ np.asarray(point, dtype=float) + position


def _axes(model: Model, frame: Skeleton, q: Array, poses: Poses) -> tuple[JointAxis, ...]:
    """Axes of all joints in this pose."""
    values, free = frame.values(q), set(frame.independent)
    marks = []
    for joint in model.joints:
        marks += _axes_of(joint, values, free, poses)
    return tuple(marks)


def _axes_of(
    joint: Joint, values: Mapping[str, float], free: set[str], poses: Poses
) -> list[JointAxis]:
    """Axes of a joint that free coordinates move."""
    rotation, _ = poses[joint.parent.name]
    point = _place(poses, joint.parent, joint.at)
    marks = []
    for axis in joint.axes:
        direction = rotation @ np.asarray(axis.direction)
        if names := _names(axis, free):
            marks.append(JointAxis(names, axis.kind, point, direction))
        value = axis.offset + sum(float(f.pieces()(values[name])) for name, f in axis.pairs)
        if axis.kind == "rotation":
            rotation = _turn(direction, value) @ rotation
        else:
            point = point + value * direction
    # Rotation axes are drawn at the joint center, which the translations have moved.
    return [mark._replace(point=point) if mark.kind == "rotation" else mark for mark in marks]


def _names(axis: Axis, free: set[str]) -> tuple[str, ...]:
    """Free coordinates that an axis depends on linearly."""
    return tuple(
        name for name, f in axis.pairs if name in free and isinstance(f, Linear) and f.slope != 0.0
    )


def _turn(axis: Array, angle: float) -> Array:
    """Rotation matrix about a unit axis."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)

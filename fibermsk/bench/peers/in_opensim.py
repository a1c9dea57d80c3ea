"""The muscle of `fibermsk.bench.wraps.case` in OpenSim, through its Python interface.

A `PathSpring` with the classic `GeometryPath` around a `WrapCylinder`, or with the
`Scholz2015GeometryPath` around a `ContactEllipsoid`. For each pose: the coordinates, the position
stage, the length, and the moment arm about each coordinate.
"""

# pyright: reportMissingImports=false, reportMissingModuleSource=false
# (the peers are an extra)

from __future__ import annotations

from typing import Any

import numpy as np

from fibermsk.bench.wraps import case


def time_wrap(surface: str, n: int, repeats: int) -> dict[str, Any]:
    """Times over n poses [s] of the path around a "cylinder" or an "ellipsoid"."""
    import opensim as osim

    osim.Logger.setLevelString("Off")
    model, spring, coordinates = _model(osim, surface)
    state = model.initSystem()
    path, q = spring.getPath(), case.poses(n)
    values = q.tolist()
    out = np.empty((n, 3))

    def run() -> None:
        for k, pose in enumerate(values):
            for coordinate, value in zip(coordinates, pose, strict=True):
                coordinate.setValue(state, value, False)
            model.realizePosition(state)
            out[k, 0] = path.getLength(state)
            for c, coordinate in enumerate(coordinates):
                out[k, 1 + c] = path.computeMomentArm(state, coordinate)

    return case.report(run, repeats, lambda k: out[k], n)


def _model(osim: Any, surface: str) -> tuple[Any, Any, list[Any]]:
    """Model, path spring and coordinates."""

    def vector(values: Any) -> Any:
        return osim.Vec3(*(float(value) for value in values))

    model, zero = osim.Model(), osim.Vec3(0)
    ground = model.getGround()
    upper, lower = (osim.Body(name, 1.0, zero, osim.Inertia(1.0)) for name in ("upper", "lower"))
    shoulder = osim.PinJoint("shoulder", ground, upper)
    elbow = osim.PinJoint("elbow", upper, vector(case.ELBOW), zero, lower, zero, zero)
    for part in (upper, lower):
        model.addBody(part)
    for joint in (shoulder, elbow):
        model.addJoint(joint)
    spring = osim.PathSpring("muscle", 0.1, 1.0, 0.0)
    if surface == "cylinder":
        spring.set_path(osim.GeometryPath())
        model.addForce(spring)
        path = osim.GeometryPath.safeDownCast(spring.updPath())
        path.appendNewPathPoint("origin", ground, vector(case.ORIGIN))
        path.appendNewPathPoint("insertion", lower, vector(case.INSERTION))
        shape = osim.WrapCylinder()
        shape.setName("surface")
        shape.set_radius(case.RADIUS)
        shape.set_length(1.0)
        shape.set_translation(vector(case.ELBOW))
        shape.set_quadrant("-x")
        upper.addWrapObject(shape)
        path.addPathWrap(shape)
    else:
        spring.set_path(osim.Scholz2015GeometryPath())
        model.addForce(spring)
        path = osim.Scholz2015GeometryPath.safeDownCast(spring.updPath())
        path.appendPathPoint(ground, vector(case.ORIGIN))
        shape = osim.ContactEllipsoid(vector(case.RADII), vector(case.ELBOW), zero, upper)
        shape.setName("surface")
        model.addContactGeometry(shape)
        path.appendObstacle(shape, vector(case.BEHIND))
        path.appendPathPoint(lower, vector(case.INSERTION))
    return model, spring, [shoulder.updCoordinate(), elbow.updCoordinate()]

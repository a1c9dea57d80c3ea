"""Lengths and moment arms of the paths of `wrapping_sweep` by OpenSim, run by its interpreter.

``python _wrapping_opensim.py classic|scholz2015 CASE STRIDE ANSWER.json``
"""

import json
import sys
import time

import opensim as osim
from _wrapping_cases import CASES, OFFSETS, H, poses

osim.Logger.setLevelString("Off")


def vector(values):
    """An OpenSim vector."""
    return osim.Vec3(*(float(value) for value in values))


def classic_surface(kind, radii, name):
    """Wrap object of a kind."""
    if kind == "ellipsoid":
        found = osim.WrapEllipsoid()
        found.set_dimensions(vector(radii))
    elif kind == "torus":
        found = osim.WrapTorus()
        found.set_inner_radius(radii[0])
        found.set_outer_radius(radii[1])
    elif kind == "cylinder":
        found = osim.WrapCylinder()
        found.set_radius(radii[0])
        found.set_length(1.0)
    else:
        found = osim.WrapSphere()
        found.set_radius(radii[0])
    found.setName(name)
    return found


def contact(kind, radii, center, angles, frame):
    """Contact geometry of a kind, for the paths of Scholz 2015."""
    place, turn = vector(center), vector(angles)
    if kind == "ellipsoid":
        return osim.ContactEllipsoid(vector(radii), place, turn, frame)
    if kind == "torus":
        return osim.ContactTorus(radii[1], radii[0], place, turn, frame)
    if kind == "cylinder":
        return osim.ContactCylinder(radii[0], place, turn, frame)
    return osim.ContactSphere(radii[0], place, frame)


def hint(center, angles, point):
    """The hinted point (ground) in the frame of the surface."""
    turned = osim.Transform(
        osim.Rotation(
            osim.BodyRotationSequence, angles[0], osim.CoordinateAxis(0), angles[1],
            osim.CoordinateAxis(1), angles[2], osim.CoordinateAxis(2),
        ),
        vector(center),
    )  # fmt: skip
    return turned.shiftBaseStationToFrame(vector(point))


def build(case, method):
    """Model with one hinge and the path."""
    data = CASES[case]
    model = osim.Model()
    body = osim.Body("b", 1.0, osim.Vec3(0), osim.Inertia(1.0))
    model.addBody(body)
    joint = osim.PinJoint("j", model.getGround(), body)
    model.addJoint(joint)
    ground = model.getGround()
    spring = osim.PathSpring("p", 0.1, 1.0, 0.0)
    if method == "scholz2015":
        spring.set_path(osim.Scholz2015GeometryPath())
        model.addForce(spring)
        path = osim.Scholz2015GeometryPath.safeDownCast(spring.updPath())
        path.appendPathPoint(ground, vector(data["start"]))
        for k, (kind, radii, center, angles, point) in enumerate(data["surfaces"]):
            shape = contact(kind, radii, center, angles, ground)
            shape.setName(f"s{k}")
            model.addContactGeometry(shape)
            near = vector((radii[-1] - radii[0], 0.0, 0.0))  # inner side of a torus
            path.appendObstacle(shape, near if point is None else hint(center, angles, point))
        path.appendPathPoint(body, vector(data["end"]))
    else:
        path = osim.GeometryPath()
        spring.set_path(path)
        model.addForce(spring)
        path = osim.GeometryPath.safeDownCast(spring.updPath())
        path.appendNewPathPoint("o", ground, vector(data["start"]))
        path.appendNewPathPoint("i", body, vector(data["end"]))
        for k, (kind, radii, center, angles, point) in enumerate(data["surfaces"]):
            shape = classic_surface(kind, radii, f"s{k}")
            shape.set_translation(vector(center))
            shape.set_xyz_body_rotation(vector(angles))
            if point is not None:
                shape.set_quadrant("x" if point[0] > center[0] else "-x")
            ground.addWrapObject(shape)
            path.addPathWrap(shape)
    return model, spring, joint


def main(method, case, stride, answer):
    """Write what is found."""
    model, spring, joint = build(case, method)
    state = model.initSystem()
    coordinate = joint.updCoordinate()
    path = spring.getPath()
    found, seconds = [], 0.0
    for q in poses(case, stride):
        row = []
        for k in OFFSETS:
            coordinate.setValue(state, q + k * H, True)
            start = time.perf_counter()
            model.realizePosition(state)
            row.append(path.getLength(state))
            seconds += time.perf_counter() - start
            if k == 0.0:
                arm = path.computeMomentArm(state, coordinate)
        found.append([q, arm, *row])
    with open(answer, "w") as file:
        json.dump({"found": found, "seconds": seconds, "lengths": 5 * len(found)}, file)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])

"""Forward runs and equilibria of models by OpenSim, run by its interpreter.

``python _line_muscles_opensim.py TASKS.json ANSWERS.json``, lists of the same length. A task has
the path of a "model" and the "start" of coordinates by name. With "excitations", knots (times,
values) by muscle, "activation" at the start, "times" of the frames and an "accuracy" it is a
forward run from the equilibrium of the muscles; otherwise the equilibrium of each muscle at the
"activation" is found. With "sections", lists of [number of the section from point to point, body,
wrap object, hint of the side in its frame] by muscle, the paths become geodesics by
Scholz2015GeometryPath, around these and no other surfaces.
"""

import json
import sys
import time

import opensim as osim

OF_MUSCLES = {
    "length": "getLength",
    "activation": "getActivation",
    "fiber_length": "getFiberLength",
    "fiber_velocity": "getFiberVelocity",
    "tendon_force": "getTendonForce",
}


def excited(model, excitations):
    """Add a controller that interpolates knots."""
    controller = osim.PrescribedController()
    controller.setName("knots")
    for name, (times, values) in excitations.items():
        knots = osim.PiecewiseLinearFunction()
        for t, value in zip(times, values, strict=True):
            knots.addPoint(t, value)
        controller.addActuator(model.getMuscles().get(name))
        controller.prescribeControlForActuator(name, knots)
    model.addController(controller)


def surface(body, name):
    """Contact geometry with the shape and the place of a wrap object."""
    wrap = body.getWrapObject(name)
    place, turn = wrap.get_translation(), wrap.get_xyz_body_rotation()
    ellipsoid = osim.WrapEllipsoid.safeDownCast(wrap)
    if ellipsoid is not None:
        return osim.ContactEllipsoid(ellipsoid.get_dimensions(), place, turn, body)
    return osim.ContactCylinder(
        osim.WrapCylinder.safeDownCast(wrap).get_radius(), place, turn, body
    )


def geodesic(model, sections):
    """Replace the paths by geodesics around the surfaces of `sections`."""
    for muscle in model.getMuscles():
        old = osim.GeometryPath.safeDownCast(muscle.updPath()).getPathPointSet()
        points = [osim.PathPoint.safeDownCast(old.get(i)) for i in range(old.getSize())]
        places = [(one.getParentFrame().getName(), osim.Vec3(one.get_location())) for one in points]
        muscle.set_path(osim.Scholz2015GeometryPath())
        path = osim.Scholz2015GeometryPath.safeDownCast(muscle.updPath())
        for k, (name, place) in enumerate(places, 1):
            path.appendPathPoint(frame_of(model, name), place)
            for section, body, wrap, hint in sections.get(muscle.getName(), ()):
                if section == k:
                    shape = surface(model.getBodySet().get(body), wrap)
                    shape.setName(f"{muscle.getName()}_{wrap}")
                    model.addContactGeometry(shape)
                    path.appendObstacle(shape, osim.Vec3(*hint))


def frame_of(model, body):
    """Body or ground."""
    return model.getGround() if body == "ground" else model.getBodySet().get(body)


def started(model, task):
    """State at the start, with the muscles' activations.

    Geodesics are found in the pose "near", from the hints, and followed from there.
    """
    for name, value in task.get("near", {}).items():
        model.getCoordinateSet().get(name).set_default_value(value)
    state = model.initSystem()
    for name, value in task["start"].items():
        model.getCoordinateSet().get(name).setValue(state, value, False)
    model.realizePosition(state)
    for muscle in model.getMuscles():
        muscle.setActivation(state, task["activation"])
    return state


def run(task):
    """Frames of a forward run."""
    model = osim.Model(task["model"])
    if "sections" in task:
        geodesic(model, task["sections"])
    excited(model, task["excitations"])
    state = started(model, task)
    model.equilibrateMuscles(state)
    manager = osim.Manager(model)
    manager.setIntegratorAccuracy(task["accuracy"])
    manager.setWriteToStorage(False)
    manager.setPerformAnalyses(False)
    manager.initialize(state)
    found = {"coordinates": {}, "speeds": {}, "muscles": {}}
    seconds = 0.0

    def put(place, name, value):
        place.setdefault(name, []).append(value)

    for t in task["times"]:
        begin = time.perf_counter()
        if t > 0.0:
            state = manager.integrate(t)
        seconds += time.perf_counter() - begin
        model.realizeDynamics(state)
        for one in model.getCoordinateSet():
            put(found["coordinates"], one.getName(), one.getValue(state))
            put(found["speeds"], one.getName(), one.getSpeedValue(state))
        for muscle in model.getMuscles():
            own = found["muscles"].setdefault(muscle.getName(), {})
            for name, get in OF_MUSCLES.items():
                put(own, name, getattr(muscle, get)(state))
    return found | {"seconds": seconds}


def equilibria(task):
    """Each muscle in equilibrium, or why not."""
    model = osim.Model(task["model"])
    state = started(model, task)
    model.realizeVelocity(state)
    found = {}
    for muscle in model.getMuscles():
        own = found[muscle.getName()] = {"length": muscle.getLength(state)}
        try:
            muscle.computeEquilibrium(state)
            model.realizeDynamics(state)
            own |= {name: getattr(muscle, get)(state) for name, get in OF_MUSCLES.items()}
        except RuntimeError as error:
            own["error"] = str(error).strip().splitlines()[0]
    return {"muscles": found, "version": osim.GetVersion()}


if __name__ == "__main__":
    osim.Logger.setLevelString("Off")
    with open(sys.argv[1]) as file:
        tasks = json.load(file)
    answers = [run(one) if "excitations" in one else equilibria(one) for one in tasks]
    with open(sys.argv[2], "w") as file:
        json.dump(answers, file)

"""What OpenSim says about a model in some configurations; runs in a process of its own.

Reads one JSON object {"folder", "answer", "model", "configurations": [{coordinate: value}],
"limits": [[q, p]], "assemble": [{coordinate: value}], "arms": [coordinate],
"states": [[{coordinate: value}, {coordinate: speed}]], "functions": [[text, [x], n]]} a line from
standard input, works in the folder, writes the answers as JSON to the file "answer" and says so,
until the input ends. Paths wrap only where moment arms are asked for.
"""

import json
import os
import sys

import opensim


def array(vector):
    return [vector.get(i) for i in range(vector.size())]


def rows(matrix):
    return [[matrix.get(i, j) for j in range(matrix.ncol())] for i in range(matrix.nrow())]


def free_of_wraps(model):
    for muscle in model.getMuscles():
        path = opensim.GeometryPath.safeDownCast(muscle.updPath())
        wraps = path.updWrapSet()
        while wraps.getSize():
            wraps.remove(0)


def free_of_holds(model):
    """Neither locks nor prescribed motions nor clamps: every configuration is taken as given."""
    coordinates = model.updCoordinateSet()
    for i in range(coordinates.getSize()):
        coordinate = coordinates.get(i)
        coordinate.set_locked(False)
        coordinate.set_clamped(False)
        coordinate.set_prescribed(False)


def motion_type(coordinate):
    return {1: "rotational", 2: "translational", 3: "coupled"}.get(coordinate.getMotionType(), "")


def answer(task):
    opensim.Logger.setLevelString("off")
    model = opensim.Model(task["model"])
    if not task.get("arms"):
        free_of_wraps(model)
    free_of_holds(model)
    state = model.initSystem()
    coordinates = model.getCoordinateSet()
    found = {"coordinates": {}, "configurations": []}
    for i in range(coordinates.getSize()):
        one = coordinates.get(i)
        found["coordinates"][one.getName()] = {
            "motion": motion_type(one),
            "value": one.get_default_value(),
            "range": [one.getRangeMin(), one.getRangeMax()],
        }
    matter = model.getMatterSubsystem()
    for values in task["configurations"]:
        for name, value in values.items():
            coordinates.get(name).setValue(state, value, False)
        model.realizePosition(state)
        poses = {}
        for body in model.getBodySet():
            transform = body.getTransformInGround(state)
            rotation, position = transform.R(), transform.p()
            poses[body.getName()] = [
                [[rotation.get(i, j) for j in range(3)] for i in range(3)],
                [position.get(i) for i in range(3)],
            ]
        mass = opensim.Matrix()
        matter.calcM(state, mass)
        # rates of the coordinates for unit speeds: q_dot = N u
        n = state.getNU()
        rates = []
        for i in range(n):
            u, q_dot = opensim.Vector(n, 0.0), opensim.Vector(state.getNQ(), 0.0)
            u.set(i, 1.0)
            matter.multiplyByN(state, False, u, q_dot)
            rates.append(array(q_dot))
        center = model.calcMassCenterPosition(state)
        muscles = model.getMuscles()
        lengths = {m.getName(): m.getGeometryPath().getLength(state) for m in muscles}
        found["configurations"].append(
            {
                "poses": poses,
                "mass_matrix": rows(mass),
                "rates": rates,
                "q": array(state.getQ()),
                "lengths": lengths,
                "arms": {
                    name: {
                        m.getName(): m.computeMomentArm(state, coordinates.get(name))
                        for m in muscles
                    }
                    for name in task.get("arms", [])
                },
                "center": [center.get(i) for i in range(3)],
            }
        )
    found["mass"] = model.getTotalMass(state)
    found["order"] = order(model, state, coordinates)
    found["limits"] = limits(model, task.get("limits", []))
    found["states"] = [moving(model, *one) for one in task.get("states", [])]
    found["functions"] = [function_values(*one) for one in task.get("functions", [])]
    found["assembled"] = [assembled(model, values) for values in task.get("assemble", [])]
    return found


def assembled(model, values):
    """All coordinates after some are set and the model is assembled around them."""
    coordinates = model.updCoordinateSet()
    for name in values:
        coordinates.get(name).set_locked(False)
        coordinates.get(name).set_clamped(False)
        coordinates.get(name).set_default_value(values[name])
    state = model.initSystem()
    for name, value in values.items():
        coordinates.get(name).setValue(state, value, False)
        coordinates.get(name).setLocked(state, True)
    model.assemble(state)
    found = {}
    for i in range(coordinates.getSize()):
        found[coordinates.get(i).getName()] = coordinates.get(i).getValue(state)
    return found


def moving(model, values, speeds):
    """Errors of the constraints, their rates, and accelerations at a state as it is given."""
    state = model.initSystem()
    coordinates = model.getCoordinateSet()
    for name, value in values.items():
        coordinates.get(name).setValue(state, value, False)
    for name, speed in speeds.items():
        coordinates.get(name).setSpeedValue(state, speed)
    model.realizeAcceleration(state)
    accelerations = {}
    for i in range(coordinates.getSize()):
        one = coordinates.get(i)
        accelerations[one.getName()] = one.getAccelerationValue(state)
    return {
        "errors": array(state.getQErr()),
        "rates": array(state.getUErr()),
        "accelerations": accelerations,
    }


def function_values(text, points, n):
    """Values of a function and its first n derivatives at points."""
    with open("function.xml", "w") as file:
        file.write(
            f'<?xml version="1.0"?><OpenSimDocument Version="40000">{text}</OpenSimDocument>'
        )
    function = opensim.Function.safeDownCast(
        opensim.OpenSimObject.makeObjectFromFile("function.xml")
    )
    found = []
    for x in points:
        argument = opensim.Vector(1, x)
        values = [function.calcValue(argument)]
        for order in range(1, n + 1):
            components = opensim.StdVectorInt()
            for _ in range(order):
                components.push_back(0)
            values.append(function.calcDerivative(components, argument))
        found.append(values)
    return found


def order(model, state, coordinates):
    """Names of the coordinates in the order of the state's q."""
    names = [None] * state.getNQ()
    for i in range(coordinates.getSize()):
        one = coordinates.get(i)
        old = one.getValue(state)
        one.setValue(state, 0.0, False)
        before = array(state.getQ())
        one.setValue(state, 0.125, False)
        after = array(state.getQ())
        one.setValue(state, old, False)
        where = [k for k in range(len(before)) if before[k] != after[k]]
        names[where[0]] = one.getName()
    return names


def limits(model, samples):
    """Force of each CoordinateLimitForce at some values and speeds of its coordinate."""
    found = {}
    state = model.initSystem()
    for force in model.getForceSet():
        limit = opensim.CoordinateLimitForce.safeDownCast(force)
        if limit is None:
            continue
        coordinate = model.getCoordinateSet().get(limit.get_coordinate())
        values = []
        for q, p in samples:
            coordinate.setValue(state, q, False)
            coordinate.setSpeedValue(state, p)
            model.realizeVelocity(state)
            values.append(limit.calcLimitForce(state))
        found[limit.getName()] = [coordinate.getName(), values]
    return found


if __name__ == "__main__":
    for line in sys.stdin:
        task = json.loads(line)
        os.chdir(task["folder"])
        result = answer(task)
        with open(task["answer"], "w") as file:
            json.dump(result, file)
        print("\nanswered", flush=True)

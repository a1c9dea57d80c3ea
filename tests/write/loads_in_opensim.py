"""External forces of a file as OpenSim applies them; runs in a process of its own.

Reads one JSON object {"answer", "model", "loads", "states": [{"q": {coordinate: value}, "t"}]} from
standard input, and writes by name of the force and state: force, point and torque in ground.
"""

import json
import sys

import opensim


def array(vector):
    return [vector.get(i) for i in range(3)]


def answer(task):
    opensim.Logger.setLevelString("off")
    model = opensim.Model(task["model"])
    loads = opensim.ExternalLoads(task["loads"], True)
    model.addModelComponent(loads)
    state = model.initSystem()
    ground = model.getGround()
    found = {}
    for i in range(loads.getSize()):
        one = loads.get(i)
        body = model.getBodySet().get(one.getAppliedToBodyName())
        frames = [
            ground if name == "ground" else body
            for name in (one.getForceExpressedInBodyName(), one.getPointExpressedInBodyName())
        ]
        rows = []
        for at in task["states"]:
            t = at["t"]
            for name, value in at["q"].items():
                model.getCoordinateSet().get(name).setValue(state, value, False)
            model.realizePosition(state)
            turned = lambda v, own=frames[0]: array(own.expressVectorInGround(state, v))  # noqa: E731
            nothing = [0.0, 0.0, 0.0]
            force = turned(one.getForceAtTime(t)) if one.appliesForce() else nothing
            torque = turned(one.getTorqueAtTime(t)) if one.appliesTorque() else nothing
            point = one.getPointAtTime(t) if one.specifiesPoint() else opensim.Vec3(0.0)
            frame = frames[1] if one.specifiesPoint() else body
            place = array(frame.findStationLocationInGround(state, point))
            rows.append([force, place, torque])
        found[one.getName()] = rows
    return found


if __name__ == "__main__":
    task = json.loads(sys.stdin.readline())
    with open(task["answer"], "w") as file:
        json.dump(answer(task), file)

"""Generalized forces that OpenSim finds for the forces of a model; runs in a process of its own.

Reads one JSON object {"answer", "model", "states": [{"q": {coordinate: value}, "p": {...}, "t"}],
"controls": {actuator: value or values}, "rates": {force: name of a state variable}} from standard
input, and writes as JSON, for each force by name and each state, the generalized forces by
coordinate: M times the change of acceleration that it causes; and "" for the rate of its state.
"""

import json
import sys

import opensim


def udot(model, state):
    model.realizeAcceleration(state)
    found = state.getUDot()
    return opensim.Vector([found.get(i) for i in range(found.size())])


def speeds(model, state):
    """Names of the coordinates in the order of the speeds u."""
    names = [None] * state.getNU()
    coordinates = model.getCoordinateSet()
    for i in range(coordinates.getSize()):
        one = coordinates.get(i)
        one.setSpeedValue(state, 0.125)
        u = state.getU()
        k = [j for j in range(u.size()) if u.get(j) == 0.125]
        names[k[0]] = one.getName()
        one.setSpeedValue(state, 0.0)
    return names


def answer(task):
    opensim.Logger.setLevelString("off")
    model = opensim.Model(task["model"])
    state = model.initSystem()
    forces = [model.getForceSet().get(i) for i in range(model.getForceSet().getSize())]
    forces = [one for one in forces if opensim.Muscle.safeDownCast(one) is None]
    if task.get("only"):
        forces = [one for one in forces if one.getName() in task["only"]]
    for i in range(model.getForceSet().getSize()):
        model.getForceSet().get(i).setAppliesForce(state, False)
    names, matter = speeds(model, state), model.getMatterSubsystem()
    found = {one.getName(): [] for one in forces}
    for at in task["states"]:
        state.setTime(at.get("t", 0.0))
        for name, value in at["q"].items():
            model.getCoordinateSet().get(name).setValue(state, value, False)
        for name, value in at["p"].items():
            model.getCoordinateSet().get(name).setSpeedValue(state, value)
        before = udot(model, state)
        for one in forces:
            one.setAppliesForce(state, True)
            actuator = opensim.Actuator.safeDownCast(one)
            if actuator is not None and task.get("controls"):
                scalar = opensim.ScalarActuator.safeDownCast(one)
                if scalar is not None:
                    scalar.overrideActuation(state, False)
                model.realizeVelocity(state)
                controls = opensim.Vector(model.getNumControls(), 0.0)
                value = task["controls"][one.getName()]
                value = value if isinstance(value, list) else [value]
                actuator.setControls(opensim.Vector(value), controls)
                model.setControls(state, controls)
            change = udot(model, state)
            for i in range(change.size()):
                change.set(i, change.get(i) - before.get(i))
            force = opensim.Vector(change.size(), 0.0)
            matter.multiplyByM(state, change, force)
            own = {name: force.get(i) for i, name in enumerate(names) if name}
            if one.getName() in task.get("rates", {}):
                variable = task["rates"][one.getName()]
                own[""] = one.getStateVariableDerivativeValue(state, variable)
            found[one.getName()].append(own)
            one.setAppliesForce(state, False)
    return found


if __name__ == "__main__":
    task = json.loads(sys.stdin.readline())
    with open(task["answer"], "w") as file:
        json.dump(answer(task), file)

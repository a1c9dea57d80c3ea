"""Forward runs of models by OpenSim; runs in a process of its own.

Reads one JSON object {"answer", "runs": [{"model", "values": {coordinate: value}, "activations":
{muscle: value}, "excitation", "times", "accuracy"}]} from standard input. Controllers of the file
are left out, each muscle has the same constant excitation, and starts in equilibrium. An answer has
the values of the coordinates at the times, and their accelerations at the first; or the "error".
"""

import json
import sys

import opensim


def driven(one):
    """The model with a constant excitation of each muscle."""
    model = opensim.Model(one["model"])
    controllers = model.updControllerSet()
    while controllers.getSize():
        controllers.remove(0)
    if one["activations"]:
        controller = opensim.PrescribedController()
        controller.setName("same")
        for name in one["activations"]:
            controller.addActuator(model.getMuscles().get(name))
            controller.prescribeControlForActuator(name, opensim.Constant(one["excitation"]))
        model.addController(controller)
    return model


def run(one):
    model = driven(one)
    state = model.initSystem()
    coordinates = {c.getName(): c for c in model.getCoordinateSet()}
    for name, value in one["values"].items():
        if not coordinates[name].getLocked(state):
            coordinates[name].setValue(state, value, False)
    model.realizePosition(state)
    for name, value in one["activations"].items():
        model.getMuscles().get(name).setActivation(state, value)
    if one["activations"]:
        model.equilibrateMuscles(state)
    model.realizeAcceleration(state)
    accelerations = {name: c.getAccelerationValue(state) for name, c in coordinates.items()}
    manager = opensim.Manager(model)
    manager.setIntegratorAccuracy(one["accuracy"])
    manager.setWriteToStorage(False)
    manager.setPerformAnalyses(False)
    manager.initialize(state)
    found = {name: [] for name in coordinates}
    for t in one["times"]:
        if t > 0.0:
            state = manager.integrate(t)
        for name, c in coordinates.items():
            found[name].append(c.getValue(state))
    return {"coordinates": found, "accelerations": accelerations}


def answered(one):
    try:
        return run(one)
    except RuntimeError as error:
        return {"error": str(error)}


if __name__ == "__main__":
    opensim.Logger.setLevelString("Off")
    task = json.loads(sys.stdin.readline())
    with open(task["answer"], "w") as file:
        json.dump([answered(one) for one in task["runs"]], file)

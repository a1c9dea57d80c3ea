"""What OpenSim computes from models at one state; runs in a process of its own.

Reads one JSON object {"answer", "models", "speed", "activation"} from standard input. All
coordinates of each model get one speed at its start, all muscles one activation and the fibers the
length of equilibrium; the answer has the accelerations and the forces of the muscles by name.
"""

import json
import sys

import opensim


def answer(file, speed, activation):
    model = opensim.Model(file)
    state = model.initSystem()
    for coordinate in model.getCoordinateSet():
        if not coordinate.getLocked(state) and not coordinate.isDependent(state):
            coordinate.setSpeedValue(state, speed)
    for muscle in model.getMuscles():
        if muscle.get_appliesForce():
            muscle.setActivation(state, activation)
    model.equilibrateMuscles(state)
    model.realizeAcceleration(state)
    return {
        "accelerations": {
            one.getName(): one.getAccelerationValue(state) for one in model.getCoordinateSet()
        },
        "forces": {one.getName(): one.getActuation(state) for one in model.getMuscles()},
    }


if __name__ == "__main__":
    opensim.Logger.setLevelString("off")
    task = json.loads(sys.stdin.readline())
    found = [answer(file, task["speed"], task["activation"]) for file in task["models"]]
    with open(task["answer"], "w") as written:
        json.dump(found, written)

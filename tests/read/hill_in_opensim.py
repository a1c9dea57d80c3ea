"""What OpenSim says about single Hill muscles; runs in a process of its own.

Reads one JSON object {"answer", "muscles": [{"kind", "numbers", "curves", "states"}]} from standard
input; a state has length, speed, activation and fiber_length or normalized_tendon_force, or neither
for a rigid tendon, or "equilibrium". The numbers are properties of the muscle, the curves those of
its curve objects.
"""

import json
import sys

import opensim

OUTPUTS = {
    "fiber_length": "getFiberLength",
    "fiber_velocity": "getFiberVelocity",
    "normalized_fiber_velocity": "getNormalizedFiberVelocity",
    "pennation_angle": "getPennationAngle",
    "tendon_length": "getTendonLength",
    "tendon_strain": "getTendonStrain",
    "active_force_length_multiplier": "getActiveForceLengthMultiplier",
    "force_velocity_multiplier": "getForceVelocityMultiplier",
    "passive_force_multiplier": "getPassiveForceMultiplier",
    "active_fiber_force": "getActiveFiberForce",
    "passive_fiber_force": "getPassiveFiberForce",
    "total_fiber_force": "getFiberForce",
    "fiber_force_along_tendon": "getFiberForceAlongTendon",
    "tendon_force": "getTendonForce",
}


def model_of(one):
    """A muscle along a slider: the coordinate is the length of its path."""
    model = opensim.Model()
    model.setGravity(opensim.Vec3(0))
    body = opensim.Body("body", 1.0, opensim.Vec3(0), opensim.Inertia(1.0))
    joint = opensim.SliderJoint("slider", model.getGround(), body)
    joint.updCoordinate().setName("length")
    model.addBody(body)
    model.addJoint(joint)
    muscle = getattr(opensim, one["kind"])()
    muscle.setName("muscle")
    for name, value in one["numbers"].items():
        getattr(muscle, f"set_{name}")(value)
    for curve, properties in one["curves"].items():
        held = getattr(muscle, f"upd_{curve}")()
        for name, value in properties.items():
            getattr(held, f"set_{name}")(value)
    muscle.addNewPathPoint("from", model.getGround(), opensim.Vec3(0))
    muscle.addNewPathPoint("to", body, opensim.Vec3(0))
    model.addForce(muscle)
    state = model.initSystem()
    return model, opensim.Muscle.safeDownCast(model.getForceSet().get(0)), state


def answer(one):
    model, muscle, state = model_of(one)
    coordinate = model.getCoordinateSet().get(0)
    found = []
    for given in one["states"]:
        coordinate.setValue(state, given["length"], False)
        coordinate.setSpeedValue(state, given["speed"])
        if not one["numbers"].get("ignore_activation_dynamics", False):
            muscle.setActivation(state, given["activation"])
        for name in ("fiber_length", "normalized_tendon_force"):
            if name in given:
                model.setStateVariableValue(state, f"/forceset/muscle/{name}", given[name])
        if given.get("equilibrium"):
            muscle.computeEquilibrium(state)
        if "excitation" in given:
            model.realizeVelocity(state)
            controls = model.updControls(state)
            muscle.setControls(opensim.Vector(1, given["excitation"]), controls)
            model.setControls(state, controls)
        model.realizeDynamics(state)
        found.append({name: getattr(muscle, get)(state) for name, get in OUTPUTS.items()})
        found[-1]["stored"] = muscle.getMusclePotentialEnergy(state)
        if "excitation" in given:
            model.realizeAcceleration(state)
            rate = model.getStateVariableDerivativeValue(state, "/forceset/muscle/activation")
            found[-1]["activation_rate"] = rate
    return found


if __name__ == "__main__":
    task = json.loads(sys.stdin.readline())
    opensim.Logger.setLevelString("off")
    with open(task["answer"], "w") as file:
        json.dump([answer(one) for one in task["muscles"]], file)

"""Scaling by OpenSim; reads a task from standard input and writes what it found as JSON.

{"model", "factors" {body: [x, y, z]}, "mass", "keep", "answer"}, or {"model", "setup", "answer",
"out"} for the ScaleTool.
"""

import json
import sys
from pathlib import Path

import opensim


def numbers(vector, n=3):
    return [vector.get(i) for i in range(n)]


task = json.load(sys.stdin)
opensim.Logger.setLevelString("error")
if "factors" in task:
    model = opensim.Model(task["model"])
    state = model.initSystem()
    factors = opensim.ScaleSet()
    for body, own in task["factors"].items():
        one = opensim.Scale()
        one.setSegmentName(body)
        one.setScaleFactors(opensim.Vec3(*own))
        one.setApply(True)
        factors.cloneAndAppend(one)
    model.scale(state, factors, task["keep"], task["mass"])
else:
    tool = opensim.ScaleTool(task["setup"])
    scaled = tool.createModel()
    assert tool.getModelScaler().processModel(scaled, "", tool.getSubjectMass())
    model = scaled
state = model.initSystem()
model.realizePosition(state)
found = {"bodies": {}, "muscles": {}, "markers": {}, "poses": {}}
for body in model.getBodySet():
    inertia = body.get_inertia()
    found["bodies"][body.getName()] = [
        body.getMass(), *numbers(body.getMassCenter()), *numbers(inertia, 6)
    ]  # fmt: skip
    found["poses"][body.getName()] = numbers(body.getPositionInGround(state))
for muscle in model.getMuscles():
    found["muscles"][muscle.getName()] = [
        muscle.getOptimalFiberLength(), muscle.getTendonSlackLength(),
        muscle.getGeometryPath().getLength(state),
    ]  # fmt: skip
for marker in model.getMarkerSet():
    found["markers"][marker.getName()] = numbers(marker.get_location())
Path(task["answer"]).write_text(json.dumps(found))

"""A file scaled by OpenSim and written by it; runs in a process of its own.

Reads {"model", "factors": {body: [x, y, z]}, "out"} from standard input.
"""

import json
import sys

import opensim

task = json.load(sys.stdin)
opensim.Logger.setLevelString("off")
model = opensim.Model(task["model"])
state = model.initSystem()
factors = opensim.ScaleSet()
for body, own in task["factors"].items():
    one = opensim.Scale()
    one.setSegmentName(body)
    one.setScaleFactors(opensim.Vec3(*own))
    one.setApply(True)
    factors.cloneAndAppend(one)
model.scale(state, factors, False, -1.0)
model.printToXML(task["out"])

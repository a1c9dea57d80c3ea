"""Inverse kinematics by OpenSim's tools; reads tasks from standard input as one JSON object.

{"model", "markers" (.trc), "weights" (by marker), "unlisted" (markers without a task), "out"} or
{"model", "orientations" (.sto), "frames": {sensor: [body, rotation in it]}, "out"}.
"""

import json
import sys
from pathlib import Path

import opensim

task = json.load(sys.stdin)
opensim.Logger.setLevelString("error")
out = Path(task["out"])

if "markers" in task:
    tool = opensim.InverseKinematicsTool()
    model = opensim.Model(task["model"])
    model.initSystem()
    tool.setModel(model)
    tool.setMarkerDataFileName(task["markers"])
    tool.set_accuracy(1e-10)
    tool.setOutputMotionFileName(str(out))
    tool.set_results_directory(str(out.parent))
    table = opensim.TimeSeriesTableVec3(task["markers"])
    times = table.getIndependentColumn()
    tool.setStartTime(times[0])
    tool.setEndTime(times[-1])
    for name, weight in task["weights"].items():
        one = opensim.IKMarkerTask()
        one.setName(name)
        one.setApply(weight > 0.0)
        one.setWeight(weight)
        tool.upd_IKTaskSet().cloneAndAppend(one)
    if "setup" in task:
        tool.printToXML(task["setup"])
    tool.run()
else:
    model = opensim.Model(task["model"])
    for sensor, (body, R) in task["frames"].items():
        rotation = opensim.Rotation(opensim.Mat33(*(one for row in R for one in row)))
        place = opensim.Transform(rotation, opensim.Vec3(0.0))
        parent = model.getBodySet().get(body)
        parent.addComponent(opensim.PhysicalOffsetFrame(sensor, parent, place))
    model.finalizeConnections()
    file = str(out.with_suffix(".osim"))
    model.printToXML(file)
    tool = opensim.IMUInverseKinematicsTool()
    tool.set_model_file(file)
    tool.set_orientations_file(task["orientations"])
    tool.set_sensor_to_opensim_rotations(opensim.Vec3(0.0))
    tool.setStartTime(0.0)
    tool.setEndTime(task["end"])
    tool.set_accuracy(1e-10)
    tool.set_results_directory(str(out.parent))
    tool.set_output_motion_file(out.name)
    tool.run(False)

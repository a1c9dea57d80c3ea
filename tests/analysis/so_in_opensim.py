"""Static optimization by OpenSim's tool, of arm26 with reserves of 1 N m.

Reads a task from standard input, and writes the model that it used beside the answer.
"""

import json
import re
import sys
from pathlib import Path

import opensim

task = json.load(sys.stdin)
folder = Path(task["folder"])
opensim.Logger.setLevelString("error")
# the tool needs a least activation for this class of muscles
text = Path(task["model"]).read_text()
for field in ("minimum_activation", "min_control"):
    text = re.sub(rf"<{field}>[^<]*</{field}>", f"<{field}>{task['least']}</{field}>", text)
(folder / "raw.osim").write_text(text)
model = opensim.Model(str(folder / "raw.osim"))
model.initSystem()
bodies = [model.getGround(), *(model.getBodySet().get(i) for i in range(model.getNumBodies()))]
for body in bodies:
    wraps = body.getWrapObjectSet()
    for i in range(wraps.getSize()):
        if wraps.get(i).getName() not in task["wraps"]:
            wraps.get(i).set_active(False)
for i in range(model.getMuscles().getSize()):
    model.getMuscles().get(i).setMinControl(task["least"])
for name in task["coordinates"]:
    reserve = opensim.CoordinateActuator(name)
    reserve.setName(f"{name}_reserve")
    reserve.setOptimalForce(1.0)
    reserve.setMinControl(-1e3)
    reserve.setMaxControl(1e3)
    model.addForce(reserve)
model.finalizeConnections()
file = str(folder / "arm.osim")
model.printToXML(file)

found = opensim.StaticOptimization()
found.setName("so")
found.setUseModelForceSet(True)
found.setActivationExponent(2)
found.setUseMusclePhysiology(True)
found.setConvergenceCriterion(1e-10)
found.setMaxIterations(2000)
tool = opensim.AnalyzeTool(opensim.Model(file))
tool.setName("arm")
tool.setModelFilename(file)
tool.setCoordinatesFileName(task["motion"])
tool.setLowpassCutoffFrequency(task["lowpass"])
tool.setStartTime(0.0)
tool.setFinalTime(task["end"])
tool.setResultsDir(str(folder))
tool.setReplaceForceSet(False)
tool.setSolveForEquilibrium(False)
tool.getAnalysisSet().cloneAndAppend(found)
# only a tool that was read runs its analyses
tool.printToXML(str(folder / "setup.xml"))
opensim.AnalyzeTool(str(folder / "setup.xml"), True).run()

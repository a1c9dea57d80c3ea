"""Inverse dynamics by OpenSim's tool, run by its interpreter.

``python _inverse_dynamics_opensim.py TASKS.json ANSWERS.json``, lists of the same length. A task
has the files of "model", "motion" and "loads" (or null), the cut-off frequency "lowpass" [Hz] (-1:
none) and the last time "end" [s]; the answer has the "time" and the "columns" of the tool's table.
"""

import json
import sys

import opensim as osim


def run(task):
    """Table of the tool, which writes it to the current folder with eight decimals."""
    model = osim.Model(task["model"])
    model.initSystem()
    tool = osim.InverseDynamicsTool()
    tool.setModel(model)
    tool.setCoordinatesFileName(task["motion"])
    tool.setLowpassCutoffFrequency(task["lowpass"])
    if task["loads"]:
        tool.setExternalLoadsFileName(task["loads"])
    tool.setStartTime(0.0)
    tool.setEndTime(task["end"])
    left_out = osim.ArrayStr()
    left_out.append("Muscles")
    tool.setExcludedForces(left_out)
    tool.setResultsDir(".")
    tool.setOutputGenForceFileName("forces.sto")
    if not tool.run():
        raise RuntimeError("InverseDynamicsTool failed")
    table = osim.TimeSeriesTable("forces.sto")
    names = table.getColumnLabels()
    return {
        "time": list(table.getIndependentColumn()),
        "columns": {name: list(table.getDependentColumn(name).to_numpy()) for name in names},
    }


if __name__ == "__main__":
    osim.Logger.setLevelString("Off")
    with open(sys.argv[1]) as file:
        tasks = json.load(file)
    answers = [run(one) for one in tasks]
    with open(sys.argv[2], "w") as file:
        json.dump(answers, file)

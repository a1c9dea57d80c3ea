"""Cables without contact in Exudyn: ANCF elements, implicit steps.

Written from https://exudyn.readthedocs.io: nodes `NodePointSlope1`, elements `ObjectANCFCable`
(3D, cubic, without torsion), `LoadMassProportional`, `CoordinateConstraint` on the coordinates of
the end nodes, generalized-alpha method, sparse LU (faster here than the dense default).
"""

# pyright: reportMissingImports=false, reportMissingModuleSource=false
# (the peers are an extra)

from __future__ import annotations

import math
import time
import warnings
from typing import Any

import numpy as np

from fibermsk.bench.bundles import case

DAMPING_TIME = 0.02
"""Axial damping over stiffness [s]."""

SPECTRAL_RADIUS = 0.9
"""Of the generalized-alpha method."""


def run_cables(
    n: int,
    steps: int,
    full_newton: bool = False,
    clamped: bool = False,
    bending_damping: float = 0.0,
    duration: float = case.DURATION,
    frames: int = case.FRAMES,
) -> dict[str, Any]:
    """Run cables without contact, see `fibermsk.bench.bundles.case`.

    `full_newton`: a Jacobian in every iteration; `clamped`: fixed directions of the ends;
    `bending_damping` over bending stiffness [s]. Adds ``newton_iterations`` and ``jacobians``.
    """
    warnings.simplefilter("ignore", DeprecationWarning)
    import exudyn as exu
    from exudyn.itemInterface import SensorNode

    exu.SetWriteToConsole(False)
    mbs = exu.SystemContainer().AddSystem()
    middles = [_add_cable(mbs, 0.05 * i, clamped, bending_damping) for i in range(n)]
    sensor = mbs.AddSensor(
        SensorNode(
            nodeNumber=middles[0],
            storeInternal=True,
            writeToFile=False,
            outputVariableType=exu.OutputVariableType.Displacement,
        )
    )
    mbs.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = steps
    settings.timeIntegration.endTime = duration
    settings.timeIntegration.newton.useModifiedNewton = not full_newton
    settings.timeIntegration.generalizedAlpha.spectralRadius = SPECTRAL_RADIUS
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = duration / frames
    settings.displayComputationTime = False
    began = time.perf_counter()
    mbs.SolveDynamic(settings, solverType=exu.DynamicSolverType.GeneralizedAlpha, storeSolver=True)
    seconds = time.perf_counter() - began
    counts = mbs.sys["dynamicSolver"].it
    stored = np.asarray(mbs.GetSensorStoredData(sensor))
    at = np.arange(1, frames + 1) * duration / frames
    return {
        "seconds": seconds,
        "steps": steps,
        "newton_iterations": int(counts.newtonStepsCount),
        "jacobians": int(counts.newtonJacobiCount),
        "drops": (-np.interp(at, stored[:, 0], stored[:, 3])).tolist(),
    }


def _add_cable(mbs: Any, y: float, clamped: bool, bending_damping: float) -> int:
    """Add a cable along x at `y` [m], held at both ends; returns its middle node."""
    from exudyn.itemInterface import (
        CoordinateConstraint,
        LoadMassProportional,
        MarkerBodyMass,
        MarkerNodeCoordinate,
        NodePointGround,
        NodePointSlope1,
        ObjectANCFCable,
    )

    area = math.pi * case.RADIUS**2
    axial = case.YOUNGS_MODULUS * area
    bending = case.YOUNGS_MODULUS * 0.25 * math.pi * case.RADIUS**4
    length = case.LENGTH / case.ELEMENTS
    nodes = [
        mbs.AddNode(NodePointSlope1(referenceCoordinates=[i * length, y, 0.0, 1.0, 0.0, 0.0]))
        for i in range(case.ELEMENTS + 1)
    ]
    for first, second in zip(nodes, nodes[1:], strict=False):
        element = mbs.AddObject(
            ObjectANCFCable(
                length=length,
                massPerLength=case.DENSITY * area,
                axialStiffness=axial,
                bendingStiffness=bending,
                axialDamping=DAMPING_TIME * axial,
                bendingDamping=bending_damping * bending,
                nodeNumbers=[first, second],
            )
        )
        body = mbs.AddMarker(MarkerBodyMass(bodyNumber=element))
        mbs.AddLoad(LoadMassProportional(markerNumber=body, loadVector=[0.0, 0.0, -case.GRAVITY]))
    ground = mbs.AddMarker(
        MarkerNodeCoordinate(nodeNumber=mbs.AddNode(NodePointGround()), coordinate=0)
    )
    for node in (nodes[0], nodes[-1]):
        for coordinate in range(6 if clamped else 3):
            held = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=node, coordinate=coordinate))
            mbs.AddObject(CoordinateConstraint(markerNumbers=[ground, held]))
    return nodes[case.ELEMENTS // 2]

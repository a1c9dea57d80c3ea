"""Analyses along motions: moment arms, inverse dynamics, optimization."""

from fibermsk.analysis.curves import MuscleCurves as MuscleCurves, muscle_curves as muscle_curves
from fibermsk.analysis.inverse_dynamics import (
    InverseDynamics as InverseDynamics,
    inverse_dynamics as inverse_dynamics,
)
from fibermsk.analysis.kinematics.found import InverseKinematics as InverseKinematics
from fibermsk.analysis.kinematics.inverse_kinematics import (
    inverse_kinematics as inverse_kinematics,
    place_sensors as place_sensors,
)
from fibermsk.analysis.loads.external_loads import read_external_loads as read_external_loads
from fibermsk.analysis.loads.written import write_external_loads as write_external_loads
from fibermsk.analysis.optimization import (
    StaticOptimum as StaticOptimum,
    static_optimization as static_optimization,
)
from fibermsk.analysis.scaling.measurement import Measurement as Measurement
from fibermsk.analysis.scaling.scale import ScaledModel as ScaledModel, scale as scale

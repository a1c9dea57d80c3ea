"""Analyses of models along motions: driven coordinates, moment arms, static optimization."""

from fibermsk.analysis.curves import MuscleCurves as MuscleCurves, muscle_curves as muscle_curves
from fibermsk.analysis.motion import drive as drive
from fibermsk.analysis.optimization import (
    StaticOptimum as StaticOptimum,
    static_optimization as static_optimization,
)

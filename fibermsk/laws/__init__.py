"""Constitutive laws: constants and scalar functions.

The functions are plain Python on floats, so that the kernels of all backends compile the same
source.
"""

from fibermsk.laws.activation import (
    ActivationLaw as ActivationLaw,
    PiecewiseActivation as PiecewiseActivation,
    SmoothActivation as SmoothActivation,
)
from fibermsk.laws.active import HillStress as HillStress
from fibermsk.laws.coordinate import (
    CoordinateForce as CoordinateForce,
    Damper as Damper,
    QuadraticLimit as QuadraticLimit,
    SmoothLimit as SmoothLimit,
    Spring as Spring,
)
from fibermsk.laws.force_length import (
    BellForceLength as BellForceLength,
    DeGrooteForceLength as DeGrooteForceLength,
    ForceLength as ForceLength,
    GaussianForceLength as GaussianForceLength,
)
from fibermsk.laws.force_velocity import (
    DeGrooteForceVelocity as DeGrooteForceVelocity,
    ForceVelocity as ForceVelocity,
    HillForceVelocity as HillForceVelocity,
)
from fibermsk.laws.friction import Friction as Friction
from fibermsk.laws.gradient import StretchGradient as StretchGradient
from fibermsk.laws.hill import (
    DeGrooteCurves as DeGrooteCurves,
    FittedMillardCurves as FittedMillardCurves,
    HillLaw as HillLaw,
    MillardCurves as MillardCurves,
    ThelenCurves as ThelenCurves,
)
from fibermsk.laws.own import (
    ContactLaw as ContactLaw,
    CoordinateLaw as CoordinateLaw,
    StressLaw as StressLaw,
    law_constant as law_constant,
)
from fibermsk.laws.penalty import PenaltyContact as PenaltyContact
from fibermsk.laws.stress import (
    ActiveStress as ActiveStress,
    KelvinVoigt as KelvinVoigt,
    Stiffening as Stiffening,
)
from fibermsk.laws.titin import Titin as Titin

"""Hill muscles: curves of fibers and tendon, and the equations between them.

Functions of one muscle, on real or complex numbers; `fibermsk.kernels.lines.hill` compiles them.
"""

from fibermsk.laws.hill.degroote import (
    TENDON_STRAIN as TENDON_STRAIN,
    DeGrooteCurves as DeGrooteCurves,
    active_force_length as active_force_length,
    force_velocity as force_velocity,
    passive_force_length as passive_force_length,
    tendon_force_length as tendon_force_length,
)
from fibermsk.laws.hill.isometric import isometric_force as isometric_force
from fibermsk.laws.hill.law import HillLaw as HillLaw
from fibermsk.laws.hill.millard import MillardCurves as MillardCurves
from fibermsk.laws.hill.millard_fit import FittedMillardCurves as FittedMillardCurves
from fibermsk.laws.hill.thelen import ThelenCurves as ThelenCurves

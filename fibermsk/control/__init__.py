"""Optimal control by discrete mechanics: the controls that do a task best."""

import sys

from fibermsk.errors import ModelError

if "opensim" in sys.modules:
    raise ModelError(
        "optimal control cannot be used in a process that has imported opensim, which brings its "
        "own CasADi; run them in two"
    )
try:
    import casadi as _casadi  # noqa: F401
except ImportError as _error:
    raise ModelError(
        "optimal control needs CasADi; install it: pip install 'fibermsk[control]'"
    ) from _error

from fibermsk.control.conditions import (
    Along as Along,
    AtRest as AtRest,
    EndState as EndState,
    FreeDuration as FreeDuration,
    Phase as Phase,
    Range as Range,
)
from fibermsk.control.muscles.choice import (
    DiscretePaths as DiscretePaths,
    FittedPaths as FittedPaths,
)
from fibermsk.control.objectives import (
    Activation as Activation,
    Duration as Duration,
    Effort as Effort,
    Jerk as Jerk,
    Tracking as Tracking,
    Work as Work,
)
from fibermsk.control.problem import (
    Excitations as Excitations,
    OptimalControl as OptimalControl,
    Torques as Torques,
)
from fibermsk.control.solving.solution import (
    ControlSolution as ControlSolution,
    Resimulation as Resimulation,
)
from fibermsk.control.track import track_motion as track_motion

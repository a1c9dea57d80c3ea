"""Protocols between systems and solvers."""

from fibermsk.protocol.optional import (
    Collides as Collides,
    Differentiable as Differentiable,
    Freezes as Freezes,
    HasCuts as HasCuts,
    HasRateForces as HasRateForces,
    HasStates as HasStates,
    Legible as Legible,
    Marches as Marches,
    ObservesParts as ObservesParts,
    Offloaded as Offloaded,
    Partitioned as Partitioned,
    PartObserver as PartObserver,
    Projects as Projects,
    Records as Records,
    Rounds as Rounds,
    Rubs as Rubs,
    Softens as Softens,
    Switches as Switches,
    offers as offers,
    rounded as rounded,
)
from fibermsk.protocol.system import System as System
from fibermsk.protocol.values import (
    NO_MULTIPLIERS as NO_MULTIPLIERS,
    BorderedMatrix as BorderedMatrix,
    Evaluation as Evaluation,
    Followers as Followers,
    Frames as Frames,
    ProjectionSlopes as ProjectionSlopes,
    SolvesItself as SolvesItself,
    StateBlock as StateBlock,
    Tangent as Tangent,
    Tolerance as Tolerance,
    Verdict as Verdict,
)

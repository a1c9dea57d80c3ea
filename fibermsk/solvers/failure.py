"""The message of a failed step: when, where, why, and what to try."""

from __future__ import annotations

import numpy as np

from fibermsk.protocol import System
from fibermsk.solvers.newton import NewtonReport

__all__ = ["explain", "explain_solve"]

_GENERAL = (
    "no fiber is slack, folded or stretched far and no contact near its limit before the step: "
    "try smaller steps, more viscosity, or smaller loads"
)


def explain(system: System, state, h: float, step: int, report: NewtonReport) -> str:
    """Message of a step that fails even at its smallest length.

    Parameters
    ----------
    system : System
        Names the unknowns and knows what may be wrong.
    state : State
        Where the step started.
    h : float
        Its length [s].
    step : int
        Number of the interval between frames, from 1.
    report : NewtonReport
        Of the last attempt.
    """
    t, y, v = state
    causes = system.suspects(t, y, v)
    return (
        f"the step from t = {t:.6g} s, in interval {step}, failed even at a length of {h:.2g} s: "
        f"{explain_solve(system, report)}. Likely cause: {'; '.join(causes) or _GENERAL}"
    )


def explain_solve(system: System, report: NewtonReport) -> str:
    """What stopped a Newton solve, and where it was worst."""
    parts = [report.reason]
    if report.worst_residual >= 0 and np.isfinite(report.residuals[-1]):
        place = system.describe(report.worst_residual)
        parts.append(f"largest residual {report.residuals[-1]:.3g} N or N m at {place}")
    if report.worst >= 0:
        norms = ", ".join(f"{x:.2g}" for x in report.history[-4:])
        parts.append(
            f"largest increment at {system.describe(report.worst)}; last scaled increments: {norms}"
        )
    return "; ".join(parts)

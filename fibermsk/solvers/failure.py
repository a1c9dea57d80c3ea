"""Messages of failed steps: time, location, cause and remedy."""

from __future__ import annotations

import numpy as np

from fibermsk.errors import ConvergenceError
from fibermsk.protocol import System
from fibermsk.solvers.newton.newton import NewtonReport
from fibermsk.solvers.steps.control import StepFailure

_GENERAL = (
    "no fiber is slack, folded or stretched far and no contact near its limit before the step: "
    "try more frames or an adaptive step, more viscosity, or smaller loads"
)


def explain(system: System, failure: StepFailure, interval: int) -> ConvergenceError:
    """Build the error of a step that failed in an interval between frames, counted from 1.

    Its result is filled in later.
    """
    report, (t, y, v) = failure.report, failure.state
    begin = f"the step from t = {t:.6g} s, in interval {interval},"
    if failure.refused:
        message = f"{begin} failed: {report.reason}"
    else:
        causes = "; ".join(system.suspects(t, y, v))
        if not causes and report.history:
            causes = _GENERAL
        message = (
            f"{begin} failed even at a length of {failure.h:.2g} s: {explain_solve(system, report)}"
        )
        # a step that could not be evaluated, as without a path of a muscle, says itself why
        if causes:
            message += f". Likely cause: {causes}"
    where = system.describe(report.worst_residual) if report.worst_residual >= 0 else ""
    return ConvergenceError(message, time=t, step=interval, where=where, history=report.history)


def explain_solve(system: System, report: NewtonReport) -> str:
    """Describe why a Newton solve failed, and its largest residual or increment."""
    parts = [report.reason]
    if report.residuals and np.isfinite(report.residuals[-1]):
        place = system.describe(report.worst_residual)
        parts.append(f"largest residual {report.residuals[-1]:.3g} N or N m at {place}")
    if report.worst >= 0:
        norms = ", ".join(f"{x:.2g}" for x in report.history[-4:])
        parts.append(
            f"largest increment: {system.describe(report.worst)}; last scaled increments: {norms}"
        )
    return "; ".join(parts)

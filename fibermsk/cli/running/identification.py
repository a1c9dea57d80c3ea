"""Studies of identification as runs of the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fibermsk.results import Progress, Result


def solve_study(
    study: Any, name: str, parameters: dict[str, Any], tell: Callable[[Progress], None]
) -> tuple[Result, str]:
    """Make the data and find the parameters again; a movement, and the message of a failure."""
    found = study.solve(lambda line: tell(Progress(0.0, 1.0, message=line)))
    labels: dict[str, Any] = {"scene": name, "parameters": parameters}
    failure = ""
    result = replace(found.result, **labels)
    if not found.found.solved.converged:
        steps = found.found.solved.iterations
        failure = (
            f"the search did not converge in {steps} steps: what it found is where it stopped; "
            "take another seed, or a larger sigma, with which the guess counts more"
        )
        failed: dict[str, Any] = {"status": "failed", "message": failure}
        result = replace(result, **failed)
    return result, failure


def lines_of(summary: dict[str, Any]) -> list[str]:
    """Summary for the terminal."""
    return [
        f"{summary['unknowns']} unknowns, {summary['base_rank']} base inertial parameters",
        f"errors: Cr1 {summary['cr1']:.3g} %, Cr2 {summary['cr2']:.3g} %, of muscles "
        f"{summary['cr2m']:.3g} %, median {summary['median']:.3g} %",
        f"{summary['iterations']} steps in {summary['seconds']:.1f} s, {summary['restarts']} "
        f"restarts; residuals {summary['rms']:.3g} N m",
    ]

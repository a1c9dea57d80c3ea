"""Problems of optimal control as runs of the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fibermsk.errors import ConvergenceError
from fibermsk.results import Progress, Result


def solve_problem(
    problem: Any, name: str, parameters: dict[str, Any], tell: Callable[[Progress], None]
) -> tuple[Result, str]:
    """Solve; the run with the controls that were found, and the message of a failure."""

    def progress(step: Any) -> None:
        tell(Progress(0.0, 1.0, message=line_of(step)))

    failure = ""
    try:
        solution = problem.solve(progress=progress)
    except ConvergenceError as error:
        solution, failure = error.solution, str(error)
        if solution is None:
            raise
    result = solution.result
    labels: dict[str, Any] = {"scene": name, "parameters": parameters}
    return replace(result, **labels), failure


def line_of(step: Any) -> str:
    """Progress of a search."""
    return (
        f"iteration {step.iteration}, objective {step.objective:.6g}, "
        f"violation {step.violation:.1e}"
    )


def lines_of(control: dict[str, Any]) -> list[str]:
    """Summary of a solution for the terminal."""
    again = control["resimulation"]
    lines = [
        f"objective {control['objective']:.8g} after {control['iterations']} iterations, "
        f"optimality {control['kkt']:.1e}, violation {control['violation']:.1e}",
        f"built in {control['build_seconds']:.2f} s, solved in {control['solve_seconds']:.2f} s; "
        f"Jacobian {control['jacobian_entries']}, Hessian {control['hessian_entries']} entries",
        f"simulated again: discrete {again['discrete']:.1e}, coordinates "
        f"{again['coordinate']:.1e}, speeds {again['speed']:.1e}",
    ]
    return lines + [f"warning: {one}" for one in control["warnings"]]

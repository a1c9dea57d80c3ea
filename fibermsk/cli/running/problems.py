"""Scenes that are problems to solve, not runs in time: optimal control, and identification."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fibermsk.cli.running import control, identification
from fibermsk.errors import ModelError
from fibermsk.results import Progress, Result
from fibermsk.scene_files import is_control


def refuse_options(method: str | None, options: dict[str, Any]) -> None:
    """Refuse options of a run in time."""
    given = [f"--{name.replace('_', '-')}" for name in ("check", "checkpoint") if name in options]
    given += ["--method"] if method is not None else []
    if given:
        raise ModelError(
            f"{given[0]} is given; must be left out for a problem that is solved, which is no run "
            "in time"
        )


def solve_problem(
    scene: Any, name: str, parameters: dict[str, Any], tell: Callable[[Progress], None]
) -> tuple[Result, str]:
    """Solve; the result, and the message of a failure."""
    solve = control.solve_problem if is_control(scene) else identification.solve_study
    return solve(scene, name, parameters, tell)


def lines_of(report: dict[str, Any]) -> list[str]:
    """Summary of what was solved, for the terminal."""
    if "control" in report:
        return control.lines_of(report["control"])
    if "identification" in report:
        return identification.lines_of(report["identification"])
    return []

"""Summary of a run on the terminal."""

from __future__ import annotations

from typing import Any

import typer

from fibermsk.cli.output import print_check, print_time_error
from fibermsk.cli.running.problems import lines_of


def print_summary(report: dict[str, Any], units: dict[str, str]) -> None:
    """Print how a run went: status, steps, the coordinates at its end, and its file."""
    stepping, compiling = report["step_seconds"], report["compile_seconds"]
    typer.echo(
        f"{report['scene']}: {report['status']}, t = {report['time_end']:g} s, "
        f"{report['steps']} steps, {report['newton_iterations']} Newton iterations\n"
        f"  {report['wall_seconds']:.1f} s in all"
        + ("" if stepping is None else f", {stepping:.1f} s of them for the steps")
        + (f"; {compiling:.0f} s compiled kernels, once" if compiling > 1.0 else "")
    )
    if report["status"] == "stopped":
        typer.echo(f"  {report['message']}")
    if report.get("time_error") is not None:
        print_time_error(report["time_error"])
    for name, value in report["final"].items():
        unit = units.get(name, "rad")
        typer.echo(f"  {name} = {value:.6g}{'' if unit == '1' else f' {unit}'}")
    for line in lines_of(report):
        typer.echo(f"  {line}")
    if "check" in report:
        print_check(report["check"])
    if report["file"] is not None:
        replacing = ", which was replaced" if report["replaced"] else ""
        typer.echo(f"  written to {report['file']}{replacing}")

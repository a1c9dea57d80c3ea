"""`fibermsk track`: a measured motion is followed at the least effort."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from fibermsk.cli.completing import one_of
from fibermsk.cli.options import Degrees, JsonOut, Threads, use_threads
from fibermsk.cli.output import aligned, check_out, print_json
from fibermsk.errors import ConvergenceError, ModelError

_RESULTS = (".h5", ".sto", ".csv")


def track(
    model: Annotated[Path, typer.Argument(metavar="MODEL.osim", help="OpenSim model.")],
    motion: Annotated[Path, typer.Argument(metavar="MOTION", help="Motion: .mot, .sto or .csv.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Result (.h5), or table (.sto, .csv)."),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option("--steps", help="Intervals; 100 a second by default.", min=1),
    ] = None,
    begin: Annotated[float | None, typer.Option("--begin", help="First instant [s].")] = None,
    end: Annotated[float | None, typer.Option("--end", help="Last instant [s].")] = None,
    reserve: Annotated[
        float, typer.Option("--reserve", help="Strength of the reserves in N m or N.")
    ] = 1.0,
    size: Annotated[
        float,
        typer.Option("--size", help="Deviation that costs as much as a full activation, rad or m."),
    ] = 0.02,
    tendon: Annotated[
        str,
        typer.Option(
            "--tendon",
            metavar="rigid|elastic",
            autocompletion=one_of("rigid", "elastic"),
            help="Tendons of the muscles.",
        ),
    ] = "rigid",
    degrees: Degrees = None,
    threads: Threads = None,
    json: JsonOut = False,
) -> None:
    """Find excitations with which a model follows a motion at the least effort.

    Muscles get smooth curves; reserves help where muscles cannot.
    """
    use_threads(threads)
    from fibermsk.cli.running.control import line_of, lines_of
    from fibermsk.cli.shown import model_file
    from fibermsk.cli.warned import collecting
    from fibermsk.control import track_motion
    from fibermsk.read import read_signals, with_smooth_muscles

    if out is not None:
        check_out(out, _RESULTS)
    if tendon not in ("rigid", "elastic"):
        raise ModelError(f'--tendon {tendon}; must be "rigid" or "elastic"')
    with collecting() as warned:
        arm, signals = with_smooth_muscles(model_file(model), tendon=tendon), read_signals(motion)
        problem = track_motion(
            arm, signals, begin=begin, end=end, steps=steps, reserve=reserve, sizes=size,
            in_degrees=degrees,
        )  # fmt: skip
        failure = ""
        try:
            solution = problem.solve(progress=lambda step: typer.echo(line_of(step), err=True))
        except ConvergenceError as error:
            if error.solution is None:
                raise
            solution, failure = error.solution, str(error)
    followed = _followed(problem, solution)
    if out is not None:
        first = float(signals.time[0]) if begin is None else begin
        _write(out, solution, f"{model.stem}_track", first)
    control = solution.summary
    if json:
        print_json(
            {
                "file": None if out is None else str(out),
                "status": solution.status,
                "control": control,
                "followed": followed,
                "largest_activation": {
                    name: float(values.max()) for name, values in solution.activations.items()
                },
                "warnings": warned,
            }
        )
    else:
        for line in lines_of(control):
            typer.echo(line)
        rows = [("coordinate", "rms deviation", "largest", "largest reserve")]
        rows += [
            (name, f"{one['rms']:.3g}", f"{one['largest']:.3g}", f"{one['reserve']:.3g}")
            for name, one in followed.items()
        ]
        for line in aligned(rows):
            typer.echo(line)
        typer.echo("muscles: curves and activation dynamics of De Groote, with their own numbers")
    if out is not None:
        typer.echo(f"written to {out}", err=True)
    if failure:
        raise ConvergenceError(failure)


def _followed(problem: Any, solution: Any) -> dict[str, dict[str, float]]:
    """Deviations from the motion, and largest reserves, by coordinate."""
    found = dict[str, dict[str, float]]()
    for name, wanted in problem.objectives.wanted(solution.time).items():
        off = solution.coordinates[name] - wanted
        found[name] = {
            "rms": float((off**2).mean() ** 0.5),
            "largest": float(abs(off).max()),
            "reserve": float(abs(solution.controls[name]).max()),
        }
    return found


def _write(out: Path, solution: Any, name: str, begin: float) -> None:
    """Write the run as a result, or the solution at its nodes as a table in the motion's time.

    Excitations and reserves are those of the interval that begins at a node.
    """
    from fibermsk.analysis.storage import write_table
    from fibermsk.io import save

    if out.suffix == ".h5":
        save(replace(solution.result, scene=name), out)
        return
    table = {"time": begin + solution.time, **solution.coordinates}
    table |= {f"{key}/activation": one for key, one in solution.activations.items()}
    for key, one in solution.controls.items():
        word = "reserve" if key in solution.coordinates else "excitation"
        table[f"{key}/{word}"] = np.append(one, one[-1])
    write_table(out, name, table, {"optimal control": solution.status})

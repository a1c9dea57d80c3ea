"""`fibermsk sweep`: a scene at many values of its parameters."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from fibermsk.cli.completing import one_of, scene_names
from fibermsk.cli.errors import FAILED
from fibermsk.cli.options import (
    JsonOut,
    MethodOfRun,
    Numbers,
    Settings,
    Threads,
    parse_numbers,
    parse_over,
    parse_settings,
    use_threads,
)
from fibermsk.cli.output import aligned, check_out, print_json, printing_beside
from fibermsk.cli.run_options import End, Step
from fibermsk.cli.running.times import settings_of_times

_SHOWN = 5
"""Points that failed, of which the reason is printed."""


def sweep(
    scene: Annotated[
        str,
        typer.Argument(
            metavar="SCENE", autocompletion=scene_names, help="Name of a scene, or its file."
        ),
    ],
    over: Annotated[
        list[str],
        typer.Option(
            "--over",
            metavar="KEY=VALUES ...",
            help="Paths or patterns of numbers of the model, or parameters of the scene. Values: "
            "from:to:number, or several with commas; of samples from:to.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE.nc", help="File of the dataset; results/SCENE.nc by default."
        ),
    ] = None,
    of: Annotated[
        list[str] | None,
        typer.Option(
            "--of",
            metavar="NAME ...",
            help="What is kept: columns of a result over time, or one number of each, with _max, "
            "_min, _end or _mean; patterns too. By default all coordinates.",
        ),
    ] = None,
    design: Annotated[
        str,
        typer.Option(
            "--design",
            metavar="grid|latin|sobol",
            autocompletion=one_of("grid", "latin", "sobol"),
            help="All combinations, a Latin hypercube, or Sobol samples with indices.",
        ),
    ] = "grid",
    n: Annotated[
        int | None, typer.Option("--samples", metavar="N", help="Number of samples.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the samples.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", help="Processes at a time; -1 for all cores.")] = 1,
    settings: Settings = None,
    numbers: Numbers = None,
    method: MethodOfRun = None,
    threads: Threads = None,
    t_end: End = None,
    dt: Step = None,
    json: JsonOut = False,
) -> None:
    """Run a scene at many values of its parameters, and keep what is asked for in one file.

    Points that fail are kept with their reason. An interrupted study goes on with the same command.
    """
    import numpy as np

    from fibermsk.cli.running.interrupts import interruptible
    from fibermsk.cli.running.progress import Counted, progress_report
    from fibermsk.scene_files import find
    from fibermsk.studies import StudyProgress, sobol_indices, sweep as run_study
    from fibermsk.studies.engine import threads_of_processes
    from fibermsk.studies.journal import ENDING
    from fibermsk.studies.points import MESSAGE, RESERVED, SAMPLE, SECONDS, STATUS
    from fibermsk.studies.task import DONE

    use_threads(threads)
    file = find(scene)
    out = Path("results") / f"{file.name}.nc" if out is None else out
    check_out(out, (".nc",))
    varied = parse_over(over, file.parameters, design)
    settings = [*(settings or []), *settings_of_times(file, settings or [], t_end, dt, varied)]
    given = parse_settings(settings, file.parameters, f"scene {file.name!r}")
    wanted = {text.partition("=")[0].strip() for text in settings}
    with (
        threads_of_processes(threads if jobs != 1 else None),
        printing_beside(json),
        interruptible() as check,
        progress_report(file.name, quiet=False) as tell,
    ):

        def progress(now: StudyProgress) -> None:
            check()
            note = f", {now.failed} failed" if now.failed else ""
            if now.message:
                tell(Counted(now.done, now.total, "point", note, message=now.message))
            tell(Counted(now.done, now.total, "point", note))

        try:
            found = run_study(
                file.reference, varied, outputs=of, out=out, design=design, n=n, seed=seed,
                n_jobs=jobs, settings={key: given[key] for key in wanted},
                numbers=parse_numbers(numbers or []), method=file.method(method),
                progress=progress,
            )  # fmt: skip
        except KeyboardInterrupt:
            typer.echo(
                f"what was done is kept in {out}{ENDING}: the same command goes on", err=True
            )
            raise
    status, messages = (found[name].values.ravel() for name in (STATUS, MESSAGE))
    failed = np.flatnonzero(status != DONE).tolist()
    tables = {}
    if design == "sobol" and not failed:
        names = [str(name) for name, one in found.data_vars.items() if one.dims == (SAMPLE,)]
        names = [one for one in names if one not in RESERVED]
        tables = {name: _columns(sobol_indices(found, name)) for name in names}
    if json:
        print_json({
            "out": str(out), "points": status.size, "failed": len(failed),
            "sizes": dict(found.sizes), "seconds": float(found[SECONDS].sum()),
            "messages": messages[failed].tolist(), "indices": tables,
        })  # fmt: skip
    for name, table in () if json else tables.items():
        typer.echo(f"{name}: shares of the variance, with 95 %")
        rows = [("parameter", "first order", "", "total", "")]
        rows += [
            (key, f"{a:.3f}", f"+- {b:.3f}", f"{c:.3f}", f"+- {d:.3f}")
            for key, a, b, c, d in zip(*table.values(), strict=True)
        ]
        for line in aligned(rows):
            typer.echo(line)
    typer.echo(f"{status.size - len(failed)} of {status.size} points written to {out}", err=True)
    typer.echo(f"  fibermsk info {shlex.quote(str(out))} lists what is in it", err=True)
    if failed:
        told = "; ".join(dict.fromkeys(messages[failed[:_SHOWN]].tolist()))
        typer.echo(f"{len(failed)} of {status.size} points failed, and are NaN: {told}", err=True)
        raise typer.Exit(FAILED)


def _columns(table: Any) -> dict[str, list[Any]]:
    """Names of the parameters, and their shares with half widths of intervals."""
    return {
        key: table[key].values.tolist() for key in ("parameter", "S1", "S1_conf", "ST", "ST_conf")
    }

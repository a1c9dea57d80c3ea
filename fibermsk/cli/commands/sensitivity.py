"""`fibermsk sensitivity`: which numbers of a scene a quantity depends on."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import Annotated

import typer

from fibermsk._check import first_names, refuse
from fibermsk.cli.completing import scene_names
from fibermsk.cli.options import (
    JsonOut,
    Method,
    Numbers,
    Settings,
    Threads,
    parse_numbers,
    parse_settings,
    use_threads,
)
from fibermsk.cli.output import (
    PICTURES,
    aligned,
    check_out,
    print_json,
    printing_beside,
    write_figure,
)
from fibermsk.cli.run_options import End, Step
from fibermsk.cli.running.times import settings_of_times
from fibermsk.rescue import write_whole

_TABLES = (".csv",)


def sensitivity(
    scene: Annotated[
        str,
        typer.Argument(
            metavar="SCENE", autocompletion=scene_names, help="Name of a scene, or its file."
        ),
    ],
    of: Annotated[
        str,
        typer.Option(
            "--of",
            metavar="QUANTITY",
            help="Coordinate, its rate (NAME/speed), a state, length (NAME/length), force "
            "(MUSCLE/tendon_force, FIBER/tissue_force) or energy, with _max, _min, _end or _mean.",
        ),
    ],
    to: Annotated[
        list[str],
        typer.Option(
            "--to", metavar="PATTERN ...", help="Paths or patterns of numbers of the model."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Picture (.png, .svg, .pdf) or table (.csv)."),
    ] = None,
    settings: Settings = None,
    numbers: Numbers = None,
    method: Method = None,
    threads: Threads = None,
    t_end: End = None,
    dt: Step = None,
    json: JsonOut = False,
) -> None:
    """Differentiate a quantity of a run in numbers of its model."""
    use_threads(threads)
    from fibermsk.cli.running.compiling import saying_when_compiled
    from fibermsk.cli.running.progress import progress_report
    from fibermsk.cli.warned import collecting
    from fibermsk.gradients import sensitivity as differentiate
    from fibermsk.scene_files import find, is_problem

    if out is not None:
        check_out(out, PICTURES + _TABLES)
    file = find(scene)
    settings = [*(settings or []), *settings_of_times(file, settings or [], t_end, dt)]
    parameters = parse_settings(settings, file.parameters, f"scene {file.name!r}")
    values = parse_numbers(numbers or [])
    with printing_beside(json):
        made = file.make(parameters, values)
        if is_problem(made):
            must = "be run with excitations that are given, not a problem that is solved"
            remedy = (
                f"solve it with 'fibermsk run {scene}'; a run with controls of your own is a scene "
                "whose muscles have an activation"
            )
            refuse("sensitivity", "scene", file.name, must, remedy=remedy)
        with (
            collecting() as warned,
            saying_when_compiled(f"{file.name}: "),
            progress_report(file.name, quiet=False) as tell,
        ):
            found = differentiate(made, of, to, method=method, progress=tell)
    table = found.columns()
    if out is not None:
        if out.suffix.lower() in PICTURES:
            from fibermsk.gradients.picture import draw_sensitivity

            write_figure(draw_sensitivity(found), out)
        else:
            text = io.StringIO()
            writer = csv.writer(text, lineterminator="\n")
            writer.writerows([list(table), *zip(*table.values(), strict=True)])
            write_whole(out, lambda beside: beside.write_text(text.getvalue(), "utf-8"))
        typer.echo(f"written to {out}", err=True)
    unit = "" if found.unit == "1" else found.unit
    if json:
        own = zip(found.found.parameters, found.one_percent, strict=True)
        print_json(
            {
                "quantity": found.quantity,
                "unit": unit,
                "value": found.found.value,
                "parameters": {
                    one.name: {"value": one.value, "unit": one.unit, "one_percent": step}
                    for one, step in own
                },
                "gradient": found.found.by_name,
                "by_one_percent": found.by_one_percent,
                "round_off": found.round_off,
                "relative": found.relative,
                "warnings": warned,
            }
        )
        return
    typer.echo(f"{found.quantity} = {found.found.value:.9g} {unit}\n")
    change = f"change [{unit}]" if unit else "change"
    rows = [("parameter", "value", "", "derivative", "1 %", change, "relative")]
    columns = zip(*table.values(), strict=True)
    rows += [
        (name, f"{value:.5g}", kind, f"{slope:.5g}", f"{step:+.3g}", f"{by:.3g}", _or_dash(share))
        for name, value, kind, slope, step, by, share in columns
    ]
    for line in aligned(rows):
        typer.echo(line)
    typer.echo(
        "\nchange: by 1 % of the parameter, or of a usual size where it is zero or nearly so"
    )
    if found.round_off:
        names = first_names(found.round_off, 5)
        typer.echo(f"without effect, left out: {names}")


def _or_dash(share: float) -> str:
    return "-" if math.isnan(share) else f"{share:.3g}"

"""`fibermsk muscles`: lengths, moment arms and forces of muscles over the range of a coordinate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fibermsk._extras import CURVES, check_drawing
from fibermsk.cli.completing import one_of
from fibermsk.cli.options import JsonOut, Threads, use_threads
from fibermsk.cli.output import PICTURES, check_out, print_json, write_figure
from fibermsk.errors import ModelError


def muscles(
    model: Annotated[Path, typer.Argument(metavar="MODEL.osim", help="OpenSim model.")],
    coordinate: Annotated[
        str, typer.Option("--coordinate", metavar="NAME", help="Coordinate that moves.")
    ],
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="Table .csv or .sto, or picture.")
    ],
    over: Annotated[
        str | None,
        typer.Option(
            "--range", metavar="FROM:TO:N", help="In rad or m; by default the declared range."
        ),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(
            "--plot",
            metavar="length|moment_arm|force_length",
            autocompletion=one_of("length", "moment_arm", "force_length"),
            help="Picture; by default .png.",
        ),
    ] = None,
    muscle: Annotated[
        list[str] | None,
        typer.Option("--muscles", metavar="NAME", help="Muscles, or patterns; repeatable."),
    ] = None,
    pose: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="COORDINATE=VALUE", help="Other coordinates, in rad or m."),
    ] = None,
    threads: Threads = None,
    json: JsonOut = False,
) -> None:
    """Compute lengths and moment arms of muscles over a range; write a table or a picture."""
    use_threads(threads)
    from fibermsk.analysis import muscle_curves
    from fibermsk.analysis.picture import PLOTS, draw_curves
    from fibermsk.analysis.storage import TABLES, write_table
    from fibermsk.cli.shown import model_file, pose_of

    kind = out.suffix.lower()
    if plot is not None and plot not in PLOTS:
        raise ModelError(f"--plot {plot}; must be one of: {', '.join(PLOTS)}")
    check_out(out, TABLES + PICTURES)
    if plot is not None:
        check_drawing("curves of muscles", CURVES)
    curves = muscle_curves(
        model_file(model), coordinate, over=_range(over), muscles=muscle, at=pose_of(pose or [])
    )
    written = [out]
    if kind in TABLES:
        write_table(out, f"{model.stem}_{coordinate}", curves.columns())
    if kind in PICTURES or plot is not None:
        picture = out if kind in PICTURES else out.with_suffix(".png")
        figure = draw_curves(curves, plot or "moment_arm")
        write_figure(figure, picture)
        written += [picture] if picture != out else []
    for jump in curves.jumps:
        typer.echo(
            f"warning: the length of {jump.muscle} jumps by {1e3 * jump.size:.3g} mm at "
            f"{coordinate} = {jump.value:.6g} {curves.unit}",
            err=True,
        )
    if json:
        report: dict[str, Any] = {
            "coordinate": coordinate,
            "unit": curves.unit,
            "values": curves.values,
            "length": curves.length,
            "moment_arm": curves.moment_arm,
            "jumps": [jump._asdict() for jump in curves.jumps],
            "gaps": [gap._asdict() for gap in curves.gaps],
            "files": [str(one) for one in written],
        }
        print_json(report)
    typer.echo(f"written to {' and '.join(map(str, written))}", err=True)


def _range(text: str | None) -> tuple[float, float, int] | None:
    """First and last value, and number of values."""
    if text is None:
        return None
    try:
        first, last, n = text.split(":")
        return float(first), float(last), int(n)
    except ValueError:
        raise ModelError(f"--range {text}; must be FROM:TO:N, such as 0:2.2:101") from None

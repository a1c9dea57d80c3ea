"""`fibermsk so`: static optimization of the activations along a motion."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fibermsk.cli.options import Degrees, JsonOut, Scaling, Threads, use_threads
from fibermsk.cli.output import aligned, check_out, print_json
from fibermsk.errors import ModelError


def so(
    model: Annotated[Path, typer.Argument(metavar="MODEL.osim", help="OpenSim model.")],
    motion: Annotated[Path, typer.Argument(metavar="MOTION", help="Motion: .mot, .sto or .csv.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE.sto", help="Table, or .csv.")],
    loads: Annotated[
        Path | None,
        typer.Option("--loads", metavar="FILE.xml", help="External loads, as ground reactions."),
    ] = None,
    power: Annotated[float, typer.Option("--power", help="Power p of the sum of a^p.")] = 2.0,
    reserve: Annotated[
        float, typer.Option("--reserve", help="Strength of the reserves in N m or N.")
    ] = 1.0,
    bounds: Annotated[
        str, typer.Option("--bounds", metavar="FROM:TO", help="Of the activations, in [0, 1].")
    ] = "0:1",
    lowpass: Annotated[
        float | None, typer.Option("--lowpass", metavar="HZ", help="Filter of the motion.")
    ] = None,
    muscle: Annotated[
        list[str] | None,
        typer.Option("--muscles", metavar="NAME", help="Muscles, or patterns; repeatable."),
    ] = None,
    passive: Annotated[
        bool,
        typer.Option("--passive/--no-passive", help="Whether passive forces of the fibers act."),
    ] = True,
    scale: Scaling = None,
    degrees: Degrees = None,
    threads: Threads = None,
    json: JsonOut = False,
) -> None:
    """Find the activations that give a motion at the least sum of squares."""
    use_threads(threads)
    from fibermsk.analysis import read_external_loads, static_optimization
    from fibermsk.analysis.storage import TABLES, write_table
    from fibermsk.cli.shown import model_file
    from fibermsk.cli.warned import collecting

    check_out(out, TABLES)
    with collecting() as warned:
        described = model_file(model, scale)
        if loads is not None:
            described.add(*read_external_loads(loads, described))
        found = static_optimization(
            described, motion, muscles=muscle, power=power, reserve=reserve,
            bounds=_bounds(bounds), passive=passive, lowpass=lowpass, in_degrees=degrees,
        )  # fmt: skip
    table = {"time": found.time, **found.columns()}
    write_table(out, f"{model.stem}_static_optimization", table, found.assumptions)
    largest = {
        name: [float(abs(found.reserve[name]).max()), float(abs(found.required[name]).max())]
        for name in found.reserve
    }
    if json:
        print_json(
            {
                "file": str(out),
                "frames": found.time.size,
                "optimality": float(found.optimality.max()),
                "reserves": {
                    name: {"largest": one, "required": other, "share": found.share[name]}
                    for name, (one, other) in largest.items()
                },
                "largest_activation": {k: float(v.max()) for k, v in found.activation.items()},
                "assumptions": found.assumptions,
                "warnings": warned,
            }
        )
    else:
        typer.echo(
            f"{found.time.size} frames, conditions of optimality to {found.optimality.max():.1e}"
        )
        rows = [("coordinate", "largest reserve", "largest required", "share")]
        rows += [
            (name, f"{one:.3g}", f"{other:.3g}", f"{100 * found.share[name]:.2g} %")
            for name, (one, other) in largest.items()
        ]
        for line in aligned(rows):
            typer.echo(line)
        for topic, words in found.assumptions.items():
            typer.echo(f"{topic}: {words}")
    typer.echo(f"written to {out}", err=True)


def _bounds(text: str) -> tuple[float, float]:
    try:
        lower, upper = map(float, text.split(":"))
    except ValueError:
        raise ModelError(f"--bounds {text}; must be FROM:TO, such as 0.01:1") from None
    return lower, upper

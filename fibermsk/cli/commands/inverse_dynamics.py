"""`fibermsk id`: generalized forces that give a motion."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fibermsk.cli.output import aligned, check_out, print_json


def inverse_dynamics(
    model: Annotated[Path, typer.Argument(metavar="MODEL.osim", help="OpenSim model.")],
    motion: Annotated[Path, typer.Argument(metavar="MOTION", help="Motion: .mot, .sto or .csv.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE.sto", help="Table, or .csv.")],
    loads: Annotated[
        Path | None,
        typer.Option("--loads", metavar="FILE.xml", help="External loads, as ground reactions."),
    ] = None,
    lowpass: Annotated[
        float | None, typer.Option("--lowpass", metavar="HZ", help="Filter of the motion.")
    ] = None,
    passive: Annotated[
        bool,
        typer.Option("--passive/--no-passive", help="Whether passive forces of joints act."),
    ] = True,
    degrees: Annotated[
        bool | None,
        typer.Option("--degrees/--radians", help="Unit of rotations; by default by the header."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Find the generalized forces that give a motion."""
    from fibermsk.analysis import inverse_dynamics, read_external_loads
    from fibermsk.analysis.storage import TABLES, write_table
    from fibermsk.cli.shown import model_file
    from fibermsk.cli.warned import collecting

    check_out(out, TABLES)
    with collecting() as warned:
        described = model_file(model)
        if loads is not None:
            described.add(*read_external_loads(loads, described))
        found = inverse_dynamics(
            described, motion, passive=passive, lowpass=lowpass, in_degrees=degrees
        )
    columns = {
        f"{name}_{'moment' if found.units[name] == 'N m' else 'force'}": one
        for name, one in found.force.items()
    }
    write_table(out, f"{model.stem}_inverse_dynamics", {"time": found.time, **columns})
    largest = {name: float(abs(one).max()) for name, one in found.force.items()}
    if json:
        print_json(
            {
                "file": str(out),
                "frames": found.time.size,
                "largest": largest,
                "units": found.units,
                "warnings": warned,
            }
        )
    else:
        rows = [("coordinate", "largest force", "")]
        rows += [(name, f"{one:.4g}", found.units[name]) for name, one in largest.items()]
        for line in aligned(rows):
            typer.echo(line)
    typer.echo(f"written to {out}", err=True)

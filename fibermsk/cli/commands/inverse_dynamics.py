"""`fibermsk id`: generalized forces that give a motion."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from fibermsk.cli.options import Degrees, JsonOut, Scaling, Threads, use_threads
from fibermsk.cli.output import aligned, check_out, print_json
from fibermsk.errors import ModelError

if TYPE_CHECKING:
    from fibermsk.anatomy.models.muscle_mass import MovedMass


def inverse_dynamics(
    model: Annotated[Path, typer.Argument(metavar="MODEL.osim", help="OpenSim model.")],
    motion: Annotated[Path, typer.Argument(metavar="MOTION", help="Motion: .mot, .sto or .csv.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE.sto", help="Table, or .csv.")],
    loads: Annotated[
        Path | None,
        typer.Option("--loads", metavar="FILE.xml", help="External loads, as ground reactions."),
    ] = None,
    muscle_mass: Annotated[
        bool,
        typer.Option("--muscle-mass", help="Give the muscles mass, and take it from the bodies."),
    ] = False,
    keep: Annotated[
        str | None,
        typer.Option(
            "--keep",
            metavar="inertia|mass",
            help="With --muscle-mass: what stays of bodies and muscles; default: inertia.",
        ),
    ] = None,
    lowpass: Annotated[
        float | None, typer.Option("--lowpass", metavar="HZ", help="Filter of the motion.")
    ] = None,
    passive: Annotated[
        bool,
        typer.Option("--passive/--no-passive", help="Whether passive forces of joints act."),
    ] = True,
    scale: Scaling = None,
    degrees: Degrees = None,
    threads: Threads = None,
    json: JsonOut = False,
) -> None:
    """Find the generalized forces that give a motion."""
    use_threads(threads)
    from fibermsk.analysis import inverse_dynamics, read_external_loads
    from fibermsk.analysis.storage import TABLES, write_table
    from fibermsk.anatomy import with_muscle_mass
    from fibermsk.cli.running.compiling import saying_when_compiled
    from fibermsk.cli.shown import model_file
    from fibermsk.cli.warned import collecting

    check_out(out, TABLES)
    if keep is not None and not muscle_mass:
        raise ModelError(f"--keep {keep}; must be left out without --muscle-mass")
    moved = None
    with collecting() as warned, saying_when_compiled():
        described = model_file(model, scale)
        if muscle_mass:
            moved = with_muscle_mass(described, keep=cast(Any, keep or "inertia"))
            described = moved.model
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
                **({} if moved is None else {"muscle_mass": _as_dict(moved)}),
                "warnings": warned,
            }
        )
    else:
        if moved is not None:
            typer.echo(f"{moved}\n")
        rows = [("coordinate", "largest force", "")]
        rows += [(name, f"{one:.4g}", found.units[name]) for name, one in largest.items()]
        for line in aligned(rows):
            typer.echo(line)
    typer.echo(f"written to {out}", err=True)


def _as_dict(moved: MovedMass) -> dict[str, Any]:
    """Masses in kg, by muscle and by body that they were taken from."""
    return {
        "total": moved.mass,
        "taken": moved.taken,
        "muscles": {name: sum(own.values()) for name, own in moved.shares.items()},
        "remarks": moved.remarks,
        "left_out": moved.left_out,
    }

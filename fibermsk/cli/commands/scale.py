"""`fibermsk scale`: the size and mass of a model from measured distances."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fibermsk.cli.options import JsonOut
from fibermsk.cli.output import aligned, check_out, print_json


def scale(
    model: Annotated[Path, typer.Argument(metavar="MODEL.osim", help="OpenSim model.")],
    setup: Annotated[
        Path, typer.Argument(metavar="SETUP.xml", help="Setup of OpenSim's ScaleTool.")
    ],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE.xml", help="Factors, for --scale and OpenSim."),
    ],
    static: Annotated[
        Path | None,
        typer.Option("--static", metavar="FILE.trc", help="Markers of a person who stands."),
    ] = None,
    mass: Annotated[
        float | None, typer.Option("--mass", metavar="KG", help="Mass of the person.")
    ] = None,
    keep: Annotated[
        bool | None,
        typer.Option(
            "--keep-distribution/--by-size", help="Whether masses keep their proportions."
        ),
    ] = None,
    json: JsonOut = False,
) -> None:
    """Scale a model by distances between markers, and write the factors."""
    from fibermsk.analysis.scaling.scale import scale
    from fibermsk.cli.shown import model_file
    from fibermsk.cli.warned import collecting

    check_out(out, (".xml",))
    with collecting() as warned:
        found = scale(model_file(model), setup, static=static, mass=mass, keep_distribution=keep)
    found.write(out)
    if json:
        print_json(
            {
                "file": str(out),
                "factors": found.factors,
                "residuals": [one._asdict() for one in found.residuals],
                "masses": found.masses,
                "mass": found.mass,
                "mass_before": found.mass_before,
                "muscles": found.muscles,
                "warnings": warned,
            }
        )
    else:
        _print(found)
    typer.echo(f"written to {out}", err=True)


def _print(found: Any) -> None:
    """Factors and masses of the bodies, and residuals of the measurements."""
    rows: list[tuple[str, ...]] = [("body", "x", "y", "z", "mass [kg]")]
    for name, mass in found.masses.items():
        own = found.factors.get(name, (1.0, 1.0, 1.0))
        rows.append((name, *(f"{one:.5f}" for one in own), f"{mass:.4g}"))
    for line in aligned(rows):
        typer.echo(line)
    typer.echo(f"mass: {found.mass_before:.5g} kg to {found.mass:.5g} kg")
    if found.residuals:
        rows = [("measurement", "markers", "model [mm]", "measured", "scaled", "deviation")]
        rows += [
            (one.measurement, " to ".join(one.pair),
             *(f"{1e3 * d:.1f}" for d in (one.modeled, one.measured, one.scaled, one.deviation)))
            for one in found.residuals
        ]  # fmt: skip
        for line in aligned(rows):
            typer.echo(line)
    if found.muscles:
        low, high = (end(found.muscles, key=found.muscles.get) for end in (min, max))
        typer.echo(
            f"lengths of fibers and tendons: times {found.muscles[low]:.4g} ({low}) to "
            f"{found.muscles[high]:.4g} ({high})"
        )

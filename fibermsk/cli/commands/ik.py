"""`fibermsk ik`: the motion of a model that follows measured markers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fibermsk.cli.options import JsonOut, Scaling, Threads, use_threads
from fibermsk.cli.output import aligned, check_out, print_json
from fibermsk.errors import ModelError

_SHOWN = 10
"""Markers in the table on the terminal."""


def ik(
    model: Annotated[Path, typer.Argument(metavar="MODEL.osim", help="OpenSim model.")],
    markers: Annotated[
        Path,
        typer.Argument(
            metavar="MARKERS", help="Markers (.trc), or orientations of sensors (.sto)."
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE.mot", help="Motion, or .sto or .csv.")
    ],
    weights: Annotated[
        Path | None,
        typer.Option("--weights", metavar="FILE.xml", help="Tasks of OpenSim with weights."),
    ] = None,
    weight: Annotated[
        list[str] | None,
        typer.Option("--weight", metavar="MARKER=NUMBER ...", help="Weights of markers; else 1."),
    ] = None,
    lowpass: Annotated[
        float | None, typer.Option("--lowpass", metavar="HZ", help="Filter of the markers.")
    ] = None,
    begin: Annotated[float | None, typer.Option("--begin", help="First instant [s].")] = None,
    end: Annotated[float | None, typer.Option("--end", help="Last instant [s].")] = None,
    bounds: Annotated[
        bool,
        typer.Option("--bounds/--no-bounds", help="Whether coordinates stay in their ranges."),
    ] = True,
    start_pose: Annotated[
        bool,
        typer.Option(
            "--start-pose", help="Sensors: at the first instant the pose is that of the model."
        ),
    ] = False,
    residuals: Annotated[
        Path | None,
        typer.Option("--residuals", metavar="FILE.csv", help="Residual of each marker and frame."),
    ] = None,
    scale: Scaling = None,
    threads: Threads = None,
    json: JsonOut = False,
) -> None:
    """Find the motion of a model that follows measured markers best."""
    use_threads(threads)
    from fibermsk.analysis.kinematics.found import MOTIONS
    from fibermsk.analysis.kinematics.inverse_kinematics import inverse_kinematics, place_sensors
    from fibermsk.cli.running.progress import progress_report
    from fibermsk.cli.shown import model_file
    from fibermsk.cli.warned import collecting
    from fibermsk.read.recordings.orientations import Orientations
    from fibermsk.read.recordings.read_motion import read_motion

    check_out(out, MOTIONS)
    if residuals is not None:
        check_out(residuals, (".csv",))
    if weights is not None and weight:
        raise ModelError(f"--weight {' '.join(weight)}; must be left out with --weights")
    with collecting() as warned, progress_report(model.stem, quiet=json) as tell:
        described = model_file(model, scale)
        measured: Any = read_motion(markers)
        sensors: Any = None
        if start_pose:
            if not isinstance(measured, Orientations):
                raise ModelError(f"--start-pose; must be left out for markers, as of {markers}")
            sensors = place_sensors(described, measured)
        found = inverse_kinematics(
            described, measured, weights=_by_name(weight) if weight else weights,
            sensors=sensors, lowpass=lowpass, bounds=bounds, begin=begin, end=end, progress=tell,
        )  # fmt: skip
    found.write(out)
    if residuals is not None:
        found.write_residuals(residuals)
    table = found.table()
    if json:
        print_json(
            {
                "file": str(out),
                "residuals": None if residuals is None else str(residuals),
                "frames": found.time.size,
                "unit": found.unit,
                "rms": float(found.rms.mean()),
                "largest_rms": float(found.rms.max()),
                "markers": {name: one._asdict() for name, one in table.items()},
                "weights": found.weights,
                "settings": found.settings,
                "warnings": warned,
            }
        )
    else:
        _print(found, table)
    typer.echo(f"written to {out}", err=True)


def _print(found: Any, table: dict[str, Any]) -> None:
    """Residuals of the frames, and of the markers with the largest ones."""
    scale, unit = (1e3, "mm") if found.unit == "m" else (57.29577951308232, "degrees")
    typer.echo(
        f"{found.time.size} frames, residual {scale * found.rms.mean():.3g} {unit} (rms), at most "
        f"{scale * found.rms.max():.3g} {unit} in a frame"
    )
    rows = [
        ("marker" if unit == "mm" else "sensor", f"rms [{unit}]", "largest", "at [s]", "frames")
    ]
    rows += [
        (name, f"{scale * one.rms:.3g}", f"{scale * one.largest:.3g}", f"{one.at:.4g}",
         str(one.frames))
        for name, one in list(table.items())[:_SHOWN]
    ]  # fmt: skip
    for line in aligned(rows):
        typer.echo(line)
    if len(table) > _SHOWN:
        typer.echo(f"and {len(table) - _SHOWN} with less; --residuals FILE.csv writes all")
    for topic, words in found.settings.items():
        typer.echo(f"{topic}: {words}")


def _by_name(weight: list[str]) -> dict[str, float]:
    """Weights from texts such as ``L.Heel=10``."""
    found = dict[str, float]()
    for item in weight:
        name, _, value = item.rpartition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            name = ""
        if not name:
            raise ModelError(f"--weight {item}: must be MARKER=NUMBER, such as L.Heel=10")
    return found

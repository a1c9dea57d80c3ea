"""`fibermsk view`: a result or a model in space, in a window or as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

if TYPE_CHECKING:
    from fibermsk.results import Result, Still

__all__ = ["view"]


def view(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Result file (.h5) or OpenSim model (.osim).")
    ],
    color_by: Annotated[
        str, typer.Option("--color-by", metavar="FIELD", help="Field that colors the fibers.")
    ] = "axial_force",
    screenshot: Annotated[
        Path | None,
        typer.Option("--screenshot", metavar="PNG", help="Write a picture, open no window."),
    ] = None,
    time: Annotated[
        float | None, typer.Option("--time", help="Simulated time in s; by default the last.")
    ] = None,
    movie: Annotated[
        Path | None,
        typer.Option("--movie", metavar="MP4|GIF", help="Write a movie, open no window."),
    ] = None,
    fps: Annotated[
        float | None,
        typer.Option("--fps", help="Pictures per second of a movie; by default 30."),
    ] = None,
    speed: Annotated[
        float | None,
        typer.Option("--speed", help="Seconds of the run per second of a movie; by default 1."),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option("--size", metavar="WxH", help="Pixels of a picture or movie, as 1280x720."),
    ] = None,
    geometry: Annotated[
        Path | None,
        typer.Option("--geometry", metavar="DIR", help="Folder of a model's bone meshes."),
    ] = None,
    labels: Annotated[
        bool, typer.Option("--labels", help="Name a model's muscles, and show its joint axes.")
    ] = False,
    pose: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="COORDINATE=VALUE", help="Coordinate of a model's pose, in rad or m."
        ),
    ] = None,
) -> None:
    """Show a result or a model in a window, or write a picture or a movie of it."""
    from fibermsk import view as pictures
    from fibermsk.errors import ModelError

    is_model = file.suffix.lower() == ".osim"
    if movie is not None and screenshot is not None:
        raise ModelError("--movie and --screenshot: one at a time; leave one out")
    if movie is None:
        _refuse({"--fps": fps, "--speed": speed}, "only of use with --movie")
    elif time is not None:
        raise ModelError("--time does not apply: a movie shows the whole run; leave it out")
    if movie is None and screenshot is None:
        _refuse({"--size": size}, "only of use with --screenshot and --movie")
    pixels: dict[str, Any] = {} if size is None else {"size": _pixels(size)}
    _check_options(file, is_model, time, movie, geometry, labels, pose)
    shown = _model(file, geometry, pose or []) if is_model else _result(file)
    if movie is not None:
        from fibermsk.cli.progress import Pictures, progress_report

        with progress_report(movie.name, quiet=False) as report:
            pictures.movie(
                cast("Result", shown),
                movie,
                color_by=color_by,
                progress=lambda done, total: report(Pictures(done, total)),
                **({} if fps is None else {"fps": fps}),
                **({} if speed is None else {"speed": speed}),
                **pixels,
            )
        typer.echo(f"written to {movie}", err=True)
    elif screenshot is None:
        pictures.show(shown, time=time, color_by=color_by, labels=labels)
    else:
        pictures.screenshot(
            shown, screenshot, time=time, color_by=color_by, labels=labels, **pixels
        )
        typer.echo(f"written to {screenshot}", err=True)


def _refuse(options: dict[str, Any], reason: str) -> None:
    """Refuse the options that are given."""
    from fibermsk.errors import ModelError

    for option, value in options.items():
        if value is not None:
            raise ModelError(f"{option} is {reason}; leave it out")


def _pixels(text: str) -> tuple[int, int]:
    """Width and height of ``1280x720``."""
    from fibermsk.errors import ModelError

    width, _, height = text.lower().partition("x")
    try:
        return int(width), int(height)
    except ValueError:
        raise ModelError(
            f"--size {text}: must be width and height in pixels, as in --size 1280x720"
        ) from None


def _check_options(
    file: Path,
    is_model: bool,
    time: float | None,
    movie: Path | None,
    geometry: Path | None,
    labels: bool,
    pose: list[str] | None,
) -> None:
    """Refuse what has no meaning for a file of this kind."""
    from fibermsk.errors import ModelError

    if is_model:
        idle = {"--time": time is not None, "--movie": movie is not None}
        kind = "a model, which stands still"
    else:
        idle = {"--geometry": geometry is not None, "--labels": labels, "--set": bool(pose)}
        kind = "no OpenSim model (.osim)"
    for option, given in idle.items():
        if given:
            raise ModelError(f"{option} does not apply: {file} is {kind}; leave it out")


def _result(file: Path) -> Result:
    from fibermsk.io import load

    return load(file)


def _model(file: Path, geometry: Path | None, pose: list[str]) -> Still:
    """The model in its start pose, or with some coordinates elsewhere."""
    from fibermsk.errors import ModelError
    from fibermsk.read import read_osim
    from fibermsk.system.still import still

    values = {}
    for item in pose:
        name, equals, value = item.partition("=")
        try:
            values[name.strip()] = float(value)
        except ValueError:
            equals = ""
        if not equals:
            raise ModelError(f"--set {item}: must be COORDINATE=VALUE with a number, in rad or m")
    model = read_osim(file, geometry=geometry)
    meshes = model.import_report.meshes
    missing = sum(path is None for _, _, path in meshes)
    if missing:
        typer.echo(
            f"{missing} of {len(meshes)} mesh files not found, bodies without any are sticks: give "
            f"--geometry DIR; fibermsk info {file} names them",
            err=True,
        )
    for coordinate in model.coordinates:
        value, lower, upper = values.get(coordinate.name), coordinate.lower, coordinate.upper
        if value is None:
            continue
        if (lower is not None and value < lower) or (upper is not None and value > upper):
            ends = (
                "-inf" if lower is None else f"{lower:g}",
                "inf" if upper is None else f"{upper:g}",
            )
            typer.echo(
                f"warning: --set {coordinate.name}={value:g} lies outside of the range that the "
                f"model declares, {ends[0]} to {ends[1]}",
                err=True,
            )
    return still(model, values or None)

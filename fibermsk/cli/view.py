"""`fibermsk view`: a result or a model in space, in a window or as a picture."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

if TYPE_CHECKING:
    from fibermsk.results import Result, Still

__all__ = ["view"]


def view(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE ...",
            help="Result file (.h5), several of them to compare, or OpenSim model (.osim).",
        ),
    ],
    compare: Annotated[
        str | None,
        typer.Option(
            "--compare", metavar="side-by-side|overlay", help="How several results are shown."
        ),
    ] = None,
    color_by: Annotated[
        str, typer.Option("--color-by", metavar="FIELD", help="Field that colors the fibers.")
    ] = "axial_force",
    arrows: Annotated[
        str,
        typer.Option(
            "--arrows", metavar="attachment,contact", help="Forces drawn as arrows, one or both."
        ),
    ] = "",
    theme: Annotated[
        str, typer.Option("--theme", metavar="light|dark", help="Background.")
    ] = "light",
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
    screenshot: Annotated[
        Path | None,
        typer.Option("--screenshot", metavar="PNG", help="Write a picture, open no window."),
    ] = None,
    web: Annotated[
        bool, typer.Option("--web", help="Serve the viewer to a browser, until Ctrl-C.")
    ] = False,
    port: Annotated[
        int | None,
        typer.Option("--port", help="Where --web listens; 8080 by default, 0 for any free one."),
    ] = None,
) -> None:
    """Show results or a model in a window or a browser, or write a picture or a movie of one."""
    from fibermsk import view as pictures

    file = files[0]
    is_model = file.suffix.lower() == ".osim"
    _check_web(web, port, {"--screenshot": screenshot is not None, "--movie": movie is not None})
    _check_movie(movie, screenshot, fps, speed, size, time)
    _check_options(file, is_model, time, movie, geometry, labels, pose)
    kinds = [kind.strip() for kind in arrows.split(",") if kind.strip()]
    in_viewer = partial(pictures.serve, port=_port(port)) if web else pictures.show
    if len(files) > 1 or compare is not None:
        single = {"--screenshot": screenshot is not None, "--movie": movie is not None}
        _check_several(files, single)
        in_viewer(
            [_result(one) for one in files],
            names=_names(files),
            compare=_way(compare),
            time=time,
            color_by=color_by,
            theme=theme,
            arrows=kinds,
        )
        return
    shown = _model(file, geometry, pose or []) if is_model else _result(file)
    look: dict[str, Any] = {"color_by": color_by, "theme": theme, "arrows": kinds}
    pixels: dict[str, Any] = {} if size is None else {"size": _pixels(size)}
    if movie is not None:
        from fibermsk.cli.progress import Pictures, progress_report

        given: dict[str, Any] = {"fps": fps, "speed": speed}
        with progress_report(movie.name, quiet=False) as report:
            pictures.movie(
                cast("Result", shown),
                movie,
                progress=lambda done, total: report(Pictures(done, total)),
                **look,
                **pixels,
                **{name: value for name, value in given.items() if value is not None},
            )
        typer.echo(f"written to {movie}", err=True)
    elif screenshot is None:
        in_viewer(shown, time=time, labels=labels, **look)
    else:
        pictures.screenshot(shown, screenshot, time=time, labels=labels, **look, **pixels)
        typer.echo(f"written to {screenshot}", err=True)


def _check_movie(
    movie: Path | None,
    screenshot: Path | None,
    fps: float | None,
    speed: float | None,
    size: str | None,
    time: float | None,
) -> None:
    """Refuse what has no meaning for a movie, or without one."""
    from fibermsk.errors import ModelError

    if movie is not None and screenshot is not None:
        raise ModelError("--movie and --screenshot: one at a time; leave one out")
    if movie is None:
        _refuse({"--fps": fps, "--speed": speed}, "only of use with --movie")
    elif time is not None:
        raise ModelError("--time does not apply: a movie shows the whole run; leave it out")
    if movie is None and screenshot is None:
        _refuse({"--size": size}, "only of use with --screenshot and --movie")


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


def _check_web(web: bool, port: int | None, others: dict[str, bool]) -> None:
    """Refuse what does not go together with a page in a browser, before the file is read."""
    from fibermsk.errors import ModelError

    if not web and port is not None:
        raise ModelError("--port does not apply without --web; leave it out")
    for option, given in others.items():
        if web and given:
            raise ModelError(f"--web and {option}: one of them at a time; leave one out")
    if web:
        from fibermsk.view.web import check_web

        check_web(_port(port))


def _port(port: int | None) -> int:
    from fibermsk.view.web import DEFAULT_PORT

    return DEFAULT_PORT if port is None else port


def _way(compare: str | None) -> str:
    """Way to compare, in the words of Python."""
    from fibermsk.errors import ModelError

    if compare is None:
        return "side_by_side"
    if compare not in ("side-by-side", "overlay"):
        raise ModelError(f"--compare {compare}: must be side-by-side or overlay")
    return compare.replace("-", "_")


def _check_several(files: list[Path], idle: dict[str, bool]) -> None:
    """Refuse what cannot be compared, and options that show one result."""
    from fibermsk.errors import ModelError

    if len(files) == 1:
        raise ModelError(f"--compare needs several results, and got {files[0]} alone; name another")
    for file in files:
        if file.suffix.lower() == ".osim":
            raise ModelError(f"{file} is a model; only results (.h5) are compared: view it alone")
    for option, given in idle.items():
        if given:
            raise ModelError(f"{option} shows one result, and there are {len(files)}; name one")


def _names(files: list[Path]) -> list[str]:
    """Shortest names that tell the files apart."""
    stems = [file.stem for file in files]
    if len(set(stems)) == len(stems):
        return stems
    whole = [str(file.with_suffix("")) for file in files]
    return [
        f"{name} ({whole[: k + 1].count(name)})" if whole.count(name) > 1 else name
        for k, name in enumerate(whole)
    ]


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

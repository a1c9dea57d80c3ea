"""`fibermsk view`: a result or a model in space, in a window or as a picture."""

from __future__ import annotations

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
        str | None,
        typer.Option(
            "--theme",
            metavar="light|dark",
            help="Background; by default light, and of a page what its reader's system prefers.",
        ),
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
    screenshot: Annotated[
        Path | None,
        typer.Option("--screenshot", metavar="PNG", help="Write a picture, open no window."),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write a page for any browser, no window."),
    ] = None,
    max_frames: Annotated[
        int | None,
        typer.Option("--max-frames", help="Most frames in the page; by default all."),
    ] = None,
) -> None:
    """Show results or a model in a window, or write a picture, a movie or a page of one."""
    from fibermsk import view as pictures

    file = files[0]
    is_model = file.suffix.lower() == ".osim"
    _check_movie(movie, screenshot, fps, speed, size, time)
    _check_options(file, is_model, time, movie, geometry, labels, pose)
    _check_page(html, screenshot, movie, max_frames)
    kinds = [kind.strip() for kind in arrows.split(",") if kind.strip()]
    if len(files) > 1 or compare is not None:
        single = {"--screenshot": screenshot, "--movie": movie, "--html": html}
        _check_several(files, {option: path is not None for option, path in single.items()})
        pictures.show(
            [_result(one) for one in files],
            names=_names(files),
            compare=_way(compare),
            time=time,
            color_by=color_by,
            theme=theme or "light",
            arrows=kinds,
        )
        return
    shown = _model(file, geometry, pose or []) if is_model else _result(file)
    look: dict[str, Any] = {"color_by": color_by, "arrows": kinds}
    if html is not None:
        _write_page(
            shown, html, max_frames, theme=theme or "auto", labels=labels, time=time, **look
        )
        return
    look["theme"] = theme or "light"
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
        pictures.show(shown, time=time, labels=labels, **look)
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


def _check_page(
    html: Path | None, screenshot: Path | None, movie: Path | None, max_frames: int | None
) -> None:
    """Refuse what does not go together with a page, before the file is read."""
    from fibermsk.errors import ModelError
    from fibermsk.files import check_writable

    if html is None and max_frames is not None:
        raise ModelError("--max-frames does not apply without --html; leave it out")
    if html is not None and screenshot is not None:
        raise ModelError("--html and --screenshot: one of them at a time; leave one out")
    if html is not None and movie is not None:
        raise ModelError("--html and --movie: one of them at a time; leave one out")
    if html is not None:
        check_writable(html)


def _write_page(shown: Result | Still, path: Path, max_frames: int | None, **look: Any) -> None:
    """Write a page, and say how large it is and which frames it leaves out."""
    from fibermsk.results import Still
    from fibermsk.view.page import kept_frames, write_page

    write_page(shown, path, max_frames=max_frames, **look)
    n_all = 1 if isinstance(shown, Still) else shown.time.size
    n = kept_frames(n_all, max_frames).size
    left_out = "" if n == n_all else f"; {n} of {n_all} frames, chosen evenly"
    typer.echo(f"written to {path} ({path.stat().st_size / 1e6:.1f} MB{left_out})", err=True)


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

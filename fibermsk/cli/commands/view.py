"""`fibermsk view`: show results or a model in a window, browser, picture, movie or page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fibermsk._extras import CURVES, PICTURES, check_drawing
from fibermsk.cli.completing import measures, one_of, poses
from fibermsk.cli.options import Geometry, GeometryOutside
from fibermsk.cli.running.progress import Counted, progress_report
from fibermsk.cli.shown import is_model, read_model, short_names
from fibermsk.cli.view_checks import (
    check_files,
    check_look,
    check_options,
    comparison,
    pixels,
)
from fibermsk.files import check_writable
from fibermsk.results import Result, Still
from fibermsk.results.fields import COLORINGS


def view(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE",
            help="Result file (.h5), several of them to compare, or OpenSim model (.osim).",
        ),
    ],
    compare: Annotated[
        str | None,
        typer.Option(
            "--compare",
            metavar="side-by-side|overlay",
            autocompletion=one_of("side-by-side", "overlay"),
            help="How several results are shown.",
        ),
    ] = None,
    color_by: Annotated[
        str,
        typer.Option(
            "--color-by",
            metavar="FIELD",
            autocompletion=one_of("tissue", *COLORINGS),
            help="What colors the fibers: tissue (muscle red by activation, tendon ivory), or a "
            f"field: {', '.join(COLORINGS)}.",
        ),
    ] = "tissue",
    arrows: Annotated[
        str,
        typer.Option(
            "--arrows",
            metavar="attachment|contact|both",
            autocompletion=one_of("attachment", "contact", "both"),
            help="Forces drawn as arrows.",
        ),
    ] = "",
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            metavar="NAME",
            autocompletion=measures,
            help="Number to follow over time: a coordinate, or OWNER.FIELD as biceps_1.length or "
            "BRA.moment_arm/elbow; repeatable.",
        ),
    ] = None,
    theme: Annotated[
        str | None,
        typer.Option(
            "--theme",
            metavar="light|dark",
            autocompletion=one_of("light", "dark"),
            help="Background; by default of the browser.",
        ),
    ] = None,
    time: Annotated[
        float | None,
        typer.Option(
            "--time",
            help="Simulated time in s; by default windows and pages play from the first one, and "
            "pictures show the last.",
        ),
    ] = None,
    geometry: Geometry = None,
    geometry_outside: GeometryOutside = False,
    labels: Annotated[
        bool,
        typer.Option("--labels", help="Write names of muscles; of a model also show joint axes."),
    ] = False,
    envelope: Annotated[
        bool, typer.Option("--envelope", help="Draw a skin around the fibers of each bundle.")
    ] = False,
    no_shadows: Annotated[
        bool, typer.Option("--no-shadows", help="Draw a picture or movie without soft shadows.")
    ] = False,
    fit: Annotated[
        str | None,
        typer.Option(
            "--fit",
            metavar="frame|run",
            autocompletion=one_of("frame", "run"),
            help="What fills a picture: what it shows, or all frames; by default frame.",
        ),
    ] = None,
    pose: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="COORDINATE=VALUE",
            autocompletion=poses,
            help="Coordinate of a model's pose, in rad or m.",
        ),
    ] = None,
    screenshot: Annotated[
        Path | None,
        typer.Option(
            "--picture",
            "--screenshot",
            metavar="PNG",
            help="Write a picture; do not open a window.",
        ),
    ] = None,
    movie: Annotated[
        Path | None,
        typer.Option("--movie", metavar="MP4|GIF", help="Write a movie; do not open a window."),
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
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write a page for any browser."),
    ] = None,
    max_frames: Annotated[
        int | None,
        typer.Option("--max-frames", help="Largest number of frames in a page; by default all."),
    ] = None,
    web: Annotated[
        bool, typer.Option("--web", help="Serve the page to browsers, until Ctrl-C.")
    ] = False,
    port: Annotated[
        int | None,
        typer.Option("--port", help="Port of --web; 8080 by default, 0 for any free port."),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host", metavar="NAME", help="Host by which a proxy reaches --web; repeatable."
        ),
    ] = None,
) -> None:
    """Show results or a model in a window or a browser, or write a picture, movie or page of it."""
    check_drawing(", ".join(map(str, files)), CURVES if html or web else PICTURES)
    from fibermsk import view as pictures
    from fibermsk.io import load

    ways = {"--picture": screenshot, "--movie": movie, "--html": html, "--web": web}
    own = {"--size": size, "--fps": fps, "--speed": speed, "--max-frames": max_frames}
    own |= {"--fit": fit, "--no-shadows": no_shadows or None}
    check_options(ways, own | {"--port": port, "--allow-host": allow_host or None, "--time": time})
    of_models = {
        "--geometry": geometry,
        "--geometry-outside": geometry_outside,
        "--set": pose or [],
    }
    moving = {"--time": time, "--compare": compare, "--measure": measure or None}
    moving |= {"--color-by": None if color_by == "tissue" else color_by}
    check_files(files, ways | moving, of_models)
    how = comparison(compare)
    for path in (screenshot, movie, html):
        if path is not None:
            check_writable(path)
    kinds = [kind.strip() for kind in arrows.split(",") if kind.strip()]
    check_look(color_by, kinds)
    drawn: dict[str, Any] = {
        "color_by": color_by,
        "arrows": kinds,
        "theme": theme or ("auto" if html or web else "light"),
        "measures": tuple(measure or ()),
        "envelope": envelope,
    }
    wide: dict[str, Any] = pixels(size)
    wide |= {"shadows": False} if no_shadows else {}
    listen: dict[str, Any] = {}
    if web:
        from fibermsk.view.browser.server import DEFAULT_PORT, check_port

        listen = {"port": DEFAULT_PORT if port is None else port, "allow_hosts": allow_host or []}
        check_port(listen["port"])
    shown: Any
    if len(files) > 1:
        shown = [load(file, lazy=True) for file in files]
        compared: dict[str, Any] = {"names": short_names(files), "compare": how}
    elif is_model(files[0]):
        from fibermsk.cli.running.compiling import saying_when_compiled

        with saying_when_compiled(f"{files[0].name}: "):
            shown = read_model(files[0], geometry, pose or [], outside=geometry_outside)
        compared = {}
    else:
        shown, compared = load(files[0], lazy=True), {}
    if movie is not None:
        pace = {"fps": fps, "speed": speed}
        _write_movie(shown, movie, pace, **drawn, **wide, **compared, labels=labels)
        return
    drawn |= {"time": time, "labels": labels}
    if html is not None:
        _write_page(shown, html, max_frames, **drawn, **compared)
    elif web:
        pictures.serve(shown, max_frames=max_frames, **drawn, **compared, **listen)
    elif screenshot is not None:
        pictures.screenshot(shown, screenshot, **drawn, **wide, **compared, fit=fit or "frame")
        typer.echo(f"written to {screenshot}", err=True)
    else:
        pictures.show(shown, **drawn, **compared)


def _write_movie(
    shown: Result | list[Result], path: Path, pace: dict[str, float | None], **look: Any
) -> None:
    from fibermsk import view as pictures

    given: dict[str, Any] = {name: value for name, value in pace.items() if value is not None}
    with progress_report(path.name, quiet=False) as report:
        pictures.movie(
            shown,
            path,
            progress=lambda done, total: report(Counted(done, total, "picture")),
            **look,
            **given,
        )
    typer.echo(f"written to {path}", err=True)


def _write_page(
    shown: Result | Still | list[Result], path: Path, max_frames: int | None, **look: Any
) -> None:
    """Write a page, and print its size and the number of its frames."""
    from fibermsk.view.browser import kept_frames, write_page

    write_page(shown, path, max_frames=max_frames, **look)
    several = shown if isinstance(shown, list) else [shown]
    sizes = [one.time.size for one in several if not isinstance(one, Still)]
    n_all, n = sum(sizes), sum(kept_frames(size, max_frames).size for size in sizes)
    left_out = "" if n == n_all else f"; {n} of {n_all} frames, evenly spaced"
    typer.echo(f"written to {path} ({path.stat().st_size / 1e6:.1f} MB{left_out})", err=True)

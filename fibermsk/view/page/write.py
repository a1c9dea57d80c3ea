"""Writing the page: template, style, script and data in one file."""

from __future__ import annotations

import base64
import hashlib
import html
import os
import re
from importlib.resources import files
from pathlib import Path

from fibermsk.errors import ModelError
from fibermsk.files import check_writable
from fibermsk.rescue import write_whole
from fibermsk.results.result import Result
from fibermsk.results.still import Still
from fibermsk.view.fields import check_field, nearest_frame
from fibermsk.view.forces import check_kinds
from fibermsk.view.page.content import Content, content

__all__ = ["SCRIPTS", "THEMES", "page_text", "write_page"]

THEMES = ("auto", "light", "dark")
SCRIPTS = (
    "vectors.js", "data.js", "shapes.js", "shaders.js", "camera.js", "draw.js", "numbers.js",
    "legend.js", "curves.js", "pointer.js", "pace.js", "painting.js", "app.js",
    "start.js",
)  # fmt: skip
"""In the order in which they stand in the page."""


def write_page(
    shown: Result | Still,
    path: str | os.PathLike[str],
    *,
    color_by: str = "axial_force",
    theme: str = "auto",
    autoplay: bool = False,
    max_frames: int | None = None,
    time: float | None = None,
    arrows: tuple[str, ...] = (),
    labels: bool = False,
) -> Path:
    """Write a result or a model as a page that a browser opens as a file.

    It needs no server and no network: data, script and style are inside. Fibers, bones, time
    slider, camera, fields, force arrows and the curves of a fiber work as in the window.

    Parameters
    ----------
    shown : Result or Still
        A complete, failed or interrupted run; or a model in a pose, from :func:`fibermsk.still`.
    path : path
        HTML file; its folder is made, a file already there is replaced.
    color_by : str
        Field that colors the fibers at first.
    theme : str
        ``"light"``, ``"dark"``, or ``"auto"``: what the reader's system prefers.
    autoplay : bool
        Whether it plays when it is opened.
    max_frames : int, optional
        Most frames in the page, chosen evenly with the first and the last; the page says so. By
        default all.
    time : float, optional
        Simulated time at first [s]; by default the start.
    arrows : tuple of str
        Forces drawn at first: ``"attachment"``, ``"contact"`` or both.
    labels : bool
        Write the names of fibers and muscles at first, and draw the joint axes of a model.

    Returns
    -------
    path : pathlib.Path
        The file written.

    Raises
    ------
    ModelError
        If there is no such field, time, theme or kind of arrows, no frame, or the file cannot be
        written.
    """
    path = Path(path)
    if path.suffix.lower() not in (".html", ".htm"):
        raise ModelError(f"cannot write {path}: a page is an HTML file; name it *.html")
    check_writable(path)
    text, _ = page_text(
        shown, color_by=color_by, theme=theme, autoplay=autoplay, max_frames=max_frames,
        time=time, arrows=arrows, labels=labels,
    )  # fmt: skip
    write_whole(path, lambda beside: beside.write_text(text, encoding="utf-8"))
    return path


def page_text(
    shown: Result | Still,
    *,
    color_by: str = "axial_force",
    theme: str = "auto",
    autoplay: bool = False,
    max_frames: int | None = None,
    time: float | None = None,
    arrows: tuple[str, ...] = (),
    labels: bool = False,
) -> tuple[str, Content]:
    """The page as text, and what of the result is in it; parameters as of `write_page`."""
    result = shown.result if isinstance(shown, Still) else shown
    color_by = check_field(color_by)
    if theme not in THEMES:
        raise ModelError(f"theme = {theme!r}; must be one of {', '.join(THEMES)}")
    arrows = check_kinds(arrows)
    if max_frames is not None and max_frames < 2:
        raise ModelError(f"max_frames = {max_frames}; must be at least 2, or None for all frames")
    if time is not None or not result.time.size:
        time = float(result.time[nearest_frame(result, time)])
    data = content(
        shown, color_by=color_by, arrows=arrows, labels=labels, time=time,
        autoplay=autoplay, max_frames=max_frames,
    )  # fmt: skip
    style, script = _read("page.css"), _script()
    parts = {
        "policy": _policy(style, script),
        "theme": theme,
        "title": html.escape(f"{result.scene} - fibermsk"),
        "style": style,
        "script": script,
        "data": data.text,
    }
    # One pass, so that nothing in one part is taken for the place of another.
    text = re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _read("template.html"))
    return text, data


def _script() -> str:
    body = "\n".join(_read(name) for name in SCRIPTS)
    return f'"use strict";\n(() => {{\n{body}\n}})();'


def _policy(style: str, script: str) -> str:
    """What the browser lets the page do: run this script, use this style, and reach for nothing."""
    hashes = {}
    for kind, text in (("script", script), ("style", style)):
        digest = hashlib.sha256(text.encode()).digest()
        hashes[kind] = f"{kind}-src 'sha256-{base64.b64encode(digest).decode()}'"
    return f"default-src 'none'; {hashes['script']}; {hashes['style']}; img-src data: blob:"


def _read(name: str) -> str:
    return files("fibermsk.view.page").joinpath(name).read_text(encoding="utf-8")

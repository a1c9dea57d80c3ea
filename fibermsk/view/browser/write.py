"""Writing the page: template, style, script and data in one file."""

from __future__ import annotations

import base64
import hashlib
import html
import os
import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from fibermsk.errors import ModelError
from fibermsk.files import check_writable
from fibermsk.rescue import write_whole
from fibermsk.results.measures import Asked
from fibermsk.results.result import Result
from fibermsk.results.still import Still
from fibermsk.view.browser.content import Content, pack

THEMES = ("auto", "light", "dark")
SCRIPTS = (
    "scene/vectors.js", "data.js", "fiber.js", "run.js", "scene/shapes.js", "scene/envelopes.js",
    "scene/shaders.js", "scene/camera.js", "scene/draw.js", "numbers.js", "legend.js", "curves.js",
    "scene/pointer.js", "scene/pace.js", "names.js", "painting.js", "pose.js", "panel.js", "app.js",
    "start.js",
)  # fmt: skip
"""In the order of the page."""


def write_page(
    shown: Result | Still | Sequence[Result],
    path: str | os.PathLike[str],
    *,
    names: Sequence[str] | None = None,
    compare: str = "side_by_side",
    color_by: str = "tissue",
    theme: str = "auto",
    autoplay: bool | None = None,
    max_frames: int | None = None,
    time: float | None = None,
    arrows: Iterable[str] = (),
    labels: bool = False,
    envelope: bool = False,
    measures: Asked = (),
) -> Path:
    """Write results or a model as a page that a browser opens as a file.

    It needs no server and no network: data, script and style are inside. Fibers, bones, time
    slider, camera, fields, force arrows and the curves of a fiber work as in the window.

    Parameters
    ----------
    shown : Result, Still, or sequence of Result
        Complete, failed or interrupted runs, of which several are compared; or a model in a pose,
        from :func:`fibermsk.still`.
    path : path
        HTML file; its folder is created, an existing file is replaced.
    names : sequence of str, optional
        Names of the results; by default their scenes.
    compare : str
        ``"side_by_side"`` or ``"overlay"``: the first one solid, others translucent.
    color_by : str
        Field that colors the fibers at first.
    theme : str
        ``"light"``, ``"dark"``, or ``"auto"``: the setting of the reader's system.
    autoplay : bool
        Whether it plays when it is opened; by default if no time is given.
    max_frames : int, optional
        Largest number of frames of a result in the page, evenly spaced, with the first and the
        last; the page states it. By default all.
    time : float, optional
        Simulated time at first [s]; by default the start.
    arrows : iterable of str
        Forces drawn at first: ``"attachment"``, ``"contact"`` or both.
    labels : bool
        Write the names of fibers and muscles at first, and draw the joint axes of a model.
    envelope : bool
        Draw a skin around the fibers of each bundle at first; the page has a box for it.
    measures : str, sequence of str, or dict of array_like
        Numbers with curves over time beside the scene; as for :func:`fibermsk.view.screenshot`.

    Returns
    -------
    path : pathlib.Path
        The file written.

    Raises
    ------
    ModelError
        If there is no such field, time, theme, comparison, kind of arrows or measure, no frame, or
        the file cannot be written.
    """
    path = Path(path)
    if path.suffix.lower() not in (".html", ".htm"):
        raise ModelError(f"cannot write {path}: a page is an HTML file; name it *.html")
    check_writable(path)
    text = page_text(
        shown, theme=theme, names=names, compare=compare, color_by=color_by,
        autoplay=time is None if autoplay is None else autoplay,
        max_frames=max_frames, time=time, arrows=arrows, labels=labels, envelope=envelope,
        measures=measures,
    )  # fmt: skip
    write_whole(path, lambda beside: beside.write_text(text, encoding="utf-8"))
    return path


def page_text(shown: Result | Still | Sequence[Result], *, theme: str = "auto", **look: Any) -> str:
    """Page with its data, as text; parameters as for `write_page`."""
    check_theme(theme)
    content = pack(shown, **look)
    return page(content, theme, [content.part(k) for k in range(content.n_parts)])


def check_theme(theme: str) -> None:
    """Refuse an unknown theme."""
    if theme not in THEMES:
        raise ModelError(f"theme = {theme!r}; must be one of {', '.join(THEMES)}")


def page(content: Content, theme: str, inside: Sequence[bytes] = ()) -> str:
    """Page with parts of the data, as text; it requests all others from its server."""
    style, script = _read("page.css"), _script()
    parts = {
        "policy": _policy(style, script, served=not inside),
        "theme": theme,
        "title": html.escape(f"{content.title} - fibermsk"),
        "style": style,
        "script": script,
        "data": "\n".join(
            f'<script type="text/plain" id="part-{k}">{base64.b64encode(part).decode()}</script>'
            for k, part in enumerate(inside)
        ),
    }
    # one pass, so that no inserted text is searched for placeholders
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _read("template.html"))


def _script() -> str:
    body = "\n".join(_read(name) for name in SCRIPTS)
    return f'"use strict";\n(() => {{\n{body}\n}})();'


def _policy(style: str, script: str, *, served: bool) -> str:
    """Content security policy: this script, this style, and requests to its server if served."""
    hashes = {}
    for kind, text in (("script", script), ("style", style)):
        digest = hashlib.sha256(text.encode()).digest()
        hashes[kind] = f"{kind}-src 'sha256-{base64.b64encode(digest).decode()}'"
    rules = ["default-src 'none'", *hashes.values(), "img-src data: blob:"]
    return "; ".join(rules + (["connect-src 'self'"] if served else []))


def _read(name: str) -> str:
    return files("fibermsk.view.browser").joinpath("page", name).read_text(encoding="utf-8")

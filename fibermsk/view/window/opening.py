"""Windows that show or play a result, or show a model."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from fibermsk.errors import ModelError
from fibermsk.results.measures import Asked
from fibermsk.results.result import Result
from fibermsk.results.still import Still
from fibermsk.view.pictures.opengl import has_display, off_screen_works
from fibermsk.view.window.window import Window


def show(
    shown: Result | Still | Sequence[Result],
    *,
    names: Sequence[str] | None = None,
    compare: str = "side_by_side",
    time: float | None = None,
    color_by: str = "tissue",
    theme: str = "light",
    arrows: Iterable[str] = (),
    labels: bool = False,
    size: tuple[int, int] = (1200, 900),
    envelope: bool = False,
    measures: Asked = (),
) -> None:
    """Open a window with results or a model, and wait until it is closed.

    Parameters
    ----------
    shown : Result, Still, or sequence of Result
        A complete, failed or interrupted run; several of them, to be compared; or a model in a
        pose, from :func:`fibermsk.still`.
    names : sequence of str, optional
        Names of the results; by default their scenes.
    compare : str
        ``"side_by_side"`` or ``"overlay"``: the first result solid, the others translucent.
    time : float, optional
        Simulated time to start at [s]; by default a run plays from its first frame.
    color_by, theme, arrows, labels, size, envelope, measures
        As for :func:`fibermsk.view.screenshot`.

    Raises
    ------
    ModelError
        If this machine cannot open a window, or an argument is not valid.
    """
    _check_display()
    window = Window(
        shown,
        names=names,
        compare=compare,
        time=time,
        color_by=color_by,
        theme=theme,
        arrows=arrows,
        labels=labels,
        size=size,
        envelope=envelope,
        measures=measures,
    )
    if time is None:
        _begin(window)
    window.open()


def play(result: Result | Sequence[Result], *, speed: float = 1.0, **options: Any) -> None:
    """Play a result, or several to compare, in a window until it is closed.

    Parameters
    ----------
    result : Result or sequence of Result
        Result to play from its first frame, repeatedly.
    speed : float
        Simulated seconds per second, 0.05 to 20; 1 is real time.
    **options
        Those of :func:`show`, for example ``color_by="stress"``, ``arrows=["attachment"]``,
        ``theme="dark"`` or ``compare="overlay"``.

    Raises
    ------
    ModelError
        As in :func:`show`, or if the speed is out of range.
    """
    _check_display()
    window = Window(result, **options)
    window.viewer.playback.speed = speed
    if "time" in options:
        window.viewer.playback.play()
    else:
        _begin(window)
    window.open()


def _begin(window: Window) -> None:
    """Play from the first frame; what has one frame stays."""
    playback = window.viewer.playback
    window.viewer.show_time(float(playback.times[0]))
    playback.play()


def _check_display() -> None:
    if not has_display():
        raise ModelError(
            f"cannot open a window: no display answers (DISPLAY={os.environ.get('DISPLAY', '')}); "
            "write a picture, a movie or a page, or view it in a browser: fibermsk view FILE.h5 "
            "with --picture X.png, --movie X.mp4, --html X.html or --web"
        )
    if not off_screen_works():
        raise ModelError(
            "cannot open a window: no OpenGL was found; write a picture, a movie or a page: "
            "fibermsk view FILE.h5 with --picture X.png, --movie X.mp4 or --html X.html"
        )

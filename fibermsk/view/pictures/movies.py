"""Movies of a result."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from numbers import Real
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk._check import instance, show
from fibermsk.errors import ModelError
from fibermsk.files import check_writable
from fibermsk.rescue import write_whole
from fibermsk.results.measures import Asked
from fibermsk.results.result import Result
from fibermsk.view.drawing.compare import common_times
from fibermsk.view.fields import check_frames
from fibermsk.view.pictures.framing import check_size
from fibermsk.view.pictures.movie_files import GIF_RATE, find_encoder, write_gif, write_mp4
from fibermsk.view.pictures.panes import Panes

_SPEEDS = (1e-4, 1e4)
_RATES = (1.0, 120.0)
_SIZES = (100, 8192)
_MOST_PICTURES = 20_000
"""About ten minutes at 30 pictures per second."""
_PALETTE_PICTURES = 6


def movie(
    result: Result | Sequence[Result],
    path: str | os.PathLike[str],
    *,
    fps: float = 30.0,
    speed: float = 1.0,
    color_by: str = "tissue",
    theme: str = "light",
    arrows: Iterable[str] = (),
    size: tuple[int, int] | None = None,
    shadows: bool = True,
    envelope: bool = False,
    labels: bool = False,
    measures: Asked = (),
    names: Sequence[str] | None = None,
    compare: str = "side_by_side",
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write a movie of a result, without a display.

    Pictures are evenly spaced in time; each shows the frame of the run nearest to its time, so
    nothing is interpolated. The last picture shows the last frame.

    Parameters
    ----------
    result : Result or sequence of Result
        A complete, failed or interrupted run, or several to compare.
    path : path
        File to write, ``*.mp4`` (H.264, plays everywhere) or ``*.gif`` (256 colors, repeats); its
        folder is created. The file exists only when it is complete: a movie that fails or is
        interrupted leaves none.
    fps : float
        Pictures per second of the movie, 1 to 120; of a GIF at most 50, whose pictures last whole
        hundredths of a second.
    speed : float
        Seconds of the run per second of the movie: 1 is real time, 0.1 is slow motion.
    color_by, theme, arrows
        As for :func:`fibermsk.view.screenshot`.
    size : (int, int), optional
        Width and height in pixels; 1280 x 720 by default, 800 x 600 of a GIF. An mp4 has even
        sides: of an odd one the last row or column is repeated.
    shadows, envelope, measures, names, compare
        As for :func:`fibermsk.view.screenshot`.
    labels : bool
        Write the names of muscles on them, which they follow.
    progress : callable, optional
        Called as ``progress(done, total)`` with numbers of pictures, before the first one too.

    Returns
    -------
    path : pathlib.Path
        The file written.

    Raises
    ------
    ModelError
        If a value is out of its range, the result has no frame, the file cannot be written, or the
        program that encodes mp4 is missing or fails.
    """
    several = [result] if isinstance(result, Result) or not isinstance(result, Sequence) else result
    for one in several:
        if not isinstance(one, Result):
            raise ModelError(
                f"a movie needs the result of a run, not a {type(one).__name__} without motion; "
                "write a picture with fibermsk.view.screenshot"
            )
        check_frames(one)
    path = Path(instance("movie", "path", path, (str, os.PathLike), "a path"))
    suffix = path.suffix.lower()
    if suffix not in (".mp4", ".gif"):
        raise ModelError(f"cannot write {path}: a movie is an MP4 or a GIF; name it *.mp4 or *.gif")
    is_gif = suffix == ".gif"
    if size is None:
        size = (800, 600) if is_gif else (1280, 720)
    _check(fps, speed, size, is_gif)
    frames = frames_at(common_times([one.time for one in several]), fps, speed)
    panes = Panes(
        several, size, whole=True, moving=True, labels=labels, names=names, compare=compare,
        measures=measures,
        color_by=color_by, theme=theme, arrows=arrows, shadows=shadows, envelope=envelope,
    )  # fmt: skip
    path = check_writable(path)
    encoder = "" if is_gif else find_encoder()

    with panes:

        def picture(frame: int) -> NDArray[np.uint8]:
            return panes.draw(float(panes.times[frame]))

        def pictures() -> Iterator[NDArray[np.uint8]]:
            shown, image = -1, np.empty(0, dtype=np.uint8)
            for done, frame in enumerate(frames):
                if progress is not None:
                    progress(done, len(frames))
                if frame != shown:
                    shown, image = int(frame), picture(int(frame))
                yield image
            if progress is not None:
                progress(len(frames), len(frames))

        def write(beside: Path) -> None:
            if not is_gif:
                write_mp4(beside, pictures(), size, fps, encoder)
                return
            spread = np.linspace(0, len(frames) - 1, _PALETTE_PICTURES).round().astype(int)
            samples = [picture(int(frame)) for frame in np.unique(frames[spread])]
            write_gif(beside, pictures(), samples, fps, len(frames))

        write_whole(path, write)
    return path


def movie_frames(result: Result, fps: float, speed: float) -> NDArray[np.int64]:
    """Frame of each picture of a movie, nearest in time."""
    check_frames(result)
    return frames_at(result.time, fps, speed)


def frames_at(time: Array, fps: float, speed: float) -> NDArray[np.int64]:
    """Number of the time [s] of each picture of a movie, of increasing ones."""
    duration = float(time[-1] - time[0])
    # n intervals, a partial one counted, and the last picture
    n_pictures = int(np.ceil(min(duration * fps / speed, 1e12) * (1.0 - 1e-12) - 1e-6)) + 1
    if n_pictures > _MOST_PICTURES:
        raise ModelError(
            f"fps = {fps:g}, speed = {speed:g}: a movie of {duration:g} s of the run would have "
            f"{n_pictures} pictures; at most {_MOST_PICTURES}; use a higher speed or fewer "
            "pictures per second"
        )
    due = np.minimum(time[0] + np.arange(n_pictures) * (speed / fps), time[-1])
    after = np.clip(np.searchsorted(time, due), 1, max(time.size - 1, 1))
    if time.size == 1:
        return np.zeros(n_pictures, dtype=np.int64)
    return np.where(due - time[after - 1] <= time[after] - due, after - 1, after)


def _check(fps: float, speed: float, size: tuple[int, int], is_gif: bool) -> None:
    for name, value, (low, high), unit in (
        ("fps", fps, (_RATES[0], GIF_RATE if is_gif else _RATES[1]), "pictures per second"),
        ("speed", speed, _SPEEDS, "seconds of the run per second of the movie"),
    ):
        if not isinstance(value, Real) or not low <= value <= high:
            kind = " of a GIF" if is_gif and name == "fps" else ""
            found = f"{value:g}" if isinstance(value, Real) else show(value)
            raise ModelError(f"{name} = {found}{kind}; must be {low:g} to {high:g} {unit}")
    check_size(size, _SIZES)

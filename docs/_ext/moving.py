"""Small pictures that move: animated WebP of a run, a tenth of the size of a GIF."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import Image, ImageSequence

import fibermsk as fm

__all__ = ["write_frames", "write_moving"]

SECONDS, RATE = 3.0, 10.0
"""How long one pass takes, and pictures per second."""
SIZE = (480, 360)
PAUSE = 700
"""Milliseconds that the last picture is shown."""


def write_moving(result: fm.Result, path: Path, **look: Any) -> Path:
    """Write a run as a picture that moves, whatever its duration, and starts again.

    Parameters
    ----------
    result : Result
        The run.
    path : Path
        File to write, ``*.webp``.
    **look
        As for `fibermsk.view.movie`.
    """
    duration = float(result.time[-1] - result.time[0])
    with tempfile.TemporaryDirectory() as folder:
        movie = Path(folder) / "movie.gif"
        speed = max(duration, 1e-3) / SECONDS
        fm.view.movie(result, movie, fps=RATE, speed=speed, **({"size": SIZE} | look))
        with Image.open(movie) as source:
            return write_frames(
                [one.convert("RGB") for one in ImageSequence.Iterator(source)], path
            )


def write_frames(frames: Sequence[Image.Image], path: Path) -> Path:
    """Write pictures of one size as one that moves, with a pause at the end."""
    first, *others = frames
    times = [round(1000.0 / RATE)] * len(others) + [PAUSE]
    first.save(
        path, save_all=True, append_images=others, duration=times, loop=0, quality=72, method=4
    )
    return path

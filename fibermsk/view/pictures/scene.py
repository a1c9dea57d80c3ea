"""Pictures of a result or a model."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from fibermsk.errors import ModelError
from fibermsk.files import check_writable
from fibermsk.rescue import write_whole
from fibermsk.results.result import Result
from fibermsk.results.still import Still
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.fields import nearest_frame
from fibermsk.view.pictures.captions import Captions
from fibermsk.view.pictures.floor import Floor
from fibermsk.view.pictures.frames import FrameDrawer
from fibermsk.view.pictures.framing import check_fit, frame_camera

_SIDES = (100, 8000)
"""In pixels; `OVERSAMPLING` times as many are rendered, and OpenGL allows 16384."""


def screenshot(
    shown: Result | Still,
    path: str | os.PathLike[str],
    time: float | None = None,
    color_by: str = "tissue",
    size: tuple[int, int] = (1200, 900),
    labels: bool = False,
    *,
    theme: str = "light",
    arrows: Iterable[str] = (),
    fit: str = "frame",
    shadows: bool = True,
    envelope: bool = False,
) -> Path:
    """Write a picture of a result or of a model, without a display.

    Parameters
    ----------
    shown : Result or Still
        A complete, failed or interrupted run; or a model in a pose, from :func:`fibermsk.still`.
    path : path
        PNG file; its folder is created.
    time : float, optional
        Simulated time [s]; the nearest frame is drawn, by default the last.
    color_by : str
        What colors the fibers: ``tissue``, muscle red by its activation and tendon ivory; or a
        field, in one color map for all tissue: ``axial_force``, ``tissue_force``, ``stress``,
        ``stretch``, ``radius``, ``activation``, ``contact_force_density`` or ``muscle_fraction``.
    size : (int, int)
        Width and height in pixels.
    labels : bool
        Write the names of muscles on them; of a still also draw the joint axes, with the names of
        their coordinates.
    theme : str
        ``"light"`` or ``"dark"``.
    arrows : iterable of str
        Forces drawn as arrows: ``"attachment"``, of fibers on bodies at their ends, and
        ``"contact"``, on fibers, one for each element.
    fit : str
        What fills the picture: ``"frame"``, what is drawn, or ``"run"``, all frames, so that
        pictures of one run have one camera.
    shadows : bool
        Soft shadows where surfaces are near each other, and on a floor below.
    envelope : bool
        Draw a translucent skin around the fibers of each bundle, those named ``biceps_1``,
        ``biceps_2`` and so on.

    Returns
    -------
    path : pathlib.Path
        The file written.

    Raises
    ------
    ModelError
        If there is no such field, time, theme, kind of arrows or fit, or the file cannot be
        written.
    """
    path = Path(path)
    if path.suffix.lower() != ".png":
        raise ModelError(f"cannot write {path}: a screenshot is a PNG file; name it *.png")
    if min(size) < _SIDES[0] or max(size) > _SIDES[1]:
        raise ModelError(
            f"size = {size[0]} x {size[1]}; width and height must be at least {_SIDES[0]} pixels, "
            f"and at most {_SIDES[1]}"
        )
    check_writable(path)
    image = picture(
        shown,
        time=time,
        color_by=color_by,
        size=size,
        labels=labels,
        theme=theme,
        arrows=arrows,
        fit=fit,
        shadows=shadows,
        envelope=envelope,
    )
    write_whole(path, lambda beside: Image.fromarray(image).save(beside, format="PNG"))
    return path


def picture(
    shown: Result | Still,
    *,
    time: float | None = None,
    color_by: str = "tissue",
    size: tuple[int, int] = (1200, 900),
    labels: bool = False,
    theme: str = "light",
    arrows: Iterable[str] = (),
    fit: str = "frame",
    shadows: bool = True,
    envelope: bool = False,
) -> NDArray[np.uint8]:
    """Picture of a result or a model (height, width, 3); parameters as for `screenshot`."""
    check_fit(fit)
    stage = Stage(shown, color_by, labels=labels, theme=theme, arrows=arrows, envelope=envelope)
    frame = nearest_frame(stage.result, time)
    only = frame if fit == "frame" else None
    camera = frame_camera(stage, size, only, floor=shadows)
    floor = Floor(stage, only) if shadows else None
    with FrameDrawer(stage, camera, size, floor) as drawer:
        return Captions(stage, camera, size, frame).over(drawer.draw(frame), frame)

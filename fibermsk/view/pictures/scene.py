"""Pictures of a result or a model."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from fibermsk._check import instance
from fibermsk.errors import ModelError
from fibermsk.files import check_writable
from fibermsk.rescue import write_whole
from fibermsk.results.measures import Asked
from fibermsk.results.result import Result
from fibermsk.results.still import Still
from fibermsk.view.pictures.framing import check_fit, check_size
from fibermsk.view.pictures.panes import Panes

_SIDES = (100, 8000)
"""In pixels; `OVERSAMPLING` times as many are rendered, and OpenGL allows 16384."""


def screenshot(
    shown: Result | Still | Sequence[Result],
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
    measures: Asked = (),
    names: Sequence[str] | None = None,
    compare: str = "side_by_side",
) -> Path:
    """Write a picture of a result or of a model, without a display.

    Parameters
    ----------
    shown : Result, Still, or sequence of Result
        A complete, failed or interrupted run; several of them, to be compared; or a model in a
        pose, from :func:`fibermsk.still`.
    path : path
        PNG file; its folder is created.
    time : float, optional
        Simulated time [s]; the nearest frame is drawn, by default the last.
    color_by : str
        What colors the fibers: ``tissue``, muscle red by its activation and tendon ivory; or a
        field, in one color map for all tissue that has it: ``axial_force``, ``tissue_force``,
        ``stress``, ``stretch``, ``radius``, ``activation``, ``contact_force_density`` or
        ``muscle_fraction``.
    size : (int, int)
        Width and height in pixels. Below 240 x 180 there is no legend, below 260 x 200 no axes.
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
    measures : str, sequence of str, or dict of array_like
        At most four numbers with charts over time below the scene, marked at the time: a coordinate
        ``"elbow_flexion"``, its rate ``"elbow_flexion.speed"``, or ``"OWNER.FIELD"`` of a fiber,
        bundle, line muscle, element or owner of states, such as ``"biceps.length"`` or
        ``"BRA.moment_arm/r_elbow_flex"``. Of a bundle forces are sums, other fields means. Or
        numbers of your own for each frame by label, ``{"height [m]": values}``.
    names : sequence of str, optional
        Names of several results; by default their scenes.
    compare : str
        Several results ``"side_by_side"``, or as an ``"overlay"``: the first solid, the others
        translucent.

    Returns
    -------
    path : pathlib.Path
        The file written.

    Raises
    ------
    ModelError
        If there is no such field, time, theme, kind of arrows, fit, measure or comparison, or the
        file cannot be written.
    """
    path = Path(instance("screenshot", "path", path, (str, os.PathLike), "a path"))
    if path.suffix.lower() != ".png":
        raise ModelError(f"cannot write {path}: a screenshot is a PNG file; name it *.png")
    check_size(size, _SIDES)
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
        measures=measures,
        names=names,
        compare=compare,
    )
    write_whole(path, lambda beside: Image.fromarray(image).save(beside, format="PNG"))
    return path


def picture(
    shown: Result | Still | Sequence[Result],
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
    measures: Asked = (),
    names: Sequence[str] | None = None,
    compare: str = "side_by_side",
) -> NDArray[np.uint8]:
    """Picture of a result or a model (height, width, 3); parameters as for `screenshot`."""
    check_fit(fit)
    panes = Panes(
        shown, size, time=time, whole=fit == "run", names=names, compare=compare,
        measures=measures, color_by=color_by, labels=labels, theme=theme, arrows=arrows,
        shadows=shadows, envelope=envelope,
    )  # fmt: skip
    with panes:
        return panes.draw(panes.time)

"""Pictures of one or several results at a time: scene, text and charts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack

import numpy as np
from numpy.typing import NDArray

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.results.measures import Asked
from fibermsk.results.result import Result
from fibermsk.results.still import Still
from fibermsk.view.drawing.compare import (
    COMPARE,
    common_times,
    frame_at,
    make_stages,
    result_names,
)
from fibermsk.view.fields import nearest_index
from fibermsk.view.pictures.captions import Captions
from fibermsk.view.pictures.charts import Charts, chart_rows, strip_height
from fibermsk.view.pictures.floor import Floor
from fibermsk.view.pictures.frames import FrameDrawer
from fibermsk.view.pictures.framing import frame_camera, has_lying_legend
from fibermsk.view.pictures.lettering import page_of
from fibermsk.view.pictures.lying_legend import lying_height, lying_legend

_NARROWEST = 160
"""Least width of one of several views, in pixels."""


class Panes:
    """Context that draws results at a time: side by side or one over the other, with charts below.

    Parameters as for `fibermsk.view.screenshot`; `whole` frames the whole run, and else the time
    that is drawn; names of muscles are placed once, or `moving` with them. `times` are those of the
    frames of all results together [s].
    """

    def __init__(
        self,
        shown: Result | Still | Sequence[Result],
        size: tuple[int, int],
        *,
        time: float | None = None,
        whole: bool = False,
        moving: bool = False,
        names: Sequence[str] | None = None,
        compare: str = COMPARE[0],
        measures: Asked = (),
        color_by: str = "tissue",
        labels: bool = False,
        theme: str = "light",
        arrows: Iterable[str] = (),
        shadows: bool = True,
        envelope: bool = False,
    ) -> None:
        shadows = _check.flag("view", "shadows", shadows)
        stages = make_stages(
            shown, color_by, compare, theme=theme, arrows=arrows, labels=labels, envelope=envelope
        )
        self._results = [stage.result for stage in stages]
        self.times = common_times([result.time for result in self._results])
        self.time = float(self.times[-1 if time is None else nearest_index(self.times, time)])
        overlaid = compare == "overlay" and len(stages) > 1
        self._views = [stages] if overlaid else [[stage] for stage in stages]
        width, height = size[0] // len(self._views), size[1]
        if len(self._views) > 1 and width < _NARROWEST:
            raise ModelError(
                f"size = {size[0]} x {size[1]}: each of {len(self._views)} views side by side has "
                f"{width} pixels; must have at least {_NARROWEST}: use a larger size, or "
                "compare='overlay'"
            )
        titles = result_names(self._results, names)
        whole_page, scale = page_of(size)
        self._charts: Charts | None = None
        if len(measures):
            n = 1 if isinstance(measures, str) else len(measures)
            named = len(titles) > 1 and not isinstance(measures, Mapping)
            below = round(scale * strip_height(n, whole_page, named=named))
            height -= below
            self._charts = Charts(
                measures, self._results, stages[0].theme, (size[0], below), titles,
                rows=chart_rows(n, whole_page), scale=scale,
            )  # fmt: skip
        overlaid_names = titles if overlaid else ()
        below = round(scale * lying_height(overlaid_names))
        self._legend: NDArray[np.uint8] | None = None
        if has_lying_legend(stages[0], (width / scale, (height - below) / scale)):
            height -= below
            shape = (size[0], below)
            self._legend = lying_legend(stages[0], shape, self._results, overlaid_names, scale)
        self._room = size[0] - width * len(self._views)
        self._ground = np.round(255.0 * np.array(stages[0].theme.rgb("background")))
        frames = self._frames(self.time)
        only = None if whole else frames
        heads = [" and ".join(titles)] if overlaid else titles
        camera = frame_camera(
            stages, (width / scale, height / scale), only, floor=shadows, title=max(heads, key=len)
        )
        self._drawers, self._captions = [], []
        for k, view in enumerate(self._views):
            floor = Floor(view[0], None if whole else frames[k]) if shadows else None
            self._drawers.append(FrameDrawer(view, camera, (width, height), floor))
            self._captions.append(
                Captions(
                    view[0], camera, (width, height), frames[k],
                    title=heads[k],
                    legend=k == len(self._views) - 1 and self._legend is None, axes=k == 0,
                    results=dict(zip(titles, self._results, strict=True)) if overlaid else None,
                    moving=moving, scale=scale,
                )
            )  # fmt: skip
        self._open = ExitStack()

    def __enter__(self) -> Panes:
        for drawer in self._drawers:
            self._open.enter_context(drawer)
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def draw(self, time: float) -> NDArray[np.uint8]:
        """Picture (height, width, 3) of the frames nearest to a time [s]."""
        frames, images = self._frames(time), []
        for k, (view, drawer, captions) in enumerate(
            zip(self._views, self._drawers, self._captions, strict=True)
        ):
            own = frames[k] if len(view) == 1 else frames
            images.append(captions.over(drawer.draw(own), frames[k], time))
        image = np.concatenate(images, axis=1)
        if self._room:
            edge = np.broadcast_to(self._ground, (len(image), self._room, 3)).astype(np.uint8)
            image = np.concatenate([image, edge], axis=1)
        if self._legend is not None:
            image = np.concatenate([image, self._legend])
        if self._charts is None:
            return image
        self._charts.move(time)
        return np.concatenate([image, self._charts.image()])

    def _frames(self, time: float) -> list[int]:
        return [frame_at(result, time) for result in self._results]

"""Interactive view of results, without buttons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyvista as pv
from vtkmodules.vtkRenderingCore import vtkCellPicker

from fibermsk.errors import ModelError
from fibermsk.results.measures import Asked, default_measures, measures_of
from fibermsk.results.result import Result
from fibermsk.results.still import Still
from fibermsk.view.drawing.compare import (
    common_limits,
    common_times,
    frame_at,
    make_stages,
    overlaid_time,
    result_names,
    set_common_arrows,
)
from fibermsk.view.drawing.looks import find_theme
from fibermsk.view.drawing.stage import common_camera
from fibermsk.view.fields import FIELDS, check_field, flawed_fibers
from fibermsk.view.pictures.charts import Charts
from fibermsk.view.pictures.opengl import draws_in_software, off_screen_works, viewer_points
from fibermsk.view.pictures.vtk_draw import Halo, VtkScene, add_lights, set_camera
from fibermsk.view.window.curves import FiberCurves
from fibermsk.view.window.marks import Marks
from fibermsk.view.window.playback import Playback
from fibermsk.view.window.posing import Posing
from fibermsk.view.window.surround import HEAD, LEGEND_WIDTH, Surround

_PICK_TOLERANCE = 0.004
"""Tolerance of picking over the diagonal of the picture, for thin fibers."""


class Viewer:
    """Results in a plotter, with a clock, a field that colors the fibers, and a camera.

    Parameters as for `fibermsk.view.show`. Nothing is drawn until ``render``, ``show`` or
    ``screenshot`` of the plotter. `fields` are those that color the fibers, `preset` is the last
    preset of the camera, `around` is the layout; `measures` are those of the charts, by default
    coordinates that move; `pose` sets the coordinates of a model (None for
    results and models with fibers).
    """

    def __init__(
        self,
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
        off_screen: bool = False,
    ) -> None:
        if not off_screen_works():
            raise ModelError(
                "cannot draw a viewer: no OpenGL was found; write a picture instead, with "
                "fibermsk.view.screenshot or 'fibermsk view FILE.h5 --picture PNG'"
            )
        self._stages = make_stages(
            shown, color_by, compare,
            theme=theme, arrows=arrows, labels=labels, budget=viewer_points(),
            envelope=envelope,
        )  # fmt: skip
        self.results = tuple(stage.result for stage in self._stages)
        self._flawed = [flawed_fibers(result) for result in self.results]
        self.names = result_names(self.results, names)
        self.compare = compare
        times = common_times([result.time for result in self.results])
        self.playback = Playback(times, float(times[-1]) if time is None else time)
        self.fields: tuple[str, ...] = FIELDS if any(r.fibers for r in self.results) else ()
        self.preset = "fit"
        self._selected: tuple[int, str] | None = None
        self._curves: FiberCurves | None = None
        self.measures: Asked = measures
        if not len(measures) and times.size > 1:
            self.measures = default_measures(self.results[0])
        for result in self.results if len(measures) else ():
            if not isinstance(measures, Mapping) or result is self.results[0]:
                measures_of(result, measures)
        self._charts: Charts | None = None
        self._split = len(self._stages) if compare == "side_by_side" else 1
        self.plotter: Any = pv.Plotter(
            off_screen=off_screen,
            window_size=list(size),
            title=f"fibermsk: {', '.join(self.names)}",
            shape=(1, self._split),
            border=False,
        )
        self.plotter.render_window.SetMultiSamples(0 if draws_in_software() else 4)
        self._scenes: list[VtkScene] = []
        for k, stage in enumerate(self._stages):
            self.plotter.subplot(0, k % self._split)
            if k < self._split:
                add_lights(self.plotter.renderer)
            self._scenes.append(VtkScene(stage, self.plotter, labels=True))
        if self._split > 1:
            self.plotter.link_views()
        self.plotter.subplot(0, 0)
        self.plotter.add_axes(viewport=(0.0, 0.0, 0.12, 0.14))
        self._views = list(self.plotter.renderers)[: self._split]
        self._halo = Halo()
        still = self._stages[0].still
        self.pose: Posing | None = None
        if len(self._stages) == 1 and still is not None and still.poses is not None:
            self.pose = Posing(self._stages[0], self._scenes[0])
        self.around = Surround(self.plotter, self._views, self._annotate)
        self.around.fit()
        overlay = self.around.overlay
        self.covered = False  # whether something else lies over the scene
        self._marks = [
            Marks(view, stage, overlay)
            for view, stage in zip(self._views, self._stages, strict=False)
        ]
        self.plotter.render_window.AddObserver("StartEvent", lambda *_: self._mark())
        self._show_theme()
        self.look("fit")
        self._show_frame()

    @property
    def color_by(self) -> str:
        """Field that colors the fibers."""
        return self._stages[0].color_by

    @property
    def theme(self) -> str:
        """Name of the theme."""
        return self._stages[0].theme.name

    @property
    def arrows(self) -> tuple[str, ...]:
        """Kinds of arrows shown."""
        return tuple(self._stages[0].arrows)

    @property
    def selected(self) -> str | None:
        """Name of the selected fiber."""
        return None if self._selected is None else self._selected[1]

    @property
    def n_points(self) -> int:
        """Points of all fibers."""
        return sum(len(s.tubes.points) for s in self._stages if s.tubes is not None)

    def show_time(self, t: float) -> None:
        """Show the frame nearest to a time [s]."""
        self.playback.seek(t)
        self._show_frame()

    def step(self, n: int) -> None:
        """Advance by n frames, back if negative, and pause."""
        self.playback.step(n)
        self._show_frame()

    def tick(self, wall_seconds: float) -> bool:
        """Advance the clock if playing; returns whether the frame changed."""
        changed = self.playback.advance(wall_seconds)
        if changed:
            self._show_frame()
        return changed

    def set_field(self, name: str) -> None:
        """Color the fibers by another field."""
        name = check_field(name)
        limits = common_limits(self.results, name)
        for stage, scene, frame in zip(self._stages, self._scenes, self._frames(), strict=True):
            stage.set_field(name, limits)
            scene.show_field(frame)
        self._show_legend()

    def set_theme(self, name: str) -> None:
        """Set a light or dark background."""
        theme = find_theme(name)
        for stage in self._stages:
            stage.theme = theme
        self._curves = self._charts = None
        self._show_theme()

    def set_arrows(self, kinds: Iterable[str]) -> None:
        """Show arrows of these kinds only."""
        set_common_arrows(self._stages, kinds)
        for stage, scene, frame in zip(self._stages, self._scenes, self._frames(), strict=True):
            for arrows in stage.arrows.values():
                arrows.move(frame)
            scene.show_arrows()
        self._show_legend()

    @property
    def named(self) -> bool | None:
        """Whether muscles have their names; None for models and results without fibers."""
        first = self._stages[0]
        return first.named if first.result.drawn and not first.is_still else None

    def set_names(self, shown: bool) -> None:
        """Write the names of muscles beside these, or not."""
        for stage in self._stages:
            stage.named = shown

    def look(self, preset: str) -> None:
        """Set the camera to one of `PRESETS`."""
        _, bottom, width, top = self.around.area
        width, height = max(width // self._split, 1), max(top - bottom, 1)
        has_fibers = self._stages[0].tubes is not None
        camera = common_camera(
            self._stages,
            preset,
            width / height,
            room=min(LEGEND_WIDTH / width, 0.5) if has_fibers else 0.0,
            head=min(HEAD / height, 0.3),
        )
        for view in self._views:
            set_camera(view, camera)
        self.preset = preset

    def select(self, fiber_name: str | None, result: int = 0) -> None:
        """Select a fiber or line muscle of one of the results, or none."""
        if fiber_name is None:
            self._selected = self._curves = None
            self._halo.hide()
            return
        if not 0 <= result < len(self.results):
            raise ModelError(f"result = {result}; must be 0 to {len(self.results) - 1}")
        fibers = self.results[result].drawn
        if fiber_name not in fibers:
            raise ModelError(f"no fiber {fiber_name!r}; there are: {', '.join(fibers) or 'none'}")
        self._selected, self._curves = (result, fiber_name), None
        tubes = self._stages[result].tubes
        assert tubes is not None
        self._halo.around(
            tubes,
            list(fibers).index(fiber_name),
            self._views[result % self._split],
            self._stages[result].theme.rgb("accent"),
        )

    def pick(self, x: float, y: float) -> str | None:
        """Select the fiber or muscle at a pixel from the left and from below; returns its name."""
        if self.pose is not None:
            self.pose.choose(self.pose.muscle_at(x, y))
            return self.pose.muscle
        result, name = self._at(x, y) or (0, None)
        self.select(name, result)
        return name

    def curves(self, size: tuple[int, int]) -> FiberCurves:
        """Curves of the selected fiber in all results, with a mark at the current time; cached."""
        if self._selected is None:
            raise ModelError("no fiber is selected; select one first")
        if self._curves is None or self._curves.size != tuple(size):
            k, name = self._selected
            order = [k, *(i for i in range(len(self.results)) if i != k)]
            self._curves = FiberCurves(
                name,
                [self.results[i] for i in order],
                [self.names[i] for i in order],
                self._stages[0].theme,
                (int(size[0]), int(size[1])),
            )
        self._curves.move(float(self.playback.times[self.playback.frame]))
        return self._curves

    def charts(self, size: tuple[int, int]) -> Charts:
        """Charts of the measures, with marks at the current time; cached."""
        if self._charts is None or self._charts.size != tuple(size):
            theme = self._stages[0].theme
            self._charts = Charts(self.measures, self.results, theme, size, self.names)
        self._charts.move(float(self.playback.times[self.playback.frame]))
        return self._charts

    def close(self) -> None:
        """Close the plotter."""
        self.plotter.close()

    def _frames(self) -> list[int]:
        time = float(self.playback.times[self.playback.frame])
        return [frame_at(result, time) for result in self.results]

    def _show_frame(self) -> None:
        for scene, frame in zip(self._scenes, self._frames(), strict=True):
            scene.show_frame(frame)
        self._halo.move()
        self._show_words()

    def _mark(self) -> None:
        """Write magnitudes and names; of an overlay those of the solid result."""
        for marks, frame in zip(self._marks, self._frames(), strict=False):
            marks.show(None if self.covered else frame)

    def _show_theme(self) -> None:
        theme = self._stages[0].theme
        for scene in self._scenes:
            scene.show_theme()
        self.around.show_theme(theme)
        self._halo.color(theme.rgb("accent"))
        self._annotate()

    def _annotate(self) -> None:
        self._show_words()
        self._show_legend()

    def _show_words(self) -> None:
        """Write name and time above each view."""
        time, theme = float(self.playback.times[self.playback.frame]), self._stages[0].theme
        written = []
        for k, frame in enumerate(self._frames()[: self._split]):
            result = self.results[k]
            name = self.names[k] if self.compare == "side_by_side" else " and ".join(self.names)
            broken = "" if result.status == "success" else f" ({result.status})"
            lines = [(name + broken, 17, theme.text)]
            if not self._stages[k].is_still:
                inside = result.time[0] - 1e-9 <= time <= result.time[-1] + 1e-9
                words = f"t = {time if inside else float(result.time[frame]):.3f} s"
                words += "" if inside else ", its end"
                if self.compare == "overlay" and len(self.results) > 1:
                    ends = [float(one.time[-1]) for one in self.results]
                    words = overlaid_time(time, dict(zip(self.names, ends, strict=True)))
                lines += [(line, 14, theme.faint) for line in words.split("\n")]
            if flawed := self._flawed[k][frame]:
                words = f"{flawed} of {len(result.drawn)} fibers: numbers not finite"
                lines.append((words, 14, theme.faint))
            written.append(lines)
        self.around.show_words(written)

    def _show_legend(self) -> None:
        stage = next((s for s in self._stages if s.tubes is not None), self._stages[0])
        overlaid = self.compare == "overlay" and len(self.names) > 1
        self.around.show_legend(stage, self.results, self.names if overlaid else ())

    def _at(self, x: float, y: float) -> tuple[int, str] | None:
        """Result number and fiber name at a pixel."""
        view = self.around.view_at(x, y)
        if view is None:
            return None
        picker = vtkCellPicker()
        picker.SetTolerance(_PICK_TOLERANCE)
        if not picker.Pick(x, y, 0.0, self._views[view]):
            return None
        for k, scene in enumerate(self._scenes):
            if scene.fiber_actor is not None and picker.GetActor() is scene.fiber_actor:
                tubes = self._stages[k].tubes
                assert tubes is not None
                point = int(tubes.faces[picker.GetCellId(), 0])
                return k, list(self.results[k].drawn)[point // tubes.detail.n_points]
        return None

"""Window with a time slider."""

from __future__ import annotations

from typing import Any

from fibermsk.errors import ModelError
from fibermsk.results.result import Result
from fibermsk.results.still import Still
from fibermsk.view.opengl import has_display, off_screen_works
from fibermsk.view.viewer import Viewer

__all__ = ["Player", "play", "show"]

_PICTURES_PER_SECOND = 30
_HELP = "space: play or pause    left, right: one frame    r: all in view    q: close"
_HELP_STILL = "r: all in view    q: close"


class Player:
    """Plotter of a result with its frame, its slider and its keys.

    Parameters
    ----------
    shown : Result or Still
        What to show.
    time : float, optional
        Where to start [s]; the last frame by default.
    color_by : str
        Field that colors the fibers.
    size : (int, int)
        Width and height of the window in pixels.
    labels : bool
        Draw the joint axes of a still, and write its names.
    off_screen : bool
        Draw without a window.
    """

    def __init__(
        self,
        shown: Result | Still,
        *,
        time: float | None = None,
        color_by: str = "axial_force",
        size: tuple[int, int] = (1200, 900),
        labels: bool = False,
        off_screen: bool = False,
    ) -> None:
        self.viewer = Viewer(
            shown, time=time, color_by=color_by, size=size, labels=labels, off_screen=off_screen
        )
        self.plotter = self.viewer.plotter
        times = self.viewer.playback.times
        self._slider: Any = None
        first, last = float(times[0]), float(times[-1])
        if last > first:
            self._slider = self.plotter.add_slider_widget(
                self._slide,
                (first, last),
                value=self.viewer.playback.time,
                title="time [s]",
                pointa=(0.1, 0.08),
                pointb=(0.75, 0.08),
                color="black",
                interaction_event="always",
            )
        keys = _HELP if last > first else _HELP_STILL
        self.plotter.add_text(keys, position="lower_left", font_size=8, color="gray")
        self.plotter.add_axes(color="black", viewport=(0.0, 0.82, 0.14, 0.96))
        for key, action in (
            ("space", self.toggle),
            ("Left", lambda: self.step(-1)),
            ("Right", lambda: self.step(1)),
        ):
            self.plotter.add_key_event(key, action)

    def step(self, frames: int) -> None:
        """Go on by some frames and draw."""
        self.viewer.step(frames)
        self._move_slider()
        self.plotter.render()

    def toggle(self) -> None:
        """Play or pause."""
        self.viewer.playback.toggle()

    def advance(self) -> None:
        """Show what is due one picture later."""
        if self.viewer.tick(1.0 / _PICTURES_PER_SECOND):
            self._move_slider()

    def open(self) -> None:
        """Open the window and wait until it is closed."""
        interval = 1000 // _PICTURES_PER_SECOND
        if not self.plotter.off_screen:
            self.plotter.add_timer_event(
                max_steps=10**9, duration=interval, callback=lambda _: self.advance()
            )
        self.plotter.show()

    def _move_slider(self) -> None:
        if self._slider is not None:
            time = self.viewer.playback.time
            self._slider.GetRepresentation().SetValue(time)

    def _slide(self, value: float) -> None:
        self.viewer.show_time(value)


def show(
    shown: Result | Still,
    *,
    time: float | None = None,
    color_by: str = "axial_force",
    size: tuple[int, int] = (1200, 900),
    labels: bool = False,
) -> None:
    """Open a window with the result and a time slider, and wait until it is closed.

    Parameters
    ----------
    shown : Result or Still
        A complete, failed or interrupted run; or a model in a pose, from :func:`fibermsk.still`.
    time : float, optional
        Simulated time to start at [s]; the last frame by default.
    color_by : str
        Field that colors the fibers, as in :func:`fibermsk.view.screenshot`.
    size : (int, int)
        Width and height of the window in pixels.
    labels : bool
        Draw the joint axes of a still, and write the names of its coordinates and muscles.

    Raises
    ------
    ModelError
        If this machine cannot open a window.
    """
    _check_display()
    Player(shown, time=time, color_by=color_by, size=size, labels=labels).open()


def play(
    result: Result, *, color_by: str = "axial_force", size: tuple[int, int] = (1200, 900)
) -> None:
    """Play the result in a window in real time, over and over, until the window is closed.

    Parameters are those of :func:`show`.
    """
    _check_display()
    first = float(result.time[0]) if result.time.size else None
    player = Player(result, time=first, color_by=color_by, size=size)
    player.toggle()
    player.open()


def _check_display() -> None:
    if not has_display():
        raise ModelError(
            "cannot open a window: there is no display (DISPLAY is not set); "
            "write a picture instead, with fibermsk.view.screenshot or "
            "'fibermsk view FILE.h5 --screenshot PNG'"
        )
    if not off_screen_works():
        raise ModelError(
            "cannot open a window: no OpenGL was found; write a picture instead, with "
            "fibermsk.view.screenshot or 'fibermsk view FILE.h5 --screenshot PNG'"
        )

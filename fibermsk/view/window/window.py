"""Window on the desktop: a viewer with toolbar, keys and a panel of curves or sliders."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from fibermsk.results.result import Result
from fibermsk.results.still import Still
from fibermsk.view.drawing.camera import PRESETS
from fibermsk.view.drawing.looks import find_theme
from fibermsk.view.pictures.charts import strip_height
from fibermsk.view.window.keys import KEY_ACTIONS, keys_image
from fibermsk.view.window.overlay import ImageOverlay
from fibermsk.view.window.playback import SPEEDS
from fibermsk.view.window.sliders import WIDTH as _PANEL_WIDTH
from fibermsk.view.window.toolbar import HEIGHT, Toolbar, ToolbarState, rows_within
from fibermsk.view.window.viewer import Viewer

_PICTURES_PER_SECOND = 30
_STILL = 4.0
"""Largest motion of the mouse in a click, in pixels."""
_FIRST = 100.0
"""Priority of events, before those of the camera."""

_OF_TIME = ("toggle", "previous", "next", "slower", "faster", "loop", "charts")
_OF_POSES = ("start pose", "next muscle", "previous muscle")
_ARROWS = ((), ("attachment",), ("contact",), ("attachment", "contact"))


class Window:
    """Viewer with a toolbar, keys, curves of the selected fiber, and sliders for a model.

    Parameters as for `Viewer`.
    """

    def __init__(self, shown: Result | Still | Sequence[Result], **options: Any) -> None:
        self.viewer = Viewer(shown, **options)
        self.plotter = self.viewer.plotter
        self.help = False
        self.charts = self._asked(options) and self.viewer.playback.times.size > 1
        self.bare = False
        self._seeking = False
        self._pressed: tuple[int, int] | None = None
        self._then: float | None = None
        self._bar = ImageOverlay(self.viewer.around.overlay)
        self._panel = ImageOverlay(self.viewer.around.overlay)
        self._strip = ImageOverlay(self.viewer.around.overlay)
        self._keys = ImageOverlay(self.viewer.around.overlay)
        self._turned = False
        self._drawn: tuple[Any, ...] | None = None
        self._make_room()
        self.viewer.look("fit")
        self.refresh()
        self.plotter.render_window.AddObserver("StartEvent", lambda *_: self.refresh())
        if not self.plotter.off_screen:
            self._listen()

    @staticmethod
    def _asked(options: Mapping[str, Any]) -> bool:
        """Whether measures were asked for."""
        return bool(len(options.get("measures", ())))

    def do(self, action: str) -> None:
        """Perform the action of a button or key, without drawing.

        Besides those of buttons: ``"first"``, ``"last"``, ``"next arrows"``, ``"next view"``,
        ``"previous view"``, ``"bare"`` (without bars), ``"no fiber"``, ``"close"``.
        """
        viewer, playback = self.viewer, self.viewer.playback
        verb, _, what = action.partition(" ")
        if verb == "look":
            viewer.look(what)
            self._turned = False
        elif verb == "arrows":
            have = set(viewer.arrows)
            viewer.set_arrows(have ^ {what})
        elif viewer.pose is not None and action in _OF_POSES:
            viewer.pose.do(action)
        else:
            actions: dict[str, Callable[[], Any]] = {
                "toggle": self._toggle,
                "previous": lambda: viewer.step(-1),
                "next": lambda: viewer.step(1),
                "first": lambda: viewer.show_time(float(playback.times[0])),
                "last": lambda: viewer.show_time(float(playback.times[-1])),
                "loop": lambda: setattr(playback, "loop", not playback.loop),
                "slower": lambda: self._change_speed(-1),
                "faster": lambda: self._change_speed(1),
                "real time": lambda: setattr(playback, "speed", 1.0),
                "next field": self._next_field,
                "next arrows": self._next_arrows,
                "names": lambda: viewer.set_names(not viewer.named),
                "theme": lambda: viewer.set_theme("light" if viewer.theme == "dark" else "dark"),
                "help": lambda: setattr(self, "help", not self.help),
                "charts": lambda: self._show("charts"),
                "bare": lambda: self._show("bare"),
                "next view": lambda: self._next_view(1),
                "previous view": lambda: self._next_view(-1),
                "no fiber": self._deselect,
                "close": self._end,
            }
            actions[action]()

    def click(self, x: float, y: float) -> None:
        """Perform the action of a click at a pixel from the left and from below."""
        if self.help:
            self.help = False
            return
        if y < self._bottom:
            action = self.toolbar.hit(x, y)
            if y >= self._bar_height or self.bare:
                time = self.viewer.charts(self._strip_size).time_at(x)
                if time is not None:
                    self.viewer.show_time(time)
            elif action == "seek":
                self.viewer.show_time(self.toolbar.time_at(x))
            elif action is not None:
                self.do(action)
            return
        if self._in_panel(x):
            if self.viewer.pose is not None:
                down = self.plotter.window_size[1] - 1 - y
                self.viewer.pose.press(x - self._width + _PANEL_WIDTH, down)
            return
        self.viewer.pick(x, y)
        self._make_room()

    def key(self, name: str) -> bool:
        """Perform the action of a key; returns whether it has one."""
        action = KEY_ACTIONS.get(name.lower())
        if action is None:
            return False
        still = self.viewer.playback.times.size == 1
        if still and action in _OF_TIME:
            return False
        if self.viewer.pose is None and action in _OF_POSES:
            return False
        if self.viewer.named is None and action == "names":
            return False
        self.do(action)
        return True

    def tick(self) -> bool:
        """Advance the clock by the time since the last tick; returns whether the frame changed."""
        now = clock.perf_counter()
        passed = 0.0 if self._then is None else now - self._then
        self._then = now
        return self.viewer.tick(passed)

    def refresh(self) -> None:
        """Update toolbar, curves and list of keys if the state has changed."""
        viewer, playback = self.viewer, self.viewer.playback
        times = playback.times
        state = ToolbarState(
            (float(times[0]), float(times[-1])),
            float(times[playback.frame]),
            playback.playing,
            playback.loop,
            playback.speed,
            viewer.color_by if viewer.fields else None,
            viewer.arrows,
            viewer.theme == "dark",
            self.help,
            "" if self._turned else viewer.preset,
            self.charts,
            viewer.named,
        )
        width, height = self.plotter.window_size
        pose = viewer.pose
        posed = None if pose is None else pose.state()[1:4]
        now = (state, width, height, viewer.selected, posed, self.bare)
        if now == self._drawn:
            return
        resized = self._drawn is not None and self._drawn[1:3] != (width, height)
        self._drawn = now
        viewer.covered = self.help
        theme = find_theme(viewer.theme)
        before, self.toolbar = self._bar_height, Toolbar(state, width, rows_within(height))
        if self._bar_height != before:
            self._make_room()
        if resized and not self._turned:
            viewer.look(viewer.preset)
        if self.bare:
            self._bar.hide()
        else:
            self._bar.show(self.toolbar.image(theme), 0, 0)
        if self._tall:
            image = viewer.charts(self._strip_size).image()
            self._strip.show(image, 0, self._bottom - self._tall)
        else:
            self._strip.hide()
        if not self._room:
            self._panel.hide()
        elif pose is not None:
            tall = max(height - self._bar_height, 240)
            self._panel.show(pose.image(theme, tall), width - _PANEL_WIDTH, self._bar_height)
        else:
            tall = max(height - self._bar_height, 240)
            self._panel.show(
                viewer.curves((_PANEL_WIDTH, tall)).image(), width - _PANEL_WIDTH, self._bar_height
            )
        if self.help:
            image = keys_image(viewer.theme)
            free = width - self._room
            left = max((free - image.shape[1]) // 2, 0)
            self._keys.show(image, left, max((height - image.shape[0]) // 2, 0))
        else:
            self._keys.hide()

    def open(self) -> None:
        """Open the window and wait until it is closed."""
        if not self.plotter.off_screen:
            self.plotter.add_timer_event(
                max_steps=10**9,
                duration=1000 // _PICTURES_PER_SECOND,
                callback=lambda _: self._on_timer(),
            )
        self.plotter.show()

    @property
    def _width(self) -> int:
        return int(self.plotter.window_size[0])

    @property
    def _room(self) -> int:
        """Width of the panel that is shown."""
        if self.bare:
            return 0
        return _PANEL_WIDTH if self.viewer.pose is not None or self.viewer.selected else 0

    @property
    def _tall(self) -> int:
        """Height of the charts that are shown."""
        shown = self.charts and not self.bare and len(self.viewer.measures)
        return strip_height(1, tuple(self.plotter.window_size)) if shown else 0

    @property
    def _strip_size(self) -> tuple[int, int]:
        return max(self._width - self._room, 1), self._tall

    @property
    def _bar_height(self) -> int:
        toolbar: Toolbar | None = getattr(self, "toolbar", None)
        return HEIGHT if toolbar is None else toolbar.height

    @property
    def _bottom(self) -> int:
        """Height of all that is shown below the scene."""
        return self._tall + (0 if self.bare else self._bar_height)

    def _in_panel(self, x: float) -> bool:
        return self._room > 0 and x >= self._width - self._room

    def _toggle(self) -> None:
        self._then = None
        if self.viewer.playback.frame == self.viewer.playback.times.size - 1:
            self.viewer.show_time(float(self.viewer.playback.times[0]))
        self.viewer.playback.toggle()

    def _change_speed(self, n: int) -> None:
        playback = self.viewer.playback
        k = int(np.argmin(np.abs(np.log(np.array(SPEEDS) / playback.speed)))) + n
        playback.speed = SPEEDS[min(max(k, 0), len(SPEEDS) - 1)]

    def _next_field(self) -> None:
        fields = self.viewer.fields
        if fields:
            self.viewer.set_field(fields[(fields.index(self.viewer.color_by) + 1) % len(fields)])

    def _next_view(self, n: int) -> None:
        views = PRESETS[1:]
        now = self.viewer.preset
        start = (
            views.index(now) if now in views and not self._turned else -min(n, 0) - 1 + len(views)
        )
        self.do(f"look {views[(start + n) % len(views)]}")

    def _show(self, what: str) -> None:
        """Show or hide something, and keep everything in view if the camera was not turned."""
        setattr(self, what, not getattr(self, what))
        self._make_room()
        if not self._turned:
            self.viewer.look(self.viewer.preset)

    def _next_arrows(self) -> None:
        now = self.viewer.arrows
        self.viewer.set_arrows(_ARROWS[(_ARROWS.index(now) + 1) % len(_ARROWS)])

    def _deselect(self) -> None:
        if self.viewer.pose is not None:
            self.viewer.pose.choose(None)
        self.viewer.select(None)
        self._make_room()

    def _make_room(self) -> None:
        """Reserve room for bars, charts, the sliders of a model or the curves of a fiber."""
        self.viewer.around.set_margins(self._room, self._bottom)

    def _end(self) -> None:
        interactor = self.plotter.iren
        if interactor is not None:
            interactor.terminate_app()

    def _listen(self) -> None:
        """Observe mouse and keys before the camera does, which they move as in other viewers."""
        self.plotter.enable_custom_trackball_style(
            left="rotate", shift_left="pan", control_left="spin", middle="dolly", right="pan"
        )
        interactor = self.plotter.iren.interactor
        # the camera grabs the mouse while it turns, so that the release is observed passively
        _observe(interactor, "LeftButtonReleaseEvent", self._on_release, passive=True)
        for event, answer in (
            ("LeftButtonPressEvent", self._on_press),
            ("MouseMoveEvent", self._on_move),
            ("KeyPressEvent", lambda x, y: self._on_key(interactor.GetKeySym() or "")),
            # VTK's own shortcuts
            ("CharEvent", lambda x, y: True),
        ):
            _observe(interactor, event, answer)

    def _on_press(self, x: int, y: int) -> bool:
        self._pressed = (x, y)
        if self.help or y < self._bottom or (self.viewer.pose is not None and self._in_panel(x)):
            bar = not self.help and not self.bare and y < self._bar_height
            self._seeking = bar and self.toolbar.hit(x, y) == "seek"
            self._then = None
            self.click(x, y)
            self._pressed = None
            self.plotter.render()
            return True
        return self._in_panel(x)

    def _on_move(self, x: int, y: int) -> bool:
        pose = self.viewer.pose
        if pose is not None and pose.drag(x - self._width + _PANEL_WIDTH):
            pass
        elif self._seeking:
            self.viewer.show_time(self.toolbar.time_at(x))
        else:
            return False
        self.plotter.render()
        return True

    def _on_release(self, x: int, y: int) -> bool:
        if self.viewer.pose is not None and self.viewer.pose.release():
            return True
        if self._seeking:
            self._seeking, self._then = False, None
            return True
        pressed, self._pressed = self._pressed, None
        if pressed is not None:
            if np.hypot(x - pressed[0], y - pressed[1]) <= _STILL:
                self.click(x, y)
            else:
                self._turned = True
            self.plotter.render()
        return False

    def _on_key(self, name: str) -> bool:
        if self.key(name):
            self.plotter.render()
        return True

    def _on_timer(self) -> None:
        if self.tick():
            self.plotter.render()


def _observe(
    interactor: Any, event: str, answer: Callable[[int, int], bool], *, passive: bool = False
) -> None:
    """Call `answer` with the mouse position at each event; if true, other observers are skipped.

    Passive observers are always called, and skip no others.
    """

    def hear(*_: Any) -> None:
        stop = answer(*interactor.GetEventPosition())
        interactor.GetCommand(tag).SetAbortFlag(int(stop and not passive))

    tag = interactor.AddObserver(event, hear, _FIRST)
    interactor.GetCommand(tag).SetPassiveObserver(int(passive))

"""The page of the viewer in a browser: its buttons, and what they do."""

from __future__ import annotations

import asyncio
import base64
import io
import secrets
from itertools import count
from typing import Any

from aiohttp import web
from matplotlib.figure import Figure
from trame.app import get_server
from trame.widgets import client, html, rca
from trame.widgets import vuetify3 as v3
from trame_vuetify.ui.vuetify3 import VAppLayout
from yarl import URL

from fibermsk.results.units import FIBER_LABELS
from fibermsk.view.camera import PRESETS
from fibermsk.view.looks import THEMES
from fibermsk.view.playback import SPEEDS
from fibermsk.view.viewer import Viewer
from fibermsk.view.web_stream import SceneStream

__all__ = ["Page"]

_AREA = "scene"
_CURVES = (360, 700)
"""Width and height of the curves in pixels of the page."""
_ARROWS = {"attachment": "Attachment forces", "contact": "Contact forces"}
_ICONS = {"attachment": "mdi-arrow-up-bold", "contact": "mdi-arrow-collapse-horizontal"}
_servers = count(1)
_STYLE = """
html, body { overflow: hidden !important; }
.scene { position: absolute; inset: 0; touch-action: none; outline: none; }
.scene .remote-controlled-area, .scene .remote-controlled-area-content { height: 100%; }
.scene img { width: 100%; height: 100%; object-fit: contain; display: block; user-select: none; }
.curves { position: relative; line-height: 0; }
.curves img { width: 100%; }
.curves .mark { position: absolute; width: 1.5px; margin-left: -0.75px; pointer-events: none; }
.time { font-variant-numeric: tabular-nums; white-space: nowrap; text-align: right; }
"""


class Page:
    """Server of one viewer, with its page.

    Parameters
    ----------
    viewer : Viewer
        Off the screen.

    Attributes
    ----------
    server : trame_server.Server
        Not started yet.
    stream : SceneStream
        Its `run` must run beside the server.
    """

    def __init__(self, viewer: Viewer) -> None:
        self.viewer = viewer
        self.server: Any = get_server(f"fibermsk_{next(_servers)}", client_type="vue3")
        self.stream = SceneStream(_AREA, viewer, self._tell, self._picked)
        self._curves_of: tuple[Any, ...] = (None, viewer.theme)
        self._drawing: asyncio.Task[None] | None = None
        self._secret = secrets.token_urlsafe()
        # Pictures are compressed already.
        self.server.cli.set_defaults(authKey=self._secret, nowscompress=True)
        self._set_up_state()
        self._set_up_page()
        self.server.controller.on_server_bind.add(self._set_up_route)
        self.server.controller.on_server_ready.add(
            lambda **_: self.server.controller.rc_area_register(self.stream)
        )

    def _set_up_route(self, web_server: Any) -> None:
        """Tell the page, and no page of another site, how to connect."""

        async def connection(request: web.Request) -> web.Response:
            page = URL(request.headers.get("Referer", str(request.url.with_path("/"))))
            scheme = "wss" if page.scheme == "https" else "ws"
            address = page.with_scheme(scheme).with_query(None).with_fragment(None)
            folder = page.path.rpartition("/")[0]
            return web.json_response(
                {"sessionURL": str(address.with_path(f"{folder}/ws")), "secret": self._secret}
            )

        web_server.app.router.add_post("/paraview/", connection)

    # State: what the page shows

    def _set_up_state(self) -> None:
        viewer, state = self.viewer, self.server.state
        playback = viewer.playback
        several = len(viewer.results) > 1
        state.trame__title = f"{', '.join(viewer.names)} - fibermsk"
        state.client_only("dragged", "panel")
        state.update(
            {
                "dragged": None,
                "picture": 0,
                "times": [float(playback.times[0]), float(playback.times[-1])],
                "moves": playback.times.size > 1,
                "step": float(min(playback.times[1:] - playback.times[:-1], default=1.0)),
                "time": float(playback.times[playback.frame]),
                "playing": playback.playing,
                "speed": playback.speed,
                "speeds": [{"title": f"{s:g} ×", "value": s} for s in SPEEDS],
                "loop": playback.loop,
                "fields": [
                    {"title": FIBER_LABELS[name].partition(" [")[0], "value": name}
                    for name in viewer.fields
                ],
                "field": viewer.color_by,
                "arrows": list(viewer.arrows),
                "theme": viewer.theme,
                "fibers": [
                    {
                        "title": f"{fiber} ({viewer.names[k]})" if several else fiber,
                        "value": _key(k, fiber),
                    }
                    for k, result in enumerate(viewer.results)
                    for fiber in result.fibers
                ],
                "fiber": None,
                "panel": False,
                "curves": "",
                "marks": [],
            }
        )

    def _tell(self, number: int) -> None:
        """A picture was sent: now the page may show what belongs to it."""
        playback = self.viewer.playback
        with self.server.state as state:
            state.picture = number
            state.time = float(playback.times[playback.frame])
            state.playing = playback.playing

    def _picked(self) -> None:
        """The selection changed."""
        chosen = self.viewer.selection
        with self.server.state as state:
            state.fiber = None if chosen is None else _key(*chosen)
            if chosen is not None:
                state.panel = True
        self._ask_curves()

    def _ask_curves(self) -> None:
        """Have the curves drawn beside what else goes on; the page itself moves the mark."""
        if self._drawing is None or self._drawing.done():
            self._drawing = asyncio.create_task(self._draw_curves())

    async def _draw_curves(self) -> None:
        viewer = self.viewer
        while self._curves_of != (wanted := (viewer.selection, viewer.theme)):
            curves, marks = "", []
            if viewer.selection is not None:
                figure = viewer.curves(_CURVES)
                curves = await asyncio.to_thread(_data_url, figure)
                marks = [_place(ax) for ax in figure.axes]
            self._curves_of = wanted
            with self.server.state as state:
                state.curves, state.marks = curves, marks

    # Actions: what the page asks for

    def _toggle(self) -> None:
        self.stream.toggle()
        self.server.state.playing = self.viewer.playback.playing

    def _step(self, n: float) -> None:
        self.viewer.step(int(n))
        self.stream.ask()

    def _seek(self, time: float) -> None:
        first, last = self.server.state.times
        self.stream.seek(min(max(float(time), first), last))

    def _set_speed(self, speed: float) -> None:
        self.viewer.playback.speed = float(speed)
        self.server.state.speed = self.viewer.playback.speed

    def _toggle_loop(self) -> None:
        self.viewer.playback.loop = not self.viewer.playback.loop
        self.server.state.loop = self.viewer.playback.loop

    def _set_field(self, name: str) -> None:
        self.viewer.set_field(name)
        self.server.state.field = self.viewer.color_by
        self.stream.ask()

    def _toggle_arrows(self, kind: str) -> None:
        now = self.viewer.arrows
        chosen = tuple(k for k in _ARROWS if (k in now) != (k == kind))
        self.viewer.set_arrows(chosen)
        self.server.state.arrows = list(self.viewer.arrows)
        self.stream.ask()

    def _toggle_theme(self) -> None:
        self.viewer.set_theme("light" if self.viewer.theme == "dark" else "dark")
        self.server.state.theme = self.viewer.theme
        self._ask_curves()
        self.stream.ask()

    def _select(self, key: str | None) -> None:
        if not key:
            self.viewer.select(None)
        else:
            number, _, name = key.partition(":")
            self.viewer.select(name, int(number))
        self._picked()
        self.stream.ask()

    def _still(self) -> bytes:
        """The scene as a PNG file."""
        from PIL import Image

        target = io.BytesIO()
        Image.fromarray(self.stream.image()).save(target, "png")
        return self.server.protocol.addAttachment(target.getvalue())

    # Layout

    def _set_up_page(self) -> None:
        colors = {
            name: {
                "dark": name == "dark",
                "colors": {
                    "background": look.background,
                    "surface": look.panel,
                    "on-surface": look.text,
                    "primary": look.accent,
                },
            }
            for name, look in THEMES.items()
        }
        with VAppLayout(
            self.server, vuetify_config={"theme": {"themes": colors}}, theme=("theme",)
        ):
            client.Style(_STYLE)
            client.ClientStateChange(value="picture", change=(self.stream.confirm, "[picture]"))
            self._bar()
            self._panel()
            with (
                v3.VMain(style="height: 100vh"),
                html.Div(style="position: relative; height: 100%"),
            ):
                with html.Div(
                    classes="scene",
                    tabindex="0",
                    keydown_space_prevent=self._toggle,
                    keydown_left_prevent=(self._step, "[-1]"),
                    keydown_right_prevent=(self._step, "[1]"),
                    keydown_r=(self.stream.look, "['fit']"),
                ):
                    rca.RemoteControlledArea(name=_AREA, display="image")
            if self.viewer.playback.times.size > 1:
                self._clock()

    def _bar(self) -> None:
        """Upper edge: what is shown, and from where."""
        with v3.VAppBar(density="comfortable", flat=True, border="b", classes="px-2"):
            html.Div(
                ", ".join(self.viewer.names), classes="text-subtitle-1 text-truncate ml-2 mr-4"
            )
            v3.VSpacer()
            if self.viewer.fields:
                v3.VSelect(
                    label="Color fibers by",
                    model_value=("field",),
                    items=("fields",),
                    update_modelValue=(self._set_field, "[$event]"),
                    density="compact",
                    variant="outlined",
                    hide_details=True,
                    classes="mr-2 field",
                    style="max-width: 15rem; min-width: 11rem",
                )
                for kind, words in _ARROWS.items():
                    self._button(
                        _ICONS[kind],
                        f"{words} as arrows",
                        (self._toggle_arrows, f"['{kind}']"),
                        active=f"arrows.includes('{kind}')",
                    )
            with v3.VMenu():
                with v3.Template(v_slot_activator="{ props }"):
                    self._button("mdi-video-outline", "Camera", None, v_bind="props")
                with v3.VList(density="compact"):
                    for preset in PRESETS:
                        v3.VListItem(
                            title="Everything in view"
                            if preset == "fit"
                            else f"From {preset}"
                            if preset in ("top", "bottom")
                            else preset.capitalize(),
                            click=(self.stream.look, f"['{preset}']"),
                        )
            self._button(
                ("theme == 'dark' ? 'mdi-weather-sunny' : 'mdi-weather-night'",),
                "Light or dark",
                self._toggle_theme,
            )
            still = self.server.controller.trigger_name(self._still)
            self._button(
                "mdi-download",
                "Save the picture",
                f"utils.download('{self.viewer.names[0]}.png', trigger('{still}'), 'image/png')",
            )
            if self.server.state.fibers:
                self._button(
                    "mdi-chart-line",
                    "Curves of a fiber",
                    "panel = !panel",
                    active="panel",
                )

    def _panel(self) -> None:
        """Right edge: curves of one fiber."""
        if not self.server.state.fibers:
            return
        with v3.VNavigationDrawer(
            v_model="panel", location="right", width=_CURVES[0] + 24, permanent=True,
            disable_resize_watcher=True,
        ), html.Div(classes="pa-3"):  # fmt: skip
            v3.VAutocomplete(
                label="Fiber",
                model_value=("fiber",),
                items=("fibers",),
                update_modelValue=(self._select, "[$event]"),
                clearable=True,
                density="compact",
                variant="outlined",
                hide_details=True,
                classes="mb-3 fiber",
            )
            html.Div(
                "Click a fiber in the scene, or choose one here, to see its curves over time.",
                v_if="!curves",
                classes="text-body-2 text-medium-emphasis",
            )
            with html.Div(classes="curves", v_if="curves"):
                html.Img(src=("curves",), alt="curves of the fiber over time")
                html.Div(
                    v_for="(m, i) in marks",
                    key="i",
                    classes="mark bg-primary",
                    style=(
                        "{ top: m.top + '%', height: m.height + '%', left: (m.left + m.width * "
                        "(time - m.first) / (m.last - m.first)) + '%' }",
                    ),
                )

    def _clock(self) -> None:
        """Lower edge: time."""
        # While it is dragged the slider follows the pointer, not the pictures that lag behind it.
        seek = self.server.controller.trigger_name(self._seek)
        with v3.VFooter(app=True, border="t", classes="py-1 px-2", style="gap: 4px"):
            self._button(
                ("playing ? 'mdi-pause' : 'mdi-play'",), "Play or pause (space)", self._toggle
            )
            self._button("mdi-skip-previous", "One frame back (left)", (self._step, "[-1]"))
            self._button("mdi-skip-next", "One frame on (right)", (self._step, "[1]"))
            v3.VSlider(
                model_value=("dragged ?? time",),
                start="dragged = $event",
                update_modelValue=(
                    f"if (dragged !== null) dragged = $event; trigger('{seek}', [$event])"
                ),
                end="time = $event; dragged = null",
                min=("times[0]",),
                max=("times[1]",),
                step=("step",),
                hide_details=True,
                density="compact",
                color="primary",
                classes="mx-3 clock",
                raw_attrs=_named("time"),
            )
            html.Div(
                "{{ (dragged ?? time).toFixed(3) }} s of {{ times[1].toFixed(3) }} s",
                classes="time text-body-2 mr-2",
                style="min-width: 11em",
            )
            v3.VSelect(
                model_value=("speed",),
                items=("speeds",),
                update_modelValue=(self._set_speed, "[$event]"),
                density="compact",
                variant="outlined",
                hide_details=True,
                classes="speed",
                style="max-width: 6.5rem",
                raw_attrs=_named("speed"),
            )
            self._button("mdi-repeat", "Over and over", self._toggle_loop, active="loop")

    def _button(self, icon: Any, words: str, action: Any, *, active: str = "", **more: Any) -> None:
        """Button with an icon and a hint."""
        settings: dict[str, Any] = {"size": "small", "raw_attrs": _named(words, hint=True)} | more
        if action is not None:
            settings["click"] = action
        if active:
            settings["color"] = (f"{active} ? 'primary' : undefined",)
            settings["variant"] = (f"{active} ? 'tonal' : 'text'",)
        else:
            settings["variant"] = "text"
        v3.VBtn(icon=icon, **settings)


def _key(number: int, fiber: str) -> str:
    """A fiber of one of the results, as one word."""
    return f"{number}:{fiber}"


def _named(words: str, *, hint: bool = False) -> list[str]:
    """Attributes that name a control for who does not see its icon, and for who hovers over it."""
    return [f'aria-label="{words}"', *([f'title="{words}"'] if hint else [])]


def _data_url(figure: Figure) -> str:
    """The figure without its marks as a picture within the page."""
    marks = [line for ax in figure.axes for line in ax.lines if line.get_gid() == "mark"]
    for mark in marks:
        mark.set_visible(False)
    target = io.BytesIO()
    # twice the pixels, for screens that have them
    figure.savefig(target, format="png", dpi=2 * figure.dpi)
    return f"data:image/png;base64,{base64.b64encode(target.getvalue()).decode()}"


def _place(ax: Any) -> dict[str, float]:
    """Where the inside of a plot is, in percent of the figure from its upper left corner."""
    box = ax.get_position()
    first, last = ax.get_xlim()
    return {
        "left": 100.0 * box.x0,
        "width": 100.0 * box.width,
        "top": 100.0 * (1.0 - box.y1),
        "height": 100.0 * box.height,
        "first": float(first),
        "last": float(last),
    }

"""The page of the viewer in a browser: what it shows, and what its buttons do."""

from __future__ import annotations

import asyncio
import base64
import io
import re
import secrets
from collections.abc import Sequence
from itertools import count
from typing import Any

from aiohttp import web
from matplotlib.figure import Figure
from PIL import Image
from trame.app import get_server
from yarl import URL

from fibermsk.results.units import FIBER_LABELS
from fibermsk.view.looks import ARROW_COLORS
from fibermsk.view.playback import SPEEDS
from fibermsk.view.viewer import Viewer
from fibermsk.view.web_guard import guard
from fibermsk.view.web_layout import AREA, CURVES, lay_out
from fibermsk.view.web_stream import SceneStream

__all__ = ["Page"]

_servers = count(1)


class Page:
    """Server of one viewer, with its page.

    Parameters
    ----------
    viewer : Viewer
        Off the screen.
    host : str
        Address at which the server will listen.
    allow_hosts : sequence of str
        Further names under which browsers may reach it.

    Attributes
    ----------
    server : trame_server.Server
        Not started yet.
    stream : SceneStream
        Its `run` must run beside the server.
    """

    def __init__(
        self, viewer: Viewer, host: str = "127.0.0.1", allow_hosts: Sequence[str] = ()
    ) -> None:
        self.viewer = viewer
        self._guard = guard(host, allow_hosts)
        self.server: Any = get_server(f"fibermsk_{next(_servers)}", client_type="vue3")
        self.stream = SceneStream(AREA, viewer, self._tell, self._picked)
        self._curves_of: tuple[Any, ...] = (None, viewer.theme)
        self._drawing: asyncio.Task[None] | None = None
        self._secret = secrets.token_urlsafe()
        # Pictures are compressed already.
        self.server.cli.set_defaults(authKey=self._secret, nowscompress=True)
        self._set_up_state()
        lay_out(self)
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

        web_server.app.middlewares.append(self._guard)
        web_server.app.router.add_post("/paraview/", connection)

    # State: what the page shows

    def _set_up_state(self) -> None:
        viewer, state = self.viewer, self.server.state
        playback = viewer.playback
        several = len(viewer.results) > 1
        state.trame__title = f"{', '.join(viewer.names)} - fibermsk"
        state.client_only("dragged")
        state.update(
            {
                "dragged": None,
                "names": ", ".join(viewer.names),
                "file_name": re.sub(r"[^\w.-]+", "_", "-".join(viewer.names)) + ".png",
                "picture": 0,
                "sharp": False,
                "times": [float(playback.times[0]), float(playback.times[-1])],
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
                        "value": fiber_key(k, fiber),
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

    def _tell(self, number: int, sharp: bool) -> None:
        """A picture was sent: now the page may show what belongs to it."""
        playback = self.viewer.playback
        with self.server.state as state:
            state.picture, state.sharp = number, sharp
            state.time = float(playback.times[playback.frame])
            state.playing = playback.playing

    def _picked(self) -> None:
        """The selection changed."""
        chosen = self.viewer.selection
        with self.server.state as state:
            state.fiber = None if chosen is None else fiber_key(*chosen)
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
                figure = viewer.curves(CURVES)
                curves = await asyncio.to_thread(_data_url, figure)
                marks = [_place(ax) for ax in figure.axes]
            self._curves_of = wanted
            with self.server.state as state:
                state.curves, state.marks = curves, marks

    # Actions: what the page asks for

    def toggle(self) -> None:
        """Play or pause."""
        self.stream.toggle()
        self.server.state.playing = self.viewer.playback.playing

    def step(self, n: float) -> None:
        """Go on by some frames."""
        self.viewer.step(int(n))
        self.stream.ask()

    def seek(self, time: float) -> None:
        """Show a time [s]."""
        first, last = self.server.state.times
        self.stream.seek(min(max(float(time), first), last))

    def set_speed(self, speed: float) -> None:
        """Play at another speed."""
        self.viewer.playback.speed = float(speed)
        self.server.state.speed = self.viewer.playback.speed

    def toggle_loop(self) -> None:
        """Play over and over, or once."""
        self.viewer.playback.loop = not self.viewer.playback.loop
        self.server.state.loop = self.viewer.playback.loop

    def set_field(self, name: str) -> None:
        """Color the fibers by another field."""
        self.viewer.set_field(name)
        self.server.state.field = self.viewer.color_by
        self.stream.ask()

    def toggle_arrows(self, kind: str) -> None:
        """Show or hide the arrows of one kind."""
        now = self.viewer.arrows
        chosen = tuple(k for k in ARROW_COLORS if (k in now) != (k == kind))
        self.viewer.set_arrows(chosen)
        self.server.state.arrows = list(self.viewer.arrows)
        self.stream.ask()

    def toggle_theme(self) -> None:
        """Change between light and dark."""
        self.viewer.set_theme("light" if self.viewer.theme == "dark" else "dark")
        self.server.state.theme = self.viewer.theme
        self._ask_curves()
        self.stream.ask()

    def select(self, key: str | None) -> None:
        """Select a fiber by its key, or none."""
        if not key:
            self.viewer.select(None)
        else:
            number, _, name = key.partition(":")
            self.viewer.select(name, int(number))
        self._picked()
        self.stream.ask()

    def still(self) -> bytes:
        """The scene as a PNG file."""
        target = io.BytesIO()
        Image.fromarray(self.stream.image()).save(target, "png")
        return self.server.protocol.addAttachment(target.getvalue())


def fiber_key(number: int, fiber: str) -> str:
    """A fiber of one of the results, as one word."""
    return f"{number}:{fiber}"


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

"""Server of the page on this machine, which sends the data in parts."""

from __future__ import annotations

import os
import socket
import sys
import webbrowser
from collections.abc import Callable, Iterable, Sequence
from email.message import Message
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from threading import Lock
from typing import Any

from fibermsk.errors import ModelError
from fibermsk.results.measures import Asked
from fibermsk.results.result import Result
from fibermsk.results.still import Still
from fibermsk.view.browser.content import Content, pack
from fibermsk.view.browser.guard import guard
from fibermsk.view.browser.pose import Poses
from fibermsk.view.browser.write import check_theme, page
from fibermsk.view.pictures.opengl import has_display

DEFAULT_PORT = 8080
_IDLE = 60.0
"""Seconds after which an idle connection is closed."""


def serve(
    shown: Result | Still | Sequence[Result],
    *,
    names: Sequence[str] | None = None,
    compare: str = "side_by_side",
    time: float | None = None,
    color_by: str = "tissue",
    theme: str = "auto",
    arrows: Iterable[str] = (),
    labels: bool = False,
    envelope: bool = False,
    measures: Asked = (),
    max_frames: int | None = None,
    port: int = DEFAULT_PORT,
    host: str = "127.0.0.1",
    allow_hosts: Sequence[str] = (),
    open_browser: bool | None = None,
) -> None:
    """Serve the page of results or of a model to browsers, until Ctrl-C.

    The browser draws, so that this machine needs no OpenGL. It shows the first picture when some
    frames are loaded, and requests the others later. A model has a slider for each free coordinate,
    and this machine solves the paths of its muscles. Every program that can reach the address can
    read the scene: with the default host, programs on this machine only. Requests of pages of other
    sites are refused by their headers Host and Origin.

    Parameters
    ----------
    shown : Result, Still, or sequence of Result
        Results or model to show; several results are compared.
    names, compare, color_by, theme, arrows, labels, envelope, measures, max_frames
        As for :func:`fibermsk.view.write_page`.
    time : float, optional
        Simulated time at first [s]; by default the page plays from the first frame.
    port : int
        Port of the server, 1 to 65535; 0 for any free port. The address is printed.
    host : str
        Address of the server.
    allow_hosts : sequence of str
        Names under which browsers reach the server besides ``localhost`` and `host`, such as that
        of a proxy before it.
    open_browser : bool, optional
        Whether to open the page here; by default if there is a display and a browser.

    Raises
    ------
    ModelError
        If there is no such field, time, theme, comparison or kind of arrows, no frame, or the port
        is invalid or in use.
    """
    check_theme(theme)
    with PageServer(host, port, allow_hosts) as server:
        content = pack(
            shown, names=names, compare=compare, time=time, autoplay=time is None,
            color_by=color_by, arrows=arrows, labels=labels, envelope=envelope, measures=measures,
            max_frames=max_frames, served=True,
        )  # fmt: skip
        server.show(content, theme)
        print(f"viewer at {server.address} (Ctrl-C ends)", flush=True)
        if _has_browser() if open_browser is None else open_browser:
            webbrowser.open(server.address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            # the intended end
            print("stopped", file=sys.stderr)


def check_port(port: int, host: str = "127.0.0.1") -> None:
    """Refuse a port that is invalid or in use, before files are read."""
    PageServer(host, port).server_close()


class PageServer(ThreadingTCPServer):
    """Server of one page and its data under fixed paths. Parameters as for `serve`."""

    daemon_threads = True
    # on Windows two servers could share a port
    allow_reuse_address = os.name == "posix"

    def __init__(self, host: str, port: int, allow_hosts: Sequence[str] = ()) -> None:
        if not 0 <= port <= 65535:
            raise ModelError(
                f"port = {port}; must lie between 1 and 65535, or be 0 for any free one"
            )
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            self.address_family = found[0]
            super().__init__((str(found[4][0]), port), _Handler)
        except PermissionError as error:
            raise ModelError(
                f"port = {port} on {host}: not allowed; ports below 1024 need special rights; use "
                "a higher one, or 0 for any free one"
            ) from error
        except OSError as error:
            reason = error.strerror or str(error)
            raise ModelError(
                f"port = {port} on {host}: {reason[:1].lower()}{reason[1:]}; give another one, or "
                "0 for any free one"
            ) from error
        name = f"[{host}]" if ":" in host else host
        self.address = f"http://{name}:{self.server_address[1]}/"
        self._refusal = guard(host, allow_hosts)
        self._answers: dict[str, tuple[str, Callable[[], bytes]]] = {}
        self._poses: Poses | None = None
        # a stage has one pose at a time
        self._posing = Lock()

    def show(self, content: Content, theme: str) -> None:
        """Set the page."""
        text = page(content, theme).encode()
        self._poses = content.poses
        self._answers = {"/": ("text/html; charset=utf-8", lambda: text)} | {
            f"/parts/{k}": ("application/octet-stream", partial(content.part, k))
            for k in range(content.n_parts)
        }

    def answer(self, path: str, query: str, headers: Message) -> tuple[HTTPStatus, str, bytes]:
        """Status, content type and body of a response."""
        found = (headers.get_all(name, []) for name in ("Host", "Origin"))
        if problem := self._refusal(*found):
            text = f"fibermsk: {problem}; to allow it, use --allow-host NAME\n"
            return HTTPStatus.FORBIDDEN, "text/plain; charset=utf-8", text.encode()
        if path == "/pose" and self._poses is not None:
            try:
                with self._posing:
                    return HTTPStatus.OK, "application/octet-stream", self._poses.answer(query)
            except ModelError as error:
                return HTTPStatus.BAD_REQUEST, "text/plain; charset=utf-8", str(error).encode()
        if path not in self._answers:
            return HTTPStatus.NOT_FOUND, "text/plain", b"fibermsk: there is no such page\n"
        kind, body = self._answers[path]
        return HTTPStatus.OK, kind, body()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print the error, unless the connection was closed."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """Handler of GET requests; other methods are not supported."""

    protocol_version = "HTTP/1.1"
    timeout = _IDLE

    def do_GET(self) -> None:
        """Send the page or a part of its data."""
        assert isinstance(self.server, PageServer)
        path, _, query = self.path.partition("?")
        status, kind, body = self.server.answer(path, query, self.headers)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        if status != HTTPStatus.OK:
            # the body of a refused request is not read as another request
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing on the terminal."""


def _has_browser() -> bool:
    """Whether a browser with a window is available; one in the terminal would block it."""
    if not has_display():
        return False
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True

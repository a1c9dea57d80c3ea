"""The viewer in a browser: a server on this machine, and what its page does."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import webbrowser
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from fibermsk.errors import ModelError
from fibermsk.results.result import Result
from fibermsk.results.still import Still

if TYPE_CHECKING:
    from fibermsk.view.web_page import Page

__all__ = ["DEFAULT_PORT", "check_web", "serve"]

_NEEDED = ("trame", "trame_client", "trame_server", "trame_rca", "trame_vuetify", "wslink")
DEFAULT_PORT = 8080


def serve(
    shown: Result | Still | Sequence[Result],
    *,
    names: Sequence[str] | None = None,
    compare: str = "side_by_side",
    time: float | None = None,
    color_by: str = "axial_force",
    theme: str = "light",
    arrows: Iterable[str] = (),
    labels: bool = False,
    port: int = DEFAULT_PORT,
    host: str = "127.0.0.1",
    allow_hosts: Sequence[str] = (),
    open_browser: bool | None = None,
) -> None:
    """Serve the viewer as a page for a browser, until Ctrl-C.

    This machine draws and sends pictures; the browser needs no OpenGL. All pages that are open show
    the same scene. Whoever reaches the address can look on: with the default host, programs on this
    machine alone. Requests of other sites' pages are refused by their headers Host and Origin.

    Parameters
    ----------
    shown : Result, Still, or sequence of Result
        What to show; several are compared.
    names, compare, time, color_by, theme, arrows, labels
        As for ``fibermsk.view.viewer.Viewer``.
    port : int
        Where to listen, 1 to 65535; 0 for any that is free. The address is printed.
    host : str
        Address to listen at.
    allow_hosts : sequence of str
        Names under which browsers reach the server besides ``localhost`` and `host`, such as that
        of a proxy before it.
    open_browser : bool, optional
        Whether to open the page here; by default if there is a display and a browser.

    Raises
    ------
    ModelError
        If trame or OpenGL is missing, or the port is none or taken.
    """
    check_web(port, host)
    from fibermsk.view.viewer import Viewer

    viewer = Viewer(
        shown,
        names=names,
        compare=compare,
        time=time,
        color_by=color_by,
        theme=theme,
        arrows=arrows,
        labels=labels,
        off_screen=True,
    )
    try:
        asyncio.run(_serve(viewer, port, host, tuple(allow_hosts), open_browser))
    except KeyboardInterrupt:
        # Ctrl-C is how it is meant to end.
        print("stopped", file=sys.stderr)
    finally:
        viewer.close()


def check_web(port: int, host: str = "127.0.0.1") -> None:
    """Refuse to serve where it cannot work, before anything is read or drawn.

    Raises
    ------
    ModelError
        If trame or OpenGL is missing, or the port is none or taken.
    """
    _check_packages()
    _check_port(port, host)
    _check_opengl()


def _check_port(port: int, host: str) -> None:
    if not 0 <= port <= 65535:
        raise ModelError(f"port = {port}; must lie between 1 and 65535, or be 0 for any free one")
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            if os.name == "posix":
                # as the server does, so that a port it has just left is not taken
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except PermissionError as error:
        raise ModelError(
            f"port = {port} on {host}: not allowed; ports below 1024 need special rights, take a "
            "higher one, or 0 for any free one"
        ) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelError(
            f"port = {port} on {host}: {reason[:1].lower()}{reason[1:]}; give another one, or 0 "
            "for any free one"
        ) from error


def _check_packages() -> None:
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        are = "is" if len(missing) == 1 else "are"
        raise ModelError(
            f"the viewer in a browser needs {', '.join(missing)}, which {are} not installed; "
            'in the clone of fibermsk run: pip install -e ".[web]"'
        )


def _check_opengl() -> None:
    from fibermsk.view.opengl import off_screen_works

    if not off_screen_works():
        raise ModelError(
            "cannot draw for a browser: no OpenGL was found on this machine; write a page that the "
            "browser draws itself, with 'fibermsk view FILE.h5 --html FILE', or install Mesa "
            "(libegl1 and libgl1-mesa-dri on Debian and Ubuntu)"
        )


async def _serve(
    viewer: Any, port: int, host: str, allow_hosts: Sequence[str], open_browser: bool | None
) -> None:
    """Run the server and the drawing until cancelled."""
    from fibermsk.view.web_page import Page

    # The command line is not the server's to read; and it shall not chatter.
    os.environ.setdefault("TRAME_ARGS", "")
    os.environ.setdefault("WSLINK_READY_MSG", "")
    page = Page(viewer, host, allow_hosts)
    serving = page.server.start(
        exec_mode="coroutine",
        host=host,
        port=port,
        thread=True,  # leaves Ctrl-C to asyncio
        timeout=0,
        open_browser=False,
        show_connection_info=False,
        disable_logging=True,
    )
    server = asyncio.create_task(serving)
    drawing = asyncio.create_task(page.stream.run())
    welcome = asyncio.create_task(_welcome(page, host, open_browser))
    tasks = (server, drawing, welcome)
    try:
        await asyncio.gather(*tasks)
    except OSError as error:
        raise ModelError(f"cannot serve at {host}, port {port}: {error}") from error
    finally:
        for task in tasks[1:]:
            task.cancel()
        if not server.done():
            await page.server.stop()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _welcome(page: Page, host: str, open_browser: bool | None) -> None:
    """Say where the page is, and open it where there is a browser."""
    await page.server.ready
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{page.server.port}/"
    print(f"viewer at {address} (Ctrl-C ends)", flush=True)
    if _has_browser() if open_browser is None else open_browser:
        webbrowser.open(address)


def _has_browser() -> bool:
    """Whether a browser with a window can be opened; one within the terminal would block it."""
    from fibermsk.view.opengl import has_display

    if not has_display():
        return False
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True

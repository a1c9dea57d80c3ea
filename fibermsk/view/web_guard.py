"""Which requests the server of the viewer answers: none that a page of another site can make.

A page of another site reaches a server of this machine in two ways. It may give a name of its own
the address of this machine, and is then of one origin with the server (DNS rebinding): its requests
carry that name in the header Host. Or it calls the server by the right name, and its requests carry
the other site in the header Origin.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence

from aiohttp import web
from yarl import URL

__all__ = ["guard"]

_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
_ANY = ("", "0.0.0.0", "::")
"""Hosts that stand for all addresses of the machine."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def guard(host: str, allowed: Sequence[str] = ()) -> Callable[..., Awaitable[web.StreamResponse]]:
    """Middleware that refuses requests, to the page and to the websocket, of other sites.

    Parameters
    ----------
    host : str
        Address at which the server listens.
    allowed : sequence of str
        Further names under which browsers reach it, such as that of a proxy.
    """
    further = frozenset(name.lower() for name in allowed)
    names = _LOCAL | further | {host.lower()}
    if host in _ANY:
        names |= {socket.gethostname().lower(), socket.getfqdn().lower()}

    def known(name: str) -> bool:
        # no name leads to an address but that address itself
        return name in names or (host in _ANY and _is_address(name))

    def refusal(request: web.Request) -> str:
        hosts, origins = (request.headers.getall(key, []) for key in ("Host", "Origin"))
        place = _place(f"http://{hosts[0]}") if len(hosts) == 1 else None
        if place is None or not known(place[0]):
            return f"the host {hosts[:1]} is none of this server's"
        if origins:
            origin = _place(origins[0]) if len(origins) == 1 else None
            # a proxy may hand a request on under another host
            if origin is None or (origin != place and origin[0] not in further):
                return f"the request comes from a page of another site, {origins[:1]}"
        return ""

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        problem = refusal(request)
        if problem:
            text = f"fibermsk: {problem}; where it should be, name it with --allow-host NAME\n"
            return web.Response(status=403, text=text)
        return await handler(request)

    return check


def _place(text: str) -> tuple[str, str] | None:
    """Host and port in an origin; None where a text is none."""
    try:
        url = URL(text)
        port = "" if url.explicit_port is None else str(url.explicit_port)
    except ValueError:
        return None
    # an origin has neither user nor path
    plain = url.user is None and url.path in ("", "/") and not (url.query_string or url.fragment)
    if url.scheme not in ("http", "https") or not url.host or not plain:
        return None
    return url.host.lower(), port


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True

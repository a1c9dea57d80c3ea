"""Which requests the server of the page answers: none that a page of another site can make.

A page of another site reaches a server of this machine in two ways. It may give a name of its own
the address of this machine, and is then of one origin with the server (DNS rebinding): its requests
carry that name in the header Host. Or it calls the server by the right name, and its requests carry
the other site in the header Origin.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
_ANY = ("", "0.0.0.0", "::")
"""Hosts that stand for all addresses of the machine."""


def guard(host: str, allowed: Sequence[str] = ()) -> Callable[[Sequence[str], Sequence[str]], str]:
    """Judge of requests by all their headers Host and Origin; gives why one is refused, or "".

    `host` is the address at which the server listens; `allowed` are further names under which
    browsers reach it, such as that of a proxy.
    """
    further = frozenset(name.lower() for name in allowed)
    names = _LOCAL | further | {host.lower()}
    if host in _ANY:
        names |= {socket.gethostname().lower(), socket.getfqdn().lower()}

    def known(name: str) -> bool:
        # no name leads to an address but that address itself
        return name in names or (host in _ANY and _is_address(name))

    def refusal(hosts: Sequence[str], origins: Sequence[str]) -> str:
        place = _place(f"http://{hosts[0]}") if len(hosts) == 1 else None
        if place is None or not known(place[0]):
            return f"the host {hosts[:1]} is not a host of this server"
        if origins:
            origin = _place(origins[0]) if len(origins) == 1 else None
            # a proxy may hand a request on under another host
            if origin is None or (origin != place and origin[0] not in further):
                return f"the request comes from a page of another site, {origins[:1]}"
        return ""

    return refusal


def _place(text: str) -> tuple[str, int | None] | None:
    """Host and port in an origin; None where a text is none."""
    try:
        url = urlsplit(text)
        host, port = url.hostname, url.port
    except ValueError:
        return None
    # an origin has neither user nor path
    plain = "@" not in url.netloc and url.path in ("", "/") and not (url.query or url.fragment)
    if url.scheme not in ("http", "https") or not host or not plain:
        return None
    return host, port


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True

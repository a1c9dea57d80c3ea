"""Check of the headers of requests, against pages of other sites.

A page of another site may reach the server by DNS rebinding, a host name that resolves to this
machine: its requests have that name in the header Host. Or it uses the right host, and its requests
have the other site in the header Origin.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
_ANY = ("", "0.0.0.0", "::")
"""Hosts that mean all addresses of the machine."""


def guard(host: str, allowed: Sequence[str] = ()) -> Callable[[Sequence[str], Sequence[str]], str]:
    """Function from all headers Host and Origin of a request to the reason of a refusal, or "".

    `host` is the server's address; `allowed` are further host names, such as that of a proxy.
    """
    further = frozenset(name.lower() for name in allowed)
    names = _LOCAL | further | {host.lower()}
    if host in _ANY:
        names |= {socket.gethostname().lower(), socket.getfqdn().lower()}

    def known(name: str) -> bool:
        # a literal address is not subject to DNS rebinding
        return name in names or (host in _ANY and _is_address(name))

    def refusal(hosts: Sequence[str], origins: Sequence[str]) -> str:
        place = _place(f"http://{hosts[0]}") if len(hosts) == 1 else None
        if place is None or not known(place[0]):
            return f"the host {hosts[:1]} is not a host of this server"
        if origins:
            origin = _place(origins[0]) if len(origins) == 1 else None
            # a proxy may forward a request under another host
            if origin is None or (origin != place and origin[0] not in further):
                return f"the request comes from a page of another site, {origins[:1]}"
        return ""

    return refusal


def _place(text: str) -> tuple[str, int | None] | None:
    """Host and port of an origin; None if the text is not an origin."""
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

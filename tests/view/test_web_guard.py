"""Requests of other sites to the server of the viewer: refused by their headers."""

import asyncio
import json
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from make_result import make_result
from web_server import needs_server, start, stop

from fibermsk.io import save

aiohttp = pytest.importorskip("aiohttp", reason="trame is not installed: pip install fibermsk[web]")

from aiohttp import web  # noqa: E402
from aiohttp.test_utils import TestClient, TestServer  # noqa: E402

from fibermsk.view.web_guard import guard  # noqa: E402


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A server as `fibermsk view --web` starts it."""
    needs_server()
    path = save(make_result(), tmp_path_factory.mktemp("guard") / "arm.h5")
    process, address = start(path, "--port", "0", "--allow-host", "Hub.example.org")
    yield address
    stop(process)


def ask(address, method, path, headers):
    """Status and words of an answer, with these headers and no others."""
    at = urlsplit(address)
    connection = HTTPConnection(at.hostname, at.port, timeout=20)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in headers:
        connection.putheader(name, value.format(port=at.port))
    connection.putheader("Content-Length", "0")
    connection.endheaders()
    answer = connection.getresponse()
    text = answer.read().decode("latin-1")
    connection.close()
    return answer.status, text


HERE = ("Host", "127.0.0.1:{port}")
FORGED = {
    "rebound name": [("Host", "evil.example:{port}")],
    "rebound name with its origin": [
        ("Host", "evil.example:{port}"),
        ("Origin", "http://evil.example:{port}"),
    ],
    "name that begins well": [("Host", "localhost.evil.example:{port}")],
    "user before the name": [("Host", "localhost:{port}@evil.example")],
    "address of another machine": [("Host", "203.0.113.7:{port}")],
    "any address": [("Host", "0.0.0.0:{port}")],
    "no host": [],
    "two hosts": [HERE, ("Host", "evil.example")],
    "empty host": [("Host", "")],
    "other site": [HERE, ("Origin", "https://evil.example")],
    "other port": [HERE, ("Origin", "http://127.0.0.1:1")],
    "no port": [HERE, ("Origin", "http://127.0.0.1")],
    "other name of this machine": [HERE, ("Origin", "http://localhost:{port}")],
    "hidden origin": [HERE, ("Origin", "null")],
    "empty origin": [HERE, ("Origin", "")],
    "file": [HERE, ("Origin", "file://127.0.0.1:{port}")],
    "two origins": [
        HERE,
        ("Origin", "http://127.0.0.1:{port}"),
        ("Origin", "https://evil.example"),
    ],
}
OWN = {
    "address": [HERE],
    "name": [("Host", "localhost:{port}")],
    "tunnel": [("Host", "localhost:9000"), ("Origin", "http://localhost:9000")],
    "six": [("Host", "[::1]:{port}"), ("Origin", "http://[::1]:{port}")],
    "page": [HERE, ("Origin", "http://127.0.0.1:{port}")],
    "proxy": [("Host", "hub.example.org"), ("Origin", "https://hub.example.org")],
    "proxy that hides itself": [HERE, ("Origin", "https://hub.example.org")],
}
UPGRADE = [
    ("Upgrade", "websocket"),
    ("Connection", "Upgrade"),
    ("Sec-WebSocket-Version", "13"),
    ("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="),
]
CALLS = {
    "page": ("GET", "/index.html", []),
    "secret": ("POST", "/paraview/", []),
    "websocket": ("GET", "/ws", UPGRADE),
    "nothing": ("GET", "/none", []),
}


@pytest.mark.parametrize("headers", FORGED.values(), ids=FORGED)
@pytest.mark.parametrize("call", CALLS)
def test_requests_of_other_sites_are_refused(address, call, headers):
    method, path, more = CALLS[call]
    status, text = ask(address, method, path, [*headers, *more])
    # what is no request at all is refused by the server itself
    assert status in (400, 403), text
    assert "secret" not in text and "sessionURL" not in text
    if status == 403:
        assert "fibermsk: the" in text and "--allow-host NAME" in text


@pytest.mark.parametrize("headers", OWN.values(), ids=OWN)
def test_own_pages_are_served(address, headers):
    assert ask(address, "GET", "/index.html", headers)[0] == 200
    status, text = ask(address, "POST", "/paraview/", headers)
    assert status == 200 and json.loads(text)["secret"]
    assert ask(address, "GET", "/none", headers)[0] == 404
    at = urlsplit(address)
    named = {name: value.format(port=at.port) for name, value in headers}

    async def connect():
        async with aiohttp.ClientSession() as session:
            async with session.ws_connect(f"{address}ws", headers=named) as line:
                return line.closed

    assert asyncio.run(connect()) is False


@pytest.mark.parametrize(
    ("host", "names", "others"),
    [
        ("127.0.0.1", ["localhost", "127.0.0.1"], ["192.0.2.1", "lab.example"]),
        ("192.0.2.1", ["192.0.2.1", "localhost"], ["192.0.2.2", "lab.example"]),
        ("lab.example", ["lab.example", "LAB.example:80"], ["192.0.2.2", "x.lab.example"]),
        # an address cannot be rebound; a name can
        ("0.0.0.0", ["192.0.2.1:8080", "[2001:db8::1]"], ["evil.example", "1.2.3.4.evil.example"]),
    ],
)
def test_hosts_by_where_the_server_listens(host, names, others):
    async def hello(request):
        return web.Response(text="hello")

    async def statuses():
        app = web.Application(middlewares=[guard(host)])
        app.router.add_get("/", hello)
        async with TestClient(TestServer(app)) as client:
            found = {}
            for name in (*names, *others):
                async with client.get("/", headers={"Host": name}) as answer:
                    found[name] = answer.status
            return found

    assert asyncio.run(statuses()) == dict.fromkeys(names, 200) | dict.fromkeys(others, 403)

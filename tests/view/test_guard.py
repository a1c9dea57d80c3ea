"""Requests of other sites to the server of the page: refused by their headers."""

from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from make_result import make_result
from web_server import start, stop

from fibermsk.io import save
from fibermsk.view.browser.guard import guard


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A server as `fibermsk view --web` starts it."""
    path = save(make_result(), tmp_path_factory.mktemp("guard") / "arm.h5")
    process, address = start([path], "--port", "0", "--allow-host", "Hub.example.org")
    yield address
    stop(process)


def ask(address, path, headers=(("Host", "127.0.0.1:{port}"),), method="GET"):
    """Status and body of an answer, with these headers and no others."""
    at = urlsplit(address)
    connection = HTTPConnection(at.hostname, at.port, timeout=20)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in headers:
        connection.putheader(name, value.format(port=at.port))
    connection.putheader("Content-Length", "0")
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body


HERE = ("Host", "127.0.0.1:{port}")
FORGED = {
    "rebound name": [("Host", "evil.example:{port}")],
    "rebound name with its origin": [
        ("Host", "evil.example:{port}"),
        ("Origin", "http://evil.example:{port}"),
    ],
    "name that begins well": [("Host", "localhost.evil.example:{port}")],
    "user before the name": [("Host", "localhost:{port}@evil.example")],
    "user before the right name": [("Host", "@localhost:{port}")],
    "path after the name": [("Host", "localhost:{port}/evil.example")],
    "no number of a port": [("Host", "localhost:evil")],
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


@pytest.mark.parametrize("headers", FORGED.values(), ids=FORGED)
@pytest.mark.parametrize("path", ["/", "/parts/0", "/parts/1", "/none"])
def test_requests_of_other_sites_are_refused(address, path, headers):
    status, body = ask(address, path, headers)
    assert status == 403
    assert body.startswith(b"fibermsk: the") and b"--allow-host NAME" in body


@pytest.mark.parametrize("headers", OWN.values(), ids=OWN)
def test_own_pages_are_served(address, headers):
    status, body = ask(address, "/", headers)
    assert status == 200 and body.startswith(b"<!DOCTYPE html>")
    assert ask(address, "/parts/1", headers)[0] == 200


@pytest.mark.parametrize(
    "path",
    [
        "/none",
        "/parts/2",
        "/parts/-1",
        "/parts/",
        "/parts/00",
        "/../../../../etc/passwd",
        "/parts/../../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/app.js",
        "http://127.0.0.1/",
        "*",
    ],
)
def test_nothing_but_the_page_and_its_parts_is_there(address, path):
    assert ask(address, path)[0] == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "HEAD", "CONNECT"])
def test_only_get_is_understood(address, method):
    status, body = ask(address, "/", method=method)
    assert status == 501 and b'<!DOCTYPE html>\n<html lang="en" data-theme' not in body


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
    refusal = guard(host)
    assert [refusal([name], []) for name in names] == [""] * len(names)
    assert all("is not a host of this server" in refusal([name], []) for name in others)

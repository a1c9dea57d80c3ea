"""The server of the viewer in a browser: how it starts, ends, refuses and keeps up."""

import asyncio
import socket
from urllib.request import urlopen

import pytest
from make_result import make_result
from typer.testing import CliRunner
from web_server import HANGS, needs_server, start, stop

from fibermsk.cli.main import app
from fibermsk.errors import ModelError
from fibermsk.io import save
from fibermsk.view import opengl, web

ARM = make_result()


@pytest.fixture
def arm_file(tmp_path):
    return save(ARM, tmp_path / "arm.h5")


def test_ctrl_c_ends_the_server_well(arm_file):
    needs_server()
    process, address = start(arm_file, "--port", "0", "--time", "0")
    try:
        with urlopen(address, timeout=HANGS) as answer:
            assert answer.status == 200
    finally:
        status, words = stop(process)
    assert status == 0
    assert "Traceback" not in words and "Error" not in words


class Line:
    """Connection to a page that may take pictures or not."""

    def __init__(self):
        self.numbers, self.types = [], []

    def tell(self, number, sharp):
        self.numbers.append(number)

    def push_content(self, name, meta, content):
        self.types.append(meta["type"])


def test_pictures_wait_for_a_slow_page(monkeypatch):
    needs_server()
    from fibermsk.view.viewer import Viewer
    from fibermsk.view.web_stream import SceneStream

    viewer = Viewer(make_result(257), off_screen=True, size=(160, 120), time=0.0)
    line = Line()

    now = [100.0]
    monkeypatch.setattr("fibermsk.view.web_stream.perf_counter", lambda: now[0])
    held = []

    async def play():
        stream = SceneStream("scene", viewer, line.tell, lambda: None)
        stream.set_streamer(line)
        task = asyncio.create_task(stream.run())
        stream.toggle()
        async with asyncio.timeout(HANGS):
            while len(line.numbers) < 2:
                now[0] += 0.04
                await asyncio.sleep(0.01)
            # the page takes no picture: no more come, and the viewer waits with them
            for _ in range(5):
                now[0] += 0.3
                held.append(viewer.playback.time)
                await asyncio.sleep(0.1)
            assert line.numbers == [1, 2]
            # it takes them again: what comes now is what the clock shows now
            while len(line.numbers) < 8:
                stream.confirm(stream.sent)
                now[0] += 0.01
                await asyncio.sleep(0.01)
        task.cancel()

    try:
        asyncio.run(play())
        assert len(set(held)) == 1 and viewer.playback.time >= held[0] + 1.5
    finally:
        viewer.close()
    assert line.numbers[:8] == list(range(1, 9))


def test_last_picture_of_a_pause_is_without_loss():
    needs_server()
    from fibermsk.view.viewer import Viewer
    from fibermsk.view.web_stream import SceneStream

    viewer = Viewer(ARM, off_screen=True, size=(160, 120))
    line = Line()

    async def look_on():
        stream = SceneStream("scene", viewer, line.tell, lambda: None)
        stream.set_streamer(line)
        task = asyncio.create_task(stream.run())
        stream.ask()
        async with asyncio.timeout(HANGS):
            while len(line.types) < 2:
                await asyncio.sleep(0.05)
                stream.confirm(stream.sent)
        # and none after it
        await asyncio.sleep(0.5)
        task.cancel()

    try:
        asyncio.run(look_on())
    finally:
        viewer.close()
    assert line.types == ["image/jpeg", "image/png"]


@pytest.mark.parametrize("port", [-1, 65536])
def test_port_out_of_range(port):
    needs_server()
    with pytest.raises(ModelError, match=rf"port = {port}; must lie between 1 and 65535"):
        web.check_web(port)


def test_port_that_is_taken():
    needs_server()
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(
            ModelError, match=rf"port = {port} on 127.0.0.1: address already in use"
        ):
            web.check_web(port)


def test_missing_packages_are_named(monkeypatch):
    monkeypatch.setattr(web, "find_spec", lambda name: None if name == "trame_rca" else object())
    with pytest.raises(ModelError, match=r'trame_rca.*pip install -e "\.\[web\]"'):
        web.serve(ARM)


def test_without_opengl_a_page_is_advised(monkeypatch):
    needs_server()
    monkeypatch.setattr(opengl, "off_screen_works", lambda: False)
    with pytest.raises(ModelError, match="no OpenGL.*--html"):
        web.check_web(0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--port", "8090"], "--port does not apply without --web"),
        (["--web", "--screenshot", "a.png"], "one of them at a time"),
        (["--web", "--movie", "a.gif"], "one of them at a time"),
        (["--web", "--port", "70000"], "port = 70000"),
    ],
)
def test_options_that_do_not_go_together(arm_file, options, words):
    needs_server()
    answer = CliRunner().invoke(app, ["view", str(arm_file), *options])
    assert answer.exit_code == 2
    assert words in answer.stderr

"""The page from a server, which sends its data in parts: to a real browser, and how it ends."""

import socket
import threading
import time
from urllib.error import HTTPError
from urllib.request import urlopen

import numpy as np
import pytest
from chromium import Tab, chromium
from make_result import make_ball, make_fiber, make_result
from posed_leg import leg
from typer.testing import CliRunner
from web_server import HANGS, start, stop

import fibermsk as fm
from fibermsk.cli.main import app
from fibermsk.errors import ModelError
from fibermsk.io import save
from fibermsk.results import BodyMotion
from fibermsk.view.browser import server as served
from fibermsk.view.browser.content import pack

ARM = make_result()


@pytest.fixture(scope="module")
def browser():
    with chromium() as program:
        yield program


@pytest.fixture
def arm_file(tmp_path):
    return save(ARM, tmp_path / "arm.h5")


class Gate:
    """Content whose parts are sent when they are let through."""

    def __init__(self, content):
        self._content = content
        self.title, self.n_parts, self.poses = content.title, content.n_parts, None
        self.asked, self.open = [], set()
        self._changed = threading.Condition()

    def let(self, *numbers):
        with self._changed:
            self.open.update(numbers)
            self._changed.notify_all()

    def part(self, number):
        with self._changed:
            self.asked.append(number)
            self._changed.wait_for(lambda: number in self.open, timeout=HANGS)
        return self._content.part(number)


@pytest.fixture
def serve(browser):
    """Serve some content from this process, and open it; nothing else may be asked for."""
    with served.PageServer("127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        tabs = []

        def open_it(content, **settings):
            server.show(content, "light")
            tabs.append(Tab(browser, server.address, **settings))
            return tabs[-1]

        yield open_it
        for tab in tabs:
            assert all(url.startswith((server.address, "blob:")) for url in tab.requests)
            assert tab.problems == []
            tab.close()
        server.shutdown()


def set_slider(page, name, value):
    """Move a slider, and wait for the pose."""
    page.tab.evaluate(
        """([name, value]) => {
            const slider = document.querySelector(`#sliders input[name="${name}"]`);
            slider.value = value;
            slider.dispatchEvent(new Event("input"));
        }""",
        [name, value],
    )
    page.wait("!window.fibermsk.state().posing")
    page.settle()


def test_sliders_of_a_model_move_its_bones_and_muscles(serve):
    """Against the solved path in that pose, seen and as numbers; a wrong request is refused."""
    model = leg()
    page = serve(pack(fm.still(model), served=True))
    assert page.state["pose"] == {"knee": 0.0}
    assert "-2 to 0.5 rad" in page.text("#sliders")
    before = page.picture()
    set_slider(page, "knee", -1.5)
    page.tab.select_option("#muscle", "front")
    page.wait("!window.fibermsk.state().posing")
    page.settle()
    image = page.picture()
    assert (before != image).any(axis=2).mean() > 0.01
    path = fm.muscle_path(fm.skeleton(model), model.muscle("front"), [-1.5, 0.75])
    for point in path.arcs[0].points[::4]:
        x, y = np.rint(page.ask("project", point.tolist())).astype(int)
        red, _, blue = image[y, x]
        assert red - blue > 60
    words = page.text("#muscle-numbers")
    assert f"length: {1e3 * path.length:.2f} mm" in words
    assert f"moment arm, knee: {1e3 * path.moment_arms['knee']:.2f} mm" in words
    assert "-1.500 rad (-85.9\u00b0)" in page.text("#sliders")
    page.tab.click("#start-pose")
    page.wait("!window.fibermsk.state().posing")
    assert page.state["pose"] == {"knee": 0.0}
    for query, words in {
        "knee=x": "must be a finite number",
        "hip=1": "must be one of knee",
    }.items():
        with pytest.raises(HTTPError) as refused:
            urlopen(f"{page.url}pose?{query}")
        assert refused.value.code == 400 and words in refused.value.read().decode()


def in_parts(monkeypatch, shown=ARM, *, room=23_000, **look):
    """Content in several parts, which a small result is not by itself."""
    monkeypatch.setattr("fibermsk.view.browser.packing._PART", room)
    return pack(shown, **look)


def test_the_first_picture_comes_with_the_first_part(serve, monkeypatch):
    gate = Gate(in_parts(monkeypatch, time=4.0))
    assert gate.n_parts == 5
    page = serve(gate, wait=False)
    gate.let(0)
    time.sleep(0.2)
    # the frame at the start is in the middle of the run
    gate.let(2)
    page.settle()
    assert page.state["time"] == 4.0 and page.state["error"] is None
    assert gate.asked[:2] == [0, 2]
    assert np.mean(np.any(page.picture() < 235, axis=2)) > 0.08
    assert page.state["loaded"] == 0.25 and page.text("#loading") == "25 % loaded"

    # a time that is not there yet: the picture stays, and comes when its part does
    page.tab.keyboard.press("Home")
    assert not page.state["settled"] and page.state["shown"] == [16]
    gate.let(1, 3, 4)
    page.settle()
    assert page.state["shown"] == [0] and page.state["time"] == 0.0
    page.wait("window.fibermsk.state().loaded === 1")
    assert not page.tab.locator("#loading").is_visible()
    assert sorted(gate.asked) == [0, 1, 2, 3, 4]


def test_numbers_from_parts_are_those_of_one_page(serve, monkeypatch):
    page = serve(in_parts(monkeypatch))
    page.wait("window.fibermsk.state().loaded === 1")
    for name, fiber in ARM.fibers.items():
        for frame in range(0, 33, 4):
            found = page.ask("sample", name, 0.3, ARM.time[frame])
            expected = fiber.centerline(np.array([0.3]), frame)[0]
            assert np.max(np.abs(found - expected)) < 5e-6
    # curves that were begun before all parts were there are whole now
    page.tab.select_option("#fiber", "0")
    page.seek(8.0)
    words = page.tab.locator("#curves figure:nth-child(2) output").inner_text()
    force = ARM.fibers["biceps_1"].axial_force[32].mean()
    assert float(words.split()[0]) == pytest.approx(force, rel=1e-3)


def test_playing_waits_for_frames(serve, monkeypatch):
    gate = Gate(in_parts(monkeypatch, autoplay=True))
    gate.let(0, 1)
    page = serve(gate, wait=False)
    # a slow machine leaves frames out
    page.wait("window.fibermsk?.state().frame > 9")
    held = page.state
    assert held["playing"] and held["shown"][0] <= 9
    page.tab.wait_for_timeout(700)
    assert page.state["frame"] == held["frame"]
    gate.let(2, 3, 4)
    page.wait(f"window.fibermsk.state().frame > {held['frame'] + 2}")


def test_a_server_that_is_gone_is_told(serve, monkeypatch):
    gate = Gate(in_parts(monkeypatch))
    gate.let(0, 1)
    page = serve(gate)
    page.tab.context.set_offline(True)
    page.tab.route("**/parts/*", lambda route: route.abort())
    gate.let(2)
    page.wait("document.getElementById('loading').textContent === 'the server does not answer'")
    assert page.state["shown"] == [0]
    gate.let(3, 4)
    page.tab.unroute("**/parts/*")
    page.tab.context.set_offline(False)
    page.wait("window.fibermsk.state().loaded === 1")
    # the browser itself says what did not come
    assert all("Failed to load resource" in words for words in page.problems)
    page.problems.clear()


def make_bent(shift):
    """A fiber beside a ball, both shifted to the right."""
    origin, insertion = ([shift, 0.0, z] for z in (0.3, 0.0))
    fiber = make_fiber(np.tile(origin, (3, 1)), np.tile(insertion, (3, 1)), np.ones((3, 1)))
    ball = BodyMotion(
        np.tile([shift + 0.1, 0.0, 0.1], (3, 1)), np.tile(np.eye(3), (3, 1, 1)), (make_ball(0.05),)
    )
    time = np.array([0.0, 1.0, 2.0]) * (1.0 + shift)
    return make_result(3, time=time, fibers={"line": fiber}, bodies={"ball": ball})


def click_fiber(page, name, run):
    box = page.tab.locator("#view").bounding_box()
    x, y = page.ask("project", page.ask("sample", name, 0.4, None, run), run)
    page.tab.mouse.click(box["x"] + x, box["y"] + y)


def test_results_side_by_side(serve):
    runs = [make_bent(0.0), make_bent(0.3)]
    page = serve(pack(runs, names=["before", "after"]))
    # the views share the width beside the legend
    left, right = (page.tab.locator(one).bounding_box()["x"] for one in ("#view", "#legend"))
    place = page.ask("sample", "line", 0.5, None, 0)
    apart = np.subtract(page.ask("project", place, 1), page.ask("project", place, 0))
    assert apart == pytest.approx([(right - left) / 2, 0.0])
    # common times; the shorter one stays at its end
    assert page.state["frames"] == 5
    page.seek(2.6)
    assert page.state["shown"] == [2, 2]
    captions = page.tab.locator("#captions p").all_inner_texts()
    assert captions == ["before\nt = 2.00 s, its end", "after"]
    assert page.text("#scene-name") == "before, after"
    for run in (0, 1):
        click_fiber(page, "line", run)
        assert (page.state["selected"], page.state["run"]) == ("line", run)
    # curves of both, by their names
    assert page.tab.locator("#curves p").all_inner_texts() == ["before", "after"]
    assert page.tab.locator("#curves figure").count() == 4
    assert "," in page.tab.locator("#curves output").first.inner_text()
    with page.tab.expect_download() as download:
        page.tab.click("#save")
    assert download.value.suggested_filename.startswith("before-after_")


def test_results_one_over_the_other(serve):
    runs = [make_bent(0.0), make_bent(0.3)]
    alone, both = serve(pack(runs[:1])), serve(pack(runs, compare="overlay"))
    assert both.tab.locator("#captions p").all_inner_texts() == [
        "solid: upper_limb (1)\ntranslucent: upper_limb (2)"
    ]
    image = both.picture()

    def color(run):
        x, y = both.ask("project", [0.1 + 0.3 * run, 0.0, 0.1], run)
        return image[round(y), round(x)]

    # the solid ball has the color of bone, the other one is cooler and lets the ground through
    solid, ghost = color(0), color(1)
    assert solid[0] > solid[2] + 15 and ghost[2] > ghost[0] and ghost.min() > solid.min()
    for run in (0, 1):
        click_fiber(both, "line", run)
        assert both.state["run"] == run
    assert alone.tab.locator("#captions p").all_inner_texts() == [""]


def test_two_result_files_from_the_command_line(browser, arm_file, tmp_path):
    other = save(make_result(17), tmp_path / "coarse.h5")
    process, address = start(
        [arm_file, other], "--port", "0", "--color-by", "stretch", "--theme", "dark"
    )
    try:
        tab = Tab(browser, address)
        assert tab.text("#scene-name") == "arm, coarse"
        assert tab.state["field"] == "stretch" and tab.state["theme"] == "dark"
        # from the first frame on, as in the window
        assert tab.state["playing"]
        assert tab.problems == []
        tab.close()
    finally:
        stop(process)


def test_ctrl_c_ends_the_server_well(arm_file):
    process, address = start([arm_file], "--port", "0", "--time", "0", "--max-frames", "5")
    try:
        with urlopen(address, timeout=HANGS) as answer:
            assert answer.status == 200
            text = answer.read().decode()
    finally:
        status, words = stop(process)
    assert "connect-src 'self'" in text and "part-0" not in text
    assert status == 0
    assert "Traceback" not in words and "Error" not in words


@pytest.mark.parametrize("port", [-1, 65536])
def test_port_out_of_range(port):
    with pytest.raises(ModelError, match=rf"port = {port}; must lie between 1 and 65535"):
        served.check_port(port)


def test_port_that_is_taken():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(
            ModelError, match=rf"port = {port} on 127.0.0.1: address already in use"
        ):
            served.serve(ARM, port=port)


def test_a_host_that_is_none():
    with pytest.raises(ModelError, match="port = 0 on 203.0.113.7: cannot assign"):
        served.check_port(0, "203.0.113.7")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--port", "8090"], "--port does not apply without --web"),
        (["--max-frames", "9"], "--max-frames does not apply without --html or --web"),
        (["--web", "--screenshot", "a.png"], "only one at a time"),
        (["--web", "--movie", "a.gif"], "only one at a time"),
        (["--web", "--port", "70000"], "port = 70000"),
        (["--web", "--port", "0", "--theme", "pink"], "'pink'"),
    ],
)
def test_options_that_do_not_go_together(arm_file, options, words):
    answer = CliRunner().invoke(app, ["view", str(arm_file), *options])
    assert answer.exit_code == 2
    assert words in answer.stderr

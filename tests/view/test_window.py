"""The window: buttons and keys off the screen, and a real one on a virtual display."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from make_result import make_hanging_fiber, make_result
from web_server import HANGS

from fibermsk.errors import ModelError
from fibermsk.view import play, show
from fibermsk.view.drawing.looks import THEMES
from fibermsk.view.fields import FIELDS
from fibermsk.view.pictures import opengl
from fibermsk.view.pictures.charts import strip_height
from fibermsk.view.window.keys import KEYS
from fibermsk.view.window.playback import SPEEDS
from fibermsk.view.window.toolbar import HEIGHT, Toolbar, ToolbarState, rows_within
from fibermsk.view.window.window import Window

ARM = make_result()
SIZE = (1000, 700)
STATE = ToolbarState((0.0, 8.0), 2.0, False, True, 1.0, "stress", ("contact",), False, False, "fit")

needs_opengl = pytest.mark.skipif(
    not opengl.off_screen_works(), reason="this machine has no OpenGL, which a window needs"
)


@pytest.fixture
def window_of():
    """Makes windows off the screen that are closed after the test."""
    opened = []

    def make(shown, **options):
        window = Window(shown, off_screen=True, **{"size": SIZE, "time": 0.0} | options)
        opened.append(window)
        window.plotter.show(auto_close=False)
        return window

    yield make
    for window in opened:
        window.viewer.close()


def image_of(window):
    window.plotter.render()
    return window.plotter.screenshot(None, return_img=True)[..., :3]


def middle_of(window, action):
    """Pixel of a button, from the left and from below."""
    button = next(b for b in window.toolbar.buttons if b.action == action)
    middle = 0.5 * (button.top + button.bottom)
    return 0.5 * (button.left + button.right), window.toolbar.height - 1 - middle


@pytest.mark.parametrize("width", [250, 300, 480, 700, 1200])
def test_small_windows_have_all_buttons_in_more_rows(width):
    bar, wide = Toolbar(STATE, width, 12), Toolbar(STATE, 1600)
    assert [one.action for one in bar.buttons] == [one.action for one in wide.buttons]
    assert wide.height == HEIGHT and HEIGHT <= bar.height == 42 * round(bar.height / 42)
    left, right = bar.track
    assert right - left >= 60 and right + 150 <= width + 1
    for x in (left, right):
        assert any(bar.hit(x, y) == "seek" for y in range(bar.height))
    assert bar.image(THEMES["light"]).shape == (bar.height, width, 4)
    # not more than a part of the window
    assert rows_within(300) == 2 and rows_within(700) == 6
    assert Toolbar(STATE, width, rows_within(500)).height <= 0.4 * 500


@needs_opengl
def test_a_small_window_shows_its_scene_above_its_bar(window_of):
    window = window_of(ARM, size=(420, 700))
    window.refresh()
    assert window.toolbar.height > HEIGHT
    assert window.viewer.around.area[1] == window.toolbar.height
    window.click(*middle_of(window, "help"))
    assert window.help


@pytest.mark.parametrize("width", [300, 700, 1200])
def test_buttons_lie_beside_each_other_within_the_bar(width):
    bar = Toolbar(STATE, width)
    for k, one in enumerate(bar.buttons):
        assert 0 <= one.left < one.right < width and 0 <= one.top < one.bottom < HEIGHT
        assert bar.hit(one.left + 1, HEIGHT - 2 - one.top) == one.action
        for other in bar.buttons[:k]:
            apart = one.left > other.right or one.right < other.left
            assert apart or one.top > other.bottom or one.bottom < other.top
    assert bar.image(THEMES["dark"]).shape == (HEIGHT, width, 4)


def test_slider_gives_times_between_the_ends():
    bar = Toolbar(STATE, 1200)
    left, right = bar.track
    y = HEIGHT - 24
    assert bar.hit(0.5 * (left + right), y) == "seek"
    assert bar.time_at(0.5 * (left + right)) == pytest.approx(4.0)
    assert bar.time_at(-100) == 0.0 and bar.time_at(5000) == 8.0
    assert bar.hit(right + 60, y) is None


def test_a_still_has_no_slider():
    bar = Toolbar(STATE._replace(times=(0.0, 0.0), field=None), 1200)
    actions = [button.action for button in bar.buttons]
    assert bar.track == (0, 0) and "toggle" not in actions and "next field" not in actions
    assert "look top" in actions and bar.hit(600, HEIGHT - 20) is None


@needs_opengl
def test_every_button_does_what_it_says(window_of):
    window = window_of(ARM)
    viewer = window.viewer

    def click(action):
        window.refresh()
        window.click(*middle_of(window, action))

    click("next")
    assert viewer.playback.frame == 1
    click("previous")
    click("previous")
    assert viewer.playback.frame == 32
    click("toggle")
    assert viewer.playback.playing and viewer.playback.frame == 0
    click("toggle")
    assert not viewer.playback.playing
    click("loop")
    assert not viewer.playback.loop
    click("faster")
    assert viewer.playback.speed == 2.0
    click("slower")
    click("slower")
    assert viewer.playback.speed == 0.5
    click("real time")
    assert viewer.playback.speed == 1.0
    click("next field")
    assert viewer.color_by == viewer.fields[viewer.fields.index("tissue") + 1]
    click("arrows contact")
    click("arrows attachment")
    assert viewer.arrows == ("attachment", "contact")
    click("arrows contact")
    assert viewer.arrows == ("attachment",)
    click("names")
    assert viewer.named
    click("names")
    assert not viewer.named
    click("theme")
    assert viewer.theme == "dark"
    click("look top")
    assert viewer.preset == "top"
    click("help")
    assert window.help
    window.click(500, 400)
    assert not window.help
    left, right = window.toolbar.track
    window.click(0.25 * left + 0.75 * right, HEIGHT - 24)
    assert viewer.playback.time == pytest.approx(6.0)


@needs_opengl
def test_keys_do_what_the_help_says(window_of):
    window = window_of(ARM)
    viewer = window.viewer
    assert window.key("space") and viewer.playback.playing
    assert window.key("Right") and viewer.playback.frame == 1 and not viewer.playback.playing
    assert window.key("End") and viewer.playback.frame == 32
    assert window.key("Home") and viewer.playback.frame == 0
    for _ in range(20):
        window.key("plus")
    assert viewer.playback.speed == SPEEDS[-1]
    for _ in range(20):
        window.key("minus")
    assert viewer.playback.speed == SPEEDS[0]
    seen = []
    for _ in range(4):
        window.key("a")
        seen.append(viewer.arrows)
    assert seen == [("attachment",), ("contact",), ("attachment", "contact"), ()]
    for k, preset in enumerate(("front", "back", "left", "right", "top", "bottom"), 1):
        assert window.key(str(k)) and viewer.preset == preset
    assert window.key("r") and viewer.preset == "fit"
    fields = set()
    for _ in viewer.fields:
        window.key("c")
        fields.add(viewer.color_by)
    assert fields == set(viewer.fields)
    assert window.key("t") and viewer.theme == "dark"
    assert window.key("n") and viewer.named
    assert window.key("h") and window.help
    assert window.key("l") and not viewer.playback.loop
    assert not window.key("F7")
    told = " ".join(KEYS).replace(",", " ").split()
    for keys in "space c a n t l r h F1 backspace g tab [ q".split():
        assert keys in told


@needs_opengl
def test_clicking_a_fiber_shows_its_curves_beside_the_scene(window_of):
    window = window_of(ARM)
    before = image_of(window)
    window.viewer.look("right")
    view = window.viewer._views[0]
    middle = ARM.fibers["biceps_2"].centerline(np.array([0.5]), 0)[0]
    window.plotter.render()
    view.SetWorldPoint(*middle, 1.0)
    view.WorldToDisplay()
    window.click(*view.GetDisplayPoint()[:2])
    assert window.viewer.selected == "biceps_2"
    shown = image_of(window)
    assert np.mean(before[:-HEIGHT, -360:] != shown[:-HEIGHT, -360:]) > 0.3
    window.click(900, 400)  # the curves themselves
    assert window.viewer.selected == "biceps_2"
    window.viewer.step(4)
    later = image_of(window)
    assert 0.0 < np.mean(shown[:-HEIGHT, -360:] != later[:-HEIGHT, -360:]) < 0.1
    window.key("Escape")
    assert window.viewer.selected is None
    assert view.GetViewport()[2] == 1.0


@needs_opengl
def test_the_clock_runs_in_real_time(window_of, monkeypatch):
    window = window_of(ARM)
    now = [100.0]
    monkeypatch.setattr("fibermsk.view.window.window.clock.perf_counter", lambda: now[0])
    window.key("space")
    assert not window.tick()
    now[0] += 0.6
    assert window.tick() and window.viewer.playback.frame == 2
    window.key("space")
    now[0] += 50.0
    assert not window.tick()
    window.key("space")
    window.tick()
    now[0] += 0.3
    assert window.tick() and window.viewer.playback.frame == 3


@needs_opengl
def test_a_still_answers_to_no_key_of_time(window_of):
    window = window_of(make_result(1))
    assert not window.key("space") and not window.key("Right")
    assert window.key("t")
    assert window.viewer.playback.frame == 0


@needs_opengl
def test_nothing_is_drawn_anew_where_nothing_changed(window_of, monkeypatch):
    window = window_of(make_hanging_fiber(), color_by="stretch")
    window.refresh()
    monkeypatch.setattr(window._bar, "show", lambda *_: pytest.fail("drawn anew"))
    window.refresh()


@needs_opengl
def test_the_subject_is_fitted_anew_to_another_size(window_of):
    window = window_of(ARM)
    camera = window.plotter.camera

    def place(size):
        window.plotter.window_size = size
        window.plotter.render()
        window.refresh()
        window.plotter.render()
        return np.array(camera.position)

    wide, narrow = place((1000, 700)), place((240, 700))
    assert np.linalg.norm(wide - narrow) > 0.05
    assert np.allclose(place((1000, 700)), wide)
    # not one that the user has turned
    window._turned = True
    assert np.allclose(place((240, 700)), wide)


@pytest.mark.parametrize("display", ["", ":7931"], ids=["none", "gone"])
def test_window_is_refused_without_a_display(display, monkeypatch):
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.setattr(sys, "platform", "linux")
    for open_it in (show, play):
        with pytest.raises(ModelError, match="no display.*--picture.*--movie.*--html.*--web"):
            open_it(ARM)


@pytest.mark.parametrize("options", [{"theme": "gray"}, {"speed": 99.0}, {"color_by": "taste"}])
@needs_opengl
def test_play_refuses_before_it_opens(options, monkeypatch):
    monkeypatch.setattr("fibermsk.view.window.opening.has_display", lambda: True)
    monkeypatch.setattr(
        "fibermsk.view.window.window.Viewer", lambda *a, **k: Viewer(*a, **k | {"off_screen": True})
    )
    from fibermsk.view.window.viewer import Viewer

    with pytest.raises(ModelError, match="gray|99|taste"):
        play(ARM, **options)


@needs_opengl
def test_a_run_plays_from_its_first_frame_unless_a_time_is_asked(monkeypatch):
    from fibermsk.view.window.viewer import Viewer

    monkeypatch.setattr("fibermsk.view.window.opening.has_display", lambda: True)
    monkeypatch.setattr(
        "fibermsk.view.window.window.Viewer", lambda *a, **k: Viewer(*a, **k | {"off_screen": True})
    )
    opened = []
    monkeypatch.setattr(Window, "open", lambda self: opened.append(self))
    show(ARM)
    show(ARM, time=4.0)
    play(ARM, speed=2.0)
    states = [(one.viewer.playback.playing, one.viewer.playback.time) for one in opened]
    speeds = [one.viewer.playback.speed for one in opened]
    for one in opened:
        one.viewer.close()
    assert states == [(True, 0.0), (False, 4.0), (True, 0.0)] and speeds == [1.0, 1.0, 2.0]


_REAL = """
import json, os, sys
sys.path.insert(0, sys.argv[2])
from make_result import make_result
from fibermsk.view.window.window import Window

window = Window(make_result(), time=0.0, size=(1000, 700))

def tell(*_):
    viewer = window.viewer
    renderer = viewer.plotter.renderers[0]
    renderer.SetWorldPoint(*viewer.results[0].fibers["biceps_1"].position[0, 4], 1.0)
    renderer.WorldToDisplay()
    state = {
        "frame": viewer.playback.frame, "playing": viewer.playback.playing,
        "theme": viewer.theme, "field": viewer.color_by, "selected": viewer.selected,
        "help": window.help, "size": list(window.plotter.window_size),
        "position": list(viewer.plotter.camera.position), "charts": window.charts,
        "aim": list(viewer.plotter.camera.focal_point), "turned": window._turned,
        "fiber": list(renderer.GetDisplayPoint()[:2]),
    }
    with open(sys.argv[1] + ".part", "w") as file:
        json.dump(state, file)
    os.replace(sys.argv[1] + ".part", sys.argv[1])

window.plotter.render_window.AddObserver("EndEvent", tell)
window.open()
print("closed")
"""


@pytest.fixture
def display():
    """A virtual display of its own."""
    for program in ("Xvfb", "xdotool"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed, which a real window is tested with")
    read, write = os.pipe()
    # -noreset: a server that resets when its last client goes refuses the next one meanwhile
    options = "-noreset -screen 0 1100x800x24 -nolisten tcp".split()
    command = ["Xvfb", "-displayfd", str(write), *options]
    server = subprocess.Popen(
        command, pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    if not number:
        server.wait()
        pytest.skip("Xvfb does not start on this machine")
    yield f":{number}"
    server.terminate()
    server.wait()


def test_a_real_window_answers_to_keys_and_mouse(display, tmp_path):
    state = tmp_path / "state.json"
    environment = os.environ | {"DISPLAY": display}
    environment.pop("VTK_DEFAULT_OPENGL_WINDOW", None)
    process = subprocess.Popen(
        [sys.executable, "-c", _REAL, str(state), str(Path(__file__).parents[1])],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip

    def until(said, words):
        """State of the window once something holds."""
        end = time.monotonic() + HANGS
        while time.monotonic() < end:
            if process.poll() is not None:
                pytest.fail(f"the window closed: {process.communicate()[1]}")
            if state.exists() and said(now := json.loads(state.read_text())):
                return now
            time.sleep(0.05)
        pytest.fail(f"never: {words}; {state.exists() and state.read_text()}")

    def press(*arguments):
        subprocess.run(["xdotool", *map(str, arguments)], env=environment, check=True)

    def click(x, y, down="click"):
        press("mousemove", x, y, down, 1)

    try:
        first = until(lambda s: s["frame"] == 0, "open")
        assert first["size"] == [1000, 700]
        press("mousemove", 500, 300)
        press("key", "Right")
        until(lambda s: s["frame"] == 1, "one frame on")
        press("key", "t")
        until(lambda s: s["theme"] == "dark", "dark")
        press("key", "c")
        until(lambda s: s["field"] == FIELDS[1], "next field")
        # letters that mean something to VTK: wireframe, surface, joystick
        press("key", "w", "key", "s", "key", "j")
        press("key", "space")
        until(lambda s: s["playing"] and s["frame"] > 3, "playing")
        press("key", "space")
        until(lambda s: not s["playing"], "pause")
        # as the window has it: with a button for names
        left, right = Toolbar(STATE._replace(names=False), 1000).track
        y = 700 - HEIGHT + 24
        click(left + 5, y, "mousedown")
        press("mousemove", (left + right) // 2, y)
        until(lambda s: s["frame"] == 16, "slider in the middle")
        press("mouseup", 1)
        before = until(lambda s: True, "state")
        click(400, 300, "mousedown")
        press("mousemove", 460, 330)
        press("mouseup", 1)
        turned = until(
            lambda s: s["position"] != before["position"] and s["turned"], "camera turned"
        )
        assert turned["selected"] is None and turned["aim"] == pytest.approx(before["aim"])
        press("mousemove", 400, 300, "mousedown", 3)
        press("mousemove", 460, 330)
        press("mouseup", 3)
        shifted = until(lambda s: s["aim"] != turned["aim"], "shifted by the right button")
        ways = [np.subtract(s["aim"], s["position"]) for s in (turned, shifted)]
        np.testing.assert_allclose(*ways, atol=1e-9)
        press("key", "g", "key", "BackSpace")
        until(lambda s: s["charts"] and s["frame"] == 0, "charts, at the start")
        press("key", "g", "key", "End")
        press("key", "Home", "key", "2")
        aim = until(lambda s: s["frame"] == 0 and not s["turned"], "from the back, at the start")
        press("key", "1")
        aim = until(lambda s: s["fiber"] != aim["fiber"], "from the front")
        click(round(aim["fiber"][0]), round(700 - aim["fiber"][1]))
        until(lambda s: s["selected"] == "biceps_1", "a click on a fiber selects it")
        press("key", "4", "key", "h")
        until(lambda s: s["help"], "keys listed")
        picture = tmp_path / "window.png"
        grab = (
            "import sys; from PIL import ImageGrab; ImageGrab.grab(xdisplay='').save(sys.argv[1])"
        )
        subprocess.run([sys.executable, "-c", grab, str(picture)], env=environment, check=True)
        press("key", "q")
        out, errors = process.communicate(timeout=HANGS)
        assert out.strip() == "closed" and process.returncode == 0, errors
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    from matplotlib.image import imread

    image = 255 * imread(picture)[:700, :1000, :3]
    dark = np.array([0x1D, 0x21, 0x27])
    assert np.mean(np.all(np.abs(image - dark) < 2, axis=2)) > 0.2
    assert image.std() > 20.0


@needs_opengl
def test_charts_are_below_the_scene_and_a_click_goes_to_its_time(window_of):
    window = window_of(ARM)
    bare = image_of(window)
    area = window.viewer.around.area
    window.do("charts")
    below = strip_height(1, SIZE)
    assert window.viewer.around.area == (area[0], area[1] + below, *area[2:])
    image = image_of(window)
    strip = np.s_[SIZE[1] - HEIGHT - below : SIZE[1] - HEIGHT]
    assert np.array_equal(image[strip], window.viewer.charts((SIZE[0], below)).image())
    assert not np.array_equal(image[strip], bare[strip])
    window.click(SIZE[0] - 15, HEIGHT + below / 2)
    assert window.viewer.playback.time == 8.0
    assert not np.array_equal(image_of(window)[strip], image[strip])
    window.click(3, HEIGHT + below / 2)
    assert window.viewer.playback.time == 8.0
    # with the curves of a fiber beside them
    window.viewer.select("biceps_1")
    window._make_room()
    image_of(window)
    assert window.viewer.charts(window._strip_size).size == (SIZE[0] - 360, below)
    window.do("bare")
    assert window.viewer.around.area == (0, 0, *SIZE)
    window.click(SIZE[0] / 2, 3.0)
    assert window.viewer.playback.time == 8.0
    window.do("bare")
    window.do("charts")
    assert window.viewer.around.area[1] == HEIGHT


@needs_opengl
def test_charts_are_shown_if_measures_are_asked_for(window_of):
    window = window_of([ARM, ARM], measures=["biceps.length", "elbow_flexion"])
    assert window.charts and window.viewer.measures == ["biceps.length", "elbow_flexion"]
    assert not window_of(ARM).charts
    with pytest.raises(ModelError, match="no measure 'knee'"):
        Window(ARM, off_screen=True, measures="knee")


@needs_opengl
def test_views_follow_each_other(window_of):
    window = window_of(ARM)
    for key, preset in (
        ("bracketright", "front"), ("bracketright", "back"), ("bracketleft", "front"),
        ("bracketleft", "bottom"),
    ):  # fmt: skip
        assert window.key(key) and window.viewer.preset == preset
    window.key("end")
    window.key("BackSpace")
    assert window.viewer.playback.time == 0.0
    window.key("F1")
    assert window.help

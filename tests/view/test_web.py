"""The page of the viewer in a real Chromium without a window, from a real server."""

import base64
import io
import time
from contextlib import contextmanager

import numpy as np
import pytest
from chromium import chromium
from make_result import make_result
from PIL import Image
from web_server import needs_server, start, stop

from fibermsk.io import save

ARM = make_result()
LEGEND = 172
"""Pixels at the right edge that hold the legend."""
THUMB = 24
"""Pixels around the place of a slider within which a click takes hold of its thumb."""
PATIENCE = 300_000
"""Milliseconds after which a page hangs: a busy machine needs many seconds."""


class Look:
    """What a user sees of the page, and what went wrong."""

    def __init__(self, page, address):
        self.page, self.address = page, address
        self.wrong = []
        page.set_default_timeout(PATIENCE)
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("request", self._request)

    def _console(self, message):
        if message.type in ("error", "warning"):
            self.wrong.append(f"{message.type}: {message.text}")

    def _request(self, request):
        if not request.url.startswith((self.address, "blob:", "data:")):
            self.wrong.append(f"request to {request.url}")

    def state(self, name):
        return self.page.evaluate(f"trame.state.get('{name}')")

    def wait(self, condition):
        """Wait for a condition in JavaScript, with `s` the function that gives a state."""
        self.page.wait_for_function(
            f"(() => {{ const s = k => trame.state.get(k); {condition} }})()"
        )

    def click(self, name):
        self.page.click(f"[aria-label='{name}']")

    def source(self):
        """Address of the picture that the page shows, another one for each picture."""
        return self.page.evaluate("document.querySelector('.scene img').src")

    @contextmanager
    def drawn(self):
        """What is done within has led to a new picture, the last one, when it is left."""
        number, source = self.state("picture"), self.source()
        yield
        self.settle(number, source)

    def settle(self, number=0, source=""):
        """Wait for a later picture without loss, in the size of the scene, and none after it."""
        late = time.monotonic() + PATIENCE / 1000
        while not self.page.evaluate(
            """async ([number, source]) => {
                const s = k => trame.state.get(k);
                const n = s('picture');
                const [scene, image] = [document.querySelector('.scene'),
                                        document.querySelector('.scene img')];
                const shown = image.src;
                if (!s('sharp') || n <= number || shown === source || !image.complete)
                    return false;
                const type = (await (await fetch(shown)).blob()).type;
                await new Promise(done => setTimeout(done, 100));
                return type === 'image/png' && n === s('picture') && shown === image.src
                    && image.naturalWidth === scene.clientWidth
                    && image.naturalHeight === scene.clientHeight;
            }""",
            [number, source],
        ):
            assert time.monotonic() < late, "no picture of the scene came"
            self.page.wait_for_timeout(50)

    def scene(self):
        """The picture without loss that the page shows, (height, width, 3)."""
        data = self.page.evaluate(
            """async () => {
                const blob = await (await fetch(document.querySelector('.scene img').src)).blob();
                return await new Promise(done => {
                    const reader = new FileReader();
                    reader.onload = () => done(reader.result);
                    reader.readAsDataURL(blob);
                });
            }"""
        )
        kind, _, text = data.partition(",")
        assert kind == "data:image/png;base64"
        return pixels(base64.b64decode(text))

    def seen(self, place=".scene"):
        """What is drawn on the screen at a place of the page, (height, width, 3)."""
        return pixels(self.page.locator(place).screenshot())

    def choose(self, field, words):
        """Choose an entry of one of the lists."""
        self.page.click(f".{field} .v-field")
        self.page.locator(".v-overlay--active .v-list-item").get_by_text(words, exact=True).click()
        self.page.wait_for_selector(".v-overlay--active .v-list-item", state="detached")

    def point(self, x, y):
        """Click a pixel of the scene."""
        box = self.page.locator(".scene").bounding_box()
        self.page.mouse.click(box["x"] + x + 0.5, box["y"] + y + 0.5)


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """The page of one server for all tests here."""
    needs_server()
    with chromium() as browser:
        path = save(ARM, tmp_path_factory.mktemp("web") / "arm.h5")
        process, address = start(path, "--port", "0")
        try:
            look = Look(browser.new_page(viewport={"width": 1000, "height": 700}), address)
            look.page.goto(address)
            look.page.wait_for_function("window.trame?.state?.get('picture') > 0")
            look.page.wait_for_selector(".scene img[src^=blob]")
            look.settle()
            yield look
        finally:
            stop(process)


@pytest.fixture
def look(opened):
    """The page, light, at its last time and colored by axial force; and all went well."""
    yield opened
    assert opened.wrong == []


def pixels(data):
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)


def changed(one, other):
    """Where two pictures differ visibly, (height, width)."""
    return np.abs(one - other).max(axis=2) > 24


def test_page_shows_the_scene(look):
    image = look.scene()
    assert look.page.title() == "upper_limb - fibermsk"
    assert look.state("time") == ARM.time[-1]
    # what is on the screen is this picture, but for the lines of the bars beside it
    assert changed(image, look.seen())[1:-1].mean() < 0.01
    ink = np.any(image < 245, axis=2)
    assert ink[:, :-LEGEND].mean() > 0.04
    assert ink[:, -LEGEND:].mean() > 0.02


def slide(look, part):
    """Click the slider at a part of its length, and give the time that is shown then."""
    aim = ARM.time[np.argmin(np.abs(ARM.time - part * ARM.time[-1]))]
    if look.state("time") == aim:
        # a slider that is there already does nothing
        return aim
    box = look.page.locator(".clock .v-slider__container").bounding_box()
    if abs(look.state("time") / ARM.time[-1] - part) * box["width"] < THUMB:
        # a click on the thumb takes hold of it and moves nothing
        slide(look, 0.0 if part > 0.5 else 1.0)
    with look.drawn():
        look.page.mouse.click(
            box["x"] + np.clip(part * box["width"], 1, box["width"] - 1),
            box["y"] + box["height"] / 2,
        )
    return look.state("time")


def test_slider_moves_the_arm(look):
    before = look.scene()
    assert slide(look, 0.0) == 0.0
    where = changed(before, look.scene())
    height, width = where.shape
    # the forearm swings in the lower half; the legend stays as it is
    assert where[height // 2 :, : width - LEGEND].mean() > 0.03
    assert not where[:, width - LEGEND :].any()
    assert look.page.locator(".time").inner_text() == "0.000 s of 8.000 s"
    half = slide(look, 0.5)
    assert abs(half - 4.0) <= 0.25 and np.min(np.abs(ARM.time - half)) < 1e-12
    assert slide(look, 1.0) == 8.0
    assert not changed(before, look.scene()).any()


@pytest.mark.slow
def test_field_colors_fibers_and_legend(look):
    before = look.scene()
    with look.drawn():
        look.choose("field", "muscle fraction")
    assert look.state("field") == "muscle_fraction"
    where = changed(before, look.scene())
    width = where.shape[1]
    assert where[:, width - LEGEND :].sum() > 200
    assert where[:, : width - LEGEND].sum() > 1000
    with look.drawn():
        look.choose("field", "axial force")
    assert not changed(before, look.scene()).any()


def test_play_advances_and_pause_stops(look):
    with look.drawn():
        look.click("One frame on (right)")
    assert look.state("time") == 0.0
    with look.drawn():
        look.click("Play or pause (space)")
        look.wait("return s('playing') && s('time') > 0.9")
        look.click("Play or pause (space)")
        look.wait("return !s('playing')")
    stopped = look.state("time"), look.state("picture")
    assert 0.0 <= stopped[0] <= 8.0
    look.page.wait_for_timeout(500)
    assert (look.state("time"), look.state("picture")) == stopped


@pytest.mark.slow
def test_playing_goes_on_at_the_speed_that_is_chosen(look):
    """How far in what time is asked of the clock itself, in test_playback and test_web_server."""
    look.choose("speed", "2 ×")
    look.wait("return s('speed') === 2")
    before = look.state("time")
    look.click("Play or pause (space)")
    look.wait(f"return s('time') !== {before}")
    with look.drawn():
        look.click("Play or pause (space)")
        look.wait("return !s('playing')")
    look.choose("speed", "1 ×")


@pytest.mark.slow
def test_space_and_arrows_work_in_the_scene(look):
    slide(look, 0.5)
    look.page.locator(".scene").focus()
    look.page.keyboard.press("Space")
    look.wait("return s('playing')")
    with look.drawn():
        look.page.keyboard.press("Space")
        look.wait("return !s('playing')")
    slide(look, 0.75)
    at = look.state("time")
    look.page.locator(".scene").focus()
    with look.drawn():
        look.page.keyboard.press("ArrowLeft")
    assert look.state("time") == pytest.approx(at - 0.25)
    slide(look, 1.0)


@pytest.mark.slow
def test_space_plays_after_the_slider_was_used(look):
    slide(look, 0.25)
    look.page.keyboard.press("Space")
    look.wait("return s('playing')")
    with look.drawn():
        look.page.keyboard.press("Space")
        look.wait("return !s('playing')")
    slide(look, 1.0)


@pytest.mark.slow
def test_theme_turns_page_and_scene_dark(look):
    def bar():
        return look.page.evaluate(
            "getComputedStyle(document.querySelector('.v-app-bar')).backgroundColor"
        )

    before, light = look.scene(), bar()
    assert np.all(look.seen()[-9, 9] > 240)
    with look.drawn():
        look.click("Light or dark")
    after, dark = look.scene(), bar()
    assert np.all(before[-9, 9] > 240) and np.all(after[-9, 9] < 60)
    assert np.all(look.seen()[-9, 9] < 60)
    assert light != dark
    with look.drawn():
        look.click("Light or dark")
    assert bar() == light
    assert not changed(before, look.scene()).any()


def test_click_selects_a_fiber_and_shows_its_curves(look):
    with look.drawn():
        look.choose("field", "muscle fraction")
    # without the legend, and without the axes in the lower corner
    image = look.scene()[:400, :-LEGEND]
    red = np.argwhere(image[..., 0] - image[..., 2] > 50)
    assert len(red) > 100
    # the picture shows the triceps at the left of the bone, the biceps at its right
    for side, step, muscle in ((np.argmin, 2, "triceps"), (np.argmax, -2, "biceps")):
        y, x = red[side(red[:, 1])]
        with look.drawn():
            look.point(x + step, y)
            look.wait("return s('curves') !== ''")
        name = look.state("fiber").partition(":")[2]
        assert name in ARM.fibers and name.startswith(muscle)
        assert name in look.page.inner_text(".fiber")
        assert look.page.locator(".curves .mark").count() == 4
        assert look.page.locator(".curves img").evaluate("i => i.naturalWidth") >= 700
        drawn = look.seen(".curves")
        # the curves are red, the mark of the time is blue
        assert np.sum(drawn[..., 0] - drawn[..., 2] > 60) > 300
        assert np.sum(drawn[..., 2] - drawn[..., 0] > 100) > 100
        with look.drawn():
            look.page.click(".fiber .v-field__clearable i")
            look.wait("return s('fiber') === null && s('curves') === ''")
        with look.drawn():
            look.click("Curves of a fiber")
    with look.drawn():
        look.choose("field", "axial force")


@pytest.mark.slow
def test_click_beside_all_fibers_selects_none(look):
    with look.drawn():
        look.click("Curves of a fiber")
    with look.drawn():
        look.choose("fiber", "biceps_2")
        look.wait("return s('fiber') === '0:biceps_2' && s('curves') !== ''")
    with look.drawn():
        look.point(8, 300)
        look.wait("return s('fiber') === null && s('curves') === ''")
    with look.drawn():
        look.click("Curves of a fiber")


@pytest.mark.slow
def test_drag_turns_the_scene_and_a_preset_turns_it_back(look):
    before = look.scene()
    box = look.page.locator(".scene").bounding_box()
    with look.drawn():
        look.page.mouse.move(box["x"] + 200, box["y"] + 200)
        look.page.mouse.down()
        look.page.mouse.move(box["x"] + 260, box["y"] + 220, steps=4)
        look.page.mouse.up()
    turned = look.scene()
    assert changed(before, turned).mean() > 0.02
    assert look.state("fiber") is None
    with look.drawn():
        look.click("Camera")
        look.page.get_by_text("Everything in view").click()
    assert not changed(before, look.scene()).any()


@pytest.mark.slow
def test_arrows_come_and_go(look):
    before = look.scene()
    with look.drawn():
        look.click("Attachment forces as arrows")
    assert look.state("arrows") == ["attachment"]
    shown = look.scene()
    green = (shown[..., 1] - shown[..., 0] > 60) & (shown[..., 1] > 100)
    assert green.sum() > 50
    with look.drawn():
        look.click("Attachment forces as arrows")
    assert not changed(before, look.scene()).any()


def test_picture_is_saved(look):
    scene = look.scene()
    with look.page.expect_download() as download:
        look.click("Save the picture")
    saved = pixels(download.value.path().read_bytes())
    assert download.value.suggested_filename == "upper_limb.png"
    assert not changed(scene, saved).any()

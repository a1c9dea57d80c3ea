"""The page of a result in a real browser, opened as a file."""

import dataclasses
import io
import json
import subprocess
import sys

import numpy as np
import pytest
from chromium import Tab, chromium
from fillet_arm import bent_arm
from make_result import make_ball, make_fiber, make_hanging_fiber, make_result
from matplotlib.image import imread

from fibermsk.results import BodyMotion, JointAxis, MuscleLine, ShapeRecord, Still
from fibermsk.results.measures import measures_of
from fibermsk.view import write_page
from fibermsk.view.browser.content import pack
from fibermsk.view.drawing.arrows import Arrows, ArrowScale
from fibermsk.view.drawing.bones import bone_surface
from fibermsk.view.drawing.camera import find_camera
from fibermsk.view.drawing.looks import ARROW_COLORS
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.fields import FIELDS, fiber_field
from fibermsk.view.forces import attachment_forces, contact_forces, muscle_forces
from fibermsk.view.pictures.frames import FrameDrawer

ARM = make_result()


@pytest.fixture(scope="module")
def browser():
    with chromium() as program:
        yield program


@pytest.fixture
def open_page(browser, tmp_path):
    """Write a page, open it, and see at the end that nothing went wrong and nothing was fetched."""
    tabs = []

    def open_it(shown=ARM, *, settings=None, **context):
        still = {"autoplay": False} | (settings or {})
        path = write_page(shown, tmp_path / f"page{len(tabs)}.html", **still)
        tabs.append(Tab(browser, path, **context))
        return tabs[-1]

    yield open_it
    for tab in tabs:
        # the picture that is saved has an address of its own, made by the page
        fetched = [url for url in tab.requests if url != tab.url and not url.startswith("blob:")]
        assert tab.problems == [] and fetched == []
        tab.close()


def changed(one, other):
    """Part of the pixels that differ."""
    return np.mean(np.any(np.abs(one - other) > 8, axis=2))


def make_bundle(n_side=3, names=None, **changes):
    """Fibers on a grid, well apart, and no body."""
    fibers, n_frames = {}, 3
    for k in range(n_side**2):
        x, y = 0.06 * (k % n_side), 0.001 * (k // n_side)
        z = 0.35 * (k // n_side)
        origin, insertion = (np.tile([x, y, z + dz], (n_frames, 1)) for dz in (0.3, 0.0))
        name = names[k] if names and k < len(names) else f"fiber_{k}"
        fibers[name] = make_fiber(origin, insertion, np.full((n_frames, 1), 5.0), bow=0.005)
    return make_result(n_frames, fibers=fibers, bodies={}, **changes)


def make_still():
    """A bone, a muscle around a ball, and a joint."""
    one = BodyMotion(np.zeros((1, 3)), np.eye(3)[None], (), (make_ball(0.1),))
    stick = ShapeRecord("capsule", np.zeros(3), np.array([0.0, -0.4, 0.0]), 0.01)
    other = BodyMotion(one.position, one.rotation, (), (stick,))
    return Still(
        make_result(
            1, scene="leg", fibers={}, bodies={"bone": one, "other": other}, up=(0.0, 1.0, 0.0)
        ),
        muscles={"ham": MuscleLine(np.array([[0, 0.2, 0], [0.2, 0, 0], [0, -0.2, 0]]), 0.005)},
        wraps={"ball": make_ball(0.12)},
        axes=(JointAxis(("knee",), "rotation", np.zeros(3), np.array([0.0, 0.0, 1.0])),),
    )


def test_opens_and_says_what_it_shows(open_page):
    page = open_page()
    state = page.state
    assert state["error"] is None and state["frames"] == 33 and state["frame"] == 0
    assert page.tab.title() == "upper_limb - fibermsk"
    assert page.text("#scene-name") == "upper_limb"
    assert not page.tab.locator("#message").is_visible()
    # a good part of the scene is drawn
    assert np.mean(np.any(page.picture() < 235, axis=2)) > 0.08
    assert "33" in page.tab.locator("#about").text_content()


def test_positions_and_fields_are_those_of_the_result(open_page):
    page = open_page()
    error = pack(ARM).error
    for name, fiber in ARM.fibers.items():
        for frame, theta in ((0, 0.0), (7, 0.3), (16, 0.5), (32, 1.0), (25, 0.77)):
            found = page.ask("sample", name, theta, ARM.time[frame])
            expected = fiber.centerline(np.array([theta]), frame)[0]
            assert np.max(np.abs(found - expected)) <= error + 1e-12
    fiber = ARM.fibers["triceps_2"]
    for field in FIELDS:
        values = fiber_field(fiber, field)
        slack = 1e-4 * np.ptp(values)
        for frame, sample in ((0, 3), (20, 11)):
            found = page.ask("value", "triceps_2", field, sample, ARM.time[frame])
            # stress has the rounding of force and of radius, a contact force that of three axes
            assert found == pytest.approx(values[frame, sample], rel=1e-4, abs=slack)


def test_slider_moves_the_arm(open_page):
    page = open_page()
    first = page.picture()
    page.seek(8.0)
    assert page.state["frame"] == 32 and page.text("#now") == "8.00 s"
    assert changed(first, page.picture()) > 0.03
    page.seek(0.0)
    assert changed(first, page.picture()) < 1e-3
    # the start asked for when it was written
    assert open_page(settings={"time": 4.1}).state["time"] == 4.0


def test_fields(open_page):
    page = open_page()
    page.seek(4.0)
    before, legend = page.picture(), page.tab.locator("#legend").get_attribute("aria-label")
    assert legend == "Color: activation, 0 to 0.1"  # of muscle, beside ivory tendon
    page.tab.select_option("#field", "axial_force")
    assert changed(before, page.picture()) > 0.005
    legend = page.tab.locator("#legend").get_attribute("aria-label")
    assert legend.startswith("Color: axial force, ") and legend.endswith(" N")
    before = page.picture()
    page.tab.select_option("#field", "radius")
    assert changed(before, page.picture()) > 0.005
    assert page.state["field"] == "radius"
    legend = page.tab.locator("#legend").get_attribute("aria-label")
    assert legend.startswith("Color: radius, ") and legend.endswith(" mm")
    offered = page.tab.locator("#field option").evaluate_all("all => all.map(o => o.value)")
    assert tuple(offered) == FIELDS


def test_play_pause_loop_and_keys(open_page):
    page = open_page()
    page.tab.click("#play")
    assert (
        page.state["playing"] and page.tab.locator("#play").get_attribute("aria-label") == "Pause"
    )
    page.wait("window.fibermsk.state().frame >= 3")
    page.tab.click("#play")
    held = page.state
    assert not held["playing"]
    page.tab.wait_for_timeout(400)
    assert page.state["frame"] == held["frame"]

    page.tab.focus("#view")
    page.tab.keyboard.press("End")
    assert page.state["frame"] == 32
    page.tab.keyboard.press("ArrowLeft")
    page.tab.keyboard.press("ArrowLeft")
    page.tab.keyboard.press("ArrowRight")
    assert page.state["frame"] == 31
    page.tab.keyboard.press("Home")
    page.tab.keyboard.press("ArrowLeft")
    assert page.state["frame"] == 0

    # without loop it stops at the end; twenty times as fast, eight seconds take less than one
    page.tab.select_option("#speed", "20")
    page.tab.uncheck("#loop")
    page.tab.focus("#view")
    page.tab.keyboard.press(" ")
    assert page.state["playing"]
    page.wait("!window.fibermsk.state().playing")
    assert page.state["frame"] == 32
    # with loop it goes on from the start
    page.tab.check("#loop")
    page.tab.focus("#view")
    page.tab.keyboard.press(" ")
    page.wait("(() => { const k = window.fibermsk.state().frame; return k > 0 && k < 32; })()")
    assert page.state["playing"]
    page.tab.keyboard.press(" ")
    for settings, plays in (
        ({"autoplay": True}, True),
        ({"autoplay": None}, True),
        ({"autoplay": None, "time": 4.0}, False),
    ):
        other = open_page(settings=settings)
        assert other.state["playing"] == plays
        # pages that play slow each other down
        if plays:
            other.tab.click("#play")


@pytest.mark.parametrize("system", [pytest.param("light", marks=pytest.mark.slow), "dark"])
def test_theme(open_page, system):
    other = "dark" if system == "light" else "light"
    page = open_page(color_scheme=system)
    assert page.state["theme"] == system
    corner = page.picture()[3, 3]
    assert (corner.max() > 200) == (system == "light")
    page.tab.click("#theme")
    assert page.state["theme"] == other
    assert (page.picture()[3, 3].max() > 200) == (other == "light")
    assert open_page(settings={"theme": other}, color_scheme=system).state["theme"] == other


def test_a_click_picks_the_fiber_there(open_page):
    page = open_page(make_bundle())
    box = page.tab.locator("#view").bounding_box()
    for name in [f"fiber_{k}" for k in range(9)]:
        x, y = page.ask("project", page.ask("sample", name, 0.4))
        page.tab.mouse.click(box["x"] + x, box["y"] + y)
        assert page.state["selected"] == name
        assert page.text("#curves-title") == name
        assert page.tab.locator("#fiber option:checked").inner_text() == name
    captions = page.tab.locator("#curves strong").all_inner_texts()
    assert captions == ["activation", "axial force", "stretch", "contact force"]
    page.tab.mouse.click(box["x"] + 5, box["y"] + box["height"] - 5)
    assert page.state["selected"] is None
    page.tab.select_option("#fiber", "3")
    assert page.state["selected"] == "fiber_3"
    page.tab.keyboard.press("Escape")


@pytest.mark.slow
def test_a_bone_hides_what_is_behind_it(open_page):
    """A fiber inside of a ball cannot be picked, and can be when the ball is away."""
    fibers = {
        "core": make_fiber(
            np.tile([0, 0, 0.1], (2, 1)), np.tile([0, 0, -0.1], (2, 1)), np.ones((2, 1)), bow=0.0
        )
    }
    ball = BodyMotion(np.zeros((2, 3)), np.tile(np.eye(3), (2, 1, 1)), (make_ball(0.15),))
    for bodies, expected in (({"ball": ball}, None), ({}, "core")):
        page = open_page(make_result(2, fibers=fibers, bodies=bodies))
        box = page.tab.locator("#view").bounding_box()
        x, y = page.ask("project", [0.0, 0.0, 0.0])
        page.tab.mouse.click(box["x"] + x, box["y"] + y)
        assert page.state["selected"] == expected


@pytest.mark.slow
def test_curves_have_a_mark_at_the_time(open_page):
    page = open_page()
    page.tab.select_option("#fiber", "0")
    page.settle()
    fiber = ARM.fibers["biceps_1"]
    first = page.picture("#curves figure:nth-child(2) canvas")
    page.seek(4.0)
    force = page.tab.locator("#curves figure:nth-child(2) output").inner_text()
    assert float(force.split()[0]) == pytest.approx(fiber.axial_force[16].mean(), rel=1e-3)
    assert force.endswith(" N")
    assert changed(first, page.picture("#curves figure:nth-child(2) canvas")) > 0.005
    # a click into a curve goes to that time
    box = page.tab.locator("#curves figure:nth-child(2) canvas").bounding_box()
    page.tab.mouse.click(box["x"] + box["width"] - 10, box["y"] + 40)
    assert page.state["time"] > 7.5


def test_measures_follow_the_time(open_page):
    asked = ["biceps.length", "elbow_flexion", "elbow_flexion.speed"]
    page = open_page(settings={"measures": asked, "time": 4.0})
    names = page.tab.locator("#curves figcaption strong").all_inner_texts()
    assert names == ["biceps, length", "elbow_flexion", "elbow_flexion, speed"]
    wanted = measures_of(ARM, asked)

    def numbers():
        return page.tab.locator("#curves output").all_inner_texts()

    for time, frame in ((4.0, 16), (2.0, 8)):
        page.seek(time)
        found = [float(text.split()[0]) for text in numbers()]
        scales = (1e3, 1.0, 1.0)
        for value, one, k in zip(found, wanted, scales, strict=True):
            assert value == pytest.approx(k * one.shown[1][frame], rel=1e-3)
    assert [text.split()[1] for text in numbers()] == ["mm", "\N{DEGREE SIGN}", "\N{DEGREE SIGN}/s"]
    # also above the curves of a fiber
    page.tab.select_option("#fiber", "0")
    assert page.tab.locator("#curves figcaption strong").all_inner_texts()[:3] == names


def test_names_are_those_of_muscles(open_page):
    page = open_page()
    page.tab.check("#show-names")
    assert sorted(page.tab.locator("#names span").all_inner_texts()) == ["biceps", "triceps"]
    # each has a dot on its muscle, which no other muscle hides
    width = page.tab.locator("#view").bounding_box()["width"]
    for muscle in ("biceps", "triceps"):
        own = [name for name in ARM.fibers if name.startswith(muscle)]
        way = np.linspace(0.2, 0.8, 61)
        points = [[page.ask("project", page.ask("sample", name, t)) for t in way] for name in own]
        mean = np.mean(points, axis=0)
        dots = page.tab.locator("#names circle").evaluate_all(
            "all => all.map(one => ['cx', 'cy'].map(name => Number(one.getAttribute(name))))"
        )
        assert min(np.linalg.norm(mean - dot, axis=1).min() for dot in dots) < 0.005 * width
    page.tab.select_option("#fiber", "0")
    chosen = page.tab.locator("#names .selected").all_inner_texts()
    assert chosen == ["biceps_1"]


def test_arrows_are_the_forces(open_page):
    page = open_page(settings={"time": 4.0})
    before = page.picture()
    assert page.ask("arrows") == []
    page.tab.check("#attachment")
    page.tab.check("#contact")
    assert page.state["arrows"] == ["attachment", "contact"]
    assert changed(before, page.picture()) > 0.003
    words = page.tab.locator("#legend").get_attribute("aria-label")
    assert "fiber on bone" in words and "contact, per element" in words
    written = page.tab.locator("#names .force").all_inner_texts()
    sizes = {f"{one.muscle} Σ {np.linalg.norm(one.force):.3g} N" for one in muscle_forces(ARM, 16)}
    assert len(written) == 4 and set(written) == sizes
    rows = np.reshape(page.ask("arrows"), (-1, 9))
    colors = np.round(255 * rows[:, 6:]).astype(int)
    for kind in ("attachment", "contact"):
        color = [int(ARROW_COLORS[kind][k : k + 2], 16) for k in (1, 3, 5)]
        found = rows[np.all(colors == color, axis=1)]
        if kind == "attachment":
            points, forces = attachment_forces(ARM, 16)
        else:
            drawn = Arrows(ARM, kind, ArrowScale.of(1.0, 1.0))
            drawn.move(16)
            points, forces = drawn.anchors, drawn.forces
            each = [contact_forces(fiber)[16] for fiber in ARM.fibers.values()]
            np.testing.assert_allclose(forces, np.concatenate(each), atol=1e-9)
            sizes = np.linalg.norm(forces, axis=1)
            # what is too short to be seen is left out
            pressed = sizes > 2e-2 * sizes.max()
            points, forces = points[pressed], forces[pressed]
        # in one scale, and each from where it acts
        factor = np.linalg.norm(found[:, 3:6], axis=1).max() / np.linalg.norm(forces, axis=1).max()
        for point, force in zip(points, forces, strict=True):
            gap = np.linalg.norm(found[:, :3] - point, axis=1) + np.linalg.norm(
                found[:, 3:6] - factor * force, axis=1
            )
            assert gap.min() < 1e-4
    assert open_page(settings={"arrows": ("contact",)}).state["arrows"] == ["contact"]


def test_names_that_would_be_html_are_words(open_page):
    evil = [
        "</script><img src=x onerror=\"document.body.dataset.hacked='yes'\">",
        "{{data}} ' \" & <b>",
        "</title><svg onload=\"document.body.dataset.hacked='yes'\">",
    ]
    bundle = make_bundle(names=evil, scene=evil[2], status="failed", message=evil[0])
    page = open_page(bundle, settings={"labels": True})
    for k, name in enumerate(evil):
        page.tab.select_option("#fiber", str(k))
        assert page.tab.locator("#curves-title").text_content() == name
    page.settle()
    assert evil[2] in page.tab.locator("#names span").all_text_contents()
    assert page.tab.locator("#scene-name").text_content() == evil[2]
    assert page.tab.locator("#message").text_content() == evil[0]
    page.tab.wait_for_timeout(200)
    assert page.tab.evaluate("document.body.dataset.hacked") is None
    assert page.tab.locator("img, svg:not(#names > svg), b").count() == 0  # but lines to names


def test_a_failed_run_says_why(open_page):
    position = ARM.fibers["biceps_1"].position.copy()
    position[-1, 4] = np.nan
    broken = dataclasses.replace(ARM.fibers["biceps_1"], position=position)
    words = "Newton did not converge at t = 8 s: biceps_1 node 4, x"
    page = open_page(
        make_result(status="failed", message=words, fibers=ARM.fibers | {"biceps_1": broken})
    )
    assert page.text("#status") == "failed" and page.text("#message") == words
    page.seek(8.0)
    assert page.ask("sample", "biceps_1", 0.5, 8.0) == pytest.approx([np.nan] * 3, nan_ok=True)
    assert page.ask("sample", "biceps_2", 0.5, 8.0)[0] == pytest.approx(
        ARM.fibers["biceps_2"].centerline(np.array([0.5]), 32)[0, 0], abs=1e-5
    )
    assert np.mean(np.any(page.picture() < 235, axis=2)) > 0.05


@pytest.mark.parametrize(
    "shown",
    [
        pytest.param(make_result(1, status="interrupted"), marks=pytest.mark.slow),
        pytest.param(make_hanging_fiber(), marks=pytest.mark.slow),
        pytest.param(make_result(fibers={}), marks=pytest.mark.slow),
        make_result(fibers={}, bodies={}),
        make_still(),
    ],
    ids=["one_frame", "hanging", "no_fibers", "nothing", "still"],
)
def test_results_with_little_in_them(open_page, shown):
    page = open_page(shown, settings={"labels": True})
    result = shown.result if isinstance(shown, Still) else shown
    assert page.state["error"] is None
    assert page.tab.locator("#transport").is_visible() == (result.time.size > 1)
    assert page.tab.locator("#field-choice").is_visible() == bool(result.fibers)
    assert page.tab.locator("#legend").is_visible() == bool(result.fibers)
    inked = np.mean(np.any(page.picture() < 235, axis=2))
    assert (inked > 0.001) == bool(result.fibers or result.bodies)
    if isinstance(shown, Still):
        names = page.tab.locator("#names span").all_text_contents()
        assert sorted(names) == ["ham", "knee"]


def silhouette(image, background=245):
    return np.any(image < background, axis=2)


def test_joints_of_bones_have_fillets_as_in_pictures(open_page):
    shown = bent_arm(angles=(1.4,))
    page = open_page(shown)
    image = page.picture()
    height, width = image.shape[:2]
    stage = Stage(shown, "tissue")
    with FrameDrawer(stage, stage.camera((width, height), 0.0), (width, height)) as drawer:
        expected = drawer.draw(0).astype(int)
        stage.fillets.groups = {}
        for piece in stage.pieces:
            made = bone_surface(shown.bodies[piece.body].shapes[0])
            piece.surface.points[:], piece.surface.normals[:] = made.points, made.normals
        creased = drawer.draw(0).astype(int)
    there = np.abs(expected - creased).max(axis=2) > 24
    there &= np.arange(height)[:, None] < height - 120  # without the axes
    far = [np.abs(image - one).max(axis=2)[there] for one in (expected, creased)]
    assert there.sum() > 30
    assert np.median(far[0]) < 12 < 24 < np.median(far[1])


@pytest.mark.parametrize(
    "preset", [*(pytest.param(one, marks=pytest.mark.slow) for one in ("fit", "right")), "top"]
)
def test_the_page_draws_what_pictures_draw(open_page, preset):
    page = open_page(settings={"time": 8.0})
    page.tab.select_option("#preset", preset)
    page.tab.evaluate("document.getElementById('legend').style.visibility = 'hidden'")
    image = page.picture()
    height, width = image.shape[:2]
    stage = Stage(ARM, "tissue")
    room = 112 / width  # the legend's part
    if preset == "fit":
        camera = stage.camera((width, height), room)
    else:
        camera = find_camera(preset, stage.cloud, stage.margins, width / height, ARM.up, room=room)
    with FrameDrawer(stage, camera, (width, height)) as drawer:
        expected = drawer.draw(32).astype(int)
    ours, theirs = silhouette(image), silhouette(expected)
    # edges are smoothed in different ways: a pixel along them
    assert np.mean(ours != theirs) < 0.1 * np.mean(theirs)
    assert np.sum(ours & theirs) > 0.96 * np.sum(ours | theirs)
    inside = ours & theirs
    assert np.median(np.max(np.abs(image - expected), axis=2)[inside]) < 10


@pytest.mark.slow
def test_turning_shifting_zooming(open_page):
    page = open_page(settings={"time": 8.0})
    box = page.tab.locator("#view").bounding_box()
    x, y = box["x"] + 0.4 * box["width"], box["y"] + 0.5 * box["height"]
    elbow, hand = [0.0, 0.0, -0.351], page.ask("sample", "biceps_1", 1.0, 8.0)

    def apart():
        return np.hypot(*np.subtract(page.ask("project", elbow), page.ask("project", hand)))

    mouse, before = page.tab.mouse, apart()
    mouse.move(x, y)
    mouse.wheel(0, -300)
    page.settle()
    assert apart() > 1.2 * before
    page.tab.keyboard.press("f")
    assert apart() == pytest.approx(before)

    place = np.array(page.ask("project", elbow))
    page.tab.keyboard.down("Shift")
    mouse.down()
    mouse.move(x + 40, y + 20, steps=4)
    mouse.up()
    page.tab.keyboard.up("Shift")
    shift = page.ask("project", elbow) - place
    assert shift == pytest.approx([40, 20], rel=0.15)

    first = page.picture()
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 120, y, steps=6)
    mouse.up()
    assert changed(first, page.picture()) > 0.02
    assert page.state["selected"] is None  # a drag is no click


@pytest.mark.slow
def test_on_a_phone(open_page):
    page = open_page(
        make_bundle(), viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True,
        device_scale_factor=2,
    )  # fmt: skip
    wide = page.tab.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert wide[0] <= wide[1] == 390
    for control in ("#play", "#time", "#speed", "#theme", "#save"):
        box = page.tab.locator(control).bounding_box()
        assert 0 <= box["x"] and box["x"] + box["width"] <= 390 and box["height"] >= 14
    box = page.tab.locator("#view").bounding_box()
    x, y = page.ask("project", page.ask("sample", "fiber_4", 0.5))
    page.tab.touchscreen.tap(box["x"] + x, box["y"] + y)
    assert page.state["selected"] == "fiber_4"


@pytest.mark.slow
def test_saves_a_picture(open_page):
    page = open_page(settings={"time": 4.0})
    with page.tab.expect_download() as download:
        page.tab.click("#save")
    image = imread(io.BytesIO(download.value.path().read_bytes()))
    assert download.value.suggested_filename == "upper_limb_16.png"
    box = page.tab.locator("#view").bounding_box()
    assert image.shape[:2] == (2 * box["height"], 2 * box["width"])
    seen = np.rint(255 * image[..., :3]).astype(int)
    assert 0.08 < np.mean(silhouette(seen)) < 0.6
    # the scene on the page is as it was
    assert np.mean(np.any(page.picture() < 235, axis=2)) > 0.08


def test_without_webgl_the_page_says_so(open_page):
    page = open_page(
        before="""const usual = HTMLCanvasElement.prototype.getContext;
        HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
            return kind === "webgl2" ? null : usual.call(this, kind, ...rest);
        };"""
    )
    assert "WebGL 2" in page.text("#trouble")
    page.tab.select_option("#fiber", "1")
    page.settle()
    assert page.tab.locator("#curves figure").count() == 4


def test_a_damaged_page_says_so(browser, tmp_path):
    path = write_page(ARM, tmp_path / "x.html")
    text = path.read_text()
    at = text.index('id="part-0">') + 500
    path.write_text(text[:at] + "AAAA" + text[at + 4 :])
    tab = Tab(browser, path, wait=False)
    tab.tab.wait_for_selector("#trouble", state="visible")
    assert tab.text("#scene-name") == "This page cannot be shown"
    tab.close()


def test_every_control_has_a_name(open_page):
    page = open_page()
    nameless = page.tab.evaluate(
        """() => [...document.querySelectorAll("button, input, select, canvas")].filter(one => !(
            one.getAttribute("aria-label") || one.textContent.trim() && one.tagName === "BUTTON"
            || one.labels?.length)).map(one => one.outerHTML)"""
    )
    assert nameless == []


@pytest.mark.slow
def test_thinned_frames_are_stated(open_page):
    page = open_page(settings={"max_frames": 5})
    assert page.state["frames"] == 5
    assert "5 of 33, chosen evenly" in page.tab.locator("#about").text_content()


NOTEBOOK = """
import sys
sys.path.insert(0, {tests!r})
from fillet_arm import bent_arm
from make_result import make_result
make_result(5).view(color_by="stretch", theme="dark")
"""


@pytest.mark.slow
def test_notebook_shows_the_page(browser, tmp_path):
    for module in ("nbformat", "nbconvert", "ipykernel"):
        pytest.importorskip(module, reason=f"{module} is not installed")
    import nbformat

    tests = str(__file__).rpartition("view")[0]
    notebook = nbformat.v4.new_notebook()
    notebook.cells.append(nbformat.v4.new_code_cell(NOTEBOOK.format(tests=tests), id="only"))
    path = tmp_path / "arm.ipynb"
    path.write_text(json.dumps(notebook))
    command = [sys.executable, "-m", "nbconvert", "--execute", "--to", "html", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    tab = Tab(browser, path.with_suffix(".html"), wait=False)
    frame = tab.tab.locator("iframe")
    frame.scroll_into_view_if_needed()
    inner = frame.element_handle().content_frame()
    tab.settle(inner)
    state = inner.evaluate("window.fibermsk.state()")
    assert state["frames"] == 5 and state["field"] == "stretch" and state["theme"] == "dark"
    assert state["error"] is None
    image = np.rint(255 * imread(io.BytesIO(frame.screenshot()))[..., :3])
    assert np.mean(image.max(axis=2) > 120) > 0.05
    tab.close()

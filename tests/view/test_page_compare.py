"""The page of several results, and colors of tissue, in a real browser."""

from dataclasses import replace

import numpy as np
import pytest
from chromium import Tab, chromium
from make_result import make_fiber, make_result

from fibermsk.view import write_page

ARM = make_result()
SHORT = make_result(17).at_frames(slice(0, 13))
"""The same arm up to 6 s."""
WIDTH, HEIGHT = 1100, 700


@pytest.fixture(scope="module")
def browser():
    with chromium() as program:
        yield program


def opened(browser, path, shown, **settings):
    write_page(shown, path, autoplay=False, **settings)
    return Tab(browser, path, viewport={"width": WIDTH, "height": HEIGHT})


def places(page, result, run):
    """Pixels of the bones' ends and of the fibers at all times, from the upper left corner."""
    points = []
    for frame in range(0, result.time.size, 4):
        for body in result.bodies.values():
            for shape in body.shapes:
                ends = np.stack([shape.start, shape.end]) @ body.rotation[frame].T
                points += list(ends + body.position[frame])
        points += [fiber.position[frame, 4] for fiber in result.fibers.values()]
    return np.array([page.ask("project", point.tolist(), run) for point in points])


@pytest.mark.parametrize("compare", ["side_by_side", "overlay"])
def test_names_of_results_stand_above_them(browser, tmp_path, compare):
    names = ["left arm", "right arm"]
    page = opened(browser, tmp_path / "two.html", [ARM, SHORT], names=names, compare=compare)
    page.seek(8.0)
    scene = page.tab.locator("#scene").bounding_box()
    legend = page.tab.locator("#legend").bounding_box()
    lines = page.tab.locator("#captions").inner_text()
    assert "left arm" in lines and "right arm" in lines and "6.00 s, its end" in lines
    bottom = page.tab.evaluate(
        """() => {
            const words = document.createRange();
            words.selectNodeContents(document.getElementById("captions"));
            return Math.max(...Array.from(words.getClientRects(), (box) => (
                box.height < 40 ? box.bottom : 0
            )));
        }"""
    )
    assert bottom > scene["y"] + 20
    spread = [places(page, result, run) for run, result in enumerate((ARM, SHORT))]
    for found in spread:
        assert found[:, 1].min() > bottom - scene["y"]
        # nothing at an edge, nor below the legend
        assert found[:, 0].min() > 12.0
        assert found[:, 0].max() < legend["x"] - scene["x"]
    if compare == "side_by_side":
        assert spread[0][:, 0].max() < spread[1][:, 0].min()
        # as wide as its view, but for the margin of 10 %
        wide = (legend["x"] - scene["x"]) / 2
        tall = scene["height"] - bottom
        assert max(np.ptp(spread[0][:, 0]) / wide, np.ptp(spread[0][:, 1]) / tall) > 0.75
    assert page.problems == []
    page.close()


def test_numbers_and_marks_of_results_have_their_colors(browser, tmp_path):
    page = opened(browser, tmp_path / "two.html", [ARM, SHORT], measures="elbow_flexion")
    page.seek(3.0)
    numbers = page.tab.locator("#curves output").first
    assert numbers.inner_text().count(",") == 1 and numbers.inner_text().endswith("°")
    colors = [
        numbers.locator("span").nth(k).evaluate("one => getComputedStyle(one).color")
        for k in range(2)
    ]
    named = [
        page.tab.locator("#curves > p").nth(k).evaluate("one => getComputedStyle(one).color")
        for k in range(2)
    ]
    assert colors == named and colors[0] != colors[1]
    # the mark of the second, at its end, away from the line of the time
    page.seek(8.0)
    chart = page.picture("#curves canvas >> nth=0")
    wanted = np.array([int(part) for part in colors[1][4:-1].split(",")])
    near = np.all(np.abs(chart - wanted) < 30, axis=2)
    around = near[:-2, :-2] & near[2:, 2:] & near[2:, :-2] & near[:-2, 2:]
    assert around.sum() > 4  # a disc, which is wider than the line
    page.close()


def test_a_single_result_has_numbers_of_one_color(browser, tmp_path):
    page = opened(browser, tmp_path / "one.html", ARM, measures="elbow_flexion")
    spans = page.tab.locator("#curves output").first.locator("span")
    assert spans.count() == 1 and spans.first.get_attribute("style") is None
    page.close()


def test_muscle_fades_into_tendon_by_its_fraction(browser, tmp_path):
    """Colors are mixed in proportion, as in pictures: see `fibermsk.view.drawing.tubes`."""
    parts, fibers = (0.0, 0.25, 0.5, 0.75, 1.0), {}
    for k, part in enumerate(parts):
        ends = [np.tile([0.06 * k, 0.0, z], (2, 1)) for z in (0.3, 0.0)]
        one = make_fiber(*ends, np.full((2, 1), 5.0), bow=0.0)
        fibers[f"f{k}"] = replace(one, muscle_fraction=np.full_like(one.theta, part))
    page = opened(browser, tmp_path / "mixed.html", make_result(2, fibers=fibers, bodies={}))
    page.tab.select_option("#preset", "front")
    image, colors = page.picture(), []
    for fiber in fibers.values():
        x, y = page.ask("project", fiber.position[0, 4].tolist())
        colors.append(image[round(y), round(x)])
    pure = np.array(colors)[[0, -1]]
    assert np.abs(pure[0] - pure[1]).max() > 60
    for part, color in zip(parts, colors, strict=True):
        np.testing.assert_allclose(color, (1.0 - part) * pure[0] + part * pure[1], atol=9)
    page.close()

"""Charts of measures, and several results in one picture or movie."""

import numpy as np
import pytest
from make_result import make_result
from PIL import Image, ImageSequence

from fibermsk.errors import ModelError
from fibermsk.view import movie, screenshot
from fibermsk.view.drawing.looks import find_theme
from fibermsk.view.pictures.charts import LINE_COLORS, Charts, chart_rows, strip_height
from fibermsk.view.pictures.scene import picture

ARM = make_result()
SHORT = make_result(17).at_frames(slice(0, 13))
"""Another arm of half the frames, that ends at 6 s."""
LIGHT = find_theme("light")
SIZE = (480, 320)


def colored(image, color, near=40):
    """Columns with pixels of a color."""
    target = [int(color[k : k + 2], 16) for k in (1, 3, 5)]
    return np.flatnonzero(np.any(np.all(np.abs(image.astype(int) - target) < near, axis=2), axis=0))


def test_mark_and_number_follow_the_time():
    charts = Charts("elbow_flexion", [ARM], LIGHT, (600, 120))
    places, texts = [], []
    for time in (1.0, 4.0, 7.0):
        charts.move(time)
        places.append(float(np.mean(colored(charts.image(), LIGHT.accent, 75))))
        texts.append(charts._words[0][0].get_text())
        assert charts.time_at(places[-1]) == pytest.approx(time, abs=0.05)
    assert places[0] < places[1] < places[2]
    assert texts == ["11.71°", "42.43°", "58.85°"]
    assert charts.time_at(-5.0) is None
    # nothing of other times is left
    again = charts.image()
    charts.move(0.0)
    assert not np.array_equal(charts.image(), again)
    charts.move(7.0)
    np.testing.assert_array_equal(charts.image(), again)


def test_every_result_has_its_line_and_stays_at_its_end():
    charts = Charts(["elbow_flexion", "biceps.length"], [ARM, SHORT], LIGHT, (800, 120))
    charts.move(8.0)
    image = charts.image()
    assert all(colored(image, color).size > 50 for color in LINE_COLORS[:2])
    assert [text.get_text() for text in charts._words[0]] == ["60", "55.43°"]
    charts.move(1.0)
    image = charts.image()
    ends = [colored(image[34:96, :390], color).max() for color in LINE_COLORS[:2]]
    assert ends[1] == pytest.approx(62 + 0.75 * (ends[0] - 62), abs=6)


def test_own_values_are_those_of_the_first_result():
    charts = Charts({"height [m]": ARM.time}, [ARM, SHORT], LIGHT, (300, 90))
    charts.move(2.0)
    assert [text.get_text() for text in charts._words[0]] == ["2 m"]


def test_a_picture_has_the_charts_below_the_scene(renderer):
    bare = picture(ARM, time=4.0, size=SIZE)
    below = strip_height(2, SIZE)
    image = picture(ARM, time=4.0, size=SIZE, measures=["elbow_flexion", "biceps_1.length"])
    assert image.shape == bare.shape
    strip = Charts(["elbow_flexion", "biceps_1.length"], [ARM], LIGHT, (SIZE[0], below))
    strip.move(4.0)
    np.testing.assert_array_equal(image[-below:], strip.image())
    smaller = picture(ARM, time=4.0, size=(SIZE[0], SIZE[1] - below))
    np.testing.assert_array_equal(image[:-below], smaller)


def test_results_side_by_side_are_those_of_single_pictures(renderer):
    look = {"fit": "run", "names": ["arm", "short"]}
    both = picture([ARM, SHORT], time=6.0, size=(481, 320), **look)
    assert both.shape == (320, 481, 3)
    halves = both[:, :240], both[:, 240:480]
    inked = [np.mean(np.any(half < 230, axis=2)) for half in halves]
    assert min(inked) > 0.04
    # the same pose at this time, but for legend, names and axes
    middle = np.s_[60:240, 0:140]
    later = picture([ARM, SHORT], time=8.0, size=(480, 320), **look)
    np.testing.assert_array_equal(later[:, 240:][middle], both[:, 240:480][middle])
    assert np.mean(later[:, :240][middle] != both[:, :240][middle]) > 0.01


def test_an_overlay_has_a_solid_and_a_translucent_result(renderer):
    one = picture(ARM, time=8.0, size=SIZE, fit="run", shadows=False, names=["a"]).astype(int)
    bent = {"compare": "overlay", "fit": "run", "shadows": False, "size": SIZE, "time": 8.0}
    bent["names"] = ["a", "b"]
    same = picture([ARM, ARM], **bent).astype(int)
    both = picture([ARM, SHORT], **bent).astype(int)
    scene = np.s_[70:, 60:-100]
    # a ghost behind its own solid is hidden
    assert np.mean(np.abs(same[scene] - one[scene]) > 12) < 0.02
    gone = np.mean(np.any(np.abs(both[scene] - one[scene]) > 12, axis=2))
    assert 0.005 < gone < 0.2
    swapped = picture([SHORT, ARM], **bent).astype(int)
    assert np.mean(np.abs(swapped[scene] - both[scene]) > 12) > 0.002


def test_a_movie_of_two_results_with_charts(tmp_path):
    path = movie(
        [ARM, SHORT], tmp_path / "two.gif", fps=1, speed=2.0, size=SIZE,
        measures="elbow_flexion", names=["arm", "short"],
    )  # fmt: skip
    with Image.open(path) as frames:
        images = [
            np.asarray(one.convert("RGB")).astype(int) for one in ImageSequence.Iterator(frames)
        ]
    assert len(images) == 5 and images[0].shape == (*SIZE[::-1], 3)
    strips = [image[-strip_height(1, SIZE, named=True) :] for image in images]
    assert all(np.mean(np.abs(a - b) > 20) > 1e-3 for a, b in zip(strips, strips[1:], strict=False))
    # the shorter one rests at its end
    rest = np.s_[80:220, 300:400]
    assert np.mean(np.abs(images[4][rest] - images[3][rest]) > 20) < 1e-3


def test_screenshot_of_several_on_file(tmp_path):
    path = screenshot([ARM, SHORT], tmp_path / "two.png", 3.0, size=SIZE, compare="overlay")
    with Image.open(path) as image:
        assert image.size == SIZE
    with pytest.raises(ModelError, match="has 120 pixels; must have at least 160"):
        screenshot([ARM] * 4, tmp_path / "four.png", size=SIZE)
    with pytest.raises(ModelError, match="no measure 'elbow'"):
        screenshot(ARM, tmp_path / "x.png", measures=["elbow"])
    with pytest.raises(ModelError, match="names holds 1 for 2 results"):
        movie([ARM, SHORT], tmp_path / "x.mp4", names=["one"])
    assert sorted(one.name for one in tmp_path.iterdir()) == ["two.png"]


FOUR = ["elbow_flexion", "biceps.length", "biceps_1.force_insertion", "triceps_2.stretch"]


@pytest.mark.parametrize("size", [(900, 700), (480, 360), (1600, 400), (640, 480), (400, 1200)])
def test_words_of_charts_are_read_and_cover_nothing(size):
    strip = (size[0], strip_height(4, size))
    charts = Charts(FOUR, [ARM], LIGHT, strip, rows=chart_rows(4, size))
    charts.move(8.0)
    charts.image()
    draw = charts._canvas.get_renderer()
    curves = [axes.get_window_extent(draw) for axes in charts.figure.axes]
    assert min(box.height for box in curves) >= 20 and min(box.width for box in curves) >= 100
    texts = [text for text in charts.figure.texts if text.get_text() and text.get_visible()]
    assert len(texts) == 12
    boxes = [text.get_window_extent(draw) for text in texts]
    for k, (text, box) in enumerate(zip(texts, boxes, strict=True)):
        assert text.get_fontsize() >= 8.0, text.get_text()
        assert 0 <= box.x0 and box.x1 <= strip[0] and 0 <= box.y0 and box.y1 <= strip[1]
        # neither curves nor each other
        for other in (*curves, *boxes[:k]):
            apart = box.x0 >= other.x1 or other.x0 >= box.x1
            assert apart or box.y0 >= other.y1 - 1 or other.y0 >= box.y1 - 1, text.get_text()
    told = [text.get_text() for text in texts]
    named = [words for words in told if words.startswith("biceps_1, ")]
    # in the smallest there is no second line, and the long name is cut
    assert named == ["biceps_1, force at the insertion"] or (size[1] < 400 and "…" in named[0])
    assert {"elbow_flexion", "biceps, length", "triceps_2, stretch"} <= set(told)


def test_numbers_of_the_time_axis_keep_apart():
    charts = Charts(FOUR, [ARM], LIGHT, (480, 168), rows=2)
    draw = charts._canvas.get_renderer()
    for axes in charts.figure.axes:
        low, high = axes.get_xlim()
        boxes = [
            label.get_window_extent(draw)
            for label, at in zip(axes.get_xticklabels(), axes.get_xticks(), strict=True)
            if low <= at <= high
        ]
        assert len(boxes) >= 2
        assert all(b.x0 > a.x1 + 3 for a, b in zip(boxes, boxes[1:], strict=False))


def test_a_click_in_a_lower_row_is_a_time():
    charts = Charts(FOUR, [ARM], LIGHT, (480, 168), rows=2)
    assert charts.time_at(150.0, 40.0) == charts.time_at(150.0, 120.0) == charts.time_at(150.0)
    assert charts.time_at(150.0, 400.0) is None


def test_names_of_results_stand_above_their_lines():
    charts = Charts(["biceps.length"], [ARM, SHORT], LIGHT, (480, 120), ["a run (1)", "a run (2)"])
    draw = charts._canvas.get_renderer()
    (axes,) = charts.figure.axes
    legend = axes.get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["a run (1)", "a run (2)"]
    low = legend.get_window_extent(draw).y0
    for line in axes.get_lines()[:2]:
        highest = axes.transData.transform([(0.0, max(line.get_ydata()))])[0, 1]
        assert highest < low


def test_numbers_of_results_keep_apart():
    charts = Charts(FOUR[:2], [ARM, SHORT], LIGHT, (480, 120), ["a", "b"])
    charts.move(3.0)
    draw = charts._canvas.get_renderer()
    for words in charts._words:
        first, last = (text.get_window_extent(draw) for text in words)
        assert first.x1 + 4 < last.x0
    named = strip_height(2, (480, 300), named=True)
    assert named > strip_height(2, (480, 300))

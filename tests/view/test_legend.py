"""Legend of pictures: words that are read, inside of the picture."""

import numpy as np
import pytest
from make_result import make_reporting_arm, make_result
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from scipy.ndimage import gaussian_filter

from fibermsk.view.drawing.compare import overlaid_time
from fibermsk.view.drawing.looks import ghostly
from fibermsk.view.drawing.stage import GHOST, Stage
from fibermsk.view.pictures import panes, scene
from fibermsk.view.pictures.framing import (
    caption_boxes,
    frame_camera,
    has_lying_legend,
    legend_left,
    projected,
)
from fibermsk.view.pictures.legend import draw_legend, overlaid_tones
from fibermsk.view.pictures.lettering import told_apart
from fibermsk.view.pictures.lying_legend import lying_figure, lying_height

ARM = make_result(5)
SIZES = [(400, 1200), (640, 480), (900, 700), (1200, 900), (320, 240), (300, 200)]


def words_of(size, color_by="axial_force", **more):
    """Texts of a legend, and their boxes in pixels from the left and from below."""
    stage = Stage(ARM, color_by, arrows=("attachment", "contact"))
    figure = Figure(figsize=(size[0] / 100, size[1] / 100), dpi=100)
    canvas = FigureCanvasAgg(figure)
    draw_legend(figure, stage, legend_left(size), size, **more)
    canvas.draw()
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    # matplotlib keeps labels beyond the ends of an axis, which it does not draw
    for axes in figure.axes:
        low, high = axes.get_ylim()
        beyond = [not low <= at <= high for at in axes.get_yticks()]
        hidden = [one for one, out in zip(axes.get_yticklabels(), beyond, strict=True) if out]
        texts = [text for text in texts if text not in hidden]
    return [(text, text.get_window_extent(canvas.get_renderer())) for text in texts]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("color_by", ["axial_force", "contact_force_density", "tissue"])
def test_words_keep_inside_and_are_of_readable_size(size, color_by):
    names = ["a run of the left arm", "a run of the right arm"]
    found = words_of(size, color_by, names=names)
    for text, box in found:
        assert text.get_fontsize() >= 8.0
        assert box.x1 <= size[0] - 4 and box.y0 >= 0 and box.y1 <= size[1], text.get_text()
    if size[1] >= 480:
        told = " ".join(text.get_text() for text, _ in found).replace("\n", " ")
        assert "contact, per element" in told and told.count("N = ") == 2


@pytest.mark.parametrize("size", SIZES)
def test_lines_of_a_legend_do_not_cover_each_other(size):
    found = words_of(size, names=["upper_limb (1)", "upper_limb (2)"])
    for k, (text, box) in enumerate(found):
        for other, there in found[:k]:
            apart = box.x0 >= there.x1 or there.x0 >= box.x1 or box.y0 >= there.y1 - 1
            assert apart or there.y0 >= box.y1 - 1, (text.get_text(), other.get_text())


@pytest.mark.parametrize("size", [(900, 600), (500, 1000)])
def test_line_muscles_without_the_field_are_in_the_legend(size):
    arm = make_reporting_arm(5)
    lines = [
        text.get_text()
        for color_by in ("stretch", "tissue")
        for text in legend_of(Stage(arm, color_by), size)
        if "line muscle" in text.get_text()
    ]
    assert lines == ["line muscle"]
    arm.muscles["brachialis"].arrays["activation"][:] = np.nan
    both = [text.get_text() for text in legend_of(Stage(arm, "activation"), size)]
    assert {"tendon", "line muscle"} <= set(both)
    bare = Stage(make_result(5), "stretch")
    assert not any("line muscle" in text.get_text() for text in legend_of(bare, size))


def legend_of(stage, size):
    """Texts of the legend beside or below a scene."""
    if has_lying_legend(stage, size):
        return lying_figure(stage, (size[0], lying_height(())), [stage.result], ()).texts
    figure = Figure(figsize=(size[0] / 100, size[1] / 100), dpi=100)
    FigureCanvasAgg(figure)
    draw_legend(figure, stage, legend_left(size), size)
    return figure.findobj(Text)


@pytest.mark.parametrize("size", [(240, 440), (300, 900), (500, 1000)])
@pytest.mark.parametrize("color_by", ["tissue", "axial_force", "contact_force_density"])
def test_the_legend_of_a_tall_picture_lies_below_the_scene(size, color_by):
    stage = Stage(ARM, color_by)
    names = ["thin", "thick, and with a name that is much longer than the picture is wide"]
    below = size[0], lying_height(names)
    scene_size = size[0], size[1] - lying_height(())
    assert has_lying_legend(stage, scene_size) and not has_lying_legend(stage, size[::-1])
    assert not has_lying_legend(Stage(ARM, color_by, arrows=("contact",)), size)
    figure = lying_figure(stage, below, [ARM, ARM], names)
    renderer = figure.canvas.get_renderer()
    (scale,) = figure.axes
    numbers = zip(scale.get_xticks(), scale.get_xticklabels(), strict=True)
    ends = scale.get_xlim()
    texts = [*figure.texts, *(text for at, text in numbers if ends[0] <= at <= ends[1])]
    boxes = [text.get_window_extent(renderer) for text in texts]
    assert all(0.0 <= box.x0 and box.x1 <= size[0] and box.y0 >= 0.0 for box in boxes)
    told = " ".join(text.get_text() for text in figure.texts)
    assert ("tendon" in told) == (color_by == "tissue") and "thin" in told and "thick" in told
    # the subject is as wide as the picture, or reaches from the heading to the legend
    camera = frame_camera(stage, scene_size, 4)
    places, reach = projected(*stage.extent_at(4), camera, scene_size)
    left, right = (places[:, 0] - reach).min(), (places[:, 0] + reach).max()
    low, high = (places[:, 1] - reach).min(), (places[:, 1] + reach).max()
    title = caption_boxes(stage, scene_size).title[1]
    assert right - left > 0.85 * size[0] or high - low > 0.8 * title
    assert low >= 0.0


@pytest.mark.parametrize("compare", ["side_by_side", "overlay"])
def test_tall_pictures_have_their_size_and_a_legend(compare):
    image = scene.picture([ARM, ARM], time=4.0, size=(520, 900), compare=compare)
    assert image.shape == (900, 520, 3)
    below = image[-lying_height(["", ""] if compare == "overlay" else ()) :]
    reds = (below[..., 0] > 140) & (below[..., 1] < 100)
    assert reds.sum() > 300


def test_names_of_one_scene_are_told_apart():
    told = [text.get_text() for text, _ in words_of((900, 500), names=["limb (1)", "limb (2)"])]
    assert {"limb (1)", "limb (2)"} <= set(told)
    names = ["upper_limb (1)", "upper_limb (2)"]
    assert told_apart(names, 9.0, 200.0) == names
    assert told_apart(names, 9.0, 75.0) == ["upper_limb\n(1)", "upper_limb\n(2)"]
    long = [f"a_scene_with_a_very_long_name_{k}" for k in ("stiff", "soft")]
    short = told_apart(long, 9.0, 90.0)
    assert short[0].endswith("stiff") and short[1].endswith("soft")
    assert all("…" in name and len(name) < 16 for name in short)
    assert told_apart(["x" * 60], 9.0, 90.0)[0].endswith("…")
    apart = told_apart([f"run_{k}_" + "y" * 40 for k in "ab"], 9.0, 60.0)
    assert apart[0] != apart[1]


@pytest.mark.parametrize(("size", "results"), [((1200, 900), [ARM]), ((1200, 1900), [ARM, ARM])])
def test_letters_grow_with_a_picture(size, results, monkeypatch):
    """Of twice the pixels: the same picture, but for the edges of its letters."""
    measures = "elbow_flexion" if size[1] < size[0] else ()
    arrows = ["attachment"] if len(results) == 1 else []
    look: dict = {"time": 2.0, "shadows": False, "labels": True, "arrows": arrows}
    small = scene.picture(results, size=size, measures=measures, **look)
    large = scene.picture(results, size=(2 * size[0], 2 * size[1]), measures=measures, **look)
    assert large.shape == (2 * size[1], 2 * size[0], 3)
    halved = large.reshape(size[1], 2, size[0], 2, 3).mean(axis=(1, 3))
    # letters are moved by less than a pixel, of which the means of some know nothing
    near = np.abs(gaussian_filter(halved - small, (3.0, 3.0, 0.0))).max()
    assert near < 45.0
    monkeypatch.setattr(panes, "page_of", lambda size: (size, 1.0))
    same = scene.picture(results, size=(2 * size[0], 2 * size[1]), measures=measures, **look)
    halved = same.reshape(size[1], 2, size[0], 2, 3).mean(axis=(1, 3))
    assert np.abs(gaussian_filter(halved - small, (3.0, 3.0, 0.0))).max() > 2.0 * near


def test_bones_of_overlaid_results_have_their_own_color():
    stage = Stage(make_result(2), "tissue")
    solid, other = (overlaid_tones(stage, k) for k in (0, 1))
    assert len(solid) == len(other) == 3  # bone, tendon and muscle
    assert solid[0][:3] == stage.pieces[0].color and other[0][:3] == ghostly(stage.pieces[0].color)
    assert {tone[3] for tone in solid} == {1.0} and {tone[3] for tone in other} == {GHOST}


def test_overlaid_results_that_have_ended_are_told():
    ends = {"short": 0.2, "long": 0.5}
    assert overlaid_time(0.1, ends) == "t = 0.100 s"
    assert overlaid_time(0.5, ends) == "t = 0.500 s\nshort at its end, 0.200 s"

import numpy as np
import pytest
from make_result import make_hanging_fiber, make_meshed_arm, make_result

from fibermsk.errors import ModelError
from fibermsk.view import screenshot
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.pictures import scene
from fibermsk.view.pictures.captions import Captions
from fibermsk.view.pictures.framing import caption_boxes, frame_camera, projected
from fibermsk.view.pictures.lettering import extent, wrapped

SIZES = [(200, 150), (400, 300), (1200, 900), (1280, 720), (500, 900), (1800, 500), (300, 1000)]
SHOWN = {"arm": make_result(9), "mesh": make_meshed_arm(), "hanging": make_hanging_fiber()}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", SHOWN)
def test_subject_fills_the_frame_beside_the_captions(size, name):
    stage = Stage(SHOWN[name], "tissue")
    camera = frame_camera(stage, size, 4)
    cloud, margins = stage.extent_at(4)
    places, reach = projected(cloud, margins, camera, size)
    low = (places - reach[:, None]).min(axis=0)
    high = (places + reach[:, None]).max(axis=0)
    assert np.all(low >= 0.0) and np.all(high <= size)
    # it reaches from edge to edge in one direction, or to the captions
    boxes = caption_boxes(stage, size)
    wide = boxes.legend[0] if boxes.legend else size[0]
    filled = max((high[0] - low[0]) / wide, (high[1] - low[1]) / boxes.title[1])
    assert filled > 0.85


@pytest.mark.parametrize("size", [(400, 300), (1200, 900), (500, 900)])
def test_subject_is_not_below_the_captions(size):
    for shadows in (False, True):
        image = scene.picture(SHOWN["arm"], time=4.0, size=size, shadows=shadows)
        bare = Stage(SHOWN["arm"], "tissue")
        camera = frame_camera(bare, size, 4, floor=shadows)
        left, low, right, high = caption_boxes(bare, size).title
        places, reach = projected(*bare.extent_at(4), camera, size)
        nearest = np.clip(places, [left, low], [right, high])
        assert np.all(np.linalg.norm(places - nearest, axis=1) >= reach)
        assert image.shape == (size[1], size[0], 3)


def test_one_camera_for_pictures_of_a_run():
    arm = SHOWN["arm"]
    views = {}
    for fit in ("frame", "run"):
        views[fit] = [
            frame_camera(Stage(arm, "tissue"), (400, 300), k if fit == "frame" else None)
            for k in (0, 8)
        ]
    assert np.all(views["run"][0].position == views["run"][1].position)
    assert np.any(views["frame"][0].position != views["frame"][1].position)
    same = [scene.picture(arm, time=t, size=(400, 300), fit="run") for t in (0.0, 8.0)]
    # the upper arm stands still
    assert np.mean(np.any(same[0] != same[1], axis=2)) < 0.2


def test_unknown_fit_is_refused(tmp_path):
    with pytest.raises(ModelError, match="fit = 'tight'; there are: frame, run"):
        screenshot(SHOWN["arm"], tmp_path / "x.png", fit="tight")
    assert not (tmp_path / "x.png").exists()


def test_words_of_a_legend_keep_to_their_room():
    title = "net contact force density"
    assert wrapped(title, 9.5, 400.0) == title
    narrow = wrapped(title, 9.5, 88.0)
    assert narrow.split() == title.split() and narrow.count("\n") >= 1
    assert max(extent(line, 9.5) for line in narrow.splitlines()) <= 88.0
    # a word alone is not divided
    assert wrapped("unbreakable", 9.5, 5.0) == "unbreakable" and wrapped("", 9.5, 5.0) == ""


@pytest.mark.parametrize("size", [(400, 1200), (1200, 900), (300, 300)])
@pytest.mark.parametrize("frame", [4, None])
def test_arrows_are_in_the_frame(size, frame):
    stage = Stage(SHOWN["arm"], "tissue", arrows=("attachment", "contact"))
    camera = frame_camera(stage, size, frame)
    seen = [4] if frame == 4 else range(9)
    for k in seen:
        stage.move(k)
        for arrows in stage.arrows.values():
            points = arrows.points[np.any(arrows.points != 0.0, axis=1)].astype(float)
            assert len(points) > 10
            places, _ = projected(points, np.zeros(len(points)), camera, size)
            assert np.all(places >= 0.0) and np.all(places <= size)
    # the longest reach beyond what is drawn without them
    bare = frame_camera(Stage(SHOWN["arm"], "tissue"), size, frame)
    tips, _ = projected(points, np.zeros(len(points)), bare, size)
    assert np.any(tips < 0.0) or np.any(tips > size) or size[0] >= 300


@pytest.mark.parametrize("size", [(100, 100), (160, 120), (200, 150), (240, 180), (320, 240)])
def test_captions_of_small_pictures_do_not_cover_each_other(size):
    stage = Stage(SHOWN["arm"], "tissue", labels=True)
    camera = frame_camera(stage, size, 4)
    boxes = [box for box in caption_boxes(stage, size) if box is not None]
    names = [one.box for one in Captions(stage, camera, size, 4).names]
    assert len(boxes) == {100: 1, 160: 1, 200: 1, 240: 2, 320: 3}[size[0]]
    for k, box in enumerate([*boxes, *names]):
        for other in (*boxes, *names)[:k]:
            wide = min(box[2], other[2]) - max(box[0], other[0])
            tall = min(box[3], other[3]) - max(box[1], other[1])
            assert wide <= 0.0 or tall <= 0.0
    # the words of the heading are inside of its box
    bare = Stage(SHOWN["arm"], "tissue")
    image = Captions(bare, camera, size, 4).over(np.full((*size[::-1], 3), 255, np.uint8), 4)
    inked = np.any(image < 200, axis=2)
    for left, low, right, high in boxes:
        top, bottom = max(int(size[1] - high) - 2, 0), int(np.ceil(size[1] - low)) + 2
        inked[top:bottom, max(int(left) - 2, 0) : int(np.ceil(right)) + 2] = False
    assert not inked.any()

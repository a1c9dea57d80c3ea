import numpy as np
import pytest
from make_result import make_hanging_fiber, make_meshed_arm, make_result

from fibermsk.errors import ModelError
from fibermsk.view import screenshot
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.pictures import scene
from fibermsk.view.pictures.framing import caption_boxes, frame_camera, projected
from fibermsk.view.pictures.lettering import extent, wrapped

SIZES = [(200, 150), (400, 300), (1200, 900), (1280, 720), (500, 900), (1800, 500)]
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

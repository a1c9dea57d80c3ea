from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from make_result import make_fiber, make_reporting_arm, make_result

from fibermsk.results import MuscleLine, Still
from fibermsk.view.drawing.labels import Label, overlap, place_labels
from fibermsk.view.drawing.looks import NAME_COLORS
from fibermsk.view.drawing.stage import Stage, common_camera
from fibermsk.view.pictures.captions import Captions
from fibermsk.view.pictures.cpu_draw import visible_fibers
from fibermsk.view.pictures.framing import caption_boxes, frame_camera
from fibermsk.view.pictures.magnitudes import magnitudes

SIZES = [(320, 240), (600, 900), (1200, 900), (1280, 720)]


def crowded(n):
    """A model with many muscles side by side."""
    muscles = {}
    for k in range(n):
        x = 0.012 * k
        path = np.array([[x, 0.01, 0.0], [x, 0.0, -0.15], [x + 0.05, 0.0, -0.3]])
        muscles[f"muscle_number_{k}"] = MuscleLine(path, 0.003)
    return Still(make_result(1, fibers={}, bodies={}), muscles)


def captions(shown, size, frame=0):
    stage = Stage(shown, "tissue", labels=True)
    camera = frame_camera(stage, size, frame)
    return stage, Captions(stage, camera, size, frame)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("n", [6, 30])
def test_labels_cover_neither_each_other_nor_captions(size, n):
    stage, text = captions(crowded(n), size)
    boxes = [one.box for one in text.names]
    assert not any(overlap(one, other) for one, other in combinations(boxes, 2))
    for box in boxes:
        assert box[0] >= 0 and box[1] >= 0 and box[2] <= size[0] and box[3] <= size[1]
        for caption in caption_boxes(stage, size):
            assert caption is None or not overlap(box, caption)
    if size[0] >= 1200 or n == 6:
        assert len(boxes) == n


@pytest.mark.parametrize("size", SIZES)
def test_names_and_magnitudes_of_forces_keep_apart(size):
    result = make_reporting_arm()
    stage = Stage(result, "tissue", labels=True, arrows=("attachment",))
    camera = frame_camera(stage, size, None)
    text = Captions(stage, camera, size, 2)
    named = [one.box for one in text.names]
    assert len(named) == 3 or size[0] < 600
    for frame in range(result.time.size):
        forces = magnitudes(stage, frame, camera, size, named)
        assert len(forces) == 6 or size[0] < 600
        boxes = [one.box(size[1]) for one in forces]
        fixed = [box for box in caption_boxes(stage, size) if box is not None]
        for one in boxes:
            assert not any(overlap(one, other) for other in (*named, *fixed))
            assert one[0] >= 0 and one[1] >= 0 and one[2] <= size[0] and one[3] <= size[1]
        assert not any(overlap(one, other) for one, other in combinations(boxes, 2))


def test_labels_are_at_their_muscles():
    _, text = captions(make_result(5), (1200, 900), 3)
    assert sorted(one.words for one in text.names) == ["biceps", "triceps"]
    for one in text.names:
        nearest = np.clip(one.point, one.box[:2], one.box[2:])
        assert np.linalg.norm(nearest - one.point) < 60.0


def test_label_moves_along_its_path_from_what_is_taken():
    path = np.stack([np.linspace(100.0, 300.0, 5), np.full(5, 100.0)], axis=1)
    label = Label("biceps", np.zeros(3), (0.0, 0.0, 0.0), np.zeros((5, 3)))
    (free,) = place_labels([label], [path], [(40.0, 10.0)], (400, 200))
    assert free.point == (200.0, 100.0)
    taken = [(150.0, 0.0, 250.0, 200.0)]
    (moved,) = place_labels([label], [path], [(40.0, 10.0)], (400, 200), taken=taken)
    assert not overlap(moved.box, taken[0]) and moved.point != free.point
    assert place_labels([label], [path], [(40.0, 10.0)], (400, 200), taken=[(0, 0, 400, 200)]) == []
    # what is drawn is not covered where there is another place
    crowd = np.stack([np.linspace(205.0, 250.0, 20), np.full(20, 100.0)], axis=1)
    (aside,) = place_labels([label], [path], [(40.0, 10.0)], (400, 200), crowd=crowd)
    hidden = np.all((crowd >= aside.box[:2]) & (crowd <= aside.box[2:]), axis=1)
    assert not hidden.any()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_names_of_a_model_with_fibers_before_its_run(theme):
    line = MuscleLine(np.eye(3), 0.003)
    # the biceps is there as a line too, and named once
    shown = Still(make_result(1), {"brachialis": line, "biceps": line})
    stage = Stage(shown, "tissue", labels=True, theme=theme)
    camera = frame_camera(stage, (1200, 900), 0)
    names = Captions(stage, camera, (1200, 900), 0).names
    found = {one.words: one for one in names}
    assert len(names) == 3 and sorted(found) == ["biceps", "brachialis", "triceps"]
    assert found["biceps"].color == NAME_COLORS[theme]
    assert Stage(shown, "tissue").labels == []


def side_by_side(shift, radius=0.006):
    """A muscle behind another, `shift` [m] to the side."""
    fibers = {}
    for name, x, y in (("front", 0.0, 0.0), ("back", shift, 0.05)):
        ends = [np.tile([x, y, z], (1, 1)) for z in (0.3, 0.0)]
        one = make_fiber(*ends, np.ones((1, 1)), bow=0.0)
        fibers[name] = replace(one, radius=np.full_like(one.radius, radius))
    return make_result(1, fibers=fibers, bodies={})


@pytest.mark.parametrize("shift", [0.0, 0.004, 0.006])
def test_points_are_on_the_part_of_a_muscle_that_is_seen(shift):
    size = (600, 450)
    result = side_by_side(shift)
    stage = Stage(result, "tissue", labels=True)
    # along +y: the one at y = 0 is in front, and hides the other but for a strip
    camera = common_camera([stage], "front", size[0] / size[1])
    seen = visible_fibers(stage, 0, camera, size)
    placed = {one.words: one for one in Captions(stage, camera, size).names}
    # a hidden muscle has no name
    assert list(placed) == ["front", "back"][: 1 if shift == 0.0 else 2]
    for number, name in enumerate(placed):
        x, y = placed[name].point
        around = seen[size[1] - int(y) - 2 : size[1] - int(y) + 1, int(x) - 1 : int(x) + 2]
        if np.any(seen == number):
            assert around.size == 9 and np.all(around == number)
    if shift == 0.0:
        assert not np.any(seen == 1)
    else:
        # the middle of the hidden one is behind the other
        assert np.sum(seen == 1) > 200
    # names of muscles that are seen in whole stay at their middle
    x, y = placed["front"].point
    rows, columns = np.nonzero(seen == 0)
    assert abs(x - columns.mean()) < 3 and abs(size[1] - y - rows.mean()) < 20


def test_bones_hide_fibers():
    stage = Stage(make_result(5), "tissue")
    camera = frame_camera(stage, (300, 225), 2)
    with_bones = visible_fibers(stage, 2, camera, (300, 225))
    stage.pieces = []
    without = visible_fibers(stage, 2, camera, (300, 225))
    assert set(np.unique(without)) == {-1, 0, 1, 2, 3, 4}
    hidden = (with_bones == -1) & (without >= 0)
    assert hidden.sum() > 20 and np.all(with_bones[~hidden] == without[~hidden])


def test_few_lines_to_texts_cross_other_texts(monkeypatch, rng):
    """Of many names along a leg; without the cost of a crossing there are more."""
    points = [[230.0, 50.0] + [40.0, 400.0] * rng.random((1, 2)) for _ in range(40)]
    named = [Label(f"muscle_{k}", np.zeros(3), (0.0, 0.0, 0.0)) for k in range(40)]

    def crossings():
        placed = place_labels(named, points, [(60.0, 12.0)] * 40, (500, 500))
        assert len(placed) > 35
        found = 0
        for one in placed:
            left, low, right, high = one.box
            end = np.array([left if one.point[0] < left else right, 0.5 * (low + high)])
            line = np.array(one.point) + np.linspace(0.0, 1.0, 200)[:, None] * (end - one.point)
            for other in placed:
                inside = (line > other.box[:2]) & (line < other.box[2:])
                found += other is not one and bool(inside.all(axis=1).any())
        return found

    few = crossings()
    monkeypatch.setattr("fibermsk.view.drawing.labels._CROSSED", 0.0)
    many = crossings()
    assert 4 * few < 3 * many, (few, many)

import itertools

import numpy as np
import pytest
from make_result import make_fiber, make_result

from fibermsk.view import movie
from fibermsk.view.drawing.labels import overlap
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.pictures.framing import caption_boxes, frame_camera, projected
from fibermsk.view.pictures.moving_names import MovingNames
from fibermsk.view.pictures.panes import Panes

SIZE = (480, 360)


def crossing(n_frames=5):
    """Two muscles of two fibers that pass by each other, and one that stands."""
    fibers, way = {}, np.linspace(-0.15, 0.15, n_frames)
    for name, side in (("left", 1.0), ("right", -1.0), ("stands", 0.0)):
        for k in (1, 2):
            x = side * way + 0.01 * k
            origin = np.stack([x, 0.02 * k + 0.0 * x, 0.2 + 0.0 * x], axis=1)
            insertion = origin - [0.0, 0.0, 0.4]
            fibers[f"{name}_{k}"] = make_fiber(origin, insertion, np.ones((n_frames, 1)), bow=0.0)
    return make_result(n_frames, fibers=fibers, bodies={})


def names_of(shown, frame=0):
    stage = Stage(shown, "tissue", labels=True)
    camera = frame_camera(stage, SIZE)
    return stage, camera, MovingNames(stage, camera, SIZE, frame)


def test_names_follow_their_muscles_and_keep_apart():
    shown = crossing()
    stage, camera, names = names_of(shown)
    captions = [box for box in caption_boxes(stage, SIZE) if box is not None]
    for frame in range(5):
        found = names.at(frame)
        assert sorted(words for words, *_ in found) == ["left", "right", "stands"]
        boxes = [box for _, box, _ in found]
        for one, other in itertools.combinations([*boxes, *captions], 2):
            assert (one in captions and other in captions) or not overlap(one, other)
        for words, box, dot in found:
            assert 0 <= box[0] and box[2] <= SIZE[0] and 0 <= box[1] and box[3] <= SIZE[1]
            # on its muscle, as wide as it is drawn
            ends = [
                shown.fibers[f"{words}_{k}"].centerline(np.linspace(0.0, 1.0, 40), frame)
                for k in (1, 2)
            ]
            pixels, _ = projected(np.concatenate(ends), np.zeros(80), camera, SIZE)
            assert np.linalg.norm(pixels - dot, axis=1).min() < 12.0


def test_names_move_smoothly():
    _, _, names = names_of(crossing(61))
    dots = {words: [] for words, *_ in names.at(0)}
    for frame in range(61):
        for words, _, dot in names.at(frame):
            dots[words].append(dot)
    assert all(len(path) == 61 for path in dots.values())
    steps = {words: np.linalg.norm(np.diff(path, axis=0), axis=1) for words, path in dots.items()}
    assert steps["stands"].max() < 1e-6
    for words in ("left", "right"):
        assert steps[words].max() < 2.5 * np.median(steps[words]) and steps[words].min() > 0.0


def test_muscles_that_are_not_finite_have_no_name():
    shown = crossing()
    shown.fibers["left_1"].position[2] = np.nan
    _, _, names = names_of(shown)
    assert "left" in {words for words, *_ in names.at(0)}
    assert "left" not in {words for words, *_ in names.at(2)}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_movies_have_names_that_are_asked_for(theme, tmp_path):
    shown = crossing(3)
    pictures = {}
    for labels in (False, True):
        with Panes(shown, SIZE, whole=True, moving=True, labels=labels, theme=theme) as panes:
            pictures[labels] = [panes.draw(float(t)).astype(int) for t in shown.time]
    for plain, named in zip(*pictures.values(), strict=True):
        changed = np.any(np.abs(plain - named) > 30, axis=2)
        assert 100 < changed.sum() < 0.05 * changed.size
    out = movie(shown, tmp_path / "names.gif", fps=1, speed=8.0, size=SIZE, labels=True)
    assert out.stat().st_size > 1000

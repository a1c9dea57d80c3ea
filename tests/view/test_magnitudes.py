"""Magnitudes of forces beside their arrows, also of line muscles."""

import numpy as np
import pytest
from make_result import make_reporting_arm, make_result
from numpy.testing import assert_allclose

from fibermsk.view.drawing.labels import leader, overlap
from fibermsk.view.drawing.looks import THEMES
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.forces import attachment_forces, greatest_force, muscle_forces
from fibermsk.view.pictures import opengl
from fibermsk.view.pictures.framing import frame_camera, projected
from fibermsk.view.pictures.magnitudes import magnitude_image, magnitudes
from fibermsk.view.pictures.scene import picture
from fibermsk.view.window.window import Window

ARM = make_result()
REPORTING = make_reporting_arm()
SIZE = (600, 450)


def texts_of(result, frame, size=SIZE, **look):
    stage = Stage(result, "tissue", arrows=("attachment",), **look)
    stage.move(frame)
    camera = frame_camera(stage, size)
    return stage, camera, magnitudes(stage, frame, camera, size)


def test_forces_of_a_bundle_are_added():
    found = {(one.muscle, k % 2): one for k, one in enumerate(muscle_forces(ARM, 9))}
    assert [one.n_fibers for one in found.values()] == [2, 2, 3, 3]
    pair = [ARM.fibers[f"biceps_{k}"] for k in (1, 2)]
    assert_allclose(found["biceps", 0].force, sum(one.force_origin[9] for one in pair))
    assert_allclose(found["biceps", 1].point, np.mean([f.position[9, -1] for f in pair], axis=0))


def test_a_line_muscle_pulls_along_its_ends():
    muscle = REPORTING.muscles["brachialis"]
    points, forces = attachment_forces(REPORTING, 4)
    assert len(points) == 2 * (len(REPORTING.fibers) + 1)
    assert_allclose(points[-2:], muscle.path[4, [0, -1]])
    size = muscle["tendon_force"][4]
    assert_allclose(np.linalg.norm(forces[-2:], axis=1), size)
    for force, way in zip(
        forces[-2:],
        (muscle.path[4, 1] - muscle.path[4, 0], muscle.path[4, -2] - muscle.path[4, -1]),
        strict=True,
    ):
        assert_allclose(force / size, way / np.linalg.norm(way))  # fmt: skip
    one = next(one for one in muscle_forces(REPORTING, 4) if one.muscle == "brachialis")
    assert one.n_fibers == 1 and greatest_force(REPORTING, "attachment") >= size
    # without a law of the force there is none
    bare = make_result(5, fibers={}, muscles={"brachialis": without_force(muscle)})
    assert muscle_forces(bare, 0) == [] and greatest_force(bare, "attachment") == 0.0
    assert texts_of(bare, 0)[2] == []


def without_force(muscle):
    arrays = {name: one for name, one in muscle.arrays.items() if name != "tendon_force"}
    return type(muscle)(muscle.fields, arrays, muscle.path, muscle.radius)


@pytest.mark.parametrize("frame", [0, 2, 4])
def test_texts_are_beside_the_tips_and_apart(frame):
    stage, camera, texts = texts_of(REPORTING, frame)
    forces = muscle_forces(REPORTING, frame)
    assert len(texts) == len(forces) == 6
    arrows = stage.arrows["attachment"]
    per_newton = arrows.scale.length / arrows.scale.force
    for one in forces:
        tip = one.point + per_newton / one.n_fibers * one.force
        (x, y), _ = (part[0] for part in projected(tip[None], np.zeros(1), camera, SIZE))
        words = f"{np.linalg.norm(one.force):.3g} N"
        near = [
            text for text in texts
            if text.words.endswith(words) and text.left - 30 <= x <= text.left + text.width + 30
            and abs(text.top + 7 - (SIZE[1] - y)) < 50
        ]  # fmt: skip
        assert near, (one, texts)
        assert near[0].words.startswith(one.muscle)
        assert ("Σ" in near[0].words) == (one.n_fibers > 1)
    for k, one in enumerate(texts):
        assert 0 <= one.left and one.left + one.width <= SIZE[0]
        for other in texts[:k]:
            beside = one.left >= other.left + other.width or other.left >= one.left + one.width
            assert beside or abs(one.top - other.top) >= 15


def test_lines_to_names_cross_no_magnitude():
    stage, camera, texts = texts_of(REPORTING, 2)
    box = texts[0].box(SIZE[1])
    point = box[2] + 5.0, 0.5 * (box[1] + box[3])
    line = leader((box[0] - 90.0, box[1], box[0] - 10.0, box[3]), point)
    assert any(overlap(part, box) for part in line)
    moved = magnitudes(stage, 2, camera, SIZE, line)
    assert not any(overlap(part, one.box(SIZE[1])) for part in line for one in moved)


def test_pictures_have_them_with_arrows_only(renderer, monkeypatch):
    look = {"time": 4.0, "size": SIZE, "arrows": ["attachment"], "fit": "run"}
    image = picture(ARM, **look).astype(int)
    _, _, texts = texts_of(ARM, 16)
    from fibermsk.view.pictures import captions

    monkeypatch.setattr(captions, "magnitudes", lambda *_: [])
    bare = picture(ARM, **look).astype(int)
    rows, columns = np.nonzero(np.any(image != bare, axis=2))
    assert rows.size > 100 and len(texts) == 4
    assert texts_of(ARM, 16)[0].arrows and not Stage(ARM, "tissue").arrows


def test_text_has_the_edge_of_its_background():
    _, _, (text, *_) = texts_of(ARM, 16)
    for name in ("light", "dark"):
        image = magnitude_image(text, THEMES[name])
        solid = image[image[..., 3] == 255][:, :3].astype(int)
        ground = np.round(255.0 * np.array(THEMES[name].rgb("background")))
        assert image.shape[1] == text.width and solid.size
        assert np.min(np.abs(solid - ground).sum(axis=1)) == 0
        assert np.max(np.abs(solid - ground).sum(axis=1)) > 200


@pytest.mark.skipif(not opengl.off_screen_works(), reason="this machine has no OpenGL")
def test_a_window_writes_them_and_follows_the_camera():
    window = Window(REPORTING, off_screen=True, time=4.0, size=SIZE, arrows=["attachment"])
    try:
        window.plotter.show(auto_close=False)
        (marks,) = window.viewer._marks
        assert len(marks._texts) == 6 and all(one.actor.GetVisibility() for one in marks._texts)
        before = [one.actor.GetPosition() for one in marks._texts]
        window.do("look front")
        window.plotter.render()
        assert [one.actor.GetPosition() for one in marks._texts] != before
        # the list of keys lies over the scene
        for shown in (False, True):
            window.do("help")
            window.refresh()
            window.plotter.render()
            assert [bool(one.actor.GetVisibility()) for one in marks._texts] == [shown] * 6
        window.viewer.set_arrows(())
        window.plotter.render()
        assert not any(one.actor.GetVisibility() for one in marks._texts)
        # a line muscle has its curves
        window.viewer.select("brachialis")
        labels = [
            axes.get_title(loc="left") for axes in window.viewer.curves((300, 300)).figure.axes
        ]
        assert labels == ["activation [-]", "tendon force [N]", "length [mm]"]
    finally:
        window.viewer.close()

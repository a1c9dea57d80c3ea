import numpy as np
import pytest
from make_result import make_result
from scipy.spatial import ConvexHull, Delaunay
from straight_bundle import packed

import fibermsk as fm
from fibermsk.view.drawing.envelopes import AROUND, CONTRAST, SHEEN, bundles
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.pictures import cpu_draw, opengl, scene


def test_bundles_are_fibers_of_one_name():
    names = ["biceps_1", "brachialis", "biceps_2", "triceps_10", "triceps_2", "alone_1"]
    assert bundles(names) == [[0, 2], [3, 4]]


@pytest.mark.parametrize("frame", [0, 2])
def test_envelope_is_around_the_fibers_and_near_them(frame):
    stage = Stage(packed(), "tissue", envelope=True)
    stage.move(frame)
    skin, tubes = stage.envelopes, stage.tubes
    n_along, n_around = tubes.detail
    j = n_along // 2
    rows = tubes.points.reshape(7, -1, 3)[:, j * n_around : (j + 1) * n_around].astype(float)
    ring = skin.points.reshape(-1, AROUND, 3)[j + 1].astype(float)
    # all points of the fibers of a section are inside, but for the blend between fibers
    radius = np.linalg.norm(rows[0] - rows[0].mean(axis=0), axis=1).mean()
    inside = Delaunay(1.1 * ring[:, :2]).find_simplex(rows[..., :2].reshape(-1, 2)) >= 0
    assert inside.all()
    hull = ConvexHull(rows[..., :2].reshape(-1, 2)).volume  # area of a plane one
    assert 0.85 * hull < ConvexHull(ring[:, :2]).volume < (1.0 + 0.5 * radius / 0.02) * hull
    # normals point away from the middle
    outwards = ring[:, :2] - rows[..., :2].reshape(-1, 2).mean(axis=0)
    assert np.all(
        np.sum(outwards * skin.normals.reshape(-1, AROUND, 3)[j + 1][:, :2], axis=1) > 0.0
    )


def test_envelope_has_the_colors_of_the_fibers_below_in_stripes():
    stage = Stage(packed(), "tissue", envelope=True)
    stage.move(2)
    n_along, n_around = stage.tubes.detail
    j = n_along // 2
    below = stage.tubes.colors.reshape(7, -1, 3)[0, j * n_around]
    found = stage.envelopes.colors.reshape(-1, AROUND, 3)[j + 1].astype(float)
    np.testing.assert_allclose(found.mean(axis=0), below, atol=2)
    # every stripe is darker and brighter than the fibers, in all colors alike
    part = found / below
    assert 1.0 - CONTRAST - 0.05 < part.min() < 1.0 - 0.8 * CONTRAST
    assert 1.0 + 0.8 * CONTRAST < part[:, 0].max() < 1.0 + CONTRAST + 0.05
    turns = np.diff(np.sign(np.diff(part[:, 0], append=part[0, 0])))
    assert np.count_nonzero(turns) > 30
    # and they run along the muscle
    other = stage.envelopes.colors.reshape(-1, AROUND, 3)[j + 3].astype(float)
    assert np.corrcoef(found[:, 0], other[:, 0])[0, 1] > 0.95


def test_envelope_is_seen_in_pictures(renderer):
    size = (320, 240)
    plain, skin = (scene.picture(packed(), size=size, envelope=e) for e in (False, True))
    changed = np.mean(np.any(np.abs(plain.astype(int) - skin) > 8, axis=2))
    assert changed > 0.01
    # red shines through: the middle of the muscle stays red
    reds = [np.mean(i[..., 0].astype(int) - i[..., 2] > 40) for i in (plain, skin)]
    assert reds[1] > 0.9 * reds[0] > 0.0


def test_fibers_shimmer_through_the_middle_of_an_envelope_more_than_at_its_rim(renderer):
    painted = packed()
    for k, fiber in enumerate(painted.fibers.values()):
        fiber.activation[:] = 0.1 if k % 2 else 1.0
    size = (320, 240)
    plain, skin = (
        scene.picture(painted, size=size, envelope=e, shadows=False).astype(float)
        for e in (False, True)
    )
    row = 120
    columns = np.flatnonzero(np.any(skin[row] < 245, axis=1) & (np.arange(320) < 200))
    middle = columns[len(columns) // 3 : 2 * len(columns) // 3]
    contrast = [np.ptp(picture[row, middle, 0]) for picture in (plain, skin)]
    assert 0.4 * contrast[0] < contrast[1] < contrast[0]


def test_rims_of_envelopes_are_nearly_opaque(monkeypatch):
    found = cpu_draw._sheen(np.array([[0.0, 0.0, -2.0], [3.0, 0.0, 0.0], [1.0, 0.0, -1.0]]))[:, 0]
    assert found[:2] == pytest.approx([SHEEN.facing, SHEEN.rim])
    assert SHEEN.facing < 0.5 < SHEEN.rim
    assert SHEEN.facing < found[2] < 0.6 * SHEEN.rim
    if not opengl.off_screen_works():
        pytest.skip("this machine has no OpenGL")
    pictures = [scene.picture(packed(), size=(320, 240), envelope=True)]
    monkeypatch.setattr(opengl, "off_screen_works", lambda: False)
    pictures.append(scene.picture(packed(), size=(320, 240), envelope=True))
    one, other = (picture.astype(float) for picture in pictures)
    assert np.mean(np.abs(one - other).max(axis=2) > 12.0) < 0.004


def test_window_has_envelopes_that_follow_the_time():
    if not opengl.off_screen_works():
        pytest.skip("this machine has no OpenGL")
    from fibermsk.view.window.viewer import Viewer

    viewer = Viewer(packed(), envelope=True, off_screen=True, size=(320, 240), time=0.0)
    try:
        skin = viewer._scenes[0].envelope
        before = skin.points.copy()
        viewer.step(2)
        assert np.abs(skin.points - before).max() > 0.01
        np.testing.assert_array_equal(skin.points, viewer._stages[0].envelopes.points)
    finally:
        viewer.close()


def test_without_bundles_there_is_nothing_to_draw():
    alone = make_result(2, fibers={"soleus": packed().fibers["fiber_1"]}, bodies={})
    with pytest.warns(fm.ModelWarning, match="no bundles, which are fibers with names such as"):
        stage = Stage(alone, "tissue", envelope=True)
    assert stage.envelopes.points.size == 0

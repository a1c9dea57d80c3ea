import numpy as np
import pytest
from make_result import make_ball, make_meshed_arm, make_result
from numpy.testing import assert_allclose

from fibermsk.results import BodyMotion, JointAxis, MuscleLine, ShapeRecord, Still
from fibermsk.view.drawing.camera import find_camera
from fibermsk.view.drawing.meshes import extreme_points, join, mesh_surface
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.drawing.surfaces import circle, grid_faces
from fibermsk.view.pictures import opengl, scene

SIZE = (320, 240)


@pytest.mark.parametrize("soup", [False, True])
def test_normals_of_a_ball_are_radial(soup):
    ball = make_ball(0.05, 24)
    if soup:
        corners = ball.vertices[ball.faces].reshape(-1, 3)
        ball = ShapeRecord.mesh(corners, np.arange(len(corners)).reshape(-1, 3))
    surface = mesh_surface(ball)
    # Exact at the poles, elsewhere off by the curvature over one triangle.
    assert_allclose(surface.normals, surface.points / 0.05, atol=2e-2)
    assert_allclose(np.linalg.norm(surface.normals, axis=1), 1.0)


def test_normals_do_not_depend_on_how_a_cube_is_cut():
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    squares = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [t for a, b, c, d in squares for t in ((a, b, c), (a, c, d))]
    surface = mesh_surface(ShapeRecord.mesh(corners, faces))
    assert_allclose(surface.normals, (2 * corners - 1) / np.sqrt(3.0), atol=1e-12)


def test_mesh_with_triangles_without_area_has_finite_normals():
    points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [2, 0, 0], [9, 9, 9]]
    surface = mesh_surface(ShapeRecord.mesh(points, [[0, 1, 2], [0, 1, 3], [2, 2, 2]]))
    assert_allclose(surface.normals[0], [0, 0, 1])
    assert np.isfinite(surface.normals).all()


def test_normals_at_a_pole_are_not_those_of_round_off(rng):
    """Rings of points around an axis end in one whose points are one but for round-off."""
    rings = [np.column_stack([r * circle(20), np.full(20, z)]) for r, z in ((1.0, 0.0), (0.0, 0.5))]
    points = np.concatenate(rings) + 1e-12 * rng.normal(size=(40, 3))
    surface = mesh_surface(ShapeRecord.mesh(points, grid_faces(2, 20)))
    assert_allclose(surface.normals[20:], np.tile([0.0, 0.0, 1.0], (20, 1)), atol=1e-9)


def test_few_points_bound_many():
    cloud = np.random.default_rng(1).normal(size=(20_000, 3))
    few = extreme_points(cloud)
    assert len(few) <= 200
    for direction in np.random.default_rng(2).normal(size=(20, 3)):
        assert (few @ direction).max() > 0.9 * (cloud @ direction).max()


def test_joined_surfaces_keep_their_triangles():
    one, two = mesh_surface(make_ball(0.1, 4)), mesh_surface(make_ball(0.2, 6))
    both = join([one, two])
    assert_allclose(both.points[both.faces[len(one.faces) :]], two.points[two.faces])


def test_meshes_are_solid_bones_and_what_else_is_touched_a_shade():
    stage = Stage(make_meshed_arm(), "stretch")
    look = [(piece.body, piece.opacity < 1.0) for piece in stage.pieces]
    bones = [("upper_arm", False)] * 2 + [("forearm", False)] * 2
    ends = [("upper_arm", False)] * 2 + [("forearm", False)] * 2  # processes and tendon on them
    assert look == [*bones, *ends, ("forearm", True)]


def test_meshes_are_in_view_and_both_ways_to_draw_agree(monkeypatch):
    arm = make_meshed_arm()
    if not opengl.off_screen_works():
        pytest.skip("this machine has no OpenGL")
    one = scene.picture(arm, size=SIZE)
    assert np.mean(one != scene.picture(make_result(9), size=SIZE)) > 0.01
    monkeypatch.setattr(opengl, "off_screen_works", lambda: False)
    other = scene.picture(arm, size=SIZE)
    far = np.max(np.abs(one.astype(int) - other.astype(int)), axis=2) > 60
    assert np.mean(far) < 0.01


@pytest.mark.parametrize("up", [(0, 0, 1.0), (0, 1.0, 0), (1.0, 0, 0), (0, 0.6, -0.8)])
def test_camera_holds_up_what_is_up(up):
    points = np.random.default_rng(3).normal(size=(50, 3))
    camera = find_camera("fit", points, np.zeros(50), 1.5, up)
    seen = camera.axes @ np.array(up)
    assert abs(seen[0]) < 1e-12 and 0.9 < seen[1] and seen[2] < 0.0
    local = (points - camera.position) @ camera.axes.T
    assert np.max(np.abs(local[:, 1] / local[:, 2])) < np.tan(0.5 * camera.angle)


def test_with_y_up_ahead_is_to_the_right_and_the_right_side_near():
    camera = find_camera("fit", np.eye(3), np.zeros(3), 1.0, (0.0, 1.0, 0.0))
    assert camera.axes[0] @ [1.0, 0.0, 0.0] > 0.9
    assert camera.axes[2] @ [0.0, 0.0, 1.0] < -0.9


def make_still(**changes) -> Still:
    """Two bones, one of them a stick, a muscle around a ball."""
    one = BodyMotion(np.zeros((1, 3)), np.eye(3)[None], (), (make_ball(0.1),))
    stick = ShapeRecord("capsule", np.zeros(3), np.array([0.0, -0.4, 0.0]), 0.01)
    other = BodyMotion(one.position, one.rotation, (), (stick,))
    result = make_result(1, fibers={}, bodies={"bone": one, "other": other}, up=(0.0, 1.0, 0.0))
    parts = {
        "muscles": {"m": MuscleLine(np.array([[0, 0.2, 0], [0.2, 0, 0], [0, -0.2, 0]]), 0.005)},
        "wraps": {"ball": make_ball(0.12)},
        "axes": (JointAxis(("knee",), "rotation", np.zeros(3), np.array([0.0, 0.0, 1.0])),),
    }
    return Still(result, **(parts | changes))


@pytest.mark.parametrize("labels", [False, True])
def test_still_shows_all_of_a_model(labels, monkeypatch):
    monkeypatch.setattr(opengl, "off_screen_works", lambda: False)
    whole = scene.picture(make_still(), size=SIZE, labels=labels)
    # Bones, sticks and muscles set the camera, so only the rest can be left out to compare.
    without = [make_still(wraps={})] + [make_still(axes=())] * labels
    for still in without:
        less = scene.picture(still, size=SIZE, labels=labels)
        assert np.mean(np.any(whole != less, axis=2)) > 0.001
    reds = (whole[..., 0].astype(int) - whole[..., 1]) > 60
    assert reds.mean() > 0.002


def test_still_is_drawn_alike_by_opengl(monkeypatch):
    if not opengl.off_screen_works():
        pytest.skip("this machine has no OpenGL")
    one = scene.picture(make_still(), size=SIZE, labels=True)
    monkeypatch.setattr(opengl, "off_screen_works", lambda: False)
    other = scene.picture(make_still(), size=SIZE, labels=True)
    far = np.max(np.abs(one.astype(int) - other.astype(int)), axis=2) > 60
    assert np.mean(far) < 0.01


def test_labels_name_joints_and_muscles():
    axes = tuple(JointAxis((f"q{k}",), "rotation", np.zeros(3), np.eye(3)[k % 3]) for k in range(5))
    labels = Stage(make_still(axes=axes), "stretch", labels=True).labels
    assert [label.words for label in labels] == ["q0, q1, q2", "q3, q4", "m"]
    assert_allclose(labels[-1].point, [0.2, 0.0, 0.0], atol=1e-12)
    assert not Stage(make_still(), "stretch").labels


def test_window_of_a_still_has_no_time():
    from fibermsk.view.window.window import Window

    if not opengl.off_screen_works():
        pytest.skip("this machine has no OpenGL")
    window = Window(make_still(), labels=True, off_screen=True, size=SIZE)
    try:
        window.plotter.show(auto_close=False)
        assert window.toolbar.track == (0, 0)
        assert not window.key("Right") and window.viewer.playback.frame == 0
    finally:
        window.viewer.close()

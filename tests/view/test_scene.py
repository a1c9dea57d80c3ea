import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from make_result import make_hanging_fiber, make_result
from matplotlib.image import imread

from fibermsk.errors import ModelError
from fibermsk.results.result import BodyMotion, ShapeRecord
from fibermsk.view import screenshot, show
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.fields import FIELDS, fiber_field, field_range, flawed_fibers
from fibermsk.view.pictures import opengl, scene

ARM = make_result()
SIZE = (320, 240)


def inked(image):
    """Part of the pixels that are not background."""
    return np.mean(np.any(image < 250, axis=2))


def test_screenshot_is_a_picture_of_the_asked_size(tmp_path, renderer):
    path = screenshot(ARM, tmp_path / "new" / "arm.png", size=SIZE)
    image = 255 * imread(path)[..., :3]
    assert image.shape == (240, 320, 3)
    assert inked(image) > 0.05


def test_frames_differ_and_the_last_is_the_default(renderer):
    first = scene.picture(ARM, time=0.0, size=SIZE)
    last = scene.picture(ARM, time=8.0, size=SIZE)
    assert np.mean(np.any(first != last, axis=2)) > 0.02
    np.testing.assert_array_equal(last, scene.picture(ARM, size=SIZE))


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_colors_the_fibers(field):
    assert inked(scene.picture(ARM, color_by=field, size=SIZE)) > 0.05


@pytest.mark.parametrize(
    "result",
    [
        make_hanging_fiber(),
        make_result(1, status="interrupted"),
        make_result(fibers={}),
        make_result(fibers={}, bodies={}),
        make_result(
            3,
            fibers={},
            bodies={
                "wrap": BodyMotion(
                    np.zeros((3, 3)),
                    np.tile(np.eye(3), (3, 1, 1)),
                    (ShapeRecord("infinite_cylinder", np.zeros(3), np.eye(3)[1], 0.1),),
                )
            },
        ),
    ],
    ids=["hanging", "one_frame", "no_fibers", "nothing", "cylinder"],
)
def test_results_with_little_in_them(renderer, result):
    color_by = "stretch"
    assert inked(scene.picture(result, color_by=color_by, size=SIZE)) > 0.001


def test_both_ways_to_draw_agree(monkeypatch):
    if not opengl.off_screen_works():
        pytest.skip("this machine has no OpenGL")
    one = scene.picture(ARM, size=SIZE)
    monkeypatch.setattr(opengl, "off_screen_works", lambda: False)
    other = scene.picture(ARM, size=SIZE)
    far = np.max(np.abs(one.astype(int) - other.astype(int)), axis=2) > 60
    assert np.mean(far) < 0.01


@pytest.mark.parametrize("aspect", [0.5, 1.0, 2.0])
def test_camera_has_the_whole_run_in_view(aspect):
    stage = Stage(ARM, "stretch")
    camera = stage.camera((int(600 * aspect), 600), room=0.17)
    tangent = np.tan(0.5 * camera.angle)
    for frame in (0, 16, 32):
        stage.tubes.move(frame)
        corners = [stage.tubes.points.copy()]
        for piece in stage.pieces[::2]:
            pose = stage.pose(piece.body, frame)
            corners.append(piece.surface.points @ pose[:3, :3].T + pose[:3, 3])
        local = (np.concatenate(corners) - camera.position) @ camera.axes.T
        x = local[:, 0] / (local[:, 2] * tangent * aspect)
        y = local[:, 1] / (local[:, 2] * tangent)
        assert np.all(local[:, 2] > 0.0)
        assert -1.0 < x.min() and x.max() < 1.0 - 2 * 0.17 + 0.02
        assert np.max(np.abs(y)) < 1.0


def test_bad_requests(tmp_path):
    with pytest.raises(ModelError, match="'color' .* there are: .*stretch"):
        screenshot(ARM, tmp_path / "x.png", color_by="color")
    with pytest.raises(ModelError, match="from 0 s to 8 s"):
        screenshot(ARM, tmp_path / "x.png", time=9.0)
    with pytest.raises(ModelError, match="PNG"):
        screenshot(ARM, tmp_path / "x.jpg")
    (tmp_path / "file").touch()
    with pytest.raises(ModelError, match="cannot write"):
        screenshot(ARM, tmp_path / "file" / "x.png", size=SIZE)
    with pytest.raises(ModelError, match="each 100 to 8000"):
        screenshot(ARM, tmp_path / "x.png", size=(10, 10))
    with pytest.raises(ModelError, match="each 100 to 8000"):
        screenshot(ARM, tmp_path / "x.png", size=(100_000, 100_000))
    for wrong, words in (
        ({"size": 100}, "size = 100; must be whole numbers"),
        ({"size": (float("nan"), 100)}, "must be whole numbers"),
        ({"time": "now"}, "time = 'now'; must be a number"),
    ):
        with pytest.raises(ModelError, match=words):
            screenshot(ARM, tmp_path / "x.png", **wrong)
    with pytest.raises(ModelError, match="shown = 'arm.h5'; must be a Result, a Still or a list"):
        screenshot("arm.h5", tmp_path / "x.png")
    with pytest.raises(ModelError, match="path = None; must be a path"):
        screenshot(ARM, None)
    assert not (tmp_path / "x.png").exists()


def test_numbers_that_are_not_finite_are_told(tmp_path, renderer):
    lost = replace(ARM.fibers["biceps_1"], position=np.full((33, 9, 3), np.nan))
    with pytest.raises(ModelError, match="no finite number for fiber 'biceps_1'"):
        screenshot(make_result(fibers={"biceps_1": lost}), tmp_path / "x.png", size=SIZE)
    position = ARM.fibers["biceps_1"].position.copy()
    position[-1, 4] = np.nan
    part = replace(ARM.fibers["biceps_1"], position=position)
    flawed = make_result(fibers=ARM.fibers | {"biceps_1": part})
    words = np.s_[10:50, :160]
    before, last = (scene.picture(flawed, time=t, size=SIZE)[words] for t in (7.75, 8.0))
    assert np.any(before != last)
    assert flawed_fibers(flawed)[-1] == 1 and flawed_fibers(flawed)[0] == 0


def test_stress_is_force_over_current_area():
    fiber = ARM.fibers["biceps_1"]
    expected = fiber.axial_force / (np.pi * fiber.radius**2)
    np.testing.assert_allclose(fiber_field(fiber, "stress"), expected)


def test_range_of_a_constant_field_has_a_width():
    low, high = field_range(make_hanging_fiber(), "activation")
    assert low < 0.0 < high


def test_window_is_refused_without_a_display(monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(ModelError, match="no display"):
        show(ARM)


def test_light_import():
    code = "import sys, fibermsk.view; print({'pyvista', 'matplotlib'} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"

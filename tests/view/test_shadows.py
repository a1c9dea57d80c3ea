import numpy as np
import pytest
from make_result import make_hanging_fiber, make_result

from fibermsk.view.drawing.camera import Camera
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.pictures import scene
from fibermsk.view.pictures.ambient import ambient_light
from fibermsk.view.pictures.floor import Floor
from fibermsk.view.pictures.frames import FrameDrawer
from fibermsk.view.pictures.framing import frame_camera

ARM = make_result(9)
SIZE = (320, 240)


def test_plane_hides_nothing_and_a_corner_does():
    flat = np.full((60, 80), 2.0, dtype=np.float32)
    assert np.all(ambient_light(flat, 0.4, 1.0) == 1.0)
    # a plane seen at a slant is as bright
    rows = np.arange(60, dtype=np.float32)[:, None]
    scale = 30.0 / np.tan(0.2)
    slanted = (2.0 / (1.0 + 0.5 * (rows - 30.0) / scale)) * np.ones((1, 80), dtype=np.float32)
    assert ambient_light(slanted.astype(np.float32), 0.4, 1.0).min() > 0.99
    # a wall in front of the left half
    corner = np.full((240, 320), 2.0, dtype=np.float32)
    corner[:, :160] = 1.94
    light = ambient_light(corner, 0.4, 1.0)
    assert light[120, 161] < 0.93 and light[120, 175] > 0.99
    assert light[120, 280] == 1.0 and light[120, 40] == 1.0
    assert np.all(ambient_light(np.full((9, 9), np.inf, np.float32), 0.4, 1.0) == 1.0)


def test_shadow_is_below_the_subject_and_darkest_where_it_is_lowest():
    stage = Stage(ARM, "tissue")
    stage.move(0)
    floor = Floor(stage, 0)
    camera = frame_camera(stage, SIZE, 0, floor=True)
    light = floor.light(0, camera, SIZE)
    assert light.shape == (240, 320) and light.max() == 1.0 and 0.3 < light.min() < 0.85
    row, column = np.unravel_index(light.argmin(), light.shape)
    # the arm hangs: its hand is above the darkest place
    hand = stage.result.bodies["forearm"].position[0] + [0.0, 0.0, -0.287 - 0.035]
    local = (hand - camera.position) @ camera.axes.T
    across = 0.5 * SIZE[0] + 120.0 * local[0] / (local[2] * np.tan(0.5 * camera.angle))
    down = 0.5 * SIZE[1] - 120.0 * local[1] / (local[2] * np.tan(0.5 * camera.angle))
    assert abs(column - across) < 15 and 0 <= row - down < 25


def test_floor_is_not_seen_from_below():
    stage = Stage(ARM, "tissue")
    stage.move(0)
    low = Camera(np.array([0.0, -3.0, -2.0]), np.zeros(3), 0.4, np.array([0.0, 0.0, 1.0]))
    assert np.all(Floor(stage).light(0, low, SIZE) == 1.0)


def test_shadows_darken_the_floor_and_narrow_places(renderer):
    stage = Stage(ARM, "tissue")
    camera = frame_camera(stage, SIZE, 0, floor=True)
    images = []
    for floor in (None, Floor(stage, 0)):
        with FrameDrawer(stage, camera, SIZE, floor) as drawer:
            images.append(drawer.draw(0).astype(int))
    hard, soft = images
    background = np.all(hard == 255, axis=2)
    assert np.all(soft <= hard + 1)
    assert np.sum(soft[background] < 245) > 500 and np.mean(soft[background] == 255) > 0.6
    # between fibers and bone, but little on the free side of a bone
    change = (hard - soft).max(axis=2)[~background]
    assert np.mean(change > 15) > 0.01 and np.median(change) < 8


def test_pictures_have_shadows_unless_asked(renderer):
    soft, hard = (scene.picture(ARM, time=0.0, size=SIZE, shadows=s) for s in (True, False))
    gray = [np.ptp(image, axis=2) < 2 for image in (soft, hard)]
    shaded = [
        np.sum(g & (i[..., 0] > 200) & (i[..., 0] < 250))
        for g, i in zip(gray, (soft, hard), strict=True)
    ]
    assert shaded[0] > shaded[1] + 200


@pytest.mark.parametrize("result", [make_hanging_fiber(), make_result(fibers={}, bodies={})])
def test_shadows_of_results_with_little_in_them(result, renderer):
    assert scene.picture(result, size=SIZE).shape == (240, 320, 3)

"""Sliders of a model in the window: pictures of poses, numbers of a muscle, mouse and keys."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from posed_leg import leg

import fibermsk as fm
from fibermsk.view.drawing.looks import THEMES
from fibermsk.view.drawing.surfaces import line_surface
from fibermsk.view.pictures import opengl
from fibermsk.view.window.sliders import WIDTH, Sliders
from fibermsk.view.window.toolbar import HEIGHT
from fibermsk.view.window.window import Window

needs_opengl = pytest.mark.skipif(
    not opengl.off_screen_works(), reason="this machine has no OpenGL, which a window needs"
)
SIZE = (1000, 700)


@pytest.fixture
def window():
    """A window off the screen with the leg, seen against the axis of the knee."""
    made = Window(fm.still(leg()), off_screen=True, size=SIZE)
    made.plotter.show(auto_close=False)
    made.do("look right")
    yield made
    made.viewer.close()


def picture(window):
    window.plotter.render()
    return window.plotter.screenshot(None, return_img=True)[..., :3].astype(int)


def pixels(window, points):
    """Row and column of points in the picture."""
    renderer = window.viewer._views[0]
    found = []
    for point in points:
        renderer.SetWorldPoint(*point, 1.0)
        renderer.WorldToDisplay()
        x, y, _ = renderer.GetDisplayPoint()
        found.append((round(SIZE[1] - 1 - y), round(x)))
    return np.array(found).T


def is_red(image, rows, columns):
    return image[rows, columns, 0] - image[rows, columns, 2] > 50


def mouse(window, number, part):
    """Pixel of the window on a slider."""
    window.refresh()
    slider = window.viewer.pose._panel.sliders[number]
    x = SIZE[0] - WIDTH + slider.left + part * (slider.right - slider.left)
    return x, SIZE[1] - 1 - slider.y


def path_of_front(angle):
    """Its path, where the ankle follows the knee."""
    model = leg()
    return fm.muscle_path(fm.skeleton(model), model.muscle("front"), [angle, -0.5 * angle])


@needs_opengl
def test_muscles_are_drawn_along_their_solved_paths_in_every_pose(window):
    """Along the arc, and not along the chord through the cylinder."""
    for angle in (0.0, -1.5):
        window.viewer.pose.set({"knee": angle})
        path = path_of_front(angle)
        image = picture(window)
        arc = path.arcs[0].points
        assert is_red(image, *pixels(window, arc)).mean() > 0.9
        if angle == -1.5:
            inner = np.linspace(arc[0], arc[-1], 9)[2:-2]
            assert np.linalg.norm(inner - arc[len(arc) // 2], axis=1).min() > 0.01
            assert not is_red(image, *pixels(window, inner)).any()


@needs_opengl
def test_sliders_are_free_coordinates_with_their_range_and_unit(window):
    pose = window.viewer.pose
    assert [tuple(one) for one in pose.coordinates] == [("knee", "rad", -2.0, 0.5, True)]
    window._on_press(*mouse(window, 0, 0.4))
    assert_allclose(pose.values["knee"], -1.0, atol=1e-3)
    x, y = mouse(window, 0, 0.8)
    assert window._on_move(x, y + 40)  # beside the track too
    window._on_release(x, y)
    assert not window._on_move(*mouse(window, 0, 0.1))
    assert_allclose(pose.values["knee"], 0.0, atol=1e-2)
    assert pose.values["ankle"] == -0.5 * pose.values["knee"]
    assert window.key("p") and pose.values == {"knee": 0.0, "ankle": 0.0}
    with pytest.raises(fm.ModelError, match="'ankle'; must be free, one of: knee"):
        pose.set({"ankle": 0.1})
    with pytest.raises(fm.ModelError, match="no muscle 'fron'.*did you mean 'front'"):
        pose.choose("fron")


@needs_opengl
def test_a_chosen_muscle_is_marked_and_told(window):
    """By a click on its arc; length and moment arm are those of the path."""
    pose, viewer = window.viewer.pose, window.viewer
    pose.set({"knee": -1.0})
    before = picture(window)
    exact = path_of_front(-1.0)
    arc = exact.arcs[0].points
    (row,), (column,) = pixels(window, arc[len(arc) // 2 :][:1])
    window.click(column, SIZE[1] - 1 - row)
    assert pose.muscle == "front"
    assert (before != picture(window))[:, : SIZE[0] - WIDTH].any(axis=2).sum() > 100
    assert pose.line.length == exact.length
    assert_allclose(dict(pose.line.moment_arms)["knee"], exact.moment_arms["knee"], rtol=1e-14)
    assert window.key("m") and pose.muscle == "side"
    window.click(40, HEIGHT + 40)
    assert viewer.pose.muscle is None


@needs_opengl
def test_results_have_no_sliders(window):
    from make_result import make_result

    other = Window(make_result(), off_screen=True, size=SIZE)
    assert other.viewer.pose is None and not other.key("p")
    other.viewer.close()


@pytest.mark.parametrize("height", [320, 700])
def test_pages_hold_all_sliders(height):
    poses = fm.still(leg(20)).poses
    pose = fm.still(leg(20))
    values = tuple(float(pose.result.coordinates[one.name][0]) for one in poses.coordinates)
    from fibermsk.view.window.sliders import SliderState

    state = SliderState(poses.coordinates, values, 0, "front", pose.muscles["front"], 2)
    seen = []
    for page in range(Sliders(state, height).pages):
        panel = Sliders(state._replace(page=page), height)
        assert panel.image(THEMES["dark"]).shape == (height, WIDTH, 4)
        for one in panel.sliders:
            assert panel.hit(0.5 * (one.left + one.right), one.y) == one.number
            assert panel.value_at(one.number, -99) == poses.coordinates[one.number].lower
            seen.append(one.number)
    assert seen == list(range(21))
    assert not poses.coordinates[1].declared
    assert_allclose([poses.coordinates[1].lower, poses.coordinates[1].upper], [-np.pi, np.pi])


def test_tube_of_a_line_is_closed_and_round():
    """Its volume, by the divergence theorem, is that of its segments."""
    line = np.array([[0, 0, 0], [0, 0, 0], [1.0, 0, 0], [1.0, 1.0, 0], [1.0, 1.0, 2.0]])
    surface = line_surface(line, 0.05, n_around=48)
    a, b, c = surface.points[surface.faces].transpose(1, 0, 2)
    volume = np.einsum("ni,ni->", a, np.cross(b, c)) / 6.0
    assert_allclose(volume, np.pi * 0.05**2 * (4.0 + 4.0 / 3.0 * 0.05), rtol=0.01)
    out = np.einsum("ni,ni->n", np.cross(b - a, c - a), surface.normals[surface.faces[:, 0]])
    assert (out >= -1e-12).all()

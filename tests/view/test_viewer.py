import numpy as np
import pytest
from make_result import make_hanging_fiber, make_meshed_arm, make_result
from matplotlib.colors import to_rgb

from fibermsk.errors import ModelError
from fibermsk.results.result import FiberHistory
from fibermsk.view.drawing.camera import PRESETS, find_camera
from fibermsk.view.drawing.compare import common_times, frame_at, result_names
from fibermsk.view.drawing.looks import THEMES
from fibermsk.view.fields import FIELDS, field_range
from fibermsk.view.pictures import opengl, scene
from fibermsk.view.pictures.legend import prefixed, tissues
from fibermsk.view.window.viewer import Viewer

SIZE = (600, 450)
ARM = make_result()

needs_opengl = pytest.mark.skipif(
    not opengl.off_screen_works(), reason="this machine has no OpenGL, which a viewer needs"
)


@pytest.fixture
def viewer_of():
    """Makes viewers that are closed after the test, with their first picture drawn."""
    opened = []

    def make(shown, **options):
        viewer = Viewer(shown, **{"size": SIZE, "off_screen": True} | options)
        opened.append(viewer)
        viewer.plotter.show(auto_close=False)
        return viewer

    yield make
    for viewer in opened:
        viewer.close()


def image_of(viewer):
    viewer.plotter.render()
    return viewer.plotter.screenshot(None, return_img=True)[..., :3]


def pixel_of(viewer, point, view=0):
    """Pixel of a point, from the left and from below."""
    renderer = viewer._views[view]
    renderer.SetWorldPoint(*point, 1.0)
    renderer.WorldToDisplay()
    return renderer.GetDisplayPoint()[:2]


def changed(result, **fields):
    """Result whose fibers have other fields: functions of a fiber."""
    fibers = {
        name: FiberHistory(**(vars(f) | {key: make(f) for key, make in fields.items()}))
        for name, f in result.fibers.items()
    }
    return make_result(result.time.size, fibers=fibers)


@needs_opengl
def test_everything_is_updated_in_place(viewer_of):
    viewer = viewer_of(make_result(), time=0.0, arrows=("attachment", "contact"))
    drawn = viewer._scenes[0]

    def identity():
        meshes = [drawn.fibers, *(mesh for _, mesh, _ in drawn._arrows.values())]
        arrays = [mesh.points for mesh in meshes]
        arrays += [mesh.point_data["Normals"] for mesh in meshes]
        arrays.append(drawn.fibers.point_data["colors"])
        places = [array.__array_interface__["data"][0] for array in arrays]
        actors = [actor for view in viewer._views for actor in view.GetActors()]
        return [id(mesh) for mesh in meshes], places, actors

    before, first = identity(), image_of(viewer)
    viewer.show_time(8.0)
    viewer.set_field("stretch")
    viewer.set_theme("dark")
    viewer.look("right")
    assert identity() == before
    assert (
        drawn.fibers.points.__array_interface__["data"]
        == (viewer._stages[0].tubes.points.__array_interface__["data"])
    )
    assert np.mean(first != image_of(viewer)) > 0.3


@needs_opengl
def test_pictures_do_not_depend_on_the_way_to_them(viewer_of):
    asked = {"time": 4.0, "color_by": "stretch", "theme": "dark", "arrows": ("contact",)}
    one, other = viewer_of(ARM, **asked), viewer_of(ARM, time=0.0, arrows=("attachment",))
    other.set_theme("dark")
    other.set_arrows(["contact"])
    other.step(3)
    other.set_field("stretch")
    other.look("top")
    other.look("fit")
    other.show_time(4.0)
    np.testing.assert_array_equal(image_of(one), image_of(other))


@needs_opengl
def test_time_goes_on_and_is_seen(viewer_of):
    viewer = viewer_of(ARM, time=0.0)
    assert viewer.fields == FIELDS and viewer.color_by == "tissue"
    start = image_of(viewer)
    viewer.playback.play()
    assert viewer.tick(1.0)
    assert viewer.playback.time == 1.0 and viewer._frames() == [4]
    assert not viewer.tick(0.01)
    assert np.mean(start != image_of(viewer)) > 0.01
    viewer.step(-5)
    assert viewer._frames() == [32]


@needs_opengl
def test_compared_results_share_limits_scale_and_time(viewer_of):
    other = changed(
        make_result(9),
        axial_force=lambda f: 3.0 * f.axial_force,
        force_origin=lambda f: 3.0 * f.force_origin,
    )
    for compare, n_views in (("side_by_side", 2), ("overlay", 1)):
        viewer = viewer_of(
            [ARM, other], compare=compare, time=4.0, color_by="axial_force", arrows=["attachment"]
        )
        low, high = field_range(ARM, "axial_force")[0], field_range(other, "axial_force")[1]
        assert viewer._stages[0].limits == (low, high)
        assert {stage.limits for stage in viewer._stages} == {(low, high)}
        assert len({stage.arrows["attachment"].scale for stage in viewer._stages}) == 1
        assert viewer._frames() == [16, 4]
        viewer.step(1)
        assert viewer._frames() == [17, 4]
        assert len(viewer._views) == n_views
        assert len({id(view.GetActiveCamera()) for view in viewer._views}) == 1
        viewer.set_field("stretch")
        assert viewer._stages[0].limits == viewer._stages[1].limits
        assert viewer.names == ("upper_limb (1)", "upper_limb (2)")


@needs_opengl
def test_side_by_side_shows_each_and_overlay_both_in_one_place(viewer_of):
    moved = changed(ARM, position=lambda f: f.position + [0.0, 0.0, 0.4])
    beside = image_of(viewer_of([ARM, moved], time=0.0))
    again = image_of(viewer_of([ARM, ARM], time=0.0))
    half = SIZE[0] // 2
    assert np.mean(beside[:, :half] != beside[:, half:]) > 0.01
    # but for names, axes and legend; a pixel of one view lies a rounding error off the other's
    one, other = (again[80:-110, k : k + 110].astype(int) for k in (0, half))
    assert np.abs(one - other).max() <= 2 and np.std(one) > 20.0
    over = viewer_of([ARM, moved], compare="overlay", time=0.0)
    both = image_of(over)
    over._scenes[1].fiber_actor.VisibilityOff()
    assert np.mean(np.any(both != image_of(over), axis=2)) > 0.005


def test_results_with_different_frames_meet_in_time():
    one, other = make_result(33), make_result(5)
    short = make_result(5, time=np.linspace(0.0, 3.1, 5))
    times = common_times([one.time, short.time])
    assert np.all(np.diff(times) > 1e-9)
    assert set(one.time) | set(short.time) == set(times)
    assert common_times([one.time, other.time]).size == 33
    assert frame_at(short, 0.8) == 1 and frame_at(short, 8.0) == 4


@needs_opengl
def test_a_shorter_run_says_that_it_has_ended(viewer_of):
    short = make_result(5, time=np.linspace(0.0, 3.1, 5))
    viewer = viewer_of([ARM, short], time=3.1)
    before = image_of(viewer)
    viewer.show_time(8.0)
    after = image_of(viewer)
    half = SIZE[0] // 2
    words, drawn = slice(0, 70), slice(70, None)
    assert np.any(before[words, half:] != after[words, half:])
    np.testing.assert_array_equal(before[drawn, half:-180], after[drawn, half:-180])


@needs_opengl
@pytest.mark.parametrize("preset", PRESETS[1:])
def test_presets_look_along_the_axes_and_see_everything(viewer_of, preset):
    viewer = viewer_of(ARM, time=4.0)
    viewer.look(preset)
    assert viewer.preset == preset
    view = viewer.plotter.camera
    forward = np.subtract(view.focal_point, view.position)
    forward /= np.linalg.norm(forward)
    expected = {
        "front": [0, 1, 0], "back": [0, -1, 0], "left": [1, 0, 0],
        "right": [-1, 0, 0], "top": [0, 0, -1], "bottom": [0, 0, 1],
    }  # fmt: skip
    np.testing.assert_allclose(forward, expected[preset], atol=1e-9)
    for point in viewer._stages[0].tubes.points[::97]:
        x, y = pixel_of(viewer, point)
        assert 0 <= x <= SIZE[0] and 0 <= y <= SIZE[1]


def test_with_y_up_the_front_is_ahead_and_the_right_side_right():
    points, margins = np.random.default_rng(1).normal(size=(50, 3)), np.full(50, 0.1)

    def camera(preset):
        return find_camera(preset, points, margins, 1.3, (0.0, 1.0, 0.0)).axes

    np.testing.assert_allclose(camera("front")[2], [-1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(camera("right")[2], [0, 0, -1], atol=1e-12)
    np.testing.assert_allclose(camera("right")[0], [1, 0, 0], atol=1e-12)  # ahead is at the right
    np.testing.assert_allclose(camera("left")[2], [0, 0, 1], atol=1e-12)
    np.testing.assert_allclose(camera("top")[1:], [[-1, 0, 0], [0, -1, 0]], atol=1e-12)
    with pytest.raises(ModelError, match="'up'; there are: fit, front"):
        camera("up")


@needs_opengl
def test_picking_gives_the_fiber_under_the_pixel(viewer_of):
    viewer = viewer_of(make_result(5), time=0.0)
    viewer.look("right")  # biceps_1 and biceps_2 lie in front, side by side
    for name in ("biceps_1", "biceps_2"):
        middle = viewer.results[0].fibers[name].centerline(np.array([0.5]), 0)[0]
        assert viewer.pick(*pixel_of(viewer, middle)) == name
        assert viewer.selected == name
    bone = [0.0, 0.0, -0.55]
    assert viewer.pick(*pixel_of(viewer, bone)) is None and viewer.selected is None
    hidden = viewer.results[0].fibers["triceps_2"].centerline(np.array([0.5]), 0)[0]
    assert viewer.pick(*pixel_of(viewer, hidden)) != "triceps_2"
    assert viewer.pick(2, 2) is None
    assert viewer.pick(-5, 10_000) is None


@needs_opengl
def test_picking_in_the_second_of_two_views(viewer_of):
    viewer = viewer_of([make_result(5), make_hanging_fiber()], color_by="stretch", time=0.0)
    middle = viewer.results[1].fibers["fiber"].centerline(np.array([0.5]), 0)[0]
    assert viewer.pick(*pixel_of(viewer, middle, 1)) == "fiber"


@needs_opengl
def test_the_selected_fiber_is_outlined_and_the_outline_follows(viewer_of):
    viewer = viewer_of(ARM, time=0.0, color_by="radius")
    accent = np.round(255 * np.array(to_rgb(THEMES["light"].accent)))

    def outline():
        return np.all(np.abs(image_of(viewer) - accent) < 30, axis=2)

    assert outline().sum() == 0
    viewer.select("biceps_1")
    start = outline()
    assert start.sum() > 50
    viewer.show_time(8.0)
    assert outline().sum() > 50 and np.any(outline() != start)
    viewer.select(None)
    assert outline().sum() == 0


@needs_opengl
def test_curves_are_those_of_the_fiber_with_a_mark_at_the_time(viewer_of):
    other = changed(make_result(9), activation=lambda f: 2.0 * f.activation)
    viewer = viewer_of([ARM, other], names=["A", "B"], time=2.0)
    viewer.select("triceps_2")
    figure = viewer.curves((300, 500)).figure
    titles = [axes.get_title("left") for axes in figure.axes]
    assert titles == [
        "activation [-]",
        "axial force [N]",
        "stretch [-]",
        "contact force, sum [mN]",
    ]
    fiber = ARM.fibers["triceps_2"]
    lines = figure.axes[0].lines
    np.testing.assert_allclose(lines[0].get_ydata(), fiber.activation)
    np.testing.assert_allclose(lines[1].get_ydata(), 2.0 * fiber.activation[::4])
    np.testing.assert_allclose(figure.axes[1].lines[0].get_ydata(), fiber.axial_force.mean(axis=1))
    assert figure.axes[0].lines[-1].get_xdata()[0] == 2.0
    before = viewer.curves((300, 500)).image().copy()
    viewer.show_time(6.0)
    after = viewer.curves((300, 500)).image()
    assert after.shape == (500, 300, 4) and np.any(before != after)
    assert viewer.curves((300, 500)).figure is figure
    assert figure.axes[0].lines[-1].get_xdata()[0] == 6.0


@needs_opengl
@pytest.mark.parametrize("theme", THEMES)
def test_themes_change_the_background_in_pictures_and_viewer(viewer_of, theme, monkeypatch):
    color = np.round(255 * np.array(to_rgb(THEMES[theme].background)))
    viewer = viewer_of(ARM, theme=theme)
    assert viewer.theme == theme
    pictures = [image_of(viewer), scene.picture(ARM, size=SIZE, theme=theme)]
    monkeypatch.setattr(opengl, "off_screen_works", lambda: False)
    pictures.append(scene.picture(ARM, size=SIZE, theme=theme))
    for image in pictures:
        assert np.mean(np.all(np.abs(image - color) <= 1, axis=2)) > 0.5


@pytest.mark.parametrize("kind", ["attachment", "contact"])
def test_arrows_are_seen_alike_with_and_without_opengl(kind, monkeypatch):
    if not opengl.off_screen_works():
        pytest.skip("this machine has no OpenGL")
    one = scene.picture(ARM, size=SIZE, arrows=[kind]).astype(int)
    without = scene.picture(ARM, size=SIZE).astype(int)
    monkeypatch.setattr(opengl, "off_screen_works", lambda: False)
    other = scene.picture(ARM, size=SIZE, arrows=[kind]).astype(int)
    assert np.mean(np.max(np.abs(one - without), axis=2) > 60) > 0.003
    assert np.mean(np.max(np.abs(one - other), axis=2) > 60) < 0.01


@needs_opengl
def test_arrows_are_switched_on_and_off(viewer_of):
    viewer = viewer_of(ARM, time=4.0)
    none = image_of(viewer)
    viewer.set_arrows(["attachment"])
    some = image_of(viewer)
    viewer.set_arrows(["contact", "attachment"])
    assert viewer.arrows == ("attachment", "contact")
    viewer.set_arrows([])
    assert viewer.arrows == ()
    np.testing.assert_array_equal(none, image_of(viewer))
    assert np.mean(none != some) > 0.005


@needs_opengl
def test_names_stand_beside_their_muscles_and_follow_camera_and_time(viewer_of):
    viewer = viewer_of(ARM, time=0.0)
    for time, preset in ((0.0, "fit"), (8.0, "fit"), (8.0, "right")):
        viewer.set_names(False)
        viewer.show_time(time)
        viewer.look(preset)
        bare = image_of(viewer).astype(int)
        viewer.set_names(True)
        assert viewer.named
        named = image_of(viewer).astype(int)
        inked = np.any(np.abs(named - bare) > 60, axis=2)
        for muscle in ("biceps", "triceps"):
            fibers = [f for name, f in ARM.fibers.items() if name.startswith(muscle)]
            frame = viewer.playback.frame
            points = np.concatenate(
                [f.centerline(np.linspace(0.1, 0.9, 30), frame) for f in fibers]
            )
            pixels = np.array([pixel_of(viewer, point) for point in points])
            rows, columns = np.nonzero(inked)
            ink = np.stack([columns, len(inked) - 1 - rows], axis=1)
            away = np.linalg.norm(ink[:, None] - pixels, axis=2).min(axis=1)
            assert np.count_nonzero(away < 30.0) > 20
    assert viewer_of(make_hanging_fiber()).named is False


@needs_opengl
def test_names_are_asked_for(viewer_of):
    assert viewer_of(ARM, labels=True).named


@needs_opengl
def test_errors_name_what_there_is(viewer_of):
    viewer = viewer_of(make_hanging_fiber())
    before = image_of(viewer)
    with pytest.raises(ModelError, match="'color'.* there are: .*stretch"):
        viewer.set_field("color")
    with pytest.raises(ModelError, match="'blue'; there are: light, dark"):
        viewer.set_theme("blue")
    with pytest.raises(ModelError, match="'wind'; there are: attachment, contact"):
        viewer.set_arrows(["wind"])
    with pytest.raises(ModelError, match="'up'; there are: fit, front"):
        viewer.look("up")
    with pytest.raises(ModelError, match="no fiber 'x'; there are: fiber"):
        viewer.select("x")
    with pytest.raises(ModelError, match="result = 3; must be 0 to 0"):
        viewer.select("fiber", 3)
    with pytest.raises(ModelError, match="no fiber is selected"):
        viewer.curves((300, 500))
    with pytest.raises(ModelError, match="from 0 s to 8 s"):
        viewer.show_time(9.0)
    np.testing.assert_array_equal(before, image_of(viewer))


@needs_opengl
@pytest.mark.parametrize(
    ("shown", "options", "words"),
    [
        ([], {}, "0 results; a viewer shows from 1 to 4"),
        ([ARM] * 5, {}, "5 results"),
        ([ARM, ARM], {"names": ["a"]}, "names holds 1 for 2"),
        ([ARM, ARM], {"compare": "above"}, "'above'; there are: side_by_side, overlay"),
        (ARM, {"color_by": "taste"}, "'taste'"),
        (ARM, {"theme": "gray"}, "'gray'; there are: light, dark"),
        (ARM, {"arrows": ["wind"]}, "'wind'; there are"),
        (ARM, {"time": -1.0}, "from 0 s to 8 s"),
        (make_result(fibers={}), {"color_by": "taste"}, "'taste'"),
    ],
)
def test_bad_requests_are_refused_before_anything_is_drawn(shown, options, words):
    with pytest.raises(ModelError, match=words):
        Viewer(shown, off_screen=True, size=SIZE, **options)


def test_a_viewer_without_opengl_says_what_to_do(monkeypatch):
    monkeypatch.setattr("fibermsk.view.window.viewer.off_screen_works", lambda: False)
    with pytest.raises(ModelError, match="no OpenGL was found; write a picture"):
        Viewer(ARM, off_screen=True)


@needs_opengl
@pytest.mark.parametrize(
    "result",
    [
        make_hanging_fiber(),
        make_meshed_arm(3),
        make_result(1, status="interrupted"),
        make_result(fibers={}),
        make_result(fibers={}, bodies={}),
    ],
    ids=["hanging", "meshes", "one_frame", "no_fibers", "nothing"],
)
def test_results_with_little_in_them(viewer_of, result):
    viewer = viewer_of(result, color_by="stretch", arrows=("attachment", "contact"))
    viewer.step(1)
    viewer.set_field("stress")
    viewer.set_theme("dark")
    viewer.look("top")
    assert bool(viewer.fields) == bool(result.fibers)
    assert image_of(viewer).std() > 1.0


def test_prefixes_make_numbers_handy():
    assert prefixed("axial stress [Pa]", 3.2e5) == ("axial stress [kPa]", 1e-3)
    assert prefixed("axial force [N]", 0.02) == ("axial force [mN]", 1e3)
    assert prefixed("axial force [N]", 999.0) == ("axial force [N]", 1.0)
    assert prefixed("axial force [N]", 1000.0) == ("axial force [kN]", 1e-3)
    assert prefixed("stretch [-]", 1e-5) == ("stretch [-]", 1.0)
    assert prefixed("radius [m]", 0.004) == ("radius [mm]", 1e3)
    assert prefixed("axial force [N]", 0.0) == ("axial force [N]", 1.0)


def test_tissues_and_names():
    assert tissues([ARM]) == ("tendon", "muscle")
    assert tissues([make_result(fibers={})]) == ()
    full = changed(ARM, muscle_fraction=lambda f: np.ones(f.theta.size))
    assert tissues([full]) == ("muscle",)
    assert result_names([ARM, make_hanging_fiber()], None) == ("upper_limb", "hanging_fiber")
    assert result_names([ARM] * 3, ["thin", "thick", "thin"]) == ("thin (1)", "thick", "thin (2)")

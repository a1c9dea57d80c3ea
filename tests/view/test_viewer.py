import numpy as np
import pytest
from make_result import make_hanging_fiber, make_result

from fibermsk.errors import ModelError
from fibermsk.view import opengl
from fibermsk.view.viewer import Viewer

SIZE = (600, 450)

pytestmark = pytest.mark.skipif(
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


def test_everything_is_updated_in_place(viewer_of):
    viewer = viewer_of(make_result(), time=0.0, arrows=("attachment", "contact"))
    scene = viewer._scenes[0]
    before = [
        id(scene.fibers),
        scene.fibers.points.__array_interface__["data"],
        scene.fibers.point_data["colors"].__array_interface__["data"],
        len(viewer.plotter.actors),
    ]
    first = image_of(viewer)
    viewer.show_time(8.0)
    viewer.set_field("stretch")
    viewer.set_theme("dark")
    assert before == [
        id(scene.fibers),
        scene.fibers.points.__array_interface__["data"],
        scene.fibers.point_data["colors"].__array_interface__["data"],
        len(viewer.plotter.actors),
    ]
    assert np.mean(first != image_of(viewer)) > 0.3


def test_compared_results_share_limits_and_time(viewer_of):
    one, other = make_result(33), make_result(9)
    fiber = other.fibers["biceps_1"]
    fiber.axial_force[...] *= 3.0
    viewer = viewer_of([one, other], names=["one", "other"], time=4.0)
    assert viewer.limits[1] == pytest.approx(fiber.axial_force.max())
    assert [stage.limits for stage in viewer._stages] == [viewer.limits] * 2
    assert viewer._frames() == [16, 4]
    viewer.step(1)
    assert viewer._frames() == [17, 4]


def test_errors_name_what_there_is(viewer_of):
    viewer = viewer_of(make_hanging_fiber())
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
    with pytest.raises(ModelError, match="no fiber is selected"):
        viewer.curves()

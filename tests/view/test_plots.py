import numpy as np
import pytest
from make_result import make_hanging_fiber, make_result

from fibermsk.errors import ModelError
from fibermsk.view import plot
from fibermsk.view._panels import PANELS, fiber_stem, representative_fibers

ARM = make_result()


def titles(figure):
    return [axes.get_title(loc="left") for axes in figure.axes]


@pytest.mark.parametrize("name", PANELS)
@pytest.mark.parametrize("n_frames", [33, 1])
def test_every_field_is_drawn_with_units_on_the_axes(tmp_path, name, n_frames):
    figure = plot(make_result(n_frames), name)
    for axes in figure.axes:
        assert axes.lines
        for label in (axes.get_xlabel(), axes.get_ylabel()):
            assert label.endswith("]") and "[" in label
    figure.savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 5000


def test_page_of_an_arm_shows_the_four_figures_of_the_paper():
    figure = plot(ARM)
    assert titles(figure) == [
        "Activation",
        "Joint angles",
        "Force of biceps_1 on the body at its origin",
        "Force of triceps_1 on the body at its origin",
        "Axial force along the fiber",
        "Stretch along the fiber",
    ]
    assert [line.get_label() for line in figure.axes[2].lines] == ["x", "y", "z"]
    assert len(figure.axes[4].lines) == 4
    np.testing.assert_allclose(figure.axes[1].lines[0].get_ydata()[-1], 60.0)


def test_legends_lie_beside_the_curves():
    figure = plot(ARM)
    figure.draw_without_rendering()
    for axes in figure.axes:
        legend = axes.get_legend()
        assert legend.get_window_extent().x0 >= axes.get_window_extent().x1 - 1.0


def test_results_with_little_in_them():
    assert "Stretch along the fiber" in titles(plot(make_hanging_fiber()))
    assert "Joint speeds" in titles(plot(make_result(fibers={})))
    assert "Step size" in titles(plot(make_result(fibers={}, coordinates={}, speeds={}, bodies={})))


def test_each_unit_of_the_coordinates_has_its_axes():
    angle = ARM.coordinates["elbow_flexion"]
    moving = {"elbow_flexion": angle, "slide": 0.1 * angle, "hip_w": np.cos(angle)}
    result = make_result(
        coordinates=moving, speeds=moving, coordinate_units={"slide": "m", "hip_w": "1"}
    )
    figure = plot(result, ["coordinates", "speeds"])
    assert titles(figure)[:3] == ["Joint angles", "Joint translations", "Parts of quaternions"]
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == ["angle [°]", "translation [m]", "part [-]"] + [
        "speed [°/s]",
        "speed [m/s]",
        "rate [1/s]",
    ]
    np.testing.assert_allclose(figure.axes[1].lines[0].get_ydata(), 0.1 * angle)


def test_title_tells_of_a_broken_run():
    figure = plot(make_result(status="interrupted"))
    assert figure.get_suptitle() == "upper_limb (interrupted at t = 8 s)"


def test_unknown_name_lists_the_known():
    with pytest.raises(ModelError, match="'colour' .* has: activation, coordinates"):
        plot(ARM, "colour")
    with pytest.raises(ModelError, match="'coordinates' .* has: activation, attachment"):
        plot(make_hanging_fiber(), ["coordinates"])


def test_several_names_make_one_figure():
    assert titles(plot(ARM, ["speeds", "activation"])) == ["Joint speeds", "Activation"]


def test_two_fibers_of_different_stems_are_shown():
    assert fiber_stem("biceps_12") == "biceps"
    assert fiber_stem("7") == "7"
    assert representative_fibers(ARM) == ["biceps_1", "triceps_1"]
    assert representative_fibers(make_hanging_fiber()) == ["fiber"]

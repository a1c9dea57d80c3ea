import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from make_result import make_hanging_fiber, make_reporting_arm, make_result
from matplotlib.collections import PolyCollection, QuadMesh

from fibermsk.errors import ModelError
from fibermsk.results.slack import Slack
from fibermsk.view import plot, plot_names
from fibermsk.view.browser.write import page_text
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.fields import FIELDS
from fibermsk.view.plots.groups import choose, fiber_stem, group
from fibermsk.view.plots.histories import muscle_power
from fibermsk.view.plots.panel import COLORS, Choice, most_moving, scaled
from fibermsk.view.plots.panels import PANELS
from fibermsk.view.plots.summary import facts, summary_panels

ARM = make_result()
MAPS = [name for name in PANELS if name.endswith("_map")]


def titles(figure):
    return [axes.get_title(loc="left") for axes in figure.axes]


def bands(axes):
    return [c for c in axes.collections if isinstance(c, PolyCollection)]


def make_many(n_fibers, n_muscles=1):
    """Fibers of an arm, each with its own force, activation and stretch."""
    arm = make_reporting_arm(9)
    one = arm.fibers["biceps_1"]
    fibers = {}
    for k in range(n_fibers):
        part = 1.0 + k / n_fibers
        fibers[f"muscle{'abcdefghijklmnop'[k % n_muscles]}_{k // n_muscles + 1}"] = replace(
            one,
            axial_force=part * one.axial_force,
            activation=0.5 * part * one.activation,
            stretch=part * one.stretch,
        )
    return replace(arm, fibers=fibers)


@pytest.mark.parametrize("name", PANELS)
@pytest.mark.parametrize("n_frames", [33, 1])
def test_every_field_is_drawn_with_units_on_the_axes(tmp_path, name, n_frames):
    if name == "power" and n_frames == 1:
        with pytest.raises(ModelError, match="'power'"):
            plot(make_result(1), name)
        return
    figure = plot(make_reporting_arm(n_frames), name)
    for axes in figure.axes:
        drawn = axes.collections if name in MAPS else axes.lines
        assert drawn
        for label in (axes.get_xlabel(), axes.get_ylabel()):
            assert label.endswith("]") and "[" in label
    figure.savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 5000


def test_names_are_listed_with_what_they_are():
    assert set(plot_names()) == set(PANELS) and all(plot_names().values())
    there = plot_names(make_hanging_fiber())
    assert "stretch_map" in there and "coordinates" not in there and "body_position" not in there
    for name in there:
        plot(make_hanging_fiber(), name)


def test_field_along_the_fibers_at_chosen_times():
    figure = plot(ARM, "stretch", fibers="triceps_*", times=[0.0, 8.0])
    lines = figure.axes[0].lines
    assert [line.get_label() for line in lines] == [
        f"triceps_{k}, t = {t} s" for k in (1, 2, 3) for t in (0, 8)
    ]
    np.testing.assert_allclose(lines[1].get_ydata(), ARM.fibers["triceps_1"].stretch[-1])
    np.testing.assert_allclose(lines[1].get_xdata(), ARM.fibers["triceps_1"].theta)
    # A color a fiber, a line style a time.
    assert len({line.get_color() for line in lines}) == 3
    assert [line.get_linestyle() for line in lines[:2]] == ["-", "--"]


def test_field_over_time_is_the_mean_along_the_fiber():
    theta = np.array([0.1, 0.3, 0.9])
    fiber = ARM.fibers["biceps_1"]
    values = np.tile([3.0, 5.0, 9.0], (ARM.time.size, 1))
    fiber = replace(
        fiber,
        theta=theta,
        muscle_fraction=theta,
        stretch=values,
        radius=values,
        axial_force=values,
        contact_line_force=np.zeros((ARM.time.size, 3, 3)),
    )
    figure = plot(replace(ARM, fibers={"one": fiber}), "stretch_over_time")
    axes = figure.axes[0]
    # Samples stand for 0 to 0.2, 0.2 to 0.6, 0.6 to 1.
    np.testing.assert_allclose(axes.lines[0].get_ydata(), 0.2 * 3.0 + 0.4 * 5.0 + 0.4 * 9.0)
    low, high = bands(axes)[0].get_paths()[0].get_extents().intervaly
    assert (low, high) == (3.0, 9.0)


def test_map_has_time_and_position_and_one_scale():
    figure = plot(ARM, "axial_force_map", fibers=["biceps_1", "triceps_1"])
    maps = [axes for axes in figure.axes if any(isinstance(c, QuadMesh) for c in axes.collections)]
    assert [m.get_title(loc="left") for m in maps[:2]] == [
        "Axial force, biceps_1",
        "Axial force, triceps_1",
    ]
    meshes = [axes.collections[0] for axes in maps[:2]]
    for mesh, name in zip(meshes, ("biceps_1", "triceps_1"), strict=True):
        np.testing.assert_allclose(mesh.get_array(), ARM.fibers[name].axial_force.T)
        corners = mesh.get_coordinates()
        assert corners[0, 0, 0] == 0.0 and corners[-1, -1, 0] == 8.0
        assert corners[0, 0, 1] == 0.0 and corners[-1, -1, 1] == 1.0
    assert meshes[0].get_clim() == meshes[1].get_clim()
    low = min(ARM.fibers[name].axial_force.min() for name in ("biceps_1", "triceps_1"))
    assert meshes[0].get_clim()[0] == pytest.approx(low)


@pytest.mark.parametrize("name", PANELS)
@pytest.mark.parametrize(("n_fibers", "n_muscles"), [(37, 1), (500, 16)])
def test_many_fibers_stay_few_curves(name, n_fibers, n_muscles):
    figure = plot(make_many(n_fibers, n_muscles), name)
    for axes in figure.axes:
        labels = axes.get_legend_handles_labels()[1]
        assert len(labels) <= 14
        assert len(axes.lines) <= 14
    assert len(figure.axes) <= 6


def test_many_fibers_are_median_and_band():
    run = make_many(37)
    axes = plot(run, "stretch_over_time").axes[0]
    assert [line.get_label() for line in axes.lines] == ["musclea (37)"]
    # Equally spaced samples from end to end: the trapezoidal rule.
    means = np.stack([np.trapezoid(f.stretch, f.theta) for f in run.fibers.values()])
    assert len(bands(axes)) == 1
    np.testing.assert_allclose(axes.lines[0].get_ydata(), np.median(means, axis=0))
    run = make_many(60, 3)
    axes = plot(run, "axial_force", times=2.0).axes[0]
    values = np.stack([f.axial_force[2] for n, f in run.fibers.items() if n.startswith("muscleb")])
    np.testing.assert_allclose(axes.lines[1].get_ydata(), np.median(values, axis=0))
    low = bands(axes)[1].get_paths()[0].get_extents().y0
    assert low == pytest.approx(np.percentile(values, 10, axis=0).min())
    assert "10 to 90" in axes.get_title(loc="left")
    axes = plot(run, "axial_force_over_time", fibers="musclec_*").axes[0]
    assert [line.get_label() for line in axes.lines] == ["musclec (20)"]


def test_groups():
    assert [g.label for g in group(["a_1", "a_2"], 2)] == ["a_1", "a_2"]
    assert [g.label for g in group(["a_1", "a_2", "b"], 2)] == ["a (2)", "b"]
    assert [g.label for g in group(["a", "b", "c"], 2)] == ["all 3 fibers"]
    assert fiber_stem("biceps_12") == "biceps"
    assert fiber_stem("7") == "7"


def test_fibers_are_chosen_by_pattern():
    assert choose(ARM, None)[0] == list(ARM.fibers)
    assert choose(ARM, "*_1")[0] == ["biceps_1", "triceps_1"]
    assert choose(ARM, "biceps")[0] == ["biceps_1", "biceps_2"]
    assert choose(ARM, ["triceps_[23]", "biceps_2"])[0] == [
        "biceps_2",
        "triceps_2",
        "triceps_3",
    ]
    odd = replace(ARM, fibers={"a[1]": ARM.fibers["biceps_1"]})
    assert choose(odd, "a[1]")[0] == ["a[1]"]
    with pytest.raises(ModelError, match="'bicep_1'.* has: biceps_1.*did you mean 'biceps_1'"):
        plot(ARM, "stretch", fibers="bicep_1")
    with pytest.raises(ModelError, match="and 26 more"):
        plot(make_many(37), "stretch", fibers="x")


def test_length_is_that_of_the_curve():
    # An arc of half a circle in Hermite elements, whose error falls with the fourth power.
    base = ARM.fibers["biceps_1"]
    theta = np.linspace(0.0, 1.0, 9)
    angle = np.pi * theta
    x = 0.2 * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    t = 0.2 * np.pi * np.stack([-np.sin(angle), np.cos(angle), 0.0 * angle], axis=1)
    fiber = replace(
        base, node_theta=theta, position=np.stack([x, 3.0 * x]), tangent=np.stack([t, 3.0 * t])
    )
    expected = 0.2 * np.pi * np.array([1.0, 3.0])
    np.testing.assert_allclose(fiber.length, expected, rtol=5e-5)
    fine = np.linspace(0.0, 1.0, 20001)
    polyline = np.diff(fiber.centerline(fine, 0), axis=0)
    np.testing.assert_allclose(fiber.length[0], np.linalg.norm(polyline, axis=1).sum(), rtol=1e-7)


def test_power_is_force_times_velocity():
    time = np.linspace(0.0, 2.0, 5)
    n = time.size
    fiber = ARM.fibers["biceps_1"]
    position = np.zeros((n, 2, 3))
    position[:, 1, 2] = 0.3 * time
    pull = np.tile([0.0, 0.0, -10.0], (n, 1))
    fiber = replace(fiber, position=position, force_insertion=pull, force_origin=-pull)
    np.testing.assert_allclose(muscle_power(fiber, time), -3.0)


def test_pull_of_a_muscle_is_the_sum_of_its_fibers():
    axes = plot(ARM, "muscle_force").axes[0]
    assert [line.get_label() for line in axes.lines] == ["biceps (2 fibers)", "triceps (3 fibers)"]
    total = sum(ARM.fibers[f"biceps_{k}"].force_insertion for k in (1, 2))
    np.testing.assert_allclose(axes.lines[0].get_ydata(), np.linalg.norm(total, axis=1))


def test_rotation_of_a_body_is_its_angle():
    axes = plot(ARM, "body_rotation").axes[0]
    np.testing.assert_allclose(
        axes.lines[1].get_ydata(), np.degrees(ARM.coordinates["elbow_flexion"]), atol=1e-5
    )


def test_page_of_an_arm():
    figure = plot(ARM)
    assert tuple(figure.get_size_inches()) == (8.27, 11.69)
    assert [title for title in titles(figure) if title] == [
        "Activation",
        "Joint angles",
        "Pull of a muscle at its insertion",
        "Axial force along the fiber",
        "Stretch: mean along the fiber",
        "Stretch along the fiber",
        "Net contact force per current length: mean along the\nfiber",
        "Step size",
        "Newton iterations per frame",
        "Deepest contact: least 1 + γg",
    ]
    pictures = [axes for axes in figure.axes if axes.images]
    assert [axes.get_title() for axes in pictures] == ["t = 0 s", "t = 8 s"]
    one, other = (axes.images[0].get_array() for axes in pictures)
    assert np.mean(np.any(one != other, axis=2)) > 0.02
    words = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert {"upper_limb", "success", "backward_euler", "0 to 8 s, 33 frames", "99"} <= set(words)


def test_page_fits_the_paper(tmp_path):
    for result in (make_many(37), make_result(2, fibers={})):
        figure = plot(result)
        figure.draw_without_rendering()
        box = figure.get_tightbbox()
        assert box.x0 >= 0.1 and box.y0 >= 0.05, (result.scene, box)
        assert box.x1 <= 8.17 and box.y1 <= 11.64, (result.scene, box)


def test_facts_tell_what_went_wrong():
    worst = Slack("biceps_1", 1.0, 2.0, 0.25, -3.0)
    result = make_result(
        status="failed",
        message="no convergence at t = 8 s",
        stats={"steps": 40, "failed_steps": 3, "rejected_steps": 0, "wall_seconds": 12.34},
        slack=(worst, worst._replace(force=-1.0)),
    )
    found = dict(facts(result))
    assert found["status"] == "failed" and found["reason"] == "no convergence at t = 8 s"
    assert found["steps"] == "40" and found["failed steps"] == "3"
    assert "rejected steps" not in found
    assert found["wall time"] == "12.3 s" and found["Newton iterations"] == "99"
    assert (
        found["compressed"].startswith("1 fiber; worst: biceps_1") and "-3 N" in found["compressed"]
    )
    assert found["model"] == "5 fibers, 2 bodies, 1 coordinate"
    assert found["mesh"].startswith("40 ")
    assert any("no convergence" in t.get_text() for a in plot(result).axes for t in a.texts)


def test_legends_lie_beside_the_curves():
    for what in (None, "stretch", "coordinates"):
        figure = plot(ARM, what)
        figure.draw_without_rendering()
        for axes in figure.axes:
            legend = axes.get_legend()
            if legend is not None:
                assert legend.get_window_extent().x0 >= axes.get_window_extent().x1 - 1.0


def test_results_with_little_in_them():
    assert "Stretch along the fiber" in titles(plot(make_hanging_fiber()))
    assert "Joint speeds" in titles(plot(make_result(fibers={})))
    assert "Step size" in titles(plot(make_result(fibers={}, coordinates={}, speeds={}, bodies={})))
    names = [panel.title for panel in summary_panels(Choice(make_hanging_fiber(), ("fiber",)))]
    assert "Activation" not in names
    broken = make_result(5)
    broken.fibers["biceps_1"].stretch[:] = np.nan
    for what in (None, "stretch", "stretch_map", "stretch_over_time"):
        plot(broken, what).draw_without_rendering()


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


def test_of_many_coordinates_those_that_move_are_shown():
    angle = ARM.coordinates["elbow_flexion"]
    many = {f"q{k}": k * angle for k in range(30)}
    figure = plot(make_result(coordinates=many), "coordinates")
    labels = [line.get_label() for line in figure.axes[0].lines]
    assert labels == [f"q{k}" for k in range(16, 30)]
    assert "the 14 of 30" in titles(figure)[0]
    assert most_moving({"a": angle}, 1) == ({"a": angle}, "")


def test_units_are_handy():
    assert scaled("radius [m]", [np.array([0.006])]) == ("radius [mm]", 1e3)
    assert scaled("axial stress [Pa]", [np.array([-3e5, np.nan])]) == ("axial stress [kPa]", 1e-3)
    assert scaled("force [N]", [np.array([0.2])]) == ("force [N]", 1.0)
    assert scaled("angle [°]", [np.array([1e-4])]) == ("angle [°]", 1.0)
    assert scaled("radius [m]", [np.array([0.0])]) == ("radius [m]", 1.0)
    line = plot(ARM, "radius", fibers="biceps_1", times=0.0).axes[0].lines[0]
    np.testing.assert_allclose(line.get_ydata(), 1e3 * ARM.fibers["biceps_1"].radius[0])


def test_colors_are_told_apart_with_any_color_vision():
    from matplotlib.colors import to_rgb

    # Dichromats, by the matrices of Machado et al. (2009), severity 1, in linear light.
    seen = {
        "all": np.eye(3),
        "no red": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
        "no green": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    }
    colors = np.array([to_rgb(color) for color in COLORS])
    linear = np.where(colors <= 0.04045, colors / 12.92, ((colors + 0.055) / 1.055) ** 2.4)
    for kind, matrix in seen.items():
        turned = np.clip(linear @ np.transpose(matrix), 0.0, 1.0) ** (1.0 / 2.4)
        apart = np.linalg.norm(turned[:, None] - turned[None], axis=2)
        # 0.1 of the cube's edge is several times what one notices between two lines
        assert np.min(apart + np.eye(len(COLORS))) > 0.1, kind


def test_title_tells_of_a_broken_run():
    figure = plot(make_result(status="interrupted"), "stretch")
    assert figure.get_suptitle() == "upper_limb (interrupted at t = 8 s)"


def test_unknown_name_lists_the_known():
    with pytest.raises(ModelError, match="'colour' .* has: stretch, stretch_over_time"):
        plot(ARM, "colour")
    with pytest.raises(ModelError, match="'coordinates' .* has: stretch,"):
        plot(make_hanging_fiber(), ["coordinates"])
    with pytest.raises(ModelError, match="no plot was named"):
        plot(ARM, [])
    with pytest.raises(ModelError, match="from 0 s to 8 s"):
        plot(ARM, "stretch", times=[1.0, 9.0])
    with pytest.raises(ModelError, match="5 times; must be 1 to 4"):
        plot(ARM, "stretch", times=[1.0, 2.0, 3.0, 4.0, 5.0])


def test_fields_are_called_alike_in_plots_and_views():
    assert set(FIELDS) - {"tissue"} <= set(plot_names(ARM))
    for ending in ("", "_over_time", "_map"):
        names = f"contact{ending}", f"contact_force_density{ending}"
        assert names[1] in PANELS and names[0] not in PANELS
        assert len({tuple(titles(plot(ARM, name))) for name in names}) == 1
    for name in ("contact", "contact_force_density"):
        assert Stage(ARM, name).color_by == "contact_force_density"
    assert page_text(ARM, color_by="contact") == page_text(ARM, color_by="contact_force_density")
    with pytest.raises(ModelError, match="'contacts' .* there are: .*contact_force_density"):
        Stage(ARM, "contacts")


def test_several_names_make_one_figure():
    assert titles(plot(ARM, ["speeds", "activation"])) == ["Joint speeds", "Activation"]


def test_listing_names_draws_nothing():
    code = (
        "import sys\nfrom fibermsk.cli.main import main\n"
        "sys.argv[1:] = ['plot', '--list']\n"
        "try:\n    main()\nfinally:\n    print('heavy:', {'pyvista', 'numba'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "stretch_map" in done.stdout and "heavy: set()" in done.stdout

"""Plots of a result by its own method."""

from dataclasses import replace

import numpy as np
import pytest
from make_result import make_reporting_arm, make_result
from matplotlib.figure import Figure

import fibermsk as fm

ARM = make_result()


def titles(figure):
    return [axes.get_title(loc="left") for axes in figure.axes if axes.get_title(loc="left")]


def test_a_field_of_one_fiber_is_shown_over_time_and_along_it():
    figure = ARM.plot("stretch", fiber="biceps_1")
    assert isinstance(figure, Figure)
    over, along, by_color = figure.axes[:3]
    assert titles(figure)[0].startswith("Stretch: mean along the fiber")
    assert (over.get_xlabel(), over.get_ylabel()) == ("time [s]", "stretch [-]")
    assert along.get_xlabel() == "position along the fiber, θ [-]"
    assert (by_color.get_xlabel(), by_color.get_ylabel()) == (
        "time [s]",
        "position along the fiber, θ [-]",
    )
    (line,) = over.lines
    assert line.get_xdata()[-1] == ARM.time[-1]
    mean = ARM.fibers["biceps_1"].stretch[-1]
    assert mean.min() < line.get_ydata()[-1] < mean.max()


def test_of_several_fibers_there_is_no_map():
    assert len(titles(ARM.plot("stretch", fiber="biceps*"))) == 2
    assert len(titles(ARM.plot("contact", fiber=["biceps_1", "triceps_1"]))) == 2
    assert len(titles(ARM.plot(["stretch", "activation"], fiber="biceps_1"))) == 4


def test_a_coordinate_and_fields_of_elements_are_found_by_their_names():
    (axes,) = ARM.plot("elbow_flexion").axes
    assert axes.get_ylabel() == "angle [°]" and len(axes.lines) == 1
    assert axes.lines[0].get_ydata().max() == pytest.approx(60.0)
    arm = make_reporting_arm(9)
    owner, own = next(iter(arm.elements.items()))
    (axes,) = arm.plot(f"{owner}.{next(iter(own))}").axes
    assert axes.get_xlabel() == "time [s]"


def line_arm():
    """An arm with line muscles, two of which have the same fields."""
    arm = make_reporting_arm(9)
    (muscle,) = arm.muscles.values()
    other = replace(muscle, arrays=muscle.arrays | {"tendon_force": 2.0 * muscle["tendon_force"]})
    return replace(arm, muscles={"one": muscle, "two": muscle, "three": other})


def test_line_muscles_are_chosen_as_fibers_are():
    arm = line_arm()
    (axes,) = arm.plot("tendon_force").axes
    assert axes.get_title(loc="left") == "Tendon force of line muscles"
    assert axes.get_ylabel() == "tendon force [N]"
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["one, two", "three"]  # equal curves are one
    (axes,) = arm.plot("tendon_force", fiber="three").axes
    assert [line.get_label() for line in axes.lines] == ["three"]
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), arm.muscles["three"]["tendon_force"])
    assert titles(arm.plot("activation", fiber="three")) == ["Activation of line muscles"]
    assert titles(arm.plot("length", fiber=["biceps_1", "two"])) == [
        "Length of the fibers",
        "Length of line muscles",
    ]
    for axes in arm.plot("muscles", fiber="t*").axes:
        assert {line.get_label() for line in axes.lines} == {"two", "three"}
    (axes,) = arm.plot("tendon_force", fiber=(name for name in ["three"])).axes
    assert [line.get_label() for line in axes.lines] == ["three"]
    with pytest.raises(fm.ModelError, match="no plot 'stretch.*; a line muscle has no fields al"):
        arm.plot("stretch", fiber="one")
    with pytest.raises(fm.ModelError, match="no fiber or line muscle matches 'four'"):
        arm.plot("length", fiber="four")


@pytest.mark.parametrize(
    "what, options, words",
    [
        ("strech", {}, "no plot 'strech' .*stretch_over_time.*; did you mean .*'stretch'"),
        ("elbow", {}, "the coordinates: elbow_flexion; did you mean 'elbow_flexion'"),
        ("stretch", {"fiber": "bicep_1"}, "no fiber matches 'bicep_1'.*; did you mean 'biceps_1'"),
        ("stretch", {"times": 99.0}, "the run goes from 0 s to 8 s"),
    ],
)
def test_errors_name_what_exists(what, options, words):
    with pytest.raises(fm.ModelError, match=words):
        ARM.plot(what, **options)


def test_a_notebook_shows_the_figure_also_without_pyplot():
    assert ARM.plot("activation")._repr_png_().startswith(b"\x89PNG")
    assert fm.view.plot(ARM, "stretch")._repr_png_().startswith(b"\x89PNG")
    assert ARM.plot()._repr_png_().startswith(b"\x89PNG")

"""Measures of a run by name."""

import numpy as np
import pytest
from make_result import make_reporting_arm, make_result

from fibermsk.errors import ModelError
from fibermsk.results.curves import mean_along
from fibermsk.results.measures import default_measures, measures_of

ARM = make_result()


def measure(name, result=ARM):
    (found,) = measures_of(result, name)
    return found


def test_coordinates_and_rates_are_shown_in_degrees():
    angle, rate = measures_of(ARM, ["elbow_flexion", "elbow_flexion.speed"])
    unit, values = angle.shown
    assert (angle.unit, unit) == ("rad", "°")
    np.testing.assert_array_equal(values, np.degrees(ARM.coordinates["elbow_flexion"]))
    assert rate.shown[0] == "°/s" and np.array_equal(rate.values, ARM.speeds["elbow_flexion"])


def test_fields_of_a_fiber_are_means_along_it_and_sizes_of_forces():
    fiber = ARM.fibers["triceps_2"]
    assert np.array_equal(measure("triceps_2.length").values, fiber.length)
    assert np.array_equal(measure("triceps_2.activation").values, fiber.activation)
    np.testing.assert_array_equal(
        measure("triceps_2.stretch").values, mean_along(fiber, fiber.stretch)
    )
    pull = measure("triceps_2.force_insertion")
    np.testing.assert_allclose(pull.values, np.linalg.norm(fiber.force_insertion, axis=1))
    assert pull.unit == "N"
    component = measure("triceps_2.force_insertion_z").values
    np.testing.assert_array_equal(component, fiber.force_insertion[:, 2])
    size = np.linalg.norm(fiber.contact_line_force, axis=2)
    np.testing.assert_allclose(
        measure("triceps_2.contact_line_force").values, mean_along(fiber, size)
    )


def test_forces_of_a_bundle_are_added_and_other_fields_averaged():
    pair = [ARM.fibers[f"biceps_{k}"] for k in (1, 2)]
    total = np.linalg.norm(pair[0].force_origin + pair[1].force_origin, axis=1)
    np.testing.assert_allclose(measure("biceps.force_origin").values, total)
    means = [mean_along(one, one.axial_force) for one in pair]
    np.testing.assert_allclose(measure("biceps.axial_force").values, sum(means))
    np.testing.assert_allclose(
        measure("biceps.length").values, (pair[0].length + pair[1].length) / 2
    )


def test_reports_of_elements_muscles_and_states():
    arm = make_reporting_arm()
    for owners in (arm.elements, arm.muscles, arm.states):
        owner, own = next(iter(owners.items()))
        for field in own.fields:
            for part, values in own.components(field).items():
                found = measure(f"{owner}.{field}{part and '_'}{part}", arm)
                np.testing.assert_array_equal(found.values, values)
                assert found.unit == own.fields[field].unit and owner in found.words


def test_values_of_the_user_have_their_unit_in_the_label():
    (own,) = measures_of(ARM, {"height of the hand [mm]": np.arange(ARM.time.size)})
    assert (own.words, own.shown[0]) == ("height of the hand", "mm")
    with pytest.raises(ModelError, match=r"height .* shape \(33,\), not \(3,\)"):
        measures_of(ARM, {"height": [1.0, 2.0, 3.0]})


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("elbow", "did you mean 'elbow_flexion'"),
        ("biceps_1.lenght", "did you mean 'biceps_1.length'"),
        ("biceps_1.position", "no measure 'biceps_1.position'"),
        ("biceps_1.stretch_x", "no measure"),
        ("nobody.length", "fibers: biceps_1, biceps_2"),
        (["elbow_flexion"] * 5, "5 measures; at most 4"),
        ([3], "a name, or several"),
    ],
)
def test_what_there_is_not(asked, words):
    with pytest.raises(ModelError, match=words):
        measures_of(ARM, asked)


def test_by_default_what_moves():
    assert default_measures(ARM) == ("elbow_flexion",)
    still = make_result(coordinates={"elbow_flexion": np.zeros(33)})
    assert default_measures(still) == tuple(f"{name}.length" for name in list(ARM.fibers)[:3])
    assert len(measures_of(still, default_measures(still))) == 3

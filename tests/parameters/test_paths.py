"""Numbers of a model by path: what they are, patterns, values of new models, refusals."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from parameter_models import limb, with_functions, with_paths

import fibermsk as fm


def test_value_unit_range_and_description_of_a_number():
    found = fm.Parameters(limb())["inner/tissue/muscle/shear_modulus"]
    assert (found.value, found.unit, found.range, found.bounds, found.shape) == (
        2e4, "N/m^2", "(0, inf)", (0.0, np.inf), (),
    )  # fmt: skip
    assert found.description == "Shear modulus mu of the elastic part [N/m^2]; positive."
    parameters = fm.Parameters(limb())
    assert parameters["elbow/damping"].unit == "N m s/rad"
    assert parameters["inner/tissue/active/exponent"].range == "(1, 100]"
    assert parameters["inner/activation/knots/1"].range == "[0, 1]"
    assert parameters["outer/activation/start"].unit == "s"


def test_every_number_is_listed_once_with_what_it_is():
    for model in (limb(), with_functions(), with_paths()):
        parameters = fm.Parameters(model)
        assert len(set(parameters)) == len(parameters) == len(list(parameters.values()))
        assert all(one.description for one in parameters.values())
        assert all(np.all(np.isfinite(one.value)) for one in parameters.values())


def test_paths_of_all_kinds_of_items():
    parameters = fm.Parameters(limb())
    for path in (
        "model/gravity/z", "lower/inertia/xy", "lower/shapes/0/end/z", "elbow/at/x",
        "inner/attach/insertion/y", "outer/radius/1", "contacts/muscles/limit",
        "contacts/1/stiffness", "cord/second/z", "load/force/z", "drive/kp", "drive/target/y/1",
    ):  # fmt: skip
        assert path in parameters, path
    parameters = fm.Parameters(with_functions())
    for path in (
        "k/forces/1/upper",
        "elbow/axes/2/terms/k/y/3",
        "couplings/l/function/coefficients/2",
    ):
        assert path in parameters, path
    parameters = fm.Parameters(with_paths())
    for path in ("over/path/1/z", "wraps/roll/radius", "over_line/points/1/z"):
        assert path in parameters, path


def test_arrays_and_other_names_of_their_entries():
    parameters = fm.Parameters(limb())
    assert_array_equal(parameters["lower/com"].value, (0, 0, -0.1))
    assert parameters["lower/com/2"] == parameters["lower/com/z"]
    assert parameters["inner/attach/0/0"] == parameters["inner/attach/origin/x"]
    assert parameters["bodies/lower/mass"].value == parameters["lower/mass"].value
    assert "lower/com" not in parameters and "lower/com/x" in parameters


def test_patterns_stay_within_a_name():
    parameters = fm.Parameters(limb())
    assert list(parameters.match("*/tissue/prestress")) == [
        "outer/tissue/prestress", "inner/tissue/prestress",
    ]  # fmt: skip
    assert parameters.match("inner/activation/knots").array.shape == (1, 3)
    assert_array_equal(parameters.match("*ner/activation/knots/?").array, (0.0, 0.1, 0.05))
    whole = list(parameters.match("inner/tissue/*"))
    assert "inner/tissue/density" in whole and "inner/tissue/muscle/viscosity" in whole
    with pytest.raises(fm.ModelError, match="shapes .*; must have one shape"):
        parameters.match("lower/*").array  # noqa: B018


def test_new_values_leave_the_model_as_it_is():
    model = limb()
    before = dict(fm.Parameters(model))
    values = {
        "*/tissue/prestress": [1e4, 2e4],
        "*/attach/origin": [(0.05, 0, -0.02), (0.05, 0.012, -0.02)],
        "*/tissue/muscle/viscosity": 4e3,
        "lower/inertia/xy": 1e-3,
        "outer/activation": 0.25,
        "inner/activation": fm.Ramp(0.0, 1.0, 0.5),
    }
    other = fm.with_parameters(model, values)
    found = fm.Parameters(other)
    assert_array_equal(found.match("*/tissue/prestress").array, (1e4, 2e4))
    assert_array_equal(found.match("*/tissue/*/viscosity").array, 4e3)
    assert found["inner/attach/origin/y"].value == 0.012
    assert other.fibers[0].activation_at(3.0) == 0.25 == other.fibers[1].activation_at(0.5)
    assert_array_equal(other.bodies[2].inertia, [[0.02, 1e-3, 0], [1e-3, 0.02, 0], [0, 0, 0.01]])
    assert all(
        np.array_equal(one.value, before[p].value) for p, one in fm.Parameters(model).items()
    )


def test_new_items_refer_to_new_items():
    model = limb()
    other = fm.with_parameters(model, {"lower/mass": 3.0, "inner/radius": 5e-3})
    lower = other.bodies[2]
    assert lower is not model.bodies[2] and other.bodies[1] is model.bodies[1]
    assert other.joints[1].child is lower and other.joint_of(lower) is other.joints[1]
    assert all(fiber.attach[1].body is lower for fiber in other.fibers)
    assert other.contacts[0].first == other.fibers and other.contacts[1].second[1] is lower
    assert other.elements[0].second.body is lower and other.elements[1].body is lower
    assert other.elements[2] is model.elements[2] and other.joints[0] is model.joints[0]


def test_a_tendon_that_is_left_out_follows_the_muscle():
    other = fm.with_parameters(limb(), {"inner/tissue/muscle/viscosity": 1.0})
    assert other.fibers[1].tissue.tendon.viscosity == 1.0
    with pytest.raises(fm.ModelError, match="tissue/tendon/viscosity' is the same object as 'musc"):
        fm.with_parameters(limb(), {"inner/tissue/tendon/viscosity": 1.0})


@dataclass(frozen=True)
class Wave:
    """A signal of a user's own.

    Parameters
    ----------
    level : float
        Its mean.
    """

    level: float
    count: int = 2

    def __call__(self, t):
        """Activation at a time."""
        return self.level * (1.0 + 0.5 * np.sin(self.count * t))


def test_numbers_of_a_function_that_is_a_dataclass():
    model = fm.with_parameters(limb(), {"inner/activation": Wave(0.2)})
    found = fm.Parameters(model)["inner/activation/level"]
    assert (found.value, found.unit, found.description) == (0.2, "", "Its mean.")
    other = fm.with_parameters(model, {"inner/activation/level": 0.3})
    assert other.fibers[1].activation == Wave(0.3)
    with pytest.raises(fm.ModelError, match="'inner/activation/count' is a count"):
        fm.with_parameters(model, {"inner/activation/count": 3})


def test_items_of_one_name_are_told_apart_by_their_kind():
    model = limb()
    model.add(fm.ExternalForce("elbow", model.bodies[1], at=(0.1, 0, 0)))
    parameters = fm.Parameters(model)
    assert parameters["elbow/damping"].value == 0.2
    assert parameters["joints/elbow/at/x"].value == 0.0
    assert parameters["elements/elbow/at/x"].value == 0.1
    assert "elbow/at/x" not in parameters and "joints/elbow/at/x" in parameters
    with pytest.raises(fm.ModelError, match="use one of: joints/elbow/at/x, elements/elbow/at/x"):
        parameters["elbow/at/x"]


@pytest.mark.parametrize(
    "values, words",
    [
        (
            {"inner/tisue/density": 1.0},
            "no parameter 'inner/tisue/density'; did you mean 'inner/ti",
        ),
        ({"elbow/stiffness": 1.0}, "no parameter 'elbow/stiffness'; did you mean .*'elbow/axis'"),
        ({"wrist/damping": 1.0}, "did you mean|paths begin with: .*elbow, "),
        ({"lower/mass": -1.0}, r"lower/mass = -1.0 kg; must be positive and finite"),
        ({"lower/mass": "heavy"}, "lower/mass = 'heavy'; must be a number"),
        (
            {"inner/activation/knots/1": 1.5},
            r"inner/activation/knots/1 = 1.5; must lie in \[0, 1\]",
        ),
        ({"inner/activation/knots": (0.1, 2.0, 0)}, "knots/1 = 2.0; must lie in"),
        (
            {"lower/com": (1.0, 2.0)},
            r"lower/com has the shape \(2,\); must be a number or .* \(3,\)",
        ),
        (
            {"*/tissue/density": (1, 2, 3)},
            r"\(3,\); must be a number or have the shape \(\) or \(2,",
        ),
        ({"inner/n_elements": 3}, "'inner/n_elements' is a count"),
        ({"inner/nodes": 3}, "'inner/nodes' they determine the unknowns|determine the unknowns"),
        ({"contacts/1/refine": False}, "'contacts/1/refine' is a flag"),
        ({"inner/muscle_fraction/0": 0.1}, "no parameter 'inner/muscle_fraction/0'"),
        ({"inner/tissue": 1.0}, "'inner/tissue' is not a number; below it: density, muscle/sh"),
        ({"elbow/axis/x": 1.0}, "no parameter 'elbow/axis/x'; did you mean"),
        ({"contacts": 1.0}, r"a group of items, all of which are 'contacts/\*'"),
        ({"outer/activation/end": -1.0}, "outer/activation/end: Ramp: end = -1.0 s; must be later"),
        ({"lower/mass": 1.0, "low*/mass": 2.0}, "lower/mass is given twice"),
        ({"lower/com": 1.0, "lower/com/x": 2.0}, "lower/com/x is given twice, as 'lower/com' as"),
        ({"lower/mass": np.sin}, "must be a number"),
        ({7: 1.0}, "parameter 7: must be a text"),
        ([1.0], "must be a mapping from paths to values"),
    ],
)
def test_refusals(values, words):
    with pytest.raises(fm.ModelError, match=words):
        fm.with_parameters(limb(), values)


def test_points_of_a_muscle_with_mass_are_parameters():
    muscle = fm.make_scene("double_pendulum", muscle="III").model
    found = fm.Parameters(muscle).match("muscle/points/*/x")
    assert list(found) == ["muscle/points/0/x", "muscle/points/1/x"]
    moved = fm.with_parameters(muscle, {"muscle/points/0/x": 0.12})
    assert fm.Parameters(moved)["muscle/points/0/x"].value == 0.12


def test_a_coordinate_of_the_name_of_its_joint_is_found():
    model = fm.Model("m")
    bone = model.add(fm.Body("bone", 1.0, inertia=(1e-3,) * 3))
    own = fm.Coordinate("hinge", "rotation", 0.3)
    model.add(fm.Hinge("hinge", model.ground, bone, (0, 0, 0), (0, 0, 1), coordinate=own))
    changed = fm.with_parameters(model, {"hinge/value": 0.5})
    assert fm.Parameters(changed)["hinge/value"].value == 0.5
    assert fm.Parameters(changed).match("hinge/value")["hinge/value"].value == 0.5


def test_an_unknown_path_is_a_key_that_is_missing():
    parameters = fm.Parameters(limb())
    assert parameters.get("lower/weight") is None
    with pytest.raises(KeyError):
        parameters["lower/weight"]
    with pytest.raises(fm.ModelError, match="is a function without known parameters"):
        parameters["inner/muscle_fraction"]


def test_contacts_of_a_model_have_different_names():
    model = limb()
    one = fm.Contact(model.fibers[0], model.bodies[2], fm.PenaltyContact(1.0, 3.0), name="muscles")
    with pytest.raises(fm.ModelError, match="contact: name = 'muscles'; must be unique"):
        model.add(one)

"""Numbers in other units are named when the model is built, once, with the likely mistake."""

import os
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from scenes_of_tests import FROM_FILES

import fibermsk as fm
from fibermsk._plausible import RULES, Quantity
from fibermsk.errors import ModelWarning
from fibermsk.model.plausible import implausible
from fibermsk.scene_files import find, list_files

INERTIA = (0.02, 0.002, 0.021)


def tissue(**fields):
    given = {"density": 1060.0, "muscle": fm.KelvinVoigt(2e4, 1e3), "prestress": 1e4}
    return fm.Tissue(**given | fields)


def model_of(
    body=None, hinge=None, fiber=None, gravity=(0, 0, -9.81), tissue_=None, law=None, more=None
):
    """A forearm on a hinge with two fibers that touch, some of whose numbers are replaced."""
    model = fm.Model("arm", gravity=gravity)
    shape = fm.Capsule((0, 0, 0), (0, 0, -0.28), 0.03)
    body = {"mass": 1.5, "com": (0, 0, -0.14), "inertia": INERTIA, "shapes": shape} | (body or {})
    forearm = model.add(fm.Body("forearm", **body))
    joint = {"at": (0, 0, 0), "axis": (0, 1, 0)} | (hinge or {})
    model.add(fm.Hinge("elbow", model.ground, forearm, **joint))
    made = []
    for k in range(2):
        start = np.array([1.0, 0.01 * k, 0.0])
        given = {
            "attach": (model.ground.at(start), model.ground.at(start + (0.2, 0, 0))),
            "radius": 4e-3, "n_elements": 12, "tissue": tissue_ or tissue(),
        } | (fiber or {})  # fmt: skip
        made.append(model.add(fm.Fiber(f"f_{k + 1}", **given)))
    model.add(fm.Contact(made[0], made[1], law or fm.PenaltyContact(768.0, 3.0)))
    if more is not None:
        model.add(*more(model, forearm))
    return model


def told(model):
    """What `build` warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fm.build(model)
    return [w.message for w in caught]


def coordinate(**fields):
    return {"coordinate": fm.Coordinate("elbow_flexion", **fields)}


def fiber_between(length, **fields):
    def path(s):
        return np.outer(s, (length, 0, 0)) + (1.0, 0, 0)

    return lambda model, _: [
        fm.Fiber("long", path, **{"radius": 4e-3, "n_elements": 4, "tissue": tissue()} | fields)
    ]


def muscle(**fields):
    def more(model, forearm):
        points = fm.PathPoint("a", model.ground.at(0, 0, 0)), fm.PathPoint("b", forearm.at(0, 0, 0))
        given = {
            "max_isometric_force": 500.0,
            "optimal_fiber_length": 0.1,
            "tendon_slack_length": 0.1,
        }
        return [fm.LineMuscle("line", points, **given | fields)]

    return more


def _turned_by(function):
    def more(model):
        wheel = fm.Body("wheel", 1.0, (0, 0, 0), (0.01, 0.01, 0.01))
        own = fm.Coordinate("q", value=0.1)
        axes = [
            fm.Axis("rotation", (0, 0, 1), (("q", function),)),
            fm.Axis("translation", (1, 0, 0), "q"),
        ]
        return [wheel, fm.FunctionalJoint("turn", model.ground, wheel, own, axes)]

    return more


ACTIVE = fm.ActiveStress
MISTAKES = {
    "angle in degrees": ({"hinge": {"value": 90.0}}, "'elbow'.* = 90 rad.*6.3 rad.*degrees"),
    "range in degrees": (
        {"hinge": coordinate(lower=-10.0, upper=140.0)},
        "coordinate 'elbow_flexion': lower = -10 rad.*degrees",
    ),
    "limit in degrees": (
        {"hinge": coordinate(forces=fm.QuadraticLimit(0.0, 130.0))},
        "upper of its QuadraticLimit = 130 rad.*degrees",
    ),
    "motion in degrees": (
        {"hinge": coordinate(prescribed=fm.NaturalSpline((0, 1, 2), (0, 90, 0)))},
        "prescribed value = 90 rad.*degrees",
    ),
    "motion in degrees a second": (
        {"hinge": coordinate(prescribed=fm.Linear(360.0, 0.0))},
        "prescribed speed at t = 0 = 360 rad/s.*degrees",
    ),
    "joint's function in degrees": (
        {"more": lambda model, _: _turned_by(fm.SimmSpline((0, 1, 2), (0, 40, 80)))(model)},
        "joint 'turn': axes.0. as a function of 'q' = 40 rad.*degrees",
    ),
    "speed in degrees": ({"hinge": {"speed": 360.0}}, "speed = 360 rad/s.*degrees/s"),
    "joint in mm": ({"hinge": {"at": (0, 0, -290.0)}}, "joint 'elbow': at .* = 290 m.*in mm"),
    "fiber in mm": ({"more": fiber_between(300.0)}, "'long': length = 300 m.*at most 5 m.*in mm"),
    "fiber thicker than long": (
        {"more": fiber_between(0.05, radius=0.06)},
        "'long': length over its diameter = 0.41.*at least 1.*radius",
    ),
    "radius in mm": ({"more": fiber_between(0.5, radius=2.0)}, "'long': radius = 2 m.*in mm"),
    "gravity in mm": ({"gravity": (0, 0, -9810.0)}, "model 'arm': gravity = 9810 m.*mm/s"),
    "mass of 0.01 g": ({"body": {"mass": 1e-5, "inertia": 1e-7 * np.ones(3)}}, "mass = 1e-05 kg"),
    "mass of 10 t": (
        {"body": {"mass": 1e4, "inertia": 1e2 * np.ones(3)}},
        "body 'forearm': mass = 10000 kg.*at most 1000 kg.*in g",
    ),
    "inertia in kg cm^2": (
        {"body": {"inertia": 1e4 * np.array(INERTIA)}},
        r"gyration sqrt\(inertia / mass\) = 11.8.*kg cm\^2",
    ),
    "inertia too small": (
        {"body": {"inertia": 1e-5 * np.array(INERTIA)}},
        "over its size = 0.00110.*inertia in another unit",
    ),
    "center in mm": ({"body": {"com": (0, 0, -140.0)}}, r"com \(dist.* = 140 m.*in mm"),
    "density in g/cm^3": (
        {"tissue_": tissue(density=1.06)},
        r"'f_1': tissue: density = 1.06 kg/m\^3; plausible: at least 200.*g/cm\^3.*'f_2'",
    ),
    "active stress": ({"tissue_": tissue(active=ACTIVE(3e7))}, "max_stress = 3e[+]07.*at most 1e"),
    "active stress in kPa": (
        {"tissue_": tissue(active=ACTIVE(300.0))},
        r"max_stress = 300 N/m\^2.*N/cm\^2",
    ),
    "prestress": ({"tissue_": tissue(prestress=2e7)}, "prestress = 2e[+]07"),
    "muscle stiff as tendon": (
        {"tissue_": tissue(muscle=fm.KelvinVoigt(4e8, 1e3), active=ACTIVE(3e5))},
        "muscle.shear_modulus = 4e[+]08.*is it that of the tendon",
    ),
    "viscosity of a fiber that is muscle only": (
        {"tissue_": tissue(muscle=fm.KelvinVoigt(2e4, 1e12))},
        r"[.]viscosity = 1e[+]12",
    ),
    "stiffer than steel": (
        {"tissue_": tissue(muscle=fm.KelvinVoigt(1e12, 1e3))},
        "muscle.shear_modulus = 1e[+]12",
    ),
    "modulus in kPa": (
        {"tissue_": tissue(muscle=fm.KelvinVoigt(20.0, 1e3))},
        "muscle.shear_modulus = 20 N/m.*kPa",
    ),
    "stretch in percent": (
        {"tissue_": tissue(active=ACTIVE(3e5, 130.0))},
        "optimal_stretch = 130.*percent",
    ),
    "contact in another unit": (
        {"law": fm.PenaltyContact(0.768, 3.0)},
        "stiffness of the law of 'f_1' = 0.768 N/m.*N/mm",
    ),
    "times in ms": (
        {"fiber": {"activation": fm.Ramp(100.0, 1400.0, 0.5)}},
        "'f_1': time of its activation = 1400 s.*in ms.*'f_2'",
    ),
    "load in N": ({"fiber": {"line_load": (0, 0, 1e6)}}, "line_load = 1e[+]06 N/m"),
    "muscle in mm": ({"more": muscle(optimal_fiber_length=86.0)}, "optimal_fiber_length = 86 m"),
}


def test_a_plausible_model_is_built_in_silence():
    assert told(model_of()) == []


@pytest.mark.parametrize("case", MISTAKES)
def test_a_likely_mistake_is_named_once(case):
    changes, text = MISTAKES[case]
    found = [w for w in told(model_of(**changes)) if w.kind == "plausibility"]
    matching = [w for w in found if re.search(text, str(w))]
    assert len(matching) == 1, [str(w) for w in found]
    assert isinstance(matching[0], ModelWarning)


def test_many_fibers_with_one_mistake_make_one_warning():
    model = fm.Model("bundle")
    for k in range(9):
        ends = model.ground.at(0, 0.1 * k, 0), model.ground.at(0.1, 0.1 * k, 0)
        wrong = tissue(density=1.06)
        model.add(fm.Fiber(f"f_{k}", attach=ends, radius=2e-3, n_elements=2, tissue=wrong))
    (warning,) = told(model)
    assert "'f_0'" in str(warning) and "and 4 more" in str(warning) and warning.fiber == "f_0"


def test_what_is_meant_is_not_named():
    def model(**options):
        made = fm.Model("m", **options)
        ends = made.ground.at(0, 0, 0), made.ground.at(0.1, 0, 0)
        strong = tissue(active=ACTIVE(3e7))
        made.add(fm.Fiber("f", attach=ends, radius=2e-3, n_elements=2, tissue=strong))
        return made

    assert len(told(model())) == 1
    assert told(model(meant=["muscle stress"])) == []
    assert told(model(meant=["muscle stress"]).copy()) == []
    assert told(fm.with_activations(model(meant=["muscle stress"]), {"f": 0.5})) == []
    with pytest.raises(fm.ModelError, match=r"meant\[0\] = 'stress'; must be one of 'place'"):
        model(meant=["stress"])


def test_an_activation_in_percent_is_an_error():
    with pytest.raises(fm.ModelError, match=r"activation = 60; must lie in \[0, 1\]; in percent"):
        model_of(fiber={"activation": 60})
    with pytest.raises(fm.ModelError, match=r"at t = 0 s = 60.0; must lie in .*; in percent"):
        model_of(fiber={"activation": lambda t: 60.0})
    with pytest.raises(fm.ModelError, match=r"values\[1\] = 35.0; must lie in .*; in percent"):
        fm.Table([0.0, 1.0], [0.0, 35.0])


def test_line_muscles_without_fibers_are_named():
    found = told(model_of(more=muscle()))
    assert [w.kind for w in found] == ["line_muscles"]
    assert "1 line muscles exert no force" in str(found[0]) and "'line'" in str(found[0])

    def with_fibers(model, forearm):
        ends = model.ground.at(2, 0, 0), model.ground.at(2.2, 0, 0)
        own = fm.Fiber("line_1", attach=ends, radius=4e-3, n_elements=4, tissue=tissue())
        return [*muscle()(model, forearm), own]

    assert told(model_of(more=with_fibers)) == []


def test_times_of_a_run_in_ms():
    system = fm.build(model_of())
    with pytest.warns(ModelWarning, match="simulate: dt = 1 s; plausible: at most 0.5 s; in ms"):
        fm.simulate(system, t_end=2.0, dt=1.0, method=fm.BDF2(), throw=False)


def test_a_rule_holds_at_its_ends_and_zero_is_plausible():
    for quantity, rule in RULES.items():
        assert rule.least <= rule.most and rule.negligible <= rule.least
        for value in (0.0, rule.least, -rule.most, rule.negligible):
            assert Quantity("x", "y", quantity, value).is_plausible
        large, small = (
            Quantity("x", "y", quantity, size) for size in (1.01 * rule.most, 0.99 * rule.least)
        )
        if np.isfinite(rule.most):
            assert not large.is_plausible and rule.above in str(large) and rule.above
        if rule.least > 0.0:
            assert not small.is_plausible and rule.below in str(small) and rule.below


def scenes():
    for path in list_files("scenes"):
        slow = [pytest.mark.slow] if path.stem == "arm26_fibers" else []
        yield pytest.param(path, id=path.stem, marks=slow)


def test_the_page_has_the_table():
    page = (Path(__file__).parents[2] / "docs" / "plausibility.md").read_text()
    rows = re.findall(r"^\| `(.+?)` \| (\S+) \| (\S+) \| (.*?) \|", page, re.MULTILINE)
    table = [(q, f"{r.least:g}", f"{r.most:g}", r.unit or "1") for q, r in RULES.items()]
    assert rows == table


@pytest.mark.parametrize("path", list(scenes()))
def test_the_scenes_are_plausible(path, monkeypatch, request):
    if path.stem in FROM_FILES:
        monkeypatch.setenv("FIBERMSK_MODELS", str(request.getfixturevalue("shared_models")))
    model = find(path.stem).make({}).model
    cables = fm.build(model).cables
    lengths = dict(zip(cables.names, cables.length, strict=True))
    assert implausible(model, lengths) == []


JUSTIFIED = {
    # its own file has limits of 190 in rad, which never act
    "MoBL_ARMS_model_for_testing_opensim.osim": {"coordinate 'deviation'", "coordinate 'flexion'"},
    # the range of a coupled coordinate ends at 10 rad
    "leg6dof9musc.osim": {"coordinate 'knee_angle_pat_r'"},
}


def test_published_models_are_plausible(shared_models):
    read = 0
    for path in sorted(Path(os.fspath(shared_models)).rglob("*.osim")):
        try:
            model = fm.read_osim(path)
        except fm.ModelError:
            continue
        read += 1
        assert {f.owner for f in implausible(model, {})} == JUSTIFIED.get(path.name, set())
    assert read >= 10

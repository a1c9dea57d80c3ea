"""Items of a model by name, and models with other items."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fibermsk as fm


def arm():
    """Two links with a wrapped muscle, a fiber and a spring."""
    model = fm.Model("arm", (0.0, -9.81, 0.0))
    upper, lower = (
        model.add(fm.Body(name, mass=mass, com=(0, -0.15, 0), inertia=(0.01, 0.002, 0.01)))
        for name, mass in (("r_humerus", 2.0), ("forearm", 1.0))
    )
    model.add(fm.Hinge("shoulder", model.ground, upper, at=(0, 0, 0), axis=(0, 0, 1)))
    model.add(fm.Hinge("elbow", upper, lower, at=(0, -0.3, 0), axis=(0, 0, 1)))
    wrap = fm.WrapCylinder("pulley", upper, (0, -0.3, 0), radius=0.02)
    numbers = {"optimal_fiber_length": 0.1, "tendon_slack_length": 0.1}
    for name in ("biceps", "brachialis"):
        points = [fm.PathPoint("o", upper.at(0.03, 0, 0)), fm.PathPoint("i", lower.at(0.03, 0, 0))]
        wraps = [fm.PathWrap(wrap)]
        model.add(fm.LineMuscle(name, points, wraps=wraps, max_isometric_force=300.0, **numbers))
    model.add(
        fm.PointSpring(
            "band", upper.at(0, 0, 0), lower.at(0, 0, 0), rest_length=0.3, stiffness=10.0
        )
    )
    return model


def test_items_are_found_by_name():
    model = arm()
    assert model.body("r_humerus").mass == 2.0
    assert model.body("ground") is model.ground
    assert model.joint("elbow").parent is model.body("r_humerus")
    assert model.coordinate("elbow") in model.joint("elbow").coordinates
    assert model.muscle("biceps").max_isometric_force == 300.0
    assert model.element("band") in model.elements


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        ("body", "r_humerous", "no body 'r_humerous'; did you mean 'r_humerus'?"),
        ("muscle", "BICEPS", "did you mean 'biceps'"),
        ("fiber", "x", "no fiber 'x'; the model has: none"),
        ("joint", "q", "the model has: shoulder, elbow"),
        ("contact", "q", "the model has: none"),
        ("coordinate", 3, "must be a name"),
    ],
)
def test_unknown_names_are_answered_with_known_ones(kind, name, message):
    with pytest.raises(fm.ModelError, match="model 'arm'") as error:
        getattr(arm(), kind)(name)
    assert message in str(error.value)


def test_edited_numbers_reach_the_dynamics():
    """The edited model moves like one that was described with the new numbers."""
    model = arm()
    edited = model.edit(
        {
            "forearm/mass": 3.0,
            model.joint("elbow"): {"at": (0, -0.4, 0)},
            model.muscle("biceps").wraps[0].shape: {"radius": 0.01},
            model.muscle("biceps"): {"max_isometric_force": 500.0},
        }
    )
    q = np.array([0.3, 0.7])
    skeleton = fm.skeleton(edited)
    # planar double pendulum with the joint at `length` and centers of mass at c
    m1, m2, length, c, i1, i2 = 2.0, 3.0, 0.4, 0.15, 0.01, 0.01
    corner = i2 + m2 * c**2
    cross = m2 * length * c * np.cos(q[1])
    M = [
        [i1 + m1 * c**2 + m2 * length**2 + corner + 2 * cross, corner + cross],
        [corner + cross, corner],
    ]
    assert_allclose(skeleton.mass_matrix(q), M, rtol=1e-13)
    assert edited.muscle("biceps").max_isometric_force == 500.0
    shapes = [edited.muscle(name).wraps[0].shape for name in ("biceps", "brachialis")]
    assert shapes[0] is shapes[1] and shapes[0].radius == 0.01  # references follow
    assert edited.element("band").bodies[1] is edited.body("forearm")
    assert shapes[0].body is edited.body("r_humerus")
    # the old model stays as it was
    assert model.body("forearm").mass == 1.0
    assert model.muscle("biceps").wraps[0].shape.radius == 0.02


def test_items_are_removed_added_and_renamed():
    model = arm()
    less = model.edit(remove=[model.muscle("biceps"), model.element("band")])
    assert [one.name for one in less.muscles] == ["brachialis"] and not less.elements
    forearm = less.body("forearm")
    only = less.edit(remove=[forearm, less.muscle("brachialis")])
    assert [one.name for one in only.joints] == ["shoulder"]
    assert [one.name for one in only.coordinates] == ["shoulder"]
    spring = fm.PointSpring(
        "new", model.ground.at(0, 0, 0), forearm.at(0, 0, 0), rest_length=0.1, stiffness=1.0
    )
    assert less.edit(add=[spring]).element("new") is spring
    renamed = model.edit(rename={model.body("forearm"): "ulna"})
    assert renamed.joint("elbow").child is renamed.body("ulna")
    fm.skeleton(renamed)


def test_coordinates_of_hinges_are_edited():
    """Twice, so that the second edit keeps the first."""
    model = arm()
    once = model.edit({model.coordinate("elbow"): {"value": 0.4, "upper": 2.0}})
    twice = once.edit({once.joint("elbow"): {"at": (0, -0.4, 0)}})
    elbow = twice.coordinate("elbow")
    assert (elbow.value, elbow.upper) == (0.4, 2.0)
    assert fm.skeleton(twice).start[1] == 0.4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: {"remove": [m.body("forearm")]}, "refers to it; remove it as well"),
        (lambda m: {"remove": [m.ground]}, "not the ground"),
        (lambda m: {"remove": [arm().body("forearm")]}, "be an item of model 'arm'"),
        (lambda m: {"values": {m.body("forearm"): {"masss": 1.0}}}, "did you mean 'mass'"),
        (lambda m: {"values": {m.body("forearm"): {"mass": -1.0}}}, "must be positive"),
        (lambda m: {"values": {3: {"mass": 1.0}}}, "edit: values = 3; must be an item of model"),
        (lambda m: {"values": 3}, "values = 3; must be a dict"),
        (lambda m: {"remove": None}, "remove = None; must be a list of items"),
        (lambda m: {"remove": "forearm"}, "remove = 'forearm'; must be a list of items"),
        (lambda m: {"rename": {"forearm": "ulna"}}, "rename = 'forearm'; must be an item of model"),
        (lambda m: {"values": {"forearm/mas": 1.0}}, "did you mean 'forearm/mass'"),
        (lambda m: {"values": {arm().body("forearm"): {"mass": 1.0}}}, "be an item of model"),
        (lambda m: {"rename": {m.body("forearm"): "r_humerus"}}, "is taken by a body"),
        (lambda m: {"rename": {m.coordinate("elbow"): "e"}}, "must not be renamed"),
        (lambda m: {"add": [m.body("forearm")]}, "already in the model"),
        (
            lambda m: {
                "remove": [m.muscle("biceps")],
                "values": {m.muscle("biceps"): {"max_isometric_force": 1.0}},
            },
            "must not be changed as well",
        ),
    ],
)
def test_impossible_edits_are_refused(change, message):
    model = arm()
    with pytest.raises(fm.ModelError) as error:
        model.edit(**change(model))
    assert message in str(error.value)
    assert len(model.bodies) == 3 and len(model.muscles) == 2

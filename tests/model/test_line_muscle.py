"""Line muscles, their points and wrap surfaces: what they accept, and what a model asks of them."""

import pytest

import fibermsk as fm

BONE = fm.Body("bone", mass=1.0, inertia=(1.0, 1.0, 1.0))
START = fm.PathPoint("start", BONE.at(0, 0, 0))
END = fm.PathPoint("end", BONE.at(0, 0, 1))
NUMBERS = {"max_isometric_force": 10.0, "optimal_fiber_length": 0.1, "tendon_slack_length": 0.2}


def muscle(points=(START, END), **changes):
    return fm.LineMuscle("m", points, **{**NUMBERS, **changes})


def test_fields_are_stored():
    parameters = {"a": 1.0}
    one = muscle(list((START, END)), parameters=parameters, kind="Thelen2003Muscle")
    parameters["a"] = 2.0
    assert one.points == (START, END) and one.wraps == ()
    assert one.parameters == {"a": 1.0}
    assert START.body is BONE


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: muscle((START,)), "points = 1; must be two or more"),
        (lambda: muscle((START, 3)), r"points\[1\] = 3; must be a path point"),
        (lambda: muscle(wraps=(3,)), r"wraps\[0\] = 3"),
        (lambda: muscle(max_isometric_force=0.0), "max_isometric_force = 0.0 N"),
        (lambda: muscle(optimal_fiber_length=-1.0), "optimal_fiber_length = -1.0 m"),
        (lambda: muscle(tendon_slack_length=-1.0), "tendon_slack_length = -1.0 m"),
        (lambda: muscle(pennation_angle=1.6), "pennation_angle = 1.6 rad; must be below pi / 2"),
        (lambda: muscle(max_contraction_velocity=0.0), "max_contraction_velocity = 0.0"),
        (lambda: fm.PathPoint("", START.station), "path point"),
        (lambda: fm.PathPoint("p", BONE), "station = body 'bone'; must be a Station"),
        (
            lambda: fm.ConditionalPathPoint("p", START.station, "q", 1.0, 0.0),
            "upper = 0.0 rad or m; must be at least lower = 1.0",
        ),
        (
            lambda: fm.MovingPathPoint("p", BONE, (fm.Linear(),) * 2, ("q",) * 3),
            "functions = .*; must be three",
        ),
        (
            lambda: fm.MovingPathPoint(
                "p", BONE, (fm.Linear(),) * 3, ("q",) * 3, ranges=((1.0, 0.0), None, None)
            ),
            r"ranges\[0\]",
        ),
        (lambda: fm.WrapSphere("w", BONE, radius=0.0), "radius = 0.0 m; must be positive"),
        (lambda: fm.WrapCylinder("w", BONE, length=-1.0), "length = -1.0 m"),
        (lambda: fm.WrapEllipsoid("w", BONE, radii=(1.0, 0.0, 1.0)), "radii"),
        (lambda: fm.WrapTorus("w", BONE, inner_radius=0.0), "inner_radius = 0.0 m"),
        (
            lambda: fm.WrapSphere("w", BONE, quadrant="+x"),
            "quadrant = '\\+x'; must be one of",
        ),
        (lambda: fm.WrapSphere("w", BONE, rotation=((1, 0, 0),) * 3), "rotation"),
        (lambda: fm.PathWrap(BONE), "shape = body 'bone'; must be a wrap surface"),
        (
            lambda: fm.PathWrap(fm.WrapSphere("w", BONE), 3, 2),
            "last = 2; must be first = 3 or more",
        ),
        (lambda: fm.PathWrap(fm.WrapSphere("w", BONE), method="any"), "method = 'any'"),
    ],
)
def test_refusals(make, words):
    with pytest.raises(fm.ModelError, match=words):
        make()


def test_a_model_takes_muscles_of_its_own_bodies_and_coordinates():
    model = fm.Model("m")
    model.add(BONE, fm.Hinge("hinge", model.ground, BONE, (0, 0, 0), (0, 0, 1)))
    one = model.add(muscle())
    assert model.muscles == (one,)
    assert model.copy().muscles == (one,)
    with pytest.raises(fm.ModelError, match="is already in the model"):
        model.add(one)
    with pytest.raises(fm.ModelError, match="name 'm' of the new linemuscle is taken"):
        model.add(muscle())
    other = fm.Body("other")
    strange = fm.PathPoint("strange", other.at(0, 0, 0))
    with pytest.raises(fm.ModelError, match="unknown body 'other'"):
        model.add(fm.LineMuscle("n", (START, strange), **NUMBERS))
    wrap = fm.PathWrap(fm.WrapSphere("w", other, radius=0.1))
    with pytest.raises(fm.ModelError, match="unknown body 'other'"):
        model.add(fm.LineMuscle("n", (START, END), wraps=(wrap,), **NUMBERS))
    conditional = fm.ConditionalPathPoint("p", START.station, "elbow", 0.0, 1.0)
    with pytest.raises(fm.ModelError, match="coordinate of a path point = 'elbow'"):
        model.add(fm.LineMuscle("n", (START, conditional), **NUMBERS))


def test_ground_of_a_model_can_be_given():
    ground = fm.Body("ground", shapes=fm.Capsule((0, 0, 0), (1, 0, 0), 0.1))
    assert fm.Model("m", ground=ground).ground is ground
    with pytest.raises(fm.ModelError, match="must have the name 'ground'"):
        fm.Model("m", ground=BONE)


def test_bodies_without_extent_and_impossible_inertias():
    assert not fm.Body("point", mass=1.0, inertia=(0, 0, 0)).inertia.any()
    with pytest.raises(fm.ModelError, match="positive definite"):
        fm.Body("odd", mass=1.0, inertia=(1.0, 1.0, -1.0))
    assert fm.Body("odd", mass=1.0, inertia=(1.0, 1.0, -1.0), strict=False).inertia[2, 2] == -1.0

"""Each kind of joint and of function, against OpenSim, and the tree that joints form."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from opensim_peer import ask
from osim_text import axis, body, joint, model, one_joint
from test_osim_against_opensim import assert_same, random_values

import fibermsk as fm

KINDS = {
    "WeldJoint": ((), ""),
    "PinJoint": (("p",), ""),
    "SliderJoint": (("s",), ""),
    "UniversalJoint": (("u1", "u2"), ""),
    "GimbalJoint": (("g1", "g2", "g3"), ""),
    "BallJoint": (("b1", "b2", "b3"), ""),
    "PlanarJoint": (("l1", "l2", "l3"), ""),
    "FreeJoint": (("f1", "f2", "f3", "f4", "f5", "f6"), ""),
    "EllipsoidJoint": (("e1", "e2", "e3"), "<radii_x_y_z>0.1 0.2 0.35</radii_x_y_z>"),
    "ScapulothoracicJoint": (
        ("c1", "c2", "c3", "c4"),
        "<thoracic_ellipsoid_radii_x_y_z>0.08 0.2 0.09</thoracic_ellipsoid_radii_x_y_z>"
        "<scapula_winging_axis_origin>0.02 -0.03</scapula_winging_axis_origin>"
        "<scapula_winging_axis_direction>0.4</scapula_winging_axis_direction>",
    ),
}

FUNCTIONS = {
    "spline": "<SimmSpline><x>-1 0 0.4 1.5</x><y>0.1 0.2 -0.1 0.3</y></SimmSpline>",
    "old spline": "<NaturalCubicSpline><x>-1 0 1</x><y>0.1 0.2 -0.1</y></NaturalCubicSpline>",
    "linear": "<LinearFunction><coefficients>-0.7 0.2</coefficients></LinearFunction>",
    "constant": "<Constant><value>0.3</value></Constant>",
    "polynomial": "<PolynomialFunction><coefficients>0.2 -0.1 0.4 0.05</coefficients>"
    "</PolynomialFunction>",
    "lines": "<PiecewiseLinearFunction><x>-1 0 1</x><y>0.1 0.2 -0.1</y></PiecewiseLinearFunction>",
    "sine": "<Sine><amplitude>0.4</amplitude><omega>2.3</omega><phase>0.3</phase>"
    "<offset>-0.1</offset></Sine>",
    "step": "<StepFunction><transition_start_time>-0.4</transition_start_time>"
    "<transition_end_time>0.9</transition_end_time><start_value>0.2</start_value>"
    "<end_value>-0.3</end_value></StepFunction>",
    **{
        f"natural {degree}": f"<GCVSpline><half_order>{(degree + 1) // 2}</half_order>"
        "<error_variance>0</error_variance><x>-1 -0.7 -0.2 0 0.4 0.5 0.8 1.2</x>"
        "<y>0.1 0.3 0.2 -0.1 0.3 0.25 0 0.2</y><weights>1 1 1 1 1 1 1 1</weights></GCVSpline>"
        for degree in (1, 3, 5, 7)
    },
    "polynomial of one": "<MultivariatePolynomialFunction><coefficients>0.2 -0.1 0.4</coefficients>"
    "<dimension>1</dimension><order>2</order></MultivariatePolynomialFunction>",
    "multiple": "<MultiplierFunction><function><LinearFunction><coefficients>2 0.3"
    "</coefficients></LinearFunction></function><scale>-0.4</scale></MultiplierFunction>",
}


def compare(tmp_path, rng, text, n=10):
    file = tmp_path / "model.osim"
    file.write_text(text)
    read = fm.read_osim(file)
    skeleton = fm.skeleton(read)
    values = [random_values(rng, read) for _ in range(n)]
    answer = ask(tmp_path, file, values)
    assert_same(read, answer, skeleton, [skeleton.q_of(one) for one in values])
    return read


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_joint(tmp_path, rng, kind, turned):
    coordinates, inside = KINDS[kind]
    if kind == "ScapulothoracicJoint" and turned:
        pytest.skip("OpenSim cannot turn this joint round")
    first, second = ("b", "ground") if turned else ("ground", "b")
    text = model(
        body("b") + body("c"),
        joint(kind, "j", first, second, coordinates, inside)
        + joint("PinJoint", "k", "b", "c", ("k",)),
    )
    read = compare(tmp_path, rng, text)
    assert len(read.coordinates) == len(coordinates) + 1
    changed = [entry.text for entry in read.import_report.of_kind("changed")]
    assert changed == (["is inverted: its child is nearer to the ground"] if turned else [])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(tmp_path, rng, name):
    function = FUNCTIONS[name]
    sum_of_two = "<LinearFunction><coefficients>0.3 0.5 0.1</coefficients></LinearFunction>"
    axes = [
        axis("rotation1", "a", "0.1 0.2 0.9", function),
        axis("rotation2", "b", "1 0 0.1", FUNCTIONS["linear"]),
        axis("rotation3", "b a", "0 2 0", sum_of_two),
        axis("translation1", "a", "1 0.1 0", function),
        axis("translation2", "b", "0 3 0", FUNCTIONS["spline"]),
        axis("translation3", "" if name == "constant" else "a", "0 0 1", function),
    ]
    text = one_joint("CustomJoint", ("a", "b"), spatial(axes))
    compare(tmp_path, rng, text)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_of_functions(tmp_path, name):
    """Three derivatives, beyond the points too; OpenSim gives those of splines where they exist."""
    text = FUNCTIONS[name]
    file = tmp_path / "model.osim"
    axes = [axis("rotation1", "q", "1 0 0", text), axis("rotation2", "q", "0 1 0", LINE)]
    file.write_text(one_joint("CustomJoint", ("q",), spatial(axes)))
    own = fm.read_osim(file).joints[0].axes[0]
    points = [-1.6, -0.93, -0.45, -0.1, 0.13, 0.44, 0.77, 1.1, 1.9]
    # OpenSim has two derivatives of a SimmSpline, and one of a polynomial that is right
    n = {"constant": 0, "polynomial of one": 1, "spline": 2, "old spline": 2}.get(name, 3)
    answer = ask(tmp_path, file, functions=[[text, points, n]])["functions"][0]
    for x, theirs in zip(points, answer, strict=True):
        for k in range(n + 1):
            ours = sum(float(f(x, k)) for _, f in own.pairs) + (own.offset if k == 0 else 0.0)
            assert_allclose(ours, theirs[k], rtol=1e-9, atol=1e-9, err_msg=f"{x} {k}")


LINE = FUNCTIONS["linear"]


def accelerations_at(skeleton, q, p):
    """Accelerations of the state under gravity."""
    return dict(zip(skeleton.independent, skeleton.forward_dynamics(q, p)[0], strict=True))


@pytest.mark.parametrize("name", ["sine", "step", "natural 5", "natural 7", "spline"])
def test_accelerations_of_joints_with_functions(tmp_path, rng, name):
    """Second derivatives of the functions move the bodies as in OpenSim."""
    function = FUNCTIONS[name]
    axes = [
        axis("rotation1", "a", "0.1 0.2 0.9", function),
        axis("rotation2", "b", "1 0 0.1", FUNCTIONS["linear"]),
        axis("translation1", "a", "1 0.1 0", function),
        axis("translation2", "b", "0 3 0", function),
        axis("translation3", "a", "0 0 1", FUNCTIONS["linear"]),
    ]
    file = tmp_path / "model.osim"
    file.write_text(one_joint("CustomJoint", ("a", "b"), spatial(axes)))
    skeleton, states = fm.skeleton(fm.read_osim(file)), []
    for _ in range(6):
        q, p = rng.uniform(-1.2, 1.2, 2), rng.normal(size=2)
        states.append([dict(zip("ab", one.tolist(), strict=True)) for one in (q, p)])
    for state, theirs in zip(states, ask(tmp_path, file, states=states)["states"], strict=True):
        q, p = (np.array([part[n] for n in skeleton.independent]) for part in state)
        for one, value in accelerations_at(skeleton, q, p).items():
            assert_allclose(value, theirs["accelerations"][one], rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            "<PiecewiseConstantFunction><x>0 1</x><y>0 1</y></PiecewiseConstantFunction>",
            "jumps from value to value; must be a continuous function",
        ),
        (FUNCTIONS["natural 5"].replace("<half_order>3", "<half_order>5"), "half_order = 5; must"),
        (
            "<GCVSpline><half_order>3</half_order><x>0 1 2</x><y>0 1 0</y></GCVSpline>",
            "has 3 points; must have 6 or more",
        ),
        (FUNCTIONS["step"].replace(">0.9<", ">-0.5<"), "end = -0.5; must be greater than start"),
        ("<MillardThing/>", "is a function that is not understood"),
    ],
)
def test_functions_that_are_refused(tmp_path, function, message):
    file = tmp_path / "model.osim"
    axes = [axis("rotation1", "q", "1 0 0", function)]
    file.write_text(one_joint("CustomJoint", ("q",), spatial(axes)))
    with pytest.raises(fm.ModelError, match=message):
        fm.read_osim(file)


def spatial(axes):
    return f"<SpatialTransform>{''.join(axes)}</SpatialTransform>"


def test_coordinates_that_the_file_does_not_describe(tmp_path):
    file = tmp_path / "one.osim"
    file.write_text(one_joint("PlanarJoint", ()))
    read = fm.read_osim(file)
    assert [one.name for one in read.coordinates] == ["j_coord_0", "j_coord_1", "j_coord_2"]
    assert "does not describe its coordinates" in str(read.import_report)
    file.write_text(one_joint("PlanarJoint", ("only",)))
    with pytest.raises(fm.ModelError, match="PlanarJoint 'j': lists 1 coordinates; must list 3"):
        fm.read_osim(file)


def test_joints_in_any_order_and_frames_on_frames(tmp_path, rng):
    frames = (
        '<components><PhysicalOffsetFrame name="outer"><socket_parent>../inner</socket_parent>'
        "<translation>0.1 0 0</translation><orientation>0 0.2 0</orientation>"
        '</PhysicalOffsetFrame><PhysicalOffsetFrame name="inner"><socket_parent>..</socket_parent>'
        "<translation>0 0.1 0</translation><orientation>0.3 0 0</orientation>"
        "</PhysicalOffsetFrame></components>"
    )
    last = joint("PinJoint", "second", "a", "b", ("q2",)).replace(
        "<socket_parent>/bodyset/a</socket_parent>",
        "<socket_parent>/bodyset/a/outer</socket_parent>",
    )
    text = model(
        body("a", frames) + body("b"), last + joint("PinJoint", "first", "ground", "a", ("q1",))
    )
    read = compare(tmp_path, rng, text)
    assert [one.name for one in read.joints] == ["first", "second"]


def test_joint_of_version_3_that_is_reversed(tmp_path, rng):
    """The parent's frame moves in the child's: what OpenSim makes of <reverse>."""
    inside = (
        "<Joint><PinJoint name='j'><parent_body>ground</parent_body>"
        "<location_in_parent>0.1 0.2 0.3</location_in_parent>"
        "<orientation_in_parent>0.1 0 0.2</orientation_in_parent><location>0 0.1 0</location>"
        "<orientation>0.3 0 0</orientation><CoordinateSet><objects><Coordinate name='q'/>"
        "</objects></CoordinateSet><reverse>true</reverse></PinJoint></Joint>"
    )
    old = body("b", inside).replace(
        "<inertia>0.02 0.03 0.04 0.001 0.002 -0.001</inertia>",
        "<inertia_xx>0.02</inertia_xx><inertia_yy>0.03</inertia_yy><inertia_zz>0.04</inertia_zz>",
    )
    text = model(f"<Body name='ground'/>{old}", version=30000)
    compare(tmp_path, rng, text.replace("<JointSet><objects></objects><groups/></JointSet>", ""))


def test_locked_and_prescribed(tmp_path):
    inside = "<default_value>0.3</default_value><locked>true</locked>"
    sine = "<prescribed>true</prescribed><prescribed_function><SimmSpline><x>0 1 2</x><y>0 1 0</y>"
    sine += "</SimmSpline></prescribed_function>"
    text = one_joint("UniversalJoint", ("a", "b"))
    text = text.replace('<Coordinate name="a">', f'<Coordinate name="a">{inside}')
    text = text.replace('<Coordinate name="b">', f'<Coordinate name="b">{sine}')
    file = tmp_path / "held.osim"
    file.write_text(text)
    first, second = fm.read_osim(file).coordinates
    assert (first.locked, first.value, first.prescribed) == (True, 0.3, None)
    assert second.prescribed is not None
    assert_allclose(second.prescribed(np.array([0.0, 1.0, 2.0])), [0.0, 1.0, 0.0], atol=1e-15)


def test_welded_where_asked(tmp_path):
    file = tmp_path / "strange.osim"
    file.write_text(one_joint("ConstantCurvatureJoint", ("a", "b")))
    with pytest.raises(fm.ModelError, match="line 2: ConstantCurvatureJoint 'j': .*not understood"):
        fm.read_osim(file)
    read = fm.read_osim(file, unsupported="weld")
    assert isinstance(read.joints[0], fm.Weld) and not read.coordinates
    assert "WELDED" in str(read.import_report)

"""Constraints of files against OpenSim: errors, their rates, accelerations, start poses."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from opensim_peer import ask
from osim_text import body, frame, joint, model

import fibermsk as fm

PLACES = (
    "<location_body_1>0.1 0.05 -0.2</location_body_1>"
    "<location_body_2>0.02 0.1 0.03</location_body_2>"
)
BODIES = "<socket_body_1>/bodyset/a</socket_body_1><socket_body_2>/bodyset/b</socket_body_2>"

HELD = {
    "PointConstraint": BODIES + PLACES,
    "ConstantDistanceConstraint": f"{BODIES}{PLACES}<constant_distance>0.3</constant_distance>",
    "PointOnLineConstraint": "<socket_line_body>/bodyset/a</socket_line_body>"
    "<socket_follower_body>/bodyset/b</socket_follower_body>"
    "<line_direction_vec>0.1 1 -0.2</line_direction_vec>"
    "<point_on_line>0.02 0.1 0.03</point_on_line>"
    "<point_on_follower>0.1 0.05 -0.2</point_on_follower>",
    "WeldConstraint": "<socket_frame1>in_a</socket_frame1><socket_frame2>in_b</socket_frame2>"
    f"<frames>{frame('in_a', '/bodyset/a')}{frame('in_b', '/bodyset/b', '0 0.1 0', '0 0 0')}"
    "</frames>",
}

ROWS = {
    "PointConstraint": 3, "ConstantDistanceConstraint": 1, "PointOnLineConstraint": 2,
    "WeldConstraint": 6,
}  # fmt: skip

AXES = {"1": "1 0 0", "2": "0 1 0", "3": "0 0 1"}

NAMES = [f"{letter}{k}" for letter in "sart" for k in range(3)]


def two_chains(kind, inside=None):
    """Bodies a and b, each on three translations and rotations whose rates are OpenSim's speeds."""
    slides = "rotation1 rotation2 rotation3 translation1 translation2 translation3".split()

    def chain(name, child, letters):
        names = [f"{letter}{k}" for letter in letters for k in range(3)]
        axes = "".join(
            f'<TransformAxis name="{what}"><coordinates>{one}</coordinates>'
            f"<axis>{AXES[what[-1]]}</axis><function>"
            "<LinearFunction><coefficients>1 0</coefficients></LinearFunction></function>"
            "</TransformAxis>"
            for what, one in zip(slides, names, strict=True)
        )
        whole = f"<SpatialTransform>{axes}</SpatialTransform>"
        return joint("CustomJoint", name, "ground", child, names, whole)

    text = HELD[kind] if inside is None else inside
    return model(
        body("a") + body("b"),
        chain("first", "a", "sa") + chain("second", "b", "rt"),
        constraints=f'<{kind} name="c">{text}</{kind}>',
    )


def read(tmp_path, text):
    file = tmp_path / "model.osim"
    file.write_text(text)
    return file, fm.read_osim(file)


def at_state(system, values, speeds):
    """State of a system with coordinates and rates by name, and constraints there."""
    names = system.skeleton.independent
    y, v = (np.array([one[name] for name in names]) for one in (values, speeds))
    at = system.configuration.kinematics(0.0, y, v)
    return at, system.multipliers.gather(at, False)


def accelerations(system, values, speeds):
    """Accelerations of all coordinates at a state, from the equations of motion."""
    at, held = at_state(system, values, speeds)
    skeleton, (m, n) = system.skeleton, held.G.shape
    bias = skeleton.inverse_dynamics(at.q, at.p, np.zeros(n))
    A = np.block([[skeleton.mass_matrix(at.q), held.G.T], [held.G, np.zeros((m, m))]])
    found = np.linalg.solve(A, np.r_[-bias, -held.g_ddot])[:n]
    motion = skeleton.evaluate(at.q, at.p, found)
    rates = found if motion.rows is None else motion.rows.x_ddot
    return {name: rates[skeleton.row_of(name)] for name in skeleton.coordinates}


@pytest.mark.parametrize("kind", HELD)
def test_errors_and_their_rates_are_those_of_opensim(tmp_path, rng, kind):
    """At poses that are far from closed."""
    file, own = read(tmp_path, two_chains(kind))
    system, states, ours = fm.build(own), [], []
    for _ in range(5):
        values, speeds = (
            dict(zip(NAMES, numbers.tolist(), strict=True))
            for numbers in (rng.uniform(-0.7, 0.7, 12), rng.normal(size=12))
        )
        states.append((values, speeds))
        at, held = at_state(system, values, speeds)
        g, g_dot = held.g.copy(), held.g_dot.copy()
        if kind in ("PointConstraint", "WeldConstraint"):
            # OpenSim's rate is that of the place of the second point as the first body sees it
            contribution = system.multipliers.holding[0]
            ways = contribution.ways(contribution.points.at(at))
            g_dot[:3] -= np.cross(spin(system, at, "a"), ways[0])
        if kind == "ConstantDistanceConstraint":
            # OpenSim's error is the excess of the distance
            length = np.sqrt(0.6 * g + 0.09)
            g, g_dot = length - 0.3, g_dot * 0.3 / length
        if kind == "WeldConstraint":  # rotations first
            g, g_dot = np.roll(g, 3), np.roll(g_dot, 3)
        ours.append((g, g_dot))
    answer = ask(tmp_path, file, states=states)["states"]
    assert len(answer) == 5
    for (g, g_dot), theirs in zip(ours, answer, strict=True):
        assert len(theirs["errors"]) == ROWS[kind] and np.abs(g).min() > 1e-4
        assert_allclose(g, theirs["errors"], atol=1e-12, rtol=0)
        assert_allclose(g_dot, theirs["rates"], atol=1e-12, rtol=0)


def spin(system, at, name):
    """Angular velocity of a body in ground."""
    link, _, _ = system.tree.frames[name]
    return at.motion.links.V[link][:3]


@pytest.mark.parametrize("kind", HELD)
def test_accelerations_are_those_of_opensim(tmp_path, rng, kind):
    """At closed poses that move."""
    file, own = read(tmp_path, two_chains(kind))
    system, states = fm.build(own), []
    for _ in range(4):
        y, v = system.initial_state()
        y = y + 0.3 * rng.normal(size=12)
        y, v = system.project(0.0, y, rng.normal(size=12))
        names = system.skeleton.independent
        states.append([dict(zip(names, one.tolist(), strict=True)) for one in (y, v)])
    answer = ask(tmp_path, file, states=states)["states"]
    for (values, speeds), theirs in zip(states, answer, strict=True):
        assert_allclose(theirs["errors"], 0.0, atol=1e-12)
        assert_allclose(theirs["rates"], 0.0, atol=1e-12)
        found = accelerations(system, values, speeds)
        for name, value in theirs["accelerations"].items():
            assert_allclose(found[name], value, rtol=1e-8, atol=1e-8, err_msg=name)


@pytest.mark.parametrize("kind", HELD)
def test_a_model_starts_where_its_constraints_are_closed(tmp_path, kind):
    """Nearest to the default values, as OpenSim assembles it."""
    file, own = read(tmp_path, two_chains(kind))
    system = fm.build(own)
    y, v = system.initial_state()
    assert max(system.drift(0.0, y, v)) < 1e-12
    text = str(own.import_report)
    assert "where the constraints are closed, not at its default_value 0" in text
    assert "NOT ENFORCED" not in text
    theirs = ask(tmp_path, file, assemble=[{}])["assembled"][0]
    ours, zero = (
        np.array([one[name] for name in NAMES])
        for one in ({c.name: c.value for c in own.coordinates}, theirs)
    )
    # both are near the closest pose; OpenSim stops at its accuracy
    assert np.linalg.norm(ours) <= np.linalg.norm(zero) + 1e-9
    assert_allclose(ours, zero, atol=2e-3)


def test_coordinates_that_are_free_to_satisfy_constraints_move_first(tmp_path):
    text = two_chains("PointConstraint")
    for name in ("r0", "t0", "t1", "t2"):
        text = text.replace(
            f'<Coordinate name="{name}">',
            f'<Coordinate name="{name}"><is_free_to_satisfy_constraints>true'
            "</is_free_to_satisfy_constraints>",
        )
    _, own = read(tmp_path, text)
    moved = {one.name for one in own.coordinates if one.value != 0.0}
    assert moved and moved <= {"r0", "t0", "t1", "t2"}
    assert max(fm.build(own).drift(0.0, *fm.build(own).initial_state())) < 1e-12


def test_a_constraint_that_is_not_enforced_is_left_out(tmp_path, rng):
    for flag in ("<isEnforced>false</isEnforced>", "<isDisabled>true</isDisabled>"):
        _, own = read(tmp_path, two_chains("PointConstraint", HELD["PointConstraint"] + flag))
        assert not own.elements
        assert "the PointConstraint is disabled in the file: not imported" in str(own.import_report)
        assert all(one.value == 0.0 for one in own.coordinates)


def test_rolling_is_left_out_with_a_reason(tmp_path):
    _, own = read(tmp_path, two_chains("RollingOnSurfaceConstraint", BODIES))
    assert "NOT ENFORCED: a body does not roll on its surface: friction" in str(own.import_report)
    assert not own.elements


def test_what_no_pose_closes_is_said(tmp_path):
    far = HELD["PointConstraint"].replace("0.1 0.05 -0.2", "5 0 0")
    text = model(
        body("a") + body("b"),
        joint("PinJoint", "j", "ground", "a", ("p",)) + joint("PinJoint", "k", "a", "b", ("q",)),
        constraints=f"<PointConstraint>{far}</PointConstraint>",
    )
    _, own = read(tmp_path, text)
    assert "no pose near the default values closes it" in str(own.import_report)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(fm.ModelError, match="constraint 'PointConstraint': open by"):
            fm.simulate(fm.build(own), t_end=0.1, dt=0.1)


@pytest.mark.parametrize(
    ("kind", "old", "new", "message"),
    [
        ("PointConstraint", "/bodyset/b<", "/bodyset/z<", "no body or frame has this name"),
        (
            "PointConstraint",
            "_2>/bodyset/b<",
            "_2>/bodyset/a<",
            "be on another body than the first",
        ),
        ("ConstantDistanceConstraint", ">0.3<", ">-0.3<", "distance = -0.3 m; must be positive"),
        ("ConstantDistanceConstraint", ">0.3<", ">NaN<", "must be finite"),
        ("PointOnLineConstraint", "0.1 1 -0.2", "0 0 0", "direction"),
        ("WeldConstraint", ">in_b<", ">in_a<", "be on another body than the first"),
    ],
)
def test_refusals(tmp_path, kind, old, new, message):
    text = two_chains(kind).replace(old, new)
    assert text != two_chains(kind)
    with pytest.raises(fm.ModelError, match=message) as refused:
        read(tmp_path, text)
    assert str(tmp_path / "model.osim") in str(refused.value)


def test_constraints_of_version_3(tmp_path):
    """Bodies by name, and places and orientations of a weld in the bodies."""
    new = two_chains("WeldConstraint")
    _, own = read(tmp_path, new)
    old = (
        "<body_1>a</body_1><body_2>b</body_2><location_body_1>0.1 -0.2 0.3</location_body_1>"
        "<orientation_body_1>0.2 0.3 -0.4</orientation_body_1>"
        "<location_body_2>0 0.1 0</location_body_2><orientation_body_2>0 0 0</orientation_body_2>"
    )
    _, other = read(tmp_path, two_chains("WeldConstraint", old))
    first, second = own.elements[0], other.elements[0]
    assert_allclose(first.rotation, second.rotation, atol=1e-15)
    for one, two in ((first.first, second.first), (first.second, second.second)):
        assert one.body.name == two.body.name
        assert_allclose(one.position, two.position, atol=1e-15)


POLYNOMIAL = "0.1 0.3 -0.2 0.4 0.25 -0.15"
COUPLED = {
    "sum": "<LinearFunction><coefficients>0.3 -0.6 0.1</coefficients></LinearFunction>",
    "polynomial": f"<MultivariatePolynomialFunction><coefficients>{POLYNOMIAL}</coefficients>"
    "<dimension>2</dimension><order>2</order></MultivariatePolynomialFunction>",
    "scaled": "<MultiplierFunction><function><LinearFunction><coefficients>0.3 -0.6 0.1"
    "</coefficients></LinearFunction></function><scale>-0.7</scale></MultiplierFunction>",
}


def coupled(function, names="q1 q2"):
    return model(
        body("a") + body("b") + body("c"),
        joint("PinJoint", "j1", "ground", "a", ("q1",))
        + joint("PinJoint", "j2", "a", "b", ("q2",))
        + joint("PinJoint", "j3", "b", "c", ("q3",)),
        constraints='<CoordinateCouplerConstraint name="c"><coupled_coordinates_function>'
        f"{function}</coupled_coordinates_function>"
        f"<independent_coordinate_names>{names}</independent_coordinate_names>"
        "<dependent_coordinate_name>q3</dependent_coordinate_name><scale_factor>1.3</scale_factor>"
        "</CoordinateCouplerConstraint>",
    )


def assert_rates_of_the_polynomial(states, found):
    """The rate of q3 = 1.3 (c0 + c1 y + c2 y^2 + c3 x + c4 x y + c5 x^2) and its rate."""
    c = 1.3 * np.array(POLYNOMIAL.split(), float)
    for (values, rates), own in zip(states, found, strict=True):
        (x, y), (u, v) = ([part[n] for n in ("q1", "q2")] for part in (values, rates))
        slope = np.array([c[3] + c[4] * y + 2 * c[5] * x, c[1] + 2 * c[2] * y + c[4] * x])
        assert_allclose(rates["q3"], slope @ [u, v], rtol=1e-12)
        bend = 2 * c[5] * u * u + 2 * c[4] * u * v + 2 * c[2] * v * v
        assert_allclose(own["q3"], slope @ [own["q1"], own["q2"]] + bend, rtol=1e-11)


@pytest.mark.parametrize("name", COUPLED)
def test_a_coordinate_coupled_to_two(tmp_path, rng, name):
    """Values, rates and accelerations, eliminated and with a multiplier."""
    file, own = read(tmp_path, coupled(COUPLED[name]))
    assert own.couplings[0].independents == ("q1", "q2")
    skeleton, states, found = fm.skeleton(own), [], []
    for _ in range(4):
        q, p = rng.uniform(-0.8, 0.8, 2), rng.normal(size=2)
        states.append([skeleton.values(q), skeleton.rates(q, p)])
        motion = skeleton.evaluate(q, p, skeleton.forward_dynamics(q, p)[0])
        found.append({n: motion.rows.x_ddot[skeleton.row_of(n)] for n in ("q1", "q2", "q3")})
    answer = ask(tmp_path, file, states=states)["states"]
    for ours, theirs in zip(found, answer, strict=True):
        assert_allclose(theirs["errors"], 0.0, atol=1e-13)
        assert_allclose(theirs["rates"], 0.0, atol=1e-13)
        # OpenSim takes the first derivatives of a polynomial for the second ones
        for one, value in theirs["accelerations"].items() if name != "polynomial" else ():
            assert_allclose(ours[one], value, rtol=1e-8, atol=1e-9)
    if name == "polynomial":
        assert_rates_of_the_polynomial(states, found)
    one = own.couplings[0]
    kept = fm.Model("kept", own.gravity, ground=own.ground)
    kept.add(*own.bodies[1:])
    kept.add(*own.joints)
    kept.add(fm.Coupling(one.dependent, one.function, one.independent, enforce="multiplier"))
    other = fm.skeleton(kept)
    for (values, rates), ours in zip(states, found, strict=True):
        q, p = (np.array([part[n] for n in other.independent]) for part in (values, rates))
        p_dot, _ = other.forward_dynamics(q, p)
        assert_allclose(p_dot, [ours[n] for n in other.independent], rtol=1e-9, atol=1e-9)


def test_refusals_of_couplers(tmp_path):
    text = coupled(COUPLED["polynomial"])
    for old, new, message in (
        ("<dimension>2<", "<dimension>3<", "dimension = 3; must be 2"),
        ("<order>2<", "<order>3<", "has 6 coefficients; must have 10"),
        (">q1 q2<", "><", "names no independent coordinate"),
        (">q1 q2<", ">q1 q1<", "each once"),
        (">q1 q2<", ">q1 q3<", "differ from the dependent coordinate"),
    ):
        assert old in text
        with pytest.raises(fm.ModelError, match=message):
            read(tmp_path, text.replace(old, new))
    spline = "<SimmSpline><x>0 1</x><y>0 1</y></SimmSpline>"
    with pytest.raises(fm.ModelError, match="a function of 2 coordinates; must be"):
        read(tmp_path, coupled(spline))


def test_the_shoulder_of_opensim_moves_as_there(tmp_path, shared_models, rng):
    """A scapula on an ellipsoid that a clavicle holds at a point."""
    file = shared_models / "opensim-core" / "ThoracoscapularShoulderModel.osim"
    own = fm.read_osim(file)
    assert [type(one).__name__ for one in own.elements] == ["PointConstraint"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        system = fm.build(own)
    y, v = system.initial_state()
    assert max(system.drift(0.0, y, v)) < 1e-11
    values = {c.name: c.value for c in own.coordinates}
    theirs = ask(tmp_path, file, states=[[values, dict.fromkeys(values, 0.0)]])["states"][0]
    assert_allclose(theirs["errors"], 0.0, atol=1e-11)


@pytest.mark.parametrize("kind", ["PointConstraint", "PointOnLineConstraint"])
def test_frames_beside_a_body_are_noted(tmp_path, kind):
    inside = HELD[kind].replace(">/bodyset/b<", ">/jointset/second/in_child<")
    _, found = read(tmp_path, two_chains(kind, inside))
    assert [one for one in found.import_report.of_kind("note") if "without the offset" in one.text]


def test_a_weld_does_not_close_turned(tmp_path):
    """Frames 2 rad apart: near them, its equations have another solution than equal axes."""
    inside = HELD["WeldConstraint"].replace("0 0 0</orientation>", "2.0 0 0</orientation>")
    _, found = read(tmp_path, two_chains("WeldConstraint", inside))
    told = [one.text for one in found.import_report.of_kind("changed")]
    assert any("not closed" in one and "axes of its frames have the cosine" in one for one in told)
    assert not any("where the constraints are closed" in one for one in told)

"""Forces of a file act as in OpenSim: generalized forces at random poses and speeds."""

import json

import numpy as np
import pytest
from force_texts import (
    DAMPED,
    RUBBING,
    STIFF,
    bushing,
    functions,
    hunt_crossley,
    line,
    sphere,
)
from numpy.testing import assert_allclose
from opensim_peer import SCRIPT, run_script
from osim_text import PATH, body, frame, joint, model, two_bodies
from scipy.spatial.transform import Rotation

import fibermsk as fm
from fibermsk.system.contribution import Sums

EXACT = 1e-9
"""Relative to the largest generalized force of a state."""


def imported(tmp_path, text, **options):
    file = tmp_path / "model.osim"
    file.write_text(text)
    return file, fm.read_osim(file, **options)


def generalized(system, name, q, p, t):
    """Generalized forces of one element, by coordinate."""
    y, v = system.initial_state()
    names = system.skeleton.coordinates
    system.split(y)[1][:] = [q[one] for one in names]
    system.split(v)[1][:] = [p[one] for one in names]
    at, _ = system.configuration.at(t, y, v, np.zeros_like(v))
    sums = Sums.zero(system.skeleton, at, np.zeros_like(at.nodes), np.zeros((0, 3, 6, 6)), None)
    system.named_elements[name].add(at, sums)
    found = -(sums.force + system.skeleton.from_axes(at.motion, sums.axes.force))
    return dict(zip(names, found, strict=True))


def random_states(rng, model, n=6, size=0.4):
    names = [one.name for one in model.coordinates]
    draw = lambda scale: dict(zip(names, rng.uniform(-scale, scale, len(names)), strict=True))  # noqa: E731
    return [{"q": draw(size), "p": draw(2.0), "t": 0.1 * k} for k in range(n)]


def in_opensim(tmp_path, file, states, **more):
    answer = tmp_path / "answer.json"
    task = {"answer": str(answer), "model": str(file), "states": states}
    run_script(SCRIPT.with_name("forces_in_opensim.py"), tmp_path, task | more)
    return json.loads(answer.read_text())


def assert_as_in_opensim(tmp_path, file, model, rng, size=0.4, **more):
    """Compare all elements of a model, and require that each acts and has exact tangents."""
    states = random_states(rng, model, size=size)
    theirs, system = in_opensim(tmp_path, file, states, **more), fm.build(model)
    for name in system.named_elements:
        acted = 0.0
        for at, wanted in zip(states, theirs[name], strict=True):
            ours = generalized(system, name, at["q"], at["p"], at["t"])
            largest = max(map(abs, wanted.values()))
            for coordinate, force in wanted.items():
                difference = abs(ours[coordinate] - force)
                assert difference <= EXACT * max(largest, 1.0), (name, coordinate, at["t"])
            acted = max(acted, largest)
        assert acted > 0.01, name
        assert fm.check_contribution(system, name) < 1e-6


def test_path_springs_and_ligaments(tmp_path, rng):
    curve = "<SimmSpline><x>-1 1 1.2 2 9</x><y>0 0 0.3 1.5 4</y></SimmSpline>"
    forces = (
        f"<PathSpring name='spring'>{PATH}<resting_length>0.3</resting_length>"
        "<stiffness>250</stiffness><dissipation>0.4</dissipation></PathSpring>"
        f"<Ligament name='usual'>{PATH}<resting_length>0.4</resting_length>"
        "<pcsa_force>120</pcsa_force></Ligament>"
        f"<Ligament name='own'>{PATH}<resting_length>0.4</resting_length>"
        f"<pcsa_force>120</pcsa_force><force_length_curve>{curve}</force_length_curve></Ligament>"
        f"<Blankevoort1991Ligament name='toe'>{PATH}<linear_stiffness>900</linear_stiffness>"
        "<slack_length>0.5</slack_length><transition_strain>0.5</transition_strain>"
        "<damping_coefficient>4</damping_coefficient></Blankevoort1991Ligament>"
    )
    file, model = imported(tmp_path, two_bodies(forces))
    assert not model.import_report.of_kind("not understood"), str(model.import_report)
    assert_as_in_opensim(tmp_path, file, model, rng)


def test_bushings(tmp_path, rng):
    polynomial = "<PolynomialFunction><coefficients>3 1 20 0.5</coefficients></PolynomialFunction>"
    forces = (
        bushing("BushingForce", "linear", STIFF + DAMPED)
        + bushing("BushingForce", "grounded", STIFF + DAMPED, "/ground", "/bodyset/b")
        + bushing(
            "FunctionBasedBushingForce", "functions",
            f"<m_y_theta_y_function>{polynomial}</m_y_theta_y_function>"
            f"<f_z_delta_z_function>{polynomial}</f_z_delta_z_function>" + DAMPED,
        )
        + bushing(
            "ExpressionBasedBushingForce", "formulas",
            "<Mx_expression>4*theta_x + 3*theta_y*delta_z^2</Mx_expression>"
            "<Mz_expression>exp(theta_z)-1</Mz_expression>"
            "<Fy_expression>-(2*delta_y)^3 + sin(theta_x)*delta_x</Fy_expression>" + DAMPED,
        )
    )  # fmt: skip
    file, model = imported(tmp_path, two_bodies(forces))
    assert not model.import_report.of_kind("not understood"), str(model.import_report)
    assert_as_in_opensim(tmp_path, file, model, rng)


FORMULAS = [
    "-20*q^3-0.5*qdot",
    "-q^2+2^-q",
    "-(q*qdot)-3-2-1+8/4/2",
    "2^q^2+a*b; a=b*q; b=3+qdot",
    "sqrt(2+q)*exp(-q)+log(3+qdot/9)+sin(q)*cos(qdot)*tan(q/3)",
    "asin(q/3)+acos(q/4)*atan(qdot)+sinh(q)-cosh(q)*tanh(qdot)",
    "erf(q)+erfc(qdot)+square(q)+cube(q)+recip(3+q)+sec(q)+csc(3+q)*cot(3+q)",
    "min(q,qdot)+max(2*q,0.1)+abs(qdot)+5*step(q)+delta(q)",
    "+".join(f"{k}e-1*q^{k}" for k in range(1, 9)),
]


def test_formulas(tmp_path, rng):
    ends = "<{0}1>{1}a</{0}1><{0}2>{1}b</{0}2><point1>0.3 0.1 0</point1><point2>0 0.2 -0.3</point2>"
    forces = "".join(
        f"<ExpressionBasedCoordinateForce name='c{k}'><coordinate>bend</coordinate>"
        f"<expression>{one}</expression></ExpressionBasedCoordinateForce>"
        for k, one in enumerate(FORMULAS)
    )
    forces += (
        f"<ExpressionBasedPointToPointForce name='points'>{ends.format('body', '')}"
        "<expression>200*(d-0.1)+3*ddot*d</expression></ExpressionBasedPointToPointForce>"
        f"<PointToPointSpring name='spring'>{ends.format('socket_body', '/bodyset/')}"
        "<stiffness>150</stiffness><rest_length>0.2</rest_length></PointToPointSpring>"
    )
    file, model = imported(tmp_path, two_bodies(forces))
    assert not model.import_report.of_kind("not understood"), str(model.import_report)
    assert len(model.elements) == len(FORMULAS) + 2
    assert_as_in_opensim(tmp_path, file, model, rng)


@pytest.mark.parametrize("force_global", ["true", "false"])
@pytest.mark.parametrize("point_global", ["true", "false"])
def test_prescribed_forces(tmp_path, rng, force_global, point_global):
    places = "/bodyset/b", "off"
    frames = "<components>" + frame("off", "/bodyset/b") + "</components>"
    forces = "".join(
        f"<PrescribedForce name='{name}'><socket_frame>{place}</socket_frame>"
        f"<pointIsGlobal>{point_global}</pointIsGlobal>"
        f"<forceIsGlobal>{force_global}</forceIsGlobal>"
        + functions("forceFunctions", line(9.0, 1.0), line(0, 4.0), line(-2, 0.5))
        + (functions("pointFunctions", line(0.1, 0.2), line(0, 0.1), line(0, 0)) * has_point)
        + functions("torqueFunctions", line(0, 1.0), line(3, 2.0), line(0, -0.5))
        + "</PrescribedForce>"
        for name, place, has_point in (
            ("at", places[0], 1),
            ("framed", "/off", 1),
            ("no", places[0], 0),
        )
    )
    file, model = imported(tmp_path, two_bodies(forces, more=frames))
    assert not model.import_report.of_kind("not understood"), str(model.import_report)
    assert_as_in_opensim(tmp_path, file, model, rng)


def test_what_has_no_effect_is_told(tmp_path):
    locked = joint("PinJoint", "knee", "ground", "b", ["bend"]).replace(
        "<range>", "<locked>true</locked><range>"
    )
    forces = (
        "<ExpressionBasedCoordinateForce name='c'><coordinate>bend</coordinate>"
        "<expression>3</expression></ExpressionBasedCoordinateForce>"
        "<PrescribedForce name='none'><socket_frame>/bodyset/b</socket_frame></PrescribedForce>"
        + bushing("BushingForce", "same", STIFF, "/bodyset/b", "/bodyset/b")
    )
    _, found = imported(tmp_path, model(body("b"), locked, forces=forces))
    assert not found.elements
    for words in ("which is held", "has no functions", "has both frames on 'b'"):
        assert words in str(found.import_report)


@pytest.mark.parametrize(
    "force, words",
    [
        ("<PathSpring name='s'/>", "no GeometryPath"),
        (f"<PathSpring name='s'>{PATH}<stiffness>1</stiffness></PathSpring>", "resting_length"),
        (
            "<ExpressionBasedCoordinateForce name='c'><coordinate>bend</coordinate>"
            "<expression>__import__('os')</expression></ExpressionBasedCoordinateForce>",
            "the function '__import__'",
        ),
        (
            "<ExpressionBasedCoordinateForce name='c'><expression>q</expression>"
            "</ExpressionBasedCoordinateForce>",
            "names no coordinate",
        ),
        (
            "<PrescribedForce name='p'><socket_frame>/bodyset/b</socket_frame>"
            + functions("forceFunctions", line(0, 1)) + "</PrescribedForce>",
            "has 1 functions",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named(tmp_path, force, words):
    text = two_bodies(force)
    if "no GeometryPath" in words:
        assert words in str(imported(tmp_path, text)[1].import_report)
        return
    with pytest.raises(fm.ModelError, match=words.replace("(", r"\(")) as raised:
        imported(tmp_path, text)
    assert "model.osim, line" in str(raised.value)


def actuators():
    return (
        "<CoordinateActuator name='motor'><coordinate>bend</coordinate>"
        "<optimal_force>8</optimal_force><max_control>1</max_control></CoordinateActuator>"
        + "".join(
            f"<PointActuator name='point_{place}_{way}'><body>b</body><point>0.1 0.2 -0.1</point>"
            f"<point_is_global>{place}</point_is_global><direction>1 2 -1</direction>"
            f"<force_is_global>{way}</force_is_global><optimal_force>5</optimal_force>"
            "</PointActuator>"
            for place in ("true", "false")
            for way in ("true", "false")
        )
        + "".join(
            f"<TorqueActuator name='torque_{way}'><bodyA>b</bodyA><bodyB>a</bodyB>"
            f"<torque_is_global>{way}</torque_is_global><axis>0.6 0 0.8</axis>"
            "<optimal_force>7</optimal_force></TorqueActuator>"
            for way in ("true", "false")
        )
        + "<PointToPointActuator name='pair'><bodyA>a</bodyA><bodyB>b</bodyB>"
        "<pointA>0.3 0.1 0</pointA><pointB>0 0.2 -0.3</pointB>"
        "<optimal_force>9</optimal_force></PointToPointActuator>"
    )


def test_actuators_act_under_controls(tmp_path, rng):
    file, model = imported(tmp_path, two_bodies(actuators()))
    report = model.import_report
    assert not model.elements and len(report.actuators) == 8
    assert not report.of_kind("not understood"), str(report)
    assert report.as_dict()["actuators"] == list(report.actuators)
    controls = {name: 1.5 + 0.1 * k for k, name in enumerate(report.actuators)}
    driven = fm.with_actuators(model, controls)
    assert len(driven.elements) == 8 and not model.elements
    assert_as_in_opensim(tmp_path, file, driven, rng, controls=controls)


def test_controls_in_time_and_files(tmp_path):
    _, model = imported(tmp_path, two_bodies(actuators()))
    table = tmp_path / "controls.sto"
    table.write_text(
        "controls\nversion=1\nnRows=2\nnColumns=3\ninDegrees=no\nendheader\n"
        "time\tmotor\t/forceset/point_false_false\n0\t0\t1\n1\t2\t3\n"
    )
    driven = fm.with_actuators(model, table)
    motor, point = driven.element("motor"), driven.element("point_false_false")
    assert motor.force(0.5) == pytest.approx(8.0)
    assert_allclose(point.value("force", 0.5), 10.0 * np.array([1, 2, -1]) / np.sqrt(6.0))
    pair = fm.with_actuators(model, {"pair": fm.Linear(2.0, 1.0)}).element("pair")
    assert pair.force(1.0) == pytest.approx(27.0)
    for controls, words in (
        ({"moter": 1.0}, "no actuator 'moter' .*motor"),
        ({"motor": "up"}, "control = 'up'"),
        ({"motor": lambda t: t}, "control = "),
        (3.0, "a dict by name, Signals or a file"),
    ):
        with pytest.raises(fm.ModelError, match=words):
            fm.with_actuators(model, controls)


def test_pairs_refuse_one_body():
    model = fm.Model("m")
    body = model.add(fm.Body("b", 1.0, (0, 0, 0), (1.0, 1.0, 1.0)))
    with pytest.raises(fm.ModelError, match="another body"):
        fm.TorquePair("t", body, body, 1.0)
    with pytest.raises(fm.ModelError, match="another body"):
        fm.ForcePair("t", body.at(0, 0, 0), body.at(1, 0, 0), 1.0)
    with pytest.raises(fm.ModelError, match="frame = 'hand'"):
        fm.TorquePair("t", body, model.ground, 1.0, frame="hand")


SPACE = (
    "<ContactHalfSpace name='floor'><socket_frame>/ground</socket_frame>"
    "<location>0 -0.1 0</location><orientation>0.1 0.2 -1.5</orientation></ContactHalfSpace>"
)


def test_contact_of_spheres(tmp_path, rng):
    surfaces = SPACE + sphere("ball", "/bodyset/b", "0.1 -0.2 0.1", 0.9)
    surfaces += sphere("other", "/ground", "-0.3 0.9 0.2", 0.8)
    more = f"<ContactGeometrySet><objects>{surfaces}</objects></ContactGeometrySet>"
    forces = (
        hunt_crossley("plane", "ball", "floor")
        + hunt_crossley("balls", "other", "ball")
        + "<SmoothSphereHalfSpaceForce name='smooth'>"
        "<socket_sphere>/contactgeometryset/ball</socket_sphere>"
        "<socket_half_space>/contactgeometryset/floor</socket_half_space>"
        + RUBBING.format(3e5, 0.2)
        + "<transition_velocity>0.3</transition_velocity></SmoothSphereHalfSpaceForce>"
    )
    file, model = imported(tmp_path, two_bodies(forces, more=more))
    assert not model.import_report.of_kind("not understood"), str(model.import_report)
    assert [one.name for one in model.elements] == ["plane", "balls", "smooth"]
    assert_as_in_opensim(tmp_path, file, model, rng)


def test_points_in_frames_beside_a_body(tmp_path, rng):
    """OpenSim takes them without the offset: it agrees once they are written on the bodies."""
    spring = (
        "<PointToPointSpring name='spring'><socket_body1>/bodyset/a</socket_body1><socket_body2>"
        "/jointset/knee/in_child</socket_body2><point1>0.1 0 0</point1><point2>0.2 0.1 0</point2>"
        "<stiffness>40</stiffness><rest_length>0.1</rest_length></PointToPointSpring>"
    )
    _, found = imported(tmp_path, two_bodies(spring))
    (note,) = found.import_report.of_kind("note")
    assert "OpenSim 4.6 takes it in the body, without the offset" in note.text
    (own,) = found.elements
    turn = Rotation.from_euler("XYZ", [-0.3, 0.1, 0.5])
    place = np.array([-0.05, 0.1, 0.02]) + turn.apply([0.2, 0.1, 0.0])
    np.testing.assert_allclose(own.second.position, place, atol=1e-15)
    written = fm.write_osim(found, tmp_path / "written.osim")
    assert not [one for one in fm.read_osim(written).import_report.entries if "offset" in one.text]
    assert_as_in_opensim(tmp_path, written, found, rng)

"""Actuators of a file, and forces of formulas and points, act as in OpenSim."""

import numpy as np
import pytest
from force_texts import LAGGING, along_paths, on_bodies, standing
from osim_text import PATH, body, joint, model, two_bodies
from test_osim_forces import assert_as_in_opensim, imported, in_opensim, random_states

import fibermsk as fm
from fibermsk.system.contribution import Sums


def rate_of_state(system, name, q, p, t):
    """Rate of the only state of an element, from its row."""
    y, v = system.initial_state()
    names = system.skeleton.coordinates
    system.split(y)[1][:] = [q[one] for one in names]
    system.split(v)[1][:] = [p[one] for one in names]
    found = []
    for rate in (0.0, 1.0):
        v[-system.configuration.states.n :] = rate
        at, _ = system.configuration.at(t, y, v, np.zeros_like(v))
        lines = np.zeros((0, 3, 6, 6))
        sums = Sums.zero(system.skeleton, at, np.zeros_like(at.nodes), lines, None)
        system.named_elements[name].add(at, sums)
        found.append(sums.states.row)
    slope = found[1] - found[0]
    k = int(np.flatnonzero(slope)[0])
    return -found[0][k] / slope[k]


def test_actuators_of_paths_bodies_and_with_a_lag(tmp_path, rng):
    file, found = imported(tmp_path, two_bodies(along_paths() + on_bodies() + LAGGING))
    report = found.import_report
    assert not found.elements and len(report.actuators) == 10
    # its activation falls from a start without any control
    (told,) = report.of_kind("not understood")
    assert "ActivationCoordinateActuator does NOT ACT without a control" in told.text
    controls = {"cord": 1.7, "braid": 90.0, "clutch": 0.6, "tight": 1.4, "lag": 1.5}
    six = [0.3, -0.4, 0.5, 2.0, 3.0, -1.0]
    controls |= {name: six for name in report.actuators if name.startswith("body")}
    driven = fm.with_actuators(found, controls)
    assert len(driven.elements) == 9  # without "loose"
    assert_as_in_opensim(tmp_path, file, driven, rng, controls=controls | {"loose": 0.0})


def test_rates_of_their_states(tmp_path, rng):
    file, found = imported(tmp_path, two_bodies(along_paths() + LAGGING))
    controls = {"clutch": 0.6, "loose": 0.0, "lag": 1.5}
    system = fm.build(fm.with_actuators(found, controls))
    states = random_states(rng, found)
    rates = {"clutch": "stretch", "loose": "stretch", "lag": "activation"}
    theirs = in_opensim(tmp_path, file, states, controls=controls, rates=rates, only=list(rates))
    for name in rates:
        for at, wanted in zip(states, theirs[name], strict=True):
            ours = rate_of_state(system, name, at["q"], at["p"], at["t"])
            assert ours == pytest.approx(wanted[""], rel=1e-9)
            assert abs(ours) > 1e-3


def test_formulas_of_paths(tmp_path, rng):
    forces = "".join(
        f"<ExpressionBasedPathForce name='{name}'>{PATH}<resting_length>{rest}</resting_length>"
        f"<expression>{formula}</expression><clamp_stretch>{clamp}</clamp_stretch>"
        "</ExpressionBasedPathForce>"
        for name, rest, formula, clamp in (
            ("short", 0.2, "300*s^2*(1+0.4*ldot)", "true"),
            ("slack", 3.0, "3+300*s+ldot", "true"),
            ("pushes", 3.0, "30*s+tanh(ldot)", "false"),
        )
    )
    file, found = imported(tmp_path, two_bodies(forces))
    assert not found.import_report.of_kind("not understood"), str(found.import_report)
    assert_as_in_opensim(tmp_path, file, found, rng)


PLACE = "<location>0.1 -0.2 0.05</location>"


def with_stations(forces):
    """Two bodies, the second with a station of its own and a marker."""
    station = f"<Station name='sole'><socket_parent_frame>..</socket_parent_frame>{PLACE}</Station>"
    marker = "<MarkerSet><objects><Marker name='toe'><socket_parent_frame>/bodyset/a"
    marker += f"</socket_parent_frame>{PLACE}</Marker></objects></MarkerSet>"
    text = two_bodies(forces, more=marker)
    return text.replace('<Body name="b">', f'<Body name="b"><components>{station}</components>')


def test_contact_of_points(tmp_path, rng):
    forces = standing("/bodyset/b/sole") + standing("/markerset/toe", "of_marker")
    file, found = imported(tmp_path, with_stations(forces))
    assert not found.import_report.of_kind("not understood"), str(found.import_report)
    assert_as_in_opensim(tmp_path, file, found, rng)


def test_a_contact_names_its_point(tmp_path):
    with pytest.raises(fm.ModelError, match="names no Station; must name a Station"):
        imported(tmp_path, with_stations(standing("/bodyset/b/hand")))


def test_six_controls_by_name_and_by_columns(tmp_path):
    _, found = imported(tmp_path, two_bodies(on_bodies()))
    name = "body_false_true"
    whole = fm.with_actuators(found, {name: [0, 0, 3, fm.Linear(2.0), 0, 1]}).element(name)
    assert np.asarray(whole.value("torque", 0.5)).tolist() == [0.0, 0.0, 3.0]
    assert np.asarray(whole.value("force", 0.5)).tolist() == [1.0, 0.0, 1.0]
    parts = fm.with_actuators(found, {f"{name}_2": 3.0, f"{name}_3": 4.0}).element(name)
    assert np.asarray(parts.value("torque", 0.0)).tolist() == [0.0, 0.0, 3.0]
    assert np.asarray(parts.value("force", 0.0)).tolist() == [4.0, 0.0, 0.0]
    table = tmp_path / "controls.csv"
    table.write_text(f"time,/forceset/{name}_4\n0,0\n1,2\n")
    assert fm.with_actuators(found, table).element(name).value("force", 0.5)[1] == 1.0
    for controls, words in (
        ({name: [1.0, 2.0]}, "must be 6 numbers or functions"),
        ({name: 1.0}, "must be 6 numbers or functions"),
        ({f"{name}_6": 1.0}, "no actuator"),
    ):
        with pytest.raises(fm.ModelError, match=words):
            fm.with_actuators(found, controls)


def test_actuators_of_changed_models_have_their_bodies(tmp_path):
    _, found = imported(tmp_path, two_bodies(along_paths()))
    heavier = fm.with_parameters(found, {"a/mass": 9.0})
    cord = fm.with_actuators(heavier, {"cord": 1.0}).element("cord")
    assert cord.points[1].body is heavier.body("a") is not found.body("a")


def test_a_held_coordinate_is_told(tmp_path):
    knee = joint("PinJoint", "knee", "ground", "b", ["bend"])
    knee = knee.replace("<range>", "<locked>true</locked><range>")
    _, found = imported(tmp_path, model(body("b"), knee, forces=LAGGING))
    with pytest.warns(fm.ModelWarning, match="have no effect: lag"):
        assert not fm.with_actuators(found, {"lag": 1.0}).elements


def test_columns_of_nothing_are_refused_with_those_that_exist(tmp_path):
    _, found = imported(tmp_path, two_bodies(along_paths()))
    table = tmp_path / "controls.csv"
    table.write_text("time,cord,chord\n0,0,0\n1,2,1\n")
    for act in (fm.with_actuators, fm.with_muscle_forces):
        with pytest.raises(
            fm.ModelError, match=r"columns 'chord'; must be .* actuators cord, braid"
        ):
            act(found, table)

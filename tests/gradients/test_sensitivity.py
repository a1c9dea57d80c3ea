"""Sensitivities of scenes, and runs that start in an equilibrium."""

import json

import numpy as np
import pytest
from gradients.test_run_gradients import TIGHT, muscles_with_states, objective, worst
from scenes_of_tests import two_link_arm
from typer.testing import CliRunner

import fibermsk as fm
from fibermsk.cli.main import app
from fibermsk.gradients.changes.entries import entries_of
from fibermsk.gradients.changes.variations import changes_of
from fibermsk.gradients.quantity import quantity_of
from fibermsk.solvers.adjoint import sweeps
from fibermsk.solvers.adjoint.trajectory import Trajectory

CASES = {
    "states": (
        muscles_with_states,
        ["line/max_isometric_force", "line/activation/start", "fiber/tissue/titin/stress",
         "fiber/attach/origin/y", "bone/mass", "fiber/radius", "model/gravity/y"],
    ),
    "contact": (
        two_link_arm, ["fiber_0/tissue/muscle/shear_modulus", "contacts/0/stiffness", "elbow/at/z"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_start_in_equilibrium_follows_the_parameters(case):
    make, paths = CASES[case]
    model = make()
    run = fm.Simulation(model, 4e-3, 1e-3, newton=TIGHT, start="equilibrium")
    assert worst(run, objective(model), paths) < 1e-6


def test_equilibria_ahead_and_back_agree():
    model = muscles_with_states()
    run = fm.Simulation(model, 4e-3, 1e-3, newton=TIGHT, start="equilibrium")
    system, trajectory = run.system(), Trajectory()
    run.run(system, trajectory)
    entries = entries_of(system, ["line/max_isometric_force", "bone/mass"])
    changes = changes_of(system, entries)
    rng = np.random.default_rng(3)
    bars = tuple(rng.normal(size=system.n) for _ in range(2))
    *_, back = sweeps.pull(system, trajectory, {4: bars}, changes, 2, at_rest=True)
    none = np.zeros(system.n), np.zeros(system.n)
    for k, one in enumerate(np.eye(2)):
        ahead = sweeps.push(system, trajectory, none, one, changes, at_rest=True)[4]
        assert back[k] == pytest.approx(
            sum(a @ b for a, b in zip(ahead, bars, strict=True)), rel=1e-7
        )


@pytest.mark.parametrize(
    "of",
    [
        "q1_max",
        "q2_end",
        *(pytest.param(one, marks=pytest.mark.slow) for one in ("q2/speed_min", "q1_mean")),
    ],
)
def test_quantities_are_those_of_the_result(of):
    scene = fm.make_scene("two_bones", duration=0.4, steps=40)
    found = fm.sensitivity(scene, of, "first/mass")
    result, name = found.found.result, of.rpartition("_")[0]
    series = result.speeds["q2"] if name == "q2/speed" else result.coordinates[name]
    expected = {
        "q1_max": series.max(), "q2/speed_min": series.min(), "q2_end": series[-1],
        "q1_mean": np.trapezoid(series, result.time) / result.time[-1],
    }[of]  # fmt: skip
    assert found.found.value == pytest.approx(expected, abs=1e-12)
    assert found.unit == ("rad/s" if "speed" in of else "rad")


@pytest.mark.parametrize(
    "of, words",
    [
        ("q1", "one of the ends _max"),
        ("q9_end", "'q9'; must be one of q1, q2, q1/speed"),
        ("angle_max", "one of q1, q2"),
    ],
)
def test_unknown_quantities_are_refused(of, words):
    scene = fm.make_scene("two_bones", duration=0.05, steps=5)
    with pytest.raises(fm.ModelError, match=words):
        fm.sensitivity(scene, of, "first/mass")


def test_a_maximum_that_comes_twice_has_the_derivative_of_the_first():
    """As in a motion that repeats itself: along other directions there is a kink."""
    system = fm.build(fm.make_scene("upper_limb", elements=2).model)
    aim = quantity_of(system, "angle_max").objective
    time, x = np.arange(5.0), np.array([0.1, 0.95, 0.3, 0.95, 0.2])
    np.testing.assert_array_equal(aim.derivatives(time, {"x": x})["x"], [0, 1, 0, 0, 0])


def test_slopes_of_a_maximum_are_compared_on_one_side_of_its_kink():
    aim = fm.Objective(
        lambda time, x: x.max(), {"x": "q1"}, slopes=lambda time, x: {"x": 1.0 * (x == x.max())}
    )
    x = np.array([0.2, 0.95, 0.95 + 3e-9])
    np.testing.assert_array_equal(aim.derivatives(np.arange(3.0), {"x": x})["x"], [0, 0, 1])


def test_the_only_angle():
    system = fm.build(fm.make_scene("upper_limb", elements=2).model)
    assert quantity_of(system, "angle_max").objective.reads == {"x": "elbow_flexion"}


def run_command(*arguments):
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    return done


def test_command(tmp_path):
    arguments = ["sensitivity", "upper_limb", "--set", "elements=2", "steps=20", "duration=0.5"]
    arguments += ["--of", "angle_max", "--to", "forearm/mass", "--to", "biceps_1/tissue/density"]
    told = json.loads(run_command(*arguments, "--json").stdout)
    assert told["quantity"] == "angle_max" and told["unit"] == "rad"
    assert (
        set(told["gradient"])
        == {"forearm/mass", "biceps_1/tissue/density"}
        == set(told["parameters"])
    )
    assert told["parameters"]["forearm/mass"]["unit"] == "kg"
    scene = ["--param", "forearm/mass={}"]
    h, values = 1e-3, []
    for mass in (1.5 + h, 1.5 - h):
        other = [*arguments[:-2], *scene[:1], scene[1].format(mass)]
        values.append(json.loads(run_command(*other, "--json").stdout)["value"])
    slope = (values[0] - values[1]) / (2.0 * h)
    assert told["gradient"]["forearm/mass"] == pytest.approx(slope, rel=1e-5)
    for name in ("s.png", "s.csv"):
        run_command(*arguments, "--out", str(tmp_path / name))
        assert (tmp_path / name).stat().st_size > 100
    assert (tmp_path / "s.csv").read_text().startswith("parameter,value,unit,derivative")

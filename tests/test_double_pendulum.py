"""The double pendulum with a massive muscle, against plain NumPy."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from verify.problem_files import load_module, load_problem

import fibermsk as fm
from fibermsk.solvers import accelerations
from fibermsk.verify import run_problem

plain = load_module("inertial_muscles").plain
STATES = [(0.5, -0.9), (0.7, -0.28), (-0.3, -0.1), (0.4, 0.9)]


@pytest.mark.parametrize("mass", ["continuous", "points"])
@pytest.mark.parametrize("muscle", ["I", "II", "III"])
def test_accelerations_are_those_of_plain_numpy(rng, muscle, mass):
    system = fm.build(fm.make_scene("double_pendulum", muscle=muscle, mass=mass).model)
    places = None if mass == "continuous" else (np.arange(20) + 0.5) / 20
    for state in STATES:
        q, p = np.array(state), rng.normal(size=2)
        expected = plain.accelerations(q, p, plain.PATHS[muscle], points=places)
        found = accelerations(system, 0.0, q.copy(), p)
        np.testing.assert_allclose(found, expected, atol=1e-8 * np.abs(expected).max())


def test_muscles_without_a_law_are_in_the_result(tmp_path):
    result = fm.simulate_scene(
        fm.make_scene("double_pendulum", muscle="III", duration=0.1, steps=5)
    )
    muscle = result.muscles["muscle"]
    assert list(muscle.fields) == [
        "length", "lengthening_speed", "length_jump", "moment_arm/q1", "moment_arm/q2",
    ]  # fmt: skip
    ends = [plain.on_bone(k, [result.coordinate(q)[-1] for q in ("q1", "q2")], x)
            for k, x in plain.PATHS["III"].points]  # fmt: skip
    np.testing.assert_allclose(muscle.path[-1, [0, -1]], np.real(ends), atol=1e-12)
    assert muscle["length"][-1] > np.linalg.norm(np.subtract(*np.real(ends))) - 1e-12
    fm.save(result, tmp_path / "r.h5")
    again = fm.load(tmp_path / "r.h5").muscles["muscle"]
    np.testing.assert_array_equal(again.path, muscle.path)
    assert np.isnan(again.drawn.activation).all()  # drawn, in no color


@pytest.mark.parametrize("field, value", [("muscle", "IV"), ("mass", "none"), ("wrapping", "x")])
def test_wrong_options_are_refused(field, value):
    with pytest.raises(fm.ModelError, match=f"{field} = '{value}'; must be one of"):
        fm.make_scene("double_pendulum", **{field: value})


@pytest.mark.slow
@pytest.mark.parametrize("mass", ["continuous", "points"])
@pytest.mark.parametrize("muscle, until", [("I", 5.0), ("II", 5.0), ("III", 2.0)])
def test_default_runs_are_converged(muscle, until, mass):
    scene = fm.make_scene("double_pendulum", muscle=muscle, mass=mass)
    steps = round(until / scene.duration * scene.steps)
    result = fm.simulate_scene(replace(scene, duration=until, steps=steps))
    system = fm.build(scene.model)

    def rate(t, z):
        return np.r_[z[2:], accelerations(system, t, z[:2].copy(), z[2:].copy())]

    start = np.concatenate(system.initial_state())
    # whose steps shrink where a mass point passes the via point: the jump is met to 1e-10
    exact = solve_ivp(rate, (0.0, until), start, method="DOP853", rtol=1e-10, atol=1e-10)
    found = [result.coordinate(name)[-1] for name in ("q1", "q2")]
    np.testing.assert_allclose(found, exact.y[:2, -1], atol=3e-4, rtol=0.0)


@pytest.mark.slow
def test_energies_orders_and_times():
    outcome = run_problem(load_problem("inertial_muscles"), {"duration": 0.3})
    assert outcome.passed, [(row.quantity, row.ours) for row in outcome.rows if not row.passed]
    assert abs(outcome.values["refraction_J"]) < 5e-5


@pytest.mark.slow
def test_wrapping_is_as_accurate_as_told():
    outcome = run_problem(load_problem("wrapping_with_mass"), {})
    assert outcome.passed, [(row.quantity, row.ours) for row in outcome.rows if not row.passed]
    found = outcome.values
    assert found["network_ratio"] > 10.0
    assert abs(found["switching_J"]) < 5e-5
    assert found["position_mm_network"] < found["position_mm_blend"]


def test_a_short_run_of_wrapping_is_refused():
    with pytest.raises(fm.ModelError, match="duration = 0.1 s; must be in"):
        load_module("wrapping_with_mass").run(0.1)

"""Problems beyond the paper: each at a coarse setting against its answer, and with its order."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import fibermsk as fm

FOLDER = Path(__file__).parents[2] / "verification"

COARSE = {
    "axial_wave": {"elements": 16, "steps": 48},
    "capstan": {"mu": 0.5, "angle": 90.0, "elements": 24, "steps": 50},
    "creep_relaxation": {"elements": 4, "steps": 32},
    "force_length": {"elements": 2, "stretches": 5, "activation": 0.4},
    "hanging_cable": {"elements": 7},
    "mesh_contact": {"shape": "sphere", "level": 1},
    "pendulum_on_fiber": {"elements": 2, "steps": 48},
    "rigid_pendulums": {"steps": 48},
    "rigid_trees": {"hinges": 6, "trees": 2, "seed": 3},
    "string_frequencies": {"elements": 8, "steps": 24},
    "string_line_load": {"elements": 8},
    "wrap_cylinder": {"elements": 20, "angle": 105.0},
    "wrapping_sweep": {"case": "ellipsoid, cylinder", "stride": 20},
}


def load(name):
    """Module of a problem."""
    spec = importlib.util.spec_from_file_location(f"verification_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def errors(problem, settings, names):
    """Differences of run() from the answers (n_settings, n_names)."""
    found = []
    for setting in settings:
        values, answers = problem.run(**setting), problem.expected(**setting)
        found.append([values[name] - answers[name].value for name in names])
    return np.abs(found)


def plain_errors(problem, measured, names):
    """Differences of what is measured without extrapolation from the answers."""
    answers = problem.expected()
    return np.abs([[found[name] - answers[name].value for name in names] for found in measured])


def orders(found):
    """Orders of convergence at each halving."""
    found = np.abs(np.asarray(found))
    return np.log2(found[:-1] / found[1:])


@pytest.mark.parametrize("name", COARSE)
def test_answer(name):
    if name == "rigid_trees":
        pytest.importorskip("pinocchio")
    problem = load(name)
    values, answers = problem.run(**COARSE[name]), problem.expected(**COARSE[name])
    assert set(values) == set(answers)
    for quantity, value in values.items():
        answer = answers[quantity]
        assert np.isfinite(value) and answer.tolerance > 0.0 and answer.why
        assert abs(value - answer.value) <= answer.tolerance, quantity


def test_statics_have_the_order_of_cubic_elements():
    """4 for points and 6 for end forces, reached from below."""
    problem = load("hanging_cable")
    sag, H = problem.exact()
    found = orders([problem.measure(n)[:2] - [sag, H] for n in (8, 16)])[0]
    np.testing.assert_allclose(found, [4.0, 6.0], atol=0.4)
    names = ["level_displacement_m", "level_tension_origin_N", "inclined_tension_insertion_N"]
    problem = load("string_line_load")
    found = orders(plain_errors(problem, [problem.measure(n) for n in (8, 16)], names))[0]
    np.testing.assert_allclose(found, [4.0, 6.0, 6.0], atol=0.55)


def test_frequencies_have_order_six():
    problem = load("string_frequencies")
    exact = problem.FIRST * np.arange(1, 4)
    found = orders([problem.eigenfrequencies(n)[:3] / exact - 1.0 for n in (8, 16)])[0]
    assert (found > [5.9, 5.7, 5.5]).all() and (found < 6.05).all()
    # the other transverse direction is the same string
    np.testing.assert_allclose(
        problem.eigenfrequencies(8, axis=1)[:5], problem.eigenfrequencies(8)[:5], rtol=1e-10
    )


def test_waves_have_the_phase_and_damping_of_the_method():
    problem = load("axial_wave")
    measured = []
    for steps in (32, 64):
        omega, decay = problem.rates(*problem.standing(16, steps))
        measured.append([omega * problem.LENGTH / np.pi - problem.SPEED, decay])
    np.testing.assert_allclose(orders(measured)[0], [2.0, 1.0], atol=0.05)


def test_creep_and_pull_have_the_order_of_the_method():
    problem = load("creep_relaxation")
    for method in (fm.BackwardEuler(), fm.SDIRK2()):
        found = [
            (problem.measure(8, n, method)[:-1] / problem.exact() - 1.0)[[1, 3]] for n in (16, 32)
        ]
        # SDIRK2 hits the pull of a prescribed motion with more than its own order
        assert orders(found)[0][0] == pytest.approx(method.order, abs=0.15)
        assert orders(found)[0][1] > method.order - 0.15


@pytest.mark.parametrize("p", [0.05, 0.8, 2.5])
def test_closed_form_of_creep_solves_the_equation(p):
    problem = load("creep_relaxation")

    def rate(t, stretch):
        return problem.MU / (3.0 * problem.ETA) * (1.0 + p * stretch**2 - stretch**3)

    t = np.array([0.1, 0.6, 2.0])
    found = solve_ivp(rate, (0.0, 2.0), [1.0], "DOP853", t, rtol=1e-12, atol=1e-13)
    exact = [problem.stretch_at(one, p) for one in t]
    np.testing.assert_allclose(exact, found.y[0], rtol=1e-10)


def test_double_pendulum_is_accurate():
    """Within 1e-5 rad of DOP853; a single run of backward Euler is 0.17 rad off."""
    problem = load("rigid_pendulums")
    answer = problem.expected()["double_2_rad"]
    runs = (problem.swing(problem.double, n, fm.SDIRK2())[0][-1, 1] for n in (128, 256))
    assert answer.tolerance <= 1e-5 and answer.holds(problem.richardson(*runs, 2))
    coarse = problem.swing(problem.double, 128, fm.BackwardEuler())[0][-1, 1]
    assert not answer.holds(coarse)


@pytest.mark.slow
@pytest.mark.parametrize("formulation", ["variational", "half_pass"])
def test_wrap_around_a_mesh(formulation):
    problem, setting = load("wrap_cylinder"), {"formulation": formulation, "around": 24}
    values, answers = problem.run(**setting), problem.expected(**setting)
    assert all(answers[name].holds(value) for name, value in values.items())


@pytest.mark.slow
@pytest.mark.parametrize("formulation", ["variational", "half_pass"])
def test_wrap_gets_better_with_the_mesh(formulation):
    names = ["tension_middle_N", "radius_middle_m", "end_moment_over_Td_middle"]
    meshes = [{"elements": n, "formulation": formulation} for n in (12, 13, 15, 36, 39, 45)]
    found = errors(load("wrap_cylinder"), meshes, names)
    # kinks inside elements: order 3, but not smoothly, so the worst of three meshes
    assert (found[3:].max(axis=0) < found[:3].max(axis=0) / 3.0**2).all()


def test_line_force_of_the_paper_is_tension_over_radius():
    values = load("wrap_cylinder").run(elements=48, formulation="half_pass")
    assert values["radius_over_penalty_law"] == pytest.approx(1.0, abs=1e-4)
    assert values["end_moment_over_Td_middle"] == pytest.approx(1.0, abs=1e-3)
    assert values["tension_spread_on_circle"] < 1e-3


def test_energy_of_the_pendulum_on_a_fiber_falls_with_the_step():
    problem = load("pendulum_on_fiber")
    defects = [
        problem.energy_balance(*problem.swing(2, n, fm.BackwardEuler()))["defect"]
        for n in (128, 256)
    ]
    for defect in defects:
        assert (np.diff(defect) < 1e-12).all()  # backward Euler never adds energy
    # vibrations of the fiber that coarse steps damp away hold the order below 1
    assert orders([defect[-1] for defect in defects])[0] > 0.7


@pytest.mark.parametrize(
    "name, setting",
    [
        ("axial_wave", {"elements": 4}),
        ("capstan", {"mu": 0.0}),
        ("creep_relaxation", {"steps": 15}),
        ("pendulum_on_fiber", {"steps": 4}),
        ("rigid_pendulums", {"steps": 4}),
        ("string_frequencies", {"elements": 2}),
        ("wrap_cylinder", {"angle": 180.0}),
    ],
)
def test_settings_without_an_answer_are_refused(name, setting):
    with pytest.raises(fm.ModelError, match=name):
        load(name).run(**setting)

"""The knee on splines: its energy, and how it differs from a hinge."""

import numpy as np
import pytest
from scenes_of_tests import load_scene
from verify.problem_files import load_module, load_problem

import fibermsk as fm
from fibermsk.solvers.newton.stage import State
from fibermsk.verify import run_problem

KNEE = load_scene("spline_knee")
PROBLEM = load_module("spline_knee")


METHODS = (fm.GeneralizedAlpha(1.0), fm.GeneralizedAlpha(0.8), fm.BDF2(), fm.SDIRK2())


def most_change(method, steps, duration):
    """Largest change of the energy over all steps [J]."""
    system = fm.build(KNEE.scene(elements=4).model)
    y, v = system.initial_state()
    memory = method.start(system, State(0.0, y, v))
    newton = fm.Newton(tolerance=1e-10)
    start, change = system.energy(y, v).total, 0.0
    for _ in range(steps):
        memory = method.step(system, newton, memory, duration / steps).memory
        here = system.energy(memory.state.y, memory.state.v).total
        change = max(change, abs(here - start))
    return change


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_energy_holds_to_second_order_between_the_points_of_the_splines(method):
    # to q = -1.40, where the first piece ends
    rough, fine = (most_change(method, steps, 0.10) for steps in (80, 320))
    assert fine < 1e-6
    # the energy of BDF2 and of SDIRK2 is better than their order
    assert np.log2(rough / fine) / 2.0 > 1.85


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_energy_holds_over_the_swing(method):
    # the shank falls by 18 cm and gains 6 J
    steps = np.array([100, 200, 400, 800])
    changes = np.array([most_change(method, n, 0.4) for n in steps])
    assert changes[0] < 5e-3 and changes[-1] < 1e-4
    # At its points a cubic spline's third derivative jumps, and with it the slope of the force: a
    # step across one has an error of its own, of second order too, but with a factor that depends
    # on where in the step the point lies. So the order shows over many steps only.
    assert 1.5 < -np.polyfit(np.log(steps), np.log(changes), 1)[0] < 2.7, changes


@pytest.fixture(scope="module")
def swings():
    return {
        joint: fm.simulate_scene(KNEE.scene(joint=joint, elements=4))
        for joint in ("spline", "hinge")
    }


def test_the_center_moves_on_the_spline_only(swings):
    spline, hinge = swings["spline"], swings["hinge"]
    q, center = spline.coordinate("knee"), spline.bodies["shank"].position
    np.testing.assert_allclose(center[:, 0], fm.NaturalSpline(*KNEE.X)(q), atol=1e-12)
    np.testing.assert_allclose(center[:, 1], fm.NaturalSpline(*KNEE.Y)(q), atol=1e-12)
    assert np.ptp(center[:, 1]) > 0.01
    assert np.ptp(hinge.bodies["shank"].position, axis=0).max() < 1e-12


def test_motion_differs_from_that_of_a_hinge(swings):
    q, other = (result.coordinate("knee") for result in swings.values())
    assert q[0] == other[0] == -1.6
    assert q.max() > 0.5 and other.max() > 0.5  # both swing through
    assert 0.02 < np.abs(q - other).max() < 1.0


def test_muscle_has_its_mass_and_stays_taut(swings):
    for result in swings.values():
        muscle = result.fibers["muscle"]
        assert result.status == "success" and not result.slack
        assert muscle.axial_force.min() > 5.0
        length = np.linalg.norm(np.diff(muscle.position[0], axis=0), axis=1).sum()
        volume = np.pi * muscle.radius[0, 0] ** 2 * length
        assert 1060.0 * volume == pytest.approx(0.6, rel=1e-9)


def test_mass_of_the_muscle_is_felt(swings):
    # the same forces, a tenth of the mass
    light = fm.simulate_scene(
        KNEE.scene(elements=4, muscle_mass=0.06, prestress=2e5, shear_modulus=2e5)
    )
    change = light.coordinate("knee") - swings["spline"].coordinate("knee")
    assert np.abs(change).max() > 0.02


def test_inertia_of_the_shank_depends_on_the_angle_on_the_spline_only():
    angles = [(-1.6,), (-0.8,), (0.0,)]
    spline, hinge = (
        [float(fm.skeleton(KNEE.scene(joint).model).mass_matrix(q)[0, 0]) for q in angles]
        for joint in ("spline", "hinge")
    )
    exact = 0.05 + 3.5 * 0.187**2
    np.testing.assert_allclose(hinge, exact, rtol=1e-12)
    assert np.ptp(spline) > 1e-3 and np.abs(np.array(spline) / exact - 1.0).max() > 0.01


def test_parameters_are_checked():
    with pytest.raises(fm.ModelError, match="'spline' or 'hinge'"):
        KNEE.scene(joint="ball")


@pytest.mark.parametrize("joint", ["spline", "hinge"])
def test_inertia_and_arm_of_a_massive_line_are_those_of_plain_numpy(joint):
    model = PROBLEM.scene(joint=joint, muscle="line").model
    for angle in (-1.9, -1.0, -0.1, 0.3):
        np.testing.assert_allclose(
            PROBLEM.ours(model, angle), PROBLEM.plain(model, angle), rtol=1e-8
        )


@pytest.mark.slow
def test_energy_with_a_line_muscle_with_and_without_force():
    outcome = run_problem(load_problem("spline_knee"), {"duration": 0.3})
    assert outcome.passed, [(row.quantity, row.ours) for row in outcome.rows if not row.passed]

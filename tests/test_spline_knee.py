"""The knee on splines: its energy, and how it differs from a hinge."""

import numpy as np
import pytest
from scenes_of_tests import load_scene

import fibermsk as fm
from fibermsk.solvers.stage import State

KNEE = load_scene("spline_knee")


def energies(method, steps, duration=0.4):
    """Energy at every step [J], and the last state."""
    system = fm.build(KNEE.scene(elements=4).model)
    y, v = system.initial_state()
    memory = method.start(system, State(0.0, y, v))
    newton = fm.Newton(tolerance=1e-10)
    total = [system.energy(y, v).total]
    for _ in range(steps):
        memory = method.step(system, newton, memory, duration / steps).memory
        total.append(system.energy(memory.state.y, memory.state.v).total)
    return np.array(total), memory.state


@pytest.mark.parametrize(
    "method", [fm.GeneralizedAlpha(1.0), fm.GeneralizedAlpha(0.8), fm.BDF2(), fm.SDIRK2()], ids=repr
)
def test_energy_holds_to_second_order(method):
    swings, ends = [], []
    for steps in (100, 200, 400):
        total, state = energies(method, steps)
        swings.append(np.abs(total - total[0]).max())
        ends.append(state.y[-1])
    # the shank falls by 10 cm, some 4 J
    assert swings[0] < 1e-3
    order = np.log2(swings[0] / swings[2]) / 2.0
    assert 1.8 < order < 2.6, swings
    # and the angle, which is the last unknown
    assert 1.7 < np.log2((ends[0] - ends[1]) / (ends[1] - ends[2])) < 2.6


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


def test_its_mass_makes_the_swing_slower(swings):
    light = fm.simulate_scene(
        KNEE.scene(elements=4, muscle_mass=0.06, prestress=2e5, shear_modulus=2e5)
    )
    heavy = swings["spline"]
    # the same forces, a tenth of the mass
    first = [np.argmax(result.coordinate("knee") > 0.0) for result in (light, heavy)]
    assert first[0] < first[1]


def test_parameters_are_checked():
    with pytest.raises(fm.ModelError, match="'spline' or 'hinge'"):
        KNEE.scene(joint="ball")

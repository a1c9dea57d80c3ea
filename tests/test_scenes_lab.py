"""The contracting fiber: isometric, isotonic and quick release, against the law written anew."""

import numpy as np
import pytest
from scenes_of_tests import load_scene
from scipy.optimize import brentq

import fibermsk as fm

LAB = load_scene("contracting_fiber")
AREA = np.pi * LAB.RADIUS**2
TOTAL = LAB.LENGTH + 2.0 * LAB.TENDON
THETA = (np.arange(400) + 0.5) / 400
FRACTION = LAB.muscle_fraction(THETA)
AREAS = AREA * (LAB.SLENDER + (1.0 - LAB.SLENDER) * FRACTION) ** 2
WEIGHT = 1060.0 * 9.81 * AREAS.mean() * TOTAL  # of the fiber [N]


def law(stretch, activation, fraction=1.0):
    """Static nominal stress [N/m^2], from the papers and not from the package."""
    tissue = LAB.tissue()
    mu = fraction * tissue.muscle.shear_modulus + (1 - fraction) * tissue.tendon.shear_modulus
    active = tissue.active
    bell = np.exp(-(((stretch / active.optimal_stretch - 1.0) / active.width) ** 2))
    cauchy = fraction * activation * active.max_stress * bell + tissue.prestress
    return mu * (stretch - stretch**-2) + cauchy / stretch


def isometric_force(length, activation=1.0):
    """Force of muscle and tendons in series, held at a length over that of the reference."""
    stretch = np.linspace(0.8, 1.1, 3001)
    force = AREAS[:, None] * law(stretch, activation, FRACTION[:, None])
    rising = np.minimum(force.argmax(axis=1) + 1, stretch.size)

    def longer(held):
        rows = zip(force, rising, strict=True)
        return np.mean([np.interp(held, f[:n], stretch[:n]) for f, n in rows]) - length

    return brentq(longer, 1e-3, force.max(axis=1).min(), xtol=1e-7)


def run(**parameters):
    result = fm.simulate_scene(LAB.scene(**parameters))
    assert result.status == "success" and not result.slack
    assert result.stats["failed_steps"] == 0
    return result


def forces(result):
    """Pulls of the muscle on both ends [N]."""
    muscle = result.fibers["muscle"]
    return [np.linalg.norm(end, axis=1) for end in (muscle.force_origin, muscle.force_insertion)]


@pytest.fixture(scope="module")
def tetanus():
    return run(experiment="isometric")


def test_isometric_force_is_that_of_the_law(tetanus):
    top, bottom = forces(tetanus)
    exact = isometric_force(1.0)
    # the fiber hangs: its weight is the difference of both ends
    np.testing.assert_allclose(0.5 * (top[-1] + bottom[-1]), exact, rtol=2e-3)
    np.testing.assert_allclose(top[-1] - bottom[-1], WEIGHT, rtol=1e-2)
    # at rest, before the stimulus, the prestress alone
    rest = tetanus.time < LAB.TETANUS.start
    np.testing.assert_allclose(
        0.5 * (top + bottom)[rest], isometric_force(1.0, activation=0.0), rtol=1e-2
    )
    # about what the preparation was chosen for
    assert 0.9 < exact / (LAB.ISOMETRIC * AREA) < 1.1


def test_tendons_give_way_in_the_tetanus_as_in_hills_experiments(tetanus):
    muscle = tetanus.fibers["muscle"]
    middle = muscle.theta.size // 2
    assert muscle.stretch[-1, middle] < 0.99
    assert muscle.stretch[-1, 0] == pytest.approx(1.05, abs=0.01)


def test_isometric_force_grows_with_area_and_activation(tetanus):
    plateau = forces(tetanus)[0][-1]
    thick = run(experiment="isometric", radius=2 * LAB.RADIUS, steps=150)
    assert forces(thick)[0][-1] == pytest.approx(4.0 * plateau, rel=2e-3)
    half = run(experiment="isometric", activation=0.5, steps=150)
    top, bottom = forces(half)
    assert 0.5 * (top[-1] + bottom[-1]) == pytest.approx(isometric_force(1.0, 0.5), rel=3e-3)


def test_isotonic_force_is_the_load_and_its_inertia():
    result = run(experiment="isotonic", load=0.4)
    bottom, lift, t = forces(result)[1], result.coordinate("lift"), result.time
    load = 0.4 * LAB.ISOMETRIC * AREA
    mass = load / 9.81
    lifted = (t > 0.15) & (t < t[-1])
    acceleration = np.gradient(np.gradient(lift, t), t)
    np.testing.assert_allclose(bottom[lifted], (load + mass * acceleration)[lifted], rtol=2e-2)
    # the oscillation on the tendons fades: the force is the load, while the muscle shortens
    steady = t > 0.4
    np.testing.assert_allclose(bottom[steady], load, rtol=5e-3)
    assert (np.diff(lift[steady]) > 0.0).all() and lift[-1] > 0.3 * LAB.LENGTH
    # before it is lifted the weight rests on its support
    assert np.abs(lift[t < LAB.TETANUS.start]).max() < 2e-4


def test_speed_of_the_belly_is_that_of_the_viscosity():
    result = run(experiment="isotonic", load=0.4)
    muscle, t = result.fibers["muscle"], result.time
    middle = muscle.theta.size // 2
    stretch, force = muscle.stretch[:, middle], muscle.tissue_force[:, middle]
    viscosity = LAB.tissue().muscle.viscosity
    rate = (force / AREA - law(stretch, 1.0)) * stretch**2 / (3.0 * viscosity)
    steady = (t > 0.3) & (t < t[-1])
    np.testing.assert_allclose(np.gradient(stretch, t)[steady], rate[steady], rtol=1e-2)
    assert rate[steady][0] < -0.4


def test_tissue_swings_where_muscle_becomes_tendon_and_the_axial_force_does_not():
    # the numbers of docs/limits.md
    swing, pull = [], []
    for elements in (16, 32):
        result = run(experiment="isotonic", steps=150, elements=elements)
        muscle = result.fibers["muscle"]
        swing.append([muscle.tissue_force[-1].min(), muscle.tissue_force[-1].max()])
        pull.append([end[-1] for end in forces(result)])
        low, high = sorted(pull[-1])
        assert low <= muscle.axial_force[-1].min() <= muscle.axial_force[-1].max() <= high
    np.testing.assert_allclose(swing, [[0.217, 0.326], [0.239, 0.286]], rtol=0.01)
    np.testing.assert_allclose(pull[0], pull[1], rtol=1e-3)
    np.testing.assert_allclose(pull, 0.4 * LAB.ISOMETRIC * AREA, rtol=6e-3)


def test_belly_thickens_as_it_shortens():
    muscle = run(experiment="isotonic", load=0.2, steps=150).fibers["muscle"]
    middle = muscle.theta.size // 2
    assert muscle.stretch[-1, middle] < 0.6
    np.testing.assert_allclose(
        muscle.radius[:, middle] ** 2 * muscle.stretch[:, middle], LAB.RADIUS**2, rtol=1e-12
    )


@pytest.mark.slow
def test_tension_drops_in_a_quick_release_and_recovers():
    drops = []
    for release in (2e-4, 4e-4):
        result = run(experiment="quick_release", release=release)
        top, t = forces(result)[0], result.time
        before = top[np.searchsorted(t, 0.59)]
        just_after = top[(t > 0.595) & (t < 0.62)].min()
        drops.append(1.0 - just_after / before)
        after = isometric_force(1.0 - release / TOTAL)
        assert top[-1] - 0.5 * WEIGHT == pytest.approx(after, rel=3e-3)
        # the muscle takes up what the tendons gave
        muscle = result.fibers["muscle"]
        middle = muscle.theta.size // 2
        shorter = muscle.stretch[np.searchsorted(t, 0.59), middle] - muscle.stretch[-1, middle]
        assert 0.5 < shorter * LAB.LENGTH / release < 1.5
    assert 0.2 < drops[0] < drops[1] < 0.8
    assert drops[1] > 1.6 * drops[0]


def test_wrong_parameters_are_refused():
    with pytest.raises(fm.ModelError, match="experiment = 'isokinetic'; must be one of"):
        LAB.scene(experiment="isokinetic")
    with pytest.raises(fm.ModelError, match="load = 1.2; must lie between 0 and 1"):
        LAB.scene(load=1.2)

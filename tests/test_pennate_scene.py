"""The pennate muscle: its architecture beside that of a Hill muscle, balance of its junctions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scenes_of_tests import load_scene
from tangents import tangent_error

import fibermsk as fm

PENNATE = load_scene("pennate_muscle")


@pytest.fixture(scope="module")
def run():
    scene = PENNATE.scene(steps=16)
    return scene, fm.simulate_scene(scene)


def test_fibers_turn_as_they_shorten(run):
    _, result = run
    found = PENNATE.shape(result)
    assert result.status == "success" and not result.softening
    assert found.fiber[-1] < 0.65 * found.fiber[0]
    angles = np.degrees(found.angle)
    assert angles[0] < 11.0 and angles[-1] > 17.0
    # the layer stays plane
    assert max(np.abs(fiber.position[..., 1]).max() for fiber in result.fibers.values()) < 1e-9


def test_beside_a_hill_muscle_that_lifts_the_same_weight(run):
    """Of the same tissue and relaxed architecture; nothing else is taken from the simulation."""
    _, result = run
    found = PENNATE.shape(result)
    hill = PENNATE.Hill.of_relaxed(found, 5)
    lifted = hill.lift(result.time, 1.5, 0.5)
    assert np.abs(found.length - lifted.length).max() < 0.02 * np.ptp(found.length)
    speed = -result.speeds["lift"]
    activation = [PENNATE.excited(0.5)(float(t)) for t in result.time]
    same = [hill.force(*one) for one in zip(found.length, speed, activation, strict=True)]
    assert_allclose(found.force, same, rtol=0.03)
    # thicker fibers push the aponeuroses apart: they turn more
    assert 1.02 < found.thickness[-1] / found.thickness[0] < 1.12
    assert found.angle[-1] > lifted.angle[-1]
    assert 1.0 < PENNATE.gearing(lifted) < PENNATE.gearing(found) < 1.05


def test_every_junction_is_in_balance(run):
    scene, result = run
    names = [body.name for body in scene.model.junctions]
    assert len(names) == 2 * 5
    for name in names:
        forces = fm.junction_forces(scene.model, result, name)
        assert len(forces) in (2, 3)
        largest = max(np.abs(force).max() for force in forces.values())
        assert_allclose(sum(forces.values()), 0.0, atol=1e-6 * largest)


def test_the_tangent_with_contact_and_junctions_is_exact(run, rng, monkeypatch):
    """Around the equilibrium under the weight, where the fibers touch each other."""
    system = fm.build(run[0].model)
    y, v = fm.equilibrium(system)
    assert run[1].min_admissibility[0] < 1.0
    monkeypatch.setattr(system, "initial_state", lambda: (y.copy(), v.copy()))
    for beta, alpha in ((0.0, 0.0), (50.0, 70.0)):
        assert tangent_error(system, rng, beta, alpha, bend=1e-4, h=1e-7) < 1e-8

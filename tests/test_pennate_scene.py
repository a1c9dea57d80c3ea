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
    assert angles[0] < 10.0 and angles[-1] > 15.0
    # the layer stays plane
    assert max(np.abs(fiber.position[..., 1]).max() for fiber in result.fibers.values()) < 1e-9


def test_the_muscle_shortens_more_than_its_fibers_and_than_a_hill_muscle(run):
    found = PENNATE.shape(run[1])
    hill = PENNATE.hill(found)
    assert 1.0 < PENNATE.gearing(hill) < PENNATE.gearing(found) < 1.05
    # thicker fibers push the aponeuroses apart
    assert 1.03 < found.thickness[-1] / found.thickness[0] < 1.12
    assert found.angle[-1] > hill.angle[-1]


def test_the_force_is_that_of_the_fibers_times_the_cosine(run):
    """The outer fibers, which are not part of the mean angle, are more oblique: up to 2 %."""
    found = PENNATE.shape(run[1])
    assert_allclose(found.force, found.pull * np.cos(found.angle), rtol=0.025)


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

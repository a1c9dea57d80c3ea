"""Scenes with contact: what must hold whatever the mesh is."""

import numpy as np
import pytest
from scenes_of_tests import load_scene

import fibermsk as fm

CROSS = load_scene("sliding_fibers")


def run(scene, **parameters):
    result = fm.simulate_scene(scene.scene(**parameters))
    assert result.status == "success" and not result.slack
    assert result.stats["failed_steps"] == 0
    return result


@pytest.fixture(scope="module")
def cross():
    return run(CROSS)


def held(fiber):
    """Force of a fiber on both of its ends together (n_frames, 3) [N]."""
    return fiber.force_origin + fiber.force_insertion


def crossing(first, second, frame):
    """Where two fibers are nearest: theta on each, and the tangents there."""
    theta = np.linspace(0.0, 1.0, 801)
    points = [fiber.centerline(theta, frame) for fiber in (first, second)]
    distance = np.linalg.norm(points[0][:, None] - points[1][None], axis=2)
    places = np.unravel_index(distance.argmin(), distance.shape)
    tangents = [np.gradient(p, axis=0)[k] for p, k in zip(points, places, strict=True)]
    return theta[list(places)], [t / np.linalg.norm(t) for t in tangents]


def test_crossing_travels_along_both_fibers(cross):
    upper, lower = cross.fibers.values()
    frames = np.searchsorted(cross.time, (CROSS.PRESSED, 1.5, CROSS.ARRIVED))
    for frame, part in zip(frames, (-1.0, 0.0, 1.0), strict=True):
        exact = 0.5 + part * CROSS.ASIDE / CROSS.LENGTH
        np.testing.assert_allclose(crossing(upper, lower, frame)[0], exact, atol=0.02)


def test_action_is_reaction(cross):
    upper, lower = map(held, cross.fibers.values())
    pressed = np.linalg.norm(upper[-1])
    assert pressed > 0.2
    # along the line of sight by symmetry, and across it but for 3 g that vibrate
    np.testing.assert_allclose(upper + lower, 0.0, atol=0.02 * pressed)
    np.testing.assert_allclose((upper + lower)[-1], 0.0, atol=1e-4 * pressed)


def test_nothing_holds_one_fiber_back_along_the_other(cross):
    upper, lower = cross.fibers.values()
    force = held(upper)[-1]
    # each fiber turns by 20 degrees where they touch: the nearest points say it to 5 degrees
    for tangent in crossing(upper, lower, -1)[1]:
        assert abs(force @ tangent) < 0.087 * np.linalg.norm(force)
    # the same pull in a short free part as in a long one
    pulls = [np.linalg.norm(end[-1]) for end in (upper.force_origin, upper.force_insertion)]
    assert pulls[0] == pytest.approx(pulls[1], rel=5e-3)


def test_the_fibers_are_mirror_images(cross):
    upper, lower = cross.fibers.values()
    mirror = CROSS.AXES.T @ np.diag([1.0, -1.0, -1.0]) @ CROSS.AXES
    np.testing.assert_allclose(lower.position, upper.position @ mirror, atol=1e-8)
    np.testing.assert_allclose(lower.axial_force, upper.axial_force, rtol=1e-5)


def test_softer_contact_lets_the_fibers_sink_in(cross):
    soft = run(CROSS, stiffness=500.0)
    assert soft.min_admissibility.min() < cross.min_admissibility.min() < 0.9

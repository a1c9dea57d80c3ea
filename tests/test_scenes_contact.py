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


def test_contact_force_along_a_fiber_is_what_its_ends_carry(cross):
    for fiber in cross.fibers.values():
        n = fiber.node_theta.size - 1
        # the three samples of each element are its Gauss points
        weight = np.tile([5.0, 8.0, 5.0], n) / 18.0 / n
        reference = 2.0 * np.linalg.norm(fiber.position[0, 0] - fiber.position[0, n // 2])
        line_force = fiber.contact_line_force[-1]
        total = np.sum(line_force * (weight * reference * fiber.stretch[-1])[:, None], axis=0)
        pressed = held(fiber)[-1]
        # three samples an element integrate a force on two elements to some percent
        np.testing.assert_allclose(total, pressed, atol=0.06 * np.linalg.norm(pressed))


def test_nothing_holds_one_fiber_back_along_the_other(cross):
    upper, lower = cross.fibers.values()
    force = held(upper)[-1]
    # each fiber turns by 20 degrees where they touch: the nearest points say it to 7 degrees
    for tangent in crossing(upper, lower, -1)[1]:
        assert abs(force @ tangent) < 0.12 * np.linalg.norm(force)
    # the same pull in a short free part as in a long one, but for the mesh of the contact
    pulls = [np.linalg.norm(end[-1]) for end in (upper.force_origin, upper.force_insertion)]
    assert pulls[0] == pytest.approx(pulls[1], rel=2e-2)


def test_the_fibers_are_mirror_images(cross):
    upper, lower = cross.fibers.values()
    mirror = CROSS.AXES.T @ np.diag([1.0, -1.0, -1.0]) @ CROSS.AXES
    np.testing.assert_allclose(lower.position, upper.position @ mirror, atol=1e-8)
    np.testing.assert_allclose(lower.axial_force, upper.axial_force, rtol=1e-5)


def test_softer_contact_lets_the_fibers_sink_in(cross):
    soft = run(CROSS, stiffness=500.0)
    assert soft.min_admissibility.min() < cross.min_admissibility.min() < 0.9


BONE = load_scene("fiber_around_bone")


@pytest.fixture(scope="module")
def wrapped():
    return run(BONE)


def test_bone_without_friction_leaves_the_tension_alone(wrapped):
    muscle, mass = wrapped.fibers["muscle"], 0.2
    left, right = (
        np.linalg.norm(end, axis=1) for end in (muscle.force_origin, muscle.force_insertion)
    )
    # what hangs lower carries less of the fiber's own weight
    theta = (np.arange(2000) + 0.5) / 2000
    heights = muscle.centerline(np.array([0.0, 1.0]), -1)[:, 2]
    top = np.argmax(muscle.centerline(theta, -1)[:, 2])
    weight = 1060.0 * 9.81 * np.pi * BONE.radius(theta) ** 2 * BONE.TOTAL / theta.size
    hanging = weight[:top].sum() - weight[top:].sum()
    assert heights[0] < heights[1]
    assert left[-1] + hanging == pytest.approx(right[-1], rel=2e-2)
    # the right end carries the weight, which hardly moves any more
    speed = np.gradient(wrapped.speeds["lift"], wrapped.time)
    force = mass * (9.81 + speed) + 5.0 * wrapped.speeds["lift"]
    np.testing.assert_allclose(right[2:-1], force[2:-1], rtol=2e-2)


def test_tension_is_the_same_on_the_bone_and_on_both_sides(wrapped):
    muscle = wrapped.fibers["muscle"]
    left, on, right = BONE.tensions(muscle)
    assert left == pytest.approx(right, rel=3e-3)
    assert on == pytest.approx(right, rel=5e-3)
    # the ends differ by what the fiber weighs
    ends = [np.linalg.norm(end[-1]) for end in (muscle.force_origin, muscle.force_insertion)]
    assert ends[0] == pytest.approx(0.95 * ends[1], rel=0.01)


def test_line_force_is_tension_over_radius(wrapped):
    muscle = wrapped.fibers["muscle"]
    points = muscle.centerline(muscle.theta, -1)[:, [0, 2]]
    distance = np.linalg.norm(points, axis=1)
    angle = np.arctan2(points[:, 1], points[:, 0])
    # clear of where contact begins and ends
    on = (angle > 0.4) & (angle < np.pi - 0.4)
    assert on.sum() > 15
    # That of the free tendon; where it is pressed, the soft contact carries a part of it, and the
    # tissue the more (verification/wrap_cylinder.py).
    tension = muscle.axial_force[-1, -10:].mean()
    ratio = muscle.contact_force_density[-1, on] * distance[on] / tension
    assert ratio.mean() == pytest.approx(1.0, abs=0.02) and ratio.std() < 0.04


def test_tendon_slides_over_the_bone_as_far_as_the_muscle_shortens(wrapped):
    muscle = wrapped.fibers["muscle"]
    theta = np.linspace(0.0, 1.0, 2001)
    on_top = [theta[np.argmax(muscle.centerline(theta, frame)[:, 2])] for frame in (0, -1)]
    lift = np.ptp(wrapped.coordinate("lift"))
    # the tendon is stretched by 3 percent
    assert lift > 0.03 and 1.03 * np.diff(on_top)[0] * BONE.TOTAL == pytest.approx(lift, rel=0.02)
    assert muscle.stretch.min() < 0.8
    # nowhere inside of the bone by more than 5 % of the distance at rest
    distance = np.linalg.norm(muscle.centerline(theta, -1)[:, [0, 2]], axis=1)
    assert distance.min() > 0.95 * (BONE.BONE + BONE.TENDON)


def test_heavier_weight_is_lifted_less(wrapped):
    heavy = run(BONE, mass=0.25, steps=60)
    assert heavy.coordinate("lift")[-1] < wrapped.coordinate("lift")[-1] - 3e-3


PACKED = load_scene("packed_muscle")


@pytest.fixture(scope="module")
def packed():
    return run(PACKED, fibers=7, steps=30)


def gap(first, second, frame):
    """Least distance of two fibers over the sum of their radii there."""
    theta = np.linspace(0.0, 1.0, 201)
    points = [fiber.centerline(theta, frame) for fiber in (first, second)]
    radii = [np.interp(theta, fiber.theta, fiber.radius[frame]) for fiber in (first, second)]
    distance = np.linalg.norm(points[0][:, None] - points[1][None], axis=2)
    return (distance / (radii[0][:, None] + radii[1][None])).min()


def test_packed_muscle_bulges_as_it_shortens(packed):
    assert np.ptp(packed.coordinate("lift")) > 0.03
    growth = PACKED.girth(packed, -1) / PACKED.girth(packed, 0)
    fiber = packed.fibers["fiber_1"]
    middle = fiber.theta.size // 2
    # a packing of round sections that keep their volume
    shortened = fiber.stretch[0, middle] / fiber.stretch[-1, middle]
    assert growth > 1.2 and growth == pytest.approx(np.sqrt(shortened), rel=0.03)
    # steadily, while it is lifted
    rising = [PACKED.girth(packed, frame) for frame in range(5, packed.time.size)]
    assert (np.diff(rising) > -1e-5).all()


def test_volume_of_every_fiber_stays(packed):
    for fiber in packed.fibers.values():
        theta = np.linspace(0.0, 1.0, 4001)
        whole = []
        for frame in (0, -1):
            steps = np.linalg.norm(np.diff(fiber.centerline(theta, frame), axis=0), axis=1)
            square = np.interp(theta, fiber.theta, fiber.radius[frame] ** 2)
            whole.append(np.pi * steps @ (0.5 * (square[1:] + square[:-1])))
        exact = np.pi * PACKED.RADIUS**2 * np.mean(PACKED.width(theta) ** 2) * PACKED.LENGTH
        # the radius is interpolated between samples, and the curved path is a little longer
        assert whole[1] == pytest.approx(whole[0], rel=3e-3)
        assert whole[0] == pytest.approx(exact, rel=1e-2)


def test_contact_keeps_the_fibers_apart(packed):
    fibers = list(packed.fibers.values())
    gaps = [gap(first, second, -1) for i, first in enumerate(fibers) for second in fibers[i + 1 :]]
    assert min(gaps) > 0.97
    # neighbors touch: 6 around the one in the middle, and 6 beside each other
    assert sum(one < 1.005 for one in gaps) >= 6
    # without contact they would overlap by what they thicken
    middle = fibers[0].theta.size // 2
    assert fibers[0].radius[-1, middle] > 1.15 * PACKED.ROOM * PACKED.RADIUS


@pytest.mark.parametrize("fibers", [1, 0, -3])
def test_a_packed_muscle_has_two_fibers_or_more(fibers):
    with pytest.raises(fm.ModelError, match=f"fibers = {fibers}; must be 2 or more"):
        PACKED.scene(fibers=fibers)
    assert len(PACKED.scene(fibers=2).model.fibers) == 2


def test_fibers_pressed_from_all_sides_show_little_contact_force(packed):
    within, *outside = (f.contact_force_density[-1].mean() for f in packed.fibers.values())
    assert within < 0.3 * min(outside)


def test_packing_is_a_hexagon_and_checks_its_number():
    places = fm.pack_section(37)
    distance = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(distance, np.inf)
    assert distance.min() == pytest.approx(2.0)
    # 37 circles of a hexagon have 90 pairs of neighbors
    assert (distance < 2.0 + 1e-9).sum() == 2 * 90
    assert np.hypot(*places.T).max() == pytest.approx(6.0)
    with pytest.raises(fm.ModelError, match="pack_section: n = 0; must be an integer, 1 or more"):
        fm.pack_section(0)

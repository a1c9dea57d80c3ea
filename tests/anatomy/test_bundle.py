"""Bundles as a whole: how many, how strong, and independent of where the model stands."""

from dataclasses import replace

import bundle_force_length
import numpy as np
import pytest
from muscles import NUMBERS, PATH, arm
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation
from test_packing import least_admissibility

import fibermsk as fm


@pytest.fixture(scope="module")
def bundle():
    model, muscle = arm()
    return model, fm.fibers_from_muscle(muscle, 3, model=model)


def test_bundle_has_the_muscles_length_volume_and_force(bundle):
    _, made = bundle
    assert [fiber.name for fiber in made.fibers] == ["muscle_1", "muscle_2", "muscle_3"]
    report, tissue = made.report, made.calibration.tissue
    assert_allclose(report.muscle_length + report.tendon_length, np.mean(report.fiber_lengths))
    theta = np.linspace(0.0, 1.0, 2001)
    volume, force = 0.0, 0.0
    for fiber, length in zip(made.fibers, report.fiber_lengths, strict=True):
        area = np.pi * fiber.radius_at(theta) ** 2
        muscle = fiber.muscle_fraction_at(theta) == 1.0
        volume += length * np.mean(area * muscle)
        force += area[1000] * tissue.active.max_stress
    # F_0 over the specific tension times l_0, but for the factor that makes room
    expected = 300.0 / 3e5 * 0.1 * report.radius_factor**2
    assert_allclose(volume, expected, rtol=0.03)  # fibers differ in length
    assert_allclose(force, 300.0, rtol=1e-6)
    for text in ("3 fibers", "S_max", "v_max", "stiffening", "of the calibrated ones"):
        assert text in str(report)


def test_attachments_are_distinct_and_on_the_muscles_bodies(bundle):
    model, made = bundle
    bone = model.bodies[2]
    for side in (0, 1):
        stations = [fiber.attach[side] for fiber in made.fibers]
        assert all(station.body is bone for station in stations)
        places = np.array([station.position for station in stations])
        apart = np.linalg.norm(places[:, None] - places[None], axis=2) + np.eye(3)
        assert apart.min() > 2.0 * made.report.radius_tendon
        off = np.linalg.norm(places - PATH[-side], axis=1)
        moved = (made.report.moved_origin, made.report.moved_insertion)[side]
        assert_allclose(off.max(), moved)


def test_nothing_touches_at_the_start(bundle):
    assert least_admissibility(*bundle) >= 1.0 - 1e-9


def test_same_bundle_twice(bundle):
    model, made = bundle
    again = fm.fibers_from_muscle(made.muscle, 3, model=model)
    for one, other in zip(made.curves, again.curves, strict=True):
        np.testing.assert_array_equal(one.nodal, other.nodal)


def test_invariant_under_a_rigid_motion(bundle):
    _, made = bundle
    rotation = Rotation.from_rotvec([0.4, -1.1, 0.7]).as_matrix()
    position = np.array([0.3, -0.2, 0.9])
    model, muscle = arm(pose=(rotation, position))
    moved = fm.fibers_from_muscle(muscle, 3, model=model)
    for one, other in zip(made.curves, moved.curves, strict=True):
        assert_allclose(other.nodal[::2], one.nodal[::2] @ rotation.T + position, atol=1e-9)
    for one, other in zip(made.fibers, moved.fibers, strict=True):
        for a, b in zip(one.attach, other.attach, strict=True):
            assert_allclose(a.position, b.position, atol=1e-9)
    assert_allclose(made.report.radius_factor, moved.report.radius_factor, rtol=1e-6)


def test_origin_inside_a_bone_is_moved_out():
    inside = ((0.005, -0.01, 0.0), *PATH[1:])
    model, muscle = arm(path=inside)
    made = fm.fibers_from_muscle(muscle, 2, model=model)
    assert_allclose(made.report.depth_origin, 0.012 - 0.005)
    assert made.report.moved_origin > 0.007
    assert "inside a bone" in str(made.report)
    assert least_admissibility(model, made) >= 1.0 - 1e-9


def test_second_bundle_keeps_beside_the_first(bundle):
    model, made = bundle
    path = [np.add(point, (0.03, 0.0, 0.0)) for point in PATH]
    points = [fm.PathPoint(f"o{i}", model.bodies[2].at(*p)) for i, p in enumerate(path)]
    muscle = model.add(replace(made.muscle, name="other", points=points))
    other = fm.fibers_from_muscle(muscle, 3, model=model, beside=[made])
    copy = model.copy()
    copy.add(*made.fibers, *other.fibers)
    law = fm.PenaltyContact(1.0, 2.0)
    copy.add(fm.Contact(made.fibers, other.fibers, law, points_per_element=20))
    system = fm.build(copy)
    y, v = system.initial_state()
    assert system.evaluate(0.0, y, v, 0.0 * v, tangent=False).admissibility >= 1.0 - 1e-9


def test_path_of_a_wrapping_muscle():
    """The fibers start along the taut path; straight where there is none, as the report says."""
    model, muscle = arm()
    body = model.bodies[-1]
    for name, radius in (("roll", 0.022), ("block", 0.2)):
        surface = fm.WrapCylinder(name, body, (0.0, -0.15, 0.0), radius=radius, length=0.05)
        wraps = [fm.PathWrap(surface)]
        wrapped = model.add(fm.LineMuscle(name, muscle.points[:3:2], wraps=wraps, **NUMBERS))
        given = fm.fibers_from_muscle(wrapped, 1, model=model, length=0.33).report
        assert not given.straight and "straight between" not in str(given)
        made = fm.fibers_from_muscle(wrapped, 1, model=model)
        bones = fm.skeleton(model)
        if name == "roll":
            taut = fm.path_length(bones, wrapped, bones.start)
            ends = np.subtract(PATH[0], PATH[2])
            assert made.report.path_length == taut > 1.001 * np.linalg.norm(ends)
            continue
        assert "inside" in made.report.straight
        assert "straight between its path points: " in str(made.report)


def test_shapes_from_wraps():
    body = fm.Body("humerus")
    cylinder = fm.WrapCylinder("roll", body, (0.0, -0.3, 0.0), radius=0.016, length=0.05)
    egg = fm.WrapEllipsoid("head", body, (0.0, 0.0, 0.0), radii=(0.035, 0.02, 0.024))
    points = [fm.PathPoint(f"p{i}", body.at(0.03, -0.1 * i, 0.0)) for i in range(2)]
    numbers = {"max_isometric_force": 1.0, "optimal_fiber_length": 1.0, "tendon_slack_length": 1.0}
    muscle = fm.LineMuscle("m", points, wraps=[fm.PathWrap(cylinder), fm.PathWrap(egg)], **numbers)
    shapes = fm.shapes_from_wraps(muscle)["humerus"]
    assert_allclose(shapes[0].start, (0.0, -0.3, -0.025))
    assert_allclose(shapes[0].end, (0.0, -0.3, 0.025))
    assert_allclose([shapes[0].radius, shapes[1].radius], [0.016, 0.022])
    assert_allclose(shapes[1].end, (0.013, 0.0, 0.0))
    with pytest.raises(fm.ModelError, match="'ring'; must be one of the active surfaces: 'roll'"):
        fm.shapes_from_wraps([muscle], ["ring"])


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"n_fibers": 0}, "n_fibers = 0"),
        ({"n_elements": 4}, "n_elements = 4; must be 5 or more"),
        ({"proximal": 1.5}, "proximal"),
        ({"spread": -0.1}, "spread"),
        ({"length": 0.2}, "slack length"),
        ({"beside": ["a bundle"]}, "beside"),
        ({"specific_tension": 1e3}, "the belly would have a radius"),
    ],
)
def test_refusals(change, match):
    model, muscle = arm()
    with pytest.raises(fm.ModelError, match=match):
        fm.fibers_from_muscle(muscle, **({"n_fibers": 2, "model": model} | change))


def test_muscle_of_another_model_is_refused():
    model, _ = arm()
    with pytest.raises(fm.ModelError, match="contain the muscle"):
        fm.fibers_from_muscle(arm()[1], 2, model=model)


def test_isometric_force_follows_the_hill_muscle():
    outcome = bundle_force_length.run(fibers=1, elements=10, lengths=5)
    for name, wanted in bundle_force_length.expected(1, 10, 5).items():
        assert abs(outcome[name] - wanted.value) <= wanted.tolerance, name


def test_fibers_of_a_bundle_share_an_activation_that_is_a_state():
    model, muscle = arm()
    dynamics = fm.ActivationDynamics(0.6, name="muscle")
    made = fm.fibers_from_muscle(muscle, 3, model=model, activation=dynamics)
    model.add(*made.fibers)
    system = fm.build(model)
    assert [one.owner for one in system.states] == ["muscle"]
    assert (system.loads.activations(0.0, np.array([0.7])) == 0.7).all()

"""The path of a line muscle as an object, and OpenSim's lengths and moment arms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from opensim_peer import ask

import fibermsk as fm

NUMBERS = {"max_isometric_force": 1.0, "optimal_fiber_length": 0.1, "tendon_slack_length": 0.1}


@pytest.mark.parametrize("kind", [fm.WrapCylinder, fm.WrapSphere])
def test_path_of_a_hinge(kind):
    """Arc, tangent points and polyline of a path around the axis of a hinge."""
    model = fm.Model("arm")
    arm = model.add(fm.Body("arm", mass=1.0, com=(0, -0.1, 0), inertia=(0.1, 0.1, 0.1)))
    model.add(fm.Hinge("q", model.ground, arm, at=(0, 0, 0), axis=(0, 0, 1)))
    ends = fm.Station(model.ground, (0, 0.3, 0)), fm.Station(arm, (0.01, -0.4, 0))
    points = [fm.PathPoint(name, at) for name, at in zip("oi", ends, strict=True)]
    wrap = fm.PathWrap(kind("ball", model.ground, radius=0.05))
    muscle = fm.LineMuscle("m", points, wraps=[wrap], **NUMBERS)
    skeleton = fm.skeleton(model)
    path = fm.muscle_path(skeleton, muscle, [0.1])
    (arc,) = path.arcs
    assert (path.name, path.point_names, arc.surface) == ("m", ("o", "i"), "ball")
    i = np.array([np.cos(0.1) * 0.01 + np.sin(0.1) * 0.4, np.sin(0.1) * 0.01 - np.cos(0.1) * 0.4])
    assert_allclose(path.points, [[0, 0.3, 0], [*i, 0]], atol=1e-15)
    free = [np.sqrt(d**2 - 0.05**2) for d in (0.3, np.hypot(*i))]
    angle = arc.length / 0.05
    assert_allclose(path.length, sum(free) + arc.length, rtol=1e-14)
    assert_allclose(arc.angle, angle, rtol=1e-14)
    to_ends = np.linalg.norm(path.points - arc.tangent_points, axis=1)
    assert_allclose(to_ends, free, rtol=1e-12)
    assert_allclose(np.linalg.norm(arc.points, axis=1), 0.05, rtol=1e-14)
    assert_allclose(arc.points[[0, -1]], arc.tangent_points, atol=1e-14)
    steps = np.linalg.norm(np.diff(path.polyline, axis=0), axis=1)
    assert_allclose(steps.sum(), path.length, rtol=1e-4)  # chords of 0.05 rad
    # the path passes at x > 0 and pulls the arm up there, towards positive angles
    assert fm.moment_arms(skeleton, muscle, [0.1]) == {"q": pytest.approx(0.05, rel=1e-12)}
    assert fm.path_length(skeleton, muscle, [0.1]) == path.length
    assert_allclose(fm.path_points(skeleton, muscle, [0.1]), path.polyline, atol=0.0)
    other = fm.Model("other")
    leg = other.add(fm.Body("leg", mass=1.0, com=(0, -0.1, 0), inertia=(0.1, 0.1, 0.1)))
    other.add(fm.Hinge("q", other.ground, leg, at=(0, 0, 0), axis=(0, 0, 1)))
    with pytest.raises(fm.ModelError, match="'m': refers to 'arm', which the skeleton does not"):
        fm.muscle_path(fm.skeleton(other), muscle, [0.1])
    with pytest.raises(fm.ModelError, match="skeleton"):
        fm.muscle_path(model.name, muscle, [0.1])
    with pytest.raises(fm.ModelError, match="q"):
        fm.muscle_path(skeleton, muscle, [0.1, 0.2])


def test_lengths_and_moment_arms_of_opensim(tmp_path, shared_models):
    """Those of arm26: equal without arcs; with arcs ours is the shorter path.

    OpenSim places tangent points on a cylinder by a plane through both ends, not on the shortest
    helix; its moment arm then differs from the slope of its own length by up to 0.14 mm.
    """
    file = shared_models / "opensim-models" / "arm26.osim"
    model = fm.read_osim(file)
    skeleton, name, h = fm.skeleton(model), "r_elbow_flex", 1e-5
    elbow = np.linspace(0.05, 2.2, 12)
    poses = [{"r_shoulder_elev": 0.3, name: a + d} for a in elbow for d in (0.0, h, -h)]
    found = ask(tmp_path, file, poses, arms=[name])["configurations"]
    straight, longer = 0, []
    for muscle in model.muscles:
        if any(not isinstance(wrap.shape, fm.WrapCylinder) for wrap in muscle.wraps):
            continue
        for k in range(0, len(poses), 3):
            path = fm.muscle_path(skeleton, muscle, skeleton.q_of(poses[k]))
            own, ahead, behind = (one["lengths"][muscle.name] for one in found[k : k + 3])
            arm, slope = found[k]["arms"][name][muscle.name], (behind - ahead) / (2 * h)
            if path.arcs:
                longer.append(own - path.length)
                # as far from OpenSim as OpenSim from itself
                assert abs(path.moment_arms[name] - arm) < 2.5 * abs(arm - slope) + 3e-6
            else:
                straight += 1
                assert_allclose(path.length, own, rtol=1e-12)
                assert_allclose(path.moment_arms[name], arm, atol=1e-10, rtol=0.0)
    assert straight > 20
    assert len(longer) > 10
    assert 0.0 < min(longer)
    assert max(longer) < 3e-5


def test_a_model_its_names_and_its_start_stand_for_skeleton_muscle_and_pose():
    model = fm.Model("arm")
    arm = model.add(fm.Body("arm", mass=1.0, com=(0, -0.1, 0), inertia=(0.1, 0.1, 0.1)))
    turn = fm.Coordinate("q", value=0.3)
    model.add(fm.Hinge("q", model.ground, arm, (0, 0, 0), (0, 0, 1), coordinate=turn))
    ends = fm.Station(model.ground, (0, 0.3, 0)), fm.Station(arm, (0.02, -0.4, 0))
    points = [fm.PathPoint(name, at) for name, at in zip("oi", ends, strict=True)]
    muscle = model.add(fm.LineMuscle("m", points, **NUMBERS))
    bones = fm.skeleton(model)
    for given, pose in (({"q": 0.1}, [0.1]), ([0.7], [0.7]), (None, [0.3]), ({}, [0.3])):
        assert fm.path_length(model, "m", given) == fm.path_length(bones, muscle, pose)
        assert fm.moment_arms(bones, muscle, given) == fm.moment_arms(model, muscle, pose)
    poses = [[0.0], [0.5]]
    both = [fm.MuscleGeometry(one, [muscle]).at(poses).length for one in (model, bones)]
    assert np.array_equal(*both)
    with pytest.raises(KeyError, match="no muscle 'n'; the model has: m"):
        fm.muscle_path(model, "n")
    with pytest.raises(fm.ModelError, match="its name in a Model"):
        fm.muscle_path(bones, "m")
    with pytest.raises(fm.ModelError, match="a Skeleton or a Model"):
        fm.muscle_path(None, muscle)
    with pytest.raises(fm.ModelError, match="must be one of q"):
        fm.muscle_path(model, "m", {"p": 0.1})

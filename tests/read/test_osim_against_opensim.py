"""Imported models against OpenSim itself: poses, mass matrices, centers of mass, muscle lengths."""

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from opensim_peer import ask
from reference import chain
from reference.via_points import polyline_length

import fibermsk as fm

DATA = Path(__file__).parents[1] / "data"

EXACT = 1e-9
"""Asked for; what is left is round-off, 1e-15 of places and 1e-12 of mass matrices."""

WHOLE = [
    "opensim-models/arm26.osim",
    "opensim-models/gait10dof18musc.osim",
    "MoBL-ARMS_noncommercial/MOBL_ARMS_41.osim",
]
OTHERS = [
    "NMSM_Forward_Dynamics/arm22_dG.osim",
    "das4/das4_v4.osim",
    "opensim-core/ThoracoscapularShoulderModel.osim",
    "opensim-core/WrapPathCustomJointMomentArmTest.osim",
    "opensim-core/testGeometryPathWrapping_ShoulderWrappingWithPathSprings.osim",
    "opensim-core/test_wrapAllVis.osim",
    "opensim-models/Rajagopal2016.osim",
    "opensim-models/Tug_of_War_Millard.osim",
    "opensim-models/double_pendulum.osim",
    "opensim-models/gait10dof18musc_reference/subject01.osim",
    "opensim-models/leg6dof9musc.osim",
    "opensim-models/subject01.osim",
]
ROUNDED = [
    "MoBL-ARMS_noncommercial/MoBL_ARMS_model_for_testing_opensim.osim",
    "opensim-core/gait10dof18musc_subject01.osim",
]
"""OpenSim rounds places of joints and inertias of version 3 to six digits as it reads them."""


def random_values(rng, model):
    """Values of all coordinates within their ranges, couplings not heeded."""
    values = {}
    for one in model.coordinates:
        low, high = (-1.0, 1.0) if one.lower is None else (one.lower, one.upper)
        values[one.name] = float(rng.uniform(max(low, -3.0), min(high, 3.0)))
    return values


def with_multipliers(model):
    """The same model with all coordinates kept: couplings act by multipliers, locks are open."""
    copy = fm.Model(model.name, model.gravity, ground=model.ground)
    copy.add(*model.bodies[1:])
    for joint in model.joints:
        if not joint.coordinates:
            copy.add(joint)
            continue
        coordinates = [fm.Coordinate(one.name, one.kind) for one in joint.coordinates]
        copy.add(
            fm.FunctionalJoint(
                joint.name,
                joint.parent,
                joint.child,
                coordinates,
                joint.axes,
                at=joint.at,
                child_at=joint.child_at,
                rotation=joint.rotation,
            )
        )
    for one in model.couplings:
        copy.add(fm.Coupling(one.dependent, one.function, one.independent, "multiplier"))
    copy.add(*model.muscles) if model.muscles else None
    return copy


class Plain:
    """Poses of a model that is all coordinates and no masses."""

    def __init__(self, model):
        self.model = model

    def values(self, q):
        return q

    def poses(self, q):
        return chain.poses(self.model, q)


def assert_same_places(model, found, skeleton, q):
    """Compare poses of bodies and lengths of muscles."""
    poses = skeleton.poses(q)
    for body, (rotation, position) in found["poses"].items():
        assert_allclose(poses[body][0], rotation, atol=EXACT, rtol=0.0, err_msg=body)
        assert_allclose(poses[body][1], position, atol=EXACT, rtol=0.0, err_msg=body)
    for muscle in model.muscles:
        ours, theirs = polyline_length(skeleton, muscle, q), found["lengths"][muscle.name]
        assert_allclose(ours, theirs, atol=EXACT, rtol=0.0, err_msg=muscle.name)


def assert_same(model, answer, skeleton, states):
    """Compare a skeleton at some states with OpenSim's answers there."""
    order = [name for name in answer["order"] if name]
    # a ball has a place for a quaternion that its three angles leave idle
    used = [k for k, name in enumerate(answer["order"]) if name]
    for q, found in zip(states, answer["configurations"], strict=True):
        assert_same_places(model, found, skeleton, q)
        mass, center = skeleton.mass_and_center(q)
        assert_allclose(mass, answer["mass"], rtol=EXACT)
        assert_allclose(center, found["center"], atol=EXACT, rtol=0.0)
        # OpenSim's matrix is that of its speeds u, with q_dot = N u
        back = np.linalg.inv(np.array(found["rates"]).T[used])
        whole = back.T @ np.array(found["mass_matrix"]) @ back
        # rates of all coordinates for unit rates of those of the state
        columns = [skeleton.rates(q, unit) for unit in np.eye(len(q))]
        J = np.array([[column[name] for column in columns] for name in order])
        expected = J.T @ whole @ J
        scale = np.sqrt(np.abs(np.diag(expected)))
        error = np.abs(skeleton.mass_matrix(q) - expected) / np.outer(scale, scale)
        assert error.max(initial=0.0) < EXACT


def compare(tmp_path, rng, file, n, **options):
    """Compare at n configurations that keep the couplings, and with all coordinates at will."""
    model = fm.read_osim(file, **options)
    skeleton = fm.skeleton(model)
    states = []
    for _ in range(n):
        values = random_values(rng, model)
        states.append(skeleton.q_of({name: values[name] for name in skeleton.independent}))
    given = [skeleton.values(q) for q in states]
    loose = with_multipliers(model)
    free = fm.skeleton(loose)
    at_will = [random_values(rng, model) for _ in range(n)] if model.couplings else []
    answer = ask(tmp_path, file, [*given, *at_will])
    found = answer["configurations"]
    assert set(answer["coordinates"]) == {one.name for one in model.coordinates}
    assert_same(model, {**answer, "configurations": found[:n]}, skeleton, states)
    both = [free.q_of(values) for values in [*given, *at_will]]
    assert_same(loose, answer, free, both)
    for one in model.coordinates:
        theirs = answer["coordinates"][one.name]
        assert one.value == theirs["value"]
        if one.lower is not None:
            assert [one.lower, one.upper] == theirs["range"]


@pytest.mark.parametrize("file", WHOLE)
def test_model_is_that_of_opensim(tmp_path, rng, shared_models, file):
    compare(tmp_path, rng, shared_models / file, 100)


@pytest.mark.parametrize("file", OTHERS)
def test_other_models_too(tmp_path, rng, shared_models, file):
    compare(tmp_path, rng, shared_models / file, 5)


def test_model_without_masses(tmp_path, rng, shared_models):
    file = shared_models / "opensim-models/wrist.osim"
    model = fm.read_osim(file)
    states = [random_values(rng, model) for _ in range(20)]
    answer = ask(tmp_path, file, states)
    for q, found in zip(states, answer["configurations"], strict=True):
        assert_same_places(model, found, Plain(model), q)


@pytest.mark.parametrize("file", ROUNDED)
def test_version_3_where_opensim_rounds(tmp_path, rng, shared_models, file):
    tags = "location_in_parent|orientation_in_parent|location|orientation|inertia_.."

    def rounded(match):
        words = " ".join(f"{float(word):.6g}" for word in match[2].split())
        return f"<{match[1]}>{words}</{match[1]}>"

    text = (shared_models / file).read_text()
    # points of muscles keep their digits
    joints = re.sub(rf"<({tags})>([^<]*)</\1>(?!\s*<body>)", rounded, text)
    copy = tmp_path / "rounded.osim"
    copy.write_text(joints)
    compare(tmp_path, rng, copy, 5)


@pytest.mark.parametrize("version", [2, 3, 4])
def test_layout_of_each_version(tmp_path, rng, version):
    compare(tmp_path, rng, DATA / f"limb_v{version}.osim", 20)


def test_limits_are_those_of_opensim(tmp_path, shared_models):
    samples = [
        [q, p] for q in (-4.0, -1.0, -0.3, 0.05, 0.4, 2.3, 2.31, 2.5, 4.0) for p in (-2.0, 3.0)
    ]
    for file in (DATA / "limb_v4.osim", shared_models / WHOLE[2]):
        model = fm.read_osim(file)
        laws = {one.name: list(one.laws) for one in model.coordinates}
        answer = ask(tmp_path, file, limits=samples)["limits"]
        assert answer
        for name, forces in answer.values():
            limit = next(law for law in laws[name] if isinstance(law, fm.SmoothLimit))
            laws[name].remove(limit)
            ours = [limit(q, p).force for q, p in samples]
            assert_allclose(ours, forces, rtol=1e-11, atol=1e-11, err_msg=name)


def test_moving_points_stop_at_the_ends_of_the_range(tmp_path, shared_models):
    file = shared_models / "opensim-models/gait10dof18musc.osim"
    model = fm.read_osim(file)
    skeleton = fm.skeleton(model)
    outside = [{"knee_angle_r": value} for value in (-2.5, 1.0)]
    answer = ask(tmp_path, file, [skeleton.values(skeleton.q_of(one)) for one in outside])
    states = [skeleton.q_of(one) for one in outside]
    assert_same(model, answer, skeleton, states)


@pytest.mark.parametrize("file", ["MoBL-ARMS_noncommercial/MOBL_ARMS_41.osim"])
def test_couplings_are_what_opensim_assembles(tmp_path, rng, shared_models, file):
    model = fm.read_osim(shared_models / file)
    skeleton = fm.skeleton(model)
    values = random_values(rng, model)
    chosen = {name: values[name] for name in skeleton.independent}
    expected = skeleton.values(skeleton.q_of(chosen))
    assembled = ask(tmp_path, shared_models / file, assemble=[chosen])["assembled"][0]
    for name, value in expected.items():
        # OpenSim assembles to 1e-9 of its own measure
        assert abs(assembled[name] - value) < 1e-7, name

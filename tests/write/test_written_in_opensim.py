"""OpenSim computes the same from a written file as from the original one."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from opensim_peer import ask, run_script
from osim_text import axis, body, joint, model as text_of
from same_models import differences

import fibermsk as fm

DATA = Path(__file__).parents[1] / "data"
SCRIPT = Path(__file__).with_name("forces_in_opensim.py")

EXACT = 1e-12
ROUNDED = 1e-6
"""OpenSim rounds places and inertias of files before version 4 to six digits."""
SHAPED = 1e-9
"""OpenSim solves its paths around ellipsoids to that."""

MODELS = {
    "MoBL-ARMS_noncommercial/MOBL_ARMS_41.osim": EXACT,
    "MoBL-ARMS_noncommercial/MoBL_ARMS_model_for_testing_opensim.osim": ROUNDED,
    "NMSM_Forward_Dynamics/arm22_dG.osim": ROUNDED,
    "das4/das4_v4.osim": EXACT,
    "opensim-core/ThoracoscapularShoulderModel.osim": EXACT,
    "opensim-core/WrapPathCustomJointMomentArmTest.osim": EXACT,
    "opensim-core/gait10dof18musc_subject01.osim": ROUNDED,
    "opensim-core/testGeometryPathWrapping_ShoulderWrappingWithPathSprings.osim": ROUNDED,
    "opensim-core/test_wrapAllVis.osim": EXACT,
    "opensim-models/Rajagopal2016.osim": EXACT,
    "opensim-models/Tug_of_War_Millard.osim": EXACT,
    "opensim-models/arm26.osim": EXACT,
    "opensim-models/double_pendulum.osim": EXACT,
    "opensim-models/gait10dof18musc.osim": EXACT,
    "opensim-models/leg6dof9musc.osim": EXACT,
    "opensim-models/subject01.osim": EXACT,
    "opensim-models/wrist.osim": EXACT,
}


def poses_of(rng, model, n=3):
    """Values of all coordinates within their ranges, couplings not heeded."""
    found = []
    for _ in range(n):
        ends = {
            one.name: (-1.0, 1.0) if one.lower is None else (one.lower, one.upper)
            for one in model.coordinates
        }
        found.append(
            {name: float(rng.uniform(max(a, -2.0), min(b, 2.0))) for name, (a, b) in ends.items()}
        )
    return found


def compare(tmp_path, rng, file, tolerance=EXACT):
    """Compare a file and what is written of it."""
    model = fm.read_osim(file)
    written = fm.write_osim(model, tmp_path / "written.osim")
    poses = poses_of(rng, model)
    around = [one.name for one in model.coordinates][:1]
    for arms in ([], around):  # paths through points, and around surfaces
        first = ask(tmp_path, file, poses, arms=arms)
        second = ask(tmp_path, written, poses, arms=arms)
        assert first["order"] == second["order"]
        assert first["coordinates"] == second["coordinates"]
        assert first["mass"] == second["mass"]
        for one, other in zip(first["configurations"], second["configurations"], strict=True):
            assert set(one["poses"]) == set(other["poses"])
            for name, (rotation, position) in one["poses"].items():
                assert_allclose(other["poses"][name][0], rotation, atol=tolerance, err_msg=name)
                assert_allclose(other["poses"][name][1], position, atol=tolerance, err_msg=name)
            M = np.array(one["mass_matrix"])
            largest = np.abs(M).max(initial=0.0)
            assert_allclose(other["mass_matrix"], M, rtol=0.0, atol=tolerance * largest)
            assert_allclose(other["center"], one["center"], atol=tolerance)
            assert set(one["lengths"]) == set(other["lengths"])
            loose = max(tolerance, SHAPED) if arms else tolerance
            for name, length in one["lengths"].items():
                assert abs(other["lengths"][name] - length) <= loose, name


@pytest.mark.parametrize("file", MODELS)
def test_poses_masses_and_lengths(tmp_path, rng, shared_models, file):
    compare(tmp_path, rng, shared_models / file, MODELS[file])


@pytest.mark.parametrize("version", [2, 3, 4])
def test_every_kind_of_item_of_the_limb(tmp_path, rng, version):
    compare(tmp_path, rng, DATA / f"limb_v{version}.osim")


CUSTOM = "<SpatialTransform>{}</SpatialTransform>".format(
    axis("rotation1", "q", "0.6 0 0.8", "<LinearFunction><coefficients>1 0.1</coefficients>"
         "</LinearFunction>")
    + axis("rotation2", "q r", "0 1 0", "<LinearFunction><coefficients>0.5 -2 0.3</coefficients>"
           "</LinearFunction>")
    + axis("translation2", "r", "0 0.6 -0.8", "<SimmSpline><x>-1 0 0.5 1</x><y>0 0.1 0.3 0.2</y>"
           "</SimmSpline>")
)  # fmt: skip
KINDS = {
    "PinJoint": ("q",),
    "SliderJoint": ("q",),
    "UniversalJoint": ("q", "r"),
    "GimbalJoint": ("q", "r", "s"),
    "BallJoint": ("q", "r", "s"),
    "FreeJoint": ("q", "r", "s", "x", "y", "z"),
    "PlanarJoint": ("q", "x", "y"),
    "EllipsoidJoint": ("q", "r", "s"),
    "ScapulothoracicJoint": ("q", "r", "s", "w"),
    "CustomJoint": ("q", "r"),
}
INSIDE = {
    "EllipsoidJoint": "<radii_x_y_z>0.1 0.2 0.3</radii_x_y_z>",
    "ScapulothoracicJoint": "<thoracic_ellipsoid_radii_x_y_z>0.1 0.2 0.15"
    "</thoracic_ellipsoid_radii_x_y_z><scapula_winging_axis_origin>0.02 -0.03"
    "</scapula_winging_axis_origin><scapula_winging_axis_direction>0.4"
    "</scapula_winging_axis_direction>",
    "CustomJoint": CUSTOM,
}


@pytest.mark.parametrize("way", ["direct", "inverted"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_joint(tmp_path, rng, kind, way):
    file = tmp_path / "joint.osim"
    ends = ("ground", "b") if way == "direct" else ("b", "ground")
    joints = joint(kind, "j", *ends, KINDS[kind], INSIDE.get(kind, ""))
    joints += joint("WeldJoint", "fixed", "b", "c")
    file.write_text(text_of(body("b") + body("c"), joints))
    model = fm.read_osim(file)
    written = fm.write_osim(model, tmp_path / "written.osim")
    assert f"<{kind} " in written.read_text()
    assert differences(model, fm.read_osim(written), 2e-15, least=0.1) == []
    if (kind, way) != ("ScapulothoracicJoint", "inverted"):  # which OpenSim does not survive
        compare(tmp_path, rng, file)


def test_opensim_has_the_changed_numbers(tmp_path, rng):
    model = fm.read_osim(DATA / "limb_v4.osim")
    body = next(one for one in model.bodies if one.mass is not None)
    poses = poses_of(rng, model)
    before = ask(tmp_path, DATA / "limb_v4.osim", poses)
    changed = fm.with_parameters(model, {f"{body.name}/mass": body.mass + 1.0})
    written = fm.write_osim(changed, tmp_path / "changed.osim")
    after = ask(tmp_path, written, poses)
    assert abs(after["mass"] - before["mass"] - 1.0) < EXACT
    first, second = (found["configurations"][0] for found in (before, after))
    assert np.abs(np.subtract(second["mass_matrix"], first["mass_matrix"])).max() > 1e-3
    for name, (_, place) in first["poses"].items():
        assert_allclose(second["poses"][name][1], place, atol=EXACT, err_msg=name)


def test_lengths_of_a_muscle_made_here(tmp_path):
    model = fm.Model("made")
    bone = model.add(fm.Body("bone", 1.0, (0, 0.1, 0), (0.1, 0.1, 0.1)))
    bend = fm.Coordinate("bend", lower=-1.0, upper=1.0)
    model.add(fm.Hinge("hinge", model.ground, bone, (0, 0.1, 0), (1, 2, 2), coordinate=bend))
    R, _ = np.linalg.qr(np.array([[1.0, 2.0, 0.5], [0.3, -1.0, 2.0], [2.0, 0.1, 1.0]]))
    R *= np.linalg.det(R)
    moving = fm.MovingPathPoint(
        "moves", bone, [fm.Linear(0.1, 0.2), fm.Polynomial([0.3, 0.1, 0.05]), fm.Linear(2.0, 0.1)],
        ["bend", "bend", None], (0.1, 0.2, -0.1), R, [(-1.0, 1.0), (-1.0, 1.0), None],
    )  # fmt: skip
    points = [
        fm.PathPoint("origin", model.ground.at(0.5, 0, 0)),
        fm.ConditionalPathPoint("via", bone.at(0.3, 0.3, 0.1), "bend", 0.0, 0.5),
        moving,
        fm.MovingPathPoint("rests", bone, [fm.Linear(1.0, 0.4)] * 3, [None] * 3, (0.1, 0, 0), R),
    ]
    model.add(
        fm.LineMuscle("pull", points, max_isometric_force=10.0, optimal_fiber_length=0.1,
                      tendon_slack_length=0.2, kind="Millard2012EquilibriumMuscle")
    )  # fmt: skip
    written = fm.write_osim(model, tmp_path / "made.osim")
    poses = [{"bend": value} for value in (-0.7, 0.2, 0.9)]
    found = ask(tmp_path, written, poses)["configurations"]
    for pose, theirs in zip(poses, found, strict=True):
        ours = fm.path_length(model, "pull", pose)
        assert abs(theirs["lengths"]["pull"] - ours) < EXACT


@pytest.mark.parametrize(
    "file", ["arm26.osim", "gait10dof18musc.osim", "Rajagopal2016.osim", "leg6dof9musc.osim"]
)
def test_forces_and_accelerations(tmp_path, shared_models, file):
    original = shared_models / "opensim-models" / file
    model = fm.read_osim(original)
    written = fm.write_osim(model, tmp_path / "written.osim")
    task = {"models": [str(original), str(written)], "speed": 0.4, "activation": 0.3}
    answer = tmp_path.resolve() / "forces.json"
    run_script(SCRIPT, tmp_path, {**task, "answer": str(answer)})
    first, second = json.loads(answer.read_text())
    assert set(first["forces"]) == set(second["forces"]) == set(model.muscles.names)
    assert max(first["forces"].values()) > 50.0
    for name, force in first["forces"].items():
        assert abs(second["forces"][name] - force) < 1e-6 * max(1.0, abs(force)), name
    largest = max(map(abs, first["accelerations"].values()))
    for name, value in first["accelerations"].items():
        assert abs(second["accelerations"][name] - value) < 1e-6 * largest, name

"""Inverse dynamics: OpenSim's published answer, and muscles whose mass grows."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner
from verify.problem_files import load_module, load_problem

import fibermsk as fm
from fibermsk.cli.main import app
from fibermsk.verify import run_problem

PROBLEM = load_module("growing_muscle_mass")


@pytest.fixture
def folder(shared_models):
    found = shared_models / "opensim-models"
    if not (found / "arm26.osim").is_file():
        pytest.skip(f"no arm26.osim in {found}")
    return found


@pytest.mark.filterwarnings("ignore::fibermsk.ModelWarning")
@pytest.mark.parametrize(
    "lowpass, file, close, inner",
    [(None, "_unfiltered", 1e-8, 1e-8), (6.0, "", 2e-3, 4e-4)],
    ids=["raw", "filtered"],
)
def test_published_torques_of_arm26(folder, lowpass, file, close, inner):
    """At every frame [N m]: the unfiltered file has eight decimals."""
    data = folder / "arm26_reference"
    motion = data / "arm26_InverseKinematics.mot"
    found = fm.inverse_dynamics(fm.read_osim(folder / "arm26.osim"), motion, lowpass=lowpass)
    known = fm.read_signals(data / f"arm26_InverseDynamics{file}.sto")
    for name, force in found.force.items():
        theirs = known.values[f"{name}_moment"]
        assert np.abs(theirs).max() > 2.0 and found.units[name] == "N m"
        off = np.abs(force - theirs)
        assert off.max() < close and off[8:-8].max() < inner


def walking():
    """Half a second of a step of the leg."""
    t = np.linspace(0.0, 0.5, 101)
    return {"time": t, **dict(zip(PROBLEM.NAMES, PROBLEM.motion(t)[0], strict=True))}


def test_torques_of_a_leg_are_those_of_plain_numpy():
    """Affine in the mass that moves to the muscles, and exact without."""
    outcome = run_problem(load_problem("growing_muscle_mass"), {})
    assert outcome.passed, [(row.quantity, row.ours) for row in outcome.rows if not row.passed]
    assert abs(outcome.values["ankle_change"] - 0.7056) < 1e-4


def test_a_spline_through_samples_is_close_to_exact_accelerations():
    motion = walking()
    found = fm.inverse_dynamics(PROBLEM.leg(0.8), motion).force
    exact = PROBLEM.torques(PROBLEM.leg(0.8), motion["time"])
    for name, column in zip(PROBLEM.NAMES, exact.T, strict=True):
        off = np.abs(found[name] - column) / np.abs(column).max()
        # the error of a natural end falls by 0.42 a sample
        assert off[10:-10].max() < 5e-6 and 0.02 < off.max() < 0.04


def test_no_mass_is_the_massless_result_exactly():
    motion = walking()
    empty = fm.inverse_dynamics(PROBLEM.leg(0.0), motion)
    without = fm.inverse_dynamics(PROBLEM.leg(0.0), motion, muscle_mass=False)
    for name, force in empty.force.items():
        np.testing.assert_array_equal(force, without.force[name])
    heavy = fm.inverse_dynamics(PROBLEM.leg(0.8), motion, muscle_mass=False)
    assert np.abs(heavy.force["ankle"] - empty.force["ankle"]).max() < 1e-12  # no muscle's mass


def test_forces_that_are_left_out_are_refused():
    model = fm.make_scene("upper_limb").model
    with pytest.raises(fm.ModelError, match="fibers = .*not part of inverse dynamics"):
        fm.inverse_dynamics(model, {"time": np.arange(6.0), "elbow_flexion": np.zeros(6)})


def test_a_motion_that_elements_cause_needs_no_torque():
    """Two rods under springs, a ligament, a bushing, a formula and contact swing freely."""
    model = fm.Model("rods")
    rods, last = [], model.ground
    for k, name in enumerate(("upper", "lower")):
        rods.append(model.add(fm.Body(name, 1.0, (0, 0, -0.2), (0.02, 0.02, 0.001))))
        start = fm.Coordinate(f"q{k}", value=0.3 + k)
        at = (0, 0, -0.4 * k)
        joint = fm.Hinge(f"q{k}", last, rods[-1], at, (0, 1, 0), coordinate=start)
        last = model.add(joint).child
    ground, (upper, lower) = model.ground, rods
    path = [fm.PathPoint(f"p{k}", at) for k, at in enumerate(
        (ground.at(0.3, 0, 0.1), upper.at(0.05, 0, -0.2), lower.at(0.02, 0, -0.3))
    )]  # fmt: skip
    model.add(
        fm.PointSpring("spring", ground.at(0.2, 0, -0.9), lower.at(0, 0, -0.4), 20.0, 0.1),
        fm.PathSpring("band", path, stiffness=40.0, rest_length=0.4, dissipation=0.05),
        fm.ToeLigament("ligament", path, stiffness=60.0, slack_length=0.5, damping=0.01),
        fm.Bushing("disc", upper.at(0, 0, -0.4), lower.at(0, 0, 0), rotational_stiffness=(3, 3, 3)),
        fm.CoordinateFormula("stop", "q1", "-2*q^3 - 0.1*qdot"),
    )
    free = fm.simulate(model, t_end=0.4, dt=0.004, method=fm.SDIRK4())
    motion = {"time": free.time, **free.coordinates}
    found = fm.inverse_dynamics(model, motion)
    bare = fm.inverse_dynamics(model.edit(remove=list(model.elements)), motion)
    for name in ("q0", "q1"):
        inner = slice(20, -20)
        assert np.abs(bare.force[name][inner]).max() > 3.0
        left = np.abs(found.force[name][inner])
        # a spline blurs where the ligament begins to damp
        assert np.median(left) < 1e-5 and left.max() < 1e-3


@pytest.mark.filterwarnings("ignore::fibermsk.ModelWarning")
def test_command_writes_the_torques(folder, tmp_path):
    out = tmp_path / "id.sto"
    motion = folder / "arm26_reference" / "arm26_InverseKinematics.mot"
    given = ["id", str(folder / "arm26.osim"), str(motion), "--out", str(out), "--json"]
    found = CliRunner().invoke(app, given)
    assert found.exit_code == 0, found.output
    report = json.loads(next(line for line in found.output.splitlines() if line.startswith("{")))
    table = fm.read_signals(out)
    assert report["frames"] == table.time.size == 121
    assert report["largest"]["r_elbow_flex"] == np.abs(table.values["r_elbow_flex_moment"]).max()
    wrong = CliRunner().invoke(app, [*given[:4], str(tmp_path / "id.txt")])
    assert wrong.exit_code == 2 and "must end with one of" in wrong.output


@pytest.mark.filterwarnings("ignore::fibermsk.ModelWarning")
def test_command_gives_muscles_mass(folder, tmp_path):
    motion = folder / "arm26_reference" / "arm26_InverseKinematics.mot"
    given = ["id", str(folder / "arm26.osim"), str(motion), "--out", str(tmp_path / "id.sto")]
    found = CliRunner().invoke(app, [*given, "--muscle-mass", "--keep", "mass", "--json"])
    assert found.exit_code == 0, found.output
    report = json.loads(next(line for line in found.output.splitlines() if line.startswith("{")))
    moved = fm.with_muscle_mass(fm.read_osim(folder / "arm26.osim"), keep="mass")
    expected = fm.inverse_dynamics(moved.model, motion)
    table = fm.read_signals(tmp_path / "id.sto")
    for name, force in expected.force.items():
        np.testing.assert_allclose(table.values[f"{name}_moment"], force, rtol=1e-12, atol=1e-12)
    assert report["muscle_mass"]["total"] == moved.mass
    assert report["muscle_mass"]["taken"] == moved.taken
    told = CliRunner().invoke(app, [*given, "--muscle-mass"]).output
    assert "kg in 6 muscles" in told and "kg from r_humerus" in told
    alone = CliRunner().invoke(app, [*given, "--keep", "mass"])
    assert alone.exit_code == 2 and "must be left out without --muscle-mass" in alone.output


@pytest.mark.parametrize(
    "motion, message",
    [
        ({"hip": np.zeros(9)}, r"no column for the coordinates knee \(.* rad\), .* add columns"),
        (
            {"hip": np.zeros(9), "knee": np.linspace(0.0, -60.0, 9)},
            r"knee is -60 rad at 2 s, in a range from -2 rad to 1 rad: check units",
        ),
    ],
)
def test_what_a_motion_lacks_is_named(motion, message):
    model = fm.Model("leg", gravity=(0.0, -9.81, 0.0))
    below = model.ground
    for name in ("hip", "knee"):
        bone = model.add(fm.Body(f"{name}_bone", 3.0, (0, -0.2, 0), (0.05, 0.006, 0.05)))
        one = fm.Coordinate(name, lower=-2.0, upper=1.0)
        at = (0.0, -0.4 if below.name == "hip_bone" else 0.0, 0.0)
        model.add(fm.Hinge(name, below, bone, at, (0, 0, 1), coordinate=one))
        below = bone
    with pytest.warns(fm.ModelWarning, match=message) as told:
        fm.inverse_dynamics(model, {"time": np.linspace(0.0, 2.0, 9), **motion})
    assert len(told) == 1

"""Inverse dynamics: OpenSim's published answer, and muscles whose mass grows."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import fibermsk as fm
from fibermsk.cli.main import app


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


def leg(share):
    """Thigh, shank and foot; a share of the shank's mass in three muscles (wang2022, 4.5)."""
    model = fm.Model("leg", gravity=(0.0, -9.81, 0.0), meant=("mass",))
    numbers = (
        ("thigh", 8.0, (0.0, -0.19, 0.0), 0.43, (0.0, 0.0, 0.0)),
        ("shank", 3.5 * (1.0 - share), (0.0, -0.18, 0.0), 0.42, (0.0, -0.43, 0.0)),
        ("foot", 1.2, (0.05, -0.04, 0.0), None, (0.0, -0.42, 0.0)),
    )
    bodies, below = {}, model.ground
    for (name, mass, com, length, at), joint in zip(numbers, ("hip", "knee", "ankle"), strict=True):
        I_z = 0.005 if length is None else mass * length**2 / 12.0
        inertia = (0.001, 0.005, 0.005) if length is None else (I_z, 1e-3 * mass, I_z)
        body = model.add(fm.Body(name, mass, com, inertia=inertia))
        model.add(fm.Hinge(joint, below, body, at, (0.0, 0.0, 1.0)))
        bodies[name] = below = body
    thigh, shank, foot = bodies.values()
    barrel = fm.WrapCylinder("condyle", shank, (-0.005, -0.03, 0.0), radius=0.02, length=0.2)
    paths = {
        "soleus": (0.5, [shank.at(-0.02, -0.15, 0), foot.at(-0.055, -0.03, 0)], []),
        "tibialis": (
            0.2, [shank.at(0.02, -0.16, 0), shank.at(0.03, -0.38, 0), foot.at(0.08, -0.01, 0)], [],
        ),
        "gastrocnemius": (
            0.3, [thigh.at(-0.02, -0.38, 0), foot.at(-0.055, -0.03, 0)],
            [fm.PathWrap(barrel, side=1)],
        ),
    }  # fmt: skip
    for name, (part, points, wraps) in paths.items():
        mass = fm.MuscleMass(3.5 * share * part, points=20)
        path = [fm.PathPoint(f"{name}_{k}", at) for k, at in enumerate(points)]
        model.add(
            fm.LineMuscle(
                name, path, wraps=wraps, mass=mass, max_isometric_force=1.0,
                optimal_fiber_length=0.05, tendon_slack_length=0.1,
            )
        )  # fmt: skip
    return model


def walking():
    """Half a second of a step of the leg."""
    t = np.linspace(0.0, 0.5, 101)
    w = 4.0 * np.pi
    return {
        "time": t,
        "hip": 0.35 + 0.45 * np.sin(0.5 * w * t - 0.6),
        "knee": -1.0 - 0.7 * np.sin(w * t),
        "ankle": 0.1 + 0.3 * np.sin(w * t + 0.4),
    }


def test_torques_are_affine_in_the_mass_of_the_muscles():
    motion = walking()
    found = {share: fm.inverse_dynamics(leg(share), motion).force for share in (0.0, 0.4, 0.8)}
    for name in ("hip", "knee", "ankle"):
        middle = 0.5 * (found[0.0][name] + found[0.8][name])
        np.testing.assert_allclose(found[0.4][name], middle, atol=1e-11)
    ankle = [found[share]["ankle"] for share in (0.0, 0.8)]
    assert np.abs(ankle[1] - ankle[0]).max() > 0.5 * np.abs(ankle[0]).max()


def test_no_mass_is_the_massless_result_exactly():
    motion = walking()
    empty = fm.inverse_dynamics(leg(0.0), motion)
    without = fm.inverse_dynamics(leg(0.0), motion, muscle_mass=False)
    for name, force in empty.force.items():
        np.testing.assert_array_equal(force, without.force[name])
    heavy = fm.inverse_dynamics(leg(0.8), motion, muscle_mass=False)
    assert np.abs(heavy.force["ankle"] - empty.force["ankle"]).max() < 1e-12  # no muscle's mass


def test_forces_that_are_left_out_are_refused():
    model = fm.make_scene("upper_limb").model
    with pytest.raises(fm.ModelError, match="fibers = .*not part of inverse dynamics"):
        fm.inverse_dynamics(model, {"time": np.arange(6.0), "elbow_flexion": np.zeros(6)})


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

"""Inverse kinematics against OpenSim's tools, each in a process of its own."""

from pathlib import Path

import numpy as np
import pytest
from _peers import ask_opensim
from opensim_peer import run_script
from scipy.spatial.transform import Rotation
from test_inverse_kinematics import followed

import fibermsk as fm
from fibermsk.analysis.kinematics.tracked import TrackedSensors
from fibermsk.read.motion import motion_of
from fibermsk.system.skeleton.free import free_model

SCRIPT = Path(__file__).with_name("ik_in_opensim.py")


def walking(shared_models):
    """The scaled gait10 model, its file, times and states of a measured gait."""
    home = shared_models / "opensim-models" / "gait10dof18musc_reference"
    if not home.is_dir():
        pytest.skip(f"no {home}")
    file = home / "subject01.osim"
    model = fm.read_osim(file)
    motion = motion_of(model, home / "subject01_walk_IK.mot")
    skeleton = fm.skeleton(model)
    states = [
        skeleton.q_of({name: float(one[k]) for name, one in motion.values.items()})
        for k in range(motion.time.size)
    ]
    return file, model, motion.time, states


def measured(model, time, states, rng, noise=0.005, gaps=True):
    """Markers in some states with noise, each with a gap."""
    found = np.array([followed(model).positions(q) for q in states])
    found += rng.normal(0.0, noise, found.shape)
    for j in range(found.shape[1] if gaps else 0):
        first = int(rng.integers(0, time.size - 5))
        found[first : first + int(rng.integers(1, 30)), j] = np.nan
    names = model.markers.names
    return fm.Markers("walk", time, dict(zip(names, found.swapaxes(0, 1), strict=True)), rate=60.0)


def off(found, theirs, names):
    """Largest difference by coordinate [degrees or mm]."""
    assert theirs.in_degrees and theirs.time.size == found.time.size
    return {
        name: float(np.abs(
            (np.degrees(found.values[name]) if found.units[name] == "rad"
             else 1e3 * found.values[name])
            - theirs.signal(name) * (1.0 if found.units[name] == "rad" else 1e3)
        ).max())
        for name in names
    }  # fmt: skip


def test_walking_with_noise_and_gaps(shared_models, tmp_path, rng):
    """Weights, markers without a task and tasks that do not apply, from OpenSim's own setup."""
    file, model, time, states = walking(shared_models)
    markers = measured(model, time, states, rng)
    markers.write(tmp_path / "walk.trc")
    weights = {name: 1.0 + k % 5 for k, name in enumerate(model.markers.names)}
    del weights["Sternum"]
    weights["Top.Head"] = 0.0
    task = {
        "model": str(file), "markers": str(tmp_path / "walk.trc"), "weights": weights,
        "out": str(tmp_path / "ik.mot"), "setup": str(tmp_path / "setup.xml"),
    }  # fmt: skip
    run_script(SCRIPT, tmp_path, task)
    found = fm.inverse_kinematics(
        model, tmp_path / "walk.trc", weights=tmp_path / "setup.xml", bounds=False
    )
    assert found.weights["Sternum"] == found.weights["Top.Head"] == 0.0
    assert max(off(found, fm.read_signals(tmp_path / "ik.mot"), found.free).values()) < 1e-4
    # the noise was not small
    assert 0.005 < found.rms.mean() < 0.01
    assert sum(len(one) - np.isfinite(one).sum() for one in found.residuals.values()) > 300


@pytest.mark.filterwarnings("ignore::fibermsk.ModelWarning")
def test_from_markers_to_moments(shared_models, tmp_path, rng):
    """Both programs go from noisy markers and ground reactions to moments, by all their tools."""
    file, model, time, states = walking(shared_models)
    measured(model, time, states, rng).write(tmp_path / "walk.trc")
    weights = dict.fromkeys(model.markers.names, 1.0)
    out = tmp_path / "ik.mot"
    task = {"model": str(file), "markers": str(tmp_path / "walk.trc"), "weights": weights}
    run_script(SCRIPT, tmp_path, task | {"out": str(out)})
    loads = file.with_name("subject01_walk_grf.xml")
    (theirs,) = ask_opensim(
        "_inverse_dynamics_opensim.py",
        [{"model": str(file), "motion": str(out), "loads": str(loads), "lowpass": 6.0,
          "end": float(time[-1])}],
        300.0,
    )  # fmt: skip
    found = fm.inverse_kinematics(model, tmp_path / "walk.trc", bounds=False)
    model.add(*fm.read_external_loads(loads, model))
    forces = fm.inverse_dynamics(model, found.motion, lowpass=6.0)
    for name, own in forces.force.items():
        kind = "moment" if forces.units[name] == "N m" else "force"
        off = np.abs(own - theirs["columns"][f"{name}_{kind}"]).max()
        assert off < 0.1, name
        assert np.abs(own).max() > 30.0


def test_couplings_and_clamped_coordinates(shared_models, tmp_path, rng):
    """A whole body with coupled knees; OpenSim stops a little inside of bounds."""
    file = shared_models / "opensim-models" / "Rajagopal2016.osim"
    if not file.is_file():
        pytest.skip(f"no {file}")
    model = fm.read_osim(file)
    free = free_model(model)
    skeleton = fm.skeleton(free)
    ends = [
        (max(one.lower, -1.0), min(one.upper, 1.0))
        for one in (free.coordinate(name) for name in skeleton.independent)
    ]
    lower, upper = np.array(ends).T
    time, phase = np.linspace(0.0, 1.0, 21), rng.uniform(0.0, 6.0, skeleton.n)
    states = [
        np.clip(skeleton.start + 0.15 * (upper - lower) * np.sin(3.0 * t + phase), lower, upper)
        for t in time
    ]
    measured(model, time, states, rng, 0.002, gaps=False).write(tmp_path / "move.trc")
    task = {
        "model": str(file), "markers": str(tmp_path / "move.trc"), "out": str(tmp_path / "ik.mot"),
        "weights": dict.fromkeys(model.markers.names, 1.0),
    }  # fmt: skip
    run_script(SCRIPT, tmp_path, task)
    with pytest.warns(fm.ModelWarning, match="at a bound of the declared range"):
        found = fm.inverse_kinematics(model, tmp_path / "move.trc")
    assert len(found.free) == 29 and len(found.values) == 39
    assert max(off(found, fm.read_signals(tmp_path / "ik.mot"), found.free).values()) < 0.1


def test_orientations_of_sensors(shared_models, tmp_path, rng):
    """OpenSim's tool ends before the minimum, by 0.15 degrees; ours is one and is lower."""
    file, model, time, states = walking(shared_models)
    skeleton = fm.skeleton(model)
    bodies = ("pelvis", "femur_r", "tibia_r", "calcn_r", "torso", "femur_l", "tibia_l", "calcn_l")
    on = {f"{body}_imu": (body, Rotation.random(random_state=k).as_matrix())
          for k, body in enumerate(bodies)}  # fmt: skip
    quaternions = {name: [] for name in on}
    for q in states:
        poses = skeleton.poses(q)
        for name, (body, R) in on.items():
            noise = Rotation.from_rotvec(rng.normal(0.0, 0.03, 3))
            x, y, z, w = (Rotation.from_matrix(poses[body][0] @ R) * noise).as_quat()
            quaternions[name].append([w, x, y, z])
    lines = ["DataRate=60.0", "DataType=Quaternion", "version=3", "OpenSimVersion=4.6", "endheader"]
    lines.append("\t".join(["time", *on]))
    for k, t in enumerate(time.tolist()):
        cells = (",".join(map(repr, map(float, quaternions[name][k]))) for name in on)
        lines.append("\t".join([repr(t), *cells]))
    (tmp_path / "imu.sto").write_text("\n".join(lines) + "\n")
    task = {
        "model": str(file), "orientations": str(tmp_path / "imu.sto"), "end": float(time[-1]),
        "out": str(tmp_path / "ik.mot"),
        "frames": {name: [body, R.tolist()] for name, (body, R) in on.items()},
    }  # fmt: skip
    run_script(SCRIPT, tmp_path, task)
    theirs = fm.read_signals(tmp_path / "ik.mot")
    with pytest.warns(fm.ModelWarning, match="do not determine: pelvis_tx.*pelvis_ty"):
        found = fm.inverse_kinematics(model, tmp_path / "imu.sto", sensors=on, bounds=False)
    turns = [name for name in found.free if found.units[name] == "rad"]
    assert max(off(found, theirs, turns).values()) < 0.3
    imu = fm.read_motion(tmp_path / "imu.sto")
    turned = np.stack([imu.rotation(name) for name in on], axis=1)
    tracked = TrackedSensors(skeleton, tuple(on), [*on.values()], np.ones(len(on)), turned)
    for k in range(time.size):
        own, other = (
            tracked.residual(skeleton.q_of(dict(zip(turns, values, strict=True))), k)
            for values in (
                [float(found.values[name][k]) for name in turns],
                [float(np.radians(theirs.signal(name)[k])) for name in turns],
            )
        )
        assert np.abs(own.J.T @ own.value).max() < 1e-7
        assert own.value @ own.value <= other.value @ other.value

"""`fibermsk track`, and optimal control of the arm of OpenSim."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import fibermsk as fm
from fibermsk.cli.main import app


@pytest.fixture
def arm26(shared_models):
    """The arm of OpenSim and a motion of it."""
    folder = shared_models / "opensim-core/arm26_static_opt"
    return folder / "arm26.osim", folder / "arm26_InverseKinematics.mot"


def track(files, *options):
    return CliRunner().invoke(app, ["track", *map(str, files), *options])


def test_a_measured_motion_is_followed(arm26, tmp_path):
    """As near as asked for, by muscles rather than reserves, and as static optimization does."""
    out = tmp_path / "track.h5"
    done = track(arm26, "--steps", "50", "--out", str(out), "--json")
    assert done.exit_code == 0, done.output
    report = json.loads(next(one for one in done.output.splitlines() if one.startswith("{")))
    assert report["status"] == "success" and report["control"]["violation"] < 1e-8
    assert report["control"]["resimulation"]["coordinate"] < 0.02
    for one in report["followed"].values():
        assert one["rms"] < 5e-3 and one["reserve"] < 0.5
    result = fm.load(out)
    arm = fm.with_smooth_muscles(fm.read_osim(arm26[0]))
    with pytest.warns(fm.ModelWarning, match="r_acromion_tx"):
        still = fm.static_optimization(arm, arm26[1], lowpass=6.0)
    optimum = result.tables["optimum"]
    time = optimum["time"].values
    middle = (time > 0.15) & (time < 0.8)  # the file is noisy before, and nothing comes after
    for name, values in still.activation.items():
        expected = np.interp(time, still.time, values)
        off = optimum[f"{name}/activation"].values - expected
        assert np.abs(off[middle]).max() < 0.02, name


def test_tracking_refuses_what_it_cannot_do(arm26, tmp_path):
    for options, message in (
        (["--begin", "2"], "lie within the motion, [0, 1]"),
        (["--begin", "0.5", "--end", "0.4"], "exceed begin = 0.5 s"),
        (["--tendon", "soft"], 'must be "rigid" or "elastic"'),
        (["--reserve", "0"], "reserve = 0"),
        (["--size", "-1"], "sizes = -1"),
        (["--out", str(tmp_path / "a.txt")], "must end with one of"),
    ):
        done = track(arm26, *options)
        assert done.exit_code == 2 and message in done.output, (options, done.output)


def test_a_part_of_a_motion_is_a_table(arm26, tmp_path):
    out = tmp_path / "part.sto"
    done = track(arm26, "--begin", "0.2", "--end", "0.5", "--steps", "15", "--out", str(out))
    assert done.exit_code == 0, done.output
    assert "rms deviation" in done.output and "fitted by polynomials" in done.output
    signals = fm.read_signals(out)
    assert signals.time[[0, -1]] == pytest.approx([0.2, 0.5])
    names = {"r_elbow_flex", "BRA/activation", "BRA/excitation", "r_elbow_flex/reserve"}
    assert names <= set(signals.values)


def test_arm26_reaches_with_its_muscles(shared_models, monkeypatch):
    monkeypatch.setenv("FIBERMSK_MODELS", str(shared_models))
    solution = fm.make_scene("arm26_reach", steps=30).solve(progress=False)
    assert solution.resimulation.coordinate < 0.05 and solution.resimulation.discrete < 1e-9
    assert max(np.abs(one[-1]) for one in solution.speeds.values()) < 1e-8


def test_a_model_without_muscles_has_none_that_are_smooth():
    with pytest.raises(fm.ModelError, match="be one or more that exert a force"):
        fm.with_smooth_muscles(fm.make_scene("upper_body").model)

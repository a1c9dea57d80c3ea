"""`fibermsk muscles` and `fibermsk so`."""

import json
import os
import warnings
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread
from typer.testing import CliRunner

import fibermsk as fm
from fibermsk.cli.main import app
from fibermsk.cli.running.model_scene import scene

MODEL = Path(os.environ.get("FIBERMSK_MODELS", "")) / "opensim-core/arm26_static_opt/arm26.osim"
needs_model = pytest.mark.skipif(not MODEL.is_file(), reason="needs arm26")


@needs_model
def test_muscles_write_tables_and_pictures(tmp_path):
    out = tmp_path / "arms.csv"
    names = ["--muscles", "BRA", "--muscles", "BICshort"]
    command = ["muscles", str(MODEL), "--coordinate", "r_elbow_flex", "--range", "0:2:5"]
    found = CliRunner().invoke(app, [*command, *names, "--plot", "moment_arm", "--out", str(out)])
    assert found.exit_code == 0, found.output
    table = np.genfromtxt(out, delimiter=",", names=True, deletechars="")
    assert table.dtype.names[:3] == ("r_elbow_flex", "BICshort/length", "BICshort/moment_arm")
    assert (tmp_path / "arms.png").stat().st_size > 10_000
    for plot in ("length", "force_length"):
        picture = tmp_path / f"{plot}.png"
        done = CliRunner().invoke(app, [*command, *names, "--plot", plot, "--out", str(picture)])
        assert done.exit_code == 0, done.output
        assert (imread(picture)[..., :3] < 0.9).any(axis=2).mean() > 0.02
    storage = tmp_path / "arms.sto"
    found = CliRunner().invoke(app, [*command, *names, "--out", str(storage), "--json"])
    signals = fm.read_signals(storage)
    assert json.loads(found.stdout.splitlines()[0])["unit"] == "rad"
    np.testing.assert_array_equal(signals.values["BRA/length"], table["BRA/length"])


@needs_model
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--coordinate", "elbow"], "did you mean 'r_elbow_flex'"),
        (["--coordinate", "r_elbow_flex", "--range", "0:2"], "FROM:TO:N"),
        (["--coordinate", "r_elbow_flex", "--plot", "force"], "force_length"),
    ],
)
def test_impossible_curves_are_refused(tmp_path, options, message):
    found = CliRunner().invoke(
        app, ["muscles", str(MODEL), *options, "--out", str(tmp_path / "a.csv")]
    )
    assert found.exit_code == 2
    assert message in found.output


@needs_model
def test_a_model_follows_a_motion(tmp_path):
    """From the first instant of the file on, in degrees as in a file without a version."""
    with pytest.warns(fm.ModelWarning, match="r_acromion_tx"):
        made = scene(str(MODEL), motion=str(MODEL.with_name("arm26_InverseKinematics.mot")))
    assert made.duration == 1.0
    elbow = made.model.coordinate("r_elbow_flex").prescribed
    np.testing.assert_allclose(elbow(1.0), np.deg2rad(90.10762135), rtol=1e-12)
    found = CliRunner().invoke(app, ["run", str(MODEL), "--motion", str(tmp_path / "none.mot")])
    assert found.exit_code == 2 and "no such file" in found.output


@needs_model
def test_static_optimization_writes_activations(tmp_path):
    """Without the biceps' long head and the triceps' long head, which wrap around ellipsoids."""
    out = tmp_path / "so.sto"
    motion = MODEL.with_name("arm26_InverseKinematics.mot")
    names = [
        word for name in ("TRIlat", "TRImed", "BICshort", "BRA") for word in ("--muscles", name)
    ]
    options = ["--lowpass", "6", "--bounds", "0.01:1", "--out", str(out), "--json", *names]
    found = CliRunner().invoke(app, ["so", str(MODEL), str(motion), *options, "--bounds", "1"])
    assert found.exit_code == 2 and "must be FROM:TO" in found.output
    found = CliRunner().invoke(app, ["so", str(MODEL), str(motion), *options])
    assert found.exit_code == 0, found.output
    report = json.loads(next(line for line in found.output.splitlines() if line.startswith("{")))
    signals = fm.read_signals(out)
    assert report["assumptions"]["curves"].startswith("ThelenCurves (for Thelen2003Muscle): TRIlat")
    assert "\ntendon=rigid" in out.read_text()
    assert report["optimality"] < 1e-12 and report["frames"] == signals.time.size == 121
    activation = signals.values["BRA/activation"]
    assert report["assumptions"]["activation"].startswith("0.01 to 1,")
    assert activation.min() == 0.01 and activation.max() <= 1.0
    assert set(report["reserves"]) == {"r_shoulder_elev", "r_elbow_flex"}


@pytest.mark.parametrize(("duration", "told"), [(0.0, False), (0.3, True)])
def test_controls_that_end_before_the_run_are_told(tmp_path, duration, told):
    model = Path(__file__).parents[1] / "data" / "limb_v4.osim"
    names = [one.name for one in fm.read_osim(model).muscles]
    file = tmp_path / "controls.csv"
    rows = [",".join([time, *(["0.1"] * len(names))]) for time in ("0", "0.2")]
    file.write_text("\n".join([",".join(["time", *names]), *rows]))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        made = scene(str(model), controls=str(file), duration=duration)
    assert made.duration == (duration or 0.2)
    text = "end at 0.2 s; their last values are held until the end of the run, 0.3 s"
    assert any(text in str(one.message) for one in found) is told

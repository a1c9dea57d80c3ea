"""`fibermsk fit` on the arm of MoBL-ARMS, which is not part of the package."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import fibermsk as fm
from fibermsk.cli.main import app
from fibermsk.identification.arm import ANGLES, SUPERFICIAL


@pytest.fixture
def arm(shared_models):
    path = shared_models / "MoBL-ARMS_noncommercial" / "MOBL_ARMS_41.osim"
    if not path.exists():
        pytest.skip("needs MOBL_ARMS_41.osim")
    return path


def table(path, time, columns):
    text = ",".join(["time", *columns]) + "\n"
    for k, t in enumerate(time):
        text += ",".join(f"{one:.12g}" for one in (t, *(c[k] for c in columns.values()))) + "\n"
    path.write_text(text)
    return str(path)


@pytest.fixture
def files(tmp_path):
    """Two short motions with EMG of the superficial muscles; no model explains them."""
    found = []
    for k in (1, 2):
        t = np.arange(0.0, 1.6, 0.01)
        late = t[t >= 0.5]
        center = np.deg2rad([50.0, 65.0, 15.0, 55.0, 0.0])
        motion = {
            name: x + 0.2 * np.sin(k + j + 4.0 * late)
            for j, (name, x) in enumerate(zip(ANGLES, center, strict=True))
        }
        emg = {name: 0.2 + 0.1 * np.sin(k + j + 5.0 * t) for j, name in enumerate(SUPERFICIAL)}
        found.append(table(tmp_path / f"motion{k}.csv", late, motion))
        found.append(table(tmp_path / f"emg{k}.csv", t, emg))
    return found


def options(files, *numbers):
    given = []
    for k in numbers:
        given += ["--motion", files[2 * k], "--emg", files[2 * k + 1]]
    return given


@pytest.mark.filterwarnings("ignore::fibermsk.ModelWarning")
def test_fit_tells_asks_searches_and_predicts(arm, files, tmp_path):
    report = tmp_path / "report"
    call = ["fit", str(arm), *options(files, 0, 1), "--radians", "--report", str(report)]
    done = CliRunner().invoke(app, call, input="n\n")
    assert done.exit_code == 1 and not report.exists()
    for words in ("INFSP, SUBSC, TRImed, BRA, PQ", "they reach 4 of 5", "TRIlat, BRD", "anchored",
                  "1 held out", "72 unknowns, of which 24 base"):  # fmt: skip
        assert words in done.stderr
    call += ["--yes", "--sigma", "10", "--prior", "humerus/m=0.01", "--fixed", "emg/*", "--group",
             "strength=*/max_isometric_force", "--bounds", "strength=0.5:1.5", "--prior",
             "strength=0.2", "--emg-delay", "0.05", "--filter", "-0.5:-0.7", "--json"]  # fmt: skip
    done = CliRunner().invoke(app, call)
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["converged"] and 0.5 <= told["estimates"]["strength"] <= 1.5
    assert told["estimates"].keys().isdisjoint({"emg/delay", "emg/beta1"})
    assert [one["held_out"] for one in told["residuals"].values()] == [False, True]
    assert (report / "report.html").exists()


@pytest.mark.filterwarnings("ignore::fibermsk.ModelWarning")
@pytest.mark.parametrize(
    "more, message",
    [
        (["--prior", "emg/delay"], "--prior emg/delay; must be NAME=VALUE"),
        (["--prior", "emg/delay=much"], "--prior much; must be a number"),
        (["--bounds", "emg/delay=3"], "--bounds 3; must be two numbers"),
        (["--filter", "-0.6"], "--filter -0.6; must be two numbers"),
        (["--filter", "0.6:-0.7"], "filter = (0.6, -0.7); must be two numbers in (-1, 0)"),
        (["--activation-times", "10:40"], "activation_times = 10.0 s; must lie"),
        (["--emg-delay", "42"], "emg_delay = 42.0 s; must lie"),
        (["--method", "newton"], "method = 'newton'; must be 'lm' or 'adam'"),
        (["--delay", "none"], "delay = 'none'; must be 'smooth' or 'linear'"),
        (["--column", "biceps=BIClong"], "columns = 'biceps'; must be one of"),
        (["--hold-out", "1"], "held_out = 1"),
    ],
)
def test_bad_options_are_refused(arm, files, tmp_path, more, message):
    call = ["fit", str(arm), *options(files, 0), "--radians", "--report", str(tmp_path / "r")]
    done = CliRunner().invoke(app, [*call, "--yes", *more])
    assert done.exit_code == 2 and message in done.stderr
    assert not (tmp_path / "r").exists()


@pytest.mark.filterwarnings("ignore::fibermsk.ModelWarning")
@pytest.mark.slow
@pytest.mark.parametrize("method, unknowns", [("M1", 72), ("M2", 105)])
def test_the_scene_finds_the_truth(arm, tmp_path, monkeypatch, method, unknowns):
    """Three seconds of one movement; the guide tells of two movements of ten seconds."""
    monkeypatch.chdir(tmp_path)
    settings = [f"method={method}", f"model={arm}", "duration=4", "movements=2", "steps=20"]
    done = CliRunner().invoke(app, ["run", "identify_arm", "--json", "--set", *settings])
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)["identification"]
    assert told["cr2"] < 1e-3 and told["base_rank"] == 24 and told["unknowns"] == unknowns
    result = fm.load("results/identify_arm.h5")
    assert result.tables["identification"]["truth"].values.size == unknowns

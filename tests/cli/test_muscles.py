"""`fibermsk muscles` and `fibermsk so`."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import fibermsk as fm
from fibermsk.cli.main import app

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
    storage = tmp_path / "arms.sto"
    found = CliRunner().invoke(app, [*command, *names, "--out", str(storage), "--json"])
    signals = fm.read_signals(storage)
    assert json.loads(found.stdout.splitlines()[0])["unit"] == "rad"
    np.testing.assert_array_equal(signals.values["BRA/length"], table["BRA/length"])


@needs_model
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--coordinate", "elbow"], "the model has: r_shoulder_elev"),
        (["--coordinate", "r_elbow_flex", "--range", "0:2"], "FROM:TO:N"),
        (["--coordinate", "r_elbow_flex", "--plot", "force"], "force_length"),
        (["--coordinate", "r_elbow_flex", "--muscles", "BIClong"], "other muscles"),
    ],
)
def test_impossible_curves_are_refused(tmp_path, options, message):
    found = CliRunner().invoke(
        app, ["muscles", str(MODEL), *options, "--out", str(tmp_path / "a.csv")]
    )
    assert found.exit_code == 2
    assert message in found.output

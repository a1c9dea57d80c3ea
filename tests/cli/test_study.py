"""`fibermsk sweep`: values of parameters on the command line, one file, and what it says."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from fibermsk.cli.main import app

pytest.importorskip("h5netcdf")
xarray = pytest.importorskip("xarray")
CALL = ["sweep", "hanging_fiber", "--set", "duration=0.02", "--out", "study.nc"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_grid_of_numbers_and_parameters():
    more = ["--over", "fiber/radius=3e-3:5e-3:3", "steps=2,4", "--of", "fiber/length_max", "--json"]
    done = CliRunner().invoke(app, [*CALL, *more])
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["points"], told["failed"], told["sizes"]["steps"]) == (6, 0, 2)
    assert "6 of 6 points written to study.nc" in done.stderr
    found = xarray.open_dataset("study.nc", engine="h5netcdf")
    np.testing.assert_allclose(found["fiber.radius"], [3e-3, 4e-3, 5e-3])
    assert found["steps"].values.tolist() == [2, 4]
    assert found["fiber.length_max"].dims == ("fiber.radius", "steps")


def test_points_that_failed_are_told():
    more = ["--over", "fiber/radius=3e-3,-1", "--set", "steps=2", "--of", "fiber/length_max"]
    done = CliRunner().invoke(app, [*CALL, *more])
    assert done.exit_code == 1
    assert "fibermsk info study.nc lists what is in it" in done.stderr
    info = CliRunner().invoke(app, ["info", "study.nc"])
    assert info.exit_code == 0, info.stderr
    assert "study of hanging_fiber (grid), 2 points, 1 failed" in info.stdout
    told = json.loads(CliRunner().invoke(app, ["info", "study.nc", "--json"]).stdout)
    assert told["variables"]["fiber.radius"]["range"] == [-1.0, 3e-3]
    length = told["variables"]["fiber.length_max"]
    assert length["unit"] == "m" and 0.0 < length["range"][0] == length["range"][1]
    assert "1 of 2 points failed, and are NaN: model 'hanging_fiber': fiber/radius" in done.stderr
    assert xarray.open_dataset("study.nc", engine="h5netcdf").sizes["fiber.radius"] == 2


def test_indices_are_printed():
    pytest.importorskip("SALib")
    more = ["--over", "fiber/tissue/density=900:1100", "fiber/radius=3e-3:4e-3", "--set", "steps=2"]
    more += ["--design", "sobol", "--samples", "4", "--of", "fiber.length_max"]
    done = CliRunner().invoke(app, [*CALL, *more])
    assert done.exit_code == 0, done.stderr
    assert "fiber.length_max: shares of the variance" in done.stdout
    assert "fiber.tissue.density" in done.stdout


@pytest.mark.parametrize(
    "more, message",
    [
        (["--over", "fiber/radius"], "--over fiber/radius: must be KEY=VALUES"),
        (["--over", "fiber/radius=1:2"], "'1:2'; must be FROM:TO:NUMBER, or values with commas"),
        (["--over", "fiber/radius=1:2:x"], "must have a number of values, 2 or more"),
        (["--over", "steps=1:2:4"], "must give whole numbers"),
        (["--over", "steps=1,2", "--over", "steps=3"], "--over steps: given twice"),
        (["--over", "steps=some"], "--over steps = 'some'; must be a whole number"),
        (["--over", "radios=1,2"], "key = 'radios'; must be a parameter of the scene"),
        (["--over", "steps=1,2", "--out", "study.csv"], "must end with one of: .nc"),
        (["--over", "steps=2,4", "--of", "length"], "outputs name 'length'"),
        (["--over", "fiber/radius=1,2", "--design", "latin", "--samples", "4"], "must be FROM:TO"),
    ],
)
def test_bad_values_are_refused(more, message):
    done = CliRunner().invoke(app, [*CALL, *more])
    assert done.exit_code == 2 and message in done.stderr, done.stderr

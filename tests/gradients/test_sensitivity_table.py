"""Sensitivities: ranks of parameters that are zero or without effect, and progress."""

import numpy as np
import pytest
from typer.testing import CliRunner

import fibermsk as fm
from fibermsk.cli.main import app


@pytest.fixture(scope="module")
def found():
    scene = fm.make_scene("two_bones", duration=0.1, steps=10)
    return fm.sensitivity(scene, "q1_end", ["q1/*", "first/*"])


def test_numbers_that_are_zero_are_ranked_by_a_usual_size(found):
    table = found.columns()
    by = dict(zip(table["parameter"], table["by_one_percent"], strict=True))
    steps = dict(zip(table["parameter"], table["one_percent"], strict=True))
    slopes = found.found.by_name
    assert steps["q1/rotation[about z]"] == 0.01 and steps["q1/child_at[0]"] == 1e-4
    assert steps["first/com[1]"] == 0.01 * -0.15
    assert by["q1/rotation[about z]"] == slopes["q1/rotation[about z]"] * 0.01
    assert table["parameter"].index("q1/rotation[about z]") < table["parameter"].index("first/mass")
    assert np.isnan(found.relative["q1/rotation[about z]"])
    changes = np.abs(table["by_one_percent"])
    assert (np.diff(changes) <= 0.0).all()


def test_parameters_without_effect_are_left_out_of_the_table(found):
    """A planar motion depends on nothing out of its plane."""
    out = {"first/com[2]", "q1/rotation[about x]", "first/inertia[0, 0]", "q1/at[2]"}
    assert out <= set(found.round_off)
    assert not out & set(found.columns()["parameter"])
    kept = {"first/com[1]", "first/mass", "q1/speed", "q1/child_at[0]", "first/inertia[2, 2]"}
    assert kept <= set(found.columns()["parameter"])
    assert set(found.found.by_name) == {*found.round_off, *found.columns()["parameter"]}


def test_a_parameter_without_effect_alone_is_left_out():
    scene = fm.make_scene("two_bones", duration=0.1, steps=10)
    alone = fm.sensitivity(scene, "q1_end", "first/com/z")
    assert alone.round_off == ("first/com/z",) and alone.columns()["parameter"] == []


def test_the_command_says_what_the_change_is():
    arguments = ["sensitivity", "two_bones", "--set", "duration=0.1", "steps=10"]
    done = CliRunner().invoke(app, [*arguments, "--of", "q1_end", "--to", "q1/*"])
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert "1 %" in lines[2] and "change [rad]" in lines[2]
    assert not any(" -0 " in line for line in lines)
    assert "change: by 1 % of the parameter, or of a usual size" in done.stdout
    assert "without effect, left out: q1/at[2]" in done.stdout


def test_progress_of_the_run_and_of_the_sweep_back():
    scene, told = fm.make_scene("two_bones", duration=0.05, steps=5), []
    fm.sensitivity(scene, "q1_end", "first/mass", progress=told.append)
    ahead = [one.fraction for one in told if not one.message]
    back = [one.fraction for one in told if one.message]
    for fractions in (ahead, back):
        assert len(fractions) >= 5 and fractions[-1] == pytest.approx(1.0)
        assert (np.diff(fractions) > 0.0).all()
    with pytest.raises(fm.ModelError, match="progress = 1; must be a function or None"):
        fm.sensitivity(scene, "q1_end", "first/mass", progress=1)


def test_the_command_tells_that_it_sweeps_back():
    arguments = ["sensitivity", "two_bones", "--set", "duration=0.05", "steps=5"]
    done = CliRunner().invoke(app, [*arguments, "--of", "q1_end", "--to", "first/mass", "--json"])
    assert "two_bones: derivatives, back from the end" in done.stderr
    assert done.stdout.startswith("{") and done.stdout.count("\n") == 1

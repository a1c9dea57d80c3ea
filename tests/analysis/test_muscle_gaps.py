"""Curves of muscles that have no path in part of the range."""

import json

import numpy as np
import pytest
from matplotlib.image import imread
from numpy.testing import assert_array_equal
from typer.testing import CliRunner

import fibermsk as fm
from fibermsk.analysis.picture import draw_curves
from fibermsk.cli.main import app

NUMBERS = {"max_isometric_force": 100.0, "optimal_fiber_length": 0.2, "tendon_slack_length": 0.1}


def arm():
    """The insertion of one of two muscles on an arm of 0.3 m turns into a ball."""
    model = fm.Model("arm")
    bar = model.add(fm.Body("bar", 1.0, (0, -0.15, 0), (0.01, 0.01, 0.01)))
    turn = fm.Coordinate("q", lower=-1.5, upper=1.5)
    about = fm.Axis("rotation", (0, 0, 1), (("q", fm.Linear()),))
    model.add(fm.FunctionalJoint("j", model.ground, bar, [turn], [about]))
    ball = fm.WrapSphere("ball", model.ground, (0.3, 0, 0), radius=0.1)
    ends = model.ground.at(-0.1, 0.2, 0), bar.at(0, -0.3, 0)
    for name, wraps in (("blocked", [fm.PathWrap(ball)]), ("free", [])):
        points = [fm.PathPoint(*one) for one in zip("oi", ends, strict=True)]
        model.add(fm.LineMuscle(name, points, wraps=wraps, **NUMBERS))
    return model


def test_gaps_are_nan_and_named():
    model, inside = arm(), 2.0 * np.arcsin(0.05 / 0.3)
    with pytest.warns(fm.ModelWarning, match=r"'blocked' has no path in \d+ of 61 poses.*q = "):
        curves = fm.muscle_curves(model, "q", over=(-1.5, 1.5, 61))
    without = curves.values > 0.5 * np.pi - inside
    assert_array_equal(np.isnan(curves.length["blocked"]), without)
    assert_array_equal(np.isnan(curves.moment_arm["blocked"]), without)
    assert not np.isnan(curves.length["free"]).any() and curves.jumps == ()
    (gap,) = curves.gaps
    assert gap.muscle == "blocked" and gap.poses == without.sum()
    assert gap.value == curves.values[gap.first] == curves.values[without][0]
    with pytest.raises(fm.PathError, match="no pose has a path; q = 1.4"):
        fm.muscle_curves(model, "q", muscles=["blocked"], over=(1.4, 1.5, 3))


def test_a_range_beyond_the_declared_one_is_named():
    with pytest.warns(fm.ModelWarning, match=r"'q': the range -1.5 to 9 rad.*-1.5 to 1.5 rad"):
        fm.muscle_curves(arm(), "q", muscles=["free"], over=(-1.5, 9.0, 5))


def test_pictures_have_gaps():
    with pytest.warns(fm.ModelWarning, match="'blocked' has no path"):
        curves = fm.muscle_curves(arm(), "q", over=(-1.5, 1.5, 31))
    (axes,) = draw_curves(curves, "length").axes
    lines = {str(line.get_label()): np.asarray(line.get_ydata()) for line in axes.lines}
    assert_array_equal(lines["blocked"], 1000.0 * curves.length["blocked"])
    with pytest.warns(fm.ModelWarning, match="'blocked' has no path in 3 of 3 poses"):
        curves = fm.muscle_curves(arm(), "q", over=(1.4, 1.5, 3))
    (axes,) = draw_curves(curves, "moment_arm").axes
    assert [str(line.get_label()) for line in axes.lines] == ["free"]


def test_the_command_writes_and_names_gaps(tmp_path, monkeypatch):
    monkeypatch.setattr("fibermsk.cli.shown.model_file", lambda path: arm())
    out = tmp_path / "arms.csv"
    arguments = ["muscles", "m.osim", "--coordinate", "q", "--range=-1.5:1.5:31", "--json"]
    with pytest.warns(fm.ModelWarning, match="'blocked' has no path in"):
        done = CliRunner().invoke(app, [*arguments, "--plot", "length", "--out", str(out)])
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout.splitlines()[0])
    without = [one is None for one in report["length"]["blocked"]]
    (gap,) = report["gaps"]
    assert gap["poses"] == sum(without) and gap["first"] == without.index(True) > 0
    table = np.genfromtxt(out, delimiter=",", names=True, deletechars="")
    assert_array_equal(np.isnan(table["blocked/length"]), without)
    assert imread(out.with_suffix(".png")).size

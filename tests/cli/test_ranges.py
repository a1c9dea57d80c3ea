"""Coordinates that leave the range that a model declares."""

import json
from dataclasses import replace

import numpy as np
import pytest
from make_result import make_result

import fibermsk as fm
from fibermsk.cli.running.ranges import left_ranges
from fibermsk.laws import QuadraticLimit


def model(**fields):
    """A forearm with a declared range; `make_result` moves its elbow from 0 to 60 degrees."""
    made = fm.Model("arm")
    forearm = made.add(fm.Body("forearm", mass=1.0, inertia=(0.1, 0.1, 0.1)))
    elbow = fm.Coordinate("elbow_flexion", **fields)
    made.add(fm.Hinge("elbow", made.ground, forearm, (0, 0, 0), (0, 0, 1), coordinate=elbow))
    return made


def test_the_farthest_moment_is_told():
    result = make_result(33)
    angle = result.coordinates["elbow_flexion"]
    (text,) = left_ranges(model(lower=0.0, upper=0.5), result)
    k = int(np.argmax(angle))
    assert "'elbow_flexion' leaves its declared range, 0 to 0.5 rad" in text
    assert f"{angle[k]:.4g} rad at t = {result.time[k]:.4g} s" in text
    below = replace(result, coordinates={"elbow_flexion": -angle})
    (text,) = left_ranges(model(lower=-0.1, upper=2.0), below)
    assert f": {-angle[k]:.4g} rad" in text


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"lower": 0.0, "upper": 2.0},
        {"upper": 0.5},
        {"lower": 0.0, "upper": 0.5, "locked": True},
        {"lower": 0.0, "upper": 0.5, "forces": QuadraticLimit(0.0, 0.5, 10.0)},
    ],
)
def test_nothing_is_told_without_a_range_that_is_left_freely(fields):
    assert list(left_ranges(model(**fields), make_result(33))) == []


def test_a_run_warns(cli, tmp_path):
    file = tmp_path / "falling.py"
    file.write_text(
        '"""A falling arm."""\nimport fibermsk as fm\n\n\ndef scene() -> fm.Scene:\n'
        '    """An arm that falls out of its range."""\n'
        '    model = fm.Model("falling", gravity=(0.0, -9.81, 0.0))\n'
        '    arm = model.add(fm.Body("arm", mass=1.0, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.1)))\n'
        '    hip = fm.Coordinate("angle", lower=-0.1, upper=1.0)\n'
        '    model.add(fm.Hinge("hip", model.ground, arm, (0, 0, 0), (0, 0, 1), coordinate=hip))\n'
        "    return fm.Scene(model, duration=0.3, steps=10)\n"
    )
    done = cli("run", file, "--out", tmp_path / "x.h5", "--json")
    assert done.exit_code == 0, done.stderr
    (told,) = json.loads(done.stdout)["warnings"]
    assert told["kind"] == "range"
    assert "coordinate 'angle' leaves its declared range, -0.1 to 1 rad" in told["text"]

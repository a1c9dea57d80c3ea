"""One muscle in several models: the comparisons pass, and their numbers follow the muscle."""

import numpy as np
import pytest
from verify.problem_files import load_module, load_problem

import fibermsk as fm
from fibermsk.verify import Unavailable, run_problem


@pytest.mark.slow
def test_three_models_of_one_flexor():
    outcome = run_problem(load_problem("three_muscles"), {"activation": 0.8})
    # tension, inertia of the line, and the bundle's longer share of heavy tendons
    assert outcome.passed, [row.quantity for row in outcome.rows if not row.passed]
    values = outcome.values
    assert values["bundle_added_gcm2"] > 1.5 * values["inertial_added_gcm2"]
    assert values["inertial_end_rad"] < values["massless_end_rad"]


@pytest.mark.slow
def test_insertion_moves_with_the_patella(shared_models, monkeypatch):
    """With one fiber, which lies on the line, the moment arm is that of the line muscle."""
    monkeypatch.setenv("FIBERMSK_MODELS", str(shared_models))
    problem = load_module("knee_moment_arms")
    try:
        values = problem.run(fibers=1)
    except Unavailable as missing:
        pytest.skip(str(missing))
    assert values["off_the_line_mm"] < 0.1 and values["off_in_the_ring_mm"] < 2.0
    arms = np.array([values[f"at_{a:.0f}_mm"] for a in problem.DEGREES])
    assert arms.argmax() == problem.LINE.argmax()


@pytest.mark.parametrize(
    "name, settings, message",
    [
        ("three_muscles", {"steps": 10}, "steps = 10; must be 40 to 1000"),
        ("three_muscles", {"activation": 0.1}, "activation = 0.1; must be 0.3 to 1"),
        ("knee_moment_arms", {"steps": 10}, "steps = 10; must be 25 to 1000"),
        ("knee_moment_arms", {"fibers": 9}, "fibers = 9; must be 1 to 7"),
    ],
)
def test_settings_out_of_range(name, settings, message):
    problem = load_module(name)
    for part in (problem.run, problem.expected):
        with pytest.raises(fm.ModelError, match=message):
            part(**settings)


def test_an_unknown_model_of_the_muscle():
    with pytest.raises(fm.ModelError, match="muscle = 'string'; must be one of: massless"):
        fm.make_scene("three_muscles", muscle="string")

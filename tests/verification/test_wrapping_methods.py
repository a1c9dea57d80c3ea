"""The paper's method of wrapping finds the paths of the package, or none."""

import numpy as np
import pytest
from verify.problem_files import load_module, load_problem

import fibermsk as fm
from fibermsk.verify import run_problem


@pytest.mark.slow
def test_both_methods_solve_from_the_string():
    outcome = run_problem(load_problem("wrapping_methods"), {"number": 20})
    assert outcome.passed, outcome.as_dict()
    for surface in ("cylinder", "sphere", "ellipsoid", "torus"):
        assert outcome.values[f"{surface}_string_sgw_share"] >= 0.9


@pytest.mark.slow
def test_residual_of_the_paper_vanishes_on_a_known_path():
    """Around a sphere, in the plane z = 0."""
    sgw = load_module("wrapping_methods").sgw
    o, i = np.array([-0.1, 0.02, 0.0]), np.array([0.1, 0.02, 0.0])
    foot = np.array([0.0, 0.05, 0.0, 1.0, 0.0, 0.0, 0.02])
    length, _ = sgw(1, np.full(3, 0.05), o, i, foot)
    d = np.linalg.norm(o)
    free, turn = np.sqrt(d**2 - 0.05**2), np.pi - 2 * np.arctan2(0.02, 0.1)
    expected = 2.0 * free + 0.05 * (turn - 2.0 * np.arccos(0.05 / d))
    assert length == pytest.approx(expected, abs=1e-12)


def test_few_problems_are_refused():
    with pytest.raises(fm.ModelError, match="number = 3; must be 10 or more"):
        load_module("wrapping_methods").run(3)

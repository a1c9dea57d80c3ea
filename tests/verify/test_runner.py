import math

import pytest
from verify.problem_files import write_problem

import fibermsk as fm
from fibermsk.scene_files import find_problem, problem_names
from fibermsk.verify import Expected, run_problem
from fibermsk.verify.runner import Row

DEFAULTS = {"elements": 4, "offset": 0.0}


def test_expected_holds_up_to_its_tolerance():
    answer = Expected(1, 0.5, "a reason")
    assert answer.holds(1.5) and answer.holds(0.5)
    assert not answer.holds(1.51) and not answer.holds(math.nan)


def test_a_missed_limit_is_named():
    answer = Expected(0.0, 0.3, "a reason", kind="measurement", missed_limit=0.1)
    row = Row("rms", 0.25, answer)
    assert row.passed and row.misses == "misses its limit of 0.1"
    assert Row("rms", -0.09, answer).misses == ""
    assert Row("rms", 0.31, answer).misses and not Row("rms", 0.31, answer).passed


@pytest.mark.parametrize("value, tolerance", [(math.nan, 1.0), (1.0, -1.0), (1.0, math.inf)])
def test_expected_refuses_what_compares_with_nothing(value, tolerance):
    with pytest.raises(fm.ModelError, match="must be"):
        Expected(value, tolerance, "a reason")


def test_kind_and_scale_of_an_answer():
    assert Expected(-2.0, 0.5, "a reason").scale == 2.0
    assert Expected(0.0, 0.5, "a reason").scale == 1.0
    kept = Expected(1.0, 0.5, "a reason", kind="regression", source="version 1", scale=3.0)
    assert not kept.verifies and Expected(1.0, 0.5, "a reason", kind="order").verifies
    with pytest.raises(fm.ModelError, match="kind = 'guess'; must be one of: exact, independent"):
        Expected(1.0, 0.5, "a reason", kind="guess")
    with pytest.raises(fm.ModelError, match="scale = 0.0; must be positive"):
        Expected(1.0, 0.5, "a reason", scale=0.0)


def test_outcome_of_a_problem(tmp_path):
    problem = find_problem(str(write_problem(tmp_path)))
    assert problem.title == "A problem that works"
    assert list(problem.parameters) == ["elements", "offset"]
    outcome = run_problem(problem, DEFAULTS)
    assert outcome.passed and outcome.error == ""
    assert outcome.rows[0].difference == 1.0 / 16.0
    found = outcome.as_dict()
    assert found["values"] == {"length": 1.0625, "other": 3.0}
    assert found["expected"]["length"] == {
        "value": 1.0,
        "tolerance": 1.1 / 16.0,
        "why": "second order",
        "kind": "exact",
        "source": "",
        "scale": 1.0,
        "missed_limit": None,
        "evidence": "independent",
    }
    assert not run_problem(problem, {**DEFAULTS, "offset": 0.01}).passed
    assert not run_problem(problem, {**DEFAULTS, "offset": math.nan}).passed


@pytest.mark.parametrize("how", ["knows nothing", "expects more"])
def test_nothing_compared_is_nothing_passed(tmp_path, how):
    outcome = run_problem(find_problem(str(write_problem(tmp_path, how))), DEFAULTS)
    assert not outcome.passed and outcome.error


@pytest.mark.parametrize(
    "text, message",
    [
        ("def run(a=1):\n    return {}\n", r"defines no function expected\(\)"),
        ("def expected(a=1):\n    return {}\n", r"defines no function run\(\)"),
        ("def run(a=1):\n    pass\ndef expected(b=1):\n    pass\n", "must be the same"),
        ("1 / 0\n", "line 1: the file raised ZeroDivisionError"),
    ],
)
def test_bad_problem_files(tmp_path, text, message):
    path = tmp_path / "mine.py"
    path.write_text(text)
    with pytest.raises(fm.ModelError, match=message):
        find_problem(str(path))


def test_a_scene_and_a_problem_may_be_called_alike():
    from fibermsk.scene_files import find

    scene, problem = find("upper_limb"), find_problem("upper_limb")
    assert scene.path.parent.name == "scenes" and problem.path.parent.name == "verification"
    assert scene.function.__module__ != problem.run.__module__


def test_every_problem_of_the_package_loads():
    names = problem_names()
    papers = {"manufactured_solution", "contact_integration", "fiber_contact", "upper_limb"}
    assert papers <= set(names) and not any(name.startswith("_") for name in names)
    for name in names:
        problem = find_problem(name)
        assert problem.title and len(problem.statement.splitlines()) > 3
        for parameter in problem.parameters.values():
            assert parameter.default is not parameter.empty

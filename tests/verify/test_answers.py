"""What the answers of the package's problems are, and that a reader would accept them."""

from functools import cache

import pytest
from verify.problem_files import load_problem

from fibermsk.scene_files import problem_names
from fibermsk.verify import KINDS, Unavailable

CLOSE = 0.011
"""Largest tolerance of a number, over its scale."""
CLOSE_ORDER = 0.35
"""Largest tolerance of a measured order of convergence."""


@cache
def answers(name):
    """Answers at the default setting."""
    problem = load_problem(name)
    setting = {key: parameter.default for key, parameter in problem.parameters.items()}
    try:
        return problem.expected(**setting)
    except Unavailable as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("name", problem_names())
def test_every_answer_says_what_it_is(name):
    for quantity, answer in answers(name).items():
        assert answer.kind in KINDS and answer.source and answer.why, quantity
    # numbers of the package's own belong to the tests
    assert not any(answer.kind == "regression" for answer in answers(name).values())


@pytest.mark.parametrize("name", problem_names())
def test_every_answer_is_close(name):
    for quantity, answer in answers(name).items():
        if answer.verifies:
            most = CLOSE_ORDER if answer.kind == "order" else CLOSE * answer.scale
            assert answer.tolerance <= most, quantity


@pytest.mark.parametrize("name", problem_names())
def test_twice_or_half_the_answer_falls_short(name):
    for quantity, answer in answers(name).items():
        wrong = [answer.value + answer.scale, answer.value - answer.scale]
        if answer.scale == abs(answer.value):
            wrong += [2.0 * answer.value, 0.5 * answer.value]
        if answer.kind not in ("comparison", "measurement"):
            assert not any(map(answer.holds, wrong)), quantity

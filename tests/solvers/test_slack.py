"""The log of slack fibers."""

import numpy as np
import pytest

from fibermsk.results import Slack
from fibermsk.solvers.observers.slack import SlackLog

ROWS = [[1, 0], [-1, 2], [-3, -1], [-2, 1], [1, 1], [-4, 0]]


def filled(rows):
    log = SlackLog.empty(2)
    for i, force in enumerate(rows):
        log = log.add(i / 8, np.array(force, float), np.array([i / 16, 0.5]))
    return log


def test_intervals():
    expected = (
        Slack("a", 1 / 8, 3 / 8, 1 / 8, -3.0),
        Slack("b", 2 / 8, 2 / 8, 0.5, -1.0),
        Slack("a", 5 / 8, 5 / 8, 5 / 16, -4.0),
    )
    assert filled(ROWS).intervals(("a", "b")) == expected
    assert str(expected[0]) == "a from t = 0.125 to 0.375 s, lowest force -3 N at theta = 0.12"


@pytest.mark.parametrize("n", range(len(ROWS) + 1))
def test_a_log_is_not_changed_by_what_comes_after(n):
    part = filled(ROWS[:n])
    before = part.intervals(("a", "b"))
    part.add(2.0, np.array([-9.0, -9.0]), np.zeros(2))
    assert part.intervals(("a", "b")) == before


def test_taut_and_no_fibers():
    assert filled([[1, 1], [0, 2]]).intervals(("a", "b")) == ()
    assert SlackLog.empty(0).add(0.0, np.zeros(0), np.zeros(0)).intervals(()) == ()

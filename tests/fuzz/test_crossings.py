"""Nothing passes through anything: fast crossings at random, checked by brute force."""

from collections import Counter

import numpy as np
import pytest
from amount import cases
from crossings import KINDS, draw, find_fault, run

import fibermsk as fm


def try_cases(seed, n):
    """Faults of n random cases, and how the runs ended."""
    faults, ends = [], Counter()
    for number in range(n):
        case = draw(np.random.default_rng([seed, number]))
        result = run(case)
        if isinstance(result, fm.ModelError):
            ends["refused"] += 1
            continue
        ends[f"{case['kind']} {result.status}"] += 1
        fault = find_fault(case, result)
        if fault:
            faults.append((seed, number, case, fault))
    return faults, ends


def test_nothing_passes():
    faults, ends = try_cases(0, cases(24))
    assert not faults, faults
    assert ends["refused"] < 0.1 * sum(ends.values())
    for kind in KINDS:
        assert ends[f"{kind} success"] > 0


@pytest.mark.slow
def test_nothing_passes_in_many_cases():
    faults, _ = try_cases(1, cases(72))
    assert not faults, faults

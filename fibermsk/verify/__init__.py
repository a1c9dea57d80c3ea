"""Verification: run problems with known answers and compare.

A problem is a Python file with ``run(**parameters) -> dict`` and ``expected(**parameters)``, and
optionally ``study`` and ``plot`` for the report; those of the package are in ``verification/``.
"""

from fibermsk.verify.problem import KINDS, VERIFYING, Expected, Problem, Unavailable, problem_of
from fibermsk.verify.runner import Outcome, run_problem

__all__ = [
    "KINDS",
    "VERIFYING",
    "Expected",
    "Outcome",
    "Problem",
    "Unavailable",
    "problem_of",
    "run_problem",
]

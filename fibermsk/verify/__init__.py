"""Verification: run problems with known answers and compare.

A problem is a Python file with ``run(**parameters) -> dict`` and ``expected(**parameters)``, and
optionally ``study`` and ``plot`` for the report; those of the package are in ``verification/``.
"""

from fibermsk.verify.problem import (
    EVIDENCE as EVIDENCE,
    GROUPS as GROUPS,
    KINDS as KINDS,
    VERIFYING as VERIFYING,
    Expected as Expected,
    Problem as Problem,
    Unavailable as Unavailable,
    problem_of as problem_of,
)
from fibermsk.verify.runner import Outcome as Outcome, run_problem as run_problem

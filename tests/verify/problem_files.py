"""Problem files made up for the tests, and the real ones."""

from __future__ import annotations

import sys
from functools import cache

from fibermsk.scene_files import find_problem

PROBLEM = '''"""A problem that {how}.

Its statement, with <angles> & | bars.

A second paragraph.
"""

import fibermsk as fm
from fibermsk.verify import Expected

print("loading")


def run(elements: int = 4, offset: float = 0.0) -> dict[str, float]:
    if elements < 1:
        raise fm.ModelError(f"elements = {{elements}}; must be 1 or more")
    if {how!r} == "fails":
        raise fm.ConvergenceError("no equilibrium")
    if {how!r} == "breaks":
        raise RuntimeError("a defect")
    return {{"length": 1.0 + 1.0 / elements**2 + offset, "other": 3.0}}


def expected(elements: int = 4, offset: float = 0.0) -> dict[str, Expected]:
    if {how!r} == "knows nothing":
        return {{}}
    if {how!r} == "expects more":
        return {{"width": Expected(1.0, 1.0, "why")}}
    return {{"length": Expected(1.0, 1.1 / elements**2, "second order")}}


def study(fine=False):
    if {how!r} == "studies in vain":
        raise fm.ConvergenceError("no equilibrium")
    rows = [[n, run(n)["length"] - 1.0] for n in ((1, 2, 4) if fine else (1, 2))]
    return {{
        "tables": {{"Errors <table>": {{"columns": ["elements", "error"], "rows": rows}}}},
        "notes": ["A finding."],
        "rows": rows,
    }}


def plot(numbers):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(2, 2))
    figure.add_subplot().plot(*zip(*numbers["rows"]))
    return figure
'''


def write_problem(folder, how="works", name="square"):
    """Write a problem file that goes as told."""
    path = folder / f"{name}.py"
    path.write_text(PROBLEM.format(how=how))
    return path


@cache
def load_problem(name):
    """Problem of the package; what it computes once is kept from test to test."""
    return find_problem(name)


@cache
def load_module(name):
    """Module of a problem of the package."""
    problem = load_problem(name)
    return sys.modules[problem.run.__module__]

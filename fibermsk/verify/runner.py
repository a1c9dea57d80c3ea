"""Run a verification problem and compare its numbers with the answers."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from typing import Any

from fibermsk.verify.problem import Expected, Problem


@dataclass(frozen=True)
class Row:
    """One compared quantity."""

    quantity: str
    ours: float
    expected: Expected

    @property
    def passed(self) -> bool:
        """Whether our number matches the reference."""
        return self.expected.holds(self.ours)

    @property
    def misses(self) -> str:
        """Words for a limit that is known to be missed; else empty."""
        limit = self.expected.missed_limit
        return f"misses its limit of {limit:.2g}" if self.expected.misses(self.ours) else ""

    @property
    def difference(self) -> float:
        """Ours minus the reference."""
        return self.ours - self.expected.value


@dataclass(frozen=True)
class Outcome:
    """Outcome of one problem."""

    problem: Problem
    parameters: dict[str, Any]
    values: dict[str, float] = field(default_factory=dict)
    expected: dict[str, Expected] = field(default_factory=dict)
    seconds: float = 0.0
    """Wall time of `run` and `expected`."""
    error: str = ""
    """Reason why nothing can be compared; empty otherwise."""
    skipped: bool = False
    """Whether the reason is a package or a model that is not there."""

    @property
    def rows(self) -> list[Row]:
        """Comparisons of all quantities with a reference."""
        return [
            Row(name, self.values.get(name, float("nan")), answer)
            for name, answer in self.expected.items()
        ]

    @property
    def passed(self) -> bool:
        """Whether there are comparisons and all pass."""
        rows = self.rows
        return not self.error and bool(rows) and all(row.passed for row in rows)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for `fibermsk verify --json`."""
        found: dict[str, Any] = {
            "problem": self.problem.name,
            "parameters": self.parameters,
            "values": self.values,
            "expected": {
                name: asdict(answer) | {"evidence": answer.evidence}
                for name, answer in self.expected.items()
            },
            "passed": self.passed,
            "seconds": self.seconds,
        }
        if self.error:
            found["skipped" if self.skipped else "error"] = self.error
        return found


def run_problem(problem: Problem, parameters: dict[str, Any]) -> Outcome:
    """Compare the numbers of a problem with their references; its exceptions are passed on."""
    began = time.perf_counter()
    values = {name: float(value) for name, value in problem.run(**parameters).items()}
    expected = dict(problem.expected(**parameters))
    seconds = time.perf_counter() - began
    error = ""
    unknown = [name for name in expected if name not in values]
    if unknown:
        error = f"run() returns no value for: {', '.join(unknown)}"
    elif not expected:
        error = "no answer is known for these parameters"
    return Outcome(problem, dict(parameters), values, expected, seconds, error)

"""Verification problems, as defined by the files of `verification/`."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from fibermsk.errors import ModelError

KINDS = {
    "exact": "closed form or quadrature of the problem's equations",
    "independent": "numbers of other code: scipy, Pinocchio, plain NumPy",
    "consistency": "conservation law, symmetry, or identity of the discrete equations",
    "order": "theoretical order of convergence of the method",
    "measurement": "a measured muscle; passes within the limit that is stated for it",
    "comparison": "another model of the same system; shows how far two models differ",
    "regression": "earlier result of the package, to detect changes",
}
"""Kinds of reference values, with their meaning."""
VERIFYING = ("exact", "independent", "consistency", "order")
"""Kinds that count as verification; others are only shown."""
EVIDENCE = {
    "exact": "independent",
    "independent": "independent",
    "consistency": "consistency",
    "order": "consistency",
    "measurement": "independent",
    "comparison": "independent",
    "regression": "regression",
}
"""Where the reference of each kind is from: outside of the package, the equations' own properties,
or an earlier result of the package."""
GROUPS = (
    "Orders of convergence",
    "Extrapolated values against independent references",
    "Other values against independent references",
    "Consistency of the equations",
    "Measured muscle",
    "Other models",
    "Regressions",
)
"""Titles of the tables of a report, in their order."""


class Unavailable(ModelError):
    """A problem that needs a package or a published model that is not there."""


@dataclass(frozen=True)
class Expected:
    """Reference value of one quantity; its numbers are checked and stored as floats."""

    value: float
    tolerance: float  # largest difference that passes; 0: equal to the last bit
    why: str  # reason for the tolerance, and source if `source` is empty
    kind: str = "exact"  # one of `KINDS`
    source: str = ""  # of the value
    # size to which differences are compared; by default that of the value, or 1
    scale: float | None = None
    # limit set before the comparison that the model is known to miss, below the tolerance
    missed_limit: float | None = None

    def __post_init__(self) -> None:
        """Check the numbers and store them as floats."""
        if self.kind not in KINDS:
            raise ModelError(f"Expected: kind = {self.kind!r}; must be one of: {', '.join(KINDS)}")
        if self.scale is None:
            object.__setattr__(self, "scale", abs(self.value) or 1.0)
        for field in ("value", "tolerance", "scale"):
            number = float(getattr(self, field))
            if not math.isfinite(number):
                raise ModelError(f"Expected: {field} = {number}; must be finite")
            if field == "tolerance" and number < 0.0:
                raise ModelError(f"Expected: tolerance = {number}; must be zero or positive")
            if field == "scale" and not number > 0.0:
                raise ModelError(f"Expected: scale = {number}; must be positive")
            object.__setattr__(self, field, number)

    @property
    def verifies(self) -> bool:
        """Whether the kind counts as verification."""
        return self.kind in VERIFYING

    @property
    def evidence(self) -> str:
        """Whether the reference is ``independent``, a ``consistency`` or a ``regression``."""
        return EVIDENCE[self.kind]

    @property
    def group(self) -> str:
        """Table of a report that has this row, one of `GROUPS`."""
        if self.kind in ("exact", "independent"):
            return GROUPS[1 if "extrapolated" in self.why else 2]
        places = {"order": 0, "consistency": 3, "measurement": 4, "comparison": 5, "regression": 6}
        return GROUPS[places[self.kind]]

    def holds(self, ours: float) -> bool:
        """Whether a number equals the value within the tolerance; never for NaN."""
        return abs(ours - self.value) <= self.tolerance

    def misses(self, ours: float) -> bool:
        """Whether a number misses the limit that was set before the comparison."""
        return self.missed_limit is not None and abs(ours - self.value) > self.missed_limit


@dataclass(frozen=True)
class Problem:
    """A loaded verification problem."""

    name: str  # file name without its ending
    path: Path
    statement: str  # docstring of the file; its first line is the title
    # of `run` and `expected`, with defaults of the coarse setting
    parameters: dict[str, inspect.Parameter]
    run: Callable[..., dict[str, float]]
    expected: Callable[..., dict[str, Expected]]  # for quantities among those of `run`
    # ``study(fine)`` -> dict with ``"tables"``, optionally ``"notes"``, and data for `plot`
    study: Callable[..., dict[str, Any]] | None = None
    # ``plot(numbers)`` -> matplotlib Figure, from the dict of `study`
    plot: Callable[[dict[str, Any]], Any] | None = None

    @property
    def title(self) -> str:
        """First line of the statement, without its full stop."""
        lines = self.statement.strip().splitlines()
        return lines[0].strip().rstrip(".") if lines else self.name


def problem_of(module: ModuleType, path: Path, parameters: dict[str, inspect.Parameter]) -> Problem:
    """Problem of a loaded file; ``run`` and ``expected`` must have the same parameters."""
    for name in ("run", "expected"):
        if not callable(getattr(module, name, None)):
            raise ModelError(
                f"{path} defines no function {name}(); a verification problem has run(...) and "
                "expected(...)"
            )
    taken = list(inspect.signature(module.expected).parameters)
    if taken != list(parameters):
        raise ModelError(
            f"{path}: run() takes ({', '.join(parameters)}) and expected() takes "
            f"({', '.join(taken)}); must be the same"
        )
    return Problem(
        name=path.stem,
        path=path,
        statement=inspect.cleandoc(module.__doc__ or ""),
        parameters=parameters,
        run=module.run,
        expected=module.expected,
        study=getattr(module, "study", None),
        plot=getattr(module, "plot", None),
    )

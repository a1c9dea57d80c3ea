"""A verification problem: what a file of `verification/` defines."""

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
    "exact": "closed form, quadrature, conservation law, or identity of the discrete equations",
    "independent": "numbers of other code: scipy, Pinocchio, plain NumPy",
    "order": "theoretical order of convergence of the method",
    "comparison": "another model of the same system; shows how far two models differ",
    "regression": "earlier result of the package, to detect changes",
}
"""What an answer is, by the name of its kind."""
VERIFYING = ("exact", "independent", "order")
"""Kinds that say whether the package is right; the others are shown, and not counted so."""


class Unavailable(ModelError):
    """A problem whose independent answer needs a package that is not installed."""


@dataclass(frozen=True)
class Expected:
    """Reference value of one quantity.

    Parameters
    ----------
    value : float
        The answer.
    tolerance : float
        Largest difference that passes; positive.
    why : str
        Reason for the tolerance, and source of the answer if `source` is empty.
    kind : str
        Kind of the answer, one of `KINDS`.
    source : str
        Source of the answer.
    scale : float, optional
        Size to which differences are compared, such as the motion whose error it is; positive.
        By default the size of the answer, or 1 if that is zero.

    Raises
    ------
    ModelError
        If a number is not finite, tolerance or scale are not positive, or the kind is not one of
        `KINDS`.
    """

    value: float
    tolerance: float
    why: str
    kind: str = "exact"
    source: str = ""
    scale: float | None = None

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
            if field != "value" and not number > 0.0:
                raise ModelError(f"Expected: {field} = {number}; must be positive")
            object.__setattr__(self, field, number)

    @property
    def verifies(self) -> bool:
        """Whether the answer is one that says whether the package is right."""
        return self.kind in VERIFYING

    def holds(self, ours: float) -> bool:
        """Whether our number is the answer within the tolerance; never for NaN."""
        return abs(ours - self.value) <= self.tolerance


@dataclass(frozen=True)
class Problem:
    """A verification problem, loaded.

    Attributes
    ----------
    name : str
        File name without its ending.
    path : pathlib.Path
        The file.
    statement : str
        The file's docstring; its first line is the title.
    parameters : dict of inspect.Parameter
        What `run` and `expected` take, with the defaults of the coarse setting.
    run : callable
        ``run(**parameters)`` -> dict of float.
    expected : callable
        ``expected(**parameters)`` -> dict of `Expected`, for names among those of `run`.
    study : callable or None
        ``study(fine)`` -> dict with ``"tables"``, optionally ``"notes"`` (list of str), and
        whatever `plot` needs.
    plot : callable or None
        ``plot(numbers)`` -> matplotlib Figure, from the dict of `study`.
    """

    name: str
    path: Path
    statement: str
    parameters: dict[str, inspect.Parameter]
    run: Callable[..., dict[str, float]]
    expected: Callable[..., dict[str, Expected]]
    study: Callable[..., dict[str, Any]] | None = None
    plot: Callable[[dict[str, Any]], Any] | None = None

    @property
    def title(self) -> str:
        """First line of the statement, without its full stop."""
        lines = self.statement.strip().splitlines()
        return lines[0].strip().rstrip(".") if lines else self.name


def problem_of(module: ModuleType, path: Path, parameters: dict[str, inspect.Parameter]) -> Problem:
    """The problem of a loaded file whose function ``run`` has these parameters.

    Raises
    ------
    ModelError
        If ``run`` or ``expected`` is missing, or they do not take the same parameters.
    """
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

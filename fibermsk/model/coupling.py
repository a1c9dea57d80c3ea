"""Couplings: coordinates that follow others."""

from __future__ import annotations

from dataclasses import dataclass

from fibermsk.laws import _check
from fibermsk.model.function import Function, check_function

__all__ = ["Coupling"]

WAYS = ("eliminate", "multiplier")


@dataclass(frozen=True, eq=False)
class Coupling:
    """A coordinate that is a function of another.

    Parameters
    ----------
    dependent : str
        Name of the coordinate that follows, from the start on: its own start value is not used.
    function : Function
        dependent = function(independent).
    independent : str
        Name of the coordinate that it follows.
    enforce : {"eliminate", "multiplier"}
        Leave the dependent coordinate out of the unknowns, which is exact at every level; or keep
        it and hold it by a constraint G q'' = b with a multiplier, the form of the constrained arm
        of identification.

    Raises
    ------
    ModelError
        If a field lies outside its range.
    """

    dependent: str
    function: Function
    independent: str
    enforce: str = "eliminate"

    def __post_init__(self) -> None:
        """Check the fields."""
        _check.name("coupling: dependent", self.dependent)
        owner = f"coupling of {self.dependent!r}"
        _check.name(f"{owner}: independent", self.independent)
        check_function(owner, "function", self.function)
        if self.independent == self.dependent:
            must = "be another coordinate than the dependent one"
            _check.refuse(owner, "independent", self.independent, must)
        _check.choice(owner, "enforce", self.enforce, WAYS)

    @property
    def name(self) -> str:
        """Name made of the two coordinates."""
        return f"{self.dependent} follows {self.independent}"

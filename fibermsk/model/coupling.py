"""Couplings: coordinates that follow others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fibermsk import _check
from fibermsk.model.coordinate import Coordinate
from fibermsk.model.function import Function, check_function

__all__ = ["Coupling", "check_coupling"]

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


def check_coupling(
    model: str, known: Mapping[str, Coordinate], others: Iterable[Coupling], coupling: Coupling
) -> None:
    """Check that a coupling names free coordinates of a model and closes no circle.

    Parameters
    ----------
    model : str
        Whose it becomes, for messages.
    known : mapping of Coordinate
        Coordinates of the model by name.
    others : iterable of Coupling
        Those that it has.
    coupling : Coupling
        The new one.

    Raises
    ------
    ModelError
        If it does not.
    """
    owner = f"coupling of {coupling.dependent!r}"
    for field, name in (("dependent", coupling.dependent), ("independent", coupling.independent)):
        coordinate = known.get(name)
        if coordinate is None:
            remedy = f"the model has: {', '.join(known) or 'none'}"
            _check.refuse(owner, field, name, f"be a coordinate of {model}", remedy=remedy)
        if coordinate.kind == "quaternion":
            _check.refuse(owner, field, name, "not be part of a quaternion")
    follows = {c.dependent: c.independent for c in others}
    if coupling.dependent in follows:
        must = f"follow one other, and follows {follows[coupling.dependent]!r} already"
        _check.refuse(owner, "dependent", coupling.dependent, must)
    dependent = known[coupling.dependent]
    if dependent.locked or dependent.prescribed is not None:
        _check.refuse(owner, "dependent", dependent.name, "be neither locked nor prescribed")
    name: str | None = coupling.independent
    while name is not None:
        if name == coupling.dependent:
            _check.refuse(owner, "independent", coupling.independent, "not follow it in turn")
        name = follows.get(name)

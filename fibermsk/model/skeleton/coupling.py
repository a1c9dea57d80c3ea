"""Couplings between coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fibermsk import _check
from fibermsk._shown import Described
from fibermsk.model.function import Function, check_function
from fibermsk.model.skeleton.coordinate import Coordinate

WAYS = ("eliminate", "multiplier")


@dataclass(frozen=True, eq=False, repr=False)
class Coupling(Described):
    """A coordinate as a function of another one.

    Parameters
    ----------
    dependent : str
        Name of the dependent coordinate; its own initial value is not used.
    function : Function
        dependent = function(independent).
    independent : str
        Name of the independent coordinate.
    enforce : {"eliminate", "multiplier"}
        Eliminate the dependent coordinate from the unknowns, which is exact for position, velocity
        and acceleration; or keep it and enforce a constraint G q'' = b by a multiplier.
    """

    dependent: str
    function: Function
    independent: str
    enforce: str = "eliminate"

    def __post_init__(self) -> None:
        _check.name("coupling: dependent", self.dependent)
        owner = f"coupling of {self.dependent!r}"
        _check.name(f"{owner}: independent", self.independent)
        check_function(owner, "function", self.function)
        if self.independent == self.dependent:
            must = "differ from the dependent coordinate"
            _check.refuse(owner, "independent", self.independent, must)
        _check.choice(owner, "enforce", self.enforce, WAYS)

    @property
    def name(self) -> str:
        """Name composed of the two coordinates."""
        return f"{self.dependent} follows {self.independent}"


def check_coupling(
    model: str, known: Mapping[str, Coordinate], others: Iterable[Coupling], coupling: Coupling
) -> None:
    """Check that a coupling names free coordinates of a model and forms no cycle.

    `model` is its name in messages; `known` are its coordinates and `others` its couplings.
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
        must = f"follow one coordinate only; it already follows {follows[coupling.dependent]!r}"
        _check.refuse(owner, "dependent", coupling.dependent, must)
    dependent = known[coupling.dependent]
    if dependent.locked or dependent.prescribed is not None:
        _check.refuse(owner, "dependent", dependent.name, "be neither locked nor prescribed")
    name: str | None = coupling.independent
    while name is not None:
        if name == coupling.dependent:
            _check.refuse(owner, "independent", coupling.independent, "not depend on it")
        name = follows.get(name)

"""Couplings between coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fibermsk import _check
from fibermsk._shown import Described
from fibermsk.model.function import Function, check_function
from fibermsk.model.multivariate import MultivariatePolynomial
from fibermsk.model.skeleton.coordinate import Coordinate

WAYS = ("eliminate", "multiplier")


@dataclass(frozen=True, eq=False, repr=False)
class Coupling(Described):
    """A coordinate as a function of another one, or of several.

    Parameters
    ----------
    dependent : str
        Name of the dependent coordinate; its own initial value is not used.
    function : Function, or sequence of Function, or MultivariatePolynomial
        dependent = function(independent); of several coordinates the sum of a function of each, or
        a polynomial of all.
    independent : str, or sequence of str
        Name of the independent coordinate, or of several.
    enforce : {"eliminate", "multiplier"}
        Eliminate the dependent coordinate from the unknowns, which is exact for position, velocity
        and acceleration; or keep it and enforce a constraint G q'' = b by a multiplier.
    """

    dependent: str
    function: Function | Sequence[Function] | MultivariatePolynomial
    independent: str | Sequence[str]
    enforce: str = "eliminate"

    def __post_init__(self) -> None:
        _check.name("coupling: dependent", self.dependent)
        owner = f"coupling of {self.dependent!r}"
        if isinstance(self.independent, str):
            _check.name(f"{owner}: independent", self.independent)
            if not isinstance(self.function, MultivariatePolynomial):
                check_function(owner, "function", self.function)
        else:
            self._check_several(owner)
        self._check_dimension(owner)
        if self.dependent in self.independents:
            must = "differ from the dependent coordinate"
            _check.refuse(owner, "independent", self.independent, must)
        _check.choice(owner, "enforce", self.enforce, WAYS)

    def _check_several(self, owner: str) -> None:
        """Check and store several coordinates and functions."""
        what = "a name, or a sequence of names"
        names: Any = _check.instance(owner, "independent", self.independent, (tuple, list), what)
        for i, name in enumerate(names):
            _check.name(f"{owner}: independent[{i}]", name)
        if not names or len(set(names)) != len(names):
            _check.refuse(owner, "independent", names, "be one name or more, each once")
        _check.store(self, independent=tuple(names))
        if isinstance(self.function, MultivariatePolynomial):
            return
        what = "a function of each independent coordinate, or a MultivariatePolynomial"
        functions: Any = _check.instance(owner, "function", self.function, (tuple, list), what)
        if len(functions) != len(names):
            must = f"be {len(names)} functions, one of each independent coordinate"
            _check.refuse(owner, "function", f"{len(functions)} functions", must)
        for i, function in enumerate(functions):
            check_function(owner, f"function[{i}]", function)
        _check.store(self, function=tuple(functions))

    def _check_dimension(self, owner: str) -> None:
        """Check the number of coordinates of a polynomial."""
        function, names = self.function, self.independents
        if isinstance(function, MultivariatePolynomial) and function.dimension != len(names):
            must = f"be a polynomial of {len(names)} coordinates, as many as are independent"
            _check.refuse(owner, "function", f"one of {function.dimension}", must)

    @property
    def independents(self) -> tuple[str, ...]:
        """Names of the independent coordinates."""
        names = self.independent
        return (names,) if isinstance(names, str) else tuple(names)

    @property
    def terms(self) -> tuple[tuple[str, Function], ...] | None:
        """Names and functions whose sum it is; None for a polynomial of several."""
        function: Any = self.function
        if isinstance(function, MultivariatePolynomial):
            return None
        several = function if isinstance(function, tuple) else (function,)
        return tuple(zip(self.independents, several, strict=True))

    @property
    def name(self) -> str:
        """Name composed of the coordinates."""
        return f"{self.dependent} follows {', '.join(self.independents)}"

    def value(self, at: Mapping[str, float]) -> float:
        """Value of the dependent coordinate where the independent ones have given values."""
        function: Any = self.function
        if self.terms is None:
            return float(function([at[name] for name in self.independents]))
        return sum(float(one.pieces()(at[name])) for name, one in self.terms)


def check_coupling(
    model: str, known: Mapping[str, Coordinate], others: Iterable[Coupling], coupling: Coupling
) -> None:
    """Check that a coupling names free coordinates of a model and forms no cycle.

    `model` is its name in messages; `known` are its coordinates and `others` its couplings.
    """
    owner = f"coupling of {coupling.dependent!r}"
    names = [("independent", name) for name in coupling.independents]
    for field, name in [("dependent", coupling.dependent), *names]:
        coordinate = known.get(name)
        if coordinate is None:
            remedy = f"the model has: {', '.join(known) or 'none'}"
            _check.refuse(owner, field, name, f"be a coordinate of {model}", remedy=remedy)
        if coordinate.kind == "quaternion":
            _check.refuse(owner, field, name, "not be part of a quaternion")
    follows = {c.dependent: c.independents for c in others}
    if coupling.dependent in follows:
        already = ", ".join(repr(name) for name in follows[coupling.dependent])
        must = f"follow one coordinate only; it already follows {already}"
        _check.refuse(owner, "dependent", coupling.dependent, must)
    dependent = known[coupling.dependent]
    if dependent.locked or dependent.prescribed is not None:
        _check.refuse(owner, "dependent", dependent.name, "be neither locked nor prescribed")
    waiting, seen = list(coupling.independents), set[str]()
    while waiting:
        name = waiting.pop()
        if name == coupling.dependent:
            _check.refuse(owner, "independent", coupling.independent, "not depend on it")
        if name not in seen:
            seen.add(name)
            waiting += follows.get(name, ())

"""Forces along paths given by formulas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any

from fibermsk import _check
from fibermsk._numbers import NON_NEGATIVE, checked, number
from fibermsk._shown import Described
from fibermsk.laws.expression import Expression
from fibermsk.model import PathWrap
from fibermsk.model.muscles.line_muscle import PointOfPath
from fibermsk.model.muscles.path import check_path
from fibermsk.system.lines.pull import AlongPath, Tension


@dataclass(frozen=True, eq=False, repr=False)
class PathFormula(AlongPath, Described):
    """Tension along a path by a formula; OpenSim's ExpressionBasedPathForce.

    Parameters
    ----------
    name : str
        Name, unique among the elements of the model.
    points : sequence of PathPoint, ConditionalPathPoint or MovingPathPoint
        The path; two or more; stored as a tuple.
    wraps : sequence of PathWrap
        Surfaces around which it wraps; stored as a tuple.
    force : str
        Formula of the stretch s beyond the rest length [m] and the rate ldot of the length [m/s],
        as ``900*s*(1 + 0.1*ldot)`` [N]; positive if it pulls. It is parsed, never evaluated as
        code.
    rest_length : float
        Length from which the stretch is measured [m]; 0 or more.
    slack : bool
        Whether s is 0 below the rest length; else it is negative there.

    Raises
    ------
    ModelError
        If the text is no such formula, or a field lies outside its range; when the system is built,
        if a path cannot be found; in a run, where it has no finite value or slope.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("swing")
    >>> bob = model.add(fm.Body("bob", 1.0, (0, 0, 0), (1e-3, 1e-3, 1e-3)))
    >>> slider = model.add(fm.Slider("z", model.ground, bob, (0, 0, 0), axis=(0, 0, 1)))
    >>> places = model.ground.at((0, 0, 0.5)), bob.at((0, 0, 0))
    >>> points = [fm.PathPoint(f"p{k}", place) for k, place in enumerate(places)]
    >>> band = model.add(fm.PathFormula("band", points, force="200*s + 3e4*s^3", rest_length=0.4))
    """

    name: str
    points: Sequence[PointOfPath]
    _: KW_ONLY
    wraps: Sequence[PathWrap] = ()
    force: str
    rest_length: float = number("m", NON_NEGATIVE, default=0.0)
    slack: bool = True

    def __post_init__(self) -> None:
        owner = f"formula {_check.item_name('formula', self.name)!r}"
        _check.store(self, **check_path(owner, self), **checked(self, owner))
        _check.instance(owner, "force", self.force, str, "a formula")
        _check.flag(owner, "slack", self.slack)
        _ = self._expression

    @cached_property
    def _expression(self) -> Expression:
        return Expression(self.force, ("s", "ldot"), f"formula {self.name!r}")

    @property
    def numbers(self) -> list[Any]:
        """Its formula and numbers."""
        return [self.force, self.rest_length, float(self.slack)]

    def tension(self, length: float, speed: float) -> Tension:
        """Tension at a length [m] and its rate [m/s]; its energy is not known."""
        stretch = length - self.rest_length
        slack = self.slack and stretch < 0.0
        value, (by_s, by_rate) = self._expression((0.0 if slack else stretch, speed))
        return Tension(value, 0.0 if slack else float(by_s), float(by_rate), 0.0)

"""Forces given by formulas: on a coordinate, and between two points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._shown import Described
from fibermsk.errors import ModelError
from fibermsk.laws.expression import Expression
from fibermsk.model import Body, Station
from fibermsk.model.skeleton.body import check_ends
from fibermsk.results import Field
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums
from fibermsk.system.ports import BodyPoints, CoordinatePort

_SHORTEST = 1e-9
"""Smallest distance of two points with a direction [m]."""


@dataclass(frozen=True, eq=False, repr=False)
class CoordinateFormula(Described):
    """Generalized force on a coordinate by a formula; OpenSim's ExpressionBasedCoordinateForce.

    Parameters
    ----------
    name : str
        Name, unique among the elements of the model.
    coordinate : str
        Coordinate of a joint of the model; not one that is locked or prescribed.
    force : str
        Formula of the coordinate q and its rate qdot [N m or N], as ``-20*q^3 - 0.5*qdot``, with
        ``+ - * / ^``, parentheses and functions. It is parsed, never evaluated as code.

    Raises
    ------
    ModelError
        If the text is no such formula; in a run, where it has no finite value or slope.

    Examples
    --------
    >>> import fibermsk as fm
    >>> stop = fm.CoordinateFormula("stop", "elbow", "-3*exp(8*(q - 2.2)) + 3*exp(-8*q)")
    """

    name: str
    coordinate: str
    force: str

    bodies = signals = ()

    def __post_init__(self) -> None:
        owner = f"formula {_check.item_name('formula', self.name)!r}"
        _check.name(f"{owner}: coordinate", self.coordinate)
        _check.instance(owner, "force", self.force, str, "a formula")
        self.expression()

    def expression(self) -> Expression:
        """The parsed formula."""
        return Expression(self.force, ("q", "qdot"), f"formula {self.name!r}")

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Coordinate on which it acts."""
        return (self.coordinate,)

    def contribute(self, configuration: Configuration) -> _OnCoordinate:
        """Create the contribution."""
        return _OnCoordinate(self, CoordinatePort(configuration, self.coordinate))


class _OnCoordinate:
    """Contribution of a formula on a coordinate."""

    def __init__(self, formula: CoordinateFormula, port: CoordinatePort) -> None:
        self._formula, self._port, self._expression = formula, port, formula.expression()
        text = "generalized force of its formula"
        self.reports = (Field("force", port.force_unit, "force of a formula", text),)

    def add(self, at: At, sums: Sums) -> None:
        """Add the generalized force and its derivatives."""
        value, (by_x, by_x_dot) = self._expression(self._port.at(at))
        self._port.push(at, sums, value, float(by_x), float(by_x_dot))

    def fields(self, at: At) -> dict[str, float]:
        """Generalized force."""
        return {"force": self._expression(self._port.at(at))[0]}

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Coordinate and formula."""
        own = self._formula
        return {"the formulas of coordinates": [own.name, own.coordinate, own.force]}


@dataclass(frozen=True, eq=False, repr=False)
class PointFormula(Described):
    """Force along the line of two points by a formula; OpenSim's ExpressionBasedPointToPointForce.

    Parameters
    ----------
    name : str
        Name, unique among the elements of the model.
    first, second : Station
        The points, from `Body.at`; on different bodies.
    force : str
        Formula of the distance d [m] and its rate ddot [m/s], as ``200*(d - 0.1) + 3*ddot`` [N];
        positive if it pulls the points together. It is parsed, never evaluated as code.

    Raises
    ------
    ModelError
        If the text is no such formula; in a run, where it has no finite value or slope, or where
        the points coincide.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("swing")
    >>> bob = model.add(fm.Body("bob", 1.0, (0, 0, 0), (1e-3, 1e-3, 1e-3)))
    >>> slider = model.add(fm.Slider("z", model.ground, bob, (0, 0, 0), axis=(0, 0, 1)))
    >>> ends = model.ground.at((0, 0, 1)), bob.at((0, 0, 0))
    >>> cord = model.add(fm.PointFormula("cord", *ends, "200*max(d - 0.8, 0) + 3*ddot"))
    """

    name: str
    first: Station
    second: Station
    force: str

    coordinates = signals = ()

    def __post_init__(self) -> None:
        owner = f"formula {_check.item_name('formula', self.name)!r}"
        check_ends(owner, self)
        _check.instance(owner, "force", self.force, str, "a formula")
        self.expression()

    def expression(self) -> Expression:
        """The parsed formula."""
        return Expression(self.force, ("d", "ddot"), f"formula {self.name!r}")

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Bodies of both points."""
        return self.first.body, self.second.body

    def contribute(self, configuration: Configuration) -> _BetweenPoints:
        """Create the contribution."""
        return _BetweenPoints(self, BodyPoints(configuration, (self.first, self.second)))


class _BetweenPoints:
    """Contribution of a formula between points."""

    reports = (
        Field("distance", "m", "distance", "distance of its points"),
        Field("tension", "N", "force of a formula", "positive if it pulls the points together"),
    )

    def __init__(self, formula: PointFormula, ports: BodyPoints) -> None:
        self._formula, self._ports, self._expression = formula, ports, formula.expression()

    def _force(self, x: Array, v: Array) -> tuple[float, Array, float, float, float]:
        """Distance, direction, force, and derivatives of the force in d and ddot."""
        way = x[1] - x[0]
        d = float(np.linalg.norm(way))
        if not d > _SHORTEST:
            raise ModelError(
                f"formula {self._formula.name!r}: distance = {d:g} m; must be positive, to define "
                "its direction; move a point"
            )
        unit = way / d
        value, (by_d, by_rate) = self._expression((d, float(unit @ (v[1] - v[0]))))
        return d, unit, value, float(by_d), float(by_rate)

    def add(self, at: At, sums: Sums) -> None:
        """Add the forces on both points and their derivatives."""
        placed = self._ports.at(at)
        d, unit, tension, k, c = self._force(placed.x, placed.v)
        force = tension * np.stack([unit, -unit])
        across = (np.eye(3) - np.outer(unit, unit)) / d
        along, turn = np.outer(unit, unit), across @ (placed.v[1] - placed.v[0])
        by_x = np.asarray(k * along + c * np.outer(unit, turn) + tension * across, np.float64)
        by_v = np.asarray(c * along, np.float64)
        # force on the first point, differentiated in the vector from first to second
        by_x, by_v = (np.block([[-one, one], [one, -one]]) for one in (by_x, by_v))
        self._ports.push(at, placed, sums, force, by_x, by_v)

    def fields(self, at: At) -> dict[str, float]:
        """Distance and force."""
        placed = self._ports.at(at)
        d, _, tension, _, _ = self._force(placed.x, placed.v)
        return {"distance": d, "tension": tension}

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Points and formula."""
        own, port = self._formula, self._ports
        return {"the formulas of points": [own.name, port.link, port.local, own.force]}

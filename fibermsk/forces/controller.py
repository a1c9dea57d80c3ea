"""Coordinates that are driven toward a wanted motion by a proportional and derivative law."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk import _check
from fibermsk.model import Body
from fibermsk.model.function import Function
from fibermsk.system.configuration import Configuration
from fibermsk.system.contributions import At, Sums
from fibermsk.system.ports import CoordinatePort

__all__ = ["CoordinateController"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CoordinateController:
    """Generalized force that drives a coordinate: kp (x* - x) + kd (dx*/dt - dx/dt).

    Parameters
    ----------
    name : str
        Unique among the elements of the model.
    coordinate : str
        Coordinate of a joint of the model; not one that is locked or prescribed.
    target : Function or float
        Wanted motion x*(t) as a function such as `fm.NaturalSpline`, or a value to hold [rad or m].
    kp : float
        Stiffness [N m/rad or N/m]; 0 or more.
    kd : float
        Damping [N m s/rad or N s/m]; 0 or more.

    Raises
    ------
    ModelError
        If an argument is of another type or range.
    """

    name: str
    coordinate: str
    target: Function | float
    kp: float
    kd: float = 0.0

    def __post_init__(self) -> None:
        """Check the fields."""
        owner = f"controller {_check.item_name('controller', self.name)!r}"
        _check.name(f"{owner}: coordinate", self.coordinate)
        if not callable(getattr(type(self.target), "pieces", None)):
            target = _check.number(owner, "target", self.target)
            _check.store(self, target=target)
        for field in ("kp", "kd"):
            _check.store(self, **{field: _check.non_negative(owner, field, getattr(self, field))})

    @property
    def bodies(self) -> tuple[Body, ...]:
        """None."""
        return ()

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The one that it drives."""
        return (self.coordinate,)

    @property
    def signals(self) -> tuple[tuple[str, Callable[[float], Any]], ...]:
        """The wanted motion, if it is a function."""
        return () if isinstance(self.target, float) else (("target", _Motion(self.target)),)

    def contribute(self, configuration: Configuration) -> _Drive:
        """What drives."""
        return _Drive(self, CoordinatePort(configuration, self.coordinate))


class _Motion:
    """A wanted motion, which has corners where its pieces meet."""

    def __init__(self, target: Function | float) -> None:
        constant = isinstance(target, int | float)
        self._constant = float(target) if constant else 0.0
        self._pieces = None if constant else target.pieces()

    @property
    def breakpoints(self) -> Array:
        """Times at which a derivative may jump [s]."""
        return np.zeros(0) if self._pieces is None else self._pieces.knots

    def __call__(self, t: float, order: int = 0) -> float:
        """Value at a time [s], or a derivative."""
        if self._pieces is None:
            return self._constant if order == 0 else 0.0
        return float(self._pieces(t, order))


class _Drive:
    """A controller in a system."""

    def __init__(self, controller: CoordinateController, port: CoordinatePort) -> None:
        self._controller, self._port = controller, port
        self._wanted = _Motion(controller.target)

    def add(self, at: At, sums: Sums) -> None:
        """Drive the coordinate."""
        law, (x, x_dot) = self._controller, self._port.at(at)
        force = law.kp * (self._wanted(at.t) - x) + law.kd * (self._wanted(at.t, 1) - x_dot)
        self._port.push(at, sums, force, -law.kp, -law.kd)

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Its coordinate, gains and wanted motion."""
        law = self._controller
        motion = [self._wanted(float(t)) for t in times]
        return {"the controllers": [law.name, law.coordinate, [law.kp, law.kd], motion]}

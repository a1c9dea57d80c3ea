"""Controllers: coordinates that track a target by proportional-derivative control."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk import _check
from fibermsk._numbers import NON_NEGATIVE, checked, number
from fibermsk._shown import Described
from fibermsk.model.function import Function
from fibermsk.model.in_time import InTime, check_in_time, signals_in_time
from fibermsk.results import Field
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums
from fibermsk.system.ports import CoordinatePort


@dataclass(frozen=True, eq=False, repr=False)
class CoordinateController(Described):
    """Proportional-derivative control of a coordinate: kp (x* - x) + kd (dx*/dt - dx/dt).

    Parameters
    ----------
    name : str
        Name, unique among the elements of the model.
    coordinate : str
        Coordinate of a joint of the model; not one that is locked or prescribed.
    target : Function or float
        Target x*(t) as a function such as `fm.NaturalSpline`, or a constant [rad or m].
    kp : float
        Stiffness [N m/rad or N/m]; 0 or more.
    kd : float
        Damping [N m s/rad or N s/m]; 0 or more.
    """

    name: str
    coordinate: str
    target: Function | float = number("rad or m", varies=True)
    kp: float = number("N m/rad or N/m", NON_NEGATIVE)
    kd: float = number("N m s/rad or N s/m", NON_NEGATIVE, default=0.0)

    bodies = ()

    def __post_init__(self) -> None:
        owner = f"controller {_check.item_name('controller', self.name)!r}"
        _check.name(f"{owner}: coordinate", self.coordinate)
        _check.store(self, **checked(self, owner))
        check_in_time(owner, "target", self.target)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Controlled coordinate."""
        return (self.coordinate,)

    @property
    def signals(self) -> tuple[tuple[str, Callable[[float], Any]], ...]:
        """The target, if it is a function."""
        return signals_in_time("target", self.target)

    def contribute(self, configuration: Configuration) -> _Drive:
        """Create the contribution."""
        return _Drive(self, CoordinatePort(configuration, self.coordinate))


class _Drive:
    """Contribution of a controller."""

    def __init__(self, controller: CoordinateController, port: CoordinatePort) -> None:
        self._controller, self._port = controller, port
        self._wanted = InTime(controller.target)
        self.reports = (
            Field("force", port.force_unit, "controller force", "generalized force that it exerts"),
            Field("target", port.unit, "wanted coordinate", "target value of the coordinate"),
        )

    def _force(self, at: At) -> float:
        law, (x, x_dot) = self._controller, self._port.at(at)
        return law.kp * (self._wanted(at.t) - x) + law.kd * (self._wanted(at.t, 1) - x_dot)

    def add(self, at: At, sums: Sums) -> None:
        """Add the generalized force and its derivatives."""
        law = self._controller
        self._port.push(at, sums, self._force(at), -law.kp, -law.kd)

    def fields(self, at: At) -> dict[str, float]:
        """Generalized force and target."""
        return {"force": self._force(at), "target": self._wanted(at.t)}

    def fingerprint(self, times: NDArray[np.float64]) -> dict[str, list[Any]]:
        """Coordinate, gains and target."""
        law = self._controller
        motion = [self._wanted(float(t)) for t in times]
        return {"the controllers": [law.name, law.coordinate, [law.kp, law.kd], motion]}

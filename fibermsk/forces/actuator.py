"""Actuators: forces and torques on coordinates as functions of time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from fibermsk import _check
from fibermsk._numbers import checked, number
from fibermsk._shown import Described
from fibermsk.model.function import Function
from fibermsk.model.in_time import InTime, check_in_time, signals_in_time
from fibermsk.results import Field
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums
from fibermsk.system.ports import CoordinatePort


@dataclass(frozen=True, eq=False, repr=False)
class CoordinateActuator(Described):
    """Force or torque on a coordinate, such as that of a motor, in time.

    Parameters
    ----------
    name : str
        Name, unique among the elements of the model.
    coordinate : str
        Coordinate of a joint of the model; not one that is locked or prescribed.
    force : Function or float
        Generalized force as a function of time, such as `fm.PiecewiseLinear`, or a constant [N m
        or N]. It does work with the rate of the coordinate.

    Examples
    --------
    >>> import fibermsk as fm
    >>> torque = fm.PiecewiseLinear((0.0, 0.2, 0.4), (0.0, 1.5, 0.0))
    >>> motor = fm.CoordinateActuator("motor", "elbow", torque)
    """

    name: str
    coordinate: str
    force: Function | float = number("N m or N", varies=True)

    bodies = ()

    def __post_init__(self) -> None:
        owner = f"actuator {_check.item_name('actuator', self.name)!r}"
        _check.name(f"{owner}: coordinate", self.coordinate)
        _check.store(self, **checked(self, owner))
        check_in_time(owner, "force", self.force)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Coordinate on which it acts."""
        return (self.coordinate,)

    @property
    def signals(self) -> tuple[tuple[str, Callable[[float], Any]], ...]:
        """The force, if it is a function."""
        return signals_in_time("force", self.force)

    def contribute(self, configuration: Configuration) -> _Actuate:
        """Create the contribution."""
        return _Actuate(self, CoordinatePort(configuration, self.coordinate))


class _Actuate:
    """Contribution of an actuator."""

    def __init__(self, actuator: CoordinateActuator, port: CoordinatePort) -> None:
        self._actuator, self._port = actuator, port
        self._force = InTime(actuator.force)
        self.reports = (
            Field("force", port.force_unit, "actuator force", "generalized force that it exerts"),
        )

    def add(self, at: At, sums: Sums) -> None:
        """Add the generalized force."""
        self._port.push(at, sums, self._force(at.t), 0.0, 0.0)

    def fields(self, at: At) -> dict[str, float]:
        """Generalized force."""
        return {"force": self._force(at.t)}

    def fingerprint(self, times: NDArray[Any]) -> dict[str, list[Any]]:
        """Coordinate and force."""
        force = [self._force(float(t)) for t in times]
        return {"the actuators": [self._actuator.name, self._actuator.coordinate, force]}

"""Actuators: forces and torques on coordinates in time, at once or with a lag."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from fibermsk import _check
from fibermsk._numbers import POSITIVE, checked, number
from fibermsk._shown import Described
from fibermsk.model.function import Function
from fibermsk.model.in_time import InTime, check_in_time, signals_in_time
from fibermsk.results import Field
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums
from fibermsk.system.ports import CoordinatePort
from fibermsk.system.states import States


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


@dataclass(frozen=True, eq=False, repr=False)
class ActivationActuator(Described):
    """Force or torque on a coordinate that follows an excitation with a lag.

    As OpenSim's ActivationCoordinateActuator: the force is F a, and the activation a, a state of
    first order, follows the excitation x(t) by da/dt = (x - a) / tau.

    Parameters
    ----------
    name : str
        Name, unique among the elements of the model.
    coordinate : str
        Coordinate of a joint of the model; not one that is locked or prescribed.
    excitation : Function or float
        x as a function of time, such as `fm.PiecewiseLinear`, or a constant.
    force : float
        F, generalized force at an activation of one [N m or N].
    time_constant : float
        tau [s]; positive.
    start : float
        Activation at the start of a run.

    Examples
    --------
    >>> import fibermsk as fm
    >>> step = fm.PiecewiseConstant([0.0, 0.1, 0.5], [0.0, 1.0])
    >>> motor = fm.ActivationActuator("motor", "elbow", step, force=8.0, time_constant=0.02)
    """

    name: str
    coordinate: str
    excitation: Function | float = number(varies=True)
    force: float = number("N m or N", default=1.0)
    time_constant: float = number("s", POSITIVE, default=0.01)
    start: float = number(default=0.0)

    bodies = ()

    def __post_init__(self) -> None:
        owner = f"actuator {_check.item_name('actuator', self.name)!r}"
        _check.name(f"{owner}: coordinate", self.coordinate)
        _check.store(self, **checked(self, owner))
        check_in_time(owner, "excitation", self.excitation)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Coordinate on which it acts."""
        return (self.coordinate,)

    @property
    def signals(self) -> tuple[tuple[str, Callable[[float], Any]], ...]:
        """The excitation, if it is a function."""
        return signals_in_time("excitation", self.excitation)

    def contribute(self, configuration: Configuration) -> _Lag:
        """Create the contribution."""
        states = configuration.states.new(self.name, ["activation"], [""], [1.0], [self.start])
        return _Lag(self, CoordinatePort(configuration, self.coordinate), states)


class _Lag:
    """Contribution of an actuator with activation."""

    def __init__(self, actuator: ActivationActuator, port: CoordinatePort, states: States) -> None:
        self._actuator, self._port, self._states = actuator, port, states
        self._excitation = InTime(actuator.excitation)
        self.reports = (
            Field("force", port.force_unit, "actuator force", "generalized force that it exerts"),
            Field("excitation", "1", "excitation", "what its activation follows"),
        )

    def add(self, at: At, sums: Sums) -> None:
        """Add the generalized force, the row of the activation, and their derivatives."""
        own, ((a,), (rate,)) = self._actuator, self._states.at(at)
        self._port.push(at, sums, own.force * a, 0.0, 0.0)
        row = own.time_constant * rate + a - self._excitation(at.t)
        self._states.add(sums, [row], by_state=[[1.0]], by_rate=[[own.time_constant]])
        if sums.slopes is not None:
            X, _ = self._port.follow(at, sums.slopes)
            self._states.act(sums, X, by_state=[[own.force]])

    def fields(self, at: At) -> dict[str, float]:
        """Generalized force and excitation."""
        (a,), _ = self._states.at(at)
        return {"force": self._actuator.force * float(a), "excitation": self._excitation(at.t)}

    def fingerprint(self, times: NDArray[Any]) -> dict[str, list[Any]]:
        """Coordinate, numbers and excitation."""
        own = self._actuator
        given = [self._excitation(float(t)) for t in times]
        numbers = [own.force, own.time_constant, own.start]
        return {"the lagging actuators": [own.name, own.coordinate, numbers, given]}

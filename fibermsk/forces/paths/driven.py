"""Actuators along paths: cords with a tension in time, and pneumatic actuators."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from fibermsk import _check
from fibermsk._numbers import NON_NEGATIVE, POSITIVE, checked, number
from fibermsk._shown import Described
from fibermsk.model import PathWrap
from fibermsk.model.function import Function
from fibermsk.model.in_time import check_in_time, signals_in_time
from fibermsk.model.muscles.line_muscle import PointOfPath
from fibermsk.model.muscles.path import check_path
from fibermsk.system.configuration import Configuration
from fibermsk.system.lines.pull import AlongPath, DrivenPull, Tension


@dataclass(frozen=True, eq=False, repr=False)
class PathActuator(AlongPath, Described):
    """Tension along a path, in time, as of a motor with a cord; OpenSim's PathActuator.

    Parameters
    ----------
    name : str
        Name, unique among the elements of the model.
    points : sequence of PathPoint, ConditionalPathPoint or MovingPathPoint
        The path; two or more; stored as a tuple.
    wraps : sequence of PathWrap
        Surfaces around which it wraps; stored as a tuple.
    force : Function or float
        Tension as a function of time, such as `fm.PiecewiseLinear`, or a constant [N]; negative if
        it pushes.

    Raises
    ------
    ModelError
        If a field is not of its kind; when the system is built, if a path cannot be found.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("crane")
    >>> load = model.add(fm.Body("load", 1.0, (0, 0, 0), (1e-3, 1e-3, 1e-3)))
    >>> slider = model.add(fm.Slider("z", model.ground, load, (0, 0, 0), axis=(0, 0, 1)))
    >>> places = model.ground.at((0, 0, 1.0)), load.at((0, 0, 0))
    >>> points = [fm.PathPoint(f"p{k}", place) for k, place in enumerate(places)]
    >>> cord = model.add(fm.PathActuator("cord", points, force=fm.Linear(2.0, 9.0)))
    """

    name: str
    points: Sequence[PointOfPath]
    _: KW_ONLY
    wraps: Sequence[PathWrap] = ()
    force: Function | float = number("N", varies=True)

    def __post_init__(self) -> None:
        owner = f"path actuator {_check.item_name('path actuator', self.name)!r}"
        _check.store(self, **check_path(owner, self), **checked(self, owner))
        check_in_time(owner, "force", self.force)

    @property
    def numbers(self) -> list[Any]:
        """Numbers of its law: none but the tension."""
        return []

    @property
    def signals(self) -> tuple[tuple[str, Callable[[float], Any]], ...]:
        """The tension, if it is a function."""
        return signals_in_time("force", self.force)

    @property
    def drive(self) -> Function | float:
        """The tension."""
        return self.force

    def tension(self, length: float, speed: float, force: float = 0.0) -> Tension:
        """Tension of a given force, at any length and rate."""
        return Tension(force, 0.0, 0.0, 0.0)

    def contribute(self, configuration: Configuration) -> DrivenPull:
        """Create the contribution."""
        return DrivenPull(self, configuration)


@dataclass(frozen=True, eq=False, repr=False)
class PneumaticActuator(AlongPath, Described):
    """Pneumatic actuator of McKibben along a path, under a pressure; OpenSim's McKibbenActuator.

    A bladder in a braid of threads of length b, which turn n times around it, pulls under the
    pressure p with p (3 l^2 - b^2) / (4 pi n^2), l its length without the cord that prolongs it
    [1]_; it pushes where l is less than b / sqrt(3).

    Parameters
    ----------
    name : str
        Name, unique among the elements of the model.
    points : sequence of PathPoint, ConditionalPathPoint or MovingPathPoint
        The path; two or more; stored as a tuple.
    wraps : sequence of PathWrap
        Surfaces around which it wraps; stored as a tuple.
    pressure : Function or float
        p as a function of time, or a constant [N/m^2].
    thread_length : float
        b [m]; positive.
    turns : float
        n; positive.
    cord_length : float
        Length of the cord, which does not stretch [m]; 0 or more.

    Raises
    ------
    ModelError
        If a field is not of its kind; when the system is built, if a path cannot be found.

    References
    ----------
    .. [1] Chou and Hannaford, IEEE Trans. Robot. Autom. 12 (1996), 90-102,
       doi:10.1109/70.481753.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("crane")
    >>> load = model.add(fm.Body("load", 1.0, (0, 0, 0), (1e-3, 1e-3, 1e-3)))
    >>> slider = model.add(fm.Slider("z", model.ground, load, (0, 0, 0), axis=(0, 0, 1)))
    >>> places = model.ground.at((0, 0, 0.25)), load.at((0, 0, 0))
    >>> points = [fm.PathPoint(f"p{k}", place) for k, place in enumerate(places)]
    >>> lift = fm.PneumaticActuator("lift", points, pressure=2e5, thread_length=0.3, turns=2.0)
    >>> round(model.add(lift).tension(0.25, 0.0, 2e5).force)
    388
    """

    name: str
    points: Sequence[PointOfPath]
    _: KW_ONLY
    wraps: Sequence[PathWrap] = ()
    pressure: Function | float = number("N/m^2", varies=True)
    thread_length: float = number("m", POSITIVE)
    turns: float = number("", POSITIVE)
    cord_length: float = number("m", NON_NEGATIVE, default=0.0)

    def __post_init__(self) -> None:
        owner = f"pneumatic actuator {_check.item_name('pneumatic actuator', self.name)!r}"
        _check.store(self, **check_path(owner, self), **checked(self, owner))
        check_in_time(owner, "pressure", self.pressure)

    @property
    def numbers(self) -> list[Any]:
        """Numbers of its law."""
        return [self.thread_length, self.turns, self.cord_length]

    @property
    def signals(self) -> tuple[tuple[str, Callable[[float], Any]], ...]:
        """The pressure, if it is a function."""
        return signals_in_time("pressure", self.pressure)

    @property
    def drive(self) -> Function | float:
        """The pressure."""
        return self.pressure

    def tension(self, length: float, speed: float, pressure: float = 0.0) -> Tension:
        """Tension under a pressure [N/m^2] at a length [m] and its rate [m/s]."""
        own = length - self.cord_length
        scale = pressure / (4.0 * math.pi * self.turns**2)
        return Tension(scale * (3.0 * own**2 - self.thread_length**2), 6.0 * scale * own, 0.0, 0.0)

    def contribute(self, configuration: Configuration) -> DrivenPull:
        """Create the contribution."""
        return DrivenPull(self, configuration)

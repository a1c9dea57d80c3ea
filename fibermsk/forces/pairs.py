"""Equal and opposite forces or torques on two bodies, as functions of time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import checked, number
from fibermsk._shown import Described
from fibermsk.errors import ModelError
from fibermsk.model import Body, Station
from fibermsk.model.function import Function
from fibermsk.model.in_time import InTime, check_in_time, signals_in_time
from fibermsk.model.skeleton.body import check_ends
from fibermsk.results import Field
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums
from fibermsk.system.frames import BodyFrames, Loads, Poses, norm, turned

_SHORTEST = 1e-9
"""Smallest distance of two points with a direction [m]."""
_ORIGIN = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False, repr=False)
class ForcePair(Described):
    """Force that drives two points apart along their line, in time; OpenSim's PointToPointActuator.

    Parameters
    ----------
    name : str
        Name, unique among the elements of the model.
    first, second : Station
        The points, from `Body.at`; on different bodies.
    force : Function or float
        Force as a function of time, such as `fm.PiecewiseLinear`, or a constant [N]; positive if it
        pushes the points apart.

    Raises
    ------
    ModelError
        If a field is not of its kind; in a run, where the points coincide.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("swing")
    >>> bob = model.add(fm.Body("bob", 1.0, (0, 0, 0), (1e-3, 1e-3, 1e-3)))
    >>> slider = model.add(fm.Slider("z", model.ground, bob, (0, 0, 0), axis=(0, 0, 1)))
    >>> ends = model.ground.at((0, 0, 1)), bob.at((0, 0, 0))
    >>> piston = model.add(fm.ForcePair("piston", *ends, force=20.0))
    """

    name: str
    first: Station
    second: Station
    force: Function | float = number("N", varies=True)

    coordinates = ()

    def __post_init__(self) -> None:
        owner = f"force pair {_check.item_name('force pair', self.name)!r}"
        check_ends(owner, self)
        _check.store(self, **checked(self, owner))
        check_in_time(owner, "force", self.force)

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Bodies of both points."""
        return self.first.body, self.second.body

    @property
    def signals(self) -> tuple[tuple[str, Callable[[float], Any]], ...]:
        """The force, if it is a function."""
        return signals_in_time("force", self.force)

    def contribute(self, configuration: Configuration) -> _Push:
        """Create the contribution."""
        return _Push(self, configuration)


class _Push:
    """Contribution of a pair of forces."""

    reports = (
        Field("distance", "m", "distance", "distance of its points"),
        Field("force", "N", "force of a pair", "positive if it pushes the points apart"),
    )

    def __init__(self, pair: ForcePair, configuration: Configuration) -> None:
        self._pair, self._force = pair, InTime(pair.force)
        self._port = BodyFrames(configuration, (pair.first, pair.second), np.array([np.eye(3)] * 2))

    def _loads(self, poses: Poses, size: float) -> Loads:
        way = poses.x[..., 1, :] - poses.x[..., 0, :]
        d = norm(way)
        if not np.min(d.real) > _SHORTEST:
            raise ModelError(
                f"force pair {self._pair.name!r}: distance = {np.min(d.real):g} m; must be "
                "positive, to define its direction; move a point"
            )
        force = size * way / d[..., None]
        both = np.stack([-force, force], axis=-2)
        return Loads(both, np.zeros_like(both))

    def add(self, at: At, sums: Sums) -> None:
        """Add the forces and their derivatives."""
        size = self._force(at.t)
        self._port.load(at, self._port.moved(at), sums, lambda poses: self._loads(poses, size))

    def fields(self, at: At) -> dict[str, float]:
        """Distance and force."""
        x = self._port.at(at).x
        return {"distance": float(np.linalg.norm(x[1] - x[0])), "force": self._force(at.t)}

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Points and force."""
        port, force = self._port, [self._force(float(t)) for t in times]
        return {"the force pairs": [self._pair.name, port.link, port.local, force]}


@dataclass(frozen=True, eq=False, repr=False)
class TorquePair(Described):
    """Torque on one body and the opposite one on another, in time; OpenSim's TorqueActuator.

    Parameters
    ----------
    name : str
        Name, unique among the elements of the model.
    first, second : Body
        Different bodies; the torque acts on the first, the opposite one on the second.
    torque : Function or float
        Torque about the axis as a function of time, or a constant [N m].
    axis : (3,) array_like
        Axis, stored with length one.
    frame : {'ground', 'first'}
        Frame of the axis: the ground, or the first body.

    Raises
    ------
    ModelError
        If a field is not of its kind.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("wheel")
    >>> bob = model.add(fm.Body("bob", 1.0, (0, 0, 0), (1e-3, 1e-3, 1e-3)))
    >>> hinge = model.add(fm.Hinge("turn", model.ground, bob, (0, 0, 0), axis=(0, 0, 1)))
    >>> motor = model.add(fm.TorquePair("motor", bob, model.ground, torque=0.5))
    """

    name: str
    first: Body
    second: Body
    torque: Function | float = number("N m", varies=True)
    axis: ArrayLike = (0.0, 0.0, 1.0)
    frame: Literal["ground", "first"] = "ground"

    coordinates = ()

    def __post_init__(self) -> None:
        owner = f"torque pair {_check.item_name('torque pair', self.name)!r}"
        for field in ("first", "second"):
            _check.instance(owner, field, getattr(self, field), Body, "a Body")
        if self.first is self.second:
            _check.refuse(owner, "second", self.second, "be another body than the first")
        axis = _check.unit_vector(owner, "axis", self.axis)
        _check.store(self, axis=axis, **checked(self, owner))
        check_in_time(owner, "torque", self.torque)
        _check.choice(owner, "frame", self.frame, ("ground", "first"))

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Both bodies."""
        return self.first, self.second

    @property
    def signals(self) -> tuple[tuple[str, Callable[[float], Any]], ...]:
        """The torque, if it is a function."""
        return signals_in_time("torque", self.torque)

    def contribute(self, configuration: Configuration) -> _Twist:
        """Create the contribution."""
        return _Twist(self, configuration)


class _Twist:
    """Contribution of a pair of torques."""

    reports = (Field("torque", "N m", "torque of a pair", "on the first body, in ground", (3,)),)

    def __init__(self, pair: TorquePair, configuration: Configuration) -> None:
        self._pair, self._torque = pair, InTime(pair.torque)
        places = pair.first.at(_ORIGIN), pair.second.at(_ORIGIN)
        self._port = BodyFrames(configuration, places, np.array([np.eye(3)] * 2))

    def _loads(self, poses: Poses, size: float) -> Loads:
        axis = np.asarray(self._pair.axis)
        own = poses.R[..., 0, :, :]
        turn = turned(own, axis) if self._pair.frame == "first" else axis + 0.0 * own[..., 0]
        both = size * np.stack([turn, -turn], axis=-2)
        return Loads(np.zeros_like(both), both)

    def add(self, at: At, sums: Sums) -> None:
        """Add the torques and their derivatives."""
        size = self._torque(at.t)
        self._port.load(at, self._port.moved(at), sums, lambda poses: self._loads(poses, size))

    def fields(self, at: At) -> dict[str, Array]:
        """Torque on the first body."""
        return {"torque": self._loads(self._port.moved(at).poses, self._torque(at.t)).torque[0]}

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Bodies, axis and torque."""
        pair, torque = self._pair, [self._torque(float(t)) for t in times]
        names = [pair.name, pair.first.name, pair.second.name, pair.frame]
        return {"the torque pairs": [*names, pair.axis, torque]}

"""Access to one state by name."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.model import Body, Station
from fibermsk.protocol import Frames
from fibermsk.results import Result
from fibermsk.system.contribution import At
from fibermsk.system.ports import BodyPoints, Placed
from fibermsk.system.reports.observe import observe

if TYPE_CHECKING:
    from fibermsk.system.system import FiberSystem


class Moment:
    """State of a system at one time, by name; read-only, evaluated on demand.

    `FiberSystem.moment` returns one; conditions of `StopWhen` are functions of it.

    Parameters
    ----------
    system : FiberSystem
        The system; it is not modified.
    t : float
        Time [s].
    y, v : (n,) float array
        Positions and velocities.
    forces : tuple of reactions (n_points, 3) and multipliers (m,)
        As in `fibermsk.protocol.Evaluation`.

    Attributes
    ----------
    t : float
        Time [s].
    """

    def __init__(
        self, system: FiberSystem, t: float, y: Array, v: Array, forces: tuple[Array, Array]
    ) -> None:
        self._system, self.t, self._y, self._v, self._forces = system, t, y, v, forces

    @cached_property
    def _at(self) -> At:
        """Kinematics, without accelerations."""
        return self._system.configuration.kinematics(self.t, self._y, self._v)

    @cached_property
    def _coordinates(self) -> dict[str, tuple[float, float]]:
        skeleton, at = self._system.skeleton, self._at
        both = np.transpose(skeleton.all_of(at.motion, at.q, at.p)).tolist()
        return {name: (x, rate) for name, (x, rate) in zip(skeleton.coordinates, both, strict=True)}

    def _coordinate(self, name: str | Any) -> tuple[float, float]:
        key = name if isinstance(name, str) else getattr(name, "name", name)
        if not isinstance(key, str) or key not in self._coordinates:
            must = f"be one of {', '.join(self._coordinates) or 'none'}"
            _check.refuse("moment", "coordinate", key, must)
        return self._coordinates[key]

    def coordinate(self, name: str | Any) -> float:
        """Coordinate [rad, m or 1], by its name or by its joint, dependent ones included.

        Raises
        ------
        ModelError
            If there is no such coordinate.
        """
        return self._coordinate(name)[0]

    def speed(self, name: str | Any) -> float:
        """Rate of a coordinate [rad/s or m/s]; arguments as of `coordinate`."""
        return self._coordinate(name)[1]

    def position(self, point: Station | Body) -> Array:
        """Position of a point of a body in ground (3,) [m]: ``body.at(x, y, z)``, or its origin.

        Raises
        ------
        ModelError
            If the body is not in the model.
        """
        return self._placed(point).x[0]

    def velocity(self, point: Station | Body) -> Array:
        """Velocity of a point of a body in ground (3,) [m/s]; arguments as of `position`."""
        return self._placed(point).v[0]

    def _placed(self, point: Station | Body) -> Placed:
        what = "a body or a point of one, such as body.at(0, 0, 0)"
        _check.instance("moment", "point", point, (Station, Body), what)
        station = point.at(0.0, 0.0, 0.0) if isinstance(point, Body) else point
        known = self._system.tree.frames
        if station.body.name not in known:
            must = f"be of one of {', '.join(known)}"
            _check.refuse("moment", "point", station.body, must)
        return BodyPoints(self._system.configuration, (station,)).at(self._at)

    @cached_property
    def report(self) -> Result:
        """Result of this state alone: forces, stretches, contacts.

        Its cost is that of several steps.
        """
        system, one = self._system, np.zeros(1)
        frames = Frames(
            np.array([self.t]), self._y[None], self._v[None],
            self._forces[0][None], self._forces[1][None], one, np.zeros(1, np.int64), one + 1.0,
        )  # fmt: skip
        parts = system.model, system.configuration, system.contributions, system.named_elements
        activations = system.loads.activations(self.t, self._at.states)
        return observe(*parts, activations[None], frames)

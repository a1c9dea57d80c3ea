"""Springs and dampers between two points of bodies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.model import Body, Station
from fibermsk.system.configuration import Configuration
from fibermsk.system.contributions import At, Sums
from fibermsk.system.ports import BodyPoints

__all__ = ["PointSpring"]

Array = NDArray[np.float64]

_SHORTEST = 1e-9
"""Length below which a spring has no direction [m]."""


@dataclass(frozen=True, eq=False)
class PointSpring:
    """Spring and damper side by side along the straight line between two points.

    It pulls with stiffness (l - rest_length) + damping dl/dt, and pushes where that is negative,
    unless it is slack then.

    Parameters
    ----------
    name : str
        Unique among the elements of the model.
    first, second : Station
        Its ends, from `Body.at`; on different bodies.
    stiffness : float
        [N/m]; 0 or more.
    rest_length : float
        [m]; 0 or more.
    damping : float
        [N s/m]; 0 or more.
    slack : bool
        Whether it exerts no force where it is shorter than its rest length, as a ligament does.

    Raises
    ------
    ModelError
        If an argument is of another type or range, or both ends lie on one body.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("swing")
    >>> bob = model.add(fm.Body("bob", 1.0, (0, 0, 0), (1e-3, 1e-3, 1e-3)))
    >>> slider = model.add(fm.Slider("z", model.ground, bob, (0, 0, 0), axis=(0, 0, 1)))
    >>> ends = model.ground.at((0, 0, 0.5)), bob.at((0, 0, 0))
    >>> spring = model.add(fm.PointSpring("spring", *ends, stiffness=200.0, rest_length=0.4))
    """

    name: str
    first: Station
    second: Station
    stiffness: float
    rest_length: float
    damping: float = 0.0
    slack: bool = False

    def __post_init__(self) -> None:
        """Check the fields."""
        owner = f"spring {_check.item_name('spring', self.name)!r}"
        for field in ("first", "second"):
            _check.instance(owner, field, getattr(self, field), Station, "a Station")
        if self.first.body is self.second.body:
            _check.refuse(owner, "second", self.second.body, "lie on another body than the first")
        for field, unit in (("stiffness", "N/m"), ("rest_length", "m"), ("damping", "N s/m")):
            value = _check.non_negative(owner, field, getattr(self, field), unit)
            _check.store(self, **{field: value})
        _check.flag(owner, "slack", self.slack)

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Bodies of both ends."""
        return self.first.body, self.second.body

    @property
    def coordinates(self) -> tuple[str, ...]:
        """None."""
        return ()

    @property
    def signals(self) -> tuple[tuple[str, Callable[[float], Any]], ...]:
        """None."""
        return ()

    def contribute(self, configuration: Configuration) -> _Pull:
        """What pulls."""
        return _Pull(self, BodyPoints(configuration, (self.first, self.second)))


class _Pull:
    """A spring in a system."""

    def __init__(self, spring: PointSpring, ports: BodyPoints) -> None:
        self._spring, self._ports = spring, ports

    def _force(self, x: Array, v: Array) -> tuple[float, Array, float, float, float]:
        """Length, direction, tension, and slopes of the tension in the length and its rate."""
        spring, way = self._spring, x[1] - x[0]
        length = float(np.linalg.norm(way))
        if not length > _SHORTEST:
            raise ModelError(
                f"spring {spring.name!r}: length = {length:g} m; must be positive, for its "
                "direction; move an end"
            )
        unit = way / length
        if spring.slack and length < spring.rest_length:
            return length, unit, 0.0, 0.0, 0.0
        k, c = spring.stiffness, spring.damping
        rate = float(unit @ (v[1] - v[0]))
        return length, unit, k * (length - spring.rest_length) + c * rate, k, c

    def add(self, at: At, sums: Sums) -> None:
        """Pull both ends toward each other."""
        placed = self._ports.at(at)
        length, unit, tension, k, c = self._force(placed.x, placed.v)
        force = tension * np.stack([unit, -unit])
        across = (np.eye(3) - np.outer(unit, unit)) / length
        turn = across @ (placed.v[1] - placed.v[0])
        along = np.outer(unit, unit)
        by_x = np.asarray(k * along + c * np.outer(unit, turn) + tension * across, np.float64)
        by_v = c * along
        # the force on the first end, in the way from the first to the second
        by_x, by_v = (np.block([[-one, one], [one, -one]]) for one in (by_x, by_v))
        self._ports.push(at, placed, sums, force, by_x, by_v)

    def energy(self, at: At) -> dict[str, float]:
        """Energy of the spring [J]."""
        placed = self._ports.at(at)
        length, _, _, k, _ = self._force(placed.x, placed.v)
        return {"elastic": 0.5 * k * (length - self._spring.rest_length) ** 2}

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Its ends and numbers."""
        spring = self._spring
        numbers = [spring.stiffness, spring.rest_length, spring.damping, float(spring.slack)]
        return {"the springs": [spring.name, self._ports.link, self._ports.local, numbers]}

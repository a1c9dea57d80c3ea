"""Springs and dampers between points of two bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import NON_NEGATIVE, checked, number
from fibermsk._shown import Described
from fibermsk.errors import ModelError
from fibermsk.model import Body, Station
from fibermsk.model.skeleton.body import check_ends
from fibermsk.results import Field
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums
from fibermsk.system.ports import BodyPoints

_SHORTEST = 1e-9
"""Smallest length of a spring with a direction [m]."""


@dataclass(frozen=True, eq=False, repr=False)
class PointSpring(Described):
    """Spring and damper in parallel along the straight line between two points.

    Its tension is stiffness (l - rest_length) + damping dl/dt; a negative tension pushes, unless
    `slack` is set.

    Parameters
    ----------
    name : str
        Name, unique among the elements of the model.
    first, second : Station
        Ends, from `Body.at`; on different bodies.
    stiffness : float
        [N/m]; 0 or more.
    rest_length : float
        Rest length [m]; 0 or more.
    damping : float
        [N s/m]; 0 or more.
    slack : bool
        Whether it exerts no force below its rest length, as a ligament.

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
    stiffness: float = number("N/m", NON_NEGATIVE)
    rest_length: float = number("m", NON_NEGATIVE)
    damping: float = number("N s/m", NON_NEGATIVE, default=0.0)
    slack: bool = False

    coordinates = signals = ()

    def __post_init__(self) -> None:
        owner = f"spring {_check.item_name('spring', self.name)!r}"
        check_ends(owner, self)
        _check.store(self, **checked(self, owner))
        _check.flag(owner, "slack", self.slack)

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Bodies of both ends."""
        return self.first.body, self.second.body

    def contribute(self, configuration: Configuration) -> _Pull:
        """Create the contribution."""
        return _Pull(self, BodyPoints(configuration, (self.first, self.second)))


class _Pull:
    """Contribution of a spring."""

    reports = (
        Field("length", "m", "spring length", "distance of its ends"),
        Field("tension", "N", "spring tension", "force of spring and damper, positive if it pulls"),
    )

    def __init__(self, spring: PointSpring, ports: BodyPoints) -> None:
        self._spring, self._ports = spring, ports

    def _force(self, x: Array, v: Array) -> tuple[float, Array, float, float, float]:
        """Length, direction, tension, and derivatives of the tension in the length and its rate."""
        spring, way = self._spring, x[1] - x[0]
        length = float(np.linalg.norm(way))
        if not length > _SHORTEST:
            raise ModelError(
                f"spring {spring.name!r}: length = {length:g} m; must be positive, to define "
                "its direction; move an end"
            )
        unit = way / length
        if spring.slack and length < spring.rest_length:
            return length, unit, 0.0, 0.0, 0.0
        k, c = spring.stiffness, spring.damping
        rate = float(unit @ (v[1] - v[0]))
        return length, unit, k * (length - spring.rest_length) + c * rate, k, c

    def add(self, at: At, sums: Sums) -> None:
        """Add the forces on both ends and their derivatives."""
        placed = self._ports.at(at)
        length, unit, tension, k, c = self._force(placed.x, placed.v)
        force = tension * np.stack([unit, -unit])
        across = (np.eye(3) - np.outer(unit, unit)) / length
        turn = across @ (placed.v[1] - placed.v[0])
        along = np.outer(unit, unit)
        by_x = np.asarray(k * along + c * np.outer(unit, turn) + tension * across, np.float64)
        by_v = c * along
        # force on the first end, differentiated in the vector from first to second
        by_x, by_v = (np.block([[-one, one], [one, -one]]) for one in (by_x, by_v))
        self._ports.push(at, placed, sums, force, by_x, by_v)

    def fields(self, at: At) -> dict[str, float]:
        """Length and tension."""
        placed = self._ports.at(at)
        length, _, tension, _, _ = self._force(placed.x, placed.v)
        return {"length": length, "tension": tension}

    def energy(self, at: At) -> dict[str, float]:
        """Energy of the spring [J]."""
        placed = self._ports.at(at)
        length, _, _, k, _ = self._force(placed.x, placed.v)
        return {"elastic": 0.5 * k * (length - self._spring.rest_length) ** 2}

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Ends and numbers."""
        spring = self._spring
        numbers = [spring.stiffness, spring.rest_length, spring.damping, float(spring.slack)]
        return {"the springs": [spring.name, self._ports.link, self._ports.local, numbers]}

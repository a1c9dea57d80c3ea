"""Contribution of a path that pulls by a law of its length and speed, as a ligament."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from fibermsk._arrays import Array
from fibermsk.model import Body, PathWrap
from fibermsk.model.function import Function
from fibermsk.model.in_time import InTime
from fibermsk.model.muscles.line_muscle import PointOfPath, bodies_of, coordinates_of
from fibermsk.results import Field
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums
from fibermsk.system.lines.paths import LinePaths


class Tension(NamedTuple):
    """Tension of a path [N], its derivatives in length and speed, and stored energy [J]."""

    force: float
    by_length: float
    by_speed: float
    energy: float


class PathElement(Protocol):
    """An element with a path, as `fibermsk.forces.paths.path_spring.PathSpring`."""

    @property
    def name(self) -> str:
        """Name, for messages."""
        ...

    @property
    def points(self) -> Sequence[PointOfPath]:
        """Points of the path."""
        ...

    @property
    def wraps(self) -> Sequence[PathWrap]:
        """Surfaces of the path."""
        ...

    def tension(self, length: float, speed: float) -> Tension:
        """Tension at a length [m] and its rate [m/s]."""
        ...

    @property
    def numbers(self) -> list[Any]:
        """Numbers of its law, for the identity of a run."""
        ...


class AlongPath:
    """What elements along a path have in common: `PathElement` says what each has of its own."""

    mass = None
    signals: Any = ()

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Bodies of the points and surfaces of its path."""
        item: Any = self
        return tuple(dict.fromkeys(bodies_of(item)))

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Coordinates that move or switch its points."""
        item: Any = self
        return tuple(dict.fromkeys(coordinates_of(item)))

    def contribute(self, configuration: Configuration) -> PathPull:
        """Create the contribution."""
        item: Any = self
        return PathPull(item, configuration)


class PathPull:
    """Contribution of a path; points and surfaces are those of line muscles.

    Parameters
    ----------
    element : PathElement
        Path and law.
    configuration : Configuration
        Configuration of the system.
    """

    reports = (
        Field("length", "m", "path length", "length of its path"),
        Field("tension", "N", "tension", "force along its path, positive if it pulls"),
    )

    def __init__(self, element: PathElement, configuration: Configuration) -> None:
        self._element: Any = element
        self.paths = LinePaths(configuration, (self._element,))

    def tension(self, at: At) -> Tension:
        """Tension at a state."""
        placed = self.paths.at(at)
        return self._element.tension(float(placed.length[0]), float(placed.speed[0]))

    def add(self, at: At, sums: Sums) -> None:
        """Add the pull and its derivatives."""
        now = self.tension(at)
        if now.force == now.by_length == now.by_speed == 0.0:
            return
        force, by_length, by_speed = (np.array([one]) for one in now[:3])
        self.paths.push(at, self.paths.at(at), sums, force, by_length, by_speed)

    def energy(self, at: At) -> dict[str, float]:
        """Energy of its stretch [J]."""
        return {"elastic": self.tension(at).energy}

    def fields(self, at: At) -> dict[str, float]:
        """Length and tension."""
        return {"length": float(self.paths.at(at).length[0]), "tension": self.tension(at).force}

    def memory(self) -> dict[str, Array]:
        """Winding angles of the path."""
        return self.paths.branches.memory()

    def restore(self, memory: dict[str, Array]) -> None:
        """Return to a `memory`."""
        self.paths.restore(memory)

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Path and law."""
        own = self._element
        return {"the path forces": [own.name, *own.numbers, *self.paths.fingerprint]}


class DrivenElement(PathElement, Protocol):
    """An element with a path whose tension follows a function of time, as a motor's cord.

    `tension` takes the value of the function as its third argument.
    """

    @property
    def drive(self) -> Function | float:
        """The function of time, or a constant."""
        ...


class DrivenPull(PathPull):
    """Contribution of a path that is driven by a function of time.

    Parameters
    ----------
    element : DrivenElement
        Path, law and function.
    configuration : Configuration
        Configuration of the system.
    """

    def __init__(self, element: DrivenElement, configuration: Configuration) -> None:
        super().__init__(element, configuration)
        self.drive = InTime(element.drive)

    def tension(self, at: At) -> Tension:
        """Tension at a state."""
        placed, given = self.paths.at(at), self.drive(at.t)
        return self._element.tension(float(placed.length[0]), float(placed.speed[0]), given)

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Path, law and function."""
        own = self._element
        given = [self.drive(float(t)) for t in times]
        return {"the driven paths": [own.name, *own.numbers, given, *self.paths.fingerprint]}

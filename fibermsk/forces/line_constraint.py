"""A point of one body that stays on a line of another one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import checked, direction
from fibermsk._shown import Described
from fibermsk.model import Body, Station
from fibermsk.results import Field
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums
from fibermsk.system.held_points import HeldPoints, Product
from fibermsk.system.ports import BodyPoints


@dataclass(frozen=True, eq=False, repr=False)
class PointOnLineConstraint(Described):
    """Constraint that keeps a point of a body on a straight line of another body.

    Two multipliers hold it across the line, in any orientation of the body that carries the line;
    along the line it is free. Index 1, as `PointConstraint`.

    Parameters
    ----------
    name : str
        Unique among the elements of the model.
    line : Station
        A point of the line, from `Body.at`.
    point : Station
        The point that stays on it; on another body.
    direction : (3,) array_like
        Direction of the line in the frame of its body, of any length.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("bead on a wire")
    >>> bead = model.add(fm.Body("bead", 0.1, (0, 0, 0), (1e-4, 1e-4, 1e-4)))
    >>> joint = model.add(fm.Free("flight", model.ground, bead))
    >>> line, point = model.ground.at((0, 0, 0)), bead.at((0, 0, 0))
    >>> wire = model.add(fm.PointOnLineConstraint("wire", line, point, direction=(1, 0, 0.5)))
    """

    name: str
    line: Station
    point: Station
    direction: ArrayLike = direction()

    coordinates = signals = ()

    def __post_init__(self) -> None:
        owner = f"constraint {_check.item_name('constraint', self.name)!r}"
        for field in ("line", "point"):
            _check.instance(owner, field, getattr(self, field), Station, "a Station")
        if self.line.body is self.point.body:
            _check.refuse(owner, "point", self.point.body, "be on another body than the line")
        _check.store(self, **checked(self, owner))

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Bodies of the line and of the point."""
        return self.line.body, self.point.body

    def contribute(self, configuration: Configuration) -> _Guide:
        """Create the contribution."""
        start, along = np.asarray(self.line.position), np.asarray(self.direction)
        across = [Station(self.line.body, start + one) for one in across_of(along)]
        end = Station(self.line.body, start + along)
        stations = self.line, self.point, *across, end
        return _Guide(self, BodyPoints(configuration, stations))


def across_of(along: Array) -> Array:
    """Two unit vectors (2, 3) across a unit vector and each other."""
    first = np.asarray(np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))]), np.float64)
    first = first / np.linalg.norm(first)
    return np.stack([first, np.asarray(np.cross(along, first), np.float64)])


class _Guide(HeldPoints):
    """A constraint in a system; the points are one of the line, the held one, and directions."""

    reports = (
        Field("position", "m", "position along the line", "distance from the point of the line"),
        Field("opening", "m", "opening", "largest violation of its equations"),
        Field("force", "N", "force of constraint", "force on the point, in ground", (3,)),
    )
    row_names = "first direction across", "second direction across"

    def __init__(self, constraint: PointOnLineConstraint, points: BodyPoints) -> None:
        self.name, self._constraint = constraint.name, constraint
        # the way to the point, the directions across, and the direction of the line
        ways = [(0, 1), (0, 2), (0, 3), (0, 4)]
        super().__init__(points, ways, [Product(1, 0), Product(2, 0)])

    def add(self, at: At, sums: Sums) -> None:
        """Nothing: the force follows from all others."""

    def fields(self, at: At) -> dict[str, Any]:
        """Place on the line, violation of the constraint, and its force."""
        placed = self.points.at(at)
        u = self.ways(placed)
        return {
            "position": float(u[0] @ u[3]),
            "opening": float(np.abs(self.constrain(at, False).g).max()),
            "force": -self.pull(placed, at.multipliers[self.name])[1],
        }

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Its points."""
        return {"the constraints": [self.name, self.points.link, self.points.local]}

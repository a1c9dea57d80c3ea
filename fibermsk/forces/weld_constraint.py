"""Two bodies that are fixed to each other beside the joints of the tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import checked
from fibermsk._shown import Described
from fibermsk.errors import ModelError
from fibermsk.model import Body, Station
from fibermsk.model.skeleton.body import check_ends
from fibermsk.model.skeleton.joint import orientation
from fibermsk.results import Field
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums
from fibermsk.system.held_points import HeldPoints, Part, Product
from fibermsk.system.ports import BodyPoints

PERPENDICULAR = (1, 0), (2, 1), (0, 2)
"""Axes of both bodies that stay perpendicular, as in Simbody."""


@dataclass(frozen=True, eq=False, repr=False)
class WeldConstraint(Described):
    """Constraint that fixes a body to another one, as a joint without motion that closes a loop.

    Six multipliers: three keep the points coincident, along the axes of ground, and three keep y
    of the first frame perpendicular to x of the second, z to y, and x to z. Index 1, as
    `PointConstraint`. Rows that the joints fulfil anyway, as in a plane mechanism, are found and
    left out when the system is built.

    Parameters
    ----------
    name : str
        Unique among the elements of the model.
    first, second : Station
        The points, from `Body.at`; on different bodies.
    rotation : (3, 3) array_like
        Orientation of the second body in the first: r_first = rotation @ r_second.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("two as one")
    >>> a, b = (model.add(fm.Body(n, 1.0, (0, 0, 0), (1e-3, 1e-3, 1e-3))) for n in "ab")
    >>> joint = model.add(fm.Hinge("swing", model.ground, a, (0, 0, 0), axis=(0, 1, 0)))
    >>> flight = model.add(fm.Free("flight", model.ground, b, position=(0.3, 0, 0)))
    >>> weld = model.add(fm.WeldConstraint("weld", a.at((0.3, 0, 0)), b.at((0, 0, 0))))
    """

    name: str
    first: Station
    second: Station
    rotation: ArrayLike = orientation()

    coordinates = signals = ()

    def __post_init__(self) -> None:
        owner = f"constraint {_check.item_name('constraint', self.name)!r}"
        check_ends(owner, self)
        _check.store(self, **checked(self, owner))

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Both bodies."""
        return self.first.body, self.second.body

    def contribute(self, configuration: Configuration) -> _Fix:
        """Create the contribution."""
        stations = [self.first, self.second]
        for station, axes in zip(
            tuple(stations), (np.asarray(self.rotation), np.eye(3)), strict=True
        ):
            position = np.asarray(station.position)
            stations += [Station(station.body, position + axis) for axis in axes.T]
        return _Fix(self, BodyPoints(configuration, stations))


class _Fix(HeldPoints):
    """A constraint in a system; the points are both origins, then ends of the axes of both."""

    reports = (
        Field("opening", "m", "opening", "largest violation of its equations"),
        Field("force", "N", "force of constraint", "force on the second point, in ground", (3,)),
        Field("torque", "N m", "torque", "torque on the second body about its point, ground", (3,)),
    )
    row_names = "along x", "along y", "along z", "turn about z", "turn about x", "turn about y"

    def __init__(self, constraint: WeldConstraint, points: BodyPoints) -> None:
        self.name, self._constraint = constraint.name, constraint
        ways = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 5), (1, 6), (1, 7)]
        rows = [Part(0, one) for one in np.eye(3)]
        super().__init__(points, ways, [*rows, *(Product(1 + i, 4 + j) for i, j in PERPENDICULAR)])

    def add(self, at: At, sums: Sums) -> None:
        """Nothing: the force follows from all others."""

    def check_start(self, at: At) -> None:
        """Refuse frames that are turned by half a turn, at which the axes are perpendicular too.

        Raises
        ------
        ModelError
            If an axis does not point along that of the other frame.
        """
        u = self.ways(self.points.at(at))
        for name, first, second in zip("xyz", u[1:4], u[4:], strict=True):
            if first @ second < 0.5:
                raise ModelError(
                    f"constraint {self.name!r}: the {name} axes of its frames have the cosine "
                    f"{first @ second:.3g}; must be 1; start from coordinates at which they agree"
                )

    def fields(self, at: At) -> dict[str, Any]:
        """Violation of the constraint, its force and its torque."""
        placed = self.points.at(at)
        force = -self.pull(placed, at.multipliers[self.name])
        on_second = force[[1, 5, 6, 7]]
        levers = placed.x[[1, 5, 6, 7]] - placed.x[1]
        return {
            "opening": float(np.abs(self.constrain(at, False).g).max()),
            "force": on_second.sum(axis=0),
            "torque": np.cross(levers, on_second).sum(axis=0),
        }

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Its points."""
        return {"the constraints": [self.name, self.points.link, self.points.local]}

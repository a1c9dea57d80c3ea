"""Points of two bodies that are held together, or at a distance: closed chains, rigid rods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import POSITIVE, checked, number
from fibermsk._shown import Described
from fibermsk.model import Body, Station
from fibermsk.model.skeleton.body import check_ends
from fibermsk.results import Field
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums
from fibermsk.system.held_points import HeldPoints, Part, Product
from fibermsk.system.ports import BodyPoints


@dataclass(frozen=True, eq=False, repr=False)
class PointConstraint(Described):
    """Constraint that keeps two points coincident along some directions, or at a distance.

    The forces are the multipliers of g = 0, where g is the vector from the first point to the
    second along each direction, or (length^2 - distance^2) / (2 distance). They follow from the
    equations of motion (index 1), and after each step positions and velocities satisfy g = 0 and
    its rate to round-off.

    Parameters
    ----------
    name : str
        Unique among the elements of the model.
    first, second : Station
        The points, from `Body.at`; on different bodies.
    distance : float, optional
        Length of a rigid rod between them [m]; positive. If left out, the points are coincident.
    directions : (m, 3) array_like
        Directions in ground along which they coincide, of any length; m is 1 to 3. A planar
        mechanism needs the two of its plane.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("bob on a rod")
    >>> bob = model.add(fm.Body("bob", 1.0, (0, 0, 0), (1e-3, 1e-3, 1e-3)))
    >>> joint = model.add(fm.Free("flight", model.ground, bob, position=(0.3, 0, 0)))
    >>> ends = model.ground.at((0, 0, 0)), bob.at((0, 0, 0))
    >>> rod = model.add(fm.PointConstraint("rod", *ends, distance=0.3))
    """

    name: str
    first: Station
    second: Station
    distance: float | None = number("m", POSITIVE, default=None)
    directions: ArrayLike = number(
        shape=("m", 3),
        whole="directions are independent",
        default=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    )

    coordinates = signals = ()

    def __post_init__(self) -> None:
        owner = f"constraint {_check.item_name('constraint', self.name)!r}"
        check_ends(owner, self)
        _check.store(self, **checked(self, owner))
        directions = np.array(self.directions)
        if np.linalg.matrix_rank(directions, tol=1e-6) < max(len(directions), 1):
            _check.refuse(owner, "directions", self.directions, "be independent, one to three")
        _check.store(self, directions=directions)

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Bodies of both points."""
        return self.first.body, self.second.body

    def contribute(self, configuration: Configuration) -> _Hold:
        """Create the contribution."""
        return _Hold(self, BodyPoints(configuration, (self.first, self.second)))


class _Hold(HeldPoints):
    """A constraint in a system."""

    reports = (
        Field("distance", "m", "distance of points", "distance of the constrained points"),
        Field("opening", "m", "opening", "largest violation of its equations"),
        Field("force", "N", "force of constraint", "force on the second point, in ground", (3,)),
    )

    def __init__(self, constraint: PointConstraint, points: BodyPoints) -> None:
        self.name = constraint.name
        self._constraint = constraint
        distance, D = constraint.distance, np.asarray(constraint.directions, np.float64)
        if distance is None:
            rows = [Part(0, direction) for direction in D]
            self.row_names = tuple(f"along {np.round(one, 6).tolist()}" for one in D)
        else:
            rows = [Product(0, 0, 0.5 / distance, 0.5 * distance)]
            self.row_names = ("distance",)
        super().__init__(points, [(0, 1)], rows)

    def add(self, at: At, sums: Sums) -> None:
        """Nothing: the force follows from all others."""

    def fields(self, at: At) -> dict[str, Any]:
        """Distance of the points, violation of the constraint, and its force."""
        placed = self.points.at(at)
        return {
            "distance": float(np.linalg.norm(self.ways(placed)[0])),
            "opening": float(np.abs(self.constrain(at, False).g).max()),
            "force": -self.pull(placed, at.multipliers[self.name])[1],
        }

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Its points and numbers."""
        own, points = self._constraint, self.points
        numbers = [own.distance or 0.0, np.asarray(own.directions), points.link, points.local]
        return {"the constraints": [own.name, *numbers]}

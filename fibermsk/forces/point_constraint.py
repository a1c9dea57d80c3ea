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
from fibermsk.results import Field
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums
from fibermsk.system.ports import BodyPoints
from fibermsk.system.skeleton.constraints import Held


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
        for field in ("first", "second"):
            _check.instance(owner, field, getattr(self, field), Station, "a Station")
        if self.first.body is self.second.body:
            _check.refuse(owner, "second", self.second.body, "be on another body than the first")
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


class _Hold:
    """A constraint in a system."""

    reports = (
        Field("distance", "m", "distance of points", "distance of the constrained points"),
        Field("opening", "m", "opening", "largest violation of its equations"),
        Field("force", "N", "force of constraint", "force on the second point, in ground", (3,)),
    )

    def __init__(self, constraint: PointConstraint, points: BodyPoints) -> None:
        self.name = constraint.name
        self._constraint, self._points = constraint, points
        self._D = np.asarray(constraint.directions, np.float64)

    def add(self, at: At, sums: Sums) -> None:
        """Nothing: the force follows from all others."""

    def constrain(self, at: At, second: bool) -> Held:
        """The way between the points, or its length."""
        placed = self._points.at(at)
        found = self._points.accelerate(at, placed, second)
        way, speed, rate = (part[1] - part[0] for part in (placed.x, placed.v, found.a))
        X, V, W = (part[3:] - part[:3] for part in (found.X, found.V, found.W))
        distance = self._constraint.distance
        if distance is None:
            D = self._D
            if not second:
                return Held(D @ way, D @ speed, D @ rate, D @ X, V, W)
            return Held(D @ way, D @ speed, D @ rate, D @ X, D @ V, D @ W)
        g = np.array([way @ way / distance - distance]) / 2.0
        g_dot = np.array([way @ speed / distance])
        g_ddot = np.array([(speed @ speed + way @ rate) / distance])
        G = (way @ X)[None] / distance
        if not second:
            return Held(g, g_dot, g_ddot, G, V, W)
        by_rate = (speed @ X + way @ V)[None] / distance
        by_rates = (2.0 * speed @ V + rate @ X + way @ W)[None] / distance
        return Held(g, g_dot, g_ddot, G, by_rate, by_rates)

    def _pull(self, way: Array, multipliers: Array) -> Array:
        """G^T times multipliers as forces on the points, (2, 3) [N]."""
        distance = self._constraint.distance
        if distance is None:
            force = self._D.T @ multipliers
        else:
            force = multipliers[0] / distance * way
        return np.stack([-force, force])

    def curvature(self, at: At, multipliers: Array) -> Array:
        """Derivative (n, n) of G^T times multipliers in the coordinates."""
        placed = self._points.at(at)
        way = placed.x[1] - placed.x[0]
        out = self._points.curvature(at, placed, self._pull(way, multipliers))
        distance = self._constraint.distance
        if distance is not None:
            found = self._points.accelerate(at, placed, False)
            X = found.X[3:] - found.X[:3]
            out = out + multipliers[0] / distance * X.T @ X
        return out

    def fields(self, at: At) -> dict[str, float]:
        """Distance of the points, violation of the constraint, and its force."""
        x = self._points.at(at).x
        way, g = x[1] - x[0], self.constrain(at, False).g
        return {
            "distance": float(np.linalg.norm(way)),
            "opening": float(np.abs(g).max()),
            "force": -self._pull(way, at.multipliers[self.name])[1],
        }

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Its points and numbers."""
        own, points = self._constraint, self._points
        numbers = [own.distance or 0.0, self._D, points.link, points.local]
        return {"the constraints": [own.name, *numbers]}

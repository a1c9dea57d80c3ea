"""Lengths of line muscles in director coordinates, as expressions of CasADi.

Straight lines between points of bodies, and exact geodesics around one cylinder or sphere between
two of them, in closed form; `line_muscles.md`, section 3. With free lengths a and b and the angle
phi of the arc, a path around a cylinder of radius r and height difference h has the length
sqrt((a + r phi + b)^2 + h^2), one around a sphere a + r phi + b; it is straight where phi <= 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.control.mechanics.directors import SX, Directors, point_at, unpacked
from fibermsk.control.mechanics.tree import LinkTree
from fibermsk.control.muscles.path import MusclePath
from fibermsk.model import LineMuscle, PathPoint, WrapCylinder, WrapSphere

_NEAREST = 2


class Surface(NamedTuple):
    """A wrap surface on a link.

    Attributes
    ----------
    name : str
        Its name.
    link : int
        Link that carries it; -1 for the ground.
    position, rotation : (3,) and (3, 3) float array
        Its center, from the center of mass of the link, and its axes, in those of the link.
    radius : float
        [m]
    side : int
        1 or -1, around the axis of a cylinder from origin to insertion; 0 for a sphere, `_NEAREST`
        for the shorter way.
    """

    name: str
    link: int
    position: Array
    rotation: Array
    radius: float
    side: int


class ExactPath(MusclePath):
    """Path of one muscle in closed form, without unknowns.

    Attributes
    ----------
    surface : Surface, optional
        What it goes around.

    Raises
    ------
    ModelError
        If one of its points lies in its surface at the director coordinates q (n,) of the start.
    """

    word = "in closed form (beyond the end of a cylinder, or on its other side)"

    def __init__(self, own: Directors, muscle: LineMuscle, q: Array) -> None:
        self.name, self._own = muscle.name, own
        tree = own.tree
        self._points = [
            tree.on_link(one.body, one.station.position)
            for one in muscle.points
            if isinstance(one, PathPoint)  # others have no closed form; see `not_exact`
        ]
        self.surface, self._after = None, 0
        for wrap in _wraps(muscle):
            self.surface, self._after = _surface(tree, wrap), (wrap.first or 1) - 1
            self._settle(f"line muscle {muscle.name!r}", q)

    def _settle(self, owner: str, q: Array) -> None:
        """Refuse points inside of the surface, and choose the shorter way around a cylinder."""
        self.refuse_inside(owner, q)
        assert self.surface is not None
        if self.surface.side == _NEAREST:
            o, i = self._placed(q)
            turn = o[0] * i[1] - o[1] * i[0]
            self.surface = self.surface._replace(side=1 if turn >= 0.0 else -1)

    def _placed(self, q: Array) -> list[Array]:
        """Values of `ends` at director coordinates."""
        return [np.array(ca.evalf(one)).ravel() for one in self.ends(ca.DM(q))]

    def depths(self, q: Array) -> dict[str, float]:
        """Distances [m] from its axis or center of the points beside the surface that lie inside.

        By "first" and "last".
        """
        if self.surface is None:
            return {}
        flat = slice(0, 3 if self.surface.side == 0 else 2)
        sizes = [self.surface.radius * float(np.linalg.norm(at[flat])) for at in self._placed(q)]
        named = zip(("first", "last"), sizes, strict=True)
        return {end: size for end, size in named if not size > self.surface.radius}

    def refuse_inside(self, owner: str, q: Array) -> None:
        """Refuse points inside of the surface, where there is no path."""
        for end, distance in self.depths(q).items():
            assert self.surface is not None
            must = f"exceed its radius, {self.surface.radius:g} m"
            field = f"distance of the {end} point at {self.surface.name!r} from its axis"
            _check.refuse(owner, field, distance, must, unit="m", remedy="move the point")

    def at(self, s: SX, q: SX, g: SX) -> tuple[SX, SX]:
        """Length [m], and forces P^T dl/dq (degrees,) of a unit tension that lengthens it."""
        Q, G = ca.SX.sym("q", q.numel()), ca.SX.sym("g", self.n)
        length = self.length(Q, G)
        made = ca.Function("path", [Q, G], [length, self._own.pull(Q, ca.gradient(length, Q))])
        found, arms = made(q, g)
        return found, arms

    def places(self, q: SX) -> list[SX]:
        """Path points in ground."""
        return [point_at(q, link, at) for link, at in self._points]

    def ends(self, q: SX) -> tuple[SX, SX]:
        """Points beside the surface, in its frame over its radius."""
        assert self.surface is not None
        center = point_at(q, self.surface.link, self.surface.position)
        axes = unpacked(q, self.surface.link)[1] @ ca.DM(self.surface.rotation)
        before, after = self.places(q)[self._after : self._after + 2]
        return tuple(axes.T @ (one - center) / self.surface.radius for one in (before, after))

    def straights(self, q: SX, without: int) -> SX:
        """Length [m] of the straight parts between points, without the one after a point."""
        points = self.places(q)
        pairs = enumerate(zip(points, points[1:], strict=False))
        return sum((norm(b - a) for k, (a, b) in pairs if k != without), ca.SX(0))

    def length(self, q: SX, g: SX) -> SX:
        """Length [m] at director coordinates q."""
        if self.surface is None:
            return self.straights(q, -1)
        around, phi = self._around(q)
        before, after = self.places(q)[self._after : self._after + 2]
        part = ca.if_else(phi > 0.0, around, norm(after - before))
        return self.straights(q, self._after) + part

    def touching(self, q: SX) -> SX:
        """Angle of the arc [rad], negative off the surface; without a surface -1."""
        return ca.SX(-1.0) if self.surface is None else self._around(q)[1]

    def _around(self, q: SX) -> tuple[SX, SX]:
        """Length [m] around the surface, and the angle of the arc [rad]."""
        assert self.surface is not None
        r, o, i = self.surface.radius, *self.ends(q)
        if self.surface.side == 0:
            a, b = (ca.sqrt(ca.dot(one, one) - 1.0) for one in (o, i))
            between = ca.atan2(norm(ca.cross(o, i)), ca.dot(o, i))
            phi = between - ca.atan(a) - ca.atan(b)
            return r * (a + phi + b), phi
        a, b = (ca.sqrt(one[0] ** 2 + one[1] ** 2 - 1.0) for one in (o, i))
        turn = self.surface.side * ca.atan2(o[0] * i[1] - o[1] * i[0], o[0] * i[0] + o[1] * i[1])
        free = turn - ca.atan(a) - ca.atan(b)
        phi = ca.atan2(ca.sin(free), ca.cos(free))
        return r * ca.sqrt((a + phi + b) ** 2 + (i[2] - o[2]) ** 2), phi


def norm(v: SX) -> SX:
    """Length of a vector."""
    return ca.sqrt(ca.dot(v, v))


def not_exact(muscle: LineMuscle) -> tuple[str, Any, str] | None:
    """Field, value and what it must be, where a path has no closed form here; else None."""
    for k, point in enumerate(muscle.points):
        if type(point) is not PathPoint:
            return f"points[{k}]", point.name, "be fixed to a body"
    wraps = _wraps(muscle)
    if len(wraps) > 1:
        return "wraps", [one.shape.name for one in wraps], "be at most one"
    for wrap in wraps:
        shape = wrap.shape
        last = len(muscle.points) if wrap.last is None else wrap.last
        if last != (wrap.first or 1) + 1:
            return "wraps", shape.name, "be between two neighboring points"
        if not isinstance(shape, WrapSphere | WrapCylinder) or shape.quadrant != "all":
            return "wraps", shape.name, "be a whole sphere or a whole cylinder"
    return None


def _wraps(muscle: LineMuscle) -> list[Any]:
    return [one for one in muscle.wraps if one.shape.active]


def _surface(tree: LinkTree, wrap: Any) -> Surface:
    shape = wrap.shape
    link, at = tree.on_link(shape.body, shape.position)
    rotation = np.asarray(shape.rotation, float)
    side = 0 if isinstance(shape, WrapSphere) else wrap.side or _NEAREST
    return Surface(shape.name, link, at, rotation, float(shape.radius), side)

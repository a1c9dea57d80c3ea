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
from fibermsk.control.directors import SX, point_at, unpacked
from fibermsk.control.tree import LinkTree
from fibermsk.model import LineMuscle, PathPoint, WrapCylinder, WrapSphere

_REMEDY = (
    "optimal control has points fixed to bodies, spheres and cylinders; "
    "fm.gradient serves all paths"
)


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


class Path:
    """Path of one muscle.

    Raises
    ------
    ModelError
        If its points or surfaces cannot be described so, or one of its points lies in its surface
        at the director coordinates q (n,) of the start.
    """

    def __init__(self, tree: LinkTree, muscle: LineMuscle, q: Array) -> None:
        self.name = muscle.name
        owner = f"line muscle {muscle.name!r}"
        self._points: list[tuple[int, Array]] = []
        for k, point in enumerate(muscle.points):
            if type(point) is not PathPoint:
                must = "be fixed to a body"
                _check.refuse(owner, f"points[{k}]", point.name, must, remedy=_REMEDY)
            self._points.append(tree.on_link(point.body, point.station.position))
        self.surface, self._after = None, 0
        wraps = [one for one in muscle.wraps if one.shape.active]
        if len(wraps) > 1:
            names = [one.shape.name for one in wraps]
            _check.refuse(owner, "wraps", names, "be at most one", remedy=_REMEDY)
        for wrap in wraps:
            first = 1 if wrap.first is None else wrap.first
            last = len(self._points) if wrap.last is None else wrap.last
            if last != first + 1:
                must = "wrap between two neighboring points"
                _check.refuse(owner, "wraps", wrap.shape.name, must, remedy=_REMEDY)
            self.surface, self._after = _surface(tree, owner, wrap), first - 1
            self._settle(owner, q)

    def _settle(self, owner: str, q: Array) -> None:
        """Refuse points inside of the surface, and choose the shorter way around a cylinder."""
        assert self.surface is not None
        o, i = (np.array(ca.evalf(one)).ravel() for one in self.ends(ca.DM(q)))
        flat = slice(0, 3 if self.surface.side == 0 else 2)
        for end, at in zip("first last".split(), (o, i), strict=True):
            distance = self.surface.radius * float(np.linalg.norm(at[flat]))
            if not distance > self.surface.radius:
                must = f"exceed its radius, {self.surface.radius:g} m"
                field = f"distance of the {end} point at {self.surface.name!r} from its axis"
                _check.refuse(owner, field, distance, must, unit="m", remedy="move the point")
        if self.surface.side == _NEAREST:
            turn = o[0] * i[1] - o[1] * i[0]
            self.surface = self.surface._replace(side=1 if turn >= 0.0 else -1)

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

    def length(self, q: SX) -> SX:
        """Length [m] at director coordinates q."""
        points = self.places(q)
        found = ca.SX(0)
        for k, (before, after) in enumerate(zip(points, points[1:], strict=False)):
            straight = _norm(after - before)
            if self.surface is not None and k == self._after:
                around, phi = self._around(q)
                straight = ca.if_else(phi > 0.0, around, straight)
            found += straight
        return found

    def touching(self, q: SX) -> SX:
        """Angle of the arc [rad], negative off the surface; without a surface -1."""
        return ca.SX(-1.0) if self.surface is None else self._around(q)[1]

    def _around(self, q: SX) -> tuple[SX, SX]:
        """Length [m] around the surface, and the angle of the arc [rad]."""
        assert self.surface is not None
        r, o, i = self.surface.radius, *self.ends(q)
        if self.surface.side == 0:
            a, b = (ca.sqrt(ca.dot(one, one) - 1.0) for one in (o, i))
            between = ca.atan2(_norm(ca.cross(o, i)), ca.dot(o, i))
            phi = between - ca.atan(a) - ca.atan(b)
            return r * (a + phi + b), phi
        a, b = (ca.sqrt(one[0] ** 2 + one[1] ** 2 - 1.0) for one in (o, i))
        turn = self.surface.side * ca.atan2(o[0] * i[1] - o[1] * i[0], o[0] * i[0] + o[1] * i[1])
        free = turn - ca.atan(a) - ca.atan(b)
        phi = ca.atan2(ca.sin(free), ca.cos(free))
        return r * ca.sqrt((a + phi + b) ** 2 + (i[2] - o[2]) ** 2), phi


def _norm(v: SX) -> SX:
    return ca.sqrt(ca.dot(v, v))


def _surface(tree: LinkTree, owner: str, wrap: Any) -> Surface:
    shape = wrap.shape
    if not isinstance(shape, WrapSphere | WrapCylinder) or shape.quadrant != "all":
        must = "be a whole sphere or a whole cylinder"
        _check.refuse(owner, "wraps", shape.name, must, remedy=_REMEDY)
    link, at = tree.on_link(shape.body, shape.position)
    rotation = np.asarray(shape.rotation, float)
    side = 0 if isinstance(shape, WrapSphere) else wrap.side or _NEAREST
    return Surface(shape.name, link, at, rotation, float(shape.radius), side)

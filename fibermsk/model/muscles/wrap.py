"""Wrapping surfaces of line muscles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._numbers import POSITIVE, checked, number
from fibermsk._shown import Described
from fibermsk.model.skeleton.body import Body
from fibermsk.model.skeleton.joint import orientation

QUADRANTS = ("all", "x", "-x", "y", "-y", "z", "-z")
METHODS = ("hybrid", "midpoint", "axial")
INSIDE = ("refuse", "straight")


@dataclass(frozen=True, eq=False, repr=False)
class Surface(Described):
    """Common fields of wrapping surfaces."""

    name: str
    body: Body
    position: ArrayLike = number("m", shape=(3,), default=(0.0, 0.0, 0.0))
    rotation: ArrayLike = orientation()
    quadrant: str = "all"
    active: bool = True

    def __post_init__(self) -> None:
        owner = f"wrap surface {_check.name('wrap surface', self.name)!r}"
        _check.instance(owner, "body", self.body, Body, "a Body")
        _check.choice(owner, "quadrant", self.quadrant, QUADRANTS)
        active = _check.flag(owner, "active", self.active)
        _check.store(self, active=active, **checked(self, owner))


@dataclass(frozen=True, eq=False, repr=False)
class WrapSphere(Surface):
    """A sphere.

    Parameters
    ----------
    name : str
        Its name.
    body : Body
        Body to which it is fixed.
    position : (3,) array_like
        Its center, body frame [m].
    rotation : (3, 3) array_like
        Its axes in the body: r_body = rotation @ r_surface.
    quadrant : {"all", "x", "-x", "y", "-y", "z", "-z"}
        Half of the surface, in its own axes, over which a path may wrap.
    active : bool
        Whether paths wrap around it.
    radius : float
        Radius [m]; positive.
    """

    radius: float = number("m", POSITIVE, default=1.0)


@dataclass(frozen=True, eq=False, repr=False)
class WrapCylinder(Surface):
    """A cylinder about its z axis; other fields as those of `WrapSphere`.

    Parameters
    ----------
    radius, length : float
        Radius, and length along z, centered at the position [m]; positive. As in OpenSim, a path
        that would touch the cylinder beyond its ends only does not touch it: its length jumps
        there. Otherwise it is that around an infinite cylinder.
    """

    radius: float = number("m", POSITIVE, default=1.0)
    length: float = number("m", POSITIVE, default=1.0)


@dataclass(frozen=True, eq=False, repr=False)
class WrapEllipsoid(Surface):
    """An ellipsoid; other fields as those of `WrapSphere`.

    Parameters
    ----------
    radii : (3,) array_like
        Half axes along its own x, y and z [m]; positive.
    """

    radii: ArrayLike = number("m", POSITIVE, shape=(3,), default=(1.0, 1.0, 1.0))


@dataclass(frozen=True, eq=False, repr=False)
class WrapTorus(Surface):
    """A torus about its z axis, through whose hole a path runs; other fields as `WrapSphere`.

    Parameters
    ----------
    inner_radius, outer_radius : float
        Radius of the tube, and radius of its center circle [m]: OpenSim's inner_radius and
        outer_radius; positive.
    """

    inner_radius: float = number("m", POSITIVE, default=0.5)
    outer_radius: float = number("m", POSITIVE, default=1.0)


@dataclass(frozen=True, eq=False, repr=False)
class WrapCappedCylinder(Surface):
    """A cylinder about its z axis, closed by a half sphere about the position, where z > 0.

    It goes on without end where z < 0. Only a muscle with mass whose path is that of a network
    wraps around it; see `MuscleMass`. Other fields as those of `WrapSphere`.

    Parameters
    ----------
    radius : float
        Radius [m]; positive.
    """

    radius: float = number("m", POSITIVE, default=1.0)


WrapSurface = WrapSphere | WrapCylinder | WrapEllipsoid | WrapTorus | WrapCappedCylinder

SURFACES = (WrapSphere, WrapCylinder, WrapEllipsoid, WrapTorus, WrapCappedCylinder)


@dataclass(frozen=True, eq=False, repr=False)
class PathWrap(Described):
    """A wrapping surface in the path of one muscle.

    Parameters
    ----------
    shape : WrapSphere, WrapCylinder, WrapEllipsoid, WrapTorus, WrapCappedCylinder or WrapLevelSet
        The surface.
    first, last : int, optional
        Path points, counted from 1, between which it may wrap; the ends if left out.
    method : {"hybrid", "midpoint", "axial"}
        OpenSim's method for a path over an ellipsoid.
    side : {1, -1}, optional
        Side on which the path passes a cylinder at the start: 1 counter-clockwise about its z axis
        from origin to insertion, -1 clockwise. If left out, on the half named by the quadrant of
        the surface, else the shorter way.
    inside : {"refuse", "straight"}
        Where a path point lies inside the surface: an error, or the path is straight next to it as
        OpenSim, whose models are read so; length and moment arm then jump where the point enters.
        With "straight" on all surfaces of a section, its arcs may also pass through another surface
        where the path would lie in the groove between both.
    """

    shape: Surface
    first: int | None = None
    last: int | None = None
    method: str = "hybrid"
    side: int | None = None
    inside: str = "refuse"

    def __post_init__(self) -> None:
        _check.instance("path wrap", "shape", self.shape, Surface, "a wrap surface")
        owner = f"path wrap around {self.shape.name!r}"
        ends: dict[str, Any] = {"first": self.first, "last": self.last}
        for field, value in ends.items():
            if value is not None:
                _check.count(owner, field, value)
        if self.first is not None and self.last is not None and self.last < self.first:
            _check.refuse(owner, "last", self.last, f"be first = {self.first} or more")
        _check.choice(owner, "method", self.method, METHODS)
        _check.choice(owner, "inside", self.inside, INSIDE)
        if self.side is None:
            return
        if type(self.side) is not int or self.side not in (1, -1):
            _check.refuse(owner, "side", self.side, "be 1, -1 or None")
        if not isinstance(self.shape, WrapCylinder):
            must = "be None for a surface other than a cylinder, around which a path may slip"
            _check.refuse(owner, "side", self.side, must)

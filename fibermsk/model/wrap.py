"""Surfaces that the path of a line muscle wraps around."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk.model.body import Body
from fibermsk.model.joint import IDENTITY, check_rotation

__all__ = ["PathWrap", "WrapCylinder", "WrapEllipsoid", "WrapSphere", "WrapSurface", "WrapTorus"]

QUADRANTS = ("all", "x", "-x", "y", "-y", "z", "-z")
METHODS = ("hybrid", "midpoint", "axial")


@dataclass(frozen=True, eq=False)
class _Surface:
    """Where a surface sits, and on which side of it a path may run."""

    name: str
    body: Body
    position: ArrayLike = (0.0, 0.0, 0.0)
    rotation: ArrayLike = IDENTITY
    quadrant: str = "all"
    active: bool = True

    def __post_init__(self) -> None:
        """Check the fields and store them as float64."""
        owner = f"wrap surface {_check.name('wrap surface', self.name)!r}"
        _check.instance(owner, "body", self.body, Body, "a Body")
        _check.choice(owner, "quadrant", self.quadrant, QUADRANTS)
        _check.store(
            self,
            active=_check.flag(owner, "active", self.active),
            position=_check.array(owner, "position", self.position, (3,), "m"),
            rotation=check_rotation(owner, "rotation", self.rotation),
        )

    @property
    def owner(self) -> str:
        """What messages call it."""
        return f"wrap surface {self.name!r}"


@dataclass(frozen=True, eq=False)
class WrapSphere(_Surface):
    """A sphere.

    Parameters
    ----------
    name : str
        Its name.
    body : Body
        The body that carries it.
    position : (3,) array_like
        Its center, body frame [m].
    rotation : (3, 3) array_like
        Its axes in the body: r_body = rotation @ r_surface.
    quadrant : {"all", "x", "-x", "y", "-y", "z", "-z"}
        The half of it, in its own axes, around which a path may run.
    active : bool
        Whether paths wrap around it at all.
    radius : float
        Radius [m]; positive.

    Raises
    ------
    ModelError
        If a field lies outside its range.
    """

    radius: float = 1.0

    def __post_init__(self) -> None:
        """Check the fields and store them as float64."""
        super().__post_init__()
        _check.store(self, radius=_check.positive(self.owner, "radius", self.radius, "m"))


@dataclass(frozen=True, eq=False)
class WrapCylinder(_Surface):
    """A cylinder about its own z axis; other fields as those of `WrapSphere`.

    Parameters
    ----------
    radius, length : float
        Radius, and length along z with its middle at the position [m]; positive.
    """

    radius: float = 1.0
    length: float = 1.0

    def __post_init__(self) -> None:
        """Check the fields and store them as float64."""
        super().__post_init__()
        _check.store(
            self,
            radius=_check.positive(self.owner, "radius", self.radius, "m"),
            length=_check.positive(self.owner, "length", self.length, "m"),
        )


@dataclass(frozen=True, eq=False)
class WrapEllipsoid(_Surface):
    """An ellipsoid; other fields as those of `WrapSphere`.

    Parameters
    ----------
    radii : (3,) array_like
        Half axes along its own x, y and z [m]; positive.
    """

    radii: ArrayLike = (1.0, 1.0, 1.0)

    def __post_init__(self) -> None:
        """Check the fields and store them as float64."""
        super().__post_init__()
        radii = _check.array(self.owner, "radii", self.radii, (3,), "m")
        for i, radius in enumerate(radii):
            _check.positive(self.owner, f"radii[{i}]", radius, "m")
        _check.store(self, radii=radii)


@dataclass(frozen=True, eq=False)
class WrapTorus(_Surface):
    """A ring about its own z axis through which a path runs; other fields as `WrapSphere`.

    Parameters
    ----------
    inner_radius, outer_radius : float
        Radius of the ring's section, and radius of the circle of its middle [m]: OpenSim's
        inner_radius and outer_radius; positive.
    """

    inner_radius: float = 0.5
    outer_radius: float = 1.0

    def __post_init__(self) -> None:
        """Check the fields and store them as float64."""
        super().__post_init__()
        _check.store(
            self,
            inner_radius=_check.positive(self.owner, "inner_radius", self.inner_radius, "m"),
            outer_radius=_check.positive(self.owner, "outer_radius", self.outer_radius, "m"),
        )


WrapSurface = WrapSphere | WrapCylinder | WrapEllipsoid | WrapTorus


@dataclass(frozen=True, eq=False)
class PathWrap:
    """A surface that one muscle wraps around.

    Parameters
    ----------
    shape : WrapSphere, WrapCylinder, WrapEllipsoid or WrapTorus
        The surface.
    first, last : int, optional
        Points of the path, counted from 1, between which it may wrap; the ends if left out.
    method : {"hybrid", "midpoint", "axial"}
        How OpenSim finds a path over an ellipsoid.

    Raises
    ------
    ModelError
        If a field lies outside its range.
    """

    shape: WrapSurface
    first: int | None = None
    last: int | None = None
    method: str = "hybrid"

    def __post_init__(self) -> None:
        """Check the fields."""
        _check.instance("path wrap", "shape", self.shape, _Surface, "a wrap surface")
        owner = f"path wrap around {self.shape.name!r}"
        ends: dict[str, Any] = {"first": self.first, "last": self.last}
        for field, value in ends.items():
            if value is not None:
                _check.count(owner, field, value)
        if self.first is not None and self.last is not None and self.last < self.first:
            _check.refuse(owner, "last", self.last, f"be first = {self.first} or more")
        _check.choice(owner, "method", self.method, METHODS)

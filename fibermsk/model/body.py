"""Rigid bodies: mass, the shapes that fibers touch, and points to attach fibers to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk.model.mesh import Mesh

__all__ = ["Body", "Capsule", "InfiniteCylinder", "Shape", "Station"]

ROUNDOFF = 1e-9
"""Relative tolerance of the symmetry and the triangle inequality of an inertia."""


@dataclass(frozen=True, eq=False)
class Capsule:
    """All points within a radius of a line segment; a sphere where both ends are one point.

    Parameters
    ----------
    start, end : (3,) array_like
        Ends of the axis, body frame [m].
    radius : float
        Radius [m]; positive.

    Raises
    ------
    ModelError
        If a number is not finite or the radius is not positive.
    """

    start: ArrayLike
    end: ArrayLike
    radius: float

    def __post_init__(self) -> None:
        """Check the numbers and store them as float64."""
        _check.store(
            self,
            start=_check.array("capsule", "start", self.start, (3,), "m"),
            end=_check.array("capsule", "end", self.end, (3,), "m"),
            radius=_check.positive("capsule", "radius", self.radius, "m"),
        )


@dataclass(frozen=True, eq=False)
class InfiniteCylinder:
    """All points within a radius of a straight line without ends.

    Parameters
    ----------
    point : (3,) array_like
        A point on the axis, body frame [m].
    axis : (3,) array_like
        Direction of the axis, body frame; stored with length one.
    radius : float
        Radius [m]; positive.

    Raises
    ------
    ModelError
        If a number is not finite, the axis is zero or the radius is not positive.
    """

    point: ArrayLike
    axis: ArrayLike
    radius: float

    def __post_init__(self) -> None:
        """Check the numbers and store them as float64."""
        owner = "infinite cylinder"
        _check.store(
            self,
            point=_check.array(owner, "point", self.point, (3,), "m"),
            axis=_check.unit_vector(owner, "axis", self.axis),
            radius=_check.positive(owner, "radius", self.radius, "m"),
        )


Shape = Capsule | InfiniteCylinder | Mesh
"""What fibers may touch."""


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body: a bone, a segment, or the ground.

    Parameters
    ----------
    name : str
        Name, unique in the model.
    mass : float, optional
        Mass [kg]; positive. May be left out for a body that never moves.
    com : (3,) array_like
        Center of mass, body frame [m].
    inertia : (3,) or (3, 3) array_like, optional
        Principal moments of inertia, or the whole matrix, about the center of mass in body axes
        [kg m^2]; stored as (3, 3). Symmetric and positive definite, and no principal moment
        above the sum of the other two; or zero for a point mass. May be left out for a body that
        never moves.
    shapes : Capsule, InfiniteCylinder, Mesh or a sequence of them
        What fibers touch in a `Contact` with this body; stored as a tuple.
    visuals : Mesh or a sequence of them
        What is drawn and not touched; stored as a tuple. Without any, the shapes are drawn.
    strict : bool
        Whether to refuse an inertia that no rigid body can have. Published models have such; what
        reads them takes these as they stand, and says so.

    Raises
    ------
    ModelError
        If a field lies outside its range.
    """

    name: str
    mass: float | None = None
    com: ArrayLike = (0.0, 0.0, 0.0)
    inertia: ArrayLike | None = None
    shapes: Shape | tuple[Shape, ...] = field(default=())
    visuals: Mesh | tuple[Mesh, ...] = field(default=())
    strict: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        """Check the fields and store them as float64 and tuples."""
        owner = f"body {_check.item_name('body', self.name)!r}"
        strict = _check.flag(owner, "strict", self.strict)
        com = _check.array(owner, "com", self.com, (3,), "m")
        mass = None if self.mass is None else _check.positive(owner, "mass", self.mass, "kg")
        inertia = None if self.inertia is None else _check_inertia(owner, self.inertia, strict)
        if mass is None and inertia is not None:
            _check.refuse(owner, "mass", None, "be positive for a body with inertia")
        _check.store(
            self,
            mass=mass,
            com=com,
            inertia=inertia,
            strict=strict,
            shapes=_check_shapes(owner, "shapes", self.shapes, Shape),
            visuals=_check_shapes(owner, "visuals", self.visuals, Mesh),
        )

    def at(self, *position: Any) -> Station:
        """Point of this body, written `body.at(x, y, z)` or `body.at((x, y, z))`.

        Parameters
        ----------
        *position : three floats or one (3,) array_like
            Body frame [m].

        Returns
        -------
        station : Station
            The point, to attach a fiber to.

        Raises
        ------
        ModelError
            If this is not three finite numbers.
        """
        return Station(self, position[0] if len(position) == 1 else position)


@dataclass(frozen=True, eq=False)
class Station:
    """A point fixed to a body.

    Parameters
    ----------
    body : Body
        The body that carries it.
    position : (3,) array_like
        Position, body frame [m].

    Raises
    ------
    ModelError
        If the body is not a `Body` or the position is not three finite numbers.
    """

    body: Body
    position: ArrayLike

    def __post_init__(self) -> None:
        """Check the fields and store the position as float64."""
        _check.instance("station", "body", self.body, Body, "a Body")
        owner = f"station on body {self.body.name!r}"
        _check.store(self, position=_check.array(owner, "position", self.position, (3,), "m"))


def shapes_of(body: Body) -> tuple[Shape, ...]:
    """Shapes of a body, a tuple since the body was made."""
    shapes: Any = body.shapes
    return shapes


def visuals_of(body: Body) -> tuple[Mesh, ...]:
    """What is only drawn of a body, a tuple since the body was made."""
    visuals: Any = body.visuals
    return visuals


def _check_inertia(owner: str, value: Any, strict: bool) -> np.ndarray:
    """Read-only inertia matrix (3, 3) [kg m^2], strictly one that some rigid body can have."""
    shape = np.shape(value) if isinstance(value, np.ndarray) else np.shape(_as_objects(value))
    if shape == (3,):
        matrix = np.diag(_check.array(owner, "inertia", value, (3,), "kg m^2"))
    elif shape == (3, 3):
        matrix = _check.array(owner, "inertia", value, (3, 3), "kg m^2")
    else:
        _check.refuse(owner, "inertia", value, "be finite numbers of shape (3,) or (3, 3)")
    if np.abs(matrix - matrix.T).max() > ROUNDOFF * np.abs(matrix).max():
        _check.refuse(owner, "inertia", matrix, "be symmetric", unit="kg m^2")
    matrix = 0.5 * (matrix + matrix.T)
    matrix.flags.writeable = False
    if not strict or not matrix.any():
        return matrix
    moments = np.linalg.eigvalsh(matrix)
    if moments[0] <= 1e-12 * moments[2]:
        _check.refuse(
            owner,
            "inertia with principal moments",
            moments,
            "be positive definite",
            unit="kg m^2",
            remedy="a thin rod too has a small moment about its own axis",
        )
    if moments[2] > (moments[0] + moments[1]) * (1.0 + ROUNDOFF):
        _check.refuse(
            owner,
            "inertia with principal moments",
            moments,
            "satisfy the triangle inequality: none above the sum of the other two",
            unit="kg m^2",
            remedy="give the moments about the center of mass",
        )
    return matrix


def _as_objects(value: Any) -> Any:
    try:
        return np.array(value, dtype=object)
    except Exception:  # rows of different lengths, or objects that fail when they are asked
        return None


def _check_shapes(owner: str, field: str, value: Any, kinds: Any) -> tuple[Any, ...]:
    """Tuple of one shape or of a sequence of shapes."""
    if isinstance(value, kinds):
        return (value,)
    what = "a Mesh" if kinds is Mesh else "a Capsule, an InfiniteCylinder, a Mesh"
    shapes = _check.instance(owner, field, value, (tuple, list), f"{what} or a sequence of them")
    what = "a Mesh" if kinds is Mesh else "a Capsule, an InfiniteCylinder or a Mesh"
    for i, shape in enumerate(shapes):
        _check.instance(owner, f"{field}[{i}]", shape, kinds, what)
    return tuple(shapes)

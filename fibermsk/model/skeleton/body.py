"""Rigid bodies: mass, the shapes that fibers touch, and points to attach fibers to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._numbers import POSITIVE, checked, direction, number
from fibermsk._shown import Described, array
from fibermsk.model.skeleton.mesh import Mesh

ROUNDOFF = 1e-9
"""Relative tolerance of the symmetry and the triangle inequality of an inertia."""


@dataclass(frozen=True, eq=False, repr=False)
class Capsule(Described):
    """A cylinder with hemispherical ends; a sphere where both ends coincide.

    Parameters
    ----------
    start, end : (3,) array_like
        Ends of the axis, body frame [m].
    radius : float
        Radius [m]; positive.
    """

    start: ArrayLike = number("m", shape=(3,))
    end: ArrayLike = number("m", shape=(3,))
    radius: float = number("m", POSITIVE)

    def __post_init__(self) -> None:
        _check.store(self, **checked(self, "capsule"))


@dataclass(frozen=True, eq=False, repr=False)
class InfiniteCylinder(Described):
    """A circular cylinder of infinite length.

    Parameters
    ----------
    point : (3,) array_like
        A point on the axis, body frame [m].
    axis : (3,) array_like
        Direction of the axis, body frame; stored with length one.
    radius : float
        Radius [m]; positive.
    """

    point: ArrayLike = number("m", shape=(3,))
    axis: ArrayLike = direction()
    radius: float = number("m", POSITIVE)

    def __post_init__(self) -> None:
        _check.store(self, **checked(self, "infinite cylinder"))


Shape = Capsule | InfiniteCylinder | Mesh
"""Shapes for contact with fibers."""


def _has_no_mass(body: Body) -> str:
    return "the body has no mass" if body.mass is None else ""


@dataclass(frozen=True, eq=False, repr=False)
class Body(Described):
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
        Principal moments of inertia, or the full matrix, about the center of mass in body axes [kg
        m^2]; stored as (3, 3). Symmetric and positive definite, no principal moment above the sum
        of the other two; zero for a point mass. May be left out for a body that never moves.
    shapes : Capsule, InfiniteCylinder, Mesh or a sequence of them
        Surfaces for `Contact` of fibers with this body; stored as a tuple.
    visuals : Mesh or a sequence of them
        Meshes that are drawn and have no contact; stored as a tuple. The shapes if left out.
    strict : bool
        Whether to refuse an inertia that is physically impossible. Importers accept it with a
        warning, since published models contain such values.
    """

    name: str
    mass: float | None = number("kg", POSITIVE, default=None)
    com: ArrayLike = number("m", shape=(3,), unless=_has_no_mass, default=(0.0, 0.0, 0.0))
    inertia: ArrayLike | None = number("kg m^2", shape=(3, 3), by_item=True, default=None)
    shapes: Shape | tuple[Shape, ...] = field(default=())
    visuals: Mesh | tuple[Mesh, ...] = field(default=())
    strict: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        owner = f"body {_check.item_name('body', self.name)!r}"
        strict = _check.flag(owner, "strict", self.strict)
        numbers = checked(self, owner)
        inertia = None if self.inertia is None else _check_inertia(owner, self.inertia, strict)
        if self.mass is None and inertia is not None:
            _check.refuse(owner, "mass", None, "be positive for a body with inertia")
        _check.store(
            self,
            **numbers,
            inertia=inertia,
            strict=strict,
            shapes=_check_shapes(owner, "shapes", self.shapes, Shape),
            visuals=_check_shapes(owner, "visuals", self.visuals, Mesh),
        )

    def at(self, *position: Any) -> Station:
        """Point in the body frame [m], written `body.at(x, y, z)` or `body.at((x, y, z))`."""
        return Station(self, position[0] if len(position) == 1 else position)


@dataclass(frozen=True, eq=False, repr=False)
class Station(Described):
    """A point fixed to a body.

    Parameters
    ----------
    body : Body
        Body to which it is fixed.
    position : (3,) array_like
        Position, body frame [m].
    """

    body: Body
    position: ArrayLike = number("m", shape=(3,), path="")

    def __repr__(self) -> str:
        return f"Station({self.body.name!r}, {array(np.asarray(self.position))} m)"

    def __post_init__(self) -> None:
        _check.instance("station", "body", self.body, Body, "a Body")
        owner = f"station on body {self.body.name!r}"
        _check.store(self, **checked(self, owner))


def shapes_of(body: Body) -> tuple[Shape, ...]:
    """Shapes of a body as a tuple."""
    shapes: Any = body.shapes
    return shapes


def length_of(shape: Capsule) -> float:
    """Distance of the ends of its axis [m]."""
    return float(np.linalg.norm(np.subtract(shape.end, shape.start)))


def ends_of(shape: Capsule | InfiniteCylinder) -> np.ndarray:
    """Two points of the axis of a shape, body frame, (2, 3) [m]."""
    if isinstance(shape, Capsule):
        return np.array([shape.start, shape.end])
    return np.array([shape.point, np.asarray(shape.point) + np.asarray(shape.axis)])


def visuals_of(body: Body) -> tuple[Mesh, ...]:
    """Meshes of a body that are only drawn, as a tuple."""
    visuals: Any = body.visuals
    return visuals


def _check_inertia(owner: str, value: Any, strict: bool) -> np.ndarray:
    """Read-only inertia matrix (3, 3) [kg m^2]; if strict, one that a rigid body can have."""
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
    must = remedy = ""
    if moments[0] <= 1e-12 * moments[2]:
        must = "be positive definite"
        remedy = "even a thin rod has a small moment about its own axis"
    elif moments[2] > (moments[0] + moments[1]) * (1.0 + ROUNDOFF):
        must = "satisfy the triangle inequality: none above the sum of the other two"
        remedy = "give the moments about the center of mass"
    if must:
        field = "inertia with principal moments"
        _check.refuse(owner, field, moments, must, unit="kg m^2", remedy=remedy)
    return matrix


def _as_objects(value: Any) -> Any:
    try:
        return np.array(value, dtype=object)
    except Exception:  # rows of different lengths, or objects that raise on conversion
        return None


def _check_shapes(owner: str, field: str, value: Any, kinds: Any) -> tuple[Any, ...]:
    """Tuple of one shape or of a sequence of shapes."""
    value = (value,) if isinstance(value, kinds) else value
    what = "a Mesh" if kinds is Mesh else "a Capsule, an InfiniteCylinder or a Mesh"
    several = f"{what.replace(' or', ',')} or a sequence of them"
    return _check.items(owner, field, value, kinds, what, several)


def check_ends(owner: str, item: Any) -> None:
    """Refuse an item whose `first` and `second` are not points of two bodies."""
    for end in ("first", "second"):
        _check.instance(owner, end, getattr(item, end), Station, "a Station")
    if item.first.body is item.second.body:
        _check.refuse(owner, "second", item.second.body, "be on another body than the first")

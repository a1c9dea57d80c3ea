"""Contact of meshes on bodies with half-spaces, spheres and other meshes: elastic foundations.

Symbols: ``x`` spring in the middle of a face, ``c`` closest point of the other surface, ``d`` depth
|c - x|, ``v`` velocity of the other body relative to the mesh at c, ``n`` direction from x to c.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import NON_NEGATIVE, POSITIVE, checked, fixed, number
from fibermsk._shown import Described
from fibermsk.forces.contact.friction import rubbing
from fibermsk.forces.contact.surfaces import Ball, ClosedMesh, HalfSpace, Surface
from fibermsk.model import Body, Mesh, Station
from fibermsk.model.skeleton.joint import orientation
from fibermsk.model.skeleton.mesh import vertices_of
from fibermsk.results import Field
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums
from fibermsk.system.frames import BodyFrames, Loads, Numbers, Poses, norm

_WHOLE = "a surface changes as a whole: give the contact another Mesh"


@dataclass(frozen=True, eq=False, repr=False)
class MeshContact(Described):
    """Contact of a mesh with a half-space, a sphere or another mesh: an elastic foundation.

    A spring in the middle of each face of the mesh that is inside of the other surface, as in
    OpenSim's ElasticFoundationForce.

    Parameters
    ----------
    name : str
        Name, unique among the elements of the model.
    body : Body
        Body of the mesh.
    other : Station
        A point of the surface of the half-space, the center of the sphere, or the origin of the
        other mesh; on another body.
    mesh : Mesh
        The mesh with the springs, in the frame of its body.
    radius : float
        Radius of the sphere [m]; 0 for another surface.
    surface : Mesh, optional
        The other mesh, from `other` and in `axes`; watertight. It has no springs: another contact
        can add its own.
    axes : (3, 3) array_like
        Axes of the half-space or of the other mesh in their body, columns; a half-space fills the
        side of positive x.
    stiffness : float
        k, pressure over depth [N/m^3]; positive.
    dissipation : float
        c [s/m]; 0 or more.
    static_friction, dynamic_friction, viscous_friction : float
        Coefficients [-, -, s/m]; 0 or more.
    transition_velocity : float
        Speed of sliding at which friction is full [m/s]; positive.

    Raises
    ------
    ModelError
        If a field lies outside its range, or a surface is not watertight.

    Notes
    -----
    A face of area A in the depth d pushes with f = k A d (1 + c v.n), at least zero, from the
    middle of the face toward the closest point of the other surface, where it acts on both bodies.
    Friction: f (min(r, 1) (u_d + 2 (u_s - u_d) / (1 + r^2)) + u_v v) against the sliding, whose
    speed is v, with r = v over the transition velocity. Without dissipation and friction the forces
    have the energy k A d^2 / 2. Two meshes with springs of their own are two contacts, each with
    half its stiffness, as in OpenSim; a mesh that is wholly inside of another one is pushed out
    here, and has no contact in OpenSim.

    Examples
    --------
    >>> import fibermsk as fm
    >>> box = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]
    >>> sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    >>> faces = [f for a, b, c, d in sides for f in ((a, b, c), (a, c, d))]
    >>> model = fm.Model("box")
    >>> body = model.add(fm.Body("box", 1.0, (0, 0, 0), (1e-2, 1e-2, 1e-2)))
    >>> fall = model.add(fm.Free("fall", model.ground, body, position=(0, 0, 0.2)))
    >>> down = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]  # the half-space fills what is below
    >>> floor = fm.MeshContact(
    ...     "floor", body, model.ground.at((0, 0, 0)), mesh=fm.Mesh(box, faces), axes=down,
    ...     stiffness=1e6, dissipation=0.5, static_friction=0.8, dynamic_friction=0.6,
    ... )
    >>> model.add(floor).stiffness
    1000000.0
    """

    name: str
    body: Body
    other: Station
    _: KW_ONLY
    mesh: Mesh = fixed(_WHOLE)
    radius: float = number("m", NON_NEGATIVE, default=0.0)
    surface: Mesh | None = fixed(_WHOLE, default=None)
    axes: ArrayLike = orientation()
    stiffness: float = number("N/m^3", POSITIVE)
    dissipation: float = number("s/m", NON_NEGATIVE, default=0.0)
    static_friction: float = number("", NON_NEGATIVE, default=0.0)
    dynamic_friction: float = number("", NON_NEGATIVE, default=0.0)
    viscous_friction: float = number("s/m", NON_NEGATIVE, default=0.0)
    transition_velocity: float = number("m/s", POSITIVE, default=0.01)

    coordinates = signals = ()

    def __post_init__(self) -> None:
        owner = f"mesh contact {_check.item_name('mesh contact', self.name)!r}"
        _check.instance(owner, "body", self.body, Body, "a Body")
        _check.instance(owner, "mesh", self.mesh, Mesh, "a Mesh")
        _check.instance(owner, "other", self.other, Station, "a Station")
        if self.body is self.other.body:
            _check.refuse(owner, "other", self.other.body, "be on another body than the mesh")
        _check.store(self, **checked(self, owner))
        if self.surface is None:
            return
        _check.instance(owner, "surface", self.surface, Mesh, "a Mesh")
        if self.radius:
            _check.refuse(owner, "radius", self.radius, "be left out with another mesh", unit="m")
        if not self.surface.report.watertight:
            open_edges = self.surface.report.open_edges
            must, remedy = "be watertight, to have an inside", "close it in a program for meshes"
            _check.refuse(owner, "surface", f"{open_edges} open edges", must, remedy=remedy)

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Bodies of the mesh and of the other surface."""
        return self.body, self.other.body

    def contribute(self, configuration: Configuration) -> _Foundation:
        """Create the contribution."""
        return _Foundation(self, configuration)


class _Springs(NamedTuple):
    """Springs that touch at one pose, real numbers."""

    local: Array  # (m, 3) in the body of the mesh
    area: Array  # (m,)
    x: Array  # (m, 3) in the frame of the other surface
    c: Array  # (m, 3) closest points there
    P: Array  # (m, 3, 3) derivatives of these in x


class _Foundation:
    """Contribution of a contact."""

    reports = (
        Field("depth", "m", "depth of contact", "of the deepest spring; 0 apart"),
        Field("area", "m^2", "area of contact", "of the faces whose springs touch"),
        Field("force", "N", "contact force", "force on the body of the mesh, in ground", (3,)),
    )

    def __init__(self, contact: MeshContact, configuration: Configuration) -> None:
        self._contact = contact
        vertices, faces = vertices_of(contact.mesh)
        corners = vertices[faces]
        self._local = corners.mean(axis=1)
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        self._area = 0.5 * np.linalg.norm(normal, axis=1)
        self._surface: Surface = HalfSpace()
        if contact.radius:
            self._surface = Ball(contact.radius)
        elif contact.surface is not None:
            self._surface = ClosedMesh(contact.surface)
        ends = contact.body.at((0.0, 0.0, 0.0)), contact.other
        axes = np.array([np.eye(3), np.asarray(contact.axes)])
        self._port = BodyFrames(configuration, ends, axes)

    def _touching(self, poses: Poses) -> _Springs:
        """Springs inside of the other surface, at the first of some poses."""
        x, R = (one[(0,) * (one.ndim - k)].real for one, k in ((poses.x, 2), (poses.R, 3)))
        seen = (self._local @ R[0].T + x[0] - x[1]) @ R[1]
        index, c, P = self._surface.closest(seen)
        return _Springs(self._local[index], self._area[index], seen[index], c, P)

    def _ways(self, poses: Poses, springs: _Springs) -> tuple[Numbers, Numbers]:
        """Closest points (..., m, 3) in ground, and the ways to them from the springs."""
        (x1, x2), (R1, R2) = (_each(one, k) for one, k in ((poses.x, 2), (poses.R, 3)))
        spring = springs.local @ np.swapaxes(R1, -1, -2) + x1[..., None, :]
        seen = (spring - x2[..., None, :]) @ R2
        # exact to first order: complex steps ask for no more
        moved = springs.c + np.einsum("nij,...nj->...ni", springs.P, seen - springs.x)
        c = moved @ np.swapaxes(R2, -1, -2) + x2[..., None, :]
        return c, c - spring

    def _loads(self, poses: Poses) -> Loads:
        """Loads on both bodies."""
        own, springs = self._contact, self._touching(poses)
        if not springs.area.size:
            return Loads(np.zeros_like(poses.x), np.zeros_like(poses.x))
        c, way = self._ways(poses, springs)
        d = norm(way)
        n = way / d[..., None]
        arms = [c - x[..., None, :] for x in _each(poses.x, 2)]
        v1, v2 = (
            v[..., None, :] + np.cross(w[..., None, :], arm)
            for v, w, arm in zip(_each(poses.v, 2), _each(poses.w, 2), arms, strict=True)
        )
        v = v2 - v1
        out = np.sum(v * n, axis=-1)
        slide = v - out[..., None] * n
        f = own.stiffness * springs.area * d * (1.0 + own.dissipation * out)
        f = np.where(f.real > 0.0, f, 0.0)
        each = f[..., None] * (n + rubbing(own, slide)[..., None] * slide)
        force = each.sum(axis=-2)
        turns = [np.cross(arm, each).sum(axis=-2) for arm in arms]
        return Loads(np.stack([force, -force], axis=-2), np.stack([turns[0], -turns[1]], axis=-2))

    def add(self, at: At, sums: Sums) -> None:
        """Add the forces and their derivatives."""
        moved = self._port.moved(at)
        if self._touching(moved.poses).area.size:
            self._port.load(at, moved, sums, self._loads)

    def _depths(self, poses: Poses) -> tuple[Array, Array]:
        """Depths of the springs that touch, and their areas."""
        springs = self._touching(poses)
        return norm(self._ways(poses, springs)[1]), springs.area

    def energy(self, at: At) -> dict[str, float]:
        """Energy of the springs [J]."""
        d, area = self._depths(self._port.moved(at).poses)
        return {"contact": float(0.5 * self._contact.stiffness * np.sum(area * d * d))}

    def fields(self, at: At) -> dict[str, Any]:
        """Largest depth, area, and force on the body of the mesh."""
        poses = self._port.moved(at).poses
        d, area = self._depths(poses)
        depth, force = float(d.max(initial=0.0)), self._loads(poses).force[0]
        return {"depth": depth, "area": float(area.sum()), "force": force}

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Surfaces and numbers."""
        own, port = self._contact, self._port
        numbers = [own.radius, own.stiffness, own.dissipation, own.static_friction]
        numbers += [own.dynamic_friction, own.viscous_friction, own.transition_velocity]
        meshes = [self._local, self._area]
        if own.surface is not None:
            meshes += vertices_of(own.surface)
        where = [port.link, port.local, port.axes]
        return {"the mesh contacts": [own.name, *where, numbers, *meshes]}


def _each(values: Numbers, rank: int) -> tuple[Numbers, Numbers]:
    """Values of the two frames, each of rank - 1 dimensions."""
    axis = values.ndim - rank
    return np.take(values, 0, axis=axis), np.take(values, 1, axis=axis)

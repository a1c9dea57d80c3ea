"""Triangle meshes of bones, with checks and repairs."""

from __future__ import annotations

from copy import copy
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import POSITIVE, fixed, number
from fibermsk._shown import Described
from fibermsk.model.skeleton.topology import Topology, enclosed_volume, orient

# A triangle whose height is below this part of its longest side has no direction.
_FLAT = 1e-9

# Plausible sizes of bones [m].
_SMALLEST, _LARGEST = 1e-3, 3.0

# 2 V / A below this part of the largest extent: (almost) no enclosed volume.
_THIN = 1e-3

_SURFACE = "a surface changes as a whole: give the body another Mesh"


@dataclass(frozen=True, eq=False)
class MeshReport:
    """Properties of a mesh and its repairs.

    Attributes
    ----------
    vertices, faces : int
        Numbers of vertices and triangles.
    watertight : bool
        Whether every edge joins exactly two triangles with consistent orientation.
    open_edges, crowded_edges : int
        Edges with a single triangle and with more than two.
    components : int
        Parts that share no vertex.
    dropped : int
        Degenerate or duplicate triangles that were removed.
    turned : int
        Triangles that were flipped, so that all normals point outward.
    volume, area : float
        Enclosed volume [m^3], with the holes of an open mesh closed, and surface area [m^2].
    extents : (3,) float array
        Edge lengths of the bounding box [m].
    """

    vertices: int
    faces: int
    watertight: bool
    open_edges: int
    crowded_edges: int
    components: int
    dropped: int
    turned: int
    volume: float
    area: float
    extents: Array

    @property
    def scale_remark(self) -> str:
        """Remark on a size that is implausible for a bone, or an empty text."""
        largest = float(self.extents.max())
        if largest > _LARGEST:
            return f"its extent is {largest:.3g} m: is it given in millimeters? Use scale=1e-3"
        return f"its extent is {largest:.3g} m: is its scale right?" if largest < _SMALLEST else ""

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks for the user; empty for a sound mesh of the size of a bone."""
        found = [self.scale_remark] if self.scale_remark else []
        if not self.watertight:
            found.append(
                f"it is not closed: {self.open_edges} open edges and {self.crowded_edges} of more "
                "than two triangles; its inside is where the winding number is above one half"
            )
        if self.turned:
            found.append(f"{self.turned} of its triangles pointed inward and were flipped")
        if self.dropped:
            found.append(f"{self.dropped} degenerate or duplicate triangles were removed")
        return tuple(found)

    def __str__(self) -> str:
        x, y, z = self.extents
        lines = [
            f"{self.vertices} vertices, {self.faces} triangles in {self.components} parts, "
            + ("watertight" if self.watertight else "not watertight"),
            f"extents {x:.4g} x {y:.4g} x {z:.4g} m, volume {self.volume:.4g} m^3, "
            f"surface {self.area:.4g} m^2",
        ]
        return "\n".join([*lines, *self.remarks])


@dataclass(frozen=True, eq=False, repr=False)
class Mesh(Described):
    """A triangle mesh: a surface for contact of a `Body`, or a visual.

    Contact uses a smooth signed distance to it, interpolated on a grid, so that its cost does not
    depend on the number of triangles. Open meshes are closed where the winding number is one half.

    Parameters
    ----------
    vertices : (n, 3) array_like
        Vertices, body frame [m].
    faces : (m, 3) array_like of int
        Vertex indices of the triangles. Degenerate and duplicate triangles and unused vertices are
        removed; orientations are made consistent and outward.
    name : str
        Name in messages, such as that of the file.
    radius : float, optional
        Reference radius R of the bone in the gap g = (phi + R)/(r + R) - 1 of a fiber of radius r
        at a signed distance phi [m]; positive. By default 2 V/A, the radius of a long cylinder of
        the mesh's volume and surface.
    spacing : float, optional
        Grid spacing [m]; positive. By default three quarters of an edge, within bounds.

    Attributes
    ----------
    report : MeshReport
        Properties and repairs.

    Raises
    ------
    ModelError
        If a number is not finite, an index is out of range, no triangle is left, or the volume is
        so small that `radius` must be given.
    """

    vertices: ArrayLike = fixed(_SURFACE)
    faces: ArrayLike = fixed(_SURFACE)
    _: KW_ONLY
    name: str = ""
    radius: float | None = number("m", POSITIVE, by_item=True, default=None)
    spacing: float | None = fixed("it is a discretization", default=None)
    report: MeshReport = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            _check.refuse("mesh", "name", self.name, "be a text")
        owner = f"mesh {self.name!r}" if self.name else "mesh"
        vertices = _check.array(owner, "vertices", self.vertices, ("n", 3), "m")
        faces, dropped = _clean(owner, vertices, _check_faces(owner, self.faces, len(vertices)))
        used, index = np.unique(faces, return_inverse=True)
        vertices, faces = vertices[used], index.reshape(-1, 3).astype(np.int64)
        faces, turned = orient(vertices, faces)
        report = _report(vertices, faces, dropped, turned)
        radius, spacing = self.radius, self.spacing
        if radius is None:
            radius = 2.0 * report.volume / report.area
            if not radius > _THIN * report.extents.max():
                _check.refuse(
                    owner, "volume", report.volume, "be that of a solid", unit="m^3",
                    remedy="give the reference radius of the contact law, radius=...",
                )  # fmt: skip
        radius = _check.positive(owner, "radius", radius, "m")
        if spacing is not None:
            spacing = _check.positive(owner, "spacing", spacing, "m")
        for array in (vertices, faces):
            array.flags.writeable = False
        _check.store(
            self, vertices=vertices, faces=faces, radius=radius, spacing=spacing, report=report
        )

    def revised(self, *, radius: float) -> Mesh:
        """Copy with another reference radius [m]; positive."""
        mesh = copy(self)
        _check.store(mesh, radius=_check.positive(f"mesh {self.name!r}", "radius", radius, "m"))
        return mesh

    def placed(
        self, rotation: ArrayLike, position: ArrayLike, scale: ArrayLike = (1.0, 1.0, 1.0)
    ) -> Mesh:
        """Transformed copy: vertices r become rotation @ (scale * r) + position.

        Parameters
        ----------
        rotation : (3, 3) array_like
            A rotation.
        position : (3,) array_like
            [m].
        scale : (3,) array_like
            Factors of the three axes before the rotation; not zero. The reference radius and the
            spacing of the grid grow with their geometric mean.

        Raises
        ------
        ModelError
            If the matrix is not a rotation, or a factor is zero.
        """
        owner = f"mesh {self.name!r}: placed"
        R = _check.array(owner, "rotation", rotation, (3, 3))
        p = _check.array(owner, "position", position, (3,), "m")
        s = _check.array(owner, "scale", scale, (3,))
        if np.abs(R @ R.T - np.eye(3)).max() > 1e-6 or np.linalg.det(R) < 0.0:
            _check.refuse(owner, "rotation", R, "be a rotation matrix")
        if np.any(s == 0.0):
            _check.refuse(owner, "scale", s, "have no factor of zero")
        size = float(np.abs(np.prod(s)) ** (1.0 / 3.0))
        faces = vertices_of(self)[1]
        faces = faces if np.prod(s) > 0.0 else faces[:, ::-1]
        return Mesh(
            vertices_of(self)[0] * s @ R.T + p,
            faces,
            name=self.name,
            radius=None if self.radius is None else self.radius * size,
            spacing=None if self.spacing is None else self.spacing * size,
        )


def vertices_of(mesh: Mesh) -> tuple[Array, NDArray[np.int64]]:
    """Vertices and faces of a mesh as arrays."""
    vertices: Any = mesh.vertices
    faces: Any = mesh.faces
    return vertices, faces


def _check_faces(owner: str, value: Any, n: int) -> NDArray[np.int64]:
    """Faces (m, 3) of whole numbers below n."""
    faces = _check.array(owner, "faces", value, ("m", 3))
    if faces.shape[0] == 0:
        _check.refuse(owner, "faces", "none", "have at least one triangle")
    whole = faces == np.floor(faces)
    if not whole.all():
        _check.refuse(owner, "faces", faces[~whole][0], "be vertex indices, whole numbers")
    bad = np.flatnonzero(((faces < 0) | (faces >= n)).any(axis=1))
    if bad.size:
        _check.refuse(
            owner, f"faces[{bad[0]}]", faces[bad[0]],
            f"be indices of the {n} vertices, 0 to {n - 1}",
        )  # fmt: skip
    return faces.astype(np.int64)


def _clean(owner: str, vertices: Array, faces: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Triangles without degenerate ones and duplicates, and the number dropped."""
    corners = vertices[faces]
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    twice = np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    keep = twice > _FLAT * sides**2
    _, first = np.unique(np.sort(faces, axis=1), axis=0, return_index=True)
    once = np.zeros(len(faces), bool)
    once[first] = True
    keep &= once
    if not keep.any():
        _check.refuse(
            owner, "faces", f"{len(faces)} triangles without area", "have one with nonzero area",
            remedy="check the scale, and that the vertices are not all on one line",
        )  # fmt: skip
    return faces[keep], int((~keep).sum())


def _report(vertices: Array, faces: NDArray[np.int64], dropped: int, turned: int) -> MeshReport:
    corners = vertices[faces]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    topology = Topology.of(faces)
    return MeshReport(
        vertices=len(vertices),
        faces=len(faces),
        watertight=topology.watertight,
        open_edges=topology.n_open,
        crowded_edges=topology.n_crowded,
        components=int(topology.component.max()) + 1,
        dropped=dropped,
        turned=turned,
        volume=enclosed_volume(vertices, faces),
        area=float(0.5 * np.linalg.norm(normal, axis=1).sum()),
        extents=np.ptp(vertices, axis=0),
    )

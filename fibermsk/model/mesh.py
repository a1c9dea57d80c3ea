"""Triangle meshes of bones: what a file held, checked, and what was repaired."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fibermsk import _check
from fibermsk.model.topology import Topology, enclosed_volume, orient

__all__ = ["Mesh", "MeshReport"]

Array = NDArray[np.float64]

# A triangle whose height is below this part of its longest side has no direction.
_FLAT = 1e-9

# Bones are within these sizes [m]; everything else deserves a remark.
_SMALLEST, _LARGEST = 1e-3, 3.0

# 2 V / A below this part of the largest extent: no solid, or hardly one.
_THIN = 1e-3


@dataclass(frozen=True)
class MeshReport:
    """What a mesh is, and what was repaired of it.

    Attributes
    ----------
    vertices, faces : int
        Numbers of vertices and triangles.
    watertight : bool
        Whether every edge joins exactly two triangles that are oriented alike.
    open_edges, crowded_edges : int
        Edges of a single triangle, and of more than two.
    components : int
        Parts that share no vertex.
    dropped : int
        Triangles without area, or given twice, that were left out.
    turned : int
        Triangles that were turned around, so that all look outwards.
    volume, area : float
        Enclosed volume [m^3], with lids on the holes of an open mesh, and surface [m^2].
    extents : (3,) float array
        Lengths of the box around it [m].
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
        """What is odd about the size for a bone, in words; empty if nothing is."""
        largest = float(self.extents.max())
        if largest > _LARGEST:
            return f"its extent is {largest:.3g} m: is it given in millimeters? Use scale=1e-3"
        return f"its extent is {largest:.3g} m: is its scale right?" if largest < _SMALLEST else ""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a user should know, in words; empty for a sound mesh of the size of a bone."""
        found = [self.scale_remark] if self.scale_remark else []
        if not self.watertight:
            found.append(
                f"it is not closed: {self.open_edges} open edges and {self.crowded_edges} of more "
                "than two triangles; inside is where its winding number is above one half"
            )
        if self.turned:
            found.append(f"{self.turned} of its triangles looked inwards and were turned")
        if self.dropped:
            found.append(f"{self.dropped} triangles without area or given twice were left out")
        return tuple(found)

    def __str__(self) -> str:
        """Some lines of text."""
        x, y, z = self.extents
        lines = [
            f"{self.vertices} vertices, {self.faces} triangles in {self.components} parts, "
            + ("watertight" if self.watertight else "not watertight"),
            f"extents {x:.4g} x {y:.4g} x {z:.4g} m, volume {self.volume:.4g} m^3, "
            f"surface {self.area:.4g} m^2",
        ]
        return "\n".join([*lines, *self.remarks])


@dataclass(frozen=True, eq=False)
class Mesh:
    """A surface of triangles that fibers slide over, a shape of a `Body`, or what is drawn of it.

    Contact takes a smooth signed distance to it, interpolated on a grid, so that its cost does not
    depend on the number of triangles. Open meshes are closed where their winding number passes one
    half.

    Parameters
    ----------
    vertices : (n, 3) array_like
        Vertices, body frame [m].
    faces : (m, 3) array_like of int
        Vertex indices of the triangles. Triangles without area or given twice are left out,
        vertices without triangles as well; orientations are made consistent and turned outwards.
    name : str
        Of messages; a file's name.
    radius : float, optional
        Reference radius R of the bone in the gap g = (phi + R)/(r + R) - 1 of a fiber of radius r
        at a signed distance phi [m]; positive. By default 2 V/A, the radius of a long cylinder of
        the mesh's volume and surface.
    spacing : float, optional
        Of the grid [m]; positive. By default three quarters of an edge, within bounds.

    Attributes
    ----------
    report : MeshReport
        What was found and repaired.

    Raises
    ------
    ModelError
        If a number is not finite, an index is out of range, nothing is left, or the volume is so
        small that `radius` must be given.
    """

    vertices: ArrayLike
    faces: ArrayLike
    name: str = field(default="", kw_only=True)
    radius: float | None = field(default=None, kw_only=True)
    spacing: float | None = field(default=None, kw_only=True)
    report: MeshReport = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check the numbers, repair orientations, and store arrays that are read-only."""
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

    def placed(
        self, rotation: ArrayLike, position: ArrayLike, scale: ArrayLike = (1.0, 1.0, 1.0)
    ) -> Mesh:
        """The same surface elsewhere: vertices r become rotation @ (scale * r) + position.

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
            If the matrix is no rotation, or a factor is zero.
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
    """Vertices and faces of a mesh, arrays since the mesh was made."""
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
    """Triangles with an area, each once, and how many were dropped."""
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
            owner, "faces", f"{len(faces)} triangles without area", "have one with an area",
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

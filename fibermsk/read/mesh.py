"""Bone meshes from files: STL, OBJ and PLY through trimesh, VTP through VTK."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from fibermsk.errors import ModelError, ModelWarning
from fibermsk.laws import _check
from fibermsk.model import Mesh

__all__ = ["read_mesh"]

Triangles = tuple[NDArray[np.float64], NDArray[np.int64]]

# Corners closer than this part of the largest extent are one vertex: files in single precision.
_SAME = 1e-7


def read_mesh(
    path: str | PathLike[str],
    *,
    scale: float = 1.0,
    name: str | None = None,
    radius: float | None = None,
    spacing: float | None = None,
) -> Mesh:
    """Mesh of a file.

    Parameters
    ----------
    path : str or path
        An .stl (text or binary), .obj, .ply or .vtp file. Polygons are cut into triangles, and
        all parts of a file make one mesh.
    scale : float
        What the file's numbers are multiplied by, 1e-3 for millimeters; positive.
    name : str, optional
        Name of the mesh; by default that of the file without its ending.
    radius, spacing : float, optional
        See `Mesh`; after scaling [m].

    Returns
    -------
    mesh : Mesh
        With merged vertices and triangles that look outwards; its `report` says what was found.
        A `ModelWarning` says if its size is not that of a bone.

    Raises
    ------
    ModelError
        If there is no such file, it cannot be read, it holds no triangles, or the mesh is refused
        by `Mesh`.

    Examples
    --------
    >>> import fibermsk as fm
    >>> humerus = fm.read_mesh("humerus.stl", scale=1e-3)  # doctest: +SKIP
    >>> print(humerus.report)  # doctest: +SKIP
    """
    try:
        file = Path(path)
    except TypeError:
        _check.refuse("read_mesh", "path", path, "be a text or a path")
    owner = f"mesh file {str(file)!r}"
    scale = _check.positive(owner, "scale", scale)
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        known = ", ".join(sorted(_READERS))
        _check.refuse(
            owner, "ending", file.suffix or "none", f"be one of {known}",
            remedy="convert the file, for example with meshio or ParaView",
        )  # fmt: skip
    if not file.is_file():
        raise ModelError(f"{owner}: not found; check the path, from {str(Path.cwd())!r}")
    if file.stat().st_size == 0:
        raise ModelError(f"{owner}: is empty; export or download it again")
    vertices, faces = _merge(owner, *reader(owner, file))
    mesh = Mesh(
        scale * vertices, faces, name=file.stem if name is None else name, radius=radius,
        spacing=spacing,
    )  # fmt: skip
    if mesh.report.scale_remark:
        warnings.warn(f"{owner}: {mesh.report.scale_remark}", ModelWarning, stacklevel=2)
    return mesh


def _merge(owner: str, vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> Triangles:
    """Vertices that are one point made one."""
    if len(faces) == 0 or len(vertices) == 0:
        raise ModelError(
            f"{owner}: holds no triangles; export the surface of the bone, not its points or lines"
        )
    if not np.isfinite(vertices).all():
        raise ModelError(f"{owner}: holds coordinates that are not finite; export it again")
    if faces.min() < 0 or faces.max() >= len(vertices):
        raise ModelError(
            f"{owner}: has triangles of vertices that it does not hold; export it again"
        )
    size = float(np.ptp(vertices, axis=0).max())
    grid = np.round((vertices - vertices.min(axis=0)) / (_SAME * size)) if size > 0.0 else vertices
    _, first, index = np.unique(grid, axis=0, return_index=True, return_inverse=True)
    return vertices[first], index.reshape(-1)[faces]


def _by_trimesh(owner: str, file: Path) -> Triangles:
    """Triangles of all parts of a file."""
    try:
        import trimesh  # pyright: ignore[reportMissingImports]

        found = trimesh.load_scene(file, process=False).dump()
        parts = [part for part in found if isinstance(part, trimesh.Trimesh)]
    except Exception as error:  # trimesh has no errors of its own
        _unreadable(owner, error)
    begin = np.cumsum([0, *(len(part.vertices) for part in parts)])
    if not parts:
        return np.empty((0, 3)), np.empty((0, 3), np.int64)
    return (
        np.concatenate([np.asarray(part.vertices, float) for part in parts]),
        np.concatenate(
            [np.asarray(part.faces, np.int64) + n for part, n in zip(parts, begin, strict=False)]
        ),
    )


def _by_vtk(owner: str, file: Path) -> Triangles:
    """Triangles of all polygons and strips of a VTP file."""
    import pyvista

    try:
        with pyvista.VtkErrorCatcher(raise_errors=True):
            surface = pyvista.PolyData(str(file)).triangulate()
    except Exception as error:
        _unreadable(owner, error)
    faces = np.asarray(surface.faces).reshape(-1, 4)[:, 1:]
    return np.array(surface.points, float).reshape(-1, 3), faces.astype(np.int64)


def _unreadable(owner: str, error: Exception) -> NoReturn:
    """Refuse a file that its reader does not understand."""
    text = " ".join(str(error).split())
    text = text if len(text) <= 160 else f"{text[:157]}..."
    raise ModelError(
        f"{owner}: cannot be read as such: {text or type(error).__name__}; check that its ending "
        "is that of its format, and export it again"
    ) from error


_READERS: dict[str, Callable[[str, Path], Triangles]] = {
    ".stl": _by_trimesh,
    ".obj": _by_trimesh,
    ".ply": _by_trimesh,
    ".vtp": _by_vtk,
}

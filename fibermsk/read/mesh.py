"""Bone meshes from files: OBJ, PLY and text VTP here, STL by trimesh, other VTP by VTK."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from fibermsk import _check
from fibermsk._extras import package
from fibermsk._warn import warn
from fibermsk.errors import ModelError, ModelWarning
from fibermsk.files import path_of
from fibermsk.model import Mesh
from fibermsk.read.obj import read_obj
from fibermsk.read.ply import read_ply
from fibermsk.read.polygons import Polygons, fans, strips
from fibermsk.read.xml_tree import Element, read_xml

Triangles = tuple[NDArray[np.float64], NDArray[np.int64]]
Doubted = tuple[NDArray[np.float64], NDArray[np.int64], str]
"""Triangles, and a reason why their file may be truncated although it is consistent."""

# Vertices closer than this fraction of the largest extent are merged: single precision.
_SAME = 1e-7

_MAX_TEXT = 256 * 2**20
"""Largest size of a text VTP file in bytes."""

_PACKED = 100
"""Largest number of points, cells or values per byte of a compressed file."""

_MAX_COMPONENTS = 1024
"""Largest number of components per point or cell; VTK allocates them before reading."""


def read_mesh(
    path: str | PathLike[str],
    *,
    scale: float = 1.0,
    name: str | None = None,
    radius: float | None = None,
    spacing: float | None = None,
    quads: str = "shorter",
) -> Mesh:
    """Read a mesh from a file.

    Parameters
    ----------
    path : str or path
        An .stl (text or binary), .obj, .ply or .vtp file. Polygons are triangulated, and all parts
        of a file form one mesh.
    scale : float
        Scale factor of the coordinates, 1e-3 for millimeters; positive.
    name : str, optional
        Name of the mesh; by default that of the file without its extension.
    radius, spacing : float, optional
        See `Mesh`; after scaling [m].
    quads : {"shorter", "first"}
        Diagonal that divides a polygon of four sides: the shorter one, or that of its first corner,
        as OpenSim divides contact meshes. Files read by VTK are divided by VTK.

    Returns
    -------
    mesh : Mesh
        Mesh with merged vertices and outward triangles; its `report` lists the repairs. A
        `ModelWarning` is issued for a size implausible for a bone, and for an open surface that may
        come from a truncated file.

    Raises
    ------
    ModelError
        If the file does not exist, cannot be read, has more or less data than declared, has no
        triangles, or `Mesh` refuses it.

    Examples
    --------
    >>> import fibermsk as fm
    >>> humerus = fm.read_mesh("humerus.stl", scale=1e-3)  # doctest: +SKIP
    >>> print(humerus.report)  # doctest: +SKIP
    """
    file = path_of(path, "read_mesh: path")
    owner = f"mesh file {str(file)!r}"
    scale = _check.positive(owner, "scale", scale)
    quads = _check.choice(owner, "quads", quads, ("shorter", "first"))
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        known = ", ".join(sorted(_READERS))
        _check.refuse(
            owner, "extension", file.suffix or "none", f"be one of {known}",
            remedy="convert the file, for example with meshio or ParaView",
        )  # fmt: skip
    if not file.is_file():
        raise ModelError(f"{owner}: not found; check the path, from {str(Path.cwd())!r}")
    if file.stat().st_size == 0:
        raise ModelError(f"{owner}: is empty; export or download it again")
    given, triangles, *doubt = reader(owner, file, quads == "shorter")
    vertices, faces = _merge(owner, given, triangles)
    mesh = Mesh(
        scale * vertices, faces, name=file.stem if name is None else name, radius=radius,
        spacing=spacing,
    )  # fmt: skip
    if mesh.report.scale_remark:
        text = f"{owner}: {mesh.report.scale_remark}"
        warn(ModelWarning(text, kind="plausibility"))
    unused = len(given) - len(np.unique(triangles))
    if any(doubt) and (unused or not mesh.report.watertight):
        warn(
            f"{owner}: the surface is open at {mesh.report.open_edges} edges, and {unused} of its "
            f"vertices are unused: is the file truncated? {doubt[0]}; compare it with the "
            f"original, which should have {len(triangles)} triangles",
            ModelWarning,
        )
    return mesh


def _merge(owner: str, vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> Triangles:
    """Merge coincident vertices."""
    if len(faces) == 0 or len(vertices) == 0:
        raise ModelError(
            f"{owner}: has no triangles; export the surface of the bone, not its points or lines"
        )
    if not np.isfinite(vertices).all():
        raise ModelError(f"{owner}: has coordinates that are not finite; export it again")
    if faces.min() < 0 or faces.max() >= len(vertices):
        raise ModelError(f"{owner}: has triangles with missing vertices; export it again")
    size = float(np.ptp(vertices, axis=0).max())
    grid = np.round((vertices - vertices.min(axis=0)) / (_SAME * size)) if size > 0.0 else vertices
    _, first, index = np.unique(grid, axis=0, return_index=True, return_inverse=True)
    return vertices[first], index.reshape(-1)[faces]


def _of_polygons(
    read: Callable[[Path], Polygons], owner: str, file: Path, shorter: bool
) -> Doubted:
    """Triangulate the polygons of a file."""
    try:
        vertices, corners, sizes, doubt = read(file)
    except (OSError, ValueError, OverflowError) as error:
        _unreadable(owner, error)
    if (sizes < 3).any() or (corners < 0).any() or (corners >= len(vertices)).any():
        _unreadable(owner, "it has polygons with fewer than three vertices, or with missing ones")
    begin = np.cumsum(sizes) - sizes
    return vertices, fans(vertices, corners, begin, sizes, shorter), doubt


def _by_trimesh(owner: str, file: Path, _: bool) -> Triangles:
    """Triangles of all parts of a file."""
    try:
        import trimesh  # pyright: ignore[reportMissingImports]

        found = trimesh.load_mesh(file, process=False)
        return np.array(found.vertices, float), np.array(found.faces, np.int64)
    except Exception as error:  # trimesh has no exception class
        _unreadable(owner, error)


def _vtp(owner: str, file: Path, shorter: bool) -> Triangles:
    """Triangles of all polygons and strips of a VTP file."""
    data = file.read_bytes()
    head = data.partition(b"<AppendedData")[0]
    if re.search(rb"""\bformat\s*=\s*["']\s*(binary|appended)""", head):
        _check_header(owner, head, len(data))
        return _by_vtk(owner, file)
    try:
        root = read_xml(file, max_bytes=_MAX_TEXT)
    except ModelError as error:
        text = str(error).removeprefix(str(file)).lstrip(":, ").partition("; must be")[0]
        _unreadable(owner, text, error)
    if root.tag != "VTKFile" or root.attributes.get("type") != "PolyData":
        _unreadable(owner, "it has no PolyData of VTK")
    vertices, faces, n = [np.empty((0, 3))], [np.empty((0, 3), np.int64)], 0
    for piece in (piece for data in root.find("PolyData") for piece in data.find("Piece")):
        points = _values(owner, piece, "Points", "", float)
        if len(points) % 3:
            _unreadable(owner, f"the points on line {piece.line} are not triples of numbers")
        _check_count(owner, piece, "Points", len(points) // 3)
        corners = points.reshape(-1, 3)
        faces.append(n + fans(corners, *_cells(owner, piece, "Polys", len(corners)), shorter))
        faces.append(n + strips(*_cells(owner, piece, "Strips", len(corners))))
        vertices.append(corners)
        n += len(corners)
    return np.concatenate(vertices), np.concatenate(faces)


def _values(owner: str, piece: Element, tag: str, name: str, kind: type) -> NDArray[Any]:
    """Numbers of one text array of a piece; empty if it is missing."""
    arrays = [
        array
        for parent in piece.find(tag)
        for array in parent.find("DataArray")
        if not name or array.attributes.get("Name", "").strip().lower() == name
    ]
    if len(arrays) > 1:
        _unreadable(owner, f"<{tag}> has more than one array {name} on line {arrays[1].line}")
    if not arrays:
        return np.empty(0, kind)
    if arrays[0].attributes.get("format", "ascii").strip() != "ascii":
        _unreadable(owner, f"the array on line {arrays[0].line} is of an unknown format")
    try:
        return np.array([kind(word) for word in arrays[0].text.split()], np.dtype(kind))
    except (ValueError, OverflowError):
        _unreadable(owner, f"the array on line {arrays[0].line} has words that are not numbers")


def _check_count(owner: str, piece: Element, tag: str, count: int) -> None:
    """Refuse a piece whose number of items differs from the declared one."""
    said = piece.attributes.get(f"NumberOf{tag}", str(count)).strip()
    if said != str(count):
        _unreadable(
            owner, f"line {piece.line} declares NumberOf{tag} = {said[:40]!r}, found {count}"
        )


def _cells(
    owner: str, piece: Element, tag: str, n: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Points of all cells, with start and size of each."""
    points = _values(owner, piece, tag, "connectivity", int)
    ends = _values(owner, piece, tag, "offsets", int)
    _check_count(owner, piece, tag, len(ends))
    begin = np.concatenate([np.zeros(min(1, len(ends)), np.int64), ends[:-1]])
    size = ends - begin
    if (size < 0).any() or len(points) != (ends[-1] if len(ends) else 0):
        _unreadable(
            owner, f"offsets and connectivity of <{tag}> on line {piece.line} are inconsistent"
        )
    if points.size and not (points.min() >= 0 and points.max() < n):
        _unreadable(owner, f"the piece on line {piece.line} has cells of missing points")
    return points, begin, size


def _check_header(owner: str, head: bytes, size: int) -> None:
    """Refuse files that make VTK run out of memory, which kills the process."""
    if re.search(rb"<!(DOCTYPE|ENTITY)", head):
        _unreadable(owner, "it declares a document type or entities, which no mesh needs")
    most = size * (_PACKED if re.search(rb"\bcompressor\s*=", head) else 1)
    totals: dict[str, int] = {}
    pattern = (
        rb"""\bNumberOf(Points|Polys|Verts|Lines|Strips|Tuples|Components)\s*=\s*["']([^"']*)"""
    )
    for match in re.finditer(pattern, head):
        name, text = match[1].decode(), match[2].decode("latin-1").strip()
        count = int(text) if re.fullmatch(r"[0-9]{1,18}", text) else -1
        if name != "Components":
            totals[name] = totals.get(name, 0) + count
        if (
            count < 0
            or totals.get(name, 0) > most
            or (name == "Components" and count > _MAX_COMPONENTS)
        ):
            _unreadable(
                owner, f"it declares NumberOf{name} = {text[:40]!r}, too many for {size} bytes"
            )


def _by_vtk(owner: str, file: Path) -> Triangles:
    """Triangles of a binary VTP file."""
    use = "binary VTP files, or save the mesh as text, STL, OBJ or PLY"
    pyvista = package("pyvista", use, "view")
    try:
        with pyvista.VtkErrorCatcher(raise_errors=True):
            surface = pyvista.PolyData(str(file)).triangulate()
    except Exception as error:
        _unreadable(owner, error)
    faces = np.asarray(surface.faces).reshape(-1, 4)[:, 1:]
    return np.array(surface.points, float).reshape(-1, 3), faces.astype(np.int64)


def _unreadable(owner: str, problem: Exception | str, cause: Exception | None = None) -> NoReturn:
    """Refuse a file that its reader cannot parse."""
    text = " ".join(str(problem).split())
    text = text if len(text) <= 160 else f"{text[:157]}..."
    raise ModelError(
        f"{owner}: cannot be read: {text or type(problem).__name__}; check that its extension "
        "matches its format, and export it again"
    ) from (problem if isinstance(problem, Exception) else cause)


_READERS: dict[str, Callable[[str, Path, bool], Triangles | Doubted]] = {
    ".stl": _by_trimesh,
    ".obj": partial(_of_polygons, read_obj),
    ".ply": partial(_of_polygons, read_ply),
    ".vtp": _vtp,
}

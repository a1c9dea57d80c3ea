"""Results as VTKHDF files for ParaView: fibers, bones and forces over time.

The format is that of VTK's documentation, "VTKHDF file format", version 2.0, with temporal poly
data. Cells are written once; values of moving points and varying fields are concatenated over all
times, with an offset for each step. Fibers, bones and forces are separate files, because VTK's
reader (9.7) does not update the time in multi-block files.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk.io.bones import bone_triangles
from fibermsk.io.csv import Done, about
from fibermsk.results.curves import along, centerlines
from fibermsk.results.fields import FIBER_FIELDS
from fibermsk.results.histories import histories_of
from fibermsk.results.result import FiberHistory, Result

_POINTS = 400_000
"""Approximate number of points in memory."""
_SAME = 1e-9
"""Distance in theta below which a sample coincides with a node."""
_ALONG = tuple(
    name
    for name, field in FIBER_FIELDS.items()
    # ParaView computes magnitudes of vectors
    if field.place == "sample" and field.varies and name != "contact_force_density"
)
"""Varying fields along the fibers."""
_KINDS = ("Vertices", "Lines", "Polygons", "Strips")


class _Shape(NamedTuple):
    """Constant cells with moving points."""

    n_points: int
    kind: str  # one of `_KINDS`
    cells: Any  # point indices of each cell, (n_cells, n_corners) or a list
    cell_fields: dict[str, NDArray[Any]]  # values (n_cells,) of cells
    fixed: dict[str, NDArray[Any]]  # constant values of points
    names: dict[str, list[str]]  # names for the integers in fields
    # points and varying point fields at frames, each (n_frames, n_points, ...)
    moving: Callable[[slice], dict[str, Array]]


def vtkhdf_writers(result: Result) -> dict[str, Callable[[Path, Done], None]]:
    """Writers of the files by contents; empty files are omitted."""
    found = {}
    if result.fibers:
        found["fibers"] = partial(_write, result, _fibers(result))
    if any(body.shapes or body.visuals for body in result.bodies.values()):
        found["bones"] = partial(_write, result, _bones(result))
    if result.fibers:
        found["attachments"] = partial(_write, result, _attachments(result))
    return found


def _fibers(result: Result) -> _Shape:
    """Polylines through all nodes and samples of the fibers."""
    fibers = list(result.fibers.values())
    places = [_places(fiber) for fiber in fibers]
    start = np.cumsum([0, *(theta.size for theta in places)])

    def fraction(number: int) -> Array:
        fiber = fibers[number]
        return along(fiber, fiber.muscle_fraction[None], places[number])[0]

    def moving(frames: slice) -> dict[str, Array]:
        parts: dict[str, list[Array]] = {}
        for whole, theta in zip(fibers, places, strict=True):
            fiber = whole.at_frames(frames)
            found = {key: along(fiber, getattr(fiber, key), theta) for key in _ALONG}
            active = fiber.activation[:, None]
            found["activation"] = np.broadcast_to(active, (active.size, theta.size))
            found["Points"] = centerlines(fiber, theta)
            for key, values in found.items():
                parts.setdefault(key, []).append(values)
        return {key: np.concatenate(values, axis=1) for key, values in parts.items()}

    return _Shape(
        int(start[-1]),
        "Lines",
        [np.arange(a, b) for a, b in zip(start[:-1], start[1:], strict=True)],
        {"fiber": np.arange(len(fibers))},
        {
            "theta": np.concatenate(places),
            "muscle_fraction": np.concatenate([fraction(k) for k in range(len(fibers))]),
        },
        {"fiber_names": list(result.fibers)},
        moving,
    )


def _places(fiber: FiberHistory) -> Array:
    """Distinct material coordinates of nodes and samples: no segment has zero length."""
    nearest = np.abs(fiber.theta[:, None] - fiber.node_theta).min(axis=1)
    return np.union1d(fiber.node_theta, fiber.theta[nearest > _SAME])


def _bones(result: Result) -> _Shape:
    """Triangles of all shapes and meshes, moving with their bodies."""
    parts = [
        (number, part)
        for number, name in enumerate(result.bodies)
        for part in bone_triangles(result, name)
    ]
    sizes = [len(part.points) for _, part in parts]
    start = np.cumsum([0, *sizes])
    n = int(start[-1])
    owner = np.repeat([number for number, _ in parts], sizes)
    n_faces = [len(part.faces) for _, part in parts]
    faces = [part.faces + k for (_, part), k in zip(parts, start[:-1], strict=True)]
    local = np.concatenate([part.points for _, part in parts])
    bodies = list(result.bodies.values())

    def moving(frames: slice) -> dict[str, Array]:
        total = np.empty((result.time[frames].size, n, 3))
        for number, one in enumerate(bodies):
            of = owner == number
            turn, at = one.rotation[frames], one.position[frames]
            total[:, of] = np.einsum("tij,nj->tni", turn, local[of]) + at[:, None]
        return {"Points": total}

    return _Shape(
        n,
        "Polygons",
        np.concatenate(faces),
        {
            "body": np.repeat([number for number, _ in parts], n_faces),
            "drawn_only": np.repeat([int(part.drawn_only) for _, part in parts], n_faces),
        },
        {},
        {"body_names": list(result.bodies)},
        moving,
    )


def _attachments(result: Result) -> _Shape:
    """Both ends of each fiber, with the force on the body there."""
    fibers = list(result.fibers.values())
    n = 2 * len(fibers)

    def moving(frames: slice) -> dict[str, Array]:
        ends = [fiber.position[frames][:, [0, -1]] for fiber in fibers]
        forces = [
            np.stack([fiber.force_origin[frames], fiber.force_insertion[frames]], axis=1)
            for fiber in fibers
        ]
        return {"Points": np.concatenate(ends, axis=1), "force": np.concatenate(forces, axis=1)}

    return _Shape(
        n,
        "Vertices",
        np.arange(n)[:, None],
        {"fiber": np.repeat(np.arange(len(fibers)), 2), "end": np.tile([0, 1], len(fibers))},
        {},
        {"fiber_names": list(result.fibers), "end_names": ["origin", "insertion"]},
        moving,
    )


def _write(result: Result, shape: _Shape, path: Path, done: Done) -> None:
    n_frames = result.time.size
    # built in memory, because the HDF5 library may crash on a full disk
    image = io.BytesIO()
    # compatible with the HDF5 library in ParaView
    with h5py.File(image, "w", libver=("earliest", "v110")) as file:
        root = file.create_group("VTKHDF")
        root.attrs["Version"] = np.array([2, 0])
        root.attrs.create("Type", np.bytes_("PolyData"), dtype=h5py.string_dtype("ascii", 8))
        root["NumberOfPoints"] = np.array([shape.n_points])
        _put_cells(root, shape)
        steps = root.create_group("Steps")
        steps.attrs["NSteps"] = n_frames
        steps["Values"] = result.time
        same = np.zeros(n_frames, np.int64)
        steps["NumberOfParts"] = same + 1
        steps["PartOffsets"] = same
        for name in ("CellOffsets", "ConnectivityIdOffsets"):
            steps[name] = np.zeros((n_frames, len(_KINDS)), np.int64)
        for kind, fields in (("Point", shape.fixed), ("Cell", shape.cell_fields)):
            group = root.create_group(f"{kind}Data")
            offsets = steps.create_group(f"{kind}DataOffsets")
            for name, values in fields.items():
                group[name] = values
                offsets[name] = same
        _put_field_data(root, steps, result, shape)
        _put_moving(root, steps, shape, n_frames, done)
    path.write_bytes(image.getbuffer())


def _put_cells(root: h5py.Group, shape: _Shape) -> None:
    """Write the cells of all four kinds of poly data, most of them empty."""
    for kind in _KINDS:
        cells = shape.cells if kind == shape.kind else []
        sizes = [len(cell) for cell in cells]
        group = root.create_group(kind)
        ids = np.concatenate([*cells, np.empty(0, np.int64)]).astype(np.int64)
        group["NumberOfCells"] = np.array([len(sizes)])
        group["NumberOfConnectivityIds"] = np.array([ids.size])
        group["Offsets"] = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        group["Connectivity"] = ids


def _put_field_data(root: h5py.Group, steps: h5py.Group, result: Result, shape: _Shape) -> None:
    """Write names and metadata of the run, states and elements."""
    group = root.create_group("FieldData")
    offsets, sizes = (steps.create_group(f"FieldData{name}") for name in ("Offsets", "Sizes"))
    texts = shape.names | {key: [value] for key, value in about(result).items()}
    for name, values in texts.items():
        # VTK reads texts of type ASCII only, and decodes them as UTF-8
        data = np.array([value.encode() for value in values], dtype=object)
        group.create_dataset(name, data=data, dtype=h5py.string_dtype("ascii"))
        offsets[name] = np.zeros(result.time.size, np.int64)
        sizes[name] = np.tile([1, len(values)], (result.time.size, 1))
    for owner, own in histories_of(result.states, result.elements, result.muscles):
        for key, values in own.items():
            name, n = f"{owner}.{key}", len(values)
            if values.ndim > 2:  # states at quadrature points
                values = values.reshape(n, -1)
            group[name], offsets[name] = values, np.arange(n)
            sizes[name] = np.tile([values[0].size, 1], (n, 1))


def _put_moving(
    root: h5py.Group, steps: h5py.Group, shape: _Shape, n_frames: int, done: Done
) -> None:
    """Write points and varying fields in blocks of frames."""
    n = shape.n_points
    starts = np.arange(n_frames) * n
    steps["PointOffsets"] = starts
    stored: dict[str, h5py.Dataset] = {}
    step = max(1, _POINTS // max(n, 1))
    for start in range(0, n_frames, step):
        part = slice(start, min(start + step, n_frames))
        for name, values in shape.moving(part).items():
            if name not in stored:
                path = name if name == "Points" else f"PointData/{name}"
                size = (n_frames * n, *values.shape[2:])
                stored[name] = root.create_dataset(path, size, np.float64)
                if name != "Points":
                    steps[f"PointDataOffsets/{name}"] = starts
            stored[name][part.start * n : part.stop * n] = values.reshape(-1, *values.shape[2:])
        done(part.stop / n_frames)

"""A result as a dataset of xarray or a table of pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fibermsk._extras import package
from fibermsk.results.fields import AXES, BODY_FIELDS, FIBER_FIELDS, SOLVER_FIELDS
from fibermsk.results.result import Result, to_json
from fibermsk.results.tables import table

if TYPE_CHECKING:
    import pandas  # pyright: ignore[reportMissingImports]
    import xarray  # pyright: ignore[reportMissingImports]

Array = NDArray[Any]


def to_xarray(result: Result) -> xarray.Dataset:
    """Dataset of `Result.to_xarray`."""
    xarray = _package("xarray")
    fibers, bodies = list(result.fibers.values()), list(result.bodies.values())
    at, samples, sampled = _places([fiber.theta for fiber in fibers], "theta", "sample")
    node, nodes, noded = _places([fiber.node_theta for fiber in fibers], "node_theta", "node")
    units = [result.unit_of(name) for name in result.coordinates]
    coords = {
        "time": ("time", result.time.copy(), {"units": "s"}),
        "coordinate": ("coordinate", _names(result.coordinates)),
        "coordinate_units": ("coordinate", _names(units)),
        "fiber": ("fiber", _names(result.fibers)),
        "body": ("body", _names(result.bodies)),
        "axis": ("axis", list(AXES)),
        "body_axis": ("body_axis", list(AXES)),
        "theta": (*sampled, {"units": "1"}),
        "node_theta": (*noded, {"units": "1"}),
    }
    n = result.time.size
    data: dict[str, tuple[tuple[str, ...], Array, dict[str, str]]] = {}
    one = units[0] if len(set(units)) == 1 else "see coordinate_units"
    for key, unit in (("coordinates", one), ("speeds", f"{one}/s" if " " not in one else one)):
        values = getattr(result, key)
        missing = np.full(n, np.nan)
        rows = [values.get(name, missing) for name in result.coordinates]
        data[key] = (("time", "coordinate"), _stacked(rows, (n,)), {"units": unit})
    sizes: dict[int | str, int] = {"n_samples": samples, "n_nodes": nodes}
    dims: dict[int | str, str] = {"n_samples": at, "n_nodes": node}
    owners = (("fiber", "", fibers, FIBER_FIELDS), ("body", "body_", bodies, BODY_FIELDS))
    for owner, prefix, items, fields in owners:
        for key, field in fields.items():
            if key in ("theta", "node_theta"):
                continue
            rows = [getattr(item, key) for item in items]
            shape = [sizes.get(axis, axis) for axis in field.shape]
            over = [dims[axis] for axis in field.shape if axis in dims]
            over += ["axis", "body_axis"][: len(field.shape) - len(over)]
            if field.varies:
                values, over = _stacked(rows, (n, *shape)), ["time", owner, *over]
            else:
                values, over = _stacked([row[None] for row in rows], (1, *shape))[0], [owner, *over]
            data[prefix + key] = (tuple(over), values, {"units": field.unit})
    for own in (result.states, result.elements, result.muscles):
        for owner, histories in own.items():
            for key, values in histories.items():
                name, field = f"{owner}.{key}", histories.fields[key]
                over = ("axis",) if field.shape == (3,) else (f"{name}.part",)
                if values.ndim == 3:
                    over = (f"{name}.element", f"{name}.point")
                notes = {"units": field.unit, "description": field.description}
                data[name] = (("time", *over[: values.ndim - 1]), values.copy(), notes)
    for key, field in SOLVER_FIELDS.items():
        data[key] = (("time",), getattr(result, key).copy(), {"units": field.unit})
    return xarray.Dataset(data, coords, _about(result))


def to_dataframe(result: Result, what: str = "time") -> pandas.DataFrame:
    """Table of `Result.to_dataframe`."""
    pandas = _package("pandas")
    columns = table(result, what)
    frame = pandas.DataFrame({column.name: column.values for column in columns})
    frame.attrs = _about(result) | {"units": {column.name: column.unit for column in columns}}
    return frame.set_index("time") if what == "time" else frame


def _package(name: str) -> Any:
    return package(name, "labelled tables", "data")


def _about(result: Result) -> dict[str, Any]:
    """Attributes in types that all file formats support."""
    return {
        "scene": result.scene,
        "method": result.method,
        "status": result.status,
        "message": result.message,
        "parameters": to_json(result.parameters),
        "fibermsk_version": result.version,
    }


def _names(values: Any) -> Array:
    return np.array(list(values), dtype=str)


def _places(
    theta: list[NDArray[np.float64]], same: str, other: str
) -> tuple[str, int, tuple[Any, Array]]:
    """Dimension along the fibers, its size and its coordinates.

    An index if fibers have different points, with NaN for missing ones.
    """
    size = max((places.size for places in theta), default=0)
    if all(np.array_equal(places, theta[0]) for places in theta[1:]):
        return same, size, (same, theta[0] if theta else np.empty(0))
    stacked = _stacked([places[None] for places in theta], (1, size))[0]
    return other, size, (("fiber", other), stacked)


def _stacked(rows: list[NDArray[np.float64]], shape: tuple[Any, ...]) -> NDArray[np.float64]:
    """Stack arrays along axis 1, padded with NaN."""
    total = np.full((shape[0], len(rows), *shape[1:]), np.nan)
    for k, row in enumerate(rows):
        if row.ndim == 1:
            total[:, k] = row
        else:
            total[:, k, : row.shape[1]] = row
    return total

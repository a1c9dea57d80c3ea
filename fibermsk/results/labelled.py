"""A result as a dataset of xarray or a table of pandas."""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fibermsk.errors import ModelError
from fibermsk.results.curves import lengths, stress
from fibermsk.results.result import Result
from fibermsk.results.tables import AXES, table
from fibermsk.results.units import DERIVED_FIBER_UNITS, FIBER_UNITS, SOLVER_UNITS

if TYPE_CHECKING:
    import pandas  # pyright: ignore[reportMissingImports]
    import xarray  # pyright: ignore[reportMissingImports]

__all__ = ["to_dataframe", "to_xarray"]

Array = NDArray[Any]

_SAMPLED = {
    "stretch": (),
    "radius": (),
    "axial_force": (),
    "stress": (),
    "contact_force_density": (),
    "contact_line_force": ("axis",),
}
_UNITS = FIBER_UNITS | DERIVED_FIBER_UNITS | {"stress": "Pa"}
_AT_NODES = ("position", "tangent")
_OF_ENDS = ("force_origin", "force_insertion")


def to_xarray(result: Result) -> xarray.Dataset:
    """Dataset of `Result.to_xarray`."""
    xarray = _package("xarray")
    fibers = list(result.fibers.values())
    at, samples, sampled = _places([fiber.theta for fiber in fibers], "theta", "sample")
    node, nodes, noded = _places([fiber.node_theta for fiber in fibers], "node_theta", "node")
    units = [result.coordinate_units.get(key, "rad") for key in result.coordinates]
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
    for key, more in _SAMPLED.items():
        rows = [stress(fiber) if key == "stress" else getattr(fiber, key) for fiber in fibers]
        shape = (n, samples, *(3 for _ in more))
        data[key] = (("time", "fiber", at, *more), _stacked(rows, shape), {"units": _UNITS[key]})
    rows = [fiber.muscle_fraction[None] for fiber in fibers]
    parts = _stacked(rows, (1, samples))[0]
    data["muscle_fraction"] = (("fiber", at), parts, {"units": "1"})
    for key in _AT_NODES:
        rows = [getattr(fiber, key) for fiber in fibers]
        values = _stacked(rows, (n, nodes, 3))
        data[key] = (("time", "fiber", node, "axis"), values, {"units": _UNITS[key]})
    for key in _OF_ENDS:
        values = _stacked([getattr(fiber, key) for fiber in fibers], (n, 3))
        data[key] = (("time", "fiber", "axis"), values, {"units": _UNITS[key]})
    activations = _stacked([fiber.activation for fiber in fibers], (n,))
    data["activation"] = (("time", "fiber"), activations, {"units": "1"})
    measured = _stacked([lengths(fiber) for fiber in fibers], (n,))
    data["length"] = (("time", "fiber"), measured, {"units": "m"})
    bodies = list(result.bodies.values())
    places = _stacked([body.position for body in bodies], (n, 3))
    turns = _stacked([body.rotation for body in bodies], (n, 3, 3))
    data["body_position"] = (("time", "body", "axis"), places, {"units": "m"})
    data["body_rotation"] = (("time", "body", "axis", "body_axis"), turns, {"units": "1"})
    for key, unit in SOLVER_UNITS.items():
        data[key] = (("time",), getattr(result, key).copy(), {"units": unit})
    return xarray.Dataset(data, coords, _about(result))


def to_dataframe(result: Result, what: str = "time") -> pandas.DataFrame:
    """Table of `Result.to_dataframe`."""
    pandas = _package("pandas")
    columns = table(result, what)
    frame = pandas.DataFrame({column.name: column.values for column in columns})
    frame.attrs = _about(result) | {"units": {column.name: column.unit for column in columns}}
    return frame.set_index("time") if what == "time" else frame


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise ModelError(
            f"{name} cannot be imported ({error}); must be installed to get labelled tables: in "
            'the clone of fibermsk run: pip install -e ".[data]"'
        ) from error


def _about(result: Result) -> dict[str, Any]:
    """Attributes that any format of file can hold."""
    return {
        "scene": result.scene,
        "method": result.method,
        "status": result.status,
        "message": result.message,
        "parameters": json.dumps(result.parameters, default=_plain),
        "fibermsk_version": result.version,
    }


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.generic | np.ndarray) else str(value)


def _names(values: Any) -> Array:
    return np.array(list(values), dtype=str)


def _places(
    theta: list[NDArray[np.float64]], same: str, other: str
) -> tuple[str, int, tuple[Any, Array]]:
    """Dimension along the fibers, its size, and where its places are.

    Fibers with the same places have them as the dimension's labels. Else places are counted, and
    those that a fiber does not have are no numbers.
    """
    size = max((places.size for places in theta), default=0)
    if all(np.array_equal(places, theta[0]) for places in theta[1:]):
        return same, size, (same, theta[0] if theta else np.empty(0))
    stacked = _stacked([places[None] for places in theta], (1, size))[0]
    return other, size, (("fiber", other), stacked)


def _stacked(rows: list[NDArray[np.float64]], shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Arrays side by side along axis 1, of one shape; what one does not have is no number."""
    total = np.full((shape[0], len(rows), *shape[1:]), np.nan)
    for k, row in enumerate(rows):
        if row.ndim == 1:
            total[:, k] = row
        else:
            total[:, k, : row.shape[1]] = row
    return total

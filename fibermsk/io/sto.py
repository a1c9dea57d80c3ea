"""Results as storages of OpenSim, in the form that OpenSim 4 writes itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk.errors import ModelError
from fibermsk.io.csv import about
from fibermsk.results.curves import lengths, mean_along
from fibermsk.results.result import Result

__all__ = ["sto_writers"]

Array = NDArray[np.float64]
Done = Callable[[float], Any]

_ROWS = 1000
_ENDS = (("origin", "force_origin", 0), ("insertion", "force_insertion", -1))


def sto_writers(result: Result) -> dict[str, Callable[[Path, Done], None]]:
    """Functions that write each storage, by what it holds; those without columns are left out.

    Raises
    ------
    ModelError
        If names differ only in blanks, which labels cannot hold.
    """
    fibers = result.fibers
    labels = _labels(result, fibers, "fibers")
    tables = {
        "coordinates": (result.coordinates, _labels(result, result.coordinates, "coordinates")),
        "speeds": (result.speeds, _labels(result, result.speeds, "speeds")),
        "activations": ({k: fiber.activation for k, fiber in fibers.items()}, labels),
        "forces": ({k: mean_along(f, f.axial_force) for k, f in fibers.items()}, labels),
        "lengths": ({k: lengths(fiber) for k, fiber in fibers.items()}, labels),
    }
    found = {
        what: partial(_write, result, what, [names[key] for key in values], list(values.values()))
        for what, (values, names) in tables.items()
        if values
    }
    if fibers:
        found["attachments"] = partial(_write, result, "attachments", *_attachments(result, labels))
    return found


def _attachments(result: Result, labels: dict[str, str]) -> tuple[list[str], list[Array]]:
    """Force on the bodies and the point where it acts, labelled as external loads are."""
    names, columns = [], []
    for key, fiber in result.fibers.items():
        for end, force, node in _ENDS:
            for letter, values in (("v", getattr(fiber, force)), ("p", fiber.position[:, node])):
                names += [f"{labels[key]}_{end}_force_{letter}{axis}" for axis in "xyz"]
                columns += list(values.T)
    return names, columns


def _labels(result: Result, names: Iterable[str], what: str) -> dict[str, str]:
    """Label of each name: OpenSim splits labels at blanks."""
    labels: dict[str, str] = {}
    for name in names:
        label = re.sub(r"\s+", "_", name.strip())
        if label.lower() == "time" or label in labels.values():
            raise ModelError(
                f"result of {result.scene!r}: {what} {name!r} cannot be the label {label!r}; must "
                "be unique with _ for blanks, and not time: rename it in the scene"
            )
        labels[name] = label
    return labels


def _write(
    result: Result, what: str, labels: list[str], columns: list[Array], path: Path, done: Done
) -> None:
    n = result.time.size
    told = about(result)
    scene = re.sub(r"[\s=]+", "_", told.pop("scene")) or "result"
    lines = [
        f"{scene}_{what}",
        "inDegrees=no",
        f"nColumns={len(labels) + 1}",
        f"nRows={n}",
        "DataType=double",
        "version=3",
        # a second equals sign would not be understood
        *(f"{key}={value.replace('=', ' is ')}" for key, value in told.items()),
        "units=SI: s, m, N, rad",
        "endheader",
        "\t".join(["time", *labels]),
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("\n".join(lines) + "\n")
        for start in range(0, n, _ROWS):
            part = slice(start, start + _ROWS)
            rows = zip(*(c[part].tolist() for c in (result.time, *columns)), strict=True)
            file.writelines("\t".join(map(repr, row)) + "\n" for row in rows)
            done(min(1.0, (start + _ROWS) / n))

"""Results as OpenSim storage files (.sto), in the format of OpenSim 4."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.io.csv import Done, about
from fibermsk.results.result import Result
from fibermsk.results.tables import columns_of, single_numbers

_ROWS = 1000
_OF_FIBERS = {"activations": "activation", "forces": "axial_force", "lengths": "length"}
_ENDS = (("origin", "force_origin", 0), ("insertion", "force_insertion", -1))


def sto_writers(result: Result) -> dict[str, Callable[[Path, Done], None]]:
    """Writers of the storages by contents; storages without columns are omitted."""
    fibers = result.fibers
    numbers = {name: single_numbers(fiber) for name, fiber in fibers.items()}
    tables = {"coordinates": result.coordinates, "speeds": result.speeds}
    tables |= {
        what: {name: own[key] for name, own in numbers.items()} for what, key in _OF_FIBERS.items()
    }
    tables |= {
        what: {column.name: column.values for column in columns_of(own.items())}
        for what in ("states", "elements", "muscles")
        if (own := getattr(result, what))
    }
    labels = _labels(result, fibers, "fibers")
    found = {}
    for what, values in tables.items():
        names = labels if what in _OF_FIBERS else _labels(result, values, what)
        if values:
            columns = [names[key] for key in values], list(values.values())
            found[what] = partial(_write, result, what, *columns)
    if fibers:
        found["attachments"] = partial(_write, result, "attachments", *_attachments(result, labels))
    return found


def _attachments(result: Result, labels: dict[str, str]) -> tuple[list[str], list[Array]]:
    """Force on the bodies and its point of application, labelled as external loads."""
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


def sto_head(title: str, labels: Sequence[str], n_rows: int, told: Mapping[str, str]) -> list[str]:
    """Lines before the rows of a storage, with what is told of it besides."""
    return [
        re.sub(r"[\s=]+", "_", title),
        "inDegrees=no",
        f"nColumns={len(labels)}",
        f"nRows={n_rows}",
        "DataType=double",
        "version=3",
        # a second equals sign cannot be parsed
        *(f"{key}={value.replace('=', ' is ')}" for key, value in told.items()),
        "units=SI: s, m, N, rad",
        "endheader",
        "\t".join(labels),
    ]


def _write(
    result: Result, what: str, labels: list[str], columns: list[Array], path: Path, done: Done
) -> None:
    n = result.time.size
    told = about(result)
    title = f"{told.pop('scene') or 'result'}_{what}"
    lines = sto_head(title, ["time", *labels], n, told)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("\n".join(lines) + "\n")
        for start in range(0, n, _ROWS):
            part = slice(start, start + _ROWS)
            rows = zip(*(c[part].tolist() for c in (result.time, *columns)), strict=True)
            file.writelines("\t".join(map(repr, row)) + "\n" for row in rows)
            done(min(1.0, (start + _ROWS) / n))

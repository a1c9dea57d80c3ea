"""Measured orientations of inertial sensors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._shown import Described
from fibermsk.errors import ModelError
from fibermsk.read.heads import check_columns, storage_header
from fibermsk.read.lines import lines_of
from fibermsk.read.recordings.smoothing import Treatment

_NORM = 1e-3
"""Largest deviation of the length of a quaternion from one; files have few digits."""


@dataclass(frozen=True, eq=False, repr=False)
class Orientations(Described):
    """Orientations of sensors in time.

    Parameters
    ----------
    name : str
        Name, such as that of the file.
    time : (n,) array_like
        Instants [s]; strictly increasing.
    quaternions : dict of (n, 4) array_like
        Rotations from the axes of a sensor to those of the ground, by sensor: the scalar first, of
        length one to 0.1 %, then stored with length one; NaN where it is missing.
    treatment : sequence of Treatment
        What was applied, in its order; stored as a tuple.
    """

    name: str
    time: Array
    quaternions: Mapping[str, Array]
    treatment: tuple[Treatment, ...] = ()

    def __post_init__(self) -> None:
        named = _check.instance("orientations", "name", self.name, str, "a text")
        owner = f"orientations {named!r}"
        what = "a dict of quaternions by the names of the sensors"
        _check.instance(owner, "quaternions", self.quaternions, Mapping, what)
        time = _check.array(owner, "time", self.time, ("n",), "s", largest=math.inf)
        late = np.flatnonzero(time[1:] <= time[:-1])
        if late.size:
            k = int(late[0]) + 1
            must = f"be later than time[{k - 1}] = {time[k - 1]} s"
            _check.refuse(owner, f"time[{k}]", time[k], must, unit="s")
        found = {
            _check.instance(owner, "sensor", key, str, "a name"): _unit(
                owner, f"quaternions[{key!r}]", one, time.size
            )
            for key, one in self.quaternions.items()
        }
        several = "a sequence of treatments"
        done = _check.items(owner, "treatment", self.treatment, Treatment, "a Treatment", several)
        _check.store(self, time=time, quaternions=found, treatment=done)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the sensors."""
        return tuple(self.quaternions)

    def rotation(self, name: str) -> Array:
        """Rotation matrices of one sensor (n, 3, 3): r_ground = rotation @ r_sensor.

        Raises
        ------
        ModelError
            If there is no such sensor; the message names similar ones.
        """
        owner = f"orientations {self.name!r}"
        _check.instance(owner, "sensor", name, str, "the name of a sensor")
        if name not in self.quaternions:
            raise ModelError(f"{owner}: {_check.missing('sensor', name, self.names, 'it has')}")
        w, x, y, z = self.quaternions[name].T
        rows = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
        return np.ascontiguousarray(np.moveaxis(np.array(rows), -1, 0))


def read_orientations(file: Path) -> Orientations:
    """Orientations of a storage with DataType=Quaternion; errors as of `read_motion`."""
    owner = f"orientation file {str(file)!r}"
    lines = lines_of(owner, file)
    _, end = storage_header(owner, lines)
    rows = [k for k in range(end + 1, len(lines)) if lines[k].strip()]
    if len(rows) < 2:
        raise ModelError(f"{owner}: has no rows after endheader on line {end + 1}")
    names = [word.strip() for word in lines[rows[0]].strip().split("\t")]
    check_columns(owner, names, rows[0] + 1)
    table = np.empty((len(rows) - 1, 1 + 4 * (len(names) - 1)))
    for i, k in enumerate(rows[1:]):
        cells = lines[k].strip().split("\t")
        where = f"{owner}, line {k + 1}"
        if len(cells) != len(names):
            must = f"must have {len(names)}, separated by tabs"
            raise ModelError(f"{where}: has {len(cells)} cells; {must}")
        for j, cell in enumerate(cells):
            words = cell.split(",")
            own = table[i, :1] if j == 0 else table[i, 4 * j - 3 : 4 * j + 1]
            try:
                if len(words) != own.size:
                    raise ValueError
                own[:] = [float(word) for word in words]
            except ValueError:
                must = "must be a number" if j == 0 else "must be four numbers w,x,y,z"
                raise ModelError(f"{where}: {names[j][:80]} = {cell[:40]!r}; {must}") from None
    found = {name: table[:, 4 * j + 1 : 4 * j + 5] for j, name in enumerate(names[1:])}
    return Orientations(file.stem, table[:, 0], found)


def _unit(owner: str, field: str, value: Any, n: int) -> Array:
    """Read-only quaternions (n, 4) of length one, or NaN in all components."""
    must = f"be numbers of shape ({n}, 4), or NaN where the sensor is missing"
    try:
        found = np.array(value, dtype=np.float64)
    except Exception:  # rows of different lengths, texts, or objects that raise on conversion
        _check.refuse(owner, field, value, must)
    if found.shape != (n, 4) or np.asarray(value).dtype.kind not in "iufO":
        _check.refuse(owner, field, value, must)
    missing = np.isnan(found).all(axis=1)
    length = np.linalg.norm(found, axis=1)
    wrong = np.flatnonzero(~missing & ~(np.abs(length - 1.0) <= _NORM))
    if wrong.size:
        k = int(wrong[0])
        _check.refuse(owner, f"{field}[{k}]", found[k], "be a quaternion of length one, or NaN")
    found /= np.where(missing, 1.0, length)[:, None]
    found.flags.writeable = False
    return found

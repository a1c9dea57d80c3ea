"""What inverse kinematics found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk._shown import Summarized, Summary
from fibermsk.analysis.storage import write_table
from fibermsk.errors import ModelError
from fibermsk.files import path_of
from fibermsk.read.recordings.smoothing import Treatment
from fibermsk.read.signals import Signals

QUATERNION = "1"
"""Unit of the components of quaternions."""

MOTIONS = (".mot", ".sto", ".csv")
"""Endings of files of motions."""


class MarkerResidual(NamedTuple):
    """Residual of one marker [m] or sensor [rad] over all frames.

    Attributes
    ----------
    rms, largest : float
        Root mean square and largest value; NaN if it was never measured.
    at : float
        Time of the largest one [s].
    frames : int
        Number of frames in which it was measured.
    """

    rms: float
    largest: float
    at: float
    frames: int


@dataclass(frozen=True, eq=False, repr=False)
class InverseKinematics(Summarized):
    """Motion of a model that follows measured markers or sensors.

    Attributes
    ----------
    name : str
        That of the recording.
    time : (n,) float array
        Instants [s].
    values : dict of (n,) float array
        All coordinates of the model [rad or m], also locked and dependent ones.
    units : dict of str
        Their units.
    free : tuple of str
        Coordinates that were sought.
    residuals : dict of (n,) float array
        By marker, its distance from the measured position [m], or by sensor the angle [rad]; NaN
        where it is missing.
    weights : dict of float
        By marker or sensor.
    unit : str
        Unit of the residuals.
    steps : (n,) int array
        Steps of Gauss and Newton.
    settings : dict of str
        How it was found, by topic: bounds, couplings, treatment of the recording.
    treatment : tuple of Treatment
        Filters and splines of the recording.
    """

    name: str
    time: Array
    values: dict[str, Array]
    units: dict[str, str]
    free: tuple[str, ...]
    residuals: dict[str, Array]
    weights: dict[str, float]
    unit: str
    steps: Index
    settings: dict[str, str]
    treatment: tuple[Treatment, ...]

    @property
    def motion(self) -> Signals:
        """The coordinates that were sought, for `drive`, `inverse_dynamics` and the like.

        Raises
        ------
        ModelError
            If the model has joints with quaternions, which a motion of coordinates has not.
        """
        turns = [name for name, unit in self.units.items() if unit == QUATERNION]
        if turns:
            raise ModelError(
                f"motion of {self.name!r}: {', '.join(turns[:8])} are components of quaternions; "
                "a motion has coordinates only: describe the joint as a FunctionalJoint with three "
                "rotations, or read the quaternions in values"
            )
        units = {name: self.units[name] for name in self.free}
        values = {name: self.values[name] for name in self.free}
        return Signals(self.name, self.time, values, units, treatment=self.treatment)

    @property
    def rms(self) -> Array:
        """Root mean square of the residuals of each frame (n,), without weights."""
        return np.sqrt(np.nanmean(np.square(self._all()), axis=1))

    @property
    def largest(self) -> Array:
        """Largest residual of each frame (n,)."""
        return np.nanmax(self._all(), axis=1)

    @property
    def worst(self) -> tuple[str, ...]:
        """Marker or sensor with the largest residual, by frame."""
        names = list(self.residuals)
        return tuple(names[k] for k in np.nanargmax(self._all(), axis=1))

    def table(self) -> dict[str, MarkerResidual]:
        """Residual of each marker or sensor over all frames, the largest rms first."""
        found = dict[str, MarkerResidual]()
        for name, one in self.residuals.items():
            seen = np.isfinite(one)
            if not seen.any():
                found[name] = MarkerResidual(np.nan, np.nan, np.nan, 0)
                continue
            k = int(np.nanargmax(one))
            rms = float(np.sqrt(np.mean(one[seen] ** 2)))
            found[name] = MarkerResidual(rms, float(one[k]), float(self.time[k]), int(seen.sum()))
        order = sorted(found, key=lambda name: -np.nan_to_num(found[name].rms, nan=-1.0))
        return {name: found[name] for name in order}

    def write(self, path: str | PathLike[str]) -> None:
        """Write the motion to a file of OpenSim (.mot or .sto) or .csv, whole or not at all.

        Angles are in rad, as its header says: OpenSim converts degrees of some coordinates only,
        not of those that it calls coupled.

        Raises
        ------
        ModelError
            If the name ends otherwise, or the file cannot be written.
        """
        file = path_of(path, "InverseKinematics.write: path")
        values: Mapping[str, Array] = self.values
        if file.suffix.lower() == ".csv":
            values = {f"{name} [{self.units[name]}]": one for name, one in values.items()}
        title = f"{self.name}_inverse_kinematics"
        write_table(file, title, {"time": self.time, **values}, self.settings, MOTIONS)

    def write_residuals(self, path: str | PathLike[str]) -> None:
        """Write the residuals of each frame, and their rms, to a file (.csv).

        Raises
        ------
        ModelError
            If the name ends otherwise, or the file cannot be written.
        """
        file = path_of(path, "InverseKinematics.write_residuals: path")
        columns = {f"{name} [{self.unit}]": one for name, one in self.residuals.items()}
        columns = {"time": self.time, f"rms [{self.unit}]": self.rms, **columns}
        write_table(file, "residuals", columns, None, (".csv",))

    def _all(self) -> Array:
        return np.stack([*self.residuals.values()], axis=1)

    def _summary(self) -> Summary:
        rms, k = self.rms, int(np.argmax(self.largest))
        what = "markers" if self.unit == "m" else "sensors"
        rows: list[tuple[str, Any]] = [
            ("frames", f"{self.time.size}, from {self.time[0]:g} to {self.time[-1]:g} s"),
            (what, f"{len(self.residuals)}"),
            ("rms", f"{rms.mean():.3g} {self.unit}, at most {rms.max():.3g}"),
            ("largest", f"{self.largest[k]:.3g} {self.unit}, {self.worst[k]} at "
             f"{self.time[k]:g} s"),
            *self.settings.items(),
        ]  # fmt: skip
        return Summary(f"Inverse kinematics of {self.name!r}", rows)

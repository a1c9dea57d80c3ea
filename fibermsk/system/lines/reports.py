"""What results report of line muscles, by OpenSim's names."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np

from fibermsk.model import LineMuscle
from fibermsk.model.muscles.line_muscle import by_network
from fibermsk.results import Field, MuscleHistory
from fibermsk.system.contribution import At
from fibermsk.system.lines.hill import NAMES, REPORTED
from fibermsk.system.lines.networks import told_of
from fibermsk.system.lines.placed import PlacedPaths

POINTS = 65
"""Points of a path in results, at equal fractions of its length."""

_SPECIFIC_TENSION = 3.0e5
"""Force of a muscle over its cross-section [N/m^2], for its thickness in pictures."""
_THINNED = 0.15
"""Radius of a muscle's line over that of its cross-section."""

_OF_PATHS = (
    Field("length", "m", "length", "of muscle and tendon along the path", (), "muscle"),
    Field("lengthening_speed", "m/s", "lengthening speed", "rate of the length", (), "muscle"),
    Field(
        "length_jump",
        "m",
        "jump of the length",
        "since the last frame, where a path point or a cylinder starts or ceases to act; else 0",
        (),
        "muscle",
    ),
    Field("activation", "1", "activation", "0 to 1", (), "muscle"),
)


class Muscles(Protocol):
    """Interface to the contribution of the line muscles."""

    muscles: tuple[LineMuscle, ...]
    paths: Any
    hill: Any

    def evaluate(self, at: At) -> Any:
        """All muscles at a state."""
        ...


class MuscleReports:
    """Histories of line muscles, filled frame by frame.

    Attributes
    ----------
    histories : dict of MuscleHistory
        By muscle.
    """

    def __init__(self, lines: Muscles, n_frames: int) -> None:
        self._lines = lines
        self._moved_by = [lines.paths.moved_by(k) for k in range(len(lines.muscles))]
        self._fractions = np.linspace(0.0, 1.0, POINTS)
        self._last: list[tuple[float, bytes, float, float]] = []
        self.histories: dict[str, MuscleHistory] = {}
        for muscle, moved_by in zip(lines.muscles, self._moved_by, strict=True):
            fields = [*_OF_PATHS, *lines.hill.fields]
            if by_network(muscle):
                fields[0] = fields[0]._replace(description=told_of(muscle))
            fields += [
                Field(f"moment_arm/{name}", "m" if unit == "rad" else "1",
                      f"moment arm about {name}", f"minus dlength/d{name}", (), "muscle")
                for name, unit, _ in moved_by
            ]  # fmt: skip
            arrays = {field.name: np.empty(n_frames) for field in fields}
            self.histories[muscle.name] = MuscleHistory(
                {field.name: field for field in fields},
                arrays,
                np.empty((n_frames, POINTS, 3)),
                drawn_radius(muscle),
            )

    def put(self, frame: int, at: At) -> None:
        """Store all muscles at a frame."""
        lines = self._lines
        now = lines.evaluate(at)
        outputs = lines.hill.outputs(
            now.paths.length, now.paths.speed, now.activation, now.state, now.rate
        )
        for k, own in enumerate(self.histories.values()):
            values: dict[str, float] = {
                "length": now.paths.length[k],
                "lengthening_speed": now.paths.speed[k],
                "length_jump": self._jump(k, at.t, now.paths),
                "activation": now.activation[k],
                **{name: outputs[k, NAMES.index(name)] for name in REPORTED},
            }
            for name, _, column in self._moved_by[k]:
                values[f"moment_arm/{name}"] = -now.paths.by_q[k, column]
            for name, value in values.items():
                own.arrays[name][frame] = value
            own.path[frame] = lines.paths.along(at, now.paths, k, self._fractions)

    def _jump(self, k: int, t: float, paths: PlacedPaths) -> float:
        """Change of a length since the last frame beyond the mean of its rates [m], at a switch."""
        length, speed = float(paths.length[k]), float(paths.speed[k])
        switches, jump = self._lines.paths.switches(k, paths.state), 0.0
        if k < len(self._last):
            before, known, last, rate = self._last[k]
            if switches != known:
                jump = length - last - 0.5 * (rate + speed) * (t - before)
        self._last[k : k + 1] = [(t, switches, length, speed)]
        return jump


def drawn_radius(muscle: LineMuscle) -> float:
    """Radius of the line of a muscle in pictures [m]."""
    return _THINNED * math.sqrt(muscle.max_isometric_force / (math.pi * _SPECIFIC_TENSION))

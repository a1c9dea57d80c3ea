"""What results report of line muscles, by OpenSim's names."""

from __future__ import annotations

import math
from collections.abc import Sequence
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
)
_ACTIVATION = Field("activation", "1", "activation", "0 to 1", (), "muscle")


class Muscles(Protocol):
    """Interface to the contribution of the line muscles with a law."""

    muscles: tuple[LineMuscle, ...]
    paths: Any
    hill: Any

    def evaluate(self, at: At) -> Any:
        """All muscles at a state."""
        ...


class PathReports:
    """Histories of line muscles without a law, filled part by part, frame by frame.

    Parameters
    ----------
    paths : LinePaths
        Paths of muscles.
    own : sequence of int
        Those that are reported.
    more : sequence of Field
        Further fields.

    Attributes
    ----------
    histories : dict of MuscleHistory
        By muscle, over the frames of the present part.
    """

    def __init__(self, paths: Any, own: Sequence[int], more: Sequence[Field] = ()) -> None:
        self._paths, self._own = paths, own
        self._moved_by = [paths.moved_by(k) for k in own]
        self._fractions = np.linspace(0.0, 1.0, POINTS)
        self._last: dict[int, tuple[float, bytes, float, float]] = {}
        self.histories: dict[str, MuscleHistory] = {}
        self._fields: dict[int, dict[str, Field]] = {}
        for k, moved_by in zip(own, self._moved_by, strict=True):
            muscle = paths.muscles[k]
            fields = [*_OF_PATHS, *more]
            if by_network(muscle):
                fields[0] = fields[0]._replace(description=told_of(muscle))
            fields += [
                Field(f"moment_arm/{name}", "m" if unit == "rad" else "1",
                      f"moment arm about {name}", f"minus dlength/d{name}", (), "muscle")
                for name, unit, _ in moved_by
            ]  # fmt: skip
            self._fields[k] = {field.name: field for field in fields}

    def begin(self, n_frames: int) -> None:
        """Begin new histories, of the frames after those before."""
        self.histories = {}
        for k, fields in self._fields.items():
            muscle = self._paths.muscles[k]
            arrays = {name: np.empty(n_frames) for name in fields}
            path = np.empty((n_frames, POINTS, 3))
            self.histories[muscle.name] = MuscleHistory(fields, arrays, path, drawn_radius(muscle))

    def put(self, frame: int, at: At) -> None:
        """Store all muscles at a frame."""
        now = self._paths.at(at)
        for k, moved_by, own in zip(
            self._own, self._moved_by, self.histories.values(), strict=True
        ):
            own.arrays["length"][frame] = now.length[k]
            own.arrays["lengthening_speed"][frame] = now.speed[k]
            own.arrays["length_jump"][frame] = self._jump(k, at.t, now)
            for name, _, column in moved_by:
                own.arrays[f"moment_arm/{name}"][frame] = -now.by_q[k, column]
            own.path[frame] = self._paths.along(at, now, k, self._fractions)

    def _jump(self, k: int, t: float, paths: PlacedPaths) -> float:
        """Change of a length since the last frame beyond the mean of its rates [m], at a switch."""
        length, speed = float(paths.length[k]), float(paths.speed[k])
        switches, jump = self._paths.switches(k, paths.state), 0.0
        if k in self._last:
            before, known, last, rate = self._last[k]
            if switches != known:
                jump = length - last - 0.5 * (rate + speed) * (t - before)
        self._last[k] = t, switches, length, speed
        return jump


class MuscleReports(PathReports):
    """Histories of line muscles with a law, filled part by part, frame by frame."""

    def __init__(self, lines: Muscles) -> None:
        super().__init__(lines.paths, range(len(lines.muscles)), [_ACTIVATION, *lines.hill.fields])
        self._lines = lines

    def put(self, frame: int, at: At) -> None:
        """Store all muscles at a frame."""
        super().put(frame, at)
        now = self._lines.evaluate(at)
        outputs = self._lines.hill.outputs(
            now.paths.length, now.paths.speed, now.activation, now.state, now.rate
        )
        for k, own in enumerate(self.histories.values()):
            own.arrays["activation"][frame] = now.activation[k]
            for name in REPORTED:
                own.arrays[name][frame] = outputs[k, NAMES.index(name)]


def drawn_radius(muscle: LineMuscle) -> float:
    """Radius of the line of a muscle in pictures [m]."""
    return _THINNED * math.sqrt(muscle.max_isometric_force / (math.pi * _SPECIFIC_TENSION))

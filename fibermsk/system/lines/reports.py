"""What results report of line muscles, by OpenSim's names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from fibermsk._arrays import Array
from fibermsk.errors import PathError
from fibermsk.model import LineMuscle
from fibermsk.model.muscles.line_muscle import by_network
from fibermsk.results import Field, MuscleHistory
from fibermsk.system.contribution import AtFrames
from fibermsk.system.lines.frames import FramePaths, PathsOfFrames
from fibermsk.system.lines.hill import NAMES, REPORTED
from fibermsk.system.lines.networks import told_of
from fibermsk.system.lines.placed import PlacedPaths

if TYPE_CHECKING:
    from fibermsk.system.lines.paths import LinePaths

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
_COLUMNS = {name: NAMES.index(name) for name in REPORTED}
_ACTIVATION = Field("activation", "1", "activation", "0 to 1", (), "muscle")


class Muscles(Protocol):
    """Interface to the contribution of the line muscles with a law."""

    muscles: tuple[LineMuscle, ...]
    hill: Any

    def states_over(self, times: Sequence[float], states: Array, rates: Array) -> Array:
        """Activation, state and rate of each muscle in frames, (3, m, n_frames)."""
        ...


class PathReports:
    """Histories of line muscles without a law, filled part by part.

    Parameters
    ----------
    solver : PathsOfFrames
        Solves the paths of muscles in frames.
    own : sequence of int
        Those that are reported.
    more : sequence of Field
        Further fields.
    """

    def __init__(
        self, solver: PathsOfFrames, own: Sequence[int], more: Sequence[Field] = ()
    ) -> None:
        self._solver, self._own = solver, np.array(own, np.int64)
        self._paths = paths = solver.paths
        self._last: tuple[PlacedPaths | None, float] = None, 0.0
        self._histories: dict[str, MuscleHistory] = {}
        self._fields: dict[int, dict[str, Field]] = {}
        self._more = [field.name for field in more]
        arms = list[tuple[int, int]]()
        for k in own:
            moved_by = paths.moved_by(k)
            arms += [(k, column) for *_, column in moved_by]
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
        self._arms = np.array(arms, np.int64).reshape(-1, 2).T

    @property
    def histories(self) -> dict[str, MuscleHistory]:
        """Histories by muscle, over the frames of the present part."""
        return self._histories

    def solve(self, frames: AtFrames) -> list[tuple[int, PathError]]:
        """Fill new histories; frames without a solution of a path, which have NaN, and why."""
        found, shape = self._solver.solve(frames), (self._own.size, frames.t.size)
        # rows are those of the histories
        self._table = {
            "length": np.ascontiguousarray(found.length[:, self._own].T),
            "lengthening_speed": np.ascontiguousarray(found.speed[:, self._own].T),
            "length_jump": np.zeros(shape),
            **{name: np.empty(shape) for name in self._more},
        }
        jump = self._table["length_jump"]
        jump[:, list(found.failed)] = math.nan
        if frames.t.size:
            self._add_jumps(frames, found, jump)
            self._last = found.placed(frames.t.size - 1), float(frames.t[-1])
        arms = iter(np.ascontiguousarray(-found.by_q[:, self._arms[0], self._arms[1]].T))
        drawn = _Drawn(self._paths, found)
        self._histories = {}
        for row, (k, fields) in enumerate(self._fields.items()):
            muscle = self._paths.muscles[k]
            arrays = {
                name: self._table[name][row] if name in self._table else next(arms)
                for name in fields
            }
            known = {"fields": fields, "arrays": arrays, "radius": drawn_radius(muscle)}
            source = _PathOf(drawn, k, range(frames.t.size))
            self._histories[muscle.name] = MuscleHistory.deferred(source, **known)
        return list(found.failed.items())

    def _add_jumps(self, frames: AtFrames, found: FramePaths, jump: Array) -> None:
        """Changes of lengths since the last frame beyond the mean of their rates, at switches."""
        first = 0, *self._last  # after the last frame of the part before
        others = [(f, found.placed(f - 1), float(frames.t[f - 1])) for f in found.switched()]
        for f, before, then in [first, *others]:
            now = found.placed(f)
            if now is None or before is None:
                continue
            for row, k in enumerate(self._own.tolist()):
                if self._paths.switches(k, now.state) != self._paths.switches(k, before.state):
                    mean = 0.5 * float(before.speed[k] + now.speed[k])
                    change = float(now.length[k] - before.length[k])
                    jump[row, f] = change - mean * (float(frames.t[f]) - then)


class _Drawn(NamedTuple):
    """Solved paths of all frames; their points are found when they are asked for."""

    paths: LinePaths
    found: FramePaths


class _PathOf:
    """Points of one path over frames; a source of `fibermsk.results.deferred`."""

    names = ("path",)

    def __init__(self, drawn: _Drawn, k: int, frames: range) -> None:
        self._drawn, self._k, self._frames = drawn, k, frames

    def read(self, name: str) -> Array:
        """The points (n_frames, POINTS, 3) [m]; a new array."""
        fractions, found = np.linspace(0.0, 1.0, POINTS), np.empty(self.shape(name))
        for i, frame in enumerate(self._frames):
            placed, motion = self._drawn.found.placed(frame), self._drawn.found.motion
            if placed is None:
                found[i] = math.nan
                continue
            own = motion.frame(frame), placed, self._k, fractions
            found[i] = self._drawn.paths.at_fractions(*own)
        return found

    def shape(self, name: str) -> tuple[int, ...]:
        """Shape of the points."""
        return len(self._frames), POINTS, 3

    def at_frames(self, frames: slice) -> _PathOf:
        """The same path over some of the frames."""
        return _PathOf(self._drawn, self._k, self._frames[frames])


class MuscleReports(PathReports):
    """Histories of line muscles with a law, filled part by part."""

    def __init__(self, lines: Muscles, solver: PathsOfFrames) -> None:
        super().__init__(solver, range(len(lines.muscles)), [_ACTIVATION, *lines.hill.fields])
        self._lines = lines

    def solve(self, frames: AtFrames) -> list[tuple[int, PathError]]:
        """Fill new histories; frames without a solution of a path, which have NaN, and why."""
        failed, table = super().solve(frames), self._table
        if not frames.t.size:
            return failed
        given = self._lines.states_over(frames.t.tolist(), frames.states, frames.rates)
        paths, hill = (table["length"], table["lengthening_speed"]), self._lines.hill
        unknown = np.isnan(given[2])
        if unknown.any():
            # a compiled march does not record the rates: rows are these minus what the law gives
            rows = hill.forces(*paths, *given[:2], np.where(unknown, 0.0, given[2]))[:, :, 1]
            explicit = unknown & (rows[:, :, 5] == 1.0)
            given[2, explicit] = -rows[explicit, 0]
        outputs = hill.outputs(*paths, *given)
        table["activation"][:] = given[0]
        for name, column in _COLUMNS.items():
            table[name][:] = outputs[:, :, column]
        return failed


def drawn_radius(muscle: LineMuscle) -> float:
    """Radius of the line of a muscle in pictures [m]."""
    return _THINNED * math.sqrt(muscle.max_isometric_force / (math.pi * _SPECIFIC_TENSION))

"""Parameters by path, as numbers in a row."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.model import Mesh
from fibermsk.model.skeleton.body import shapes_of
from fibermsk.parameters import Parameter
from fibermsk.parameters.lookup import find
from fibermsk.parameters.places import Place
from fibermsk.system import FiberSystem

_SIZES = {"m": 0.01, "": 0.1, "N/m^2": 1e3, "N s/m^2": 1e2}
"""Size of numbers that are zero, by unit; 1 for others. Those of joint functions have no unit, and
may be lengths or angles."""

_LEAST = 0.1
"""Least size of numbers of both signs, over that of zero: computed geometry may be nearly zero."""

_SQUARE = 3, 3
"""Shape of rotations, and of inertias: of these, numbers below the diagonal follow those above."""

_INSIDE = 1e-6
"""Share of its size by which a number has to differ from an end that is not allowed."""

_ROTATION, _INERTIA, _FREE = "rotation", "inertia", (-np.inf, np.inf)
_DIRECTIONS = "axis", "direction", "normal"
_ANGLE, _LENGTH = 0.03, 0.01
"""Largest sizes of rotations and directions, and of lengths [m], in differences: where a bone's
mesh has edges, forces have kinks, so that steps stay below a micrometer."""

_SMALL = 1e-4
"""Angle [rad] below which series end after one term."""

_BESIDE = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
"""Paths of numbers beside the diagonal of an inertia."""


class Turn(NamedTuple):
    """A rotation matrix, turned about its own axes by a vector of angles [rad]."""

    base: tuple[float, ...]  # its nine numbers
    angles: tuple[float, float, float]

    def to(self, axis: int, angle: float) -> Turn:
        """The same with another angle about one axis."""
        x, y, z = (angle if k == axis else one for k, one in enumerate(self.angles))
        return self._replace(angles=(x, y, z))

    @property
    def matrix(self) -> Array:
        """The turned matrix (3, 3)."""
        turn = Rotation.from_rotvec(self.angles)
        turned: Array = np.reshape(self.base, _SQUARE) @ turn.as_matrix()
        return turned

    @property
    def slopes(self) -> Array:
        """Turn about the axes of the turned matrix with each angle, in columns (3, 3).

        By the right Jacobian of the exponential map; sinc(x) is sin(pi x) / (pi x).
        """
        x, y, z = self.angles
        K, angle = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]), math.hypot(x, y, z)
        second = 0.5 * np.sinc(0.5 * angle / np.pi) ** 2
        third = (1.0 - np.sinc(angle / np.pi)) / angle**2 if angle > _SMALL else 1.0 / 6.0
        found: Array = np.eye(3) - second * K + third * K @ K
        return found


class Entry(NamedTuple):
    """One number of a parameter; of a rotation, the angle about one of its own axes.

    The angles of a rotation are those of a vector, about the rotation that the model has. A
    direction may have any length, which the model does not keep.
    """

    path: str
    place: tuple[int, ...]  # within the array; () for a scalar
    value: float
    unit: str
    bounds: tuple[float, float]
    turn: Turn | None = None
    along: tuple[float, float, float] | None = None  # the whole vector of a direction

    @property
    def name(self) -> str:
        """Path, with the place in an array."""
        if self.turn is not None:
            return f"{self.path}[about {'xyz'[self.place[0]]}]"
        return self.path + (f"[{', '.join(map(str, self.place))}]" if self.place else "")


def entries_of(system: FiberSystem, paths: str | Iterable[str]) -> tuple[Entry, ...]:
    """All numbers at paths and patterns, each once; refused if there is none."""
    what = "a path or several"
    _check.instance("gradient", "parameters", paths, (str, tuple, list, set, Mapping), what)
    wanted = [paths] if isinstance(paths, str) else list(paths)
    if not wanted:
        _check.refuse("gradient", "parameters", paths, "name one path or more")
    found = dict[Any, Entry]()
    for path in wanted:
        _check.instance("gradient", "path of a parameter", path, str, "a text")
        for parameter in system.parameters.match(path).values():
            place = find(system.model, parameter.path)[0]
            for one in _entries(parameter, place):
                # "com" and "com/y" name the same number
                at = (*place.entry, *one.place)
                found.setdefault((id(place.root), place.steps, at, one.turn is None), one)
    return _in_arrays(system, tuple(found.values()))


def _in_arrays(system: FiberSystem, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Entries in which a number of an array that is named as a whole too has its path."""
    places = [find(system.model, one.path)[0] for one in entries]
    whole = {
        (id(place.root), place.steps): one.path
        for one, place in zip(entries, places, strict=True)
        if one.place and not place.entry and one.turn is None
    }
    return tuple(
        one
        if not place.entry or (path := whole.get((id(place.root), place.steps))) is None
        else one._replace(path=path, place=(*place.entry, *one.place))
        for one, place in zip(entries, places, strict=True)
    )


def _entries(parameter: Parameter, place: Place) -> list[Entry]:
    value, path = np.asarray(parameter.value, float), parameter.path
    if place.number is not None and place.number.check is _check.unit_vector:
        x, y, z = value.tolist()
        ways = enumerate((x, y, z))
        return [
            Entry(path, (k,), one, parameter.unit, parameter.bounds, along=(x, y, z))
            for k, one in ways
        ]
    if value.shape == _SQUARE and path.rpartition("/")[2] == _ROTATION:
        turn = Turn(tuple(value.ravel().tolist()), (0.0, 0.0, 0.0))
        return [Entry(path, (axis,), 0.0, "rad", _FREE, turn) for axis in range(3)]
    return [
        Entry(path, at, float(value[at]), parameter.unit, parameter.bounds)
        for at in np.ndindex(value.shape) if value.shape != _SQUARE or at[0] <= at[1]
    ]  # fmt: skip


def size_of(system: FiberSystem, entry: Entry) -> float:
    """Size of a number, which is that of its unit where it is zero or nearly so.

    Beside the diagonal of an inertia it is that of the numbers on it.
    """
    path, _, last = entry.path.rpartition("/")
    if path.endswith(_INERTIA) and last in _BESIDE:
        return _on_diagonal(system, path, _BESIDE[last])
    if entry.path.endswith(_INERTIA) and len(set(entry.place)) == 2:
        return _on_diagonal(system, entry.path, entry.place)
    if entry.path.endswith(_INERTIA) or path.endswith(_INERTIA):
        return _room(system, entry.path if entry.place else path)
    zero = _SIZES.get(entry.unit, 1.0)
    if entry.bounds[0] < 0.0:
        return max(abs(entry.value), _LEAST * zero) if entry.value else zero
    return abs(entry.value) or zero


def size_of_steps(system: FiberSystem, entry: Entry) -> float:
    """Size by which steps of differences are measured."""
    size = size_of(system, entry)
    if not _touches_meshes(system):
        return size
    if entry.turn is not None or entry.path.rpartition("/")[2] in _DIRECTIONS:
        return min(size, _ANGLE)
    return min(size, _LENGTH) if entry.unit == "m" else size


def _touches_meshes(system: FiberSystem) -> bool:
    model = system.model
    return bool(model.contacts) and any(
        isinstance(shape, Mesh) for body in model.bodies for shape in shapes_of(body)
    )


def search_bounds(system: FiberSystem, entry: Entry, size: float) -> tuple[float, float]:
    """Bounds for an optimizer: by a part of the size inside of ends that are not allowed."""
    if entry.turn is not None:
        return entry.bounds
    allowed, (low, high) = system.parameters[entry.path].range, entry.bounds
    inside = _INSIDE * size
    return (
        low + inside if allowed.startswith("(") else low,
        high - inside if allowed.endswith(")") else high,
    )


def _on_diagonal(system: FiberSystem, path: str, place: tuple[int, ...]) -> float:
    own = np.diag(np.asarray(system.parameters[path].value))[list(place)]
    return float(np.sqrt(own.prod()))


def _room(system: FiberSystem, path: str) -> float:
    """Least of the principal moments, and of what each may still grow by: it keeps all valid."""
    moments = np.linalg.eigvalsh(np.asarray(system.parameters[path].value))
    room = moments[0] + moments[1] - moments[2]
    return float(max(min(moments[0], room), _LEAST * moments[2]))


def values_with(system: FiberSystem, entries: Sequence[Entry], new: Array) -> dict[str, object]:
    """Values by path for `with_parameters`, with other numbers at some entries."""
    found = dict[str, Array]()
    for entry, value in zip(moved(entries, new), new, strict=True):
        whole = entry.along if entry.turn is None else entry.turn.matrix
        if whole is not None:
            found[entry.path] = np.array(whole)
            continue
        if entry.path not in found:
            found[entry.path] = np.array(system.parameters[entry.path].value, float)
        found[entry.path][entry.place] = value
        if found[entry.path].shape == _SQUARE:
            found[entry.path][entry.place[::-1]] = value
    return {path: one if one.shape else float(one) for path, one in found.items()}


def moved(entries: Sequence[Entry], new: Array) -> tuple[Entry, ...]:
    """The entries with other values."""
    turns, ways = dict[str, Turn](), dict[str, tuple[float, float, float]]()
    for entry, value in zip(entries, new.tolist(), strict=True):
        if entry.along is not None:
            given = ways.get(entry.path, entry.along)
            x, y, z = (value if k == entry.place[0] else one for k, one in enumerate(given))
            ways[entry.path] = x, y, z
        if entry.turn is not None:
            turn = turns.get(entry.path, entry.turn)
            turns[entry.path] = turn.to(entry.place[0], value)
    return tuple(
        one._replace(value=value, turn=turns.get(one.path), along=ways.get(one.path))
        for one, value in zip(entries, new.tolist(), strict=True)
    )

"""Lengths and moment arms of line muscles in poses."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.model import LineMuscle, Model
from fibermsk.system.lines.paths import LinePaths
from fibermsk.system.skeleton.skeleton import Skeleton


class MuscleGeometry:
    """Paths of some muscles; winding angles are followed from one pose to the next.

    Raises
    ------
    ModelError
        If a muscle has a path that cannot be computed.
    """

    def __init__(self, skeleton: Skeleton, muscles: Sequence[LineMuscle]) -> None:
        self._skeleton, self.muscles = skeleton, tuple(muscles)
        self._paths = LinePaths(skeleton, self.muscles)

    def at(self, q: Array, p: Array) -> tuple[Array, Array, Array]:
        """Lengths (m,) [m], their rates (m,) [m/s] and moment arms (m, n) [m or 1]."""
        motion = self._skeleton.evaluate(q, p, 0.0 * p)
        placed = self._paths.place(motion, q, p)
        self._paths.keep(placed)
        return placed.length, placed.speed, -placed.by_q


def chosen(model: Model, muscles: str | Sequence[str] | None) -> tuple[LineMuscle, ...]:
    """Line muscles by name or pattern, all by default, in the order of the model."""
    owner = f"model {model.name!r}"
    if not model.muscles:
        raise ModelError(f"{owner}: has no line muscle; must have one or more")
    if muscles is None:
        return model.muscles
    what = "names of muscles, or patterns"
    patterns = [muscles] if isinstance(muscles, str) else muscles
    patterns = _check.items(owner, "muscles", patterns, str, "a name or pattern", what)
    if not patterns:
        _check.refuse(owner, "muscles", muscles, "be one name or more")
    found = set[str]()
    for pattern in patterns:
        own = {one.name for one in model.muscles if fnmatchcase(one.name, pattern)}
        found |= own or {model.muscle(pattern).name}
    return tuple(one for one in model.muscles if one.name in found)

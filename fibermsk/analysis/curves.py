"""Lengths, moment arms and isometric forces of line muscles over the range of a coordinate."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._shown import Described
from fibermsk._warn import warn
from fibermsk.analysis.frame import chosen, free_coordinate
from fibermsk.analysis.gaps import Gap, sweep
from fibermsk.analysis.jumps import Jump, jumps_of
from fibermsk.analysis.laws import rigid_law
from fibermsk.errors import ModelWarning, PathError
from fibermsk.model import LineMuscle, Model
from fibermsk.system.lines.batch import MuscleGeometry
from fibermsk.system.skeleton.free import free_model
from fibermsk.system.skeleton.skeleton import Skeleton

_STATIC = ("normalized_fiber_length", "active_fiber_force", "passive_fiber_force", "tendon_force")


@dataclass(frozen=True, eq=False, repr=False)
class MuscleCurves(Described):
    """Curves of muscles over one coordinate.

    Attributes
    ----------
    coordinate, unit : str
        Name of the coordinate, and its unit.
    values : (n,) float array
        Its values [rad or m].
    length : dict of (n,) float array
        Length of each path [m]; NaN, as the numbers below, in poses without a path.
    moment_arm : dict of (n,) float array
        -d length / d coordinate [m, or 1 for a translation]; positive where pulling increases it.
    isometric : dict of dict of (n,) float array
        By muscle, at full activation, at rest and with a rigid tendon: normalized_fiber_length,
        active_fiber_force, passive_fiber_force and tendon_force [N].
    jumps : tuple of Jump
        Where lengths jump by more than 0.1 mm: a conditional path point or a cylinder of finite
        length starts or ceases to act, or the path passes to another side of a surface.
    gaps : tuple of Gap
        Muscles without a path in some poses: muscle, number of these poses, and number, value of
        the coordinate and reason of the first one. No jumps are looked for across them.
    """

    coordinate: str
    unit: str
    values: Array
    length: dict[str, Array]
    moment_arm: dict[str, Array]
    isometric: dict[str, dict[str, Array]]
    jumps: tuple[Jump, ...] = ()
    gaps: tuple[Gap, ...] = ()

    def columns(self) -> dict[str, Array]:
        """Columns of a table: the coordinate, ``<muscle>/length`` and ``<muscle>/moment_arm``."""
        found = {self.coordinate: self.values}
        for name in self.length:
            found[f"{name}/length"] = self.length[name]
            found[f"{name}/moment_arm"] = self.moment_arm[name]
        return found


def muscle_curves(
    model: Model,
    coordinate: str,
    *,
    over: tuple[float, float, int] | None = None,
    muscles: str | Sequence[str] | None = None,
    at: Mapping[str, float] | None = None,
) -> MuscleCurves:
    """Compute lengths, moment arms and isometric forces over the range of a coordinate.

    Parameters
    ----------
    model : Model
        The model.
    coordinate : str
        A coordinate that is free: neither locked, coupled nor prescribed. What is coupled to it
        moves with it, and counts in the moment arm.
    over : (from, to, n), optional
        First and last value [rad or m] and number of values, two or more; by default 101 over the
        declared range.
    muscles : str or sequence of str, optional
        Names or patterns; by default all.
    at : mapping of str to float, optional
        Values of other coordinates; by default their initial ones.

    Returns
    -------
    curves : MuscleCurves

    Raises
    ------
    ModelError
        If a name is unknown, the coordinate is not free or declares no range, a path cannot be
        computed, or none of the muscles has a path in any pose.

    Warns
    -----
    ModelWarning
        If a muscle has no path in some poses, or `over` goes beyond the declared range by more
        than 1 % of its width.
    """
    model = free_model(model)
    skeleton = Skeleton(model)
    k = free_coordinate("muscle_curves", model, skeleton, coordinate)
    own = chosen(model, muscles)
    values = np.linspace(*_range(model, coordinate, over))
    _check.instance("muscle_curves", "at", at, (Mapping, type(None)), "a dict or None")
    q = np.tile(skeleton.q_of(None if at is None else dict(at)), (values.size, 1))
    geometry = MuscleGeometry(skeleton, own)
    length, arm = np.empty((2, len(own), values.size))
    refused = [dict[int, PathError]() for _ in own]
    # outward from the initial value, so that windings follow
    start = int(np.argmin(np.abs(values - q[0, k])))
    q[:, k] = values
    jumps: list[Jump] = []
    for way in (np.arange(start, values.size), np.arange(start, -1, -1)):
        found = sweep(geometry, skeleton, q[way], k)
        length[:, way], arm[:, way] = found.length.T, found.moment_arm.T
        for kept, new in zip(refused, found.refused, strict=True):
            kept.update((int(way[at]), error) for at, error in new.items())
        jumps += jumps_of(skeleton, own, q[way], k, found.length, found.moment_arm)
    if all(len(poses) == values.size for poses in refused):
        raise PathError(
            f"no pose has a path; {coordinate} = {values[0]:g} {skeleton.units[coordinate]}: "
            f"{refused[0][0]}",
            reason=refused[0][0].reason,
        )
    names = [one.name for one in own]
    gaps = [_gap(name, poses, values) for name, poses in zip(names, refused, strict=True) if poses]
    for gap in gaps:
        text = (
            f"line muscle {gap.muscle!r} has no path in {gap.poses} of {values.size} poses, and "
            f"values there are NaN; the first is at {coordinate} = {gap.value:.6g} "
            f"{skeleton.units[coordinate]}: {gap.reason}"
        )
        warn(ModelWarning(text, kind="line_muscles", fiber=gap.muscle))
    return MuscleCurves(
        coordinate=coordinate,
        unit=skeleton.units[coordinate],
        values=values,
        length=dict(zip(names, length, strict=True)),
        moment_arm=dict(zip(names, arm, strict=True)),
        isometric={one.name: _isometric(one, its) for one, its in zip(own, length, strict=True)},
        jumps=tuple(sorted(jumps, key=lambda jump: (jump.muscle, jump.value))),
        gaps=tuple(gaps),
    )


def _gap(name: str, refused: Mapping[int, PathError], values: Array) -> Gap:
    """The poses of a muscle without a path, by number."""
    first = min(refused)
    reason = str(refused[first]).removeprefix(f"line muscle {name!r}: ")
    return Gap(name, len(refused), first, float(values[first]), reason)


def _isometric(muscle: LineMuscle, length: Array) -> dict[str, Array]:
    """Forces [N] and fiber lengths of a muscle at path lengths (n,); NaN where these are."""
    law, found = rigid_law(muscle), {key: np.full(length.size, np.nan) for key in _STATIC}
    for at in np.flatnonzero(np.isfinite(length)):
        one = law.describe(muscle, float(length[at]), 0.0, 1.0)
        for key in _STATIC:
            found[key][at] = one[key]
    return found


def _range(
    model: Model, name: str, over: tuple[float, float, int] | None
) -> tuple[float, float, int]:
    """First and last value, and number of values."""
    one = model.coordinate(name)
    if over is None:
        if one.lower is None or one.upper is None or not one.lower < one.upper:
            ends = (one.lower, one.upper)
            _check.refuse(
                f"coordinate {name!r}", "declared range", ends, "have two ends",
                remedy="give over=(from, to, n), or --range FROM:TO:N",
            )  # fmt: skip
        return one.lower, one.upper, 101
    _check.instance("muscle_curves", "over", over, (tuple, list), "a tuple (from, to, n)")
    if len(over) != 3:
        _check.refuse("muscle_curves", "over", over, "be a tuple (from, to, n)")
    first = _check.number("muscle_curves", "over[0]", over[0], one.unit)
    last = _check.number("muscle_curves", "over[1]", over[1], one.unit)
    n = _check.count("muscle_curves", "over[2]", over[2], 100_000)
    if n < 2 or first == last:
        must = "be two different values and a number of two or more"
        _check.refuse("muscle_curves", "over", tuple(over), must)
    low, high = min(first, last), max(first, last)
    lower = -math.inf if one.lower is None else one.lower
    upper = math.inf if one.upper is None else one.upper
    # limits are typed with few digits
    slack = 0.01 * (upper - lower if math.isfinite(upper - lower) else high - low)
    if low < lower - slack or high > upper + slack:
        text = (
            f"coordinate {name!r}: the range {first:g} to {last:g} {one.unit} goes beyond the "
            f"declared range {lower:g} to {upper:g} {one.unit}"
        )
        warn(ModelWarning(text))
    return first, last, n

"""Lengths, moment arms and isometric forces of line muscles over the range of a coordinate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.analysis.frame import chosen, free_coordinate
from fibermsk.analysis.jumps import Jump, jumps_of
from fibermsk.analysis.laws import rigid_law
from fibermsk.errors import PathError
from fibermsk.model import Model
from fibermsk.system.lines.batch import MuscleGeometry
from fibermsk.system.skeleton.free import free_model
from fibermsk.system.skeleton.skeleton import Skeleton

_STATIC = ("normalized_fiber_length", "active_fiber_force", "passive_fiber_force", "tendon_force")


@dataclass(frozen=True, eq=False)
class MuscleCurves:
    """Curves of muscles over one coordinate.

    Attributes
    ----------
    coordinate, unit : str
        Name of the coordinate, and its unit.
    values : (n,) float array
        Its values [rad or m].
    length : dict of (n,) float array
        Length of each path [m].
    moment_arm : dict of (n,) float array
        -d length / d coordinate [m, or 1 for a translation]; positive where pulling increases it.
    isometric : dict of dict of (n,) float array
        By muscle, at full activation, at rest and with a rigid tendon: normalized_fiber_length,
        active_fiber_force, passive_fiber_force and tendon_force [N].
    jumps : tuple of Jump
        Where lengths jump by more than 0.1 mm: a conditional path point or a cylinder of finite
        length starts or ceases to act, or the path passes to another side of a surface.
    """

    coordinate: str
    unit: str
    values: Array
    length: dict[str, Array]
    moment_arm: dict[str, Array]
    isometric: dict[str, dict[str, Array]]
    jumps: tuple[Jump, ...] = ()

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
        If a name is unknown, the coordinate is not free or declares no range, or a path has no
        solution or cannot be computed.
    """
    model = free_model(model)
    skeleton = Skeleton(model)
    k = free_coordinate("muscle_curves", model, skeleton, coordinate)
    own = chosen(model, muscles)
    values = np.linspace(*_range(model, coordinate, over))
    _check.instance("muscle_curves", "at", at, (Mapping, type(None)), "a dict or None")
    q = np.tile(skeleton.q_of(None if at is None else dict(at)), (values.size, 1))
    geometry = MuscleGeometry(skeleton, own)
    length, arm = np.empty((len(own), values.size)), np.empty((len(own), values.size))
    # outward from the initial value, so that windings follow
    start = int(np.argmin(np.abs(values - q[0, k])))
    q[:, k] = values
    jumps: list[Jump] = []
    for way in (np.arange(start, values.size), np.arange(start, -1, -1)):
        try:
            found = geometry.at(q[way], follow=True)
        except PathError as error:
            at_value = values[way[error.pose or 0]]
            raise PathError(
                f"{coordinate} = {at_value:g} {skeleton.units[coordinate]}: {error.__cause__}",
                reason=error.reason,
            ) from error
        length[:, way], arm[:, way] = found.length.T, found.moment_arm[:, :, k].T
        jumps += jumps_of(geometry, q[way], k, found.length, found.moment_arm[:, :, k])
    names = [one.name for one in own]
    isometric = dict[str, dict[str, Array]]()
    for muscle, lengths in zip(own, length, strict=True):
        law = rigid_law(muscle)
        found = [law.describe(muscle, float(one), 0.0, 1.0) for one in lengths]
        isometric[muscle.name] = {key: np.array([one[key] for one in found]) for key in _STATIC}
    return MuscleCurves(
        coordinate=coordinate,
        unit=skeleton.units[coordinate],
        values=values,
        length=dict(zip(names, length, strict=True)),
        moment_arm=dict(zip(names, arm, strict=True)),
        isometric=isometric,
        jumps=tuple(sorted(jumps, key=lambda jump: (jump.muscle, jump.value))),
    )


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
    return first, last, n

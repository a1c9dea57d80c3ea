"""Generalized coordinates: what the joints of a model are moved by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from fibermsk import _check
from fibermsk.laws.coordinate import Damper, QuadraticLimit, SmoothLimit, Spring
from fibermsk.model.function import Function, check_function, largest_jump

__all__ = ["Coordinate", "CoordinateLaw"]

CoordinateLaw = Spring | Damper | QuadraticLimit | SmoothLimit

SMOOTH = 1e-9
"""Jump over size that counts as round-off."""

UNITS = {"rotation": "rad", "translation": "m", "quaternion": "1"}


@dataclass(frozen=True, eq=False)
class Coordinate:
    """One generalized coordinate.

    Parameters
    ----------
    name : str
        Name, unique among the coordinates of a model.
    kind : {"rotation", "translation", "quaternion"}
        Its unit: rad, m or none. Quaternions come with `Spherical` and `Free` joints.
    value, speed : float
        The coordinate and its rate at the start.
    lower, upper : float, optional
        Declared range; nothing holds the coordinate there but `forces`.
    forces : sequence of Spring, Damper, QuadraticLimit or SmoothLimit
        Generalized forces that depend on this coordinate alone; stored as a tuple.
    locked : bool
        Held at its value.
    prescribed : Function, optional
        Held at a function of time [s], whose value and slope do not jump; it gives the value and
        the speed at the start.

    Raises
    ------
    ModelError
        If a field lies outside its range.
    """

    name: str
    kind: str = "rotation"
    value: float = 0.0
    speed: float = 0.0
    _: KW_ONLY
    lower: float | None = None
    upper: float | None = None
    forces: CoordinateLaw | Sequence[CoordinateLaw] = ()
    locked: bool = False
    prescribed: Function | None = None

    def __post_init__(self) -> None:
        """Check the fields and store them as floats and tuples."""
        owner = f"coordinate {_check.item_name('coordinate', self.name)!r}"
        _check.choice(owner, "kind", self.kind, UNITS)
        unit = UNITS[self.kind]
        ends = {
            end: None if value is None else _check.number(owner, end, value, unit)
            for end, value in (("lower", self.lower), ("upper", self.upper))
        }
        lower, upper = ends["lower"], ends["upper"]
        if lower is not None and upper is not None and upper < lower:
            _check.refuse(owner, "upper", upper, f"be at least lower = {lower}", unit=unit)
        locked = _check.flag(owner, "locked", self.locked)
        forces = _check_forces(owner, self.forces)
        value = _check.number(owner, "value", self.value, unit)
        speed = _check.number(owner, "speed", self.speed, f"{unit}/s")
        _check.store(self, value=value, speed=speed, forces=forces, locked=locked, **ends)
        if self.prescribed is not None:
            self._check_prescribed(owner)
        if self.kind == "quaternion" and (self.forces or self.locked or self.prescribed):
            field = "forces" if self.forces else "locked" if self.locked else "prescribed"
            must, remedy = "be left out for a part of a quaternion", "a Weld holds a body"
            _check.refuse(owner, field, getattr(self, field), must, remedy=remedy)
        if self.locked and speed != 0.0:
            _check.refuse(owner, "speed", speed, "be 0 for a locked coordinate", unit=f"{unit}/s")

    def _check_prescribed(self, owner: str) -> None:
        """Check that a motion can be followed, and that nothing else sets the coordinate."""
        motion: Any = check_function(owner, "prescribed", self.prescribed)
        if self.locked:
            must = "be left out for a locked coordinate"
            _check.refuse(owner, "prescribed", motion, must)
        for order, what in ((0, "value"), (1, "slope")):
            if largest_jump(motion, order) > SMOOTH:
                must = f"be a function whose {what} does not jump"
                remedy = "a NaturalSpline goes smoothly through points"
                _check.refuse(owner, "prescribed", motion, must, remedy=remedy)
        for name, given in (("value", self.value), ("speed", self.speed)):
            if given != 0.0:
                must = "be left out where the coordinate is prescribed, which gives it"
                _check.refuse(owner, name, given, must)

    @property
    def unit(self) -> str:
        """Unit of the value."""
        return UNITS[self.kind]

    @property
    def laws(self) -> tuple[CoordinateLaw, ...]:
        """The forces, a tuple since the coordinate was made."""
        forces: Any = self.forces
        return forces


def _check_forces(owner: str, value: Any) -> tuple[CoordinateLaw, ...]:
    """Tuple of one law or of a sequence of laws."""
    kinds = (Spring, Damper, QuadraticLimit, SmoothLimit)
    what = "a Spring, a Damper, a QuadraticLimit or a SmoothLimit"
    if isinstance(value, kinds):
        return (value,)
    _check.instance(owner, "forces", value, (tuple, list), f"{what}, or a sequence of them")
    for i, law in enumerate(value):
        _check.instance(owner, f"forces[{i}]", law, kinds, what)
    return tuple(value)

"""Generalized coordinates of the joints of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from fibermsk import _check
from fibermsk._numbers import checked, fixed, number
from fibermsk._shown import Described
from fibermsk.laws.checking import check_coordinate_law
from fibermsk.laws.coordinate import Damper, QuadraticLimit, SmoothLimit, Spring
from fibermsk.laws.own import CoordinateLaw
from fibermsk.model.function import Function, check_function, largest_jump

_BUILT_IN = (Spring, Damper, QuadraticLimit, SmoothLimit)

_RANGE = {"rotation": 3.0, "translation": 1.0}
"""Half range over which user-defined laws are checked if none is declared [rad or m]."""

SMOOTH = 1e-9
"""Relative jump that counts as round-off."""

UNITS = {"rotation": "rad", "translation": "m", "quaternion": "1"}

_DECLARED = "a declared range enters no equation; only the laws of the coordinate do"


def _is_prescribed(one: Coordinate) -> str:
    return "" if one.prescribed is None else "the prescribed motion sets it"


def _is_held(one: Coordinate) -> str:
    return "a locked coordinate has none" if one.locked else _is_prescribed(one)


@dataclass(frozen=True, eq=False, repr=False)
class Coordinate(Described):
    """One generalized coordinate.

    Parameters
    ----------
    name : str
        Name, unique among the coordinates of a model.
    kind : {"rotation", "translation", "quaternion"}
        Its unit: rad, m or none. Quaternions come with `Spherical` and `Free` joints.
    value, speed : float
        Initial value and rate.
    lower, upper : float, optional
        Declared range; it is not enforced, except by `forces`.
    forces : sequence of Spring, Damper, QuadraticLimit, SmoothLimit or CoordinateLaw
        Generalized forces that depend on this coordinate alone; stored as a tuple. A user-defined
        law is checked over the declared range, or 3 rad or 1 m on both sides of the value.
    locked : bool
        Whether it is fixed at its value.
    prescribed : Function, optional
        Function of time [s] that it follows, continuously differentiable; it sets the initial value
        and speed.
    """

    name: str
    kind: str = "rotation"
    value: float = number(lambda one: UNITS[one.kind], unless=_is_prescribed, default=0.0)
    speed: float = number(lambda one: f"{UNITS[one.kind]}/s", unless=_is_held, default=0.0)
    _: KW_ONLY
    lower: float | None = fixed(_DECLARED, default=None)
    upper: float | None = fixed(_DECLARED, default=None)
    forces: CoordinateLaw | Sequence[CoordinateLaw] = ()
    locked: bool = False
    prescribed: Function | None = None

    def __post_init__(self) -> None:
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
        _check.store(self, **checked(self, owner), forces=forces, locked=locked, **ends)
        self._check_laws(owner)
        if self.prescribed is not None:
            self._check_prescribed(owner)
        if self.kind == "quaternion" and (self.forces or self.locked or self.prescribed):
            field = "forces" if self.forces else "locked" if self.locked else "prescribed"
            must, remedy = "be left out for a part of a quaternion", "a Weld fixes a body"
            _check.refuse(owner, field, getattr(self, field), must, remedy=remedy)
        if self.locked and self.speed != 0.0:
            _check.refuse(
                owner, "speed", self.speed, "be 0 for a locked coordinate", unit=f"{unit}/s"
            )

    def _check_laws(self, owner: str) -> None:
        """Check the derivatives of user-defined laws."""
        reach = _RANGE.get(self.kind, 1.0)
        lower = self.value - reach if self.lower is None else self.lower
        upper = self.value + reach if self.upper is None else self.upper
        if not lower < upper:
            lower, upper = lower - reach, upper + reach
        for i, law in enumerate(self.laws):
            if not isinstance(law, _BUILT_IN):
                label = f"{owner}: forces[{i}]: law {type(law).__name__!r}"
                check_coordinate_law(label, law, lower, upper, self.unit)

    def _check_prescribed(self, owner: str) -> None:
        """Check that a motion is smooth, and that nothing else sets the coordinate."""
        motion: Any = check_function(owner, "prescribed", self.prescribed)
        if self.locked:
            must = "be left out for a locked coordinate"
            _check.refuse(owner, "prescribed", motion, must)
        for order, what in ((0, "value"), (1, "slope")):
            if largest_jump(motion, order) > SMOOTH:
                must = f"be a function whose {what} is continuous"
                remedy = "a NaturalSpline interpolates points smoothly"
                _check.refuse(owner, "prescribed", motion, must, remedy=remedy)
        for name, given in (("value", self.value), ("speed", self.speed)):
            if given != 0.0:
                must = "be left out for a prescribed coordinate, whose motion sets it"
                _check.refuse(owner, name, given, must)

    @property
    def unit(self) -> str:
        """Unit of the value."""
        return UNITS[self.kind]

    @property
    def laws(self) -> tuple[CoordinateLaw, ...]:
        """The forces as a tuple."""
        forces: Any = self.forces
        return forces


def _check_forces(owner: str, value: Any) -> tuple[CoordinateLaw, ...]:
    """Tuple of one law or of a sequence of laws."""
    what = "a Spring, a Damper, a QuadraticLimit, a SmoothLimit or a user-defined law"
    if _is_law(value):
        return (value,)
    _check.instance(owner, "forces", value, (tuple, list), f"{what}, or a sequence of them")
    for i, law in enumerate(value):
        if not _is_law(law):
            _check.refuse(owner, f"forces[{i}]", law, f"be {what}")
    return tuple(value)


def _is_law(value: Any) -> bool:
    return callable(value) and not isinstance(value, type)

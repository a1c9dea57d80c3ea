"""Curves of active stress: checks of user-defined ones, and values."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from fibermsk import _check
from fibermsk.laws.checking import check_function
from fibermsk.laws.derivatives import value_and_slope
from fibermsk.laws.force_length import BellForceLength, DeGrooteForceLength, GaussianForceLength
from fibermsk.laws.force_velocity import DeGrooteForceVelocity, HillForceVelocity
from fibermsk.laws.own import check_constants, law_digest, law_label

BUILT_IN_CURVES = {
    "force_length": (DeGrooteForceLength, BellForceLength, GaussianForceLength),
    "force_velocity": (DeGrooteForceVelocity, HillForceVelocity),
}
"""Curves of the package by the field of `HillStress`; tests check their derivatives."""

_RANGES = {"force_length": ("length", 0.5, 2.0), "force_velocity": ("velocity", -1.5, 1.5)}
"""Argument of each curve, and the range in which user-defined ones are checked."""

_ISOMETRIC = 0.01
"""Difference from one that a curve may have at a velocity of zero: De Groote's has 1e-5."""


def check_curve(owner: str, field: str, curve: Any) -> None:
    """Check a curve of active stress; of a user-defined one also values and derivatives.

    Raises
    ------
    ModelError
        If it is not a frozen dataclass of numbers with a method `factor`, if the factor is negative
        or not finite, or its derivative is wrong; the message names the curve and the point.
    """
    if type(curve) in BUILT_IN_CURVES[field]:
        return
    for other, kinds in BUILT_IN_CURVES.items():
        if type(curve) in kinds:
            must = f"be a curve of {field.replace('_', '-')}, and is one of {other}"
            _check.refuse(owner, field, curve, must.replace("_", "-"))
    check_constants(owner, field, curve, ("factor",))
    _check_own(owner, field, curve, law_digest(type(curve), ("factor",)))


@lru_cache(maxsize=256)  # by the digest too: functions that the curve calls may change
def _check_own(owner: str, field: str, curve: Any, _digest: str) -> None:
    label = f"{owner}: {field}: curve {law_label(type(curve))!r}"
    argument, least, most = _RANGES[field]
    check_function(label, "factor", curve, argument, least, most)
    if field == "force_velocity":
        isometric = curve_at(curve, 0.0)[0]
        if not abs(isometric - 1.0) <= _ISOMETRIC:
            _check.refuse(label, "factor at a velocity of 0", isometric, "be 1")


def curve_at(curve: Any, x: float) -> tuple[float, ...]:
    """Factor of a checked curve, and its derivative."""
    return value_and_slope(curve, "factor", x)

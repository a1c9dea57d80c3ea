"""Table of plausible numbers of models, with likely mistakes for others.

Everything is in SI units. Numbers outside these ranges are used, with a warning, since they are
most often in other units. The ranges are wide: from insects to elephants, and from muscle to steel.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from fibermsk import _check
from fibermsk._warn import warn
from fibermsk.errors import ModelWarning


class Rule(NamedTuple):
    """Plausible range of the absolute value of one quantity; zero is also plausible."""

    least: float
    most: float
    unit: str  # of both ends
    below: str  # likely mistake of a number below, as a question
    above: str  # and of one above
    negligible: float = 0.0  # absolute values up to here count as zero, on purpose


class Quantity(NamedTuple):
    """A number of a model that has a rule, with its object and field for messages."""

    owner: str
    field: str
    rule: str  # its name
    value: float  # in the unit of the rule

    @property
    def is_plausible(self) -> bool:
        """Whether the number obeys its rule, or counts as zero."""
        rule, size = RULES[self.rule], abs(self.value)
        return size <= rule.negligible or rule.least <= size <= rule.most

    def __str__(self) -> str:
        """Message about an implausible number."""
        rule = RULES[self.rule]
        unit = f" {rule.unit}" if rule.unit else ""
        small = abs(self.value) < rule.least
        end, mistake = ("least", rule.below) if small else ("most", rule.above)
        span = f"at {end} {getattr(rule, end):g}{unit}"
        return f"{self.owner}: {self.field} = {self.value:.6g}{unit}; plausible: {span}; {mistake}"


_MM = "in mm? divide by 1000"
_DEGREES = "in degrees? np.deg2rad converts"
_KPA = "in kPa, N/cm^2 or MPa? give N/m^2"
_MS = "in ms? divide by 1000"

RULES = {
    # places and sizes
    "place": Rule(0.0, 10.0, "m", "", _MM),
    "fiber length": Rule(5e-4, 5.0, "m", "in another unit than m?", _MM),
    "fiber radius": Rule(1e-6, 0.1, "m", "in another unit than m?", f"{_MM}, or a diameter?"),
    "slenderness": Rule(1.0, math.inf, "", "a radius in mm, or a diameter?", ""),
    "bone size": Rule(1e-3, 5.0, "m", "in another unit than m?", f"{_MM}: scale=1e-3"),
    "bone radius": Rule(1e-4, 1.0, "m", "in another unit than m?", _MM),
    # bodies
    "gravity": Rule(0.1, 50.0, "m/s^2", "in another unit than m/s^2?", "in mm/s^2 or cm/s^2?"),
    "mass": Rule(1e-4, 1e3, "kg", "in t? give kg", "in g? divide by 1000"),
    "radius of gyration": Rule(
        1e-4, 5.0, "m", "inertia and mass in one system of units?",
        "inertia in kg cm^2 or kg mm^2, or mass in t? give kg m^2",
    ),
    "gyration over size": Rule(
        0.01, 3.0, "", "inertia in another unit than kg m^2, or a shape in mm?",
        "inertia in another unit than kg m^2, or not about the center of mass?",
    ),
    # coordinates
    "angle": Rule(0.0, 6.3, "rad", "", _DEGREES),
    "angular speed": Rule(0.0, 200.0, "rad/s", "", "in degrees/s? np.deg2rad converts"),
    "translation": Rule(0.0, 10.0, "m", "", _MM),
    "speed": Rule(0.0, 100.0, "m/s", "", _MM),
    # tissue
    "density": Rule(200.0, 1e5, "kg/m^3", "in g/cm^3? multiply by 1000", "in another unit?", 0.1),
    "muscle modulus": Rule(100.0, 1e7, "N/m^2", _KPA, "is it that of the tendon?"),
    "passive modulus": Rule(100.0, 3e11, "N/m^2", _KPA, "in another unit than N/m^2?"),
    "viscosity": Rule(0.0, 1e8, "N s/m^2", "", "in another unit than N s/m^2?"),
    "muscle stress": Rule(2e3, 1e7, "N/m^2", _KPA, "muscle generates 3e5; in another unit?"),
    "prestress": Rule(0.0, 1e7, "N/m^2", "", "in another unit than N/m^2?"),
    "optimal stretch": Rule(0.2, 5.0, "", "relative to the reference length?", "in percent?"),
    "width": Rule(0.01, 5.0, "", "relative to the optimal stretch?", "in percent?"),
    "bending": Rule(0.0, 10.0, "", "", "relative to a solid rod, which has 1"),
    "line load": Rule(0.0, 1e5, "N/m", "", "in N/mm, or a force? give N/m"),
    # contact
    "contact stiffness": Rule(
        1.0, 1e9, "N/m", "in N/mm? multiply by 1000", "in another unit than N/m?"
    ),
    # line muscles
    "muscle force": Rule(1e-4, 1e5, "N", "in kN? multiply by 1000", "in mN? divide by 1000"),
    "muscle length": Rule(1e-4, 2.0, "m", "in another unit than m?", _MM),
    "contraction speed": Rule(
        0.1, 100.0, "1/s", "in optimal fiber lengths per second?", "in m/s, mm/s or percent?"
    ),
    # time
    "instant": Rule(0.0, 600.0, "s", "", _MS),
    "duration": Rule(0.0, 600.0, "s", "", _MS),
    "time step": Rule(0.0, 0.5, "s", "", _MS),
}  # fmt: skip
"""Rules by quantity."""


def names(owner: str, field: str, value: Any) -> tuple[str, ...]:
    """Check names of quantities of the table."""
    _check.instance(owner, field, value, (tuple, list), "names of quantities")
    return tuple(_check.choice(owner, f"{field}[{i}]", name, RULES) for i, name in enumerate(value))


def warn_of(owner: str, field: str, quantity: str, value: float) -> None:
    """Warn about a number that is implausible for its quantity."""
    found = Quantity(owner, field, quantity, value)
    if not found.is_plausible:
        warn(ModelWarning(str(found), kind="plausibility"))

"""Layout of the constants of a fiber in columns.

The stress of a tissue is the sum of the built-in law, whose constants come first, of user-defined
laws of muscle and tendon, each times its share: the muscle fraction, or one minus it, and of an
active stress with curves, whose amplitude includes the muscle fraction.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from inspect import signature

from fibermsk.laws.active import ACTIVE, AMPLITUDE, CURVES
from fibermsk.laws.own import constant_names, law_digest, law_label
from fibermsk.laws.stress import nominal_stress

BUILT_IN = tuple(signature(nominal_stress).parameters)[3:]
"""Constants of the built-in law, in the order of its arguments."""

_PARTS = {
    "passive elastic": "shear_modulus",
    "passive viscous": "viscosity",
    "active": "active_max",
    "prestress": "prestress",
    "stiffening": "stiffening",
}
"""Amplitudes of the parts of the built-in law."""


@dataclass(frozen=True)
class StressLayout:
    """Columns of the constants of a tissue, with the classes of its laws and curves."""

    muscle: type | None = None
    tendon: type | None = None
    force_length: type | None = None
    force_velocity: type | None = None

    @property
    def own(self) -> dict[str, type]:
        """User-defined laws by part of the tissue."""
        both = {"muscle": self.muscle, "tendon": self.tendon}
        return {part: kind for part, kind in both.items() if kind is not None}

    @property
    def curves(self) -> dict[str, type]:
        """Curves of active stress, `force_length` and `force_velocity`; empty without."""
        both = dict(zip(CURVES, (self.force_length, self.force_velocity), strict=True))
        return {name: kind for name, kind in both.items() if kind is not None}

    @cached_property
    def columns(self) -> dict[str, int]:
        """Column of each constant, such as ``prestress`` or ``muscle/share``."""
        names = list(BUILT_IN)
        for part, kind in self.own.items():
            names += [f"{part}/share", *(f"{part}/{name}" for name in constant_names(kind))]
        if self.curves:
            names += [f"active/{name}" for name in ACTIVE]
        for part, kind in self.curves.items():
            names += [f"active/{part}/{name}" for name in constant_names(kind)]
        return {name: column for column, name in enumerate(names)}

    @property
    def size(self) -> int:
        """Number of columns."""
        return len(self.columns)

    @property
    def amplitudes(self) -> dict[str, int]:
        """Parts of the stress by their name in messages, with the column of their amplitude."""
        built_in = {name: self.columns[column] for name, column in _PARTS.items()}
        own = {
            f"{law_label(kind)} ({part})": self.columns[f"{part}/share"]
            for part, kind in self.own.items()
        }
        if self.curves:
            built_in["active"] = self.columns[AMPLITUDE]
        return built_in | own

    @property
    def has_energy(self) -> bool:
        """Whether all laws have an energy."""
        return all(hasattr(kind, "energy") for kind in self.own.values())

    @property
    def digest(self) -> str:
        """SHA-256 of all laws and curves; empty for the built-in law."""
        own = [law_digest(kind, ("stress", "energy")) for kind in self.own.values()]
        return "".join(own + [law_digest(kind, ("factor",)) for kind in self.curves.values()])

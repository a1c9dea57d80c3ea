"""Layout of the constants of a fiber in columns.

The stress of a tissue is the sum of the built-in law, whose constants come first, and of
user-defined laws of muscle and tendon, each times its share: the muscle fraction, or one minus it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from inspect import signature

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
    """Columns of the constants of a tissue, with the classes of its user-defined laws."""

    muscle: type | None = None
    tendon: type | None = None

    @property
    def own(self) -> dict[str, type]:
        """User-defined laws by part of the tissue."""
        both = {"muscle": self.muscle, "tendon": self.tendon}
        return {part: kind for part, kind in both.items() if kind is not None}

    @cached_property
    def columns(self) -> dict[str, int]:
        """Column of each constant, such as ``prestress`` or ``muscle/share``."""
        names = list(BUILT_IN)
        for part, kind in self.own.items():
            names += [f"{part}/share", *(f"{part}/{name}" for name in constant_names(kind))]
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
        return built_in | own

    @property
    def has_energy(self) -> bool:
        """Whether all laws have an energy."""
        return all(hasattr(kind, "energy") for kind in self.own.values())

    @property
    def digest(self) -> str:
        """SHA-256 of the user-defined laws; empty for the built-in law."""
        return "".join(law_digest(kind, ("stress", "energy")) for kind in self.own.values())

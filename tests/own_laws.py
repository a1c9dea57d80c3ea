"""Laws of a user's own, as scripts write them."""

import math
from dataclasses import dataclass

import numpy as np
import values_of_laws

import fibermsk as fm
from fibermsk.laws.stress import nominal_stress, stored_energy


@dataclass(frozen=True)
class Twin:
    """The built-in law, written again: muscle whose stress depends on the activation."""

    shear_modulus: float = fm.law_constant("N/m^2", above=0.0)
    viscosity: float = fm.law_constant("N s/m^2", least=0.0)
    max_stress: float = fm.law_constant("N/m^2", least=0.0, default=0.0)

    def stress(self, stretch, stretch_rate, activation):
        return nominal_stress(
            stretch, stretch_rate, activation, self.shear_modulus, self.viscosity,
            self.max_stress, 1.3, 0.3, 4.0, 0.0,
        )  # fmt: skip

    def energy(self, stretch):
        return stored_energy(stretch, self.shear_modulus, 0.0)


@dataclass(frozen=True)
class Linear:
    """Stress in proportion to the strain, without derivatives and without energy."""

    modulus: float = fm.law_constant("N/m^2", above=0.0)
    viscosity: float = fm.law_constant("N s/m^2", least=0.0, default=0.0)

    def stress(self, stretch, stretch_rate, activation):
        return self.modulus * (stretch - 1.0) + self.viscosity * stretch_rate


def squared(x):
    """Called by a law."""
    return x * x


@dataclass(frozen=True)
class Fung:
    """Stress that grows exponentially with the strain."""

    stiffness: float = fm.law_constant("N/m^2", above=0.0)
    rate: float = fm.law_constant("", above=0.0)

    def stress(self, stretch, stretch_rate, activation):
        strain = 0.5 * (squared(stretch) - 1.0)
        return self.stiffness * strain * stretch * np.exp(self.rate * squared(strain))

    def energy(self, stretch):
        strain = 0.5 * (squared(stretch) - 1.0)
        return 0.5 * self.stiffness / self.rate * (np.exp(self.rate * squared(strain)) - 1.0)


FACTORS = np.array([2.0, 1.5])
SHAPE = 1.0, (0.5, 2)


def even(x, n):
    return x if n == 0 else odd(x, n - 1)


def odd(x, n):
    return x if n == 0 else even(x, n - 1)


@dataclass(frozen=True)
class Scripted:
    """Takes values from its script and from a module, and calls functions that call each other."""

    modulus: float

    def stress(self, stretch, stretch_rate, activation):
        factor = FACTORS[1] * SHAPE[0] * SHAPE[1][0] * values_of_laws.FACTOR
        return self.modulus * factor * even(stretch - 1.0, 3)


SETTINGS = {"factor": 2.0}


@dataclass(frozen=True)
class Settings:
    """Takes a value from what may change unseen."""

    modulus: float

    def stress(self, stretch, stretch_rate, activation):
        return self.modulus * SETTINGS["factor"] * (stretch - 1.0)


@dataclass(frozen=True)
class WrongSlope:
    """A derivative that lacks a factor of two."""

    modulus: float

    def stress(self, stretch, stretch_rate, activation):
        return self.modulus * (stretch**2 - 1.0), self.modulus * stretch, 0.0


@dataclass(frozen=True)
class WrongEnergy:
    """An energy whose slope is twice the stress."""

    modulus: float

    def stress(self, stretch, stretch_rate, activation):
        return self.modulus * (stretch - 1.0)

    def energy(self, stretch):
        return self.modulus * (stretch - 1.0) ** 2


@dataclass(frozen=True)
class NoComplex:
    """A function that takes no complex numbers, with right derivatives or with none."""

    modulus: float
    with_slopes: float = 1.0

    def stress(self, stretch, stretch_rate, activation):
        growth = self.modulus * math.exp(stretch - 1.0)
        return (growth, growth, 0.0) if self.with_slopes else growth


@dataclass(frozen=True)
class Limited:
    """Not finite at a stretch of 1.9."""

    modulus: float

    def stress(self, stretch, stretch_rate, activation):
        return self.modulus * np.log(1.9 - stretch)


@dataclass(frozen=True)
class Uncompilable:
    """Something that a compiler of numbers does not take."""

    modulus: float

    def stress(self, stretch, stretch_rate, activation):
        return self.modulus * sum({"strain": stretch - 1.0}.values())


@dataclass(frozen=True)
class PenaltyTwin:
    """The built-in contact law, written again without derivatives."""

    stiffness: float = fm.law_constant("N/m", above=0.0)
    limit: float = fm.law_constant("", above=1.0)

    def line_force(self, gap):
        return -self.stiffness * gap / (1.0 + self.limit * gap)

    def energy(self, gap):
        inverse = 1.0 / self.limit
        return self.stiffness * inverse * (gap - inverse * np.log(1.0 + self.limit * gap))


@dataclass(frozen=True)
class Hertz:
    """Force that grows with the power 3/2 of the depth."""

    stiffness: float = fm.law_constant("N/m", above=0.0)
    limit = 1.25

    def line_force(self, gap):
        root = math.sqrt(-gap)
        return -self.stiffness * gap * root, -1.5 * self.stiffness * root

    def energy(self, gap):
        return 0.4 * self.stiffness * gap * gap * math.sqrt(-gap)


@dataclass(frozen=True)
class ForceAlone:
    """A contact law without an energy."""

    stiffness: float
    limit: float = 2.0

    def line_force(self, gap):
        return -self.stiffness * gap


@dataclass(frozen=True)
class Attracts:
    """A contact law with the wrong sign."""

    stiffness: float
    limit: float = 2.0

    def line_force(self, gap):
        return self.stiffness * gap


@dataclass(frozen=True)
class Jumps:
    """A contact law whose force jumps where contacts open."""

    stiffness: float
    limit: float = 2.0

    def line_force(self, gap):
        return self.stiffness * (1.0 - gap)


@dataclass(frozen=True)
class Cubic:
    """Law of a coordinate."""

    stiffness: float
    damping: float = 0.0
    slope: float = 3.0

    def __call__(self, q, p):
        k = self.stiffness
        return fm.CoordinateForce(
            -k * q**3 - self.damping * p, -self.slope * k * q**2, -self.damping, 0.25 * k * q**4
        )

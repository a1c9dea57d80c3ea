"""Material of a fiber."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import NON_NEGATIVE, POSITIVE, checked, number, part
from fibermsk._shown import Described
from fibermsk.laws.active import AMPLITUDE, HillStress, stress_of
from fibermsk.laws.checking import check_stress_law
from fibermsk.laws.derivatives import activation_slope_at, stress_at
from fibermsk.laws.gradient import StretchGradient
from fibermsk.laws.layout import BUILT_IN, StressLayout
from fibermsk.laws.own import StressLaw, constant_names
from fibermsk.laws.stress import ActiveStress, KelvinVoigt, Stiffening, nominal_stress
from fibermsk.laws.titin import Titin, stress_at_rest

_OWN = "a KelvinVoigt or a user-defined law"


@dataclass(frozen=True, repr=False)
class Tissue(Described):
    """Material of a fiber, blended between muscle and tendon by its muscle fraction.

    Parameters
    ----------
    density : float
        Reference density [kg/m^3]; positive.
    muscle : KelvinVoigt or StressLaw
        Stress of muscle, in addition to the terms below. A user-defined law may depend on the
        activation.
    tendon : KelvinVoigt or StressLaw, optional
        Stress of tendon, without activation; that of `muscle` if left out. The two are blended by
        the muscle fraction.
    active : ActiveStress or HillStress, optional
        Contractile stress, scaled with muscle fraction and activation; none if left out.
        `HillStress` has force-length and force-velocity curves.
    prestress : float
        Constant Cauchy stress sigma_0 [N/m^2]; zero or positive, since a cable carries no
        compression.
    bending : float
        Bending stiffness relative to that of a solid circular cross-section, 3 mu pi r^4 / 4 [-];
        zero or positive. Zero is a cable, which buckles freely under compression; one is a solid
        rod; fibers of sliding strands lie between. For a user-defined law, 3 mu is the slope of the
        stress at stretch one and rate zero.
    stiffening : Stiffening, optional
        Passive stress that grows exponentially with the stretch, scaled with the muscle fraction;
        none if left out.
    titin : Titin, optional
        Passive stress with titin that binds to actin, in place of `stiffening`; none if left out.
    gradient : StretchGradient, optional
        Energy of differences of the stretch along the fiber; none if left out.

    Raises
    ------
    ModelError
        If a field lies outside its range, or a user-defined law has a wrong derivative.
    """

    density: float = number("kg/m^3", POSITIVE)
    muscle: KelvinVoigt | StressLaw = part()
    tendon: KelvinVoigt | StressLaw | None = None
    active: ActiveStress | HillStress | None = None
    prestress: float = number("N/m^2", NON_NEGATIVE, default=0.0)
    bending: float = number("", NON_NEGATIVE, default=0.0)
    stiffening: Stiffening | None = None
    titin: Titin | None = None
    gradient: StretchGradient | None = None

    def __post_init__(self) -> None:
        owner = "tissue"
        muscle = _check_law("muscle", self.muscle, _OWN)
        tendon = muscle if self.tendon is None else self.tendon
        if tendon is not muscle:
            _check_law("tendon", tendon, f"{_OWN}, or None")
        if self.active is not None:
            what = "an ActiveStress, a HillStress or None"
            _check.instance(owner, "active", self.active, (ActiveStress, HillStress), what)
        if self.stiffening is not None:
            what = "a Stiffening or None"
            _check.instance(owner, "stiffening", self.stiffening, Stiffening, what)
        if self.titin is not None:
            _check.instance(owner, "titin", self.titin, Titin, "a Titin or None")
            if self.stiffening is not None:
                _check.refuse(
                    owner,
                    "stiffening",
                    self.stiffening,
                    "be None for a tissue with titin, whose passive stress it would count twice",
                )
        if self.gradient is not None:
            what = "a StretchGradient or None"
            _check.instance(owner, "gradient", self.gradient, StretchGradient, what)
        _check.store(self, tendon=tendon, **checked(self, owner))
        if self.bending > 0.0:
            self._check_modulus(owner)

    def _check_modulus(self, owner: str) -> None:
        for piece, law in (("muscle", self.muscle), ("tendon", self.tendon)):
            if not (slope := 3.0 * _modulus(law)) > 0.0:
                must = f"be zero for a {piece} whose stress has the slope {slope:g} N/m^2 at rest"
                _check.refuse(owner, "bending", self.bending, must)

    @property
    def layout(self) -> StressLayout:
        """Layout of the columns of `constants`."""
        muscle, tendon = (
            None if isinstance(law, KelvinVoigt) else type(law)
            for law in (self.muscle, self.tendon)
        )
        if not isinstance(self.active, HillStress):
            return StressLayout(muscle, tendon)
        curves = type(self.active.force_length), type(self.active.force_velocity)
        return StressLayout(muscle, tendon, *curves)

    def constants(self, fraction: ArrayLike) -> Array:
        """Constants of the stress for given muscle fractions, (..., layout.size)."""
        fraction = np.asarray(fraction, float)
        active, stiffening, columns = self.active, self.stiffening, self.layout.columns
        with_curves = active if isinstance(active, HillStress) else None
        active = active if isinstance(active, ActiveStress) else None
        found = np.empty((*fraction.shape, len(columns)))
        parts = ("muscle", self.muscle, fraction), ("tendon", self.tendon, 1.0 - fraction)
        # without an active part its amplitude is zero, and the other three are any valid values
        built_in = (
            _blend(parts, "shear_modulus"),
            _blend(parts, "viscosity"),
            fraction * (active.max_stress if active else 0.0),
            active.optimal_stretch if active else 1.0,
            active.width if active else 1.0,
            active.exponent if active else 2.0,
            self.prestress,
            fraction * (stiffening.stress if stiffening else 0.0),
            stiffening.rate if stiffening else 1.0,
        )
        for name, value in zip(BUILT_IN, built_in, strict=True):
            found[..., columns[name]] = value
        for piece, law, share in parts:
            if f"{piece}/share" in columns:
                found[..., columns[f"{piece}/share"]] = share
                for name in constant_names(type(law)):
                    found[..., columns[f"{piece}/{name}"]] = getattr(law, name)
        if with_curves is not None:
            for name, value in with_curves.constants.items():
                found[..., columns[name]] = value
            found[..., columns[AMPLITUDE]] *= fraction
        return found

    def modulus(self, fraction: Array) -> Array:
        """Shear modulus mu at small strain for given muscle fractions [N/m^2]."""
        return fraction * _modulus(self.muscle) + (1.0 - fraction) * _modulus(self.tendon)

    def stress(
        self,
        stretch: float,
        stretch_rate: float = 0.0,
        activation: float = 0.0,
        muscle_fraction: float = 1.0,
    ) -> tuple[float, float, float]:
        """Nominal stress [N/m^2] and its derivatives in the stretch and in the stretch rate.

        That of titin is the one at rest at this stretch.

        Parameters
        ----------
        stretch, stretch_rate : float
            Current over reference length [-] and its rate [1/s].
        activation, muscle_fraction : float
            In [0, 1].
        """
        constants = self.constants(muscle_fraction)[: len(BUILT_IN)]
        total = np.array(nominal_stress(stretch, stretch_rate, activation, *constants.tolist()))
        for law, share, felt in (
            (self.muscle, muscle_fraction, activation),
            (self.tendon, 1.0 - muscle_fraction, 0.0),
        ):
            if share != 0.0 and not isinstance(law, KelvinVoigt):
                total += share * np.array(stress_at(law, stretch, stretch_rate, felt))
        if self.titin is not None:
            total[:2] += muscle_fraction * np.array(stress_at_rest(self.titin, stretch))
        if isinstance(self.active, HillStress) and activation != 0.0:
            amplitude = activation * muscle_fraction * self.active.max_stress
            total += np.array(stress_of(self.active, stretch, stretch_rate, amplitude))
        return float(total[0]), float(total[1]), float(total[2])

    def activation_slope(
        self,
        stretch: float,
        stretch_rate: float = 0.0,
        activation: float = 0.0,
        muscle_fraction: float = 1.0,
    ) -> float:
        """Derivative of the nominal stress in the activation [N/m^2].

        Parameters
        ----------
        stretch, stretch_rate, activation, muscle_fraction : float
            As for `stress`.

        Raises
        ------
        ModelError
            If a user-defined law of muscle returns derivatives, but not this one, and accepts no
            complex numbers.
        """
        largest, optimum, width, exponent = self.constants(muscle_fraction)[2:6].tolist()
        # the built-in active stress is linear in the activation
        curve = largest, optimum, width, exponent
        total, _, _ = nominal_stress(stretch, 0.0, 1.0, 0.0, 0.0, *curve, 0.0)
        if isinstance(self.active, HillStress):
            amplitude = muscle_fraction * self.active.max_stress
            total += stress_of(self.active, stretch, stretch_rate, amplitude)[0]
        if muscle_fraction != 0.0 and not isinstance(self.muscle, KelvinVoigt):
            at = stretch, stretch_rate, activation
            total += muscle_fraction * activation_slope_at(self.muscle, *at)
        return float(total)


def _check_law(field: str, law: Any, what: str) -> KelvinVoigt | StressLaw:
    if not isinstance(law, KelvinVoigt):
        if not hasattr(law, "stress"):
            _check.refuse("tissue", field, law, f"be {what}")
        check_stress_law("tissue", field, law)
    return law


def _modulus(law: KelvinVoigt | StressLaw | None) -> float:
    """Shear modulus at small strain [N/m^2]: a third of the slope of the stress at rest."""
    if isinstance(law, KelvinVoigt):
        return law.shear_modulus
    return stress_at(law, 1.0, 0.0, 0.0)[1] / 3.0


def _blend(parts, name: str):
    """Constants of the built-in laws of muscle and tendon, blended by their shares."""
    return sum(
        share * getattr(law, name) for _, law, share in parts if isinstance(law, KelvinVoigt)
    )

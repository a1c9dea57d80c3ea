"""Active stress with force-length and force-velocity curves [N/m^2]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fibermsk import _check
from fibermsk._numbers import NON_NEGATIVE, bounded, checked, number, part
from fibermsk.laws.curves import check_curve, curve_at
from fibermsk.laws.force_length import DeGrooteForceLength, ForceLength
from fibermsk.laws.force_velocity import DeGrooteForceVelocity, ForceVelocity
from fibermsk.laws.own import constant_names

_STRESSES = ("nominal", "cauchy")

ACTIVE = ("max_stress", "optimal_stretch", "max_velocity", "cauchy")
"""Constants besides those of the curves; their columns come first (`fibermsk.laws.layout`)."""

AMPLITUDE = f"active/{ACTIVE[0]}"
"""Column of the maximum stress times the muscle fraction."""

CURVES = ("force_length", "force_velocity")
"""Curves, in the order of their constants."""


@dataclass(frozen=True)
class HillStress:
    """Contractile stress of muscle with force-length and force-velocity curves.

    Parameters
    ----------
    max_stress : float
        Isometric stress S at full activation and optimal stretch [N/m^2]; zero or positive.
    optimal_stretch : float
        Stretch lambda_opt of the optimal length [-], in [0.01, 100].
    max_velocity : float
        Largest velocity of shortening v_max [1/s], in optimal lengths per second, in [1e-3, 1e6].
    force_length : ForceLength
        Factor over stretch / optimal_stretch: `DeGrooteForceLength`, `GaussianForceLength`,
        `BellForceLength` or a user-defined curve.
    force_velocity : ForceVelocity
        Factor over stretch rate / (optimal_stretch max_velocity): `DeGrooteForceVelocity`,
        `HillForceVelocity` or a user-defined curve.
    stress : str
        What the curves describe: the "nominal" stress, force per reference area, as in physiology,
        or the "cauchy" stress, force per current area, as in `ActiveStress`.

    Raises
    ------
    ModelError
        If a number lies outside its range, or a curve is invalid.

    Notes
    -----
    P = a S f_L(l / l_opt) f_V(l' / (l_opt v_max)), and as Cauchy stress this over l. The force of
    De Groote's curve as Cauchy stress has its peak at 0.796 l_opt, 4.6 % above that at l_opt.
    """

    max_stress: float = number("N/m^2", NON_NEGATIVE)
    optimal_stretch: float = number("", bounded(least=0.01, most=100.0), default=1.0)
    max_velocity: float = number("1/s", bounded(least=1e-3, most=1e6), default=10.0)
    force_length: ForceLength = part(default=DeGrooteForceLength())
    force_velocity: ForceVelocity = part(default=DeGrooteForceVelocity())
    stress: str = "nominal"

    def __post_init__(self) -> None:
        owner = type(self).__name__
        _check.choice(owner, "stress", self.stress, _STRESSES)
        for name in CURVES:
            check_curve(owner, name, getattr(self, name))
        _check.store(self, **checked(self, owner))

    @property
    def numbers(self) -> tuple[float, ...]:
        """Constants `ACTIVE`."""
        cauchy = float(self.stress == "cauchy")
        return self.max_stress, self.optimal_stretch, self.max_velocity, cauchy

    @property
    def constants(self) -> dict[str, float]:
        """Constants by the name of their column, those of the curves included."""
        found = dict(zip((f"active/{name}" for name in ACTIVE), self.numbers, strict=True))
        for field in CURVES:
            curve = getattr(self, field)
            for name in constant_names(type(curve)):
                found[f"active/{field}/{name}"] = getattr(curve, name)
        return found


def active_stress(stretch, amplitude, numbers, on_length, on_velocity):
    """Nominal active stress and its derivatives in the stretch and in the stretch rate.

    Parameters
    ----------
    stretch : float
        [-].
    amplitude : float
        Activation times muscle fraction times S [N/m^2].
    numbers : tuple of float
        Optimal stretch, largest velocity [1/s], and 1 for a Cauchy or 0 for a nominal stress.
    on_length, on_velocity : (float, float)
        f_L and its derivative, in stretch / optimal stretch; f_V and its derivative, in stretch
        rate / (optimal stretch times largest velocity).

    Returns
    -------
    P, dP_dstretch, dP_drate : float
        [N/m^2], [N/m^2], [N s/m^2].
    """
    optimum, fastest, cauchy = numbers
    f, df = on_length
    g, dg = on_velocity
    per = amplitude / stretch if cauchy != 0.0 else amplitude
    P = per * f * g
    dP_dstretch = per * df * g / optimum
    if cauchy != 0.0:
        dP_dstretch -= P / stretch
    return P, dP_dstretch, per * f * dg / (optimum * fastest)


def stress_of(
    active: HillStress, stretch: float, stretch_rate: float, amplitude: float
) -> tuple[Any, ...]:
    """`active_stress` of a law, in plain Python."""
    optimum, fastest, _ = numbers = active.numbers[1:]
    on_length = curve_at(active.force_length, stretch / optimum)
    on_velocity = curve_at(active.force_velocity, stretch_rate / (optimum * fastest))
    return active_stress(stretch, amplitude, numbers, on_length, on_velocity)

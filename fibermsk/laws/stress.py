"""Axial nominal stress of a muscle fiber, force per reference area [N/m^2]."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fibermsk import _check
from fibermsk._numbers import NON_NEGATIVE, POSITIVE, Checked, bounded, number

VANISHES = 746.0
"""Exponent from which the exponential of its negative is zero."""

_LARGEST = 200.0
"""Largest exponent of the passive stress at a stretch of one."""

STEEPEST = 100.0
"""Largest exponent of a force-length curve: its powers below `VANISHES` are finite."""


@dataclass(frozen=True)
class KelvinVoigt(Checked):
    """Passive tissue: an incompressible elastic solid in parallel with a viscous one.

    Parameters
    ----------
    shear_modulus : float
        Shear modulus mu of the elastic part [N/m^2]; positive.
    viscosity : float
        Viscosity eta [N s/m^2]; zero or positive.
    """

    shear_modulus: float = number("N/m^2", POSITIVE)
    viscosity: float = number("N s/m^2", NON_NEGATIVE)


@dataclass(frozen=True)
class ActiveStress(Checked):
    """Contractile stress of activated muscle with its force-length relation.

    Parameters
    ----------
    max_stress : float
        Cauchy stress S_max at full activation and optimal stretch [N/m^2]; zero or positive.
    optimal_stretch : float
        Stretch lambda_opt of the largest Cauchy stress [-]; positive.
    width : float
        Width Delta W of the force-length curve [-]; positive.
    exponent : float
        Exponent nu of the force-length curve [-]; above 1, so that the stress is differentiable
        at the optimal stretch, and at most 100.
    """

    max_stress: float = number("N/m^2", NON_NEGATIVE)
    optimal_stretch: float = number("", POSITIVE, default=1.3)
    width: float = number("", POSITIVE, default=0.3)
    exponent: float = number("", bounded(above=1.0, most=STEEPEST), default=4.0)


@dataclass(frozen=True)
class Stiffening(Checked):
    """Passive stress of muscle that grows exponentially with the stretch: titin, connective tissue.

    Parameters
    ----------
    stress : float
        Nominal stress c at a stretch of one [N/m^2]; positive.
    rate : float
        Rate b of the exponential [-]; positive, at most 200.
    """

    stress: float = number("N/m^2", POSITIVE)
    rate: float = number("", bounded(above=0.0, most=200.0))

    @classmethod
    def of_muscle(
        cls,
        max_stress: float,
        strain: float = 0.6,
        shape: float = 4.0,
        optimal_stretch: float = 1.0,
    ) -> Stiffening:
        """Passive curve of a Hill muscle by the numbers of physiology.

        Parameters
        ----------
        max_stress : float
            Nominal stress S at full activation [N/m^2]; positive.
        strain : float
            Strain from the optimal length at which the passive stress is S [-]; positive.
        shape : float
            Exponent k over this strain [-]; positive.
        optimal_stretch : float
            Stretch of the optimal length [-]; positive.

        Returns
        -------
        stiffening : Stiffening
            S exp(k ((stretch / optimal_stretch - 1) / strain - 1)).

        Raises
        ------
        ModelError
            If a number is not positive.

        Notes
        -----
        The f_P of De Groote et al. (2016) has 0.6 and 4; it differs by a constant below 1e-4 S,
        subtracted to be zero at a fifth of the optimal length.
        """
        owner = "Stiffening"
        strain = _check.positive(owner, "strain", strain)
        shape = _check.positive(owner, "shape", shape)
        optimum = _check.positive(owner, "optimal_stretch", optimal_stretch)
        stress = _check.positive(owner, "max_stress", max_stress, "N/m^2")
        at_rest = shape * ((1.0 / optimum - 1.0) / strain - 1.0)
        if at_rest > _LARGEST:
            _check.refuse(owner, "optimal_stretch", optimum, "be larger: the stress would overflow")
        return cls(stress * math.exp(at_rest), shape / (strain * optimum))


def nominal_stress(
    stretch,
    stretch_rate,
    activation,
    shear_modulus,
    viscosity,
    active_max,
    optimal_stretch,
    width,
    exponent,
    prestress,
    stiffening=0.0,
    stiffening_rate=1.0,
):
    """Nominal axial stress P and its derivatives in the stretch and in the stretch rate.

    Parameters
    ----------
    stretch, stretch_rate : float
        Current over reference length [-] and its rate [1/s].
    activation : float
        alpha in [0, 1].
    shear_modulus, viscosity : float
        Blended over muscle and tendon [N/m^2], [N s/m^2].
    active_max : float
        Muscle fraction times S_max [N/m^2].
    optimal_stretch, width, exponent : float
        Constants of the force-length curve.
    prestress : float
        Constant Cauchy stress sigma_0 [N/m^2].
    stiffening, stiffening_rate : float
        Muscle fraction times c [N/m^2], and b, of the exponential stress.

    Returns
    -------
    P, dP_dstretch, dP_drate : float
        [N/m^2], [N/m^2], [N s/m^2].

    Notes
    -----
    mu (l - l^-2) + 3 eta l' / l^2 + gamma alpha S_max f(l) / l + sigma_0 / l with f = exp(-|(l /
    l_opt - 1) / dW|^nu): eqs. 30-36 of [1]_ as force per reference area, with the viscous part from
    eqs. 26-29, independent of the parametrization of the centerline. Optional in addition: gamma c
    exp(b (l - 1)), the passive curve of Hill muscles.

    References
    ----------
    .. [1] Gfrerer and Simeon, Multibody System Dynamics 52 (2021), 1-30.
    """
    inverse = 1.0 / stretch
    inverse2 = inverse * inverse
    P = (
        shear_modulus * (stretch - inverse2)
        + 3.0 * viscosity * stretch_rate * inverse2
        + prestress * inverse
    )
    dP_dstretch = (
        shear_modulus * (1.0 + 2.0 * inverse2 * inverse)
        - 6.0 * viscosity * stretch_rate * inverse2 * inverse
        - prestress * inverse2
    )
    amplitude = activation * active_max
    if amplitude != 0.0:
        offset = (stretch / optimal_stretch - 1.0) / width
        distance = abs(offset)
        if not distance >= VANISHES:  # also if it is not a number
            # the general power costs more than all other terms; 4 is the exponent of [1]_
            power = (
                distance * distance * distance if exponent == 4.0 else distance ** (exponent - 1.0)
            )
            active = amplitude * math.exp(-power * distance) * inverse
            if active != 0.0:
                slope = exponent * power / (width * optimal_stretch)
                if offset < 0.0:
                    slope = -slope
                P += active
                dP_dstretch -= active * (inverse + slope)
    if stiffening != 0.0:
        growth = stiffening * math.exp(stiffening_rate * (stretch - 1.0))
        P += growth
        dP_dstretch += stiffening_rate * growth
    return P, dP_dstretch, 3.0 * viscosity * inverse2


def stored_energy(stretch, shear_modulus, prestress, stiffening=0.0, stiffening_rate=1.0):
    """Energy of the passive parts and the prestress per reference volume [J/m^3].

    W = mu / 2 (l^2 + 2 / l - 3) + sigma_0 ln l + c / b (exp(b (l - 1)) - 1); zero in the reference
    configuration.
    """
    elastic = 0.5 * shear_modulus * (stretch * stretch + 2.0 / stretch - 3.0)
    energy = elastic + prestress * math.log(stretch)
    if stiffening != 0.0:
        energy += stiffening / stiffening_rate * math.expm1(stiffening_rate * (stretch - 1.0))
    return energy


def bending_stiffness(share, shear_modulus, radius):
    """Bending stiffness of a circular cross-section [N m^2]: a share of 3 mu I.

    Young's modulus is that of `nominal_stress` at stretch one, dP/dl = 3 mu; I = pi r^4 / 4.
    """
    return share * 0.75 * math.pi * shear_modulus * radius**4

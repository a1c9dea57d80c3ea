"""Calibration of the tissue of fibers to a Hill muscle.

The stress law of a fiber (`fibermsk.laws.stress`) is fitted to the curves of the muscle
(`fibermsk.laws.hill`) over a working range of its length. Symbols: ``x`` is the projected length u
of the muscle fibers along the path, over its optimum l_0 cos(alpha_0); ``stretch`` is u over the
reference length L_M of the muscle part.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import least_squares

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.anatomy.titin import with_passive_curve
from fibermsk.laws import (
    DeGrooteForceLength,
    HillStress,
    KelvinVoigt,
    Stiffening,
    StretchGradient,
    Titin,
    hill,
)
from fibermsk.laws.toe import ToeTendon
from fibermsk.model import Tissue

if TYPE_CHECKING:
    from fibermsk.model.muscles.line_muscle import LineMuscle


SPECIFIC_TENSION = 3.0e5
"""Force per physiological cross-sectional area [N/m^2]; 22.5 to 35 in mammals, Zajac (1989)."""

DENSITY = 1060.0
"""Density of muscle [kg/m^3]; Mendez and Keys (1960)."""

WORKING_RANGE = (0.6, 1.4)
"""Range of length over optimum for the fit: much of both limbs."""

DAMPING = 0.03
"""Slope of the passive force over F_0 in velocity over v_max l_0; Hill models have up to 0.1."""

EVEN_DAMPING = 0.02
"""`DAMPING` of an even muscle, which is to follow the curves of its Hill muscle."""

EVEN_LENGTH = 0.5
"""Length of the gradient of an even muscle over its optimum. The curves of De Groote fall with up
to 1.54 F_0 per optimal length: an even stretch is stable above sqrt(1.54) / pi = 0.40."""

_ONLY_MUSCLE = 1e4
"""Power of the muscle fraction that is zero in the transition to the tendon."""

TENDON_RADIUS = 0.5
"""Radius of the tendon relative to the belly: thicker than a real one, so that few elements resolve
its contact."""

SHORTEST = 0.25
"""Smallest reference length of the muscle part, over the optimum."""

LONGEST = 10.0
"""Largest reference length of the muscle part, over the optimum."""

_SAMPLES = 161

PRESTRESS = 0.01
"""Tension in the reference configuration, over F_0: it keeps a passive muscle taut, and adds to the
passive force of the Hill muscle."""

_TAUT = 2.5
"""Prestress over shear modulus: up to 3, the stiffness exceeds the prestress at any stretch; the
larger, the longer a shortening fiber stays taut, here to a stretch of 0.38."""


@dataclass(frozen=True)
class Calibration:
    """Calibrated tissue and areas, and errors relative to the Hill muscle.

    Attributes
    ----------
    tissue : Tissue
        Tissue of all fibers of the bundle.
    muscle_area, tendon_area : float
        Reference cross-section of the whole bundle [m^2].
    muscle_length, tendon_length : float
        Parts of the path in the reference configuration [m].
    start_length : float
        Muscle length in the reference configuration over the optimum [-].
    passive_error : float
        Root mean square difference of the passive force from the Hill muscle's over the working
        range, over F_0 [-]; the active force is the same.
    """

    tissue: Tissue
    muscle_area: float
    tendon_area: float
    muscle_length: float
    tendon_length: float
    start_length: float
    passive_error: float

    def force(self, length: Array, activation: float) -> Array:
        """Static force of the whole bundle [N] at stretches (n,) of the muscle part."""
        stress = [self.tissue.stress(float(stretch), 0.0, activation)[0] for stretch in length]
        return self.muscle_area * np.array(stress)


def calibrate(
    muscle: LineMuscle,
    length: float,
    *,
    specific_tension: float = SPECIFIC_TENSION,
    working_range: tuple[float, float] = WORKING_RANGE,
    tendon_radius: float = TENDON_RADIUS,
    damping: float = DAMPING,
    density: float = DENSITY,
    bending: float = 0.0,
    prestress: float = PRESTRESS,
    radius_factor: float = 1.0,
    tendon_length: float | None = None,
    titin: Titin | None = None,
    even: bool = False,
) -> Calibration:
    """Calibrate tissue and cross-sections of a bundle to a Hill muscle.

    Parameters
    ----------
    muscle : LineMuscle
        Muscle with F_0, l_0, slack length, pennation angle and maximum velocity.
    length : float
        Length of the muscle with its tendon in the reference configuration [m].
    radius_factor : float
        Factor of all radii; stresses are divided by its square.
    tendon_length : float, optional
        Reference length of the fibers' tendons [m], with the compliance of a tendon of the slack
        length; by default the slack length.
    even : bool
        Whether a gradient of the stretch keeps the muscle even.
    **others
        As for `fibermsk.fibers_from_muscle`.

    Raises
    ------
    ModelError
        If a number lies outside its range, or the path is too short for the tendon.

    Notes
    -----
    Lengths: the muscle length is the path length minus the slack length of the tendon, so that both
    are free of stress, except for the prestress, in the reference configuration, and motions strain
    the muscle equally. If a fiber is shorter or longer than the path, so is its tendon.

    Volume: that of the belly is F_0 / specific_tension times l_0. Active: F_0 cos(alpha) f_L f_V by
    `HillStress`, nominal, with the curves of De Groote and lengths and velocities along the path.
    A velocity u' along the path is one of u' cos(alpha) of the muscle fibers, which v_max takes
    into account with the angle at the optimum. Passive: F_0 cos(alpha) f_P with A c exp(b (l - 1)),
    which is the same curve without pennation, plus a soft solid mu (l - l^-2) + sigma_0 / l with
    sigma_0 = 2.5 mu, which is in tension down to a stretch of 0.38 and increases with the stretch.
    Tendon: the curve of the Hill tendon, as much longer in the reference configuration as the
    prestress stretches it; the muscle is as much shorter.

    The energy of the `StretchGradient` of an even muscle is 1/2 F_0 l_0 (c dx/dX)^2 per length X of
    the muscle, from 0 to 1, for any start length, with c = 0.5: with an even stretch it is zero.
    """
    owner = f"fibers of muscle {muscle.name!r}"
    tension = _check.positive(owner, "specific_tension", specific_tension, "N/m^2")
    ratio = _check.positive(owner, "tendon_radius", tendon_radius)
    damping = _check.positive(owner, "damping", damping)
    density = _check.positive(owner, "density", density, "kg/m^3")
    factor = _check.positive(owner, "radius_factor", radius_factor)
    shortest, longest = _check.array(owner, "working_range", working_range, (2,))
    if not 0.0 < shortest < 1.0 < longest:
        _check.refuse(owner, "working_range", working_range, "be a length below 1 and one above")
    strength, optimum = muscle.max_isometric_force, muscle.optimal_fiber_length
    slack = muscle.tendon_slack_length
    height = optimum * math.sin(muscle.pennation_angle)
    along = optimum * math.cos(muscle.pennation_angle)
    prestress = _check.positive(owner, "prestress", prestress)
    toe = math.log1p(prestress / hill.TENDON_TOE)  # exponent in the reference configuration
    stretched = slack * toe / hill.TENDON_SHAPE
    rest = float(length) - slack - stretched
    if not slack > 0.0:
        _check.refuse(
            owner, "tendon_slack_length", slack, "be positive: a bundle has tendons", unit="m"
        )
    if not SHORTEST * along <= rest <= LONGEST * along:
        bound, most = SHORTEST, ""
        remedy = "choose an initial pose in which the muscle is longer"
        if rest > LONGEST * along:
            bound, most = LONGEST, " at most"
            remedy = "check the units of the path, and of the muscle's lengths"
        _check.refuse(
            owner,
            "path length at the start",
            float(length),
            f"exceed the tendon slack length {slack:.4g} m by {bound:g} optimal fiber lengths "
            f"of {along:.4g} m{most}",
            unit="m",
            remedy=remedy,
        )
    x = np.linspace(shortest, longest, _SAMPLES)
    fibers = np.hypot(x * along, height)
    cosine = x * along / fibers
    stretch = x * (along / rest)
    area = strength / tension * optimum / rest
    target = cosine * hill.passive_force_length(fibers / optimum)[0]
    modulus = prestress / _TAUT
    stress, rate = _fit_passive(stretch, target)
    passive = stress * np.exp(rate * (stretch - 1.0))
    passive += modulus * (stretch - stretch**-2) + prestress / stretch
    passive_error = _rms(passive - target)
    scale = strength / area / factor**2
    tendon_area = area * ratio**2
    actual = slack + stretched if tendon_length is None else tendon_length
    actual = _check.positive(owner, "tendon_length", actual, "m")
    slope = damping / muscle.max_contraction_velocity / optimum  # of force over F_0, [s/m]
    # 3 eta l' / l^2 at l = l_opt, with v = l' L_M
    viscosity = slope * rest * scale * (along / rest) ** 2 / 3.0
    gradient = None
    if even:
        width = EVEN_LENGTH * along * (rest / along) ** 1.5
        gradient = StretchGradient(scale, width, _ONLY_MUSCLE)
    cosine_0 = along / optimum
    stiffening = Stiffening(scale * stress, rate)
    if titin is not None:
        _check.instance(owner, "titin", titin, Titin, "a Titin or None")
        titin = with_passive_curve(titin, stiffening, scale, along / rest)
    tissue = Tissue(
        density=density,
        muscle=KelvinVoigt(scale * modulus, viscosity),
        tendon=ToeTendon(
            hill.TENDON_TOE * strength / tendon_area / factor**2,
            hill.TENDON_SHAPE * actual / slack,
            toe,
            scale * prestress,
            viscosity,
        ),
        active=HillStress(
            max_stress=scale * cosine_0,
            optimal_stretch=along / rest,
            max_velocity=muscle.max_contraction_velocity / cosine_0**2,
            force_length=DeGrooteForceLength(muscle.pennation_angle),
        ),
        prestress=scale * prestress,
        stiffening=stiffening if titin is None else None,
        titin=titin,
        gradient=gradient,
        bending=bending,
    )
    return Calibration(
        tissue=tissue,
        muscle_area=area * factor**2,
        tendon_area=tendon_area * factor**2,
        muscle_length=rest,
        tendon_length=actual,
        start_length=rest / along,
        passive_error=passive_error,
    )


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _fit_passive(stretch: Array, target: Array) -> tuple[float, float]:
    """Stress and rate of the best-fitting exponential."""
    # start from the linear fit of the logarithm, which is exact without pennation
    rate, logarithm = np.polyfit(stretch - 1.0, np.log(target), 1, w=target)
    found = least_squares(
        lambda numbers: np.exp(numbers[0] + numbers[1] * (stretch - 1.0)) - target,
        np.array([logarithm, rate]),
    )
    return float(np.exp(found.x[0])), float(found.x[1])

"""Titin that binds to actin when the muscle is active, with the passive stress of muscle.

Symbols, lengths in optimal fiber lengths and forces over the maximal isometric force: ``stretch``
lambda, ``near`` z, the length of the segment of titin from the Z-line to the place that binds to
actin, ``free`` l = stretch / (2 optimal_stretch) - fixed_length, the length of all free titin of a
half-sarcomere, and l - z, that of the far segment. The functions take real or complex numbers.

References
----------
.. [1] Millard, Franklin and Herzog, "A three filament mechanistic model of musculotendon force and
       impedance", eLife 12 (2024), RP88344, doi:10.7554/eLife.88344.
.. [2] Heidlauf, Klotz, Rode, Siebert and Roehrle, "A continuum-mechanical skeletal muscle model
       including actin-titin interaction predicts stable contractions on the descending limb of the
       force-length relation", PLoS Computational Biology 13 (2017), e1005773.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fibermsk._numbers import NON_NEGATIVE, POSITIVE, Checked, bounded, number

SHORTEST = 0.2
"""Relative length at which the passive curve is zero, that of De Groote et al. (2016)."""

BINDING = 0.1
"""Activation at which 63 % of the binding sites are available."""


@dataclass(frozen=True)
class Titin(Checked):
    """Passive stress of muscle, of which titin carries a share that stiffens with activation.

    Titin is two springs in series, from the Z-line to a place that binds to actin and from there
    to myosin. Passive, both follow the passive curve. Active, that place hardly slides, so that a
    stretch acts on the far spring alone: the force of the fiber rises under a stretch and stays
    enhanced, and the descending limb of its force-length relation can be stable.

    It replaces other passive stress of the muscle: a tissue with titin has no `Stiffening`.

    Parameters
    ----------
    stress : float
        Nominal stress S that the forces are relative to, that of the active muscle at its optimum
        [N/m^2]; positive. It scales with the muscle fraction.
    optimal_stretch : float
        Stretch of the fiber at optimal length [-]; positive.
    share : float
        Part p of the passive stress that titin carries; in [0.01, 1]. The rest is extracellular
        matrix.
    near_share : float
        Part q of the free titin, by passive length, on the side of the Z-line; in [0.01, 0.99].
    fixed_length : float
        Length l_fix of the parts of titin that do not stretch, per half-sarcomere in optimal fiber
        lengths; in [0, 0.4].
    passive_damping, active_damping : float
        Damping beta_0 and beta_1 of the sliding on actin [s], in forces over S per optimal fiber
        lengths a second; without activation beta_0, at full activation their sum. Positive; zero
        or positive.
    strain, shape : float
        Strain at which the passive stress is S, and exponent of the passive curve; positive. 0.6
        and 4 give the curve of line muscles.

    Notes
    -----
    With f_P(x) = (exp(k (x - 1) / e) - o) / (exp(k) - o), o = exp(k (0.2 - 1) / e), continued by
    its tangent where it exceeds one, g(l) = f_P(2 (l + l_fix)), f_1(z) = p g(z / q) and f_2(y) = p
    g(y / (1 - q)):

    P / S = f_2(l - z) + (1 - p) f_P(stretch / optimal_stretch),
    beta dz/dt = f_2(l - z) - f_1(z),   beta = beta_0 + beta_1 (1 - exp(-(a / 0.1)^2)).

    At rest z = q l, and P = S f_P. After [1]_, where the damping is that of the N2A and PEVK
    segments against actin; [2]_ shows that such titin stabilizes chains of half-sarcomeres.

    References
    ----------
    .. [1] Millard, Franklin and Herzog, eLife 12 (2024), RP88344, doi:10.7554/eLife.88344.
    .. [2] Heidlauf et al., PLoS Computational Biology 13 (2017), e1005773,
           doi:10.1371/journal.pcbi.1005773.
    """

    stress: float = number("N/m^2", POSITIVE)
    optimal_stretch: float = number("", POSITIVE, default=1.0)
    share: float = number("", bounded(least=0.01, most=1.0), default=0.95)
    near_share: float = number("", bounded(least=0.01, most=0.99), default=0.29)
    fixed_length: float = number("", bounded(least=0.0, most=0.4), default=0.1)
    passive_damping: float = number("s", POSITIVE, default=0.1)
    active_damping: float = number("s", NON_NEGATIVE, default=242.0)
    strain: float = number("", POSITIVE, default=0.6)
    shape: float = number("", POSITIVE, default=4.0)

    @property
    def constants(self) -> tuple[float, ...]:
        """Constants of `titin_stress` after `stress`, with the passive curve as scale and rate."""
        rate = self.shape / self.strain
        offset = math.exp(rate * (SHORTEST - 1.0))
        scale = 1.0 / (1.0 - math.exp(-self.shape) * offset)
        return (
            self.optimal_stretch, self.share, self.near_share, self.fixed_length,
            scale, rate, scale * math.exp(-self.shape) * offset, self.strain,
        )  # fmt: skip

    @property
    def free_length(self) -> float:
        """Length of free titin at the optimum, in optimal fiber lengths."""
        return 0.5 - self.fixed_length

    def relaxed(self, stretch: float = 1.0) -> float:
        """Near length z of titin at rest at a stretch, in optimal fiber lengths."""
        return self.near_share * (0.5 * stretch / self.optimal_stretch - self.fixed_length)


def titin_stress(
    stretch, near, stress, optimal_stretch, share, near_share, fixed_length, scale, rate, base,
    strain,
):  # fmt: skip
    """Nominal stress of titin and matrix, and the force that slides titin along actin.

    Parameters
    ----------
    stretch, near : float
        Stretch lambda of the fiber, and near length z [-].
    stress, optimal_stretch, share, near_share, fixed_length : float
        As of `Titin`; the stress times the muscle fraction.
    scale, rate, base, strain : float
        Constants of the passive curve f_P(x) = scale exp(rate (x - 1 - strain)) - base.

    Returns
    -------
    P, P_stretch, P_near : float
        Stress and its derivatives [N/m^2].
    back, back_stretch, back_near : float
        f_1(z) - f_2(l - z) and its derivatives [-]; beta dz/dt = -back.
    """
    relative, far_share, rest = stretch / optimal_stretch, 1.0 - near_share, 1.0 - share
    far = 0.5 * relative - fixed_length - near
    # each curve is scale exp(u) for u < 0, and its tangent at u = 0 beyond
    u0 = rate * (relative - 1.0 - strain)
    u1 = rate * (2.0 * (near / near_share + fixed_length) - 1.0 - strain)
    u2 = rate * (2.0 * (far / far_share + fixed_length) - 1.0 - strain)
    low0 = u0 if u0.real < 0.0 else 0.0 * u0
    low1 = u1 if u1.real < 0.0 else 0.0 * u1
    low2 = u2 if u2.real < 0.0 else 0.0 * u2
    slope0 = rate * scale * np.exp(low0)
    slope1 = rate * share * scale * np.exp(low1)
    slope2 = rate * share * scale * np.exp(low2)
    matrix = slope0 / rate * (1.0 + u0 - low0)
    f1 = slope1 / rate * (1.0 + u1 - low1)
    f2 = slope2 / rate * (1.0 + u2 - low2)
    slope1, slope2 = 2.0 / near_share * slope1, 2.0 / far_share * slope2
    per_stretch = 1.0 / optimal_stretch
    return (
        stress * (f2 + rest * matrix - base),
        stress * per_stretch * (0.5 * slope2 + rest * slope0),
        -stress * slope2,
        f1 - f2,
        -0.5 * per_stretch * slope2,
        slope1 + slope2,
    )


def stress_at_rest(titin: Titin, stretch: float) -> tuple[float, float]:
    """Nominal stress of a `Titin` whose sliding is at rest at a stretch, and its derivative."""
    # all springs have the same strain, as if the matrix carried everything
    optimal, _, *others = titin.constants
    near = titin.relaxed(stretch)
    P, P_stretch, *_ = titin_stress(stretch, near, titin.stress, optimal, 0.0, *others)
    return P, P_stretch


def titin_damping(activation, passive_damping, active_damping):
    """Damping beta of the sliding along actin [s] at an activation, and its derivative."""
    ratio = activation / BINDING
    free = np.exp(-ratio * ratio)
    beta = passive_damping + active_damping * (1.0 - free)
    return beta, active_damping * free * 2.0 * ratio / BINDING


def titin_energy(
    stretch, near, stress, optimal_stretch, share, near_share, fixed_length, scale, rate, base,
    strain,
):  # fmt: skip
    """Energy of titin and matrix per reference volume [J/m^3], zero at rest at a stretch of one.

    S l_opt (2 E_1(z) + 2 E_2(l - z) + (1 - p) E_P(stretch / l_opt)), with the integrals E of the
    forces: its derivative in the stretch is the stress, and that in z is 2 S l_opt (f_1 - f_2).
    """
    relative, far_share = stretch / optimal_stretch, 1.0 - near_share
    far = 0.5 * relative - fixed_length - near
    begin = 1.0 / optimal_stretch
    u0 = rate * (relative - 1.0 - strain)
    u1 = rate * (2.0 * (near / near_share + fixed_length) - 1.0 - strain)
    u2 = rate * (2.0 * (far / far_share + fixed_length) - 1.0 - strain)
    u3 = rate * (begin - 1.0 - strain)
    low0 = u0 if u0.real < 0.0 else 0.0 * u0
    low1 = u1 if u1.real < 0.0 else 0.0 * u1
    low2 = u2 if u2.real < 0.0 else 0.0 * u2
    low3 = u3 if u3.real < 0.0 else 0.0 * u3
    matrix = np.exp(low0) * (1.0 + (u0 - low0) * (1.0 + 0.5 * (u0 - low0)))
    e1 = near_share * np.exp(low1) * (1.0 + (u1 - low1) * (1.0 + 0.5 * (u1 - low1)))
    e2 = far_share * np.exp(low2) * (1.0 + (u2 - low2) * (1.0 + 0.5 * (u2 - low2)))
    e3 = np.exp(low3) * (1.0 + (u3 - low3) * (1.0 + 0.5 * (u3 - low3)))
    grown = share * (e1 + e2) + (1.0 - share) * matrix - e3
    return stress * optimal_stretch * (scale / rate * grown - base * (relative - begin))

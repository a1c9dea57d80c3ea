"""Activation dynamics with one time constant for rise and one for fall."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fibermsk._numbers import FRACTION, POSITIVE, Checked, bounded, number

_FALLS = -1e-9
"""Excitation less activation of fall: where both are equal but for the tolerance of an equilibrium,
slopes are those of rise."""


@dataclass(frozen=True)
class PiecewiseActivation(Checked):
    """First-order dynamics of Thelen: other time constants in rise than in fall.

    The rate is continuous; its slope jumps where the activation equals the excitation, and there
    counts as that of rise.

    Parameters
    ----------
    activation_time, deactivation_time : float
        Time constants of rise and fall at an activation of 1/3 [s]; positive. About 0.015 and
        0.060 s in human limb muscle, 0.113 and 0.142 s in cat soleus.
    variation : float
        How far the time constants vary with the activation, in [0, 1]. One is Thelen's law: a
        muscle rises more slowly and falls faster the more active it is. With zero they are
        constant, and the activation after a step of the excitation is an exponential.
    min_activation : float
        Least value of excitation and activation in the rate, in [0, 1): smaller ones act like it.
        OpenSim's muscles of Thelen and Millard have 0.01, with 0.015 and 0.050 s, and 0.010 and
        0.040 s.

    Notes
    -----
    da/dt = (e - a) / (tau_a k) for e > a, else (e - a) k / tau_d, with k = 1 + variation (3/2 a -
    1/2); eqs. 1-2 of [1]_ for a variation of one. With a variation of one and a least activation
    this is OpenSim's MuscleFirstOrderActivationDynamicModel, of which controls never fall below
    the least activation.

    References
    ----------
    .. [1] Thelen, Journal of Biomechanical Engineering 125 (2003), 70-77.
    """

    activation_time: float = number("s", POSITIVE, default=0.015)
    deactivation_time: float = number("s", POSITIVE, default=0.060)
    variation: float = number("", FRACTION, default=1.0)
    min_activation: float = number("", bounded(least=0.0, most=0.99), default=0.0)

    def rate(self, excitation, activation):
        """Rate [1/s], and its derivatives in excitation and activation; numbers or arrays."""
        least = self.min_activation
        if least == 0.0:
            return _rate(self, excitation, activation)
        # products with zeros and ones, which are exact, since kernels know no choice of numbers
        low_e, low_a = 1.0 * (np.real(excitation) < least), 1.0 * (np.real(activation) < least)
        e = low_e * least + (1.0 - low_e) * excitation
        a = low_a * least + (1.0 - low_a) * activation
        rate, by_e, by_a = _rate(self, e, a)
        return rate, (1.0 - low_e) * by_e, (1.0 - low_a) * by_a


def _rate(law, excitation, activation):
    """Rate and derivatives for the fields of a law, at values that none bounds."""
    x, w = excitation - activation, law.variation
    k = 1.0 + w * (1.5 * activation - 0.5)
    up = 1.0 * (np.real(x) > _FALLS)
    gain = up / (law.activation_time * k) + (1.0 - up) * k / law.deactivation_time
    # of the gain with k: -1/(tau k^2) or 1/tau_d
    by_k = (1.0 - up) / law.deactivation_time - up * gain / k
    return gain * x, gain, 1.5 * w * by_k * x - gain

"""Activation dynamics with a smooth transition between rise and fall."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fibermsk._numbers import POSITIVE, Checked, number


@dataclass(frozen=True)
class SmoothActivation(Checked):
    """First-order dynamics of De Groote and others, smooth where rise turns into fall.

    Parameters
    ----------
    activation_time, deactivation_time : float
        Time constants of rise and fall [s]; positive. About 0.015 and 0.060 s in human limb
        muscle, 0.113 and 0.142 s in cat soleus.
    sharpness : float
        Sharpness b of the transition [-]; positive. The default separates the two time constants.
        With the published value, 0.1, both act at any time, half each.

    Notes
    -----
    da/dt = [(f + 1/2) / (tau_a k) + (1/2 - f) k / tau_d] (e - a) with k = 1/2 + 3/2 a and
    f = 1/2 tanh(b (e - a)); eqs. 1-2 of [1]_.

    References
    ----------
    .. [1] De Groote, Kinney, Rao and Fregly, Annals of Biomedical Engineering 44 (2016), 2922-2936.
    """

    activation_time: float = number("s", POSITIVE, default=0.015)
    deactivation_time: float = number("s", POSITIVE, default=0.060)
    sharpness: float = number("", POSITIVE, default=10.0)

    def rate(self, excitation, activation):
        """Rate [1/s], and its derivatives in excitation and activation; numbers or arrays."""
        b, x = self.sharpness, excitation - activation
        k = 0.5 + 1.5 * activation
        rise, fall = 1.0 / (self.activation_time * k), k / self.deactivation_time
        f = 0.5 * np.tanh(b * x)
        gain = (f + 0.5) * rise + (0.5 - f) * fall
        # through x alone, and through k
        by_x = b * (0.5 - 2.0 * f * f) * (rise - fall)
        by_k = 1.5 * ((0.5 - f) / self.deactivation_time - (f + 0.5) * rise / k)
        by_excitation = gain + by_x * x
        return gain * x, by_excitation, by_k * x - by_excitation

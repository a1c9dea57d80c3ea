"""Exact activations to compare with."""

import numpy as np
from scipy.optimize import brentq


def step_response(law, a, e, t):
    """Exact activation of a `PiecewiseActivation` at t after a step of the excitation to e.

    With x = a - e and k = c + w 3/2 e, c = 1 - w/2, the rates are -x (k + w 3/2 x) / tau_d in fall,
    a logistic equation, and in rise dt = -tau_a (k + w 3/2 x) dx / x.
    """
    w = law.variation
    k, b, x = 1.0 - 0.5 * w + 1.5 * w * e, 1.5 * w, a - e
    if x > 0.0:
        decay = np.exp(-k * t / law.deactivation_time)
        return e + k * x * decay / (k + b * x * (1.0 - decay))
    if x == 0.0 or t == 0.0:
        return a

    def left(share):  # time until x has fallen to a share of itself, less t
        return law.activation_time * (-k * np.log(share) + b * x * (1.0 - share)) - t

    return e + x * brentq(left, 1e-30, 1.0, xtol=1e-16, rtol=1e-14)

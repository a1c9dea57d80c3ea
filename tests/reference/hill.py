"""De Groote's muscle and Bezier sections as the sources write them, slow and plain."""

import numpy as np
from scipy.interpolate import BPoly
from scipy.optimize import brentq

B = (
    (0.8150671134243542, 1.055033428970575, 0.162384573599574, 0.063303448465465),
    (0.433004984392647, 0.716775413397760, -0.029947116970696, 0.200356847296188),
    (0.1, 1.0, 0.353553390593274, 0.0),
)
D = (-0.3211346127989808, -8.149, -0.374, 0.8825327733249912)
K = np.log(6.0) / 0.049


def f_active(x):
    return sum(b1 * np.exp(-0.5 * (x - b2) ** 2 / (b3 + b4 * x) ** 2) for b1, b2, b3, b4 in B)


def f_passive(x):
    o = np.exp(4.0 * (0.2 - 1.0) / 0.6)
    return (np.exp(4.0 * (x - 1.0) / 0.6) - o) / (np.exp(4.0) - o)


def f_velocity(v):
    y = D[1] * v + D[2]
    return D[0] * np.log(y + np.sqrt(y * y + 1.0)) + D[3]


def f_tendon(x):
    return 0.2 * np.exp(K * (x - 1.0)) - 0.2


def fiber_velocity(one, fiber_length, activation, tendon, damping):
    """Velocity [m/s] at which the fibers carry a tendon force over F_0."""
    cosine = np.sqrt(
        1.0 - (np.sin(one.pennation_angle) * one.optimal_fiber_length / fiber_length) ** 2
    )
    x = fiber_length / one.optimal_fiber_length

    def excess(w):
        force = activation * f_active(x) * f_velocity(w) + f_passive(x) + damping * w
        return force * cosine - tendon

    w = brentq(excess, -100.0, 100.0, xtol=1e-15, rtol=1e-15)
    return w * one.max_contraction_velocity * one.optimal_fiber_length


def bezier(x, *sections):
    """Curve of quintic sections with control points (6, 2), at x."""
    for points in sections:
        px, py = np.array(points, float).T
        if px[0] <= x <= px[-1]:
            along = BPoly(px[:, None], [0.0, 1.0])
            u = brentq(lambda u, along=along: along(u) - x, 0.0, 1.0, xtol=1e-15)
            return float(BPoly(py[:, None], [0.0, 1.0])(u))
    raise ValueError(x)

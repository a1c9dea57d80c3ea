"""Friction in plain NumPy, from its dissipation: nodal forces are its slopes in the rates.

A contact point dissipates mu P sqrt(|s|^2 + speed^2) (less a constant); see docs/theory.md. The
rates enter linearly or under the root, so that a complex step gives the slopes; so do places.
"""

import numpy as np

DELTA = 0.01


def hermite(xi, h, order=0):
    """Shape functions (4,) of an element and their derivatives in theta."""
    powers = {
        0: [1 - 3 * xi**2 + 2 * xi**3, h * (xi - 2 * xi**2 + xi**3)],
        1: [(-6 * xi + 6 * xi**2) / h, 1 - 4 * xi + 3 * xi**2],
    }[order]
    other = {
        0: [3 * xi**2 - 2 * xi**3, h * (xi**3 - xi**2)],
        1: [(6 * xi - 6 * xi**2) / h, 3 * xi**2 - 2 * xi],
    }[order]
    return np.array([*powers, *other])


def size(x):
    """Length of a vector, also of one that a complex step has moved."""
    return np.sqrt(x @ x)


def sliding_squared(a, a_dot, b, b_dot, m, u):
    """Square of the sliding velocity of two fibers, s . W s, with the pseudo-inverse by a solve."""
    n = m / size(m)
    rates, directions = [], []
    for t, t_dot in ((a, a_dot), (b, b_dot)):
        unit = t / size(t)
        turning = (t_dot - unit * (unit @ t_dot)) / size(t)
        tau = unit - n * (n @ unit)
        directions.append(tau)
        rates.append(tau @ u - m @ turning)
    G = np.array([[p @ q for q in directions] for p in directions])
    s = np.array(rates)
    (p, q), (_, r) = G @ G + DELTA**2 * np.eye(2)
    return s @ (np.array([[r, -q], [-q, p]]) @ (G @ s)) / (p * r - q * q)


def across(u, n):
    """Square of the part of u across n."""
    part = u - n * (n @ u)
    return part @ part

"""Equilibrium of a cable as a boundary-value problem, for scipy; shares no code with the package.

Over the reference arclength s the state is the position x and the force vector n of the section:
dx/ds = stretch n / |n| and dn/ds = -(load + line force per reference length), with the stretch
from |n| = A_0 P(stretch), P = mu (stretch - stretch^-2) + sigma_0 / stretch.
"""

import numpy as np
from scipy.integrate import solve_bvp


def stretch_of(force, area, mu, prestress):
    """Stretch at an axial force, by Newton's method [-]."""
    lam = 1.0 + force / (3.0 * area * mu)
    for _ in range(50):
        change = mu * (lam - lam**-2) + prestress / lam - force / area
        change /= mu * (1.0 + 2.0 * lam**-3) - prestress / lam**2
        lam = lam - change
        if np.abs(change).max() < 1e-15:
            break
    return lam


def penalty(gap, stiffness, limit, end):
    """Line force of the gap, extrapolated linearly below the gap `end` (between -1/limit and 0)."""
    g = np.clip(gap, end, 0.0)
    slope = stiffness / (1.0 + limit * end) ** 2
    return -stiffness * g / (1.0 + limit * g) + np.where(gap < end, slope * (end - gap), 0.0)


def solve_cable(ends, guess, stretch, line_force, tolerance):
    """Solution between two fixed points.

    Parameters
    ----------
    ends : pair of (3,) array_like
        Pinned ends [m].
    guess : tuple of arrays
        Initial guess: s (m,) and state (6, m).
    stretch : callable
        Axial force (n,) -> stretch (n,).
    line_force : callable
        s (n,), x (3, n), stretch (n,) -> force per reference length (3, n).
    tolerance : float
        Tolerance of scipy's collocation (fourth order, adaptive mesh).

    Returns
    -------
    solution : scipy bunch
        Solution of `solve_bvp`.
    """
    first, last = (np.asarray(end, float) for end in ends)

    def slope(s, state):
        x, n = state[:3], state[3:]
        size = np.linalg.norm(n, axis=0)
        lam = stretch(size)
        return np.vstack([lam * n / size, -line_force(s, x, lam)])

    def pinned(a, b):
        return np.r_[a[:3] - first, b[:3] - last]

    solution = solve_bvp(slope, pinned, *guess, tol=tolerance, max_nodes=20000)
    if not solution.success:
        raise ArithmeticError(f"the reference solution failed: {solution.message}")
    return solution

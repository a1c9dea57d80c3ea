"""Smoothing splines: values at points from measured ones with noise.

Symbols: ``y`` measured values at x, ``s`` spline of degree 2 m - 1, ``p`` smoothing parameter,
``K`` matrix of the roughness, ``B`` a root of it, K = B^T B.
"""

from __future__ import annotations

from math import factorial

import numpy as np
from scipy.interpolate import BSpline
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import minimize_scalar

from fibermsk._arrays import Array

_DECADES, _PER_DECADE = 6, 20
"""Decades of p beyond the stiffest and the softest mode, and places searched in each of all."""


def smoothed_values(x: Array, y: Array, degree: int, error_variance: float | None) -> Array:
    """Values (n,) at the points of the natural spline that smooths them best.

    The spline minimizes sum (y_i - s(x_i))^2 + p times the integral of the square of its derivative
    of order m. With an error variance, p is that of the least estimated mean square of the true
    error; without, that of the least generalized cross-validation.

    Parameters
    ----------
    x, y : (n,) float array
        Points, x increasing, and values; n > m.
    degree : int
        2 m - 1: 1, 3, 5 or 7.
    error_variance : float, optional
        Mean square of the errors of the values; 0 or more.

    Notes
    -----
    Modes 3 and 2 of GCVSPL [1]_, which OpenSim's GCVSpline uses; all weights are 1. Both criteria
    follow from the singular values of B, whose null space are the polynomials of degree m - 1.

    References
    ----------
    .. [1] Woltring, A Fortran package for generalized, cross-validatory spline smoothing and
       differentiation, Advances in Engineering Software 8 (1986), doi:10.1016/0141-1195(86)90098-7.
    """
    m, n = (degree + 1) // 2, x.size
    # the abscissas on [0, 1]: p has their unit and changes with it
    _, sizes, modes = np.linalg.svd(roughness_root((x - x[0]) / (x[-1] - x[0]), m))
    modes = modes[: n - m]
    parts = modes @ y

    def damped(log_p: float) -> Array:
        """Shares of the modes that smoothing takes away."""
        stiff = np.exp(log_p) * sizes**2
        return stiff / (1.0 + stiff)

    def criterion(log_p: float) -> float:
        gone = damped(log_p)
        square = float(((gone * parts) ** 2).sum()) / n
        if error_variance is None:
            return square / (gone.sum() / n) ** 2
        return square - 2.0 * error_variance * float(gone.sum()) / n

    low, high = -2.0 * np.log(sizes.max()), -2.0 * np.log(sizes.min())
    beyond = _DECADES * np.log(10.0)
    places = int(_PER_DECADE * (high - low + 2.0 * beyond) / np.log(10.0)) + 2
    tried = np.linspace(low - beyond, high + beyond, places)
    k = int(np.argmin([criterion(one) for one in tried]))
    ends = tried[max(k - 1, 0)], tried[min(k + 1, places - 1)]
    best = minimize_scalar(criterion, bounds=ends, method="bounded", options={"xatol": 1e-10})
    return y - modes.T @ (damped(float(best.x)) * parts)


def roughness_root(x: Array, m: int) -> Array:
    """Matrix B (n - m, n): |B y|^2 is the integral of the square of s^(m), s natural through y.

    Divided differences of order m are integrals of s^(m) with B-splines of degree m - 1 as weights,
    which s^(m) is a sum of.
    """
    n = x.size
    nodes, weights = np.polynomial.legendre.leggauss(m)
    h = np.diff(x)
    at = (x[:-1, None] + 0.5 * h[:, None] * (1.0 + nodes)).ravel()
    weight = (0.5 * h[:, None] * weights).ravel()
    basis, differences = np.zeros((n - m, at.size)), np.zeros((n - m, n))
    for k in range(n - m):
        knots = x[k : k + m + 1]
        one = BSpline.basis_element(knots, extrapolate=False)(at)
        basis[k] = np.nan_to_num(one) * m / (knots[-1] - knots[0])
        apart = knots[:, None] - knots
        np.fill_diagonal(apart, 1.0)
        differences[k, k : k + m + 1] = 1.0 / apart.prod(axis=1)
    gram = (basis * weight) @ basis.T
    return factorial(m) * solve_triangular(cholesky(gram, lower=True), differences, lower=True)

"""Quadratures on the unit interval: Gauss–Legendre and, with both ends, Lobatto."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray


def gauss_rule(n_points: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points and weights on [0, 1], exact for polynomials of degree 2 n_points - 1.

    Parameters
    ----------
    n_points : int
        At least 1.

    Returns
    -------
    points, weights : (n_points,) float array
        New arrays; the weights sum to 1.
    """
    points, weights = _legendre(n_points)
    return 0.5 * (points + 1.0), 0.5 * weights


def lobatto_rule(n_points: int) -> NDArray[np.float64]:
    """Points and weights on [0, 1] with both ends, exact to degree 2 n_points - 3.

    Parameters
    ----------
    n_points : int
        At least 2.

    Returns
    -------
    rule : (2, n_points) float array
        Points, increasing, and weights, which sum to 1.
    """
    last = np.polynomial.Legendre.basis(n_points - 1)
    # NumPy 2.5 gives real roots as complex numbers
    inner = np.sort(last.deriv().roots().real) if n_points > 2 else []
    points = np.array([-1.0, *inner, 1.0])
    weights = 1.0 / (n_points * (n_points - 1) * last(points) ** 2)
    return np.array([0.5 * (points + 1.0), weights])


_legendre = lru_cache(np.polynomial.legendre.leggauss)

"""Gauss–Legendre quadrature on the unit interval."""

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


_legendre = lru_cache(np.polynomial.legendre.leggauss)

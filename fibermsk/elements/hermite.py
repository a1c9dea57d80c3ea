"""Cubic Hermite shape functions of an element with nodal unknowns (x, dx/dtheta).

The functions take scalars or arrays and are compiled into the kernels.

Symbols: ``xi`` in [0, 1] along the element, ``h`` its length in theta. The order of the four
functions is position and tangent at the first node, position and tangent at the second. Scaling the
tangent functions by ``h`` makes the nodal tangent a derivative in theta, so that elements of
different length join with a continuous first derivative.

References
----------
.. [1] Gfrerer and Simeon, "Fiber-based modeling and simulation of skeletal muscles",
       Multibody System Dynamics 52 (2021), eqs. 52-53.
"""

from __future__ import annotations


def hermite(xi, h):
    """Shape functions at ``xi``; eq. 53 of [1]_ with the tangents scaled by ``h``."""
    return (
        1.0 + xi * xi * (2.0 * xi - 3.0),
        h * xi * (xi * (xi - 2.0) + 1.0),
        xi * xi * (3.0 - 2.0 * xi),
        h * xi * xi * (xi - 1.0),
    )


def hermite_d1(xi, h):
    """Derivatives of the shape functions in theta at ``xi``."""
    return (
        6.0 * xi * (xi - 1.0) / h,
        xi * (3.0 * xi - 4.0) + 1.0,
        6.0 * xi * (1.0 - xi) / h,
        xi * (3.0 * xi - 2.0),
    )


def hermite_d2(xi, h):
    """Second derivatives of the shape functions in theta at ``xi``."""
    return (
        (12.0 * xi - 6.0) / (h * h),
        (6.0 * xi - 4.0) / h,
        (6.0 - 12.0 * xi) / (h * h),
        (6.0 * xi - 2.0) / h,
    )

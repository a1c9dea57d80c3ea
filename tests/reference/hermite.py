"""Cubic Hermite element of length h in theta, unknowns (x, dx/dtheta) at both nodes (G 52-53)."""

import numpy as np


def gauss(n):
    """Gauss-Legendre rule on [0, 1].

    Parameters
    ----------
    n : int
        Number of points.

    Returns
    -------
    xi, weight : (n,) float array
    """
    z, w = np.polynomial.legendre.leggauss(n)
    return 0.5 * (1.0 + z), 0.5 * w


def shape(xi, h):
    """Shape functions in the order (x_a, t_a, x_b, t_b).

    Parameters
    ----------
    xi : (...) array
        Element coordinate in [0, 1].
    h : (...) array
        Element length in theta; broadcast against `xi`.

    Returns
    -------
    N : (..., 4) array

    Notes
    -----
    G 53 with phi_2 and phi_4 times h, because the nodal tangent is dx/dtheta = (dx/dxi)/h.
    """
    xi, h = np.broadcast_arrays(xi, h)
    return np.stack(
        [
            1.0 - 3.0 * xi**2 + 2.0 * xi**3,
            h * (xi - 2.0 * xi**2 + xi**3),
            3.0 * xi**2 - 2.0 * xi**3,
            h * (xi**3 - xi**2),
        ],
        axis=-1,
    )


def shape_d(xi, h):
    """First derivative of `shape` with respect to theta, (..., 4) array."""
    xi, h = np.broadcast_arrays(xi, h)
    return np.stack(
        [
            (6.0 * xi**2 - 6.0 * xi) / h,
            1.0 - 4.0 * xi + 3.0 * xi**2,
            (6.0 * xi - 6.0 * xi**2) / h,
            3.0 * xi**2 - 2.0 * xi,
        ],
        axis=-1,
    )


def shape_dd(xi, h):
    """Second derivative of `shape` with respect to theta, (..., 4) array."""
    xi, h = np.broadcast_arrays(xi, h)
    return np.stack(
        [
            (12.0 * xi - 6.0) / h**2,
            (6.0 * xi - 4.0) / h,
            (6.0 - 12.0 * xi) / h**2,
            (6.0 * xi - 2.0) / h,
        ],
        axis=-1,
    )


def element_values(nodes):
    """Nodal values gathered per element.

    Parameters
    ----------
    nodes : (n+1, 6) array

    Returns
    -------
    values : (n, 4, 3) array
        x_a, t_a, x_b, t_b of each element.
    """
    return np.concatenate([nodes[:-1], nodes[1:]], axis=1).reshape(-1, 4, 3)


def assemble(contributions):
    """Sum element vectors (n, 4, 3) into nodal values (n+1, 6)."""
    n = len(contributions)
    nodes = np.zeros((n + 1, 6), dtype=contributions.dtype)
    for e in range(n):
        nodes[e] += contributions[e, :2].ravel()
        nodes[e + 1] += contributions[e, 2:].ravel()
    return nodes

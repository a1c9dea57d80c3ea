"""From a fiber's reference path to nodal positions and tangents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

__all__ = ["FiberMesh", "mesh_fiber"]

Array = NDArray[np.float64]
Path = Callable[[Array], Array]

# Degree of the local interpolant that yields the tangents of a path given as a function: its
# derivative at the element ends is then accurate to about 1e-10 for any path that the elements
# themselves can follow.
_PATH_DEGREE = 8


@dataclass(frozen=True)
class FiberMesh:
    """Nodes of one fiber in its reference configuration.

    Attributes
    ----------
    theta : (n_nodes,) float array
        Material coordinate, from 0 to 1.
    nodes : (n_nodes, 6) float array
        Position X and tangent dX/dtheta, ground frame [m].
    """

    theta: Array
    nodes: Array


def spline_through(points: Array) -> Path:
    """Smooth path through given points, parametrized by the normalized chord length.

    Parameters
    ----------
    points : (n, 3) float array
        At least two, consecutive ones distinct [m].

    Returns
    -------
    path : callable
        theta (m,) in [0, 1] to points (m, 3).
    """
    chord = np.r_[0.0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))]
    theta = chord / chord[-1]
    if len(points) == 2:
        return lambda s: points[0] + np.asarray(s)[:, None] * (points[1] - points[0])
    return CubicSpline(theta, points, axis=0)


def mesh_fiber(path: Path, theta: Array) -> FiberMesh:
    """Nodal positions and tangents of a path.

    Parameters
    ----------
    path : callable
        theta (m,) in [0, 1] to points (m, 3) [m].
    theta : (n_nodes,) float array
        Node coordinates, increasing from 0 to 1.

    Returns
    -------
    mesh : FiberMesh
        The tangent at an inner node is the mean of the one-sided derivatives.
    """
    n_nodes = theta.size
    nodes = np.zeros((n_nodes, 6))
    nodes[:, :3] = path(theta)
    shares = np.zeros(n_nodes)
    for e in range(n_nodes - 1):
        ends = theta[e : e + 2]
        for axis in range(3):
            local = Chebyshev.interpolate(
                lambda s, axis=axis: path(s)[:, axis], _PATH_DEGREE, domain=ends
            )
            nodes[e : e + 2, 3 + axis] += local.deriv()(ends)
        shares[e : e + 2] += 1.0
    nodes[:, 3:] /= shares[:, None]
    return FiberMesh(theta=theta, nodes=nodes)

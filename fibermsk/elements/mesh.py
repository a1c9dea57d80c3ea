"""Nodal positions and tangents from the reference path of a fiber."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Chebyshev
from scipy.interpolate import BSpline, make_interp_spline

from fibermsk._arrays import Array

Path = Callable[[Array], Array]

# Tangents of a path given as a function are derivatives of interpolants of this degree on windows
# of at most this width in theta beside each node, for any mesh.
_PATH_DEGREE = 8
_PATH_WINDOW = 0.05


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
    return make_interp_spline(theta, points, k=min(3, len(points) - 1))


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
    nodes = np.empty((theta.size, 6))
    nodes[:, :3] = path(theta)
    if isinstance(path, BSpline):
        nodes[:, 3:] = path.derivative()(theta)
        return FiberMesh(theta=theta, nodes=nodes)
    for n, at in enumerate(theta):
        sides = []
        if n > 0:
            sides.append((max(theta[n - 1], at - _PATH_WINDOW), at))
        if n < theta.size - 1:
            sides.append((at, min(theta[n + 1], at + _PATH_WINDOW)))
        nodes[n, 3:] = np.mean([_slope(path, window, at) for window in sides], axis=0)
    return FiberMesh(theta=theta, nodes=nodes)


def _slope(path: Path, window: tuple[float, float], at: float) -> Array:
    """Derivative of a path from its interpolant on a window."""
    return np.array(
        [
            Chebyshev.interpolate(
                lambda s, axis=axis: path(s)[:, axis], _PATH_DEGREE, domain=window
            ).deriv()(at)
            for axis in range(3)
        ]
    )

"""Centerlines: smoothed paths of muscles, frames along them, and Hermite curves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fibermsk._arrays import Array
from fibermsk.elements.hermite import hermite, hermite_d1, hermite_d2

_DENSE = 801
"""Number of points of a smoothed path."""


def polyline_length(points: Array) -> float:
    """Length of a polyline (n, 3) [m]."""
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def resample(points: Array, n: int) -> Array:
    """Points (n, 3) at equal arc length along a polyline, both ends included."""
    chord = np.r_[0.0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))]
    at = np.linspace(0.0, chord[-1], n)
    return np.stack([np.interp(at, chord, points[:, i]) for i in range(3)], axis=1)


def smooth(points: Array, width: float) -> Array:
    """Smooth a polyline (n, 3) to 801 points at equal arc length; its ends are fixed.

    Consecutive points are distinct; the width is the standard deviation of the Gaussian filter,
    relative to the length.
    """
    dense = resample(points, _DENSE)
    reach = int(np.ceil(4.0 * width * (_DENSE - 1)))
    if reach == 0:
        return dense
    reach = min(reach, _DENSE - 1)
    offset = np.arange(-reach, reach + 1) / (width * (_DENSE - 1))
    weight = np.exp(-0.5 * offset**2)
    weight /= weight.sum()
    # extended by reflection through the ends, which keeps them fixed
    before = 2.0 * dense[0] - dense[reach:0:-1]
    after = 2.0 * dense[-1] - dense[-2 : -reach - 2 : -1]
    long = np.concatenate([before, dense, after])
    curve = np.stack([np.convolve(long[:, i], weight, "valid") for i in range(3)], axis=1)
    curve[0], curve[-1] = dense[0], dense[-1]
    return resample(np.asarray(curve, float), _DENSE)


def transported_frames(curve: Array, first: Array) -> tuple[Array, Array]:
    """Rotation-minimizing frame of two unit normals (n, 3) along a curve of dense points (n, 3).

    `first` is the approximate direction of the first normal at the start.

    Notes
    -----
    Double reflection method of [1]_.

    References
    ----------
    .. [1] Wang, Juettler, Zheng and Liu, "Computation of rotation minimizing frames", ACM
           Transactions on Graphics 27 (2008), doi:10.1145/1330511.1330513.
    """
    tangent = np.gradient(curve, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    e1 = np.empty_like(curve)
    normal = first - (first @ tangent[0]) * tangent[0]
    e1[0] = normal / np.linalg.norm(normal)
    for i in range(len(curve) - 1):
        step = curve[i + 1] - curve[i]
        square = step @ step
        normal = e1[i] - 2.0 / square * (step @ e1[i]) * step
        turned = tangent[i] - 2.0 / square * (step @ tangent[i]) * step
        mirror = tangent[i + 1] - turned
        square = mirror @ mirror
        if square > 0.0:
            normal = normal - 2.0 / square * (mirror @ normal) * mirror
        normal -= (normal @ tangent[i + 1]) * tangent[i + 1]
        e1[i + 1] = normal / np.linalg.norm(normal)
    return e1, np.asarray(np.cross(tangent, e1), float)


@dataclass(frozen=True)
class Grid:
    """Nodes `theta` of a fiber from 0 to 1, and samples `at` on its elements, nodes included.

    Value, slope and bend (n_samples, 2 n_nodes) lead from nodal values (x, dx/dtheta) to x and its
    theta-derivatives at samples, whose quadrature weight in theta is `weight`.
    """

    theta: Array
    at: Array
    value: Array
    slope: Array
    bend: Array
    weight: Array

    @staticmethod
    def over(theta: Array, per_element: int) -> Grid:
        """Create a grid with equal steps on each element."""
        n = theta.size - 1
        element = np.repeat(np.arange(n), per_element)
        xi = np.tile(np.arange(per_element) / per_element, n)
        element, xi = np.r_[element, n - 1], np.r_[xi, 1.0]
        h = np.diff(theta)[element]

        def rows(function) -> Array:
            row = np.zeros((xi.size, 2 * theta.size))
            for a, values in enumerate(function(xi, h)):
                row[np.arange(xi.size), 2 * element + a] = values
            return row

        at = theta[element] + h * xi
        weight = np.empty_like(at)
        weight[1:-1] = 0.5 * (at[2:] - at[:-2])
        weight[0], weight[-1] = 0.5 * (at[1] - at[0]), 0.5 * (at[-1] - at[-2])
        return Grid(theta, at, rows(hermite), rows(hermite_d1), rows(hermite_d2), weight)

    def fit(self, curve: Array) -> Array:
        """Least-squares nodal values (2 n_nodes, 3) for dense points at equal arc length."""
        at = np.linspace(0.0, 1.0, len(curve))
        wanted = np.stack([np.interp(self.at, at, curve[:, i]) for i in range(3)], axis=1)
        ends = [0, 2 * (self.theta.size - 1)]
        free = np.setdiff1d(np.arange(2 * self.theta.size), ends)
        nodal = np.zeros((2 * self.theta.size, 3))
        nodal[ends] = curve[[0, -1]]
        root = np.sqrt(self.weight)[:, None]
        # a small bending term regularizes elements with few samples
        stiff = 1e-4 * root * self.bend
        matrix = np.vstack([root * self.value, stiff])
        right = np.vstack([root * wanted, np.zeros_like(wanted)]) - matrix[:, ends] @ nodal[ends]
        nodal[free] = np.linalg.lstsq(matrix[:, free], right, rcond=None)[0]
        return nodal


@dataclass(frozen=True, eq=False)
class Curve:
    """A piecewise cubic Hermite curve, a callable of theta (n,).

    The nodal values (2 n_nodes, 3) are positions and derivatives in theta, alternating [m], at
    nodes `theta` from 0 to 1.
    """

    theta: Array
    nodal: Array

    def __call__(self, theta: Array) -> Array:
        """Points (n, 3) [m]."""
        element = np.searchsorted(self.theta, theta, side="right") - 1
        element = element.clip(0, self.theta.size - 2)
        h = np.diff(self.theta)[element]
        parts = hermite((theta - self.theta[element]) / h, h)
        return sum(value[:, None] * self.nodal[2 * element + a] for a, value in enumerate(parts))  # pyright: ignore[reportReturnType]

    def length(self) -> float:
        """Length [m]."""
        grid = Grid.over(self.theta, 40)
        return polyline_length(grid.value @ self.nodal)

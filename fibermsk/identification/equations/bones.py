"""Bones that have the base parameters found, with the mass and inertia that a body can have.

Base parameters leave some of the mass distribution open, and estimates need not be those of any
body. A distribution is one of a body where its matrix of second moments of mass P is positive
definite: the mass is positive, and the principal moments of inertia obey the triangle inequality
[1]_. With base parameters b found with covariance C, and the second moments P_0 of the model's
bodies, these are the minimum of the convex function [2]_

    1/2 (B pi - b)^T C^-1 (B pi - b) + sum over bodies of (tr(P_0^-1 P) - log det P).

References
----------
.. [1] Wensing, Kim and Slotine, "Linear matrix inequalities for physically consistent inertial
       parameter identification", IEEE Robotics and Automation Letters 3 (2018), 60-67.
.. [2] Lee, Wensing and Park, "Geometric robot dynamic identification: a convex programming
       approach", IEEE Transactions on Robotics 36 (2020), 348-365.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.identification.equations.inertia import MOMENTS, Base

_SLENDER = 0.01
"""Least unit of lengths [m]."""
_FLAT = 1e-6
"""Least eigenvalue of the second moments of a guess, in its units: flatter ones are thickened."""
_DOUBTS = tuple(2.0**k for k in range(24, -1, -1))
"""Deviations in turn, over those of what was found: each minimum is near the one before."""
_STEPS, _SHORTEST = 200, 1e-12
_END = 1e-10
"""Newton decrement at the end."""


class Bones(NamedTuple):
    """Bones nearest to what was found.

    Attributes
    ----------
    values : (10 b,) float array
        Inertial parameters of all bodies.
    off : (n_base,) float array
        Their base parameters less those found, in deviations of these.
    """

    values: Array
    off: Array


def _second_moments() -> Array:
    """How the ten parameters of a body enter its matrix of second moments, (10, 4, 4)."""
    found = np.zeros((10, 4, 4))
    found[0, 3, 3] = 1.0
    for k in range(3):
        found[1 + k, k, 3] = found[1 + k, 3, k] = 1.0
        # integral of x_k^2: half the trace, less the moment about k
        found[4 + k, range(3), range(3)] = 0.5
        found[4 + k, k, k] = -0.5
    for row, (i, j) in zip(found[7:], MOMENTS[3:], strict=True):
        row[i, j] = row[j, i] = -1.0
    return found


_MOMENTS = _second_moments()


def second_moments(values: Array) -> Array:
    """Second moments of mass (b, 4, 4) [kg m^2, kg m, kg] of inertial parameters (10 b,)."""
    return np.einsum("bk,kij->bij", values.reshape(-1, 10), _MOMENTS)


def bones_of(base: Base, found: Array, covariance: Array, guess: Array) -> Bones:
    """Bones nearest to base parameters `found` (n_base,), and to the guess (10 b,)."""
    scales = _scales(guess)
    # in the units of each body, in which its second moments are of the size of one
    values, vectors = np.linalg.eigh(second_moments(guess / scales))
    values = np.maximum(values, _FLAT)
    first = np.einsum("bik,bk,bjk->bij", vectors, values, vectors)
    own = np.einsum("bik,bk,bjk,pij->bp", vectors, 1.0 / values, vectors, _MOMENTS).ravel()
    u = _parameters(first)
    deviation = np.sqrt(np.diag(covariance))
    root = np.linalg.cholesky(covariance / np.outer(deviation, deviation))
    slopes = np.asarray(np.linalg.solve(root, base.matrix * scales / deviation[:, None]), float)
    target = np.asarray(np.linalg.solve(root, found / deviation), float)
    for doubt in _DOUBTS:
        u = _minimum(u, slopes / doubt, target / doubt, own)
    values = u * scales
    return Bones(values, (base.matrix @ values - found) / deviation)


def _minimum(u: Array, slopes: Array, target: Array, own: Array) -> Array:
    """Minimum of |slopes u - target|^2 / 2 + own u - log det of all bodies, by Newton's method."""
    b = u.size // 10

    def value(u: Array) -> float:
        P, rest = second_moments(u), slopes @ u - target
        if (np.linalg.eigvalsh(P) <= 0.0).any():
            return np.inf
        return float(0.5 * rest @ rest + own @ u - np.linalg.slogdet(P)[1].sum())

    now = value(u)
    for _ in range(_STEPS):
        P = second_moments(u)
        part = np.linalg.solve(P[:, None], np.broadcast_to(_MOMENTS, (b, 10, 4, 4)))
        gradient = slopes.T @ (slopes @ u - target) + own - np.trace(part, axis1=2, axis2=3).ravel()
        hessian = slopes.T @ slopes
        for k, block in enumerate(np.einsum("bkij,blji->bkl", part, part)):
            hessian[10 * k : 10 * k + 10, 10 * k : 10 * k + 10] += block
        try:
            step = -np.linalg.solve(hessian, gradient)
        except np.linalg.LinAlgError:  # flat to round-off: no bodies have what was found
            break
        decrement, size = -float(gradient @ step), 1.0
        if decrement <= _END:
            break
        while (new := value(u + size * step)) > now - 0.1 * size * decrement:
            size *= 0.5
            if size < _SHORTEST:  # what is left is round-off
                return u
        u, now = u + size * step, new
    return u


def _scales(guess: Array) -> Array:
    """Units of all parameters: mass, and radius of gyration, of each body."""
    P = second_moments(guess)
    mass = np.maximum(P[:, 3, 3], 1e-3 * P[:, 3, 3].max())
    size = np.trace(P[:, :3, :3], axis1=1, axis2=2)
    length = np.maximum(np.sqrt(np.maximum(size, 0.0) / mass), _SLENDER)
    powers = np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2])
    return (mass[:, None] * length[:, None] ** powers).ravel()


def _parameters(P: Array) -> Array:
    """Inertial parameters (10 b,) of second moments (b, 4, 4)."""
    about = np.trace(P[:, :3, :3], axis1=1, axis2=2)[:, None, None] * np.eye(3) - P[:, :3, :3]
    rows, columns = zip(*MOMENTS, strict=True)
    return np.concatenate([P[:, 3:, 3], P[:, :3, 3], about[:, rows, columns]], axis=1).ravel()

"""Bodies that have given base parameters, with the mass and inertia that a body can have.

Base parameters leave some of the mass distribution open. A distribution is one of a body where its
matrix of second moments of mass is positive definite: the mass is positive, and the principal
moments of inertia satisfy the triangle inequality.

References
----------
.. [1] Wensing, Kim and Slotine, "Linear matrix inequalities for physically consistent inertial
       parameter identification", IEEE Robotics and Automation Letters 3 (2018), 60-67.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fibermsk._arrays import Array
from fibermsk.identification.equations.inertia import Base

_INSIDE = 1e-9
"""Least eigenvalue, in units of the guess, of a body."""
_SHARP = 10.0, 100.0, 1e3, 1e4
"""Of the smooth minimum of eigenvalues in turn, which is below it by log(n) over this."""
_SLENDER = 0.05
"""Radius [m] below which the extent of a guess is no unit."""
_HALVINGS = 40


def _second_moments() -> Array:
    """How the ten parameters of a body enter its matrix of second moments, (10, 4, 4)."""
    found = np.zeros((10, 4, 4))
    found[0, 3, 3] = 1.0
    for k in range(3):
        found[1 + k, k, 3] = found[1 + k, 3, k] = 1.0
        # integral of x_k^2: half the trace, less the moment about k
        found[4 + k, range(3), range(3)] = 0.5
        found[4 + k, k, k] = -0.5
    for row, (i, j) in zip(found[7:], ((0, 1), (0, 2), (1, 2)), strict=True):
        row[i, j] = row[j, i] = -1.0
    return found


_MOMENTS = _second_moments()


def second_moments(values: Array) -> Array:
    """Second moments of mass (b, 4, 4) [kg m^2, kg m, kg] of inertial parameters (10 b,)."""
    return np.einsum("bk,kij->bij", values.reshape(-1, 10), _MOMENTS)


def bones_of(base: Base, found: Array, guess: Array, deviation: Array) -> Array | None:
    """Inertial parameters (10 b,) of bodies with base parameters `found`; None if none have them.

    Of all that have, those nearest to the `guess` in units of its `deviation`; where these are not
    a body's, the first that are on the way to those furthest inside.
    """
    B, variance = base.matrix, deviation**2
    spread = (B * variance) @ B.T
    size = np.sqrt(np.diag(spread))
    pull = np.linalg.solve(spread / np.outer(size, size), (found - B @ guess) / size) / size
    nearest = guess + variance * (B.T @ pull)
    units = _units(guess)
    if _least(nearest, units) >= _INSIDE:
        return nearest
    inside = _furthest_inside(base, nearest, deviation, units)
    if _least(inside, units) < _INSIDE:
        return None
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if _least(nearest + middle * (inside - nearest), units) >= _INSIDE:
            high = middle
        else:
            low = middle
    return nearest + high * (inside - nearest)


def _units(guess: Array) -> Array:
    """Units (b, 4) of the rows of the second moments of each body."""
    own = np.maximum(np.diagonal(second_moments(guess), axis1=1, axis2=2), 0.0)
    mass = np.maximum(own[:, 3], 1e-3 * own[:, 3].max())
    return np.sqrt(np.c_[np.maximum(own[:, :3], mass[:, None] * _SLENDER**2), mass])


def _scaled(values: Array, units: Array) -> Array:
    return second_moments(values) / (units[:, :, None] * units[:, None, :])


def _least(values: Array, units: Array) -> float:
    return float(np.linalg.eigvalsh(_scaled(values, units)).min())


def _furthest_inside(base: Base, first: Array, deviation: Array, units: Array) -> Array:
    """Parameters with the same base whose least eigenvalue is largest; positive ones will do."""
    from scipy.optimize import minimize

    free = base.dependent.size
    ways = np.zeros((free, first.size))
    ways[range(free), base.dependent] = 1.0
    ways[:, base.independent] = -base.K.T
    ways *= deviation[base.dependent, None]
    slopes = np.stack([_scaled(way, units) for way in ways]) if free else np.zeros((0, 1, 4, 4))
    y = np.zeros(free)

    def smooth(y: Array, sharp: float) -> tuple[float, Array]:
        values, vectors = np.linalg.eigh(_scaled(first + y @ ways, units))
        least = values.min()
        weights = np.exp(-sharp * (values - least))
        total = weights.sum()
        along = np.einsum("bik,nbij,bjk->nbk", vectors, slopes, vectors)
        return -float(least - np.log(total) / sharp), -(along * weights / total).sum(axis=(1, 2))

    def enough(y: Any) -> None:
        if _least(first + y @ ways, units) > np.sqrt(_INSIDE):
            raise StopIteration

    for sharp in _SHARP if free else ():
        y = minimize(smooth, y, args=(sharp,), jac=True, method="BFGS", callback=enough).x
        if _least(first + y @ ways, units) > np.sqrt(_INSIDE):
            break
    return first + y @ ways

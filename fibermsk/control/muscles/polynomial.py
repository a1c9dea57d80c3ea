"""Products of Chebyshev polynomials, fitted to values and slopes by least squares."""

from __future__ import annotations

from itertools import product

import casadi as ca
import numpy as np
from numpy.polynomial import chebyshev
from scipy.stats import qmc

from fibermsk._arrays import Array, Index
from fibermsk.control.mechanics.directors import SX


class Polynomials:
    """Functions of d variables in [-1, 1], up to a total degree.

    Parameters
    ----------
    degree : int
        Total degree.
    z : (k, d) float array
        Points.
    values, slopes : (k, m) and (k, m, d) float array
        Values of the functions there, and their derivatives.
    """

    def __init__(self, degree: int, z: Array, values: Array, slopes: Array) -> None:
        self._degree, self._terms = degree, terms(degree, z.shape[1])
        basis, rates = self._basis(z)
        left = np.concatenate([basis, *rates])
        right = np.concatenate([values, *np.moveaxis(slopes, 2, 0)])
        self._weights = np.linalg.lstsq(left, right, rcond=None)[0]

    def errors(self, z: Array, values: Array, slopes: Array) -> tuple[Array, Array]:
        """Largest errors (m,) and (m, d) of values and slopes at other points."""
        basis, rates = self._basis(z)
        off = [np.abs(one @ self._weights - slopes[:, :, j]) for j, one in enumerate(rates)]
        largest = np.array([one.max(axis=0) for one in off]).reshape(len(off), -1).T
        return np.abs(basis @ self._weights - values).max(axis=0), largest

    def traced(self, k: int, z: SX) -> SX:
        """Function k as an expression of z (d,)."""
        columns: list[list[SX]] = []
        for j in range(z.numel()):
            column = [ca.SX(1), z[j]]
            while len(column) <= self._degree:
                column.append(2.0 * z[j] * column[-1] - column[-2])
            columns.append(column)
        found = ca.SX(0)
        for weight, term in zip(self._weights[:, k].tolist(), self._terms.tolist(), strict=True):
            part = ca.SX(weight)
            for column, power in zip(columns, term, strict=True):
                part *= column[power]
            found += part
        return found

    def _basis(self, z: Array) -> tuple[Array, list[Array]]:
        """Terms (k, t) at z (k, d), and their derivatives in each of its columns."""
        every = np.eye(self._degree + 1)
        T = np.array([chebyshev.chebval(z, one) for one in every])
        dT = np.array([chebyshev.chebval(z, chebyshev.chebder(one)) for one in every])

        def made(by: int | None) -> Array:
            found = np.ones((len(self._terms), len(z)))
            for j, powers in enumerate(self._terms.T):
                found *= (dT if j == by else T)[powers, :, j]
            return found.T

        return made(None), [made(j) for j in range(z.shape[1])]


def terms(degree: int, d: int) -> Index:
    """Degrees (t, d) of each product up to a total degree."""
    every = product(range(degree + 1), repeat=d)
    found = [one for one in every if sum(one) <= degree]
    return np.array(found, np.int64).reshape(len(found), d)


def spread(k: int, d: int) -> Array:
    """Points (k, d) spread evenly over [0, 1]."""
    if not d:
        return np.zeros((k, 0))
    found: Array = qmc.Halton(d, scramble=False).random(k + 1)[1:]
    return found

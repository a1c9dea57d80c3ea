"""Polynomials of several coordinates, for couplings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import Checked, fixed, number

MOST_POWER = 20
"""Largest power of a coordinate: beyond it, a polynomial loses all digits."""


@dataclass(frozen=True, eq=False)
class MultivariatePolynomial(Checked):
    """A polynomial of several coordinates, a sum of products of their powers.

    Parameters
    ----------
    powers : (k, d) array_like of int
        Powers of the d coordinates in each of k products; zero or more.
    coefficients : (k,) array_like
        Their coefficients.

    Examples
    --------
    >>> import fibermsk as fm
    >>> saddle = fm.MultivariatePolynomial([[1, 1], [2, 0]], [3.0, -0.5])
    >>> float(saddle((2.0, 5.0)))  # 3 x y - x^2 / 2
    28.0
    """

    powers: ArrayLike = fixed("powers of a polynomial are counts")
    coefficients: ArrayLike = number(shape=("k",))

    def __post_init__(self) -> None:
        super().__post_init__()
        owner = "MultivariatePolynomial"
        powers = _check.array(owner, "powers", self.powers, (np.size(self.coefficients), "d"))
        if powers.size == 0:
            _check.refuse(owner, "powers", self.powers, "be of one product and coordinate or more")
        if not ((powers >= 0) & (powers <= MOST_POWER) & (powers == np.round(powers))).all():
            _check.refuse(owner, "powers", powers, f"be whole numbers from 0 to {MOST_POWER}")
        whole = powers.astype(np.int64)
        whole.flags.writeable = False
        _check.store(self, powers=whole)

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return np.shape(self.powers)[1]

    def __call__(self, x: ArrayLike) -> Array:
        """Evaluate at points (..., d)."""
        powers, coefficients = np.asarray(self.powers), np.asarray(self.coefficients)
        return np.prod(np.asarray(x, np.float64)[..., None, :] ** powers, axis=-1) @ coefficients

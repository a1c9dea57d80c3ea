"""Functions of several coordinates as rows of a map, which only has sums of functions of one.

A product is u v = ((u + v)^2 - (u - v)^2) / 4: two rows of sums, whose squares add up to it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fibermsk.model import Linear, Polynomial
from fibermsk.model.function import Function
from fibermsk.model.multivariate import MultivariatePolynomial
from fibermsk.model.skeleton.coupling import Coupling
from fibermsk.system.skeleton.coordinate_map import MapBuilder

Term = tuple[int, Function]
"""A row, and a function of it."""


def coupling_terms(
    builder: MapBuilder, coupling: Coupling, row: Callable[[str], int]
) -> list[Term]:
    """Terms of the function of a coupling; `row` gives the row of a coordinate by name."""
    rows = [row(name) for name in coupling.independents]
    if coupling.terms is not None:
        return list(zip(rows, (function for _, function in coupling.terms), strict=True))
    polynomial = coupling.function
    assert isinstance(polynomial, MultivariatePolynomial)
    return _polynomial(builder, polynomial, rows)


def _polynomial(builder: MapBuilder, polynomial: MultivariatePolynomial, rows: list[int]):
    """Terms of a polynomial; adds rows of powers and products."""
    known: dict[tuple[tuple[int, int], ...], int] = {}

    def power_row(factors: tuple[tuple[int, int], ...]) -> int:
        """Row of a product of powers, of pairs (coordinate, power)."""
        if factors in known:
            return known[factors]
        (k, power), rest = factors[-1], factors[:-1]
        if not rest:
            alone = power == 1
            found = rows[k] if alone else builder.add([(rows[k], _monomial(power))])
        else:
            u, v = power_row(rest), power_row(factors[-1:])
            total = builder.add([(u, Linear()), (v, Linear())])
            apart = builder.add([(u, Linear()), (v, Linear(-1.0))])
            quarter = Polynomial([0.0, 0.0, 0.25]), Polynomial([0.0, 0.0, -0.25])
            found = builder.add(list(zip((total, apart), quarter, strict=True)))
        known[factors] = found
        return found

    terms: list[Term] = []
    pairs = zip(np.asarray(polynomial.powers), np.asarray(polynomial.coefficients), strict=True)
    for powers, coefficient in pairs:
        factors = tuple((k, int(power)) for k, power in enumerate(powers) if power)
        if not factors:
            terms.append((rows[0], Linear(0.0, float(coefficient))))
        elif len(factors) == 1:
            k, power = factors[0]
            terms.append((rows[k], _monomial(power, float(coefficient))))
        else:
            terms.append((power_row(factors), Linear(float(coefficient))))
    return terms


def _monomial(power: int, coefficient: float = 1.0) -> Function:
    """One power of a coordinate."""
    if power == 1:
        return Linear(coefficient)
    return Polynomial([*[0.0] * power, coefficient])

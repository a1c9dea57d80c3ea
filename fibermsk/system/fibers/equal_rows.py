"""Data of elements, of which equal elements share one row."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array, Short


class ElementRows(NamedTuple):
    """Data of elements that do not change, without equal rows; symbols as in `Cables`.

    Attributes
    ----------
    weight, area, G0, moduli, bending : (n_rows, n_points) float array
        Quadrature weights times h; reference area [m^2]; |X,theta| [m]; shear modulus at small
        strain [N/m^2]; bending stiffness over |X,theta| [N m].
    law : (n_rows, n_points, n_constants) float array
        Constants of the stress laws.
    mass : (n_rows, 4, 4) float array
        Element mass matrices [kg].
    """

    weight: Array
    area: Array
    G0: Array
    moduli: Array
    bending: Array
    law: Array
    mass: Array


def without_equal(*arrays: Array) -> tuple[list[Array], Short]:
    """Arrays (n_elements, ...) without equal rows, and the row of each element (n_elements,).

    Elements are equal if they are so in all arrays, bit by bit.
    """
    n = len(arrays[0])
    whole = np.concatenate([one.reshape(n, math.prod(one.shape[1:])) for one in arrays], axis=1)
    numbers: dict[bytes, int] = {}
    found = (numbers.setdefault(row.tobytes(), len(numbers)) for row in whole)
    row_of = np.fromiter(found, np.int32, n)
    _, first = np.unique(row_of, return_index=True)
    return [np.ascontiguousarray(one[first]) for one in arrays], row_of

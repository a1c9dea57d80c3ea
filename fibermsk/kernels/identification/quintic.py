"""Curves as tables of quintic Hermite pieces: twice continuously differentiable, without a search.

A table has up to five sections, each divided into equal pieces; outside it is a straight line.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk._compile import inner


class Tables(NamedTuple):
    """Tables of curves.

    Attributes
    ----------
    n : (t,) int array
        Sections.
    ends : (t, 6) float array
        Arguments at their ends, in order.
    pieces : (t, 5 p, 6) float array
        Coefficients of the pieces, of powers of the part of a piece, in order of argument.
    """

    n: NDArray[np.int64]
    ends: Array
    pieces: Array


@inner
def table_at(tables, t, x):
    """Value and slope of a table at a number, real or complex."""
    ends, n = tables.ends[t], tables.n[t]
    per = tables.pieces.shape[1] // 5
    if x.real <= ends[0]:
        first = tables.pieces[t, 0]
        slope = first[1] * per / (ends[1] - ends[0])
        return first[0] + slope * (x - ends[0]), slope + 0.0 * x
    if x.real >= ends[n]:
        c = tables.pieces[t, n * per - 1]
        slope = (c[1] + 2.0 * c[2] + 3.0 * c[3] + 4.0 * c[4] + 5.0 * c[5]) * per
        slope /= ends[n] - ends[n - 1]
        return c[0] + c[1] + c[2] + c[3] + c[4] + c[5] + slope * (x - ends[n]), slope + 0.0 * x
    k = 0
    while x.real > ends[k + 1]:
        k += 1
    rate = per / (ends[k + 1] - ends[k])
    s = (x - ends[k]) * rate
    i = min(int(s.real), per - 1)
    s = s - i
    c = tables.pieces[t, k * per + i]
    value = c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * c[5]))))
    slope = c[1] + s * (2.0 * c[2] + s * (3.0 * c[3] + s * (4.0 * c[4] + s * 5.0 * c[5])))
    return value, slope * rate

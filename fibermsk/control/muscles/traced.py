"""The package's own scalar laws as expressions of CasADi.

The laws are written once, for numbers; where they have branches they compare real parts. A `Traced`
number is an expression together with a value: the law is computed on both and takes the branch of
the value. The expression is the law wherever that branch holds, which a caller must see to.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
from numpy.lib.mixins import NDArrayOperatorsMixin

from fibermsk.control.mechanics.branches import applied
from fibermsk.control.mechanics.directors import SX


class Traced(NDArrayOperatorsMixin):
    """An expression, and its value at the point whose branches are taken."""

    def __init__(self, symbol: SX, value: float) -> None:
        self.symbol, self.real = ca.SX(symbol), float(value)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Traced:
        """Apply a function of numpy to both."""
        given = [one if isinstance(one, Traced) else Traced(one, one) for one in inputs]
        symbols = [one.symbol for one in given]
        return Traced(applied(ufunc, symbols), ufunc(*(one.real for one in given)))

"""Tables of results beside the frames."""

from __future__ import annotations

from typing import NamedTuple

from fibermsk._arrays import Array

TABLES = "control", "optimum", "multipliers", "convergence", "sparsity", "identification"
"""Tables of results of optimal control, and of a study of identification."""


class Column(NamedTuple):
    """Numbers that do not belong to frames.

    Attributes
    ----------
    values : (n,) float array
        The numbers.
    unit : str
        Their unit.
    """

    values: Array
    unit: str = ""

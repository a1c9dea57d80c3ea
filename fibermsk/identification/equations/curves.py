"""Curves of muscles as tables of quintic Hermite pieces.

A Bezier curve is the inverse of a polynomial, found by Newton's method; a table takes two lookups
and one polynomial. Sections of the curve end at knots of the table: the third derivative jumps
there, and a piece across the jump would be 1e4 times as wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.kernels.identification.quintic import Tables
from fibermsk.laws.hill.bezier import curvature, size_of, value_and_slope
from fibermsk.laws.hill.law import HillLaw
from fibermsk.laws.hill.millard import SECTIONS, MillardCurves
from fibermsk.laws.hill.row import CURVES
from fibermsk.model import LineMuscle

PIECES = 512
"""Pieces of a section: errors of values below 1e-11, of slopes below 3e-8."""

_MOST = max(SECTIONS)
_NAMES = ("active force-length", "force-velocity", "passive force-length", "tendon")

# powers of the part s of a piece from values, slopes and second derivatives at both ends
_HERMITE = np.array(
    [
        [1, 0, 0, 0, 0, 0],
        [0, 1, 0, 0, 0, 0],
        [0, 0, 0.5, 0, 0, 0],
        [-10, -6, -1.5, 10, -4, 0.5],
        [15, 8, 1.5, -15, 7, -1],
        [-6, -3, -0.5, 6, -3, 0.5],
    ]
)


def table_of(constants: Array, first: int, n: int, pieces: int = PIECES) -> tuple[Array, Array]:
    """Ends (n + 1,) and pieces (n p, 6) of a Bezier curve of n sections."""
    ends = np.asarray(constants[first : first + n + 1])
    found = np.empty((n * pieces, 6))
    for k in range(n):
        knots = np.linspace(ends[k], ends[k + 1], pieces + 1)
        width = (ends[k + 1] - ends[k]) / pieces
        at = np.array(
            [
                (
                    *(np.array(value_and_slope(constants, first, n, x)) * (1.0, width)),
                    curvature(constants, first, n, x) * width**2,
                )
                for x in knots
            ]
        )
        found[k * pieces : (k + 1) * pieces] = np.hstack([at[:-1], at[1:]]) @ _HERMITE.T
    return ends, found


def tables_of(
    muscles: Sequence[LineMuscle], laws: Sequence[HillLaw], pieces: int = PIECES
) -> tuple[Tables, np.ndarray]:
    """Tables of the curves of muscles, and those of each muscle (m, 4); equal curves share one.

    Raises
    ------
    ModelError
        If curves are not Bezier curves, or a table of the force-velocity, passive or tendon curve
        does not rise as the curve does.
    """
    sizes = [size_of(n) for n in SECTIONS]
    firsts = [CURVES + sum(sizes[:k]) for k in range(4)]
    known = dict[tuple[int, bytes], int]()
    n, all_ends, all_pieces = list[int](), list[Array](), list[Array]()
    own = np.empty((len(muscles), 4), np.int64)
    for m, (muscle, law) in enumerate(zip(muscles, laws, strict=True)):
        owner = f"line muscle {muscle.name!r}"
        if type(law.curves) is not MillardCurves:
            must = "be MillardCurves, whose tables are known"
            remedy = "give it law=fm.HillLaw(fm.MillardCurves())"
            _check.refuse(owner, "law.curves", law.curves, must, remedy=remedy)
        row = law.constants(muscle)
        for k, (first, size, sections) in enumerate(zip(firsts, sizes, SECTIONS, strict=True)):
            key = (k, row[first : first + size].tobytes())
            if key not in known:
                ends, found = table_of(row, first, sections, pieces)
                if k > 0:
                    _check_rise(owner, _NAMES[k], found)
                known[key] = len(n)
                n.append(sections)
                room = _MOST - sections
                all_ends.append(np.r_[ends, np.full(room, np.inf)])
                all_pieces.append(np.vstack([found, np.zeros((room * pieces, 6))]))
            own[m, k] = known[key]
    return Tables(np.array(n, np.int64), np.array(all_ends), np.array(all_pieces)), own


def _check_rise(owner: str, name: str, pieces: Array) -> None:
    """Refuse a table that falls anywhere by more than round-off."""
    s = np.linspace(0.0, 1.0, 9)
    slopes = pieces[:, 1:] @ np.array([(k + 1) * s**k for k in range(5)])
    if slopes.min() < -1e-12 * slopes.max():
        must = "rise: its table does not"
        _check.refuse(owner, name, float(slopes.min()), must, remedy="use more pieces")

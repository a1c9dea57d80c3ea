"""Kinds of curves of Hill muscles, with their functions."""

from __future__ import annotations

from typing import Any

from fibermsk.laws.hill import degroote, millard, millard_fit, thelen
from fibermsk.laws.hill.equations import CurveFunctions, Equations, equations

KINDS: dict[type, Any] = {
    degroote.DeGrooteCurves: degroote,
    millard.MillardCurves: millard,
    millard_fit.FittedMillardCurves: millard_fit,
    thelen.ThelenCurves: thelen,
}
"""Module of each kind, with the functions of `CurveFunctions` and ``stored``, the energies."""

_MADE: dict[type, Equations] = {}


def functions_of(kind: type) -> CurveFunctions:
    """Functions of a kind of curves."""
    return CurveFunctions(*(getattr(KINDS[kind], name) for name in CurveFunctions._fields))


def equations_of(kind: type) -> Equations:
    """Equations with a kind of curves, in plain Python."""
    if kind not in _MADE:
        _MADE[kind] = equations(functions_of(kind))
    return _MADE[kind]

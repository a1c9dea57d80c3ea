"""Whether an arc around one cylinder or sphere may enter another one."""

from __future__ import annotations

import math

from fibermsk._compile import body
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.section import ARC, DIRECTION_P, POINT_P, to_ground, to_local
from fibermsk.kernels.lines.taut.geodesic import closed_geodesic
from fibermsk.kernels.lines.taut.surfaces import CYLINDER

PIECES = 24
"""Pieces of an arc that are examined, where the whole arc may meet a surface."""


@body
def _piece_meets(own_kind, own_R, own_p, foot, length, pieces, kind, radius, R, p):
    y, ground, x = scratch(10), scratch(3), scratch(3)
    step, before = length / pieces, math.inf
    for k in range(pieces + 1):
        closed_geodesic(own_kind, foot[:3], foot[3:], k * step, y)
        to_ground(own_R, own_p, y, ground)
        to_local(R, p, ground, x)
        away = math.hypot(x[0], x[1])
        if kind != CYLINDER:
            away = math.hypot(away, x[2])
        # between two points, distances change by no more than the way
        if before + away - radius < step:
            return True
        before = away - radius
    return False


@body
def may_meet(own_kind, own_R, own_p, found, kind, radius, R, p):
    """Whether the arc `found` of a section may enter another surface; False if surely not."""
    foot = scratch(6)
    to_local(own_R, own_p, found[POINT_P : POINT_P + 3], foot)
    for r in range(3):
        foot[3 + r] = 0.0
        for c in range(3):
            foot[3 + r] += own_R[c, r] * found[DIRECTION_P + c]
    length = found[ARC]
    if not _piece_meets(own_kind, own_R, own_p, foot, length, 1, kind, radius, R, p):
        return False
    return _piece_meets(own_kind, own_R, own_p, foot, length, PIECES, kind, radius, R, p)

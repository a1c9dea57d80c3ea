"""Fillets between bones that are contact shapes, where two of them meet at an angle.

Points of each surface near another one are moved onto the smooth union of both, which both then
share: there is no crease, and no surface of its own. `shaders.js` has the same for pages. Symbols:
``p`` a point, ``d`` a signed distance from a surface, ``g`` its gradient, ``k`` the width of a
blend.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk._compile import body, loop_body
from fibermsk.view.drawing.pieces import Piece

WIDTH = 0.8
"""Width of a fillet between surfaces at a right angle, over the smaller radius."""
N_STEPS = 8
"""Steps of Newton's method onto the union."""
_EXACT = 1e-4
"""Distance from the union over the radius at which it has converged."""
_SAME = 1e-4
"""Distance over the radius within which a surface is that of the union."""
_DEEP = 0.5
"""Depth below other surfaces over the radius from which points stay: they are not seen."""


class Posed(Protocol):
    """Something with poses of bodies."""

    def pose(self, body: str, frame: int) -> Array:
        """Homogeneous transformation (4, 4) from the body frame to ground."""
        ...


class Fillets:
    """Fillets of some pieces, whose points and normals `move` updates in place.

    `frames` are examined: two shapes have a fillet if in all of them an end of one lies in the
    other. `sunk` is the depth of the surfaces below their shapes [m]. `groups` has the numbers of
    the shapes around each piece, by its number, in ascending order and with its own; `of` gives the
    piece of each number.
    """

    def __init__(
        self, pieces: Sequence[Piece], posed: Posed, frames: NDArray[np.int64], sunk: float
    ) -> None:
        self.of = [piece for piece in pieces if piece.solid is not None]
        self.sunk = sunk
        n = len(self.of)
        joined = np.eye(n, dtype=bool)
        for a in range(n):
            for b in range(n):
                if a != b and self._holds_end(a, b, posed, frames):
                    joined[a, b] = joined[b, a] = True
        self.groups = {k: np.flatnonzero(joined[k]) for k in range(n) if joined[k].sum() > 1}
        self._base: dict[int, tuple[NDArray[np.floating], NDArray[np.floating]]] = {}
        for k in self.groups:
            surface = self.of[k].surface
            self._base[k] = np.array(surface.points), np.array(surface.normals)
        self._work = np.empty((3, 3))

    def move(self, posed: Posed, frame: int) -> None:
        """Follow the bodies to a frame."""
        for k, group in self.groups.items():
            own = self.of[k]
            solids = np.stack([self._in_frame_of(own, self.of[j], posed, frame) for j in group])
            surface = own.surface
            _blend(*self._base[k], solids, self.sunk, self._work, surface.points, surface.normals)

    def joined(self, piece: Piece) -> list[Piece]:
        """Pieces that one has fillets with, and itself; empty if there are none."""
        for k, group in self.groups.items():
            if self.of[k] is piece:
                return [self.of[j] for j in group]
        return []

    def _holds_end(self, a: int, b: int, posed: Posed, frames: NDArray[np.int64]) -> bool:
        """Whether an end of a capsule `b` lies in `a`, the same one at all frames."""
        inside = np.ones(2, dtype=bool)
        for frame in frames:
            solid = self._in_frame_of(self.of[a], self.of[b], posed, int(frame))
            if solid[0] != 0.0:
                return False
            ends = solid[1:4] + np.outer([0.0, solid[7]], solid[4:7])
            own = cast(Array, self.of[a].solid)
            inside &= np.array([distance(own, end) < 0.0 for end in ends])
        return bool(inside.any())

    @staticmethod
    def _in_frame_of(own: Piece, other: Piece, posed: Posed, frame: int) -> Array:
        """Numbers of a solid in the frame of another body."""
        assert other.solid is not None
        solid = other.solid.copy()
        if own.body != other.body:
            to, at = posed.pose(own.body, frame), posed.pose(other.body, frame)
            turn = to[:3, :3].T
            solid[1:4] = turn @ (at[:3, :3] @ solid[1:4] + at[:3, 3] - to[:3, 3])
            solid[4:7] = turn @ at[:3, :3] @ solid[4:7]
        return solid


def distance(solid: Array, point: Array) -> float:
    """Signed distance of a point from a solid [m], negative inside."""
    return float(_distance(solid[None], 0, point, np.empty(3)))


@loop_body
def _distance(solids, j, p, g):
    """Signed distance from one of some solids, and its gradient in place."""
    length, wide, radius, reach = solids[j, 7], solids[j, 8], solids[j, 9], solids[j, 10]
    along = 0.0
    for i in range(3):
        along += (p[i] - solids[j, 1 + i]) * solids[j, 4 + i]
    if solids[j, 0] == 0.0:
        foot = min(max(along, 0.0), length)
        away = 0.0
        for i in range(3):
            g[i] = p[i] - solids[j, 1 + i] - foot * solids[j, 4 + i]
            away += g[i] * g[i]
        away = np.sqrt(away)
        first = foot < length - foot
        part = min((foot if first else length - foot) / reach, 1.0)
        bound = wide - (wide - radius) * part * part * (3.0 - 2.0 * part)
        slope = -(wide - radius) * 6.0 * part * (1.0 - part) / reach * (1.0 if first else -1.0)
        size = np.sqrt(1.0 + slope * slope)
        for i in range(3):
            g[i] = (g[i] / max(away, 1e-300) - slope * solids[j, 4 + i]) / size
        return (away - bound) / size
    # a cylinder with round edges
    away = 0.0
    for i in range(3):
        g[i] = p[i] - solids[j, 1 + i] - along * solids[j, 4 + i]
        away += g[i] * g[i]
    away = np.sqrt(away)
    up = along - 0.5 * length
    sign = 1.0 if up >= 0.0 else -1.0
    out, over = away - (radius - reach), sign * up - (0.5 * length - reach)
    corner = np.sqrt(max(out, 0.0) ** 2 + max(over, 0.0) ** 2)
    if corner > 0.0:
        side, end = max(out, 0.0) / corner, max(over, 0.0) / corner
    else:
        side, end = (1.0, 0.0) if out >= over else (0.0, 1.0)
    for i in range(3):
        g[i] = side * g[i] / max(away, 1e-300) + end * sign * solids[j, 4 + i]
    return min(max(out, over), 0.0) + corner - reach


@loop_body
def _union(solids, p, g, other):
    """Value that is zero on the smooth union of solids, and its slope along the direction in place.

    Surfaces that are parallel, inside or outside of each other, are not blended: a joint of equal
    balls keeps its radius.
    """
    d = _distance(solids, 0, p, g)
    thin, slope = solids[0, 9], 1.0
    for j in range(1, solids.shape[0]):
        e = _distance(solids, j, p, other)
        c0 = g[1] * other[2] - g[2] * other[1]
        c1 = g[2] * other[0] - g[0] * other[2]
        c2 = g[0] * other[1] - g[1] * other[0]
        thin = min(thin, solids[j, 9])
        k = WIDTH * thin * np.sqrt(c0 * c0 + c1 * c1 + c2 * c2)
        h = max(k - abs(d - e), 0.0) / k if k > 0.0 else 0.0
        part = 0.5 * h if d < e else 1.0 - 0.5 * h  # of the other
        size = 0.0
        for i in range(3):
            g[i] = (1.0 - part) * g[i] + part * other[i]
            size += g[i] * g[i]
        size = max(np.sqrt(size), 0.3)
        for i in range(3):
            g[i] /= size
        slope = (slope if part < 0.5 else 1.0) if h == 0.0 else size
        d = min(d, e) - 0.25 * h * h * k
    return d, slope


@body
def _blend(base, base_normals, solids, sunk, work, points, normals):
    """Points and normals on the union, in place; `base` are those of one solid, `work` (3, 3)."""
    p, g, other = work[0], work[1], work[2]
    scale = solids[0, 9]
    for j in range(1, solids.shape[0]):
        scale = min(scale, solids[j, 9])
    for n in range(base.shape[0]):
        for i in range(3):
            points[n, i], normals[n, i] = base[n, i], base_normals[n, i]
            p[i] = base[n, i]
        d, slope = _union(solids, p, g, other)
        d += sunk
        if d > -_SAME * scale or d < -_DEEP * scale:
            continue
        steps = 0
        while abs(d) > _EXACT * scale and steps < N_STEPS:
            for i in range(3):
                p[i] -= d / slope * g[i]
            d, slope = _union(solids, p, g, other)
            d += sunk
            steps += 1
        for i in range(3):
            points[n, i], normals[n, i] = p[i], g[i]

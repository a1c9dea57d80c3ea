"""Side on which each path passes a cylinder at the start.

The winding angle of a section is that about the axis from its origin to its insertion. Its value in
the start pose is a reference: later values are those nearest to it, and it follows the angle where
this changes by more than a quarter turn, so that a path may wind further than half a turn.

- `PathWrap.side` s: s times the angle in [0, 2 pi).
- A quadrant such as "x": the path passes the axis on the half x > 0, and so never crosses the half
  plane x < 0, y = 0.
- Otherwise the shorter way: the angle in (-pi, pi].
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.kernels.lines.path_arrays import (
    CAPPED,
    CYLINDER,
    SPHERE,
    TORUS,
    PathArrays,
    PathState,
)
from fibermsk.model.muscles.level_set import WrapLevelSet
from fibermsk.model.muscles.line_muscle import LineMuscle
from fibermsk.model.muscles.wrap import Surface
from fibermsk.system.lines.describe import acting

_OPEN_SIDE = {"x": 0.0, "y": 0.5 * math.pi, "-x": math.pi, "-y": -0.5 * math.pi}


def choose_sides(muscles: Sequence[LineMuscle], paths: PathArrays, state: PathState) -> None:
    """Fill `reference` of the state, placed in the start pose, and `acts` of the arrays.

    Where points inside are refused, of several sections within the range of a surface, those with
    an end inside it at the start stay straight.

    Raises
    ------
    ModelError
        If every section of a surface has an end inside it.
    """
    for m, muscle in enumerate(muscles):
        for wrap, w in zip(acting(muscle), range(*paths.wrap_start[m : m + 2]), strict=True):
            sections = range(int(paths.first[w]), int(paths.last[w]))
            found = {k: inside_at(paths, state, w, k, k + 1, wrap.shape) for k in sections}
            inside = {k: one for k, one in found.items() if one is not None}
            if wrap.inside == "straight":
                inside = {}
            if inside and len(inside) == len(sections):
                point, depth = next(iter(inside.values()))
                name = muscle.points[point - paths.start[m]].name
                raise ModelError(
                    f"line muscle {muscle.name!r}: path point {name!r} lies {depth:.3g} m inside "
                    f"wrap surface {wrap.shape.name!r} at the start; must lie outside: move the "
                    "point, shrink the surface or set active=False on it"
                )
            for k in sections:
                slot = paths.slot[w] + k - paths.first[w]
                paths.acts[slot] = k not in inside
                if paths.kind[w] == CYLINDER and k not in inside:
                    o, i = (_local(state, w, x) for x in state.x[k : k + 2])
                    alone = len(sections) == len(inside) + 1
                    radius, quadrant = paths.radius[w], wrap.shape.quadrant
                    state.reference[slot] = _winding(o, i, radius, wrap.side, quadrant, alone)


def order_along(muscles: Sequence[LineMuscle], paths: PathArrays, state: PathState) -> None:
    """Fill `rank` of the state: surfaces in the order in which they lie along the start pose."""
    for m in range(len(muscles)):
        wraps = range(*paths.wrap_start[m : m + 2])
        stations = sorted((_station(paths, state, w), w) for w in wraps)
        for rank, (_, w) in enumerate(stations):
            state.rank[w] = rank


def _station(paths: PathArrays, state: PathState, w: int) -> float:
    """Place on the straight path closest to the center or axis of a surface, in sections."""
    best, at = math.inf, 0.0
    for k in range(int(paths.first[w]), int(paths.last[w])):
        o, i = (_local(state, w, x) for x in state.x[k : k + 2])
        if paths.kind[w] == CYLINDER:
            o[2] = i[2] = 0.0
        step = i - o
        square = float(step @ step)
        share = min(1.0, max(0.0, -float(o @ step) / square)) if square > 0.0 else 0.0
        away = float(np.linalg.norm(o + share * step))
        if away < best:
            best, at = away, k + share
    return at


def _local(state: PathState, w: int, x: Array) -> Array:
    return state.R[w].T @ (x - state.p[w])


def inside_at(
    paths: PathArrays, state: PathState, w: int, k: int, j: int, shape: Surface
) -> tuple[int, float] | None:
    """Point of a section inside surface w, and its depth [m]; None if both are outside."""
    for point in (k, j):
        depth = -height_of(paths, w, _local(state, w, state.x[point]), shape)
        if depth >= 0.0:
            return point, depth
    return None


def height_of(paths: PathArrays, w: int, x: Array, shape: Surface) -> float:
    """Distance of a point from a surface, negative inside.

    To first order for an ellipsoid and a level set.
    """
    if isinstance(shape, WrapLevelSet):
        return shape.height(x)
    kind, size = paths.kind[w], paths.size[w]
    if kind == CYLINDER:
        return float(np.hypot(x[0], x[1]) - size[0])
    if kind == CAPPED and x[2] < 0.0:
        return float(np.hypot(x[0], x[1]) - size[0])
    if kind in (SPHERE, CAPPED):
        return float(np.linalg.norm(x) - size[0])
    if kind == TORUS:
        return float(np.hypot(np.hypot(x[0], x[1]) - size[1], x[2]) - size[0])
    rho = float(np.linalg.norm(x / size))
    slope = float(np.linalg.norm(x / size**2))
    return (rho - 1.0) * rho / slope if slope > 0.0 else -float(size.min())


def _winding(
    o: Array, i: Array, radius: float, side: int | None, quadrant: str, alone: bool
) -> float:
    """Winding angle at the start; `alone` if the surface acts in no other section."""
    at_o, at_i = math.atan2(o[1], o[0]), math.atan2(i[1], i[0])
    delta = math.remainder(at_i - at_o, 2.0 * math.pi)
    if side is not None:
        # an end inside, where the path is straight, has no free line
        free = sum(math.acos(min(1.0, radius / math.hypot(*end[:2]))) for end in (o, i))
        # sections that pass at a distance from a surface meant for another one stay straight
        if side * delta < 0.0 and (alone or abs(delta) > free):
            delta += 2.0 * math.pi * side
        return delta
    if quadrant in _OPEN_SIDE:
        middle = _OPEN_SIDE[quadrant]
        at_o, at_i = (math.remainder(at - middle, 2.0 * math.pi) for at in (at_o, at_i))
        return at_i - at_o
    return delta

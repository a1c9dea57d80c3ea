"""Arrays of the paths of line muscles, from their descriptions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk._ranges import starts
from fibermsk.kernels.lines.path_arrays import (
    CAPPED,
    CYLINDER,
    ELLIPSOID,
    OWN,
    SPHERE,
    TORUS,
    PathArrays,
)
from fibermsk.model.function import Function, Linear
from fibermsk.model.muscles.level_set import WrapLevelSet
from fibermsk.model.muscles.line_muscle import (
    ConditionalPathPoint,
    LineMuscle,
    MovingPathPoint,
    PointOfPath,
    by_network,
    mass_of,
)
from fibermsk.model.muscles.wrap import (
    PathWrap,
    WrapCappedCylinder,
    WrapCylinder,
    WrapEllipsoid,
    WrapSphere,
    WrapTorus,
)
from fibermsk.model.skeleton.body import Body

RANGE_TOLERANCE = 1e-5
"""Tolerance of the coordinate range of a conditional point, as in OpenSim."""

_KINDS = {
    WrapSphere: SPHERE,
    WrapCylinder: CYLINDER,
    WrapEllipsoid: ELLIPSOID,
    WrapTorus: TORUS,
    WrapCappedCylinder: CAPPED,
}

Frames = dict[str, tuple[int, Array, Array]]


def acting(muscle: LineMuscle) -> list[PathWrap]:
    """Wraps of a muscle whose surfaces are active; a torus, touched in up to two places, twice."""
    own = [wrap for wrap in muscle.wraps if wrap.shape.active]
    return [wrap for wrap in own for _ in range(2 if isinstance(wrap.shape, WrapTorus) else 1)]


def levels_of(muscles: Sequence[LineMuscle]) -> tuple[Callable[..., Any], ...]:
    """Levels of users' surfaces, each once."""
    shapes = [wrap.shape for muscle in muscles for wrap in acting(muscle)]
    found: list[Any] = [one.level for one in shapes if isinstance(one, WrapLevelSet)]
    return tuple(dict.fromkeys(found))


def drivers_of(muscles: Sequence[LineMuscle]) -> list[str]:
    """Coordinates that move or switch points, each once."""
    names: dict[str, None] = {}
    for muscle in muscles:
        for point in muscle.points:
            if isinstance(point, MovingPathPoint):
                names.update((name, None) for name in point.coordinates if name is not None)
            elif isinstance(point, ConditionalPathPoint):
                names[point.coordinate] = None
    return list(names)


def path_arrays(frames: Frames, muscles: Sequence[LineMuscle], drivers: list[str]) -> PathArrays:
    """Arrays of the paths on the links of a skeleton; every candidate section acts."""
    points = [point for muscle in muscles for point in muscle.points]
    moving = [point for point in points if isinstance(point, MovingPathPoint)]
    conditional = [point if isinstance(point, ConditionalPathPoint) else None for point in points]
    places = [_place(frames, point) for point in points]
    start = starts([len(muscle.points) for muscle in muscles])
    wraps = [(m, wrap) for m, muscle in enumerate(muscles) for wrap in acting(muscle)]
    first = [start[m] + (wrap.first or 1) - 1 for m, wrap in wraps]
    last = [
        start[m] + (wrap.last or len(muscles[m].points)) - 1 for m, wrap in wraps
    ]  # fmt: skip
    size = np.array([_size(wrap) for _, wrap in wraps]).reshape(-1, 3)
    hints = [_hint(wrap, own) for (_, wrap), own in zip(wraps, size, strict=True)]
    levels = levels_of(muscles)
    surfaces = [_surface(frames, wrap, levels) for _, wrap in wraps]
    slot = starts([int(b - a) for a, b in zip(first, last, strict=True)])
    number = {id(point): k for k, point in enumerate(moving)}
    driver, axis, ends, functions = _components(frames, moving, drivers)
    return PathArrays(
        start,
        np.array([link for link, _ in places], np.int64),
        np.array([x for _, x in places]).reshape(-1, 3),
        np.array([number.get(id(point), -1) for point in points], np.int64),
        np.array([-1 if c is None else drivers.index(c.coordinate) for c in conditional], np.int64),
        np.array([0.0 if c is None else c.lower - RANGE_TOLERANCE for c in conditional]),
        np.array([0.0 if c is None else c.upper + RANGE_TOLERANCE for c in conditional]),
        driver,
        axis,
        ends,
        *functions,
        starts([len(acting(muscle)) for muscle in muscles]),
        np.array([kind for kind, *_ in surfaces], np.int64),
        size.min(1),
        size,
        np.array([_half_length(wrap.shape) for _, wrap in wraps]),
        np.array([0.0 if m.mass is None else mass_of(m).blend for m in muscles for _ in acting(m)]),
        np.array([by_network(m) for m in muscles for _ in acting(m)], bool),
        np.array([hint for _, hint in hints]).reshape(-1, 3),
        np.array([hinted for hinted, _ in hints], bool),
        np.array([wrap.inside == "straight" for _, wrap in wraps], bool),
        np.array([link for _, link, _, _ in surfaces], np.int64),
        np.array([R for *_, R, _ in surfaces]).reshape(-1, 3, 3),
        np.array([x for *_, x in surfaces]).reshape(-1, 3),
        np.array(first, np.int64),
        np.array(last, np.int64),
        slot[:-1],
        np.ones(int(slot[-1]), bool),
    )


def _in_link(frames: Frames, body: Body, point: object) -> tuple[int, Array]:
    link, R, x = frames[body.name]
    return link, x + R @ np.asarray(point, float)


def _place(frames: Frames, point: PointOfPath) -> tuple[int, Array]:
    """Link of a point and its position there; of a moving one the origin of its components."""
    if isinstance(point, MovingPathPoint):
        return _in_link(frames, point.body, point.at)
    return _in_link(frames, point.body, point.station.position)


def _surface(
    frames: Frames, wrap: PathWrap, levels: tuple[Callable[..., Any], ...]
) -> tuple[int, int, Array, Array]:
    """Kind, link and frame of a surface."""
    shape = wrap.shape
    link, x = _in_link(frames, shape.body, shape.position)
    R = frames[shape.body.name][1] @ np.asarray(shape.rotation)
    if isinstance(shape, WrapLevelSet):
        return OWN + levels.index(shape.level), link, R, x
    return _KINDS[type(shape)], link, R, x


def _size(wrap: PathWrap) -> Array:
    """The three radii of a surface; see `fibermsk.kernels.lines.taut.surfaces`."""
    shape: Any = wrap.shape
    if isinstance(shape, WrapLevelSet):
        return np.asarray(shape.size, float)
    if isinstance(shape, WrapEllipsoid):
        return np.asarray(shape.radii, float)
    if isinstance(shape, WrapTorus):
        return np.array([shape.inner_radius, shape.outer_radius, shape.inner_radius], float)
    return np.full(3, float(shape.radius))


def _half_length(shape: object) -> float:
    """Half the length of a cylinder [m]; infinite for others."""
    return 0.5 * shape.length if isinstance(shape, WrapCylinder) else np.inf


def _hint(wrap: PathWrap, size: Array) -> tuple[bool, Array]:
    """Whether the quadrant of a surface names a half that the path passes, and a point there.

    That of a cylinder enters its winding angle instead.
    """
    quadrant = wrap.shape.quadrant
    hint = np.zeros(3)
    if quadrant == "all" or isinstance(wrap.shape, (WrapCylinder, WrapTorus)):
        return False, hint
    axis = "xyz".index(quadrant[-1])
    hint[axis] = -1.2 if quadrant[0] == "-" else 1.2
    if isinstance(wrap.shape, WrapLevelSet):
        radius = wrap.shape.radius_along(hint) or wrap.shape.reach
        return True, np.asarray(wrap.shape.center) + radius * hint
    return True, hint * size


def _components(
    frames: Frames, moving: list[MovingPathPoint], drivers: list[str]
) -> tuple[Index, Array, Array, tuple[Index, Array, Array, Array, Array]]:
    """Drivers, directions, ranges and functions of the components of moving points."""
    driver = np.full((len(moving), 3), -1, np.int64)
    axis, ends = np.empty((len(moving), 3, 3)), np.empty((len(moving), 3, 2))
    functions: list[Function] = []
    for k, point in enumerate(moving):
        R = frames[point.body.name][1] @ np.asarray(point.rotation)
        for c, name in enumerate(point.coordinates):
            axis[k, c], ends[k, c] = R[:, c], (-np.inf, np.inf)
            if name is None:
                value = float(point.functions[c].pieces()(0.0))
                functions.append(Linear(0.0, value))
                continue
            functions.append(point.functions[c])
            driver[k, c] = drivers.index(name)
            if (limits := point.ranges[c]) is not None:
                ends[k, c] = limits
    pieces = [function.pieces() for function in functions]
    width = max((piece.coefficients.shape[1] for piece in pieces), default=1)
    start = starts([piece.origin.size for piece in pieces])
    coefficients = np.zeros((int(start[-1]), width))
    for piece, a, b in zip(pieces, start, start[1:], strict=False):
        coefficients[a:b, : piece.coefficients.shape[1]] = piece.coefficients
    none = [np.zeros(0)]
    begin = np.concatenate(none + [np.r_[-np.inf, piece.knots] for piece in pieces])
    origin = np.concatenate(none + [piece.origin for piece in pieces])
    waves = np.concatenate([np.zeros((0, 3)), *(piece.sines for piece in pieces)])
    return driver, axis, ends, (start, begin, origin, coefficients, waves)

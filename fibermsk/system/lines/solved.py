"""Path of a line muscle in a pose: length, moment arms, points and arcs around surfaces."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._shown import Described
from fibermsk.kernels.lines.path_arrays import CYLINDER, PathState
from fibermsk.kernels.lines.section import ARC, CHAIN, DELTA, DIRECTION_P, NETWORK, PHI, POINT_P
from fibermsk.model import Model
from fibermsk.model.muscles.line_muscle import LineMuscle, PointOfPath
from fibermsk.system.lines.chained import Section, arc_points, sections_of
from fibermsk.system.lines.describe import acting
from fibermsk.system.lines.paths import LinePaths
from fibermsk.system.skeleton.given import skeleton_of
from fibermsk.system.skeleton.skeleton import Skeleton

_ON_NETWORK = np.linspace(0.0, 1.0, 41)[1:-1]
"""Fractions of the length of the points of a drawn path by a network."""
_DRAWN = 0.05
"""Angle between neighboring points of a drawn arc [rad]."""


class WrapArc(NamedTuple):
    """Part of a path on a surface.

    Attributes
    ----------
    surface : str
        Name of the wrap surface.
    angle : float
        Angle that the path turns around the surface [rad].
    length : float
        Length of the arc [m].
    tangent_points : (2, 3) float array
        First and last point of the arc, ground frame [m].
    directions : (2, 3) float array
        Unit directions of the path there.
    winding : float
        Angle about the axis of a cylinder from start to end of the section, positive
        counter-clockwise, or between them at the center of a sphere [rad]; NaN elsewhere.
    points : (k, 3) float array
        Points of the arc for drawing, with the tangent points [m].
    """

    surface: str
    angle: float
    length: float
    tangent_points: Array
    directions: Array
    winding: float
    points: Array


@dataclass(frozen=True, repr=False)
class MusclePath(Described):
    """Taut path of a line muscle in a pose.

    Attributes
    ----------
    name : str
        The muscle.
    length : float
        Length from origin to insertion [m].
    moment_arms : dict of float
        -dL/dq by coordinate, of those that change the length [m, 1 for translations]; positive
        where a pull increases the coordinate.
    point_names : tuple of str
        Active path points, in order.
    points : (m, 3) float array
        Their positions, ground frame [m].
    arcs : tuple of WrapArc
        Parts on surfaces, in order.
    polyline : (k, 3) float array
        The path for drawing: path points, and points of the arcs [m].
    """

    name: str
    length: float
    moment_arms: dict[str, float]
    point_names: tuple[str, ...]
    points: Array
    arcs: tuple[WrapArc, ...]
    polyline: Array


Pose = ArrayLike | Mapping[str, float] | None
"""State of a skeleton: its entries, coordinates by name, or the start."""


def muscle_path(skeleton: Skeleton | Model, muscle: LineMuscle | str, q: Pose = None) -> MusclePath:
    """Taut path of a line muscle in a pose.

    Parameters
    ----------
    skeleton : Skeleton or Model
        The bodies. Of a model the skeleton is built for the call; for many calls, build it once
        with `fibermsk.skeleton`.
    muscle : LineMuscle or str
        A muscle of the same model, or of a given model its name.
    q : (n,) array_like or dict of float, optional
        Generalized coordinates, entries as in ``skeleton.independent``; or some of them by name
        [rad or m], the others at their initial values. By default the initial pose.

    Returns
    -------
    path : MusclePath
        Length, moment arms, points and arcs.

    Raises
    ------
    PathError
        If there is no taut path, as where a path point lies inside a surface.
    ModelError
        If a coordinate is not an independent one.
    KeyError
        If the model has no muscle of this name.

    Notes
    -----
    Surfaces have no friction. A cylinder that would be touched beyond its ends only is not touched.
    The side on which a path passes is that of the start pose, continued: the winding angle differs
    from its value there by at most half a turn. Paths over other surfaces, or over several between
    two points, are followed from the start pose where they can, and otherwise the shortest one; see
    the guide on wrapping.
    """
    owner = "muscle_path"
    if isinstance(skeleton, Model) and isinstance(muscle, str):
        muscle = skeleton.muscles[muscle]
    _check.instance(owner, "muscle", muscle, LineMuscle, "a LineMuscle, or its name in a Model")
    assert isinstance(muscle, LineMuscle)
    bones = skeleton_of(owner, skeleton)
    if q is None or isinstance(q, Mapping):
        return PathSolver(bones, muscle).at(bones.q_of(None if q is None else dict(q)))
    return PathSolver(bones, muscle).at(np.array(_check.array(owner, "q", q, (bones.n,))))


class PathSolver:
    """Taut path of one line muscle in pose after pose.

    Each pose is solved as `muscle_path` does, whatever was asked before. Raises a ModelError if a
    point lies inside a surface at the start.
    """

    def __init__(self, skeleton: Skeleton, muscle: LineMuscle) -> None:
        self._skeleton, self._muscle = skeleton, muscle
        self._paths = LinePaths(skeleton, [muscle])
        self._names = [wrap.shape.name for wrap in acting(muscle)]

    def at(self, q: Array) -> MusclePath:
        """The path at a state."""
        skeleton, muscle, paths = self._skeleton, self._muscle, self._paths
        placed = paths.place(skeleton.at(q), q, np.zeros(skeleton.n))
        solved = placed.state
        arcs: list[WrapArc] = []
        line: list[Array] = []
        sections = {one.start: one for one in sections_of(paths.arrays, solved, 0)}
        own = np.flatnonzero(solved.active)
        for k in own:
            line.append(solved.x[k : k + 1])
            if solved.wrapped[k] == NETWORK:
                line.append(paths.at_fractions(skeleton.at(q), placed, 0, _ON_NETWORK))
            elif solved.wrapped[k] == CHAIN:
                own_arcs = _chain(paths, solved, sections[int(k)], self._names)
                arcs += own_arcs
                line += [arc.points for arc in own_arcs]
            elif (w := int(solved.wrapped[k])) >= 0:
                kind = int(paths.arrays.kind[w])
                arcs.append(_arc(self._names[w], kind, solved.found[k], solved.p[w], solved.R[w]))
                line.append(arcs[-1].points)
        return MusclePath(
            muscle.name,
            float(placed.length[0]),
            {name: -float(placed.by_q[0, j]) for name, _, j in paths.moved_by(0)},
            tuple(muscle.points[int(k)].name for k in own),
            solved.x[own],
            tuple(arcs),
            np.concatenate(line),
        )


def _arc(name: str, kind: int, found: Array, center: Array, R: Array) -> WrapArc:
    """Arc from what a section found: it turns about the axis at a constant rise."""
    P, Q, t_P, t_Q = found[POINT_P : DIRECTION_P + 6].reshape(4, 3)
    phi, length = float(found[PHI]), float(found[ARC])
    rise = np.zeros(3)
    if kind == CYLINDER:
        axis = np.sign(found[DELTA]) * R[:, 2]
        rise = (t_P @ axis) * length * axis
    else:
        axis = np.cross(P - center, t_P)
        axis /= np.linalg.norm(axis)
    share = np.linspace(0.0, 1.0, 2 + int(phi / _DRAWN))[:, None]
    arm = P - center
    along = (arm @ axis) * axis
    c, s = np.cos(phi * share), np.sin(phi * share)
    points = center + along + c * (arm - along) + s * np.cross(axis, arm) + share * rise
    ends = np.array([P, Q])
    return WrapArc(name, phi, length, ends, np.array([t_P, t_Q]), float(found[DELTA]), points)


def _chain(paths: LinePaths, state: PathState, section: Section, names: list[str]) -> list[WrapArc]:
    """Arcs of a section over several surfaces, or over one without closed form."""
    arcs = []
    for w, foot in zip(section.wraps, section.feet, strict=True):
        n = 2 + int(foot[6] / (_DRAWN * paths.arrays.size[w].min()))
        x, t = arc_points(paths.arrays, state, int(w), foot, n, paths.built)
        turns = np.einsum("kr,kr->k", t[:-1], t[1:])
        angle = float(np.arccos(np.minimum(turns, 1.0)).sum())
        ends, ways = x[[0, -1]], t[[0, -1]]
        arcs.append(WrapArc(names[w], angle, float(foot[6]), ends, ways, math.nan, x))
    return arcs


def path_length(skeleton: Skeleton | Model, muscle: LineMuscle | str, q: Pose = None) -> float:
    """Length of a line muscle's taut path [m]; arguments and errors as of `muscle_path`."""
    return muscle_path(skeleton, muscle, q).length


def path_points(skeleton: Skeleton | Model, muscle: LineMuscle | str, q: Pose = None) -> Array:
    """Polyline of a line muscle's taut path (k, 3) [m]; see `muscle_path`."""
    return muscle_path(skeleton, muscle, q).polyline


def moment_arms(
    skeleton: Skeleton | Model, muscle: LineMuscle | str, q: Pose = None
) -> dict[str, float]:
    """Moment arms -dL/dq of a line muscle by coordinate; see `muscle_path`."""
    return muscle_path(skeleton, muscle, q).moment_arms


def points_along(skeleton: Skeleton, muscle: LineMuscle, q: ArrayLike, fractions: Array) -> Array:
    """Points of a path at fractions (k,) of its length, (k, 3), ground frame [m].

    Those of a muscle with mass lie on its blended path.
    """
    state = np.asarray(q, float)
    paths, motion = LinePaths(skeleton, [muscle]), skeleton.at(state)
    placed = paths.place(motion, state, np.zeros(skeleton.n))
    return paths.at_fractions(motion, placed, 0, fractions)


def active_points(
    skeleton: Skeleton, muscle: LineMuscle, q: ArrayLike
) -> tuple[list[PointOfPath], Array]:
    """Active path points of a line muscle in a pose, and their positions (m, 3), ground frame [m].

    Regardless of surfaces, so that they exist where `muscle_path` finds no path.
    """
    state = np.asarray(q, float)
    paths = LinePaths(skeleton, [replace(muscle, wraps=())])
    places, active = paths.points(skeleton.at(state), state)
    return [point for point, on in zip(muscle.points, active, strict=True) if on], places[active]

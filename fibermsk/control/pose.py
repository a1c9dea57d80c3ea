"""Poses as expressions of CasADi, and conditions on them: points, and path constraints."""

from __future__ import annotations

from collections.abc import Container
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from fibermsk import _check
from fibermsk.control.conditions import Along
from fibermsk.control.mechanics.elements import place_station
from fibermsk.control.plant import Plant
from fibermsk.control.problem import OptimalControl
from fibermsk.errors import ModelError
from fibermsk.model import Station


class Places:
    """Points of the bodies of a plant, as functions of the pose."""

    def __init__(self, plant: Plant) -> None:
        self.plant = plant
        self._found: dict[int, tuple[Station, Any]] = {}  # kept, so that numbers stay theirs

    def of(self, station: Station) -> Any:
        """Point in ground (3,) [m], and its velocity, of s, R and speeds (degrees,)."""
        _check.instance("Pose", "point", station, Station, "a point of a body")
        tree, own = self.plant.tree, self.plant.directors
        if station.body.name not in tree.of_body:
            _check.refuse("Pose", "point", station.body.name, "be on a body of the model")
        if id(station) not in self._found:
            s, R = own.symbols()
            q, v = ca.SX.sym("q", own.n), ca.SX.sym("v", own.degrees)
            point, placed = place_station(tree, station, q), own.place(s, R)
            rate = ca.jacobian(point, q) @ (own.null_space(q) @ v)
            found = ca.substitute([point, rate], [q], [placed])
            self._found[id(station)] = station, ca.Function("point", [s, R, v], found)
        return self._found[id(station)][1]


class Pose:
    """A pose of the model at a node, as expressions of CasADi; see `Along`."""

    def __init__(self, places: Places, s: Any, R: Any, speeds: Any = None) -> None:
        self._places, self._s, self._R, self._speeds = places, s, R, speeds

    def coordinate(self, name: str) -> Any:
        """Value of a coordinate [rad or m]."""
        at = self._places.plant.known("Pose", "coordinate", name, balls=False)
        return self._s[at]

    def point(self, station: Station) -> Any:
        """Point of a body in ground (3,) [m]."""
        return self._places.of(station)(self._s, self._R, ca.MX(self._s.numel(), 1))[0]

    def velocity(self, station: Station) -> Any:
        """Velocity of a point (3,) [m/s] at an end of the motion; None where speeds are free."""
        if self._speeds is None:
            return None
        return self._places.of(station)(self._s, self._R, self._speeds)[1]


class Condition(NamedTuple):
    """Bounds of an expression at a node.

    Attributes
    ----------
    name, unit : str
        For messages.
    value : MX
        Expression (k,).
    lower, upper : float
        Bounds of each component.
    """

    name: str
    unit: str
    value: Any
    lower: float
    upper: float


def conditions_at(
    problem: OptimalControl, pose: Pose, end: str = "", kept: Container[str] | None = None,
    idle: Container[str] = (),
) -> list[Condition]:  # fmt: skip
    """Conditions on the pose at the "start" or the "end" of a motion, or at a node between.

    Of equalities only those with the names that are kept, if these are given, and without those
    of path constraints that are idle.

    Raises
    ------
    ModelError
        If the function of a path constraint does not return an expression of the pose.
    """
    found = list[Condition]()
    points: Any = getattr(problem, end).points if end else ()
    for k, (station, place) in enumerate(points):
        to = np.asarray(place, float)
        for j in np.flatnonzero(np.isfinite(to)).tolist():
            name = f"point {k} on {station.body.name} at the {end}, {'xyz'[j]}"
            if kept is None or name in kept:
                found.append(Condition(name, "m", pose.point(station)[j], to[j], to[j]))
    for one in problem.path:
        if isinstance(one, Along) and (one.ends or not end):
            low = -np.inf if one.lower is None else one.lower
            high = np.inf if one.upper is None else one.upper
            value = _value(one, pose)
            if low < high:
                found.append(Condition(one.name, "", value, low, high))
                continue
            for k in range(value.numel()):
                name = f"{one.name}[{k}]" if value.numel() > 1 else one.name
                if name not in idle and (kept is None or name in kept):
                    found.append(Condition(name, "", value[k], low, high))
    return found


def check_functions(problem: OptimalControl, places: Places) -> None:
    """Refuse path constraints that are no expressions of the pose alone."""
    s = ca.MX.sym("s", places.plant.tree.degrees)
    pose = Pose(places, s, ca.DM(places.plant.node().references))
    for one in problem.path:
        if isinstance(one, Along):
            value = _value(one, pose)
            try:
                ca.Function("own", [s], [value])
            except RuntimeError as error:
                raise _refusal(one, "returns an expression of other symbols") from error


def _value(one: Along, pose: Pose) -> Any:
    """Value of the function of a path constraint."""
    try:
        given = one.function(pose)
    except ModelError:
        raise
    except Exception as error:  # whatever a function of the user does
        raise _refusal(one, f"raises {type(error).__name__}: {error}") from error
    try:
        found = ca.MX(given)
    except NotImplementedError as error:  # of CasADi, for what is no expression
        raise _refusal(one, f"returns {given!r:.60}") from error
    if found.is_constant():
        raise _refusal(one, f"returns {given!r:.60}")
    return found


def _refusal(one: Along, found: str) -> ModelError:
    return ModelError(
        f"path constraint {one.name!r}: function {found.splitlines()[0]}; must return an "
        "expression of CasADi that depends on the pose; use functions of casadi, such as fmax for "
        "max, if_else for if, and vertcat for several; a Pose has no velocities here"
    )

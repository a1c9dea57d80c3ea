"""What is known at both ends of a motion, and where coordinates may go."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.control.conditions import FORCE, SPEED, EndState
from fibermsk.control.interval import FIBERS, Intervals
from fibermsk.control.ipopt import exact_options
from fibermsk.control.mechanics.discrete import Node
from fibermsk.control.pose import Places, check_functions
from fibermsk.control.problem import OptimalControl
from fibermsk.control.reach import idle, reached
from fibermsk.errors import ModelError

_OPENS = 1e-9
"""Speed at which a closed chain opens that counts as none, over that of the coordinates [m/s]."""

_SINGULAR = 1e-8
"""Least singular value of independent equations of closed chains."""

_HOLD = "give the start by coordinates, or activations by name"


class Ends:
    """Both ends of a motion.

    Attributes
    ----------
    places : Places
        Points of the plant.
    start, end : Node
        Poses at both ends, that satisfy the conditions there; what is free at the end is near that
        of the start.
    kept : dict of str to frozenset of str
        Equalities at the "start" and the "end" that do not follow from others.
    idle : frozenset of str
        Equalities along the motion that no pose changes.
    fixed : dict of int to (n_node,) float array
        By node, 0 and -1: what is given there; NaN for what is chosen.
    ranges : dict of int to (float, float)
        Ranges of degrees of freedom.
    start_speeds : (degrees,) float array
        Speeds at the start, in the free directions of the joints.
    end_speeds : (degrees,) float array, optional
        Those at the end, NaN for free ones; None if all are.

    Raises
    ------
    ModelError
        If a name is unknown, conditions contradict each other or have no pose, or the start cannot
        be held.
    """

    def __init__(self, problem: OptimalControl, intervals: Intervals) -> None:
        self._problem, self._intervals, self.plant = problem, intervals, intervals.plant
        self.places = Places(self.plant)
        self.start = self._node("start", problem.start, self.plant.node())
        self.end = self._node("end", problem.end, self.start)
        self.ranges = self._ranges()
        check_functions(problem, self.places)
        self.idle = idle(problem, self.places, self.start)
        fixed = {"start": self._posed("start"), "end": self._posed("end")}
        self.kept: dict[str, frozenset[str]] = {}
        self.start = self._reached("start", self.start, fixed["start"])
        self.end = self._reached("end", self._node("end", problem.end, self.start), fixed["end"])
        self.fixed = {0: self._given("start", fixed["start"]), -1: self._given("end", fixed["end"])}
        self._check_chains()
        self.start_speeds = self._start_speeds(fixed["start"])
        self.end_speeds = self._end_speeds()

    def _node(self, which: str, state: EndState, base: Node) -> Node:
        """Pose with the given coordinates and rotations, the others as in another one."""
        owner, plant = f"OptimalControl: {which}", self.plant
        found = plant.posed(owner, state, base)
        for station, _ in state.points:
            if plant.tree.of_body.get(station.body.name, -1) < 0:
                must = "be on a body of the model that moves"
                _check.refuse(owner, "points", station.body.name, must)
        return found

    def _ranges(self) -> dict[int, tuple[float, float]]:
        """Ranges by degree of freedom; refused if a pose that is given lies outside."""
        found: dict[int, tuple[float, float]] = {}
        self._check_interval_ranges()
        ranges, limits = self._problem.ranges, self.plant.limits
        for name in dict.fromkeys((*ranges, *limits)):
            at = self.plant.known("Range", "coordinate", name, balls=False)
            pairs = [one[name] for one in (ranges, limits) if name in one]
            low, high = max(one[0] for one in pairs), min(one[1] for one in pairs)
            if low > high:
                must = "overlap that in which the paths of its muscles are fitted, "
                must += f"[{limits[name][0]:g}, {limits[name][1]:g}]"
                _check.refuse("Range", name, ranges[name], must, remedy="give it both ends")
            for which, node in (("start", self.start), ("end", self.end)):
                state = self._state(which)
                value = float(node.s[at.start])
                given = name in state.coordinates or (which == "start" and not state.points)
                if given and not low <= value <= high:
                    must = f"lie in its range, [{low:g}, {high:g}]"
                    _check.refuse(f"OptimalControl: {which}", name, value, must)
            found[at.start] = low, high
        return found

    def _check_interval_ranges(self) -> None:
        """Refuse ranges of speeds and forces that intervals do not have."""
        muscles = [one.name for one in self.plant.muscles]
        for name in self._problem.interval_ranges:
            of, _, what = name.rpartition("/")
            if f"/{what}" == SPEED:
                self.plant.known("Range", "coordinate", of, balls=False)
            elif f"/{what}" != FORCE or of not in muscles:
                must = f"be a coordinate, or one with {SPEED!r}, or a muscle with {FORCE!r}"
                remedy = f"muscles are: {', '.join(muscles) or 'none'}"
                _check.refuse("Range", "coordinate", name, must, remedy=remedy)

    def _state(self, which: str) -> EndState:
        return self._problem.start if which == "start" else self._problem.end

    def _posed(self, which: str) -> NDArray[np.bool_]:
        """Which degrees of freedom are given at an end, (degrees,) bool."""
        state = self._state(which)
        found = np.full(self.plant.tree.degrees, which == "start" and not state.points)
        for name in (*state.coordinates, *state.rotations):
            found[self.plant.degrees[name]] = True
        if found.all() and state.points:
            owner, must = f"OptimalControl: {which}", "be left out where all coordinates are given"
            _check.refuse(owner, "points", len(state.points), must)
        return found

    def _reached(self, which: str, node: Node, fixed: NDArray[np.bool_]) -> Node:
        low, high = np.full(fixed.size, -np.inf), np.full(fixed.size, np.inf)
        for at, (a, b) in self.ranges.items():
            low[at], high[at] = a, b
        bounds = low, high
        found, kept = reached(self._problem, self.places, which, node, fixed, bounds)
        self.kept[which] = kept
        return found

    def _named_speeds(self, which: str) -> dict[str, float]:
        owner = f"OptimalControl: {which}"
        for name in self._state(which).speeds:
            self.plant.known(owner, "speed", name, balls=False)
        return dict(self._state(which).speeds)

    def _check_chains(self) -> None:
        """Refuse closed chains whose equations depend on each other."""
        C = np.array(self.plant.discrete.closure_slope(*self.start))
        rank = int(np.linalg.matrix_rank(C, _SINGULAR)) if C.size else 0
        if rank < len(C):
            must = f"be independent at the start, where {rank} are"
            remedy = "give PointConstraint the directions in which the chain could open, or start "
            remedy += "in a pose that is not singular"
            owner = f"model {self.plant.model.name!r}"
            _check.refuse(owner, "equations of closed chains", len(C), must, remedy=remedy)

    def _start_speeds(self, fixed: NDArray[np.bool_]) -> Array:
        state, own = self._problem.start, self.plant.discrete
        if state.at_rest:
            return np.zeros(self.plant.tree.degrees)
        found = self.plant.speeds(self._named_speeds("start"))
        if not own.held or not found.any():
            return found
        owner = "OptimalControl: start"
        if not fixed.all():
            must, remedy = "be zero where the pose is not given by coordinates", "leave points out"
            _check.refuse(owner, "speeds of a closed chain", found, must, remedy=remedy)
        C = np.array(own.closure_slope(*self.start))
        opening = float(np.abs(C @ found).max())
        if opening > _OPENS * (1.0 + np.abs(found).max()):
            near = found - np.linalg.pinv(C) @ (C @ found)
            rates = self.plant.rates_of([self.start], near[None])
            named = ", ".join(f"{name} {float(one[0]):.10g}" for name, one in rates.items())
            must = f"be below {_OPENS:g} m/s; the nearest speeds that keep it closed are {named}"
            _check.refuse(owner, "speed of opening of a closed chain", opening, must, unit="m/s")
        return found

    def _end_speeds(self) -> Array | None:
        given = self._named_speeds("end")
        if not given:
            return None
        left = self.plant.tree.degrees - self.plant.discrete.held
        if len(given) > left and self.plant.discrete.held:
            must = f"be at most {left}: the others follow, since the chain is closed"
            _check.refuse("OptimalControl: end", "number of speeds", len(given), must)
        every = self.plant.speeds(given)
        found = np.full(every.size, np.nan)
        for name in given:
            found[self.plant.degrees[name]] = every[self.plant.degrees[name]]
        return found

    def _given(self, which: str, fixed: NDArray[np.bool_]) -> Array:
        """Numbers of a node; NaN for those that are chosen."""
        at = self._intervals.layout
        found = np.full(at.n_node, np.nan)
        node = self.start if which == "start" else self.end
        found[at.s] = np.where(fixed, node.s, np.nan)
        found[at.a] = self._activations(which, self._state(which), node)
        return found

    def given_in(self, nodes: list[Node]) -> list[Node]:
        """Nodes of a guess with the rotations of balls that are given at both ends."""
        found = list(nodes)
        for k, end in ((0, self.start), (-1, self.end)):
            s, R = found[k].s.copy(), found[k].references.copy()
            for i, link in enumerate(self.plant.directors.balls):
                at = self.plant.tree.slots()[link]
                if np.isfinite(self.fixed[k][at]).all():
                    s[at], R[:, 3 * i : 3 * i + 3] = 0.0, end.references[:, 3 * i : 3 * i + 3]
            found[k] = Node(s, R)
        return found

    def _activations(self, which: str, state: EndState, node: Node) -> Array:
        owner = f"OptimalControl: {which}"
        excited = [self.plant.muscles[i].name for i in self._intervals.indices()[0]]
        found = np.full(len(excited), np.nan)
        if which == "start" and not self._intervals.excited:
            found = np.array([one.start for one in self.plant.muscles if one.excited])
        if isinstance(state.activations, str):
            if which == "end":
                must = "be numbers by name at the end"
                _check.refuse(owner, "activations", state.activations, must)
            if state.activations == "hold" and state.points:
                must = "be by coordinates where activations hold the pose"
                _check.refuse(owner, "points", len(state.points), must, remedy=_HOLD)
            if state.activations == "excited" and not self._intervals.excited:
                must = "be numbers by name, or left out, without fm.Excitations() as controls"
                _check.refuse(owner, "activations", state.activations, must)
            return self._hold(node) if state.activations == "hold" else found
        for name, value in state.activations.items():
            if name not in excited:
                remedy = f"they are: {', '.join(excited) or 'none'}"
                must = "be a muscle whose activation is a state"
                remedy += _check.suggestion(name, excited)
                _check.refuse(owner, "activation", name, must, remedy=remedy)
            found[excited.index(name)] = value
        return found

    def _hold(self, node: Node) -> Array:
        """Activations that are states, of the least sum of squares of all that hold a pose."""
        own, layout, discrete = self._intervals, self._intervals.layout, self.plant.discrete
        m, n_x = len(self.plant.muscles), layout.x.stop - layout.x.start
        a, x, held = (ca.SX.sym(*one) for one in (("a", m), ("x", n_x), ("held", discrete.held)))
        paths = ca.DM(self.plant.paths_at(node))
        force, left = own.balance(node.s, node.references, a, x, paths)
        force += ca.DM(discrete.closure_slope(*node)).T @ held
        g, v = ca.vertcat(force, left), ca.vertcat(a, x, held)
        problem = {"x": v, "f": ca.dot(a, a), "g": g}
        solver = ca.nlpsol("hold", "ipopt", problem, exact_options(1e-12))
        free = np.full(discrete.held, np.inf)
        set_ = [not (one.excited or own.excited) for one in self.plant.muscles]
        given = np.array([one.given for one in self.plant.muscles])
        low = np.r_[np.where(set_, given, 0.0), np.full(n_x, FIBERS[0]), -free]
        high = np.r_[np.where(set_, given, 1.0), np.full(n_x, FIBERS[1]), free]
        guess = np.r_[np.full(m, 0.1), np.ones(n_x), np.zeros(discrete.held)]
        found = solver(x0=guess, lbx=low, ubx=high, lbg=0.0, ubg=0.0)
        if not solver.stats()["success"]:
            raise ModelError(
                "OptimalControl: start: no activations in [0, 1] hold the pose; must be held for "
                'activations="hold": give other coordinates, or activations by name'
            )
        values = np.array(found["x"]).ravel()[own.indices()[0]]
        return np.where(values < 1e-9, 0.0, values)

    def momentum(self, end: int, s: Any, R: Any, speeds: Any = None) -> Any:
        """Momenta at an end with given speeds; None if they are free.

        Where some are given at the end, speeds (degrees,) are unknowns.
        """
        state = self._problem.start if end == 0 else self._problem.end
        if state.at_rest:
            return ca.MX.zeros(self.plant.tree.degrees)
        if end == -1:
            return None if self.end_speeds is None else self.plant.discrete.momentum(s, R) @ speeds
        return self.plant.discrete.momentum(s, R) @ ca.DM(self.start_speeds)

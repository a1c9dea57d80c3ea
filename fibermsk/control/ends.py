"""What is known at both ends of a motion, and where coordinates may go."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.control.conditions import EndState, Range
from fibermsk.control.interval import FIBERS, Intervals
from fibermsk.control.mechanics.discrete import Node
from fibermsk.control.problem import OptimalControl
from fibermsk.errors import ModelError

_OPEN = 1e-9
"""Opening of a closed chain at a given pose that counts as closed [m]."""


class Ends:
    """Both ends of a motion.

    Attributes
    ----------
    start, end : Node
        Poses at both ends; what is free at the end is as at the start.
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
        If a name is unknown, conditions contradict each other, or the start cannot be held.
    """

    def __init__(self, problem: OptimalControl, intervals: Intervals) -> None:
        self._problem, self._intervals, self.plant = problem, intervals, intervals.plant
        self.start = self._node("start", problem.start)
        self.end = self._node("end", problem.end)
        self.ranges = self._ranges()
        self.fixed = {0: self._given("start", problem.start), -1: self._given("end", problem.end)}
        self.start_speeds = np.zeros(self.plant.tree.degrees)
        if not problem.start.at_rest:
            self.start_speeds = self.plant.speeds(self._speeds("start", problem.start))
        self.end_speeds = self._end_speeds()
        self._check_chains()

    def _node(self, which: str, state: EndState) -> Node:
        owner, plant = f"OptimalControl: {which}", self.plant
        for name in state.coordinates:
            plant.known(owner, "coordinate", name, balls=False)
        for name in state.rotations:
            plant.known(owner, "rotation", name, balls=True)
        for station, _ in state.points:
            if station.body.name not in plant.tree.of_body:
                _check.refuse(owner, "points", station.body.name, "be on a body of the model")
        base: dict[str, Any] = {} if which == "start" else dict(self._problem.start.coordinates)
        turns: dict[str, Any] = {} if which == "start" else dict(self._problem.start.rotations)
        return plant.node(base | dict(state.coordinates), turns | dict(state.rotations))

    def _ranges(self) -> dict[int, tuple[float, float]]:
        found: dict[int, tuple[float, float]] = {}
        limits = [Range(name, *own) for name, own in self.plant.limits.items()]
        for one in (*self._problem.path, *limits):
            if not isinstance(one, Range):
                continue
            at = self.plant.known("Range", "coordinate", one.coordinate, balls=False)
            low = -np.inf if one.lower is None else one.lower
            high = np.inf if one.upper is None else one.upper
            before = found.get(at.start, (-np.inf, np.inf))
            low, high = max(low, before[0]), min(high, before[1])
            for which, node in (("start", self.start), ("end", self.end)):
                value = float(node.s[at.start])
                named = which == "start" or one.coordinate in self._problem.end.coordinates
                if named and not low <= value <= high:
                    owner, field = f"OptimalControl: {which}", one.coordinate
                    _check.refuse(owner, field, value, f"lie in its range, [{low:g}, {high:g}]")
            found[at.start] = low, high
        return found

    def _speeds(self, which: str, state: EndState) -> dict[str, float]:
        owner = f"OptimalControl: {which}"
        for name in state.speeds:
            self.plant.known(owner, "speed", name, balls=False)
        return dict(state.speeds)

    def _end_speeds(self) -> Array | None:
        given = self._speeds("end", self._problem.end)
        if not given:
            return None
        every = self.plant.speeds(given)
        found = np.full(every.size, np.nan)
        for name in given:
            found[self.plant.degrees[name]] = every[self.plant.degrees[name]]
        return found

    def _given(self, which: str, state: EndState) -> Array:
        """Numbers of a node; NaN for those that are chosen."""
        at, plant = self._intervals.layout, self.plant
        found = np.full(at.n_node, np.nan)
        node = self.start if which == "start" else self.end
        if which == "start" and not state.points:
            found[at.s] = node.s
        for name in (*state.coordinates, *state.rotations):
            found[plant.degrees[name]] = node.s[plant.degrees[name]]
        found[at.a] = self._activations(which, state, node)
        given = np.isfinite(found[at.s])
        if given.all() and state.points:
            owner, must = f"OptimalControl: {which}", "be left out where all coordinates are given"
            _check.refuse(owner, "points", len(state.points), must)
        return found

    def _activations(self, which: str, state: EndState, node: Node) -> Array:
        owner = f"OptimalControl: {which}"
        excited = [self.plant.muscles[i].name for i in self._intervals.indices()[0]]
        found = np.full(len(excited), np.nan)
        if isinstance(state.activations, str):
            if which == "end":
                must = "be numbers by name at the end"
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
        """Activations of the least sum of squares that hold a pose."""
        own, layout = self._intervals, self._intervals.layout
        excited, _ = own.indices()
        m, n_x = excited.size, layout.x.stop - layout.x.start
        a, x = ca.SX.sym("a", m), ca.SX.sym("x", n_x)
        every = ca.SX.zeros(len(self.plant.muscles))
        for k, i in enumerate(excited):
            every[int(i)] = a[k]
        paths = ca.DM(self.plant.paths_at(node))
        force, left = own.balance(node.s, node.references, every, x, paths)
        g, v = ca.vertcat(force, left), ca.vertcat(a, x)
        problem = {"x": v, "f": ca.dot(a, a), "g": g}
        options = {"ipopt.print_level": 0, "print_time": False, "ipopt.sb": "yes",
                   "ipopt.tol": 1e-12, "ipopt.bound_relax_factor": 0.0,
                   "ipopt.compl_inf_tol": 1e-14, "ipopt.acceptable_iter": 0}  # fmt: skip
        solver = ca.nlpsol("hold", "ipopt", problem, options)
        low = np.r_[np.zeros(m), np.full(n_x, FIBERS[0])]
        high = np.r_[np.ones(m), np.full(n_x, FIBERS[1])]
        guess = np.r_[np.full(m, 0.1), np.ones(n_x)]
        found = solver(x0=guess, lbx=low, ubx=high, lbg=0.0, ubg=0.0)
        if not solver.stats()["success"]:
            raise ModelError(
                "OptimalControl: start: no activations in [0, 1] hold the pose; must be held for "
                'activations="hold": give other coordinates, or activations by name'
            )
        values = np.array(found["x"]).ravel()[:m]
        return np.where(values < 1e-9, 0.0, values)

    def _check_chains(self) -> None:
        """Refuse given poses in which a chain is open."""
        own, layout = self.plant.discrete, self._intervals.layout
        if not own.held:
            return
        for which, node, k in (("start", self.start, 0), ("end", self.end, -1)):
            if not np.isfinite(self.fixed[k][layout.s]).all():
                continue
            opening = np.array(own.closure(*node, np.zeros(own.held))[0]).ravel()
            worst = float(np.abs(opening).max())
            if worst > _OPEN:
                remedy = "leave one coordinate of the chain out at the end, or give a closed pose"
                owner, must = f"OptimalControl: {which}", "be below 1e-9 m"
                _check.refuse(owner, "opening of a closed chain", worst, must, remedy=remedy)

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

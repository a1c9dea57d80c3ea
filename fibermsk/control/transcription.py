"""The discrete problem: unknowns, equations and bounds, each with a name.

Unknowns are chart coordinates and states at the nodes, controls in the intervals, multipliers of
closed chains, and durations that are free. Source: `optimal_control.md`, sections 2 to 6: equality
of the momenta of neighboring intervals, and the momenta at both ends.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from fibermsk._arrays import Array
from fibermsk.control.conditions import SPEED, FreeDuration
from fibermsk.control.ends import Ends
from fibermsk.control.interval import FIBERS, Intervals
from fibermsk.control.pose import Pose, conditions_at
from fibermsk.control.problem import OptimalControl

ACTIVATION_RULE = "activation rule of "
"""Start of the names of these equations."""

_INSIDE = 1e-6
"""How far an activation may leave [0, 1] where its excitation is fixed: it follows, perhaps along
its bound, where the solver would have no inside."""


_CHART = 3.0
"""Largest component of the vector of a ball, from its reference; near half a turn the chart has no
slope, and every point seems stationary."""


class Label(NamedTuple):
    """What an unknown or an equation is.

    Attributes
    ----------
    name : str
        Name for messages.
    node : float
        Node, or the middle of an interval; NaN for those of the whole motion.
    unit : str
        Its unit.
    """

    name: str
    node: float
    unit: str = ""


@dataclass
class Rows:
    """Unknowns or equations in order, with their bounds and labels."""

    symbols: list[Any] = field(default_factory=list)
    lower: list[Array] = field(default_factory=list)
    upper: list[Array] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    n: int = 0

    def add(self, symbol: Any, lower: Any, upper: Any, labels: list[Label]) -> slice:
        """Add some; returns where they stand."""
        size = len(labels)
        assert symbol.numel() == size
        self.symbols.append(ca.vec(symbol))
        self.lower.append(np.broadcast_to(np.asarray(lower, float), size))
        self.upper.append(np.broadcast_to(np.asarray(upper, float), size))
        self.labels += labels
        self.n += size
        return slice(self.n - size, self.n)

    def bounds(self) -> tuple[Array, Array]:
        """Lower and upper bounds (n,)."""
        return np.concatenate(self.lower), np.concatenate(self.upper)


class Transcription:
    """The discrete problem for given references of the balls at the nodes.

    Attributes
    ----------
    unknowns, equations : Rows
        What is solved for, and what must hold.
    value : MX
        The objective.
    along : list of MX
        Terms of the objective over several intervals at once.
    scales : (n_phases,) float array
        Durations of the phases; of those that are chosen the scale, and that of the momenta [s].
    nodes, controls, held, durations : list of slice
        Where the unknowns of each node, interval, node with multipliers, and phase stand.
    """

    def __init__(
        self, problem: OptimalControl, intervals: Intervals, ends: Ends, references: list[Array],
        scales: Array,
    ) -> None:  # fmt: skip
        self.problem, self.intervals, self.ends = problem, intervals, ends
        self.plant, self.references = intervals.plant, references
        self.unknowns, self.equations = Rows(), Rows()
        self.nodes, self.controls = list[slice](), list[slice]()
        self.held, self.durations = list[slice](), list[slice]()
        self.end_speeds = slice(0, 0)
        self.scales = scales
        self._phase = np.repeat(np.arange(len(problem.phases)), [p.steps for p in problem.phases])
        self.n = self._phase.size
        self._lengths = self._add_durations()
        self._add_unknowns()
        self.value = ca.MX(0)
        self._add_equations()
        self.along = self._terms_along()
        weights = [weight for weight, _ in problem.objectives.terms]
        self.value += sum((w * one for w, one in zip(weights, self.along, strict=True)), ca.MX(0))

    def _add_durations(self) -> list[Any]:
        """Length of the intervals of each phase [s]."""
        found: list[Any] = []
        for k, (phase, scale) in enumerate(zip(self.problem.phases, self.scales, strict=True)):
            if not isinstance(phase.duration, FreeDuration):
                self.durations.append(slice(0, 0))
                found.append(ca.MX(phase.duration / phase.steps))
                continue
            own = ca.MX.sym("T")
            low, high = phase.duration.lower / scale, phase.duration.upper / scale
            label = Label("duration" if len(self.scales) == 1 else f"duration of part {k}", np.nan)
            self.durations.append(self.unknowns.add(own, low, high, [label]))
            found.append(own * (scale / phase.steps))
        return found

    def step_of(self, interval: int) -> Any:
        """Length of an interval [s]."""
        return self._lengths[self._phase[interval]]

    def _add_unknowns(self) -> None:
        """Nodes and intervals in turn, so that equations are banded."""
        plant, at = self.plant, self.intervals.layout
        excited, _ = self.intervals.indices()
        low, high = np.full(at.n_node, -np.inf), np.full(at.n_node, np.inf)
        low[at.a], high[at.a] = 0.0, 1.0
        low[at.x], high[at.x] = FIBERS
        for own, (a, b) in self.ends.ranges.items():
            low[own], high[own] = a, b
        for k in plant.directors.balls:
            own = plant.tree.slots()[k]
            low[own], high[own] = -_CHART, _CHART
        names = list(self.intervals.node_names)
        names += [(f"path of {one.name}", "") for one in plant.muscles for _ in range(one.path.n)]
        lowest, highest = self._control_bounds()
        labels_c = self.intervals.control_names
        k = plant.discrete.held
        for n in range(self.n + 1):
            given = self.ends.fixed.get(n if n == 0 else n - self.n - 1)
            a, b = low.copy(), high.copy()
            if excited.size and n:
                beyond: Any = np.full(excited.size, _INSIDE)
                if at.e.stop:
                    beyond *= lowest[n - 1, excited] == highest[n - 1, excited]
                a[at.a], b[at.a] = -beyond, 1.0 + beyond
            if given is not None:
                known = np.isfinite(given)
                a[known] = b[known] = given[known]
            symbol = ca.MX.sym(f"z{n}", at.n_node)
            labels = [Label(name, n, unit) for name, unit in names]
            self.nodes.append(self.unknowns.add(symbol, a, b, labels))
            if k:
                symbol = ca.MX.sym(f"held{n}", k)
                own = [Label("multiplier of a closed chain", n)] * k
                end = self.problem.end
                idle = n == self.n and not end.at_rest and self.ends.end_speeds is None
                most = 0.0 if idle else np.inf
                self.held.append(self.unknowns.add(symbol, -most, most, own))
            if n < self.n:
                symbol = ca.MX.sym(f"c{n}", at.n_interval)
                labels = [Label(name, n + 0.5) for name in labels_c]
                own = self.unknowns.add(symbol, lowest[n], highest[n], labels)
                self.controls.append(own)
        given = self.ends.end_speeds
        if given is not None:
            free = np.isnan(given)
            labels = [Label(f"speed of {name} at the end", self.n) for name in plant.degree_names]
            a, b = np.where(free, -np.inf, given), np.where(free, np.inf, given)
            self.end_speeds = self.unknowns.add(ca.MX.sym("v", given.size), a, b, labels)

    def _control_bounds(self) -> tuple[Array, Array]:
        """Bounds (n, n_controls); torques over their largest values."""
        at, bounds = self.intervals.layout, self.problem.excitations
        low, high = np.full((self.n, at.n_interval), -1.0), np.ones((self.n, at.n_interval))
        if bounds is not None:
            low[:, at.e], high[:, at.e] = bounds.lower, bounds.upper
        names, largest = self.intervals.control_names, self.intervals.largest
        for drive in self.plant.drives:
            if drive.name in self.problem.unlimited:
                own = [names.index(one) for one in drive.labels]
                low[:, own], high[:, own] = -np.inf, np.inf
        for k, phase in enumerate(self.problem.phases):
            own = self._phase == k
            for name, (a, b) in phase.controls.items():
                j = names.index(name)
                low[own, j], high[own, j] = a / largest[j], b / largest[j]
        return low, high

    def _symbol(self, which: slice) -> Any:
        """Symbol of unknowns that were added together."""
        return self._by_start[which.start]

    def _add_equations(self) -> None:
        rows, at, plant = self.equations, self.intervals.layout, self.plant
        starts = np.cumsum([0, *(one.numel() for one in self.unknowns.symbols[:-1])])
        self._by_start = dict(zip(starts.tolist(), self.unknowns.symbols, strict=True))
        z = [self._symbol(one) for one in self.nodes]
        R = [ca.DM(one) for one in self.references]
        moved = list(zip(plant.degree_names, plant.force_units, strict=True))
        excited, elastic = self.intervals.indices()
        ruled = [f"{ACTIVATION_RULE}{plant.muscles[m].name}" for m in excited]
        ruled += [f"tendon rule of {plant.muscles[m].name}" for m in elastic]
        wound = [f"path of {one.name}" for one in plant.muscles for _ in range(one.path.n)]
        data = self.problem.objectives.data_at(self.problem.times(self.scales))
        end_speeds = None if self.ends.end_speeds is None else self._symbol(self.end_speeds)
        after: Any = self.ends.momentum(0, z[0][at.s], R[0])
        for n in range(self.n + 1):
            before: Any = self.ends.momentum(-1, z[n][at.s], R[n], end_speeds)
            rules, h = None, self.step_of(min(n, self.n - 1))
            if n < self.n:
                c = self._symbol(self.controls[n]) if at.n_interval else ca.MX(0, 1)
                own = z[n], R[n], z[n + 1], R[n + 1], c, h
                before, next_after, rules = self.intervals.step(*own)
                self.value += self.intervals.value(*own, data[n], data[n + 1])
                self._add_ranges(n, own)
            else:
                next_after = None
            if plant.discrete.held:
                opening, pull = plant.discrete.closure(z[n][at.s], R[n], self._symbol(self.held[n]))
                after = None if after is None else after + pull
                if n == self.n and end_speeds is not None:
                    rate = plant.discrete.closure_slope(z[n][at.s], R[n]) @ end_speeds
                    labels = [Label("speed of opening of a closed chain", n, "m/s")] * rate.numel()
                    rows.add(rate, 0.0, 0.0, labels)
                if n not in (0, self.n) or self._is_open(n):
                    labels = [Label("closed chain", n, "m")] * opening.numel()
                    rows.add(opening, 0.0, 0.0, labels)
            if after is not None and before is not None:
                labels = [Label(f"motion of {name}", n, unit) for name, unit in moved]
                rows.add((after - before) / self._nominal(n), 0.0, 0.0, labels)
            if rules is not None and rules.numel():
                rows.add(rules, 0.0, 0.0, [Label(name, n + 0.5) for name in ruled])
            if wound:
                left = plant.path_equations(z[n][at.s], R[n], z[n][at.g])[0]
                rows.add(left, 0.0, 0.0, [Label(name, n) for name in wound])
            self._add_conditions(n, z[n], R[n])
            after = next_after

    def _add_ranges(self, n: int, own: tuple[Any, ...]) -> None:
        """Ranges of speeds and forces in an interval."""
        z0, _, z1, _, _, h = own
        muscles = [one.name for one in self.plant.muscles]
        for name, (low, high) in self.problem.interval_ranges.items():
            of, _, what = name.rpartition("/")
            if f"/{what}" == SPEED:
                k, unit, size = self.plant.degrees[of].start, "/s", 1.0
                value: Any = (z1[k] - z0[k]) / h
            else:
                m, unit = muscles.index(of), "N"
                size = self.plant.muscles[m].strength
                value = self.intervals.forces(*own)[m] / size
            label = Label(f"range of {name}", n + 0.5, f"{size:g} {unit}" if size != 1.0 else unit)
            self.equations.add(value, low / size, high / size, [label])

    def _is_open(self, n: int) -> bool:
        """Whether the pose at an end is not given whole, so that a closed chain must be asked."""
        given = self.ends.fixed.get(0 if n == 0 else -1)
        return given is None or not np.isfinite(given[self.intervals.layout.s]).all()

    def _nominal(self, n: int) -> float:
        k = self._phase[min(n, self.n - 1)]
        return float(self.scales[k]) / self.problem.phases[k].steps

    def _add_conditions(self, n: int, z: Any, R: Any) -> None:
        """Conditions on the pose, and tendons and activations at the start."""
        s, at = z[self.intervals.layout.s], self.intervals.layout
        end = "start" if n == 0 else "end" if n == self.n else ""
        kept, pose = self.ends.kept.get(end), Pose(self.ends.places, s, R)
        # what a given pose satisfies has been looked at
        open_ = not end or self._is_open(n)
        for one in conditions_at(self.problem, pose, end, kept, self.ends.idle) if open_ else ():
            labels = [Label(one.name, n, one.unit)] * one.value.numel()
            self.equations.add(one.value, one.lower, one.upper, labels)
        if n == 0 and at.x.stop > at.x.start:  # as a run starts, also one that moves
            excited, elastic = self.intervals.indices()
            a: Any = ca.MX(ca.DM([one.given for one in self.plant.muscles]))
            if self.intervals.excited:
                c = self._symbol(self.controls[0])[at.e]
                a = c if not excited.size else a
            for k, i in enumerate(excited):
                a[int(i)] = z[at.a][k]
            left = self.intervals.balance(s, R, a, z[at.x], z[at.g])[1]
            labels = [Label(f"tendon of {self.plant.muscles[i].name} at start", 0) for i in elastic]
            self.equations.add(left, 0.0, 0.0, labels)
        if n == 0 and self.problem.start.activations == "excited" and self.intervals.excited:
            own = self.intervals.indices()[0].tolist()
            c = self._symbol(self.controls[0])[at.e]
            labels = [Label(f"excitation of {self.plant.muscles[i].name}", 0) for i in own]
            if own:
                self.equations.add(z[at.a] - c[own], 0.0, 0.0, labels)

    def _terms_along(self) -> list[Any]:
        """Value of each term of the objective that looks at several intervals at once."""
        at, found = self.intervals.layout.s, [ca.MX(0) for _ in self.problem.objectives.terms]
        speeds: dict[int, Any] = {0: ca.MX(self.ends.start_speeds)}
        if self.problem.end.at_rest:
            speeds[self.n] = ca.MX(self.plant.tree.degrees, 1)
        elif self.ends.end_speeds is not None:
            speeds[self.n] = self._symbol(self.end_speeds)
        nodes = [
            Pose(self.ends.places, self._symbol(own)[at], ca.DM(R), speeds.get(n))
            for n, (own, R) in enumerate(zip(self.nodes, self.references, strict=True))
        ]
        for k in range(len(self.problem.phases)):
            own = np.flatnonzero(self._phase == k)
            poses = nodes[own[0] : own[-1] + 2]
            for i, (_, term) in enumerate(self.problem.objectives.terms):
                found[i] += term.along(poses, self._lengths[k])
        return found

    def values_along(self, x: Array) -> Array:
        """Terms over several intervals at a solution (n_unknowns,)."""
        symbol = ca.vertcat(*self.unknowns.symbols)
        return np.array(ca.Function("along", [symbol], [ca.vertcat(*self.along)])(x)).ravel()

    def times(self, x: Array) -> Array:
        """Times of the nodes [s] at a solution (n_unknowns,)."""
        pairs = zip(self.scales, self.durations, strict=True)
        spans = [size * (x[own][0] if own.stop > own.start else 1.0) for size, own in pairs]
        return self.problem.times(np.array(spans))

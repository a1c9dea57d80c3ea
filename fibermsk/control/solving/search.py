"""Search for an optimum: starts, coarse grids, references of balls, and what is reported."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, NoReturn

import casadi as ca
import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.control.ends import Ends
from fibermsk.control.interval import Intervals
from fibermsk.control.mechanics.discrete import Node
from fibermsk.control.muscles.exact import ExactPath
from fibermsk.control.plant import Plant
from fibermsk.control.problem import OptimalControl
from fibermsk.control.solving.again import (
    at_nodes,
    driven_model,
    marched,
    simulated,
    started_model,
)
from fibermsk.control.solving.checked import checked, inside
from fibermsk.control.solving.guess import BEND, Guess, resampled, straight
from fibermsk.control.solving.remarks import remarks_of
from fibermsk.control.solving.solution import ControlSolution, Resimulation, as_result, by_name
from fibermsk.control.solving.solver import Solved, SolverStep, Warm, sizes_of, solve, worst_of
from fibermsk.control.transcription import ACTIVATION_RULE, Transcription
from fibermsk.errors import ConvergenceError
from fibermsk.system import build

_FAR = 2.0
"""Size of the vector of a ball, from its reference, above which references move to the solution: a
quarter turn. The chart ends at half a turn."""

_RECENTERED = 20
"""Most times that references move."""

_COARSEST = 1e-3
"""Largest tolerance."""

_EXHAUSTED = "Maximum_Iterations_Exceeded"

_SHORT = 0.01
"""Steps up to which activations of any muscle fall as they should [s]."""

_AT_BOUND = 1e-6
"""Distance from a bound below which a control counts as at it."""


class _Found(NamedTuple):
    """A solution of the discrete problem."""

    problem: Transcription
    solved: Solved
    guess: Guess  # the solution as one


def search(
    problem: OptimalControl,
    guess: ControlSolution | None,
    *,
    starts: int,
    coarse: int,
    tolerance: float,
    iterations: int,
    seed: int,
    expand: bool,
    progress: bool | Callable[[SolverStep], None],
) -> ControlSolution:
    """Solve a problem; see `OptimalControl.solve`."""
    owner = "OptimalControl.solve"
    _check.instance(owner, "guess", guess, (ControlSolution, type(None)), "a ControlSolution")
    starts = _check.count(owner, "starts", starts)
    coarse, seed = _check.whole(owner, "coarse", coarse), _check.whole(owner, "seed", seed)
    tolerance = _check.positive(owner, "tolerance", tolerance)
    if tolerance > _COARSEST:
        _check.refuse(owner, "tolerance", tolerance, f"be at most {_COARSEST:g}")
    iterations = _check.count(owner, "iterations", iterations)
    expand = _check.flag(owner, "expand", expand)
    tell: Callable[[SolverStep], None] | None = _tell
    if callable(progress):
        tell = progress
    elif not _check.flag(owner, "progress", progress):
        tell = None
    excited = problem.excitations is not None
    plant = Plant(
        problem.model, problem.largest, excited, problem.muscle_paths, problem.ranges, problem.start
    )
    intervals = Intervals(plant, problem.objectives, excited)
    ends = Ends(problem, intervals)
    _check_controls(problem, intervals)
    for _, term in problem.objectives.terms:
        term.check(plant)
    # a start that `simulate` refuses is refused before the search
    build(started_model(plant, *_start_of(plant, [ends.start], ends.start_speeds)))
    _check_end(plant, ends)
    rng = np.random.default_rng(seed)
    found = list[_Found]()

    def run(own: OptimalControl, first: Guess, warm: Warm | None) -> _Found:
        return _solved(
            own, intervals, ends, first, warm, tolerance=tolerance, iterations=iterations,
            expand=expand, tell=tell,
        )  # fmt: skip

    for k in range(starts):
        bend = rng.normal(scale=BEND, size=(plant.tree.degrees, 2)) if k else None
        one: _Found | None = None
        for own in _grids(problem, coarse):
            warm = None
            if one is not None and one.solved.status == "success":
                first = resampled(one.guess, intervals, own)
            elif guess is not None and not k:
                first = resampled(guess.guess, intervals, own)
                warm = guess.warm if guess.time.size == own.n + 1 else None
            else:
                first = straight(own, intervals, ends, bend)
            one = run(own, first, warm)
            if one.solved.status == "interrupted":
                break
        assert one is not None
        found.append(one)
        if one.solved.status == "interrupted":
            break
    order = {"success": 0, "interrupted": 1, "failed": 2}
    found.sort(key=lambda one: (order[one.solved.status], one.solved.objective))
    optima = tuple((one.solved.objective, one.solved.status) for one in found)
    solution = _solution(problem, intervals, ends, found[0], optima)
    if solution.status == "failed":
        _fail(found[0], solution)
    if tell is _tell:
        print(_line_of(solution), file=sys.stderr)
    return solution


def _grids(problem: OptimalControl, halvings: int) -> list[OptimalControl]:
    """The problem with steps that were halved several times, once less, and so on to its own."""
    found = list[OptimalControl]()
    for k in range(halvings, 0, -1):
        phases = tuple(replace(one, steps=max(one.steps >> k, 1)) for one in problem.phases)
        steps = sum(one.steps for one in phases)
        if steps < problem.n and not (found and found[-1].n == steps):
            found.append(replace(problem, duration=phases, steps=None))
    return [*found, problem]


def _check_controls(problem: OptimalControl, intervals: Intervals) -> None:
    """Refuse controls of one name, and unknown names among the controls of phases."""
    names = intervals.control_names
    for name in names:
        if names.count(name) > 1:
            must, remedy = "be the name of one control", "give the muscle or the joint another name"
            _check.refuse("OptimalControl", "control", name, must, remedy=remedy)
    for k, phase in enumerate(problem.phases):
        for name in phase.controls:
            if name not in names:
                remedy = f"they are: {', '.join(names)}{_check.suggestion(name, names)}"
                own = next((one for one in intervals.plant.drives if one.name == name), None)
                if own is not None:  # a ball
                    remedy = f"its components are: {', '.join(own.labels)}"
                _check.refuse(f"Phase {k}", "control", name, "be a control", remedy=remedy)


def _check_end(plant: Plant, ends: Ends) -> None:
    """Refuse an end that is given, where a point of a muscle lies in its surface."""
    if np.isnan(ends.fixed[-1][: ends.end.s.size]).any():
        return
    q = np.array(plant.directors.place(*ends.end)).ravel()
    for muscle in plant.muscles:
        if isinstance(muscle.path, ExactPath):
            muscle.path.refuse_inside(f"line muscle {muscle.name!r} at the end", q)


def _check_objective(problem: Transcription) -> None:
    """Refuse an objective that nothing changes: every motion would be best."""
    x = ca.vertcat(*problem.unknowns.symbols)
    if ca.jacobian_sparsity(problem.value, x).nnz() == 0:
        names = " + ".join(term.name for _, term in problem.problem.objectives.terms)
        must = "change with what is chosen: work and activation are of muscles, a duration must be "
        must += "free, a weight positive"
        remedy = "add a term that does, such as fm.Effort()"
        _check.refuse("OptimalControl", "objective", names, must, remedy=remedy)


def _solved(
    problem: OptimalControl, intervals: Intervals, ends: Ends, guess: Guess, warm: Warm | None,
    **options: Any,
) -> _Found:  # fmt: skip
    """Solve, and move the references of balls to the solution where it is far from them."""
    plant = intervals.plant
    slots = [plant.tree.slots()[k] for k in plant.directors.balls]
    guess = guess._replace(nodes=ends.given_in(guess.nodes))
    for left in reversed(range(_RECENTERED)):
        references = [one.references for one in guess.nodes]
        own = Transcription(problem, intervals, ends, references, guess.durations)
        _check_objective(own)
        solved = solve(own, _unknowns(own, guess), warm=warm, **options)
        found = _as_guess(own, solved.x)
        sizes = [float(np.linalg.norm(one.s[at])) for one in found.nodes for at in slots]
        centered = [one.centered(plant.directors) for one in found.nodes]
        guess, warm = found._replace(nodes=centered), None
        size = max(sizes, default=0.0)
        if size <= _FAR or solved.status == "interrupted":
            return _Found(own, checked(problem, ends, solved, found.nodes), guess)
        if not left:
            reason = "the rotation of a ball is too far from the guess; give a nearer guess"
            return _Found(own, replace(solved, status="failed", reason=reason), guess)
    raise AssertionError


def _unknowns(problem: Transcription, guess: Guess) -> Array:
    """Unknowns (n,) of a guess."""
    x = np.zeros(problem.unknowns.n)
    for n, own in enumerate(problem.nodes):
        node = guess.nodes[n]
        paths = problem.plant.paths_at(node)
        x[own] = np.concatenate([node.s, guess.states[n], paths])
    for n, own in enumerate(problem.controls):
        x[own] = guess.controls[n]
    for own in problem.durations:
        x[own] = 1.0
    return x


def _as_guess(problem: Transcription, x: Array) -> Guess:
    """Unknowns as poses, states, controls and durations."""
    at = problem.intervals.layout
    z = np.array([x[own] for own in problem.nodes])
    c = np.array([x[own] for own in problem.controls]).reshape(problem.n, at.n_interval)
    nodes = [Node(s, R) for s, R in zip(z[:, at.s], problem.references, strict=True)]
    durations = [
        float(scale) * (float(x[own][0]) if own.stop > own.start else 1.0)
        for scale, own in zip(problem.scales, problem.durations, strict=True)
    ]
    steps = tuple(one.steps for one in problem.problem.phases)
    states = z[:, at.s.stop : at.g.start]
    return Guess(nodes, states, c, np.array(durations), steps, problem.intervals.names)


def _solution(
    problem: OptimalControl, intervals: Intervals, ends: Ends, found: _Found,
    optima: tuple[tuple[float, str], ...],
) -> ControlSolution:  # fmt: skip
    own, solved, plant, at = found.problem, found.solved, intervals.plant, intervals.layout
    raw = _as_guess(own, solved.x)
    time = own.times(solved.x)
    h = np.diff(time)
    z = np.array([solved.x[one] for one in own.nodes])
    data = problem.objectives.data_at(time)
    observed = [
        intervals.observed(z[n], own.references[n], z[n + 1], own.references[n + 1],
                           raw.controls[n], h[n], data[n], data[n + 1])
        for n in range(own.n)
    ]  # fmt: skip
    terms = np.array([np.array(one[0]).ravel() for one in observed]).reshape(own.n, -1).sum(axis=0)
    terms += own.values_along(solved.x)
    forces = np.array([np.array(one[1]).ravel() for one in observed]).reshape(own.n, -1)
    sized = raw.controls * intervals.largest
    controls = dict(zip(intervals.control_names, sized.T.copy(), strict=True))
    excited, elastic = intervals.indices()
    muscles = plant.muscles
    activations = {muscles[m].name: z[:, at.a][:, k].copy() for k, m in enumerate(excited)}
    fibers = {muscles[m].name: muscles[m].optimum * z[:, at.x][:, k] for k, m in enumerate(elastic)}
    g = z[:, at.g]
    found_lengths = [plant.geometry(*one, g[k])[0] for k, one in enumerate(raw.nodes)]
    lengths = np.array([np.array(one).ravel() for one in found_lengths])
    coordinates = plant.coordinates_of(raw.nodes)
    names_of_terms = [term.name for _, term in problem.objectives.terms]
    speeds_at_start = _start_of(plant, raw.nodes[:1], ends.start_speeds)[1]
    model = driven_model(plant, time, coordinates, activations, controls, speeds_at_start)
    result = simulated(model, time)
    speeds, again = _again(intervals, ends, raw, z, h, time, coordinates, result)
    lengths_of = {one.name: lengths[:, m].copy() for m, one in enumerate(muscles)}
    solution = ControlSolution(
        solved.status, solved.reason, time, coordinates, speeds, controls, activations, fibers,
        lengths_of, {one.name: forces[:, m].copy() for m, one in enumerate(muscles)},
        float(time[-1]), solved.objective,
        dict(zip(names_of_terms, terms.tolist(), strict=True)),
        solved.iterations, solved.history, solved.stationarity, solved.violation,
        by_name([one.name for one in own.equations.labels], solved.multipliers)
        | _of_ends(own, solved),
        solved.build_seconds, solved.solve_seconds, solved.entries, solved.pattern, again, result,
        found.guess,
        Warm(solved.multipliers, solved.bound_multipliers),
        optima=optima,
    )  # fmt: skip
    solution = replace(solution, remarks=tuple(remarks_of(plant, model, raw.nodes, g, solution)))
    return replace(solution, result=as_result(solution, plant))


def _of_ends(own: Transcription, solved: Solved) -> dict[str, Array]:
    """Multipliers (1,) of what is given at both ends, by name."""
    low, high = own.unknowns.bounds()
    ends = {0.0: "start", float(own.n): "end"}
    return {
        f"{label.name} at the {ends[label.node]}": solved.bound_multipliers[k : k + 1]
        for k, label in enumerate(own.unknowns.labels)
        if low[k] == high[k] and label.node in ends
    }


def _start_of(
    plant: Plant, nodes: list[Node], speeds: Array
) -> tuple[dict[str, float], dict[str, float]]:  # fmt: skip
    """Coordinates at one node, and their rates."""
    found = plant.coordinates_of(nodes), plant.rates_of(nodes, speeds[None])
    values, rates = ({name: float(x[0]) for name, x in one.items()} for one in found)
    return values, rates


def _again(
    intervals: Intervals, ends: Ends, raw: Guess, z: Array, h: Array, time: Array,
    coordinates: dict[str, Array], result: Any,
) -> tuple[dict[str, Array], Resimulation]:  # fmt: skip
    """Rates at the nodes, and how far forward runs are from the solution."""
    plant, at = intervals.plant, intervals.layout
    rates = _rates(intervals, raw, z, h)
    first = raw.nodes[0]
    p = np.array(plant.discrete.momentum(*first)) @ ends.start_speeds
    try:
        nodes = marched(intervals, first, z[0, at.s.stop :], p, raw.controls, h, raw.nodes)
        off = plant.coordinates_of(nodes)
        discrete = max(np.abs(off[name] - coordinates[name]).max() for name in coordinates)
    except ConvergenceError:
        discrete = np.nan
    speeds = plant.rates_of(raw.nodes, rates)
    if not result.is_complete:
        return speeds, Resimulation(float(discrete), np.nan, np.nan)
    x, v = at_nodes(result, time)
    return speeds, Resimulation(
        float(discrete),
        float(max(np.abs(x[name] - coordinates[name]).max() for name in coordinates)),
        float(max(np.abs(v[name] - speeds[name]).max() for name in coordinates)),
    )


def _rates(intervals: Intervals, raw: Guess, z: Array, h: Array) -> Array:
    """Speeds (n + 1, degrees) in the free directions at the nodes, from the momenta."""
    plant, nodes = intervals.plant, raw.nodes
    found = np.empty((len(nodes), plant.tree.degrees))
    for n, node in enumerate(nodes):
        # momentum after the interval before a node, or before that after the first one
        k = max(n - 1, 0)
        parts = intervals.step(
            z[k], nodes[k].references, z[k + 1], nodes[k + 1].references, raw.controls[k], h[k]
        )
        found[n] = plant.discrete.speeds(node, np.array(parts[1 if n else 0]).ravel())
    return found


def _fail(found: _Found, solution: ControlSolution) -> NoReturn:
    own, solved = found.problem, found.solved
    worst, time = worst_of(own, solved), solution.time
    text = f"no optimum was found in {solved.iterations} iterations: {solved.reason}"
    if worst is not None and not solved.violation <= _AT_BOUND:
        label, value, bound = worst
        sign = ">" if value > bound else "<"
        unit = f" {label.unit}" if label.unit else ""
        text += (
            f"; the worst violation is {label.name!r} at node {label.node:g}, "
            f"t = {np.interp(label.node, np.arange(time.size), time):.4g} s: "
            + (
                "it is not a number"
                if np.isnan(value)
                else f"{value:.4g}{unit} {sign} {bound:.4g}{unit}"
            )
        )
        h = float(np.diff(time).max())
        if label.name.startswith(ACTIVATION_RULE) and h > _SHORT:
            text += f"; steps of {h:.2g} s may be too long for how activations fall, use more"
    if solved.reason == _EXHAUSTED:
        text += "; solve(coarse=1) starts from a solution with half the steps, which often helps"
    equations, unknowns = sizes_of(own)
    if equations > unknowns:
        text += f"; {equations} equations have {unknowns} unknowns: use more steps or controls"
    pathless = inside(own.plant, found.guess.nodes)
    if pathless:
        text += f"; {pathless}"
    bound = _at_bounds(found)
    if bound:
        text += f"; at their bounds: {bound}"
    error = ConvergenceError(text)
    error.result = solution.result
    error.solution = solution
    raise error


def _at_bounds(found: _Found) -> str:
    """Names of controls and states at bounds that leave them room, and where how often."""
    own, x = found.problem, found.solved.x
    low, high = own.unknowns.bounds()
    texts = list[str]()
    for slices, what in ((own.controls, "intervals"), (own.nodes, "nodes")):
        counts: dict[str, int] = {}
        for at in slices:
            beside = np.minimum(x[at] - low[at], high[at] - x[at]) < _AT_BOUND
            for label, is_there in zip(
                own.unknowns.labels[at], beside & (low[at] < high[at]), strict=True
            ):
                if is_there:
                    counts[label.name] = counts.get(label.name, 0) + 1
        texts += [f"{name} ({k} of {len(slices)} {what})" for name, k in counts.items()]
    return ", ".join(texts)


def _tell(step: SolverStep) -> None:
    print(
        f"  iteration {step.iteration:4d}  objective {step.objective:.6g}  "
        f"violation {step.violation:.1e}  {step.seconds:.1f} s",
        file=sys.stderr,
    )


def _line_of(solution: ControlSolution) -> str:
    own = solution.resimulation
    text = (
        f"{solution.status}: objective {solution.objective:.6g} after {solution.iterations} "
        f"iterations, built in {solution.build_seconds:.2f} s and solved in "
        f"{solution.solve_seconds:.2f} s; Jacobian {solution.entries[0]} and Hessian "
        f"{solution.entries[1]} entries\nsimulated again: discrete {own.discrete:.1e}, "
        f"coordinates {own.coordinate:.1e}, speeds {own.speed:.1e}"
    )
    return "\n".join([text, *(f"warning: {one}" for one in solution.remarks)])

"""What is reported of a solution of the discrete problem."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from fibermsk._arrays import Array
from fibermsk.control.ends import Ends
from fibermsk.control.interval import Intervals
from fibermsk.control.mechanics.discrete import Node
from fibermsk.control.plant import Plant
from fibermsk.control.problem import OptimalControl
from fibermsk.control.solving.again import at_nodes, driven_model, marched, simulated
from fibermsk.control.solving.found import Found, as_guess
from fibermsk.control.solving.guess import Guess
from fibermsk.control.solving.remarks import remarks_of
from fibermsk.control.solving.solution import ControlSolution, Resimulation, as_result, by_name
from fibermsk.control.solving.solver import Solved, Warm
from fibermsk.control.transcription import Transcription
from fibermsk.errors import ConvergenceError


def solution_of(
    problem: OptimalControl, intervals: Intervals, ends: Ends, found: Found,
    optima: tuple[tuple[float, str], ...],
) -> ControlSolution:  # fmt: skip
    """Everything by name, simulated again."""
    own, solved, plant, at = found.problem, found.solved, intervals.plant, intervals.layout
    raw = as_guess(own, solved.x)
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
    speeds_at_start = start_of(plant, raw.nodes[:1], ends.start_speeds)[1]
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


def start_of(
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

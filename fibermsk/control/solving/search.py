"""Search for an optimum: starts, coarse grids, and references of balls."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np

from fibermsk import _check
from fibermsk.control.ends import Ends
from fibermsk.control.interval import Intervals
from fibermsk.control.muscles.exact import ExactPath
from fibermsk.control.plant import Plant
from fibermsk.control.problem import OptimalControl
from fibermsk.control.solving.again import started_model
from fibermsk.control.solving.checked import checked
from fibermsk.control.solving.failing import fail
from fibermsk.control.solving.found import Found, as_guess, unknowns_of
from fibermsk.control.solving.guess import BEND, Guess, resampled, straight
from fibermsk.control.solving.reported import solution_of, start_of
from fibermsk.control.solving.solution import ControlSolution
from fibermsk.control.solving.solver import SolverStep, Warm, solve
from fibermsk.control.transcription import Transcription
from fibermsk.system import build

_FAR = 2.0
"""Size of the vector of a ball, from its reference, above which references move to the solution: a
quarter turn. The chart ends at half a turn."""

_RECENTERED = 20
"""Most times that references move."""

_COARSEST = 1e-3
"""Largest tolerance."""


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
    build(started_model(plant, *start_of(plant, [ends.start], ends.start_speeds)))
    _check_end(plant, ends)
    rng = np.random.default_rng(seed)
    found = list[Found]()

    def run(own: OptimalControl, first: Guess, warm: Warm | None) -> Found:
        return _solved(
            own, intervals, ends, first, warm, tolerance=tolerance, iterations=iterations,
            expand=expand, tell=tell,
        )  # fmt: skip

    for k in range(starts):
        bend = rng.normal(scale=BEND, size=(plant.tree.degrees, 2)) if k else None
        one: Found | None = None
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
    solution = solution_of(problem, intervals, ends, found[0], optima)
    if solution.status == "failed":
        fail(found[0], solution)
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
) -> Found:  # fmt: skip
    """Solve, and move the references of balls to the solution where it is far from them."""
    plant = intervals.plant
    slots = [plant.tree.slots()[k] for k in plant.directors.balls]
    guess = guess._replace(nodes=ends.given_in(guess.nodes))
    for left in reversed(range(_RECENTERED)):
        references = [one.references for one in guess.nodes]
        own = Transcription(problem, intervals, ends, references, guess.durations)
        _check_objective(own)
        solved = solve(own, unknowns_of(own, guess), warm=warm, **options)
        found = as_guess(own, solved.x)
        sizes = [float(np.linalg.norm(one.s[at])) for one in found.nodes for at in slots]
        centered = [one.centered(plant.directors) for one in found.nodes]
        guess, warm = found._replace(nodes=centered), None
        size = max(sizes, default=0.0)
        if size <= _FAR or solved.status == "interrupted":
            return Found(own, checked(problem, ends, solved, found.nodes), guess)
        if not left:
            reason = "the rotation of a ball is too far from the guess; give a nearer guess"
            return Found(own, replace(solved, status="failed", reason=reason), guess)
    raise AssertionError


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

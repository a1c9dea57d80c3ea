"""Guesses from which a search starts: straight motions, other solutions, smooth bends of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.control.conditions import FreeDuration
from fibermsk.control.ends import Ends
from fibermsk.control.interval import Intervals
from fibermsk.control.mechanics.discrete import Node
from fibermsk.control.problem import OptimalControl, nodes_of

ACTIVE = 0.1
"""Excitation and activation of a guess."""

BEND = 0.6
"""Standard deviation of the modes by which random starts are bent [rad, m]."""


class Guess(NamedTuple):
    """Where a search starts.

    Attributes
    ----------
    nodes : list of Node
        Poses, balls at their references.
    states : (n + 1, n_states) float array
        Activations and lengths of fibers; without unknowns of paths, which follow from the poses.
    controls : (n, n_controls) float array
        Excitations, and torques over their largest values.
    durations : (n_phases,) float array
        [s]
    steps : tuple of int
        Numbers of intervals of the phases.
    names : tuple of str
        Of coordinates, states and controls.
    """

    nodes: list[Node]
    states: Array
    controls: Array
    durations: Array
    steps: tuple[int, ...]
    names: tuple[str, ...]


def durations_of(problem: OptimalControl, near: Array | None = None) -> Array:
    """Durations of the phases [s]; free ones as guessed, or the nearest to others (n_phases,)."""
    found = np.zeros(len(problem.phases))
    for k, phase in enumerate(problem.phases):
        own = phase.duration
        if not isinstance(own, FreeDuration):
            found[k] = own
        elif near is None:
            found[k] = float(own.guess or 0.0)
        else:
            found[k] = np.clip(near[k], own.lower, own.upper)
    return found


def straight(
    problem: OptimalControl, intervals: Intervals, ends: Ends, bend: NDArray[np.float64] | None
) -> Guess:
    """Motion along a quintic from the start to the end, with torques from its momenta.

    What the objective wants to be followed is.

    With bend (degrees, 2) the coordinates deviate by sin(pi t) and sin(2 pi t) of these sizes.
    """
    plant, durations = intervals.plant, durations_of(problem)
    times = problem.times(durations)
    h, t = np.diff(times), times / times[-1]
    way = t**3 * (10.0 - t * (15.0 - 6.0 * t))
    s = ends.start.s + way[:, None] * (ends.end.s - ends.start.s)
    for name, values in problem.objectives.wanted(times).items():
        s[:, plant.degrees[name]] = values[:, None]
    modes = np.stack([np.sin(np.pi * t), np.sin(2.0 * np.pi * t)])
    off = np.zeros_like(s) if bend is None else (bend @ modes).T
    nodes = list[Node]()
    for k in range(t.size):
        R = np.zeros_like(ends.start.references)
        own = s[k] + off[k]
        for i, link in enumerate(plant.directors.balls):
            at, part = plant.tree.slots()[link], slice(3 * i, 3 * i + 3)
            first, last = (
                Rotation.from_matrix(one.references[:, part]) for one in (ends.start, ends.end)
            )
            turn = (last * first.inv()).as_rotvec()
            R[:, part] = (
                Rotation.from_rotvec(off[k, at]) * Rotation.from_rotvec(way[k] * turn) * first
            ).as_matrix()
            own[at] = 0.0
        for at, (low, high) in ends.ranges.items():
            own[at] = min(max(own[at], low), high)
        nodes.append(plant.discrete.closed(Node(own, R)))
    layout = intervals.layout
    m_a, m_x = layout.a.stop - layout.a.start, layout.x.stop - layout.x.start
    states = np.hstack([np.full((t.size, m_a), ACTIVE), np.ones((t.size, m_x))])
    controls = np.full((h.size, layout.n_interval), ACTIVE)
    controls[:, layout.u] = _torques(intervals, nodes, h)
    steps = tuple(one.steps for one in problem.phases)
    return Guess(nodes, states, controls, durations, steps, intervals.names)


def _torques(intervals: Intervals, nodes: list[Node], h: Array) -> Array:
    """Torques (n, n_u) over their largest values that give a motion, as nearly as they can."""
    plant, layout = intervals.plant, intervals.layout
    if layout.u.stop == layout.u.start:
        return np.zeros((h.size, 0))
    none = np.zeros(plant.tree.degrees)
    momenta = [
        [np.array(p).ravel() for p in plant.discrete.interval(*a, *b, none, none, float(dt))]
        for a, b, dt in zip(nodes, nodes[1:], h, strict=False)
    ]
    before, after = (np.array(one) for one in zip(*momenta, strict=True))
    # p+ + h f / 2 of an interval equals p- - h f / 2 of the next one, and both ends are at rest
    n = h.size
    means = np.zeros((n + 1, n))
    means[np.arange(n), np.arange(n)] = means[np.arange(1, n + 1), np.arange(n)] = 0.5 * h
    missing = np.concatenate([before, np.zeros((1, none.size))])
    missing[1:] -= after
    force = np.linalg.lstsq(means, missing, rcond=None)[0]
    found = np.zeros((n, 0))
    for one in plant.drives:
        found = np.hstack([found, force[:, one.at] / (one.largest * one.ratio)])
    clipped: Array = np.clip(found, -1.0, 1.0).astype(float)
    return clipped


def resampled(guess: Guess, intervals: Intervals, problem: OptimalControl) -> Guess:
    """A guess with the steps and durations of a problem: nodes between those of another one.

    By share of the time of each phase; of the whole where the phases are others.

    Raises
    ------
    ModelError
        If it is a solution for another model, or has other controls.
    """
    plant, n, at = intervals.plant, problem.n, intervals.layout
    sizes = guess.nodes[0].s.size, guess.states.shape[1], guess.controls.shape[1]
    own = at.s.stop, at.g.start - at.s.stop, at.n_interval
    if sizes != own:
        _check.refuse(
            "OptimalControl.solve", "guess",
            "{} coordinates, {} states and {} controls".format(*sizes),
            "have {}, {} and {}, as this problem".format(*own),
        )  # fmt: skip
    for other, name in zip(guess.names, intervals.names, strict=True):
        if other != name:
            must = f"have {name!r} there, as this problem"
            _check.refuse("OptimalControl.solve", "guess", f"one with {other!r}", must)
    same = guess.durations.size == len(problem.phases)
    durations = durations_of(problem, guess.durations if same else None)
    steps = [one.steps for one in problem.phases]
    old = _shares(guess.durations, guess.steps, by_phase=same)
    new = _shares(durations, steps, by_phase=same)
    s = np.array([one.s for one in guess.nodes])
    values = np.stack([np.interp(new, old, column) for column in s.T], axis=1)
    references = np.zeros((n + 1, 3, 3 * len(plant.directors.balls)))
    lower = np.clip(np.searchsorted(old, new, side="right") - 1, 0, old.size - 2)
    share = (new - old[lower]) / (old[lower + 1] - old[lower])
    for i, link in enumerate(plant.directors.balls):
        part, at = slice(3 * i, 3 * i + 3), plant.tree.slots()[link]
        turns: Any = Rotation.from_matrix([one.references[:, part] for one in guess.nodes])
        between = (turns[lower + 1] * turns[lower].inv()).as_rotvec()
        references[:, :, part] = (
            Rotation.from_rotvec(share[:, None] * between) * turns[lower]
        ).as_matrix()
        values[:, at] = 0.0
    columns = [np.interp(new, old, column) for column in guess.states.T]
    states = np.stack(columns, axis=1) if columns else np.zeros((n + 1, 0))
    middle = np.searchsorted(old, 0.5 * (new[1:] + new[:-1]), side="right") - 1
    nodes = [Node(a, b) for a, b in zip(values, references, strict=True)]
    return Guess(nodes, states, guess.controls[middle], durations, tuple(steps), intervals.names)


def _shares(durations: Array, steps: Sequence[int], *, by_phase: bool) -> Array:
    """Nodes (n + 1,) by number of the phase and share of its time, or by share of the whole."""
    found = nodes_of(np.ones(len(steps)) if by_phase else durations, steps)
    return found if by_phase else found / found[-1]

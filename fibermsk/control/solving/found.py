"""A solution of the discrete problem, and its unknowns as a guess and back."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.control.mechanics.discrete import Node
from fibermsk.control.solving.guess import Guess
from fibermsk.control.solving.solver import Solved
from fibermsk.control.transcription import Transcription


class Found(NamedTuple):
    """A solution of the discrete problem."""

    problem: Transcription
    solved: Solved
    guess: Guess  # the solution as one


def unknowns_of(problem: Transcription, guess: Guess) -> Array:
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


def as_guess(problem: Transcription, x: Array) -> Guess:
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

"""Errors of searches without an optimum: the worst violation, and what may help."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from fibermsk.control.solving.checked import inside
from fibermsk.control.solving.found import Found
from fibermsk.control.solving.solution import ControlSolution
from fibermsk.control.solving.solver import sizes_of, worst_of
from fibermsk.control.transcription import ACTIVATION_RULE
from fibermsk.errors import ConvergenceError

_EXHAUSTED = "Maximum_Iterations_Exceeded"

_SHORT = 0.01
"""Steps up to which activations of any muscle fall as they should [s]."""

_AT_BOUND = 1e-6
"""Distance from a bound below which a control counts as at it."""


def fail(found: Found, solution: ControlSolution) -> NoReturn:
    """Raise an error with the solution as far as it came."""
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


def _at_bounds(found: Found) -> str:
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

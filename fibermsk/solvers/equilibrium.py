"""Static equilibrium by pseudo-transient continuation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fibermsk.errors import ConvergenceError
from fibermsk.protocol import Evaluation, System
from fibermsk.solvers.newton import Newton

__all__ = ["equilibrium"]

Array = NDArray[np.float64]

_FIRST_STEP = 1e-3
_LARGEST_STEP = 1e4
_SMALLEST_STEP = 1e-9
_MAX_STEPS = 500
_EASY = 6
"""A solve with at most this many iterations lets the next step grow."""


def equilibrium(
    system: System,
    start: tuple[Array, Array] | None = None,
    *,
    t: float = 0.0,
    newton: Newton | None = None,
) -> tuple[Array, Array]:
    """Positions at rest under the loads and activations of one time.

    The system is released from `start` in backward Euler steps whose velocity is forgotten after
    each, so that it creeps downhill in energy; the steps grow as Newton's method allows, until
    inertia and viscosity no longer matter and the static equations themselves are solved. It thus
    reaches a stable equilibrium on the side of every contact that the start is on, with no load
    steps to choose.

    Parameters
    ----------
    system : System
        From `fibermsk.build`.
    start : pair of (n,) float arrays, optional
        Positions and velocities to start from; the initial state if left out.
    t : float
        Time at which loads and activations are taken [s].
    newton : Newton, optional
        Nonlinear solver and its tolerance.

    Returns
    -------
    y, v : (n,) float arrays
        Positions, and velocities of zero.

    Raises
    ------
    ConvergenceError
        If no equilibrium is found.
    """
    newton = newton or Newton()
    system.check_inputs(np.array([t]))
    y, _ = start if start is not None else system.initial_state()
    rest = np.zeros_like(y)
    h = _FIRST_STEP
    history: list[float] = []
    for _ in range(_MAX_STEPS):
        new, report = newton.solve(system, t, y, _at_rest(system, t, y, h))
        history = report.history
        if not report.converged:
            h *= 0.25
            if h < _SMALLEST_STEP:
                break
            continue
        moved = float(np.abs((new - y) / system.scale).max())
        y = new
        if h >= 1.0 and moved < 1e-3:
            solution, report = newton.solve(system, t, y, _at_rest(system, t, y, np.inf))
            history = report.history
            near = report.converged and np.abs((solution - y) / system.scale).max() < 1e-2
            if near:
                return solution, rest
        if len(report.history) <= _EASY:
            h = min(4.0 * h, _LARGEST_STEP)
    raise ConvergenceError(
        "no static equilibrium found: "
        f"the last pseudo-time step was {h:.2g} s, its last scaled increments "
        f"{', '.join(f'{x:.2g}' for x in history[-4:])}. Likely causes: a mechanism that nothing "
        "holds, a slack fiber, or loads beyond what the tissue carries. Try more prestress or a "
        "nearer start",
        time=t,
        history=history,
    )


def _at_rest(system: System, t: float, y_old: Array, h: float):
    """Equations of a step of length h from rest at y_old; the static equations for infinite h."""
    rate = 1.0 / h

    def evaluate(y: Array, tangent: bool) -> Evaluation:
        v = system.enforce(y, rate * (y - y_old))
        return system.evaluate(t, y, v, rate * v, rate, rate, tangent=tangent)

    return evaluate

"""Static equilibrium by pseudo-transient continuation, away from unstable states."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fibermsk import _check
from fibermsk.errors import ConvergenceError, ModelWarning
from fibermsk.guard import guarded
from fibermsk.protocol import BorderedMatrix, Evaluation, System
from fibermsk.results import Progress
from fibermsk.solvers.collisions import begin, judge, refine_along
from fibermsk.solvers.linear import factorize
from fibermsk.solvers.linearize import inertia
from fibermsk.solvers.newton import Newton, NewtonReport
from fibermsk.solvers.stability import Stability, stability
from fibermsk.solvers.stage import State
from fibermsk.solvers.vectors import require_host, require_state, require_system

__all__ = ["equilibrium"]

Array = NDArray[np.float64]

_FIRST_STEP = 1e-3
_LARGEST_STEP = 1e4
_SMALLEST_STEP = 1e-9
_MAX_STEPS = 500
_STILL = 1e-6
"""Largest scaled displacement in a step of a second or more that counts as none."""

_EASY = 6
"""A solve with at most this many iterations lets the next step grow."""

_STEPS_BETWEEN_NEWS = 20

_MOST_PUSHES = 4
_PUSH = 1e-3
"""Largest scaled displacement of a push along an unstable mode."""

_LONGEST_WAY = 0.02
"""Largest scaled way of prescribed points at a time."""

_MOST_REFINEMENTS = 4
"""How often the bits of that way are made shorter where something is in the way."""

_SAFE_STEP = 0.3
"""Step over the growth time of the mode: its tangent, M / h^2 + K, is surely definite."""


@guarded
def equilibrium(
    system: System,
    start: tuple[Array, Array] | None = None,
    *,
    t: float = 0.0,
    newton: Newton | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> tuple[Array, Array]:
    """Positions at rest under the loads and activations of one time.

    The system is released from `start` in backward Euler steps whose velocity is forgotten after
    each, so that it creeps downhill in energy; the steps grow as Newton's method allows, until
    inertia and viscosity no longer matter and the static equations themselves are solved. It stays
    on the side of every contact that the start is on, and there are no load steps to choose.

    A start that is itself unstable, such as an inverted pendulum, holds still. The state that is
    found is therefore checked with `stability`; where it is unstable, it is pushed along its mode,
    to one side and then to the other, and creeps on in steps so short that each ends in a minimum
    of its own energy. Where prescribed points are elsewhere at time t than in the start, they are
    led there bit by bit, and what they pull along follows elastically.

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
    progress : callable, optional
        Called with a `Progress` every twenty steps, with a message.

    Returns
    -------
    y, v : (n,) float arrays
        Positions, and velocities of zero.

    Raises
    ------
    ModelError
        If an argument is of another type or range, before anything is computed.
    ConvergenceError
        If no equilibrium is found.

    Warns
    -----
    ModelWarning
        If the state is unstable or its stability is not known, or a fiber is under compression.
    """
    require_system("equilibrium", system)
    require_host("equilibrium", system)
    newton = Newton() if newton is None else newton
    _check.instance("equilibrium", "newton", newton, Newton, "a Newton()")
    _check.function("equilibrium", "progress", progress)
    t = _check.number("equilibrium", "t", t, "s")
    if start is None:
        start = system.initial_state()
    y, _ = require_state("equilibrium", system, start)
    system.check_inputs(np.array([t]))
    begin(system, State(t, y, np.zeros_like(y)))
    creep = _Creep(system, t, newton, progress)
    y = creep.downhill(creep.follow(y), _FIRST_STEP)
    verdict = _judge(system, y, t)
    side = 1.0
    for _ in range(_MOST_PUSHES):
        if verdict is None or verdict.stable:
            break
        try:
            y = creep.aside(y, verdict, side)
        except ConvergenceError:
            side = -side
            continue
        verdict = _judge(system, y, t)
    rest = np.zeros_like(y)
    if verdict is not None and not verdict.stable:
        text = (
            f"the equilibrium is {verdict}, and pushed along it the system finds no stable one; "
            "a run from there leaves it. Likely causes: a fiber under compression, or one that "
            "softens as it stretches. Try more prestress or another start"
        )
        warnings.warn(ModelWarning(text, kind="stability", time=t), stacklevel=3)
    force, theta = system.least_tension(t, y, rest)
    slack = [
        f"{system.fiber_names[f]!r} at theta = {theta[f]:.3g}: {force[f]:.3g} N"
        for f in np.flatnonzero(force < 0.0)
    ]
    if slack:
        text = (
            "the equilibrium has fibers under compression, which a cable without bending stiffness "
            f"cannot carry: {', '.join(slack)}. Shorten their path, or give their tissue prestress "
            "or bending"
        )
        worst = system.fiber_names[int(np.argmin(force))]
        warnings.warn(ModelWarning(text, kind="compression", fiber=worst, time=t), stacklevel=3)
    return y, rest


def _judge(system: System, y: Array, t: float) -> Stability | None:
    """Stability of a state; None, with a warning, where it cannot be found."""
    try:
        return stability(system, y, t)
    except ConvergenceError as error:
        text = f"the equilibrium may be unstable: {error}"
        warnings.warn(ModelWarning(text, kind="stability", time=t), stacklevel=4)
        return None


class _Creep:
    """Steps from rest at one time, whose number and last increments are kept for messages."""

    def __init__(
        self,
        system: System,
        t: float,
        newton: Newton,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self.system, self.t, self.newton, self.progress = system, t, newton, progress
        self.steps = self.iterations = 0

    def follow(self, y: Array) -> Array:
        """Positions with the prescribed points where they are at this time.

        Put there at once they would crush the elements next to them. The others move as the
        tangent of a long step from rest gives them with the forces that each bit of the way adds.
        """
        system, t = self.system, self.t
        rest = np.zeros_like(y)
        way = system.retract(t, y, rest) - y
        moved = np.abs(way / system.scale) > _LONGEST_WAY * 1e-6
        longest = float(np.abs(way / system.scale).max(initial=0.0))
        if longest <= _LONGEST_WAY and not self._obstacle(y, system.retract(t, y, rest)):
            return y
        n, reason = max(1, int(np.ceil(longest / _LONGEST_WAY))), ""
        for _ in range(_MOST_REFINEMENTS):
            here, reason = self._lead(y, moved, way, n)
            if not reason:
                return system.retract(t, here, rest)
            n *= 4
        raise ConvergenceError(
            f"what is prescribed cannot be led to where it is at t = {t:.6g} s: {reason}. Start "
            "from a state in which nothing is in the way",
            time=t,
        )

    def _lead(self, y: Array, moved: NDArray[np.bool_], way: Array, n: int) -> tuple[Array, str]:
        """Positions after n bits of the way of the prescribed entries, or what is in the way."""
        system, t, here = self.system, self.t, y
        rest = np.zeros_like(y)
        for k in range(1, n + 1):
            there = here.copy()
            there[moved] = y[moved] + (k / n) * way[moved]
            before = system.evaluate(t, here, rest, rest, 1.0, 1.0)
            after = system.evaluate(t, there, rest, rest, tangent=False)
            assert before.tangent is not None
            try:
                increment = factorize(before.tangent)(before.residual - after.residual)
            except np.linalg.LinAlgError:
                increment = rest
            fraction = system.step_fraction(here, increment, self.newton.keep)
            # retract puts the prescribed points at their goal
            new = system.retract(t, there, fraction * increment)
            new[moved] = there[moved]
            reason = self._obstacle(here, new)
            if reason:
                return here, reason
            here = new
        return here, ""

    def _obstacle(self, y: Array, new: Array) -> str:
        """What passes through what on the way from one state to another; empty if nothing does."""
        rest = np.zeros_like(y)
        while True:
            verdict = judge(self.system, State(self.t, y, rest), State(self.t, new, rest))
            if not verdict.refined:
                return verdict.reason

    def downhill(self, y: Array, h: float, safe: float = np.inf) -> Array:
        """Equilibrium below y, from steps of h [s] on.

        A step above `safe` must end in a minimum of its energy, where its tangent has no negative
        eigenvalue.
        """
        system, t, newton = self.system, self.t, self.newton
        report, grow, obstacle = NewtonReport(), True, ""
        rest, renewals = np.zeros_like(y), 0
        for _ in range(_MAX_STEPS):
            new, report = newton.solve(system, t, y, _at_rest(system, t, y, h))
            self._tell(h, len(report.history))
            if not report.converged:
                h *= 0.25
                if h < _SMALLEST_STEP:
                    break
                continue
            if h > safe and not self._is_minimum(y, new, h):
                h, grow = max(0.5 * h, safe), False
                continue
            verdict = judge(system, State(t, y, new), State(t, new, new))
            if verdict.refined:
                continue
            if verdict.reason:
                obstacle, h = verdict.reason, 0.25 * h
                if h < _SMALLEST_STEP:
                    break
                continue
            obstacle = ""
            finer = refine_along(system, State(t, new, new))
            moved = float(np.abs((new - y) / system.scale).max())
            y = new
            if h >= 1.0 and moved < 1e-3 and not finer:
                solution, static = newton.solve(system, t, y, _at_rest(system, t, y, np.inf))
                near = static.converged and np.abs((solution - y) / system.scale).max() < 1e-2
                verdict = judge(system, State(t, y, rest), State(t, solution, rest))
                if near and verdict.refined:
                    continue
                if near and not verdict.reason:
                    # a run from there begins with the points that its own spacing asks for
                    if not begin(system, State(t, solution, rest)):
                        return solution
                    if renewals == _MOST_REFINEMENTS:
                        text = (
                            "the equilibrium is not quite that of a run from there, which begins "
                            "with other contact points; use more elements or points_per_element"
                        )
                        warnings.warn(ModelWarning(text, kind="contact_points"), stacklevel=4)
                        return solution
                    y, renewals = solution, renewals + 1
                    continue
                if moved < _STILL:  # neutral: the static equations do not tell where it ends
                    return y
            if grow and len(report.history) <= _EASY:
                h = min((4.0 if np.isinf(safe) else 2.0) * h, _LARGEST_STEP)
            grow = True
        worst = f" (largest: {system.describe(report.worst)})" if report.worst >= 0 else ""
        why = obstacle or report.reason
        reason = f": {why}" if why else ""
        raise ConvergenceError(
            f"no static equilibrium found{reason}; the last pseudo-time step was {h:.2g} s, its "
            f"last scaled increments {', '.join(f'{x:.2g}' for x in report.history[-4:])}{worst}. "
            "Likely causes: a mechanism that nothing holds, a slack fiber, or loads beyond what "
            "the tissue carries. Try more prestress or a nearer start",
            time=t,
            history=report.history,
        )

    def aside(self, y: Array, verdict: Stability, side: float) -> Array:
        """Equilibrium that an unstable state falls to when it is pushed to one side."""
        push = side * _PUSH * verdict.mode
        fraction = self.system.step_fraction(y, push, self.newton.keep)
        pushed = self.system.retract(self.t, y, fraction * push)
        if obstacle := self._obstacle(y, pushed):
            raise ConvergenceError(f"pushed along its mode: {obstacle}", time=self.t)
        safe = _SAFE_STEP / verdict.growth_rate
        return self.downhill(pushed, safe, safe)

    def _is_minimum(self, y: Array, new: Array, h: float) -> bool:
        tangent = _at_rest(self.system, self.t, y, h)(new, True).tangent
        assert isinstance(tangent, BorderedMatrix | np.ndarray)
        try:
            return inertia(tangent) == 0
        except np.linalg.LinAlgError:  # no definite matrix breaks down
            return False

    def _tell(self, h: float, iterations: int) -> None:
        self.steps += 1
        self.iterations += iterations
        if self.progress is not None and self.steps % _STEPS_BETWEEN_NEWS == 0:
            message = (
                f"finding the equilibrium, {self.steps} steps, {self.iterations} Newton "
                f"iterations, pseudo-time step {h:.2g} s"
            )
            self.progress(Progress(0.0, 1.0, self.steps, self.iterations, message))


def _at_rest(system: System, t: float, y_old: Array, h: float):
    """Equations of a step of length h from rest at y_old; the static equations for infinite h."""
    rate = 1.0 / h

    def evaluate(y: Array, tangent: bool) -> Evaluation:
        v = system.enforce(y, rate * (y - y_old))
        return system.evaluate(t, y, v, rate * v, rate, rate, tangent=tangent)

    return evaluate

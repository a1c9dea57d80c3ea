"""Static equilibrium by pseudo-transient continuation, away from unstable states."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._warn import warn
from fibermsk.errors import ConvergenceError, ModelWarning
from fibermsk.guard import guarded
from fibermsk.protocol import Evaluation, Rubs, Softens, System, offers
from fibermsk.results import Progress
from fibermsk.solvers.newton.collisions import begin, judge, refine_along
from fibermsk.solvers.newton.condense import bordered, condensed, free_part
from fibermsk.solvers.newton.linear import factorize
from fibermsk.solvers.newton.newton import Newton, NewtonReport
from fibermsk.solvers.newton.stage import State
from fibermsk.solvers.orders import n_states
from fibermsk.solvers.past import hold, shortest_delay
from fibermsk.solvers.statics.linearize import inertia
from fibermsk.solvers.statics.stability import Stability, stability
from fibermsk.solvers.vectors import require_host, require_state, require_system

_FIRST_STEP = 1e-3
_LARGEST_STEP = 1e4
_SMALLEST_STEP = 1e-9
_MAX_STEPS = 500
_STILL = 1e-6
"""Largest scaled displacement in a step of a second or more that counts as zero."""

_EASY = 6
"""A solve with at most this many iterations lets the next step grow."""

_STEPS_BETWEEN_NEWS = 20

_MOST_PUSHES = 4
_PUSH = 1e-3
"""Largest scaled displacement of a perturbation along an unstable mode."""

_LONGEST_WAY = 0.02
"""Largest scaled displacement of prescribed points per increment."""

_MOST_REFINEMENTS = 4
"""Maximum number of times that these increments are reduced on collision."""

_MOST_ROUNDS, _SETTLED = 60, 1e-9
"""Rounds in which what is measured settles, and its last relative change."""

_SAFE_STEP = 0.3
"""Step over the growth time of the mode: its tangent M / h^2 + K is positive definite."""


@guarded
def equilibrium(
    system: System,
    start: tuple[Array, Array] | None = None,
    *,
    t: float = 0.0,
    newton: Newton | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> tuple[Array, Array]:
    """Find a static equilibrium under the loads and activations at one time.

    The system is released from `start` in backward Euler steps with zero initial velocity, so that
    its energy decreases. The steps grow as Newton's method allows, until inertia and viscosity are
    negligible and the static equations are solved. No contact is crossed, and no load steps are
    needed.

    An unstable start, such as an inverted pendulum, would stay in place. The solution is therefore
    checked with `stability`. If unstable, it is perturbed along its mode, to either side, and
    continued in steps short enough that each ends in a minimum of its incremental energy. If
    prescribed points have moved between the start and time t, they are moved in increments, and
    the other unknowns follow elastically.

    Parameters
    ----------
    system : System
        From `fibermsk.build`; `fibermsk.equilibrium` also takes a `Model`, and builds it.
    start : pair of (n,) float arrays, optional
        Initial positions and velocities; default: the initial state of the system.
    t : float
        Time of the loads and activations [s].
    newton : Newton, optional
        Nonlinear solver and its tolerance.
    progress : callable, optional
        Called with a `Progress` every twenty steps.

    Returns
    -------
    y, v : (n,) float arrays
        Positions, and velocities of zero.

    Raises
    ------
    ModelError
        If the type or range of an argument is wrong.
    ConvergenceError
        If no equilibrium is found.

    Warns
    -----
    ModelWarning
        If the state is unstable or its stability is unknown, or a fiber is under compression or
        softens as it stretches.
    """
    require_system("equilibrium", system)
    require_host("equilibrium", system)
    newton = Newton() if newton is None else newton
    _check.instance("equilibrium", "newton", newton, Newton, "a Newton()")
    newton = replace(newton, damping=False)
    _check.function("equilibrium", "progress", progress)
    t = _check.number("equilibrium", "t", t, "s")
    if start is None:
        start = system.initial_state()
    y, _ = require_state("equilibrium", system, start)
    system.check_inputs(np.array([t]))
    begin(system, State(t, y, np.zeros_like(y)))
    creep = _Creep(system, t, newton, progress)
    hold(system, State(t, y, np.zeros_like(y)))
    y = creep.settled(creep.downhill(creep.follow(y), _FIRST_STEP))
    verdict = _judge(system, y, t)
    side = 1.0
    for _ in range(_MOST_PUSHES):
        if verdict is None or verdict.stable:
            break
        try:
            y = creep.settled(creep.aside(y, verdict, side))
        except ConvergenceError:
            side = -side
            continue
        verdict = _judge(system, y, t)
    rest = np.zeros_like(y)
    if verdict is not None and not verdict.stable:
        text = (
            f"the equilibrium is {verdict}, and a perturbation along this mode does not lead to "
            "a stable one; a run from it departs from it. Likely causes: a fiber under "
            "compression, or one that softens as it stretches. Try more prestress or another start"
        )
        warn(ModelWarning(text, kind="stability", time=t))
    force, theta = system.least_tension(t, y, rest)
    slack = [
        f"{system.fiber_names[f]!r} at theta = {theta[f]:.3g}: {force[f]:.3g} N"
        for f in np.flatnonzero(force < 0.0)
    ]
    if slack:
        text = (
            f"the equilibrium has fibers under compression: {', '.join(slack)}. Without bending "
            "stiffness a cable cannot carry it: shorten their path, or give their tissue prestress "
            "or bending"
        )
        worst = system.fiber_names[int(np.argmin(force))]
        warn(ModelWarning(text, kind="compression", fiber=worst, time=t))
    if isinstance(system, Softens) and (remark := system.softening(t, y)) is not None:
        warn(remark)
    return y, rest


def _judge(system: System, y: Array, t: float) -> Stability | None:
    """Stability of a state; None, with a warning, if it cannot be computed."""
    try:
        with _frictionless(system)():
            return stability(system, y, t)
    except ConvergenceError as error:
        text = f"the equilibrium may be unstable: {error}"
        warn(ModelWarning(text, kind="stability", time=t))
        return None


class _Creep:
    """Pseudo-time steps from rest; counts and last increments are kept for messages."""

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
        """Positions with the prescribed points at their positions at this time.

        A single large displacement would crush adjacent elements. In each increment the other
        unknowns follow by the tangent of a long step from rest.
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
            f"prescribed points cannot be moved to their positions at t = {t:.6g} s: {reason}. "
            "Start from a state without obstacles between",
            time=t,
        )

    def _lead(self, y: Array, moved: NDArray[np.bool_], way: Array, n: int) -> tuple[Array, str]:
        """Positions after moving the prescribed entries in n increments, or the obstacle."""
        system, t, here = self.system, self.t, y
        rest = np.zeros_like(y)
        for k in range(1, n + 1):
            there = here.copy()
            there[moved] = y[moved] + (k / n) * way[moved]
            with _frictionless(system)():
                before = system.evaluate(t, here, rest, rest, 1.0, 1.0)
                after = system.evaluate(t, there, rest, rest, tangent=False)
            assert before.tangent is not None
            try:
                increment = factorize(before.tangent)(before.residual - after.residual)
            except np.linalg.LinAlgError:
                increment = rest
            fraction = system.step_fraction(here, increment, self.newton.keep)
            # retract moves the prescribed points to their final positions
            new = system.retract(t, there, fraction * increment)
            new[moved] = there[moved]
            reason = self._obstacle(here, new)
            if reason:
                return here, reason
            here = new
        return here, ""

    def _obstacle(self, y: Array, new: Array) -> str:
        """Collision between two states, as a message; empty if there is none."""
        rest = np.zeros_like(y)
        while True:
            verdict = judge(self.system, State(self.t, y, rest), State(self.t, new, rest))
            if not verdict.refined:
                return verdict.reason

    def downhill(self, y: Array, h: float, safe: float = np.inf) -> Array:
        """Equilibrium of lower energy than y, from steps of initial length h [s].

        A step longer than `safe` must end in a minimum of its energy, where its tangent has no
        negative eigenvalue.
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
                near = near and not static.frozen
                verdict = judge(system, State(t, y, rest), State(t, solution, rest))
                if near and verdict.refined:
                    continue
                if near and not verdict.reason:
                    # a run from there starts with contact points of its own spacing
                    if not begin(system, State(t, solution, rest)):
                        return solution
                    if renewals == _MOST_REFINEMENTS:
                        text = (
                            "the equilibrium differs slightly from that of a run from it, which "
                            "starts with other contact points; use more elements or "
                            "points_per_element"
                        )
                        warn(ModelWarning(text, kind="contact_points"))
                        return solution
                    y, renewals = solution, renewals + 1
                    continue
                if moved < _STILL:  # neutral: the static equations are singular
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
            "Likely causes: an unconstrained mechanism, a slack fiber, or loads that exceed the "
            "strength of the tissue. Try more prestress or a start closer to equilibrium",
            time=t,
            history=report.history,
        )

    def settled(self, y: Array) -> Array:
        """Equilibrium in which what follows the motion with a delay is at rest as well.

        The measured values m that the past holds, and those at the equilibrium with it, m + F(m),
        must agree: F(m) = 0 by Broyden's method, from the slope -1 without feedback.
        """
        system, rest = self.system, np.zeros_like(y)
        if not np.isfinite(shortest_delay(system)[0]):
            return y
        m = hold(system, State(self.t, y, rest))
        slope, before, off = -np.eye(m.size), None, m
        for _ in range(_MOST_ROUNDS):
            y = self.downhill(y, _FIRST_STEP)
            off = hold(system, State(self.t, y, rest)) - m
            if np.abs(off).max() <= _SETTLED * (1.0 + np.abs(m).max()):
                return y
            if before is not None:
                step, gone = before
                slope += np.outer(off - gone - slope @ step, step) / (step @ step)
            step = -np.linalg.lstsq(slope, off)[0]
            m, before = m + step, (step, off)
            hold(system, State(self.t, y, rest), m)
        raise ConvergenceError(
            f"no static equilibrium found: {shortest_delay(system)[1]} and the motion do not come "
            f"to rest together; measured values still change by {np.abs(off).max():.2g}. Likely "
            "cause: a gain that is too large, or a threshold that no state keeps",
            time=self.t,
        )

    def aside(self, y: Array, verdict: Stability, side: float) -> Array:
        """Equilibrium that an unstable state reaches after a perturbation to one side."""
        push = side * _PUSH * verdict.mode
        fraction = self.system.step_fraction(y, push, self.newton.keep)
        pushed = self.system.retract(self.t, y, fraction * push)
        if obstacle := self._obstacle(y, pushed):
            raise ConvergenceError(f"perturbed along its mode: {obstacle}", time=self.t)
        safe = _SAFE_STEP / verdict.growth_rate
        return self.downhill(pushed, safe, safe)

    def _is_minimum(self, y: Array, new: Array, h: float) -> bool:
        tangent = bordered(_at_rest(self.system, self.t, y, h)(new, True).tangent)
        try:
            tangent = condensed(tangent, n_states(self.system))
            return inertia(free_part(self.system, self.t, new, tangent)) == 0
        except np.linalg.LinAlgError:  # a definite matrix has no vanishing pivot
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
    """Equations of a step of length h from rest at y_old; static equations for infinite h."""
    rate, without = 1.0 / h, _frictionless(system)

    def evaluate(y: Array, tangent: bool) -> Evaluation:
        v = system.enforce(y, rate * (y - y_old))
        with without():
            return system.evaluate(t, y, v, rate * v, rate, rate, tangent=tangent)

    return evaluate


def _frictionless(system: System) -> Callable[[], AbstractContextManager[None]]:
    """Context without friction, which would hold pseudo-time steps where nothing balances."""
    return system.frictionless if offers(system, Rubs) else nullcontext

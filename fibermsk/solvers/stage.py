"""One implicit stage, which is all that the time integrators solve."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from fibermsk import _check
from fibermsk.protocol import Evaluation, System
from fibermsk.solvers.newton import Newton, NewtonReport

__all__ = ["Method", "Stage", "State", "Step", "predict", "require_method", "solve_stage"]

Array = NDArray[np.float64]


class State(NamedTuple):
    """Where a system is: time [s], positions and velocities."""

    t: float
    y: Array
    v: Array


class Stage(NamedTuple):
    """A solved stage: positions, velocities, their rate, and how Newton's method went."""

    y: Array
    v: Array
    v_dot: Array
    report: NewtonReport


class Step(NamedTuple):
    """What a step of an integrator gives.

    Attributes
    ----------
    memory : NamedTuple
        The integrator's memory after the step; not to be used where a report has not converged.
    reports : tuple of NewtonReport
        One for each stage that was tried.
    evaluation : Evaluation or None
        At the new state, with the attachment forces; None if a stage failed.
    error, velocity_error : (n,) float array or None
        Estimates of the step's own error in y and v, the exact solution less the computed one;
        None if a stage failed.
    """

    memory: Any
    reports: tuple[NewtonReport, ...]
    evaluation: Evaluation | None
    error: Array | None = None
    velocity_error: Array | None = None


class Method(Protocol):
    """A time integrator: a value without state, whose memory goes in and comes out."""

    @property
    def name(self) -> str:
        """Name on the command line."""
        ...

    @property
    def order(self) -> int:
        """Order of convergence."""
        ...

    @property
    def error_order(self) -> int:
        """Power of the step with which the estimated errors of one step fall."""
        ...

    @property
    def most_growth(self) -> float:
        """Largest ratio of a step to the one before."""
        ...

    @property
    def one_step(self) -> bool:
        """Whether a step forgets the length of the one before; taken as False where left out."""
        ...

    def start(self, system: System, state: State) -> Any:
        """Memory at the start: a NamedTuple of arrays, numbers and such NamedTuples.

        It has the fields `state`, and `v_dot` with the rates of v there.
        """
        ...

    def step(self, system: System, newton: Newton, memory: Any, h: float) -> Step:
        """One step of length h [s]."""
        ...


def require_method(owner: str, method: Any) -> None:
    """Refuse what is no time integrator, or only the class of one."""
    try:
        found = all(hasattr(method, name) for name in ("name", "start", "step"))
    except Exception:  # an object that fails when it is asked
        found = False
    if not found or isinstance(method, type):
        _check.refuse(owner, "method", method, "be a method such as BDF2()")


def predict(system: System, newton: Newton, t: float, y: Array, increment: Array) -> Array:
    """Start of a Newton solve at time t: y plus an increment, as far as the contacts allow."""
    fraction = system.step_fraction(y, increment, newton.keep)
    return system.retract(t, y, fraction * increment)


def solve_stage(
    system: System,
    newton: Newton,
    t: float,
    start: Array,
    y_hat: Array,
    v_hat: Array,
    c: float,
    *,
    rates: bool = False,
    derive: bool = True,
) -> Stage:
    """Solve F(t, y, v, v') = 0 with v = (y - y_hat) / c and v' = (v - v_hat) / c.

    Parameters
    ----------
    system : System
        Dependent entries of y and v are its own to set.
    newton : Newton
        Nonlinear solver.
    t : float
        Time of the stage [s].
    start : (n,) float array
        Admissible positions to start from.
    y_hat, v_hat : (n,) float array
        What the method's earlier values contribute.
    c : float
        Implicit part of the step [s]; positive.
    rates : bool
        Dependent entries of v' are those that the independent ones and the time give, in place of
        the differences of v. Multistep formulas are exact enough in differences of v; the stages of
        one-step methods are not (the order of the attachment forces would fall to one, and with
        heavy ends that of the motion). Dependent entries of v always are what they give: at uneven
        steps, differences of differences of positions are no accelerations of any order.
    derive : bool
        Derive motions that are prescribed by positions alone. Otherwise the velocity of such an
        entry is the difference, like that of every other.

    Returns
    -------
    stage : Stage
        Its report holds the final evaluation.
    """
    rate = 1.0 / c

    def rates_at(y: Array) -> tuple[Array, Array]:
        v = system.enforce(y, rate * (y - y_hat), t, derive=derive)
        v_dot = rate * (v - v_hat)
        return v, system.enforce_rate(y, v, v_dot, t) if rates else v_dot

    def evaluate(y: Array, tangent: bool) -> Evaluation:
        return system.evaluate(t, y, *rates_at(y), rate, rate, rates=rates, tangent=tangent)

    y, report = newton.solve(system, t, start, evaluate)
    report.c = c
    return Stage(y, *rates_at(y), report)

"""Implicit stages of the time integrators."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from fibermsk._arrays import Array
from fibermsk.protocol import Evaluation, Projects, System, offers
from fibermsk.solvers.newton.newton import Newton, NewtonReport


class State(NamedTuple):
    """State of a system: time [s], positions and velocities."""

    t: float
    y: Array
    v: Array


class Stage(NamedTuple):
    """A solved stage: positions, velocities, their rates, and the report of Newton's method."""

    y: Array
    v: Array
    v_dot: Array
    report: NewtonReport


class Step(NamedTuple):
    """Result of a step of an integrator; evaluation and errors are None if a stage failed."""

    memory: Any  # the integrator's memory after the step; invalid if a report has not converged
    reports: tuple[NewtonReport, ...]  # one for each attempted stage
    evaluation: Evaluation | None  # at the new state, with the attachment forces
    # estimate (n,) of the local error in y, the exact solution less the computed one
    error: Array | None = None
    velocity_error: Array | None = None  # the same in v


class Method(Protocol):
    """A time integrator: an immutable object; its memory is passed in and returned."""

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
        """Order in the step of the estimated local errors."""
        ...

    @property
    def most_growth(self) -> float:
        """Largest ratio of a step to the one before."""
        ...

    @property
    def one_step(self) -> bool:
        """Whether a step is independent of the length of the one before; default False."""
        ...

    @property
    def nodes(self) -> tuple[float, ...]:
        """Times at which a step evaluates forces, from 0 to 1 of it; default its end, 1."""
        ...

    def start(self, system: System, state: State) -> Any:
        """Memory at the start: a NamedTuple of arrays, numbers and NamedTuples of these.

        It has the fields `state`, and `v_dot` with the rates of v there.
        """
        ...

    def step(self, system: System, newton: Newton, memory: Any, h: float) -> Step:
        """One step of length h [s]."""
        ...


def projected(system: Any, state: State) -> State:
    """The state, put where the constraints of a system hold, if it has any."""
    if not offers(system, Projects):
        return state
    y, v = system.project(*state)
    return state._replace(y=y, v=v)


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
    start : (n,) float array
        Admissible positions to start from.
    y_hat, v_hat : (n,) float array
        Contributions of the method's earlier values.
    c : float
        Implicit part of the step [s]; positive.
    rates : bool
        Whether dependent entries of v' follow from the independent ones and the time instead of
        differences of v. Differences of v are accurate in multistep formulas but not in the stages
        of one-step methods (the order of the attachment forces, and with heavy ends that of the
        motion, would drop to one). Dependent entries of v always follow from the independent ones:
        at uneven steps, second differences of positions are not consistent accelerations.
    derive : bool
        Whether to differentiate motions prescribed by positions alone. Otherwise the velocity of
        such an entry is a difference, as for all others.
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

"""A step once more, from the stages that were solved, as operations on forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from fibermsk._arrays import Array
from fibermsk.protocol import Differentiable, Evaluation
from fibermsk.solvers.adjoint.form import Form, Slots, Term, value_of
from fibermsk.solvers.adjoint.linearized import Linearized, Point
from fibermsk.solvers.adjoint.operations import (
    Accelerated,
    Began,
    Enforced,
    Operation,
    Projected,
    Retracted,
    Solved,
)
from fibermsk.solvers.adjoint.variation import Varied
from fibermsk.solvers.newton.newton import NewtonReport
from fibermsk.solvers.newton.stage import State, projected
from fibermsk.solvers.orders import first_order


class Replay:
    """A system and a Newton solver for `Method.step` and `Method.start` with forms.

    Stages have the solutions (n,) of the run, in order; `begun` are the velocities and rates that
    the method's start found. Nothing is solved, and no contact is checked.
    """

    def __init__(
        self, system: Differentiable, solutions: list[Array], begun: tuple[Array, Array] | None
    ) -> None:
        self._system, self._begun = system, begun
        self._solutions: Iterator[Array] = iter(solutions)
        self.operations: list[Operation] = []
        self.sizes: list[int] = []
        self._asked: tuple[Any, ...] = ()
        self._mask: Array | None = None
        self.tolerance = self.keep = 0.0

    @property
    def n(self) -> int:
        """Number of unknowns."""
        return self._system.n

    @property
    def states(self) -> Any:
        """Unknowns of first order."""
        return getattr(self._system, "states", ())

    def source(self, value: Array) -> Form:
        """A form that is a new source."""
        self.sizes.append(value.size)
        return Form(value, (Term(len(self.sizes) - 1, 1.0, None, None),))

    def slots(self) -> Slots:
        """Zero vectors of all sources."""
        return Slots(self.sizes)

    def pull(self, slots: Slots, varied: Varied) -> None:
        """Pass cotangents on to the first sources."""
        for one in reversed(self.operations):
            one.pull(slots, varied)

    def push(self, slots: Slots, varied: Varied) -> None:
        """Make the tangents of all sources from those of the first."""
        for one in self.operations:
            one.push(slots, varied)

    def step_fraction(self, y: Any, increment: Any, keep: float) -> float:
        """Whole updates: where a stage was started from does not matter."""
        return 1.0

    def retract(self, t: float, y: Any, increment: Any) -> Form:
        """Positions with dependent entries that follow."""
        new = self.source(self._system.retract(t, value_of(y), value_of(increment)))
        own = new.terms[0].source
        self.operations.append(Retracted(self._system, own, t, y, increment, new.value))
        return new

    def enforce(self, y: Any, v: Any, t: float | None = None, *, derive: bool = True) -> Form:
        """Velocities with dependent entries that follow."""
        new = self.source(self._system.enforce(value_of(y), value_of(v), t, derive=derive))
        own = new.terms[0].source
        self.operations.append(Enforced(self._system, own, t, derive, y, v, new.value))
        return new

    def enforce_rate(
        self, y: Any, v: Any, v_dot: Any, t: float | None = None, *, derive: bool = True
    ) -> Form:
        """Rates with dependent entries that follow."""
        y, v = value_of(y), value_of(v)
        rate = self._system.enforce_rate(y, v, value_of(v_dot), t, derive=derive)
        new = self.source(rate)
        own = new.terms[0].source
        self.operations.append(Accelerated(own, v_dot, self._independent(y, v)))
        return new

    def _independent(self, y: Any, v: Any) -> Callable[[], Array]:
        def mask() -> Array:
            if self._mask is None:  # the same for all states
                point = Point(0.0, value_of(y), value_of(v), None)
                self._mask = Linearized(self._system, point).independent
            return self._mask

        return mask

    def project(self, t: float, y: Any, v: Any) -> tuple[Any, Any]:
        """Positions and velocities, put where constraints of the system hold."""
        given = value_of(y), value_of(v)
        found = projected(self._system, State(t, *given))
        if found.y is given[0]:
            return y, v
        new = self.source(found.y), self.source(found.v)
        own = new[0].terms[0].source, new[1].terms[0].source
        self.operations.append(Projected(self._system, own, t, y, v, (found.y, found.v)))
        return new

    def evaluate(
        self, t: float, y: Any, v: Any, v_dot: Any, *slopes: float, rates: bool = False, **_: Any
    ) -> Evaluation:
        """Keep what was asked for; no step uses forces."""
        self._asked = t, v, v_dot, slopes, rates
        return Evaluation(np.zeros(0), None, 1.0, np.zeros((0, 3)))

    def solve(
        self,
        system: Any,
        t: float,
        y: Any,
        evaluate: Callable[[Any, bool], Evaluation],
    ) -> tuple[Form, NewtonReport]:
        """The next solution of the run; see `Newton.solve`."""
        known = next(self._solutions)
        new = self.source(known)
        evaluate(new, False)
        t, v, v_dot, (b, a), rates = self._asked
        derive = next(one.derive for one in reversed(self.operations) if isinstance(one, Enforced))
        point = Point(t, known, value_of(v), value_of(v_dot), rates, derive)
        own = new.terms[0].source
        self.operations.append(Solved(self._system, own, point, v, v_dot, b, a))
        return new, NewtonReport(converged=True)

    def known_start(self, state: State, derive: bool) -> tuple[State, Form]:
        """Consistent velocities and rates that the run found; see `initial.begin_from`."""
        assert self._begun is not None
        v, v_dot = map(self.source, self._begun)
        point = Point(state.t, value_of(state.y), v.value, v_dot.value, True, derive)
        own = v.terms[0].source, v_dot.terms[0].source
        states = first_order(self._system)
        self.operations.append(Began(self._system, own, point, state.y, state.v, states))
        return state._replace(v=v), v_dot

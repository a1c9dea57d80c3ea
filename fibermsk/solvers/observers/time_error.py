"""Estimate of the error that the time steps have left in the positions.

Each step adds its own error, which the methods estimate. What the steps before have left moves on
as small disturbances do: with the equations linearized at the new state. Symbols: c implicit part
of the last stage, h step, e and d errors (y, v), of the whole and of one step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.protocol import HasRateForces, Projects, System, Tolerance, offers
from fibermsk.solvers.newton.newton import NewtonReport
from fibermsk.solvers.newton.stage import State, Step
from fibermsk.solvers.vectors import largest

if TYPE_CHECKING:
    from fibermsk.solvers.observers.observer import Accepted


_ACCURACY = 1e-3
"""Relative, of the linear solutions."""

_SMALL = 1e-6
"""Error over the scales at which its projection is linear."""

_HOPELESS = 1e3
"""An estimate that is larger than this, over the unknowns' scales, is none."""

_FIBERS = Tolerance(1.0, angle=np.inf, state=np.inf)
_COORDINATES = Tolerance(1.0, length=np.inf, state=np.inf)
_STATES = Tolerance(1.0, length=np.inf, angle=np.inf)


class TimeError(NamedTuple):
    """Exact solution less the computed one, as estimated, and the largest that there has been."""

    y: Array  # of positions (n,)
    v: Array  # of velocities (n,)
    # largest of any coordinate so far [rad, m for sliders]; NaN if unknown
    coordinates: float = 0.0
    fibers: float = 0.0  # largest root mean square of a fiber's positions so far, over its length
    states: float = 0.0  # largest of any state of first order so far, over its scale

    @classmethod
    def none(cls, y: Array) -> TimeError:
        """No error, at a start y (n,)."""
        return cls(np.zeros_like(y), np.zeros_like(y))

    @classmethod
    def unknown(cls) -> TimeError:
        """An error that is not known, nor will be."""
        nothing = np.zeros(0)
        return cls(nothing, nothing, np.nan, np.nan, np.nan)

    @property
    def summary(self) -> dict[str, float | None]:
        """Largest errors by kind; None where they are not known."""
        kinds = "coordinates", "fibers", "states"
        known = {kind: getattr(self, kind) for kind in kinds}
        return {kind: float(value) if np.isfinite(value) else None for kind, value in known.items()}

    def after(self, system: System, step: Step, h: float) -> TimeError:
        """Error after one more step, of length h [s].

        Errors move on by the rational function of second order that takes two solves, with
        S = 1 / (1 - g z) and g = c / h, so that the last factors of the step serve:
        R = (1 + a + b) S^2 - (a + 2 b) S + b, a = (1 - 2 g) / g, b = (1/2 - 2 g + g^2) / g^2.
        That of the step itself goes through the second solve, which takes out what is stiff in it:
        e' = S ((1 + a + b) S e - (a + 2 b) e + d) + b e.
        """
        report, evaluation = step.reports[-1], step.evaluation
        known = np.isfinite(self.coordinates) and report.solve is not None
        if not known or step.error is None or step.velocity_error is None:
            return TimeError.unknown()
        assert evaluation is not None
        state, v_dot = step.memory.state, step.memory.v_dot
        dy, dv = _allowed(system, state, step.error, step.velocity_error)
        g = report.c / h
        a = (1.0 - 2.0 * g) / g
        b = (0.5 - 2.0 * g + g * g) / (g * g)
        try:
            at = state, v_dot, _forces(system, state, v_dot, evaluation.residual)
            y, v = _smooth(system, report, at, self.y, self.v)
            y = (1.0 + a + b) * y - (a + 2.0 * b) * self.y + dy
            v = (1.0 + a + b) * v - (a + 2.0 * b) * self.v + dv
            y, v = _smooth(system, report, at, y, v)
            y, v = _on_constraints(system, state, y + b * self.y, v + b * self.v)
        except (np.linalg.LinAlgError, ModelError):
            return TimeError.unknown()
        if not largest(y / system.scale) < _HOPELESS:
            return TimeError.unknown()
        return TimeError(
            y,
            v,
            max(self.coordinates, system.error_size(y, None, _COORDINATES)),
            max(self.fibers, system.error_size(y, None, _FIBERS)),
            max(self.states, system.error_size(y, None, _STATES)),
        )


class TimeErrorEstimator:
    """Observer that estimates what the steps leave; nothing, at no cost, if not `wanted`.

    Attributes
    ----------
    uses_factors : bool
        Whether steps must leave it the factors of their last tangent.
    """

    name = "error"

    def __init__(self, wanted: bool) -> None:
        self.uses_factors = self._wanted = wanted

    def start(self, now: Accepted) -> TimeError:
        """No error."""
        return TimeError.none(now.memory.state.y) if self._wanted else TimeError.unknown()

    def step(self, error: TimeError, now: Accepted) -> TimeError:
        """Error with that of one step more."""
        assert now.step is not None
        return error.after(now.system, now.step, now.h)

    def finish(self, error: TimeError, now: Accepted) -> dict[str, float | None]:
        """Largest errors by kind."""
        return error.summary


def _allowed(system: System, state: State, dy: Array, dv: Array) -> tuple[Array, Array]:
    """Errors (n,) as the attachments and prescribed motions allow them."""
    t, y, v = state
    rest = np.zeros_like(y)
    moved = system.retract(t, y, dy) - system.retract(t, y, rest)
    return moved, system.enforce(y, v + dv, t) - system.enforce(y, v, t)


def _on_constraints(system: System, state: State, y: Array, v: Array) -> tuple[Array, Array]:
    """Errors y, v (n,) without what the projection of a step takes away.

    Raises
    ------
    ModelError
        If the projection fails.
    """
    size = largest(y / system.scale) + largest(v / system.scale)
    if not offers(system, Projects) or not 0.0 < size < _HOPELESS:
        return y, v
    part = _SMALL / size
    trial = state.y + part * y
    projected, rates = system.project(state.t, trial, state.v + part * v)
    if projected is trial:  # no constraints
        return y, v
    return (projected - state.y) / part, (rates - state.v) / part


def _forces(system: System, state: State, v_dot: Array, residual: Array | None = None) -> Array:
    """Residual (n,) up to forces that do not change with the rates, or all of it where known."""
    found = system.rate_forces(*state, v_dot) if offers(system, HasRateForces) else None
    if found is not None:
        return found
    if residual is not None:
        return residual
    return system.evaluate(*state, v_dot, tangent=False).residual


def _smooth(
    system: System, report: NewtonReport, at: tuple[State, Array, Array], y: Array, v: Array
) -> tuple[Array, Array]:
    """(1 - c L)^-1 of errors y, v (n,), where L is the rate of errors at a state.

    Of that state: itself, the rates of its velocities, and the `_forces` there.
    """
    assert report.solve is not None
    state, v_dot, residual = at
    c, slow = report.c, -y / report.c
    found = _forces(system, state._replace(v=state.v + slow), v_dot + (slow - v) / c)
    x = system.enforce(state.y, report.solve(residual - found, _ACCURACY).x)
    return x, (x - y) / c

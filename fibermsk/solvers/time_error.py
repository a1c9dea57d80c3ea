"""Estimate of the error that the time steps have left in the positions.

Each step adds its own error, which the methods estimate. What the steps before have left moves on
as small disturbances do: with the equations linearized at the new state. Symbols: c implicit part
of the last stage, h step, e and d errors (y, v), of the whole and of one step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk.protocol import System, Tolerance
from fibermsk.solvers.newton import NewtonReport
from fibermsk.solvers.stage import State, Step
from fibermsk.solvers.vectors import largest

__all__ = ["TimeError"]

Array = NDArray[np.float64]

_ACCURACY = 1e-3
"""Relative, of the linear solutions."""

_HOPELESS = 1e3
"""An estimate that is larger than this, over the unknowns' scales, is none."""

_FIBERS, _COORDINATES = Tolerance(1.0, angle=np.inf), Tolerance(1.0, length=np.inf)


class TimeError(NamedTuple):
    """Exact solution less the computed one, as estimated, and the largest that there has been.

    Attributes
    ----------
    y, v : (n,) float array
        Of positions and velocities.
    coordinates : float
        Largest of any coordinate so far [rad, m for sliders]; NaN if unknown.
    fibers : float
        Largest of any fiber so far, the root mean square of its positions over its length [-].
    """

    y: Array
    v: Array
    coordinates: float = 0.0
    fibers: float = 0.0

    @classmethod
    def none(cls, y: Array) -> TimeError:
        """No error, at a start y (n,)."""
        return cls(np.zeros_like(y), np.zeros_like(y))

    @classmethod
    def unknown(cls) -> TimeError:
        """An error that is not known, nor will be."""
        nothing = np.zeros(0)
        return cls(nothing, nothing, np.nan, np.nan)

    @property
    def summary(self) -> dict[str, float | None]:
        """Largest errors by kind; None where they are not known."""
        known = {"coordinates": self.coordinates, "fibers": self.fibers}
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
        at = state, v_dot, evaluation.residual
        try:
            y, v = _smooth(system, report, at, self.y, self.v)
            y = (1.0 + a + b) * y - (a + 2.0 * b) * self.y + dy
            v = (1.0 + a + b) * v - (a + 2.0 * b) * self.v + dv
            y, v = _smooth(system, report, at, y, v)
            y, v = y + b * self.y, v + b * self.v
        except np.linalg.LinAlgError:
            return TimeError.unknown()
        if not largest(y / system.scale) < _HOPELESS:
            return TimeError.unknown()
        return TimeError(
            y,
            v,
            max(self.coordinates, system.error_size(y, None, _COORDINATES)),
            max(self.fibers, system.error_size(y, None, _FIBERS)),
        )


def _allowed(system: System, state: State, dy: Array, dv: Array) -> tuple[Array, Array]:
    """Errors (n,) as the attachments and prescribed motions allow them."""
    t, y, v = state
    rest = np.zeros_like(y)
    moved = system.retract(t, y, dy) - system.retract(t, y, rest)
    return moved, system.enforce(y, v + dv, t) - system.enforce(y, v, t)


def _smooth(
    system: System, report: NewtonReport, at: tuple[State, Array, Array], y: Array, v: Array
) -> tuple[Array, Array]:
    """(1 - c L)^-1 of errors y, v (n,), where L is the rate of errors at a state.

    Of that state: itself, the rates of its velocities, and the residual there.
    """
    assert report.solve is not None
    state, v_dot, residual = at
    c, slow = report.c, -y / report.c
    found = system.evaluate(state.t, state.y, state.v + slow, v_dot + (slow - v) / c, tangent=False)
    x = system.enforce(state.y, report.solve(residual - found.residual, _ACCURACY).x)
    return x, (x - y) / c

"""A parameter as a pair of systems with a larger and a smaller value."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from fibermsk._arrays import Array
from fibermsk.protocol import Differentiable
from fibermsk.solvers.adjoint.linearized import Point


class Variation(NamedTuple):
    """One parameter: the systems at its value plus and minus a step.

    Derivatives in the parameter are central differences of single evaluations at given unknowns,
    exact to rounding where these depend on it up to the second power.
    """

    ahead: Differentiable
    behind: Differentiable
    step: float

    def residual(self, point: Point) -> Array:
        """Derivative of F at given independent unknowns."""

        def one(system: Differentiable) -> Array:
            t, y, v, v_dot, rates, derive = point
            y = system.retract(t, y, 0.0 * y)
            v = system.enforce(y, v, t, derive=derive)
            if rates:
                v_dot = system.enforce_rate(y, v, v_dot, t)
            return system.evaluate(t, y, v, v_dot, rates=rates, tangent=False).residual

        return self.of(one)

    def of(self, function: Callable[[Differentiable], Array]) -> Array:
        """Derivative of a vector that a system gives."""
        return (function(self.ahead) - function(self.behind)) / (2.0 * self.step)

"""A parameter as a few systems with neighboring values of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from fibermsk._arrays import Array
from fibermsk.protocol import Differentiable
from fibermsk.solvers.adjoint.linearized import Point


class Variation(NamedTuple):
    """One parameter: systems at values around its own, with weights of a difference [1/unit].

    The derivatives are those of single evaluations at given unknowns, not of runs: with steps of
    1e-5 they are exact to about ten digits.
    """

    systems: tuple[Differentiable, ...]
    weights: tuple[float, ...]

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
        total = self.weights[0] * function(self.systems[0])
        for system, weight in zip(self.systems[1:], self.weights[1:], strict=True):
            total += weight * function(system)
        return total

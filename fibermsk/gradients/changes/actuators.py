"""Forces of actuators in time: one difference of the equations serves all numbers of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from fibermsk._arrays import Array
from fibermsk.forces import CoordinateActuator
from fibermsk.model import (
    Linear,
    Model,
    NaturalSpline,
    PiecewiseConstant,
    PiecewiseLinear,
    Polynomial,
    SimmSpline,
    Sine,
    SmoothStep,
)
from fibermsk.model.in_time import InTime
from fibermsk.parameters import with_parameters
from fibermsk.solvers.adjoint.linearized import Linearized
from fibermsk.solvers.adjoint.variation import ForcesOnly, Variation, residual_at
from fibermsk.system import FiberSystem

Weight = Callable[[float], float]

_THROUGH_POINTS = NaturalSpline, SimmSpline, PiecewiseLinear, PiecewiseConstant


class Number(NamedTuple):
    """A number of an actuator's force: the derivative of the force in it, at a time [s]."""

    number: int
    weight: Weight


def actuator_of(model: Model, path: str) -> CoordinateActuator | None:
    """Actuator to whose force a number belongs, if it is known how to raise that by a constant."""
    name, _, rest = path.partition("/")
    found = next((one for one in model.elements if one.name == name), None)
    if not isinstance(found, CoordinateActuator) or rest.split("/")[0] != "force":
        return None
    return found if _raised(found, 0.0) else None


def _raised(actuator: CoordinateActuator, by: float) -> dict[str, Any]:
    """Values by path with which the force is larger at all times; empty if unknown."""
    force, path = cast(Any, actuator.force), f"{actuator.name}/force"
    if isinstance(force, float):
        return {path: force + by}
    if isinstance(force, Linear):
        return {f"{path}/intercept": force.intercept + by}
    if isinstance(force, Sine):
        return {f"{path}/offset": force.offset + by}
    if isinstance(force, SmoothStep):
        return {f"{path}/before": force.before + by, f"{path}/after": force.after + by}
    if isinstance(force, Polynomial):
        coefficients = np.array(force.coefficients, float)
        coefficients[0] += by
        return {f"{path}/coefficients": coefficients}
    return {f"{path}/y": np.asarray(force.y) + by} if type(force) in _THROUGH_POINTS else {}


def weight_of(
    model: Model, name: str, changed: Sequence[Mapping[str, Any]], weights: Sequence[float]
) -> Weight:
    """Derivative of an actuator's force, from values that change it and weights of a difference."""
    changes = [cast(Any, with_parameters(model, one).element(name)) for one in changed]
    forces = [InTime(one.force) for one in changes]

    def weight(t: float) -> float:
        return sum(part * force(t) for part, force in zip(weights, forces, strict=True))

    return weight


class Actuated(ForcesOnly):
    """Numbers of the force of one actuator.

    Parameters
    ----------
    system : FiberSystem
        The system.
    actuator : CoordinateActuator
        Its actuator.
    numbers : sequence of Number
        The numbers.
    """

    def __init__(
        self, system: FiberSystem, actuator: CoordinateActuator, numbers: Sequence[Number]
    ) -> None:
        systems = tuple(system.with_parameters(_raised(actuator, by)) for by in (1.0, -1.0))
        self._unit = Variation(0, systems, (0.5, -0.5))
        self._numbers = np.array([one.number for one in numbers])
        self._of = [one.weight for one in numbers]

    def _slope(self, at: Linearized) -> Array:
        return self._unit.of(lambda system: residual_at(system, at))

    def _weights(self, t: float) -> Array:
        return np.array([weight(t) for weight in self._of])

    def pull_forces(self, at: Linearized, x: Array, gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        weights = self._weights(at.point.t)
        if weights.any():
            gradient[self._numbers] += weights * (x @ self._slope(at))

    def push_forces(self, at: Linearized, direction: Array) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        along = float(self._weights(at.point.t) @ direction[self._numbers])
        return along * self._slope(at) if along else 0.0

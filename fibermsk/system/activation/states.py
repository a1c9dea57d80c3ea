"""States of activation, each shared by the fibers of one signal, with their rows.

Symbols: ``a`` activation and ``e`` excitation. The row is a_dot - r(e, a) = 0 with the rate r of a
law of `fibermsk.laws.activation`. The forces of the fibers on a are those of
`fibermsk.system.fibers.forces`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array, Index
from fibermsk.errors import ModelError
from fibermsk.laws.derivatives import activation_rate
from fibermsk.laws.own import law_digest
from fibermsk.model import ActivationDynamics, Model, Reflex
from fibermsk.system.activation.past import Past
from fibermsk.system.activation.sensors import Sensor, sensor
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Signal, Sums
from fibermsk.system.recorder import View
from fibermsk.system.states import States

STATE = "active_state"
"""Name of the state of each owner in results; its fibers have it as their activation."""


class ActivationStates:
    """Contribution of all activations that are states.

    Attributes
    ----------
    state_of : (n_fibers,) int array
        Number of each fiber's state among all states; -1 for an activation that is none.
    """

    def __init__(self, model: Model, configuration: Configuration) -> None:
        self.state_of: Index = np.full(len(model.fibers), -1, np.int64)
        shared: dict[Any, _Group] = {}
        for f, fiber in enumerate(model.fibers):
            dynamics = fiber.activation
            if not isinstance(dynamics, ActivationDynamics):
                continue
            key = dynamics.key
            if key not in shared:
                shared[key] = _Group(dynamics, fiber.name, configuration)
            self.state_of[f] = shared[key].state
        self.groups = tuple(shared.values())
        self._reflexes = [one for one in self.groups if one.past is not None]

    def add(self, at: At, sums: Sums) -> None:
        """Add the rows."""
        for one in self.groups:
            (activation,), (speed,) = one.port.at(at)
            rate, slope = one.rate(at.t, float(activation))
            one.port.add(sums, [speed - rate], [[-slope]], [[1.0]])

    def inputs(self) -> Iterator[Signal]:
        """Excitations, and those of reflexes without feedback."""
        for one in self.groups:
            dynamics = one.dynamics
            yield Signal(
                f"fiber {one.fiber!r}", "excitation", dynamics.signal,
                lambda t, dynamics=dynamics: np.array(dynamics.excitation_at(t)),
            )  # fmt: skip

    @property
    def delays(self) -> dict[str, float]:
        """Delay of each reflex [s], by its name in messages."""
        return {one.label: one.past.delay for one in self._reflexes if one.past is not None}

    def record(self, at: At, view: View) -> None:
        """Record an accepted state."""
        for one in self._reflexes:
            assert one.sensor is not None and one.past is not None
            one.past = one.past.after(at.t, *one.sensor(at, view))

    def hold(self, at: At, view: View, values: Array | None = None) -> Array:
        """Start a new past at a state, or at given values; return what is measured there."""
        found = np.zeros(len(self._reflexes))
        for k, one in enumerate(self._reflexes):
            assert one.sensor is not None and one.past is not None
            found[k], rate = one.sensor(at, view)
            value = found[k] if values is None else values[k]
            one.past = Past.held(one.past.delay, at.t, value, 0.0 if rate is None else rate)
        return found

    def confirm(self, at: At, view: View) -> None:
        """Refuse a past whose last record is not what is measured at its state."""
        for one in self._reflexes:
            assert one.sensor is not None and one.past is not None
            (found, _), recorded = one.sensor(at, view), float(one.past.values[-1])
            if found != recorded:
                must = f"be {recorded}, as in the run that wrote the checkpoint"
                remedy = "measure with the same function, or run from the start"
                field = f"measured value at t = {at.t:.6g} s"
                _check.refuse(one.label, field, found, must, remedy=remedy)

    def memory(self) -> dict[str, Array]:
        """The recorded past of all reflexes."""
        return {
            f"{k}.{name}": array
            for k, one in enumerate(self._reflexes)
            if one.past is not None
            for name, array in one.past.arrays.items()
        }

    def restore(self, memory: dict[str, Array]) -> None:
        """Return to a recorded past."""
        for k, one in enumerate(self._reflexes):
            assert one.past is not None
            names = "start", "times", "values", "rates"
            one.past = one.past.restored({name: memory[f"{k}.{name}"] for name in names})

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Laws, reflexes and excitations."""
        found: list[Any] = [self.state_of]
        for one in self.groups:
            law, dynamics = one.dynamics.law, one.dynamics
            found += [law_digest(type(law), ("rate",)), repr(law)]
            found.append([dynamics.excitation_at(float(t)) for t in times])
            if isinstance(reflex := dynamics.excitation, Reflex):
                found += [reflex.measured, [reflex.gain, reflex.rate_gain]]
                found.append([reflex.threshold, reflex.delay])
        return {"the activation dynamics": found}


class _Group:
    """Fibers that share a state: its port, its law, and the past that a reflex needs."""

    def __init__(
        self, dynamics: ActivationDynamics, fiber: str, configuration: Configuration
    ) -> None:
        self.dynamics, self.fiber = dynamics, fiber
        self.state = configuration.states.n
        owner = dynamics.name or fiber
        self.port: States = configuration.states.new(
            owner, [STATE], ["1"], scale=[1.0], start=[dynamics.start]
        )
        self.sensor: Sensor | None = None
        self.past: Past | None = None
        self.label = f"the reflex of fiber {fiber!r}"
        if isinstance(dynamics.excitation, Reflex):
            reflex = dynamics.excitation
            self.sensor = sensor(f"fiber {fiber!r}", reflex, configuration)
            self.past = Past.held(reflex.delay, 0.0, np.nan)

    @property
    def reflex(self) -> Reflex:
        """The excitation, which is a reflex."""
        assert isinstance(self.dynamics.excitation, Reflex)
        return self.dynamics.excitation

    def rate(self, t: float, activation: float) -> tuple[float, float]:
        """Rate of the activation at a time [s], and its derivative in the activation [1/s]."""
        return activation_rate(self.dynamics.law, self.excitation(t), activation)

    def excitation(self, t: float) -> float:
        """Excitation at a time [s]."""
        if self.past is None:
            return self.dynamics.excitation_at(t)
        try:
            return self.reflex.excitation(t, *self.past.at(t))
        except ModelError as error:
            raise ModelError(f"{self.label}: {error}") from error

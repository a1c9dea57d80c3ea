"""States of activation, each shared by the muscles of one signal, with their rows.

Symbols: ``a`` activation and ``e`` excitation. The row is a_dot - r(e, a) = 0 with the rate r of a
law of `fibermsk.laws.activation`. The forces of muscles on a are theirs; see
`fibermsk.system.fibers.forces` and `fibermsk.system.lines.muscles`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array, Index
from fibermsk.errors import ModelError
from fibermsk.laws.derivatives import activation_rate
from fibermsk.laws.own import law_digest
from fibermsk.model import ActivationDynamics, Fiber, LineMuscle, Model, Reflex
from fibermsk.system.activation.past import Past
from fibermsk.system.activation.sensors import Sensor, sensor
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Signal, Sums
from fibermsk.system.recorder import View
from fibermsk.system.states import States

STATE = "active_state"
"""Name of the state of each owner in results; its muscles have it as their activation."""


class ActivationStates:
    """Contribution of all activations that are states.

    Attributes
    ----------
    state_of : (n_fibers,) int array
        Number of each fiber's state among all states; -1 for an activation that is none.
    state_of_muscle : (n_muscles,) int array
        The same of each line muscle with a force.
    shift : float
        Added to all excitations, for derivatives.
    """

    acts_inside = True

    def __init__(self, model: Model, configuration: Configuration) -> None:
        self.shift = 0.0
        shared: dict[Any, _Group] = {}

        def numbered(muscles: Sequence[Fiber | LineMuscle], kind: str) -> Index:
            states = np.full(len(muscles), -1, np.int64)
            for k, muscle in enumerate(muscles):
                dynamics = muscle.activation
                if isinstance(dynamics, ActivationDynamics):
                    if (key := dynamics.key) not in shared:
                        owner = f"{kind} {muscle.name!r}"
                        shared[key] = _Group(dynamics, muscle.name, owner, configuration)
                    states[k] = shared[key].state
            return states

        self.state_of = numbered(model.fibers, "fiber")
        self.state_of_muscle = numbered(model.acting_muscles, "line muscle")
        self.groups = tuple(shared.values())
        self._reflexes = [one for one in self.groups if one.past is not None]

    def add(self, at: At, sums: Sums) -> None:
        """Add the rows."""
        for one in self.groups:
            (activation,), (speed,) = one.port.at(at)
            rate, slope = one.rate(at.t, float(activation), self.shift)
            one.port.add(sums, [speed - rate], [[-slope]], [[1.0]])

    def inputs(self) -> Iterator[Signal]:
        """Excitations, and those of reflexes without feedback."""
        for one in self.groups:
            dynamics = one.dynamics
            yield Signal(
                one.owner, "excitation", dynamics.signal,
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
        found: list[Any] = [self.state_of, self.state_of_muscle]
        for one in self.groups:
            law, dynamics = one.dynamics.law, one.dynamics
            found += [law_digest(type(law), ("rate",)), repr(law)]
            found.append([dynamics.excitation_at(float(t)) for t in times])
            if isinstance(reflex := dynamics.excitation, Reflex):
                found += [reflex.measured, [reflex.gain, reflex.rate_gain]]
                found.append([reflex.threshold, reflex.delay])
        return {"the activation dynamics": found}


class _Group:
    """Muscles that share a state: its port, its law, and the past that a reflex needs."""

    def __init__(
        self, dynamics: ActivationDynamics, name: str, owner: str, configuration: Configuration
    ) -> None:
        self.dynamics, self.owner = dynamics, owner
        self.state = configuration.states.n
        self.port: States = configuration.states.new(
            dynamics.name or name, [STATE], ["1"], scale=[1.0], start=[dynamics.start]
        )
        self.sensor: Sensor | None = None
        self.past: Past | None = None
        self.label = f"the reflex of {owner}"
        if isinstance(dynamics.excitation, Reflex):
            reflex = dynamics.excitation
            self.sensor = sensor(owner, reflex, configuration)
            self.past = Past.held(reflex.delay, 0.0, np.nan)

    @property
    def reflex(self) -> Reflex:
        """The excitation, which is a reflex."""
        assert isinstance(self.dynamics.excitation, Reflex)
        return self.dynamics.excitation

    def rate(self, t: float, activation: float, shift: float) -> tuple[float, float]:
        """Rate of the activation at a time [s], and its derivative in the activation [1/s].

        A shift of the excitation changes it by its derivative: a law may have a corner at rest.
        """
        rate, by_e, by_a = activation_rate(self.dynamics.law, self.excitation(t), activation)
        return (rate + by_e * shift if shift else rate), by_a

    def excitation(self, t: float) -> float:
        """Excitation at a time [s]."""
        if self.past is None:
            return self.dynamics.excitation_at(t)
        try:
            return self.reflex.excitation(t, *self.past.at(t))
        except ModelError as error:
            raise ModelError(f"{self.label}: {error}") from error

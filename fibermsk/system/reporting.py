"""What results and messages ask of a system: fields, forces through cuts, energy, suspects."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from fibermsk._arrays import Array
from fibermsk._shown import Summarized, Summary, count, names
from fibermsk._warn import warn
from fibermsk.errors import ModelWarning
from fibermsk.guard import Guard, guarded
from fibermsk.model import Model
from fibermsk.protocol import Frames
from fibermsk.results import Result
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import Contribution
from fibermsk.system.fibers import softening as soft
from fibermsk.system.fibers.cables import per_fiber
from fibermsk.system.fibers.loads import Loads
from fibermsk.system.fibers.tension import TensionProbe
from fibermsk.system.optional import HasSuspects
from fibermsk.system.reports.cut_force import CutForces
from fibermsk.system.reports.energy import Energy, energy
from fibermsk.system.reports.observe import Observation
from fibermsk.system.reports.remarks import Remarks


class Reporting(Summarized):
    """Part of a `FiberSystem` that looks at states and never changes the equations."""

    model: Model
    guard: Guard
    configuration: Configuration
    contributions: tuple[Contribution, ...]
    named_elements: dict[str, Contribution]
    tension: TensionProbe
    loads: Loads

    def _summary(self) -> Summary:
        own, cables = self.configuration, self.configuration.cables
        title = f"System of model {self.model.name!r}: {count(own.n, 'unknown')}"
        coordinates = self.configuration.skeleton.coordinates
        n_states = sum(block.start.size for block in own.states.blocks)
        rows = [
            ("fibers", f"{names(cables.names)}"),
            ("elements", count(len(cables.elements), "element") + " of fibers"),
            ("coordinates", names(coordinates)),
            ("states", str(n_states) if n_states else "none"),
            ("muscles", names(one.name for one in self.model.acting_muscles)),
            ("forces", names(self.named_elements)),
        ]
        rows = [(name, words) for name, words in rows if words not in ("none", "")]
        return Summary(title, rows)

    @guarded
    def observe(self, frames: Frames) -> Result:
        """Result of a run; see `fibermsk.protocol.System`."""
        whole = self.observation()
        result = whole.part(frames)
        for one in whole.remarks():
            warn(one)
        return result

    @guarded
    def observation(self) -> PartsObserved:
        """Results of a run part by part; see `fibermsk.protocol.ObservesParts`."""
        self.configuration.contact.release()  # the reports use contact points of their own
        self.configuration.forget()
        return PartsObserved(self)

    @cached_property
    def _cuts(self) -> CutForces:
        """Forces through cuts; made for the first frame."""
        return CutForces(self.model, self.configuration, self.configuration.contact)

    @guarded
    def cuts(self, t: float, y: Array, v: Array, reactions: Array) -> Array:
        """Forces through cuts of the fibers; see `fibermsk.protocol.HasCuts`."""
        at, own = self.configuration.kinematics(t, y, v), self.configuration
        own.look_at(y)
        return self._cuts.packed(
            at, self._activations(t, y)[self.configuration.cables.fiber], reactions
        )

    def softening(self, t: float, y: Array) -> ModelWarning | None:
        """Warning of fibers that soften; see `fibermsk.protocol.Softens`."""
        (nodes, _), activation = self.configuration.split(y), self._activations(t, y)
        return soft.remark_at(
            self.model, self.configuration.cables, t, self.tension.stretch(nodes), activation
        )

    @guarded
    def energy(self, y: Array, v: Array) -> Energy:
        """Energies of a state; active stress and half-pass contact have none."""
        at, _ = self.configuration.at(np.nan, y, v)
        self.configuration.forget()
        return energy(self.contributions, at)

    @guarded
    def least_tension(self, t: float, y: Array, v: Array) -> tuple[Array, Array]:
        """Least axial force of each fiber [N], and its theta."""
        (nodes, _), (velocity, _) = self.configuration.split(y), self.configuration.split(v)
        points = self.configuration.states_of(y)[self.configuration.states.n_free :]
        return self.tension.least(nodes, velocity, self._activations(t, y), points)

    @guarded
    def tissue_forces(self, t: float, y: Array, v: Array) -> Array:
        """Mean along each fiber of the axial force that its tissue carries, (n_fibers,) [N]."""
        cables = self.configuration.cables
        (nodes, _), (velocity, _) = self.configuration.split(y), self.configuration.split(v)
        points = self.configuration.states_of(y)[self.configuration.states.n_free :]
        force = self.tension.forces(nodes, velocity, self._activations(t, y), points)
        total, whole = (
            per_fiber(np.add, one.sum(axis=1), cables.element_start)
            for one in (cables.weight * force, cables.weight)
        )
        mean: Array = total / whole
        return mean

    def _activations(self, t: float, y: Array) -> Array:
        """Activation of each fiber, (n_fibers,)."""
        return self.loads.activations(t, self.configuration.states_of(y))

    @guarded
    def suspects(self, t: float, y: Array, v: Array) -> list[str]:
        """Likely causes of a failed step from this state."""
        at, _ = self.configuration.at(t, y, v)
        self.configuration.forget()
        asked = [one for one in self.contributions if isinstance(one, HasSuspects)]
        return [text for one in asked for text in one.suspects(at)]


class PartsObserved:
    """Results of consecutive parts of a run; see `fibermsk.protocol.PartObserver`."""

    def __init__(self, system: Reporting) -> None:
        self._system, self.guard = system, system.guard
        own, model = system.configuration, system.model
        self._observation = Observation(model, own, system.contributions, system.named_elements)
        self._remarks = Remarks(model, own.cables)

    @guarded
    def part(self, frames: Frames) -> Result:
        """Result of the next frames, with the intervals of softening up to there."""
        activations = np.zeros((frames.t.size, len(self._system.configuration.cables.names)))
        if activations.size:
            for now, t, y in zip(activations, frames.t, frames.y, strict=True):
                now[:] = self._system._activations(float(t), y)
        result = self._observation.part(activations, frames)
        self._remarks.add(result)
        return replace(result, softening=self._remarks.softening)

    def remarks(self) -> list[ModelWarning]:
        """Warnings about all frames so far."""
        return [*self._remarks.warnings(), *self._observation.remarks()]

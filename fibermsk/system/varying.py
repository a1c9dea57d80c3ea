"""What derivatives of runs ask of a system."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk._check import first_names
from fibermsk.protocol import Followers, ProjectionSlopes
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import Contribution
from fibermsk.system.lines.hill import LawsAt
from fibermsk.system.lines.touching import Touching
from fibermsk.system.multipliers import Multipliers
from fibermsk.system.optional import FollowsMemory, HasMemory, Pulls
from fibermsk.system.projection import Projection
from fibermsk.system.recorder import Recorder


class Varying:
    """Part of a `FiberSystem` whose runs are differentiated."""

    configuration: Configuration
    contributions: tuple[Contribution, ...]
    multipliers: Multipliers
    _projection: Projection
    _recorder: Recorder
    _remembering: list[HasMemory]
    _touching: list[Touching]

    def follow(self, other: Any) -> None:
        """Take over a memory; see `fibermsk.protocol.Differentiable`."""
        for own, one in zip(self._remembering, other._remembering, strict=True):
            if isinstance(own, FollowsMemory):
                own.follow(one)
            else:
                own.restore(one.memory())
        self.forget()

    def followers(self, y: Array, v: Array) -> Followers:
        """How dependent entries follow; see `fibermsk.protocol.Differentiable`."""
        own = self.configuration
        found = own.followers(y, v)
        if not self.multipliers.any:
            return found
        at = own.kinematics(0.0, y, v)
        held, shares = self.multipliers.shares(at)
        return found._replace(held=at.nodes.size + held, shares=shares)

    def keep_held(self, held: NDArray[np.int64]) -> None:
        """Which equations constraints replace; see `fibermsk.protocol.Differentiable`."""
        self.multipliers.keep(held - 6 * self.configuration.cables.n_nodes)

    def laws_at(self, t: float, y: Array, v: Array, v_dot: Array) -> LawsAt | None:
        """Laws of line muscles at a state; see `fibermsk.protocol.Differentiable`."""
        own = self.line_muscles
        return None if own is None else own.laws_at(self.configuration.kinematics(t, y, v, v_dot))

    def beside(self, laws: LawsAt | None) -> AbstractContextManager[None]:
        """Forces of first order; see `fibermsk.protocol.Differentiable`."""
        own = self.line_muscles
        return nullcontext() if own is None or laws is None else own.beside(laws)

    @cached_property
    def line_muscles(self) -> Pulls | None:
        """Contribution of the line muscles that have a law."""
        return next((one for one in self.contributions if isinstance(one, Pulls)), None)

    def projection_slopes(self, t: float, y: Array, v: Array) -> ProjectionSlopes:
        """Derivatives of `project`; see `fibermsk.protocol.Differentiable`."""
        return self._projection.slopes(t, y, v)

    def not_differentiable(self) -> str:
        """Why runs have no derivative; see `fibermsk.protocol.Differentiable`."""
        if self._recorder.delays:
            return (
                f"forces that depend on the past, of {first_names(list(self._recorder.delays), 3)}"
            )
        return "muscles with mass whose path switches" if self._touching else ""

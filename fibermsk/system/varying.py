"""What derivatives of runs ask of a system."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk.protocol import Followers, ProjectionSlopes
from fibermsk.system.configuration import Configuration
from fibermsk.system.lines.touching import Touching
from fibermsk.system.multipliers import Multipliers
from fibermsk.system.projection import Projection
from fibermsk.system.recorder import Recorder


class Varying:
    """Part of a `FiberSystem` whose runs are differentiated."""

    configuration: Configuration
    multipliers: Multipliers
    _projection: Projection
    _recorder: Recorder
    _touching: list[Touching]

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

    def projection_slopes(self, t: float, y: Array, v: Array) -> ProjectionSlopes:
        """Derivatives of `project`; see `fibermsk.protocol.Differentiable`."""
        return self._projection.slopes(t, y, v)

    def not_differentiable(self) -> str:
        """Why runs have no derivative; see `fibermsk.protocol.Differentiable`."""
        if self._recorder.delays:
            return "forces that depend on the past"
        return "muscles with mass whose path switches" if self._touching else ""

"""Constraints of a model in inverse kinematics: exactly met at every frame."""

from __future__ import annotations

import warnings

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk.analysis.frame import HOLDING
from fibermsk.errors import ModelError
from fibermsk.model import Model
from fibermsk.system.optional import ChecksStart
from fibermsk.system.redundancy import close
from fibermsk.system.skeleton.skeleton import Skeleton
from fibermsk.system.system import FiberSystem


class HeldPoses:
    """Poses at which the constraints of a model hold, and the motions that keep them.

    Parameters
    ----------
    model : Model
        A model with its couplings eliminated.
    skeleton : Skeleton
        Its bodies: the state has the same entries.
    lower, upper : (n,) float array
        Bounds of the state.
    """

    def __init__(self, model: Model, skeleton: Skeleton, lower: Array, upper: Array) -> None:
        self.names = tuple(one.name for one in model.elements if isinstance(one, HOLDING))
        self._n, self._lower, self._upper = skeleton.n, lower, upper
        if not self.names:
            return
        plain = Model(model.name, model.gravity, ground=model.ground)
        plain.add(*model.bodies[1:], *model.joints, *model.couplings)
        plain.add(*(one for one in model.elements if isinstance(one, HOLDING)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # masses and redundant rows do not matter here
            system = FiberSystem(plain)
        assert system.skeleton.independent == skeleton.independent
        self._at = system.multipliers.at_rest(system.configuration)
        self._checks = [one for one in system.multipliers.holding if isinstance(one, ChecksStart)]

    def G(self, q: Array) -> Array:
        """Derivatives (m, n) of the constraints; of none without any."""
        return self._at(q)[1].G if self.names else np.zeros((0, self._n))

    def opening(self, q: Array) -> float:
        """Largest violation of a constraint [m, or - of directions]."""
        return float(np.abs(self._at(q)[1].g).max()) if self.names else 0.0

    def nearest(self, q: Array) -> Array | None:
        """A state near a given one that is within the bounds and holds; None if there is none.

        Entries at bounds stay there; the others change as little as they can in first order.
        """
        q = np.clip(q, self._lower, self._upper)
        if not self.names:
            return q
        free = np.flatnonzero((q > self._lower) & (q < self._upper))
        for _ in range(q.size + 1):
            found = close(lambda x: self._at(x)[1], q, free)
            if found is None:
                # entries at bounds may leave them where the others do not suffice
                free, all_free = np.flatnonzero(self._lower < self._upper), free
                if all_free.size == free.size:
                    return None
                continue
            beyond = (found < self._lower) | (found > self._upper)
            if not beyond.any():
                return found
            q = np.clip(found, self._lower, self._upper)
            free = _without(free, np.flatnonzero(beyond))
        return None

    def start(self, q: Array) -> Array:
        """The state nearest to a start that holds.

        Raises
        ------
        ModelError
            If none is found nearby, or frames that are held to each other are turned by half.
        """
        found = self.nearest(q)
        if found is None:
            names = ", ".join(self.names[:5])
            raise ModelError(
                f"inverse kinematics: the constraints {names} are not met near the initial values "
                f"within the bounds: {self.opening(q):.3g} m remain there; start from coordinates "
                "that close the mechanism, or give bounds=False"
            )
        if self.names:
            at, _ = self._at(found)
            for one in self._checks:
                one.check_start(at)
        return found


def _without(free: Index, gone: Index) -> Index:
    """Entries that are still free."""
    return np.setdiff1d(free, gone)

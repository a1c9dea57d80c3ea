"""One recorded movement, and what it leaves as equations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.analysis.series import Series
from fibermsk.identification.equations.geometry import Reach, beyond, paths_along
from fibermsk.identification.equations.inertia import Regressor
from fibermsk.identification.equations.recordings import Emg
from fibermsk.model import LineMuscle, Model
from fibermsk.system.build import build
from fibermsk.system.skeleton.skeleton import Skeleton


class Movement(NamedTuple):
    """A movement at k instants, which are samples of the EMG.

    Attributes
    ----------
    name : str
        Name of the motion.
    time : (k,) float array
        Instants [s].
    first : int
        Sample of the EMG at the first of the lengths.
    emg : Emg
        Of the muscles with EMG, in the order of `arms`.
    length, rate : (lead + k, m) float array
        Of the paths [m, m/s], or of the fibers, if these were measured; also at instants before,
        in which fibers with elastic tendons forget how they began.
    path : (k, m) float array
        Length of the paths [m].
    arms : (k, m, n) float array
        Moment arms of the muscles with EMG [m].
    deep_arms : (k, d, n) float array
        Those of the muscles without.
    reach : Reach
        What the muscles without EMG cannot do.
    derivatives : (k, n, b) float array
        Of the generalized forces in the base parameters.
    known : (k, n) float array
        Generalized forces of all that is known.
    mass : (k, n, n, b) float array or None
        Derivatives of the mass matrix in the base parameters; for the loss of accelerations.
    known_mass : (k, n, n) float array or None
        The rest of the mass matrix.
    """

    name: str
    time: Array
    first: int
    emg: Emg
    length: Array
    rate: Array
    path: Array
    arms: Array
    deep_arms: Array
    reach: Reach
    derivatives: Array
    known: Array
    mass: Array | None
    known_mass: Array | None

    def after(self, lead: int) -> Movement:
        """The same without the first instants, of which lengths and rates remain."""
        kept = {
            name: getattr(self, name)[lead:]
            for name in ("time", "path", "arms", "deep_arms", "derivatives", "known")
        }
        reach = self.reach._replace(left=self.reach.left[lead:])
        if self.mass is not None and self.known_mass is not None:
            kept |= {"mass": self.mass[lead:], "known_mass": self.known_mass[lead:]}
        return self._replace(**kept, reach=reach)


class Preparation(NamedTuple):
    """What movements of one model share.

    Attributes
    ----------
    model : Model
        Bodies without muscles; elements give known forces.
    skeleton : Skeleton
        Its skeleton.
    seen, deep : tuple of LineMuscle
        Muscles with EMG, and those without.
    regressor : Regressor
        Of the bodies with unknown inertia.
    """

    model: Model
    skeleton: Skeleton
    seen: tuple[LineMuscle, ...]
    deep: tuple[LineMuscle, ...]
    regressor: Regressor

    def forces(self, series: Series, loads: Sequence[Any] = ()) -> tuple[Array, Array]:
        """Derivatives (k, n, 10 b) of the forces of a motion, and known forces (k, n).

        External forces (`ExternalForce`), those of the model and `loads`, act at its times.
        """
        Y, known = self.regressor.at(series.value, series.speed, series.acceleration)
        loaded = self.model.edit(add=list(loads))
        if loaded.elements:
            system = build(loaded)
            for k, t in enumerate(series.time.tolist()):
                q, p, a = series.value[k], series.speed[k], series.acceleration[k]
                total = system.evaluate(t, q, p, a, tangent=False).residual[: self.skeleton.n]
                known[k] = total - Y[k] @ self.regressor.values
        return Y, known

    def movement(
        self, name: str, first: int, series: Series, emg: Emg, to_base: Any, with_mass: bool,
        loads: Sequence[Any] = (),
    ) -> Movement:  # fmt: skip
        """Paths and forces of a movement; `to_base` reduces derivatives to base parameters."""
        length, arms = paths_along(self.skeleton, (*self.seen, *self.deep), series.value)
        m = len(self.seen)
        Y, known = self.forces(series, loads)
        mass = known_mass = None
        if with_mass:
            mass, known_mass = self._mass(series.value)
            mass = to_base(mass)
        rate = -np.einsum("kmn,kn->km", arms, series.speed)
        path = np.ascontiguousarray(length[:, :m])
        return Movement(
            name=name, time=series.time, first=first, emg=emg, length=path,
            rate=np.ascontiguousarray(rate[:, :m]), path=path,
            arms=np.ascontiguousarray(arms[:, :m]), deep_arms=arms[:, m:],
            reach=beyond(arms[:, m:]), derivatives=to_base(Y), known=known, mass=mass,
            known_mass=known_mass,
        )  # fmt: skip

    def _mass(self, q: Array) -> tuple[Array, Array]:
        """Derivatives (k, n, n, 10 b) of the mass matrix, and the part (k, n, n) that is known."""
        n, none = self.skeleton.n, np.zeros_like(q)
        rest, at_rest = self.regressor.at(q, none, none)
        columns = [self.regressor.at(q, none, none + unit) for unit in np.eye(n)]
        return (
            np.stack([Y - rest for Y, _ in columns], axis=2),
            np.stack([known - at_rest for _, known in columns], axis=2),
        )

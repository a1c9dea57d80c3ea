"""Histories of one line muscle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fibermsk._arrays import Array
from fibermsk.results.deferred import Deferred
from fibermsk.results.histories import Histories
from fibermsk.results.result import FiberHistory


@dataclass(frozen=True, eq=False, repr=False)
class MuscleHistory(Histories, Deferred):
    """Histories of the fields of one line muscle, by OpenSim's names, and its path.

    Fields: length, lengthening_speed, activation, tendon_force, fiber_length and others, and
    ``moment_arm/<coordinate>`` of each coordinate that the muscle can move.

    Attributes
    ----------
    path : (n_frames, n_points, 3) float array
        Points of the path at equal fractions of its length, from origin to insertion, ground [m].
    radius : float
        Radius of its line in pictures [m].

    Examples
    --------
    >>> result.muscles["biceps"]["tendon_force"].max()  # doctest: +SKIP
    >>> result.muscles["biceps"]["moment_arm/elbow_flexion"]  # doctest: +SKIP
    """

    path: Array
    radius: float

    def at_frames(self, frames: slice) -> MuscleHistory:
        """Histories over some frames."""
        own = super().at_frames(frames)
        if self.source is not None:
            known = {"fields": own.fields, "arrays": own.arrays, "radius": self.radius}
            return self.deferred(self.source.at_frames(frames), **known)
        return MuscleHistory(own.fields, own.arrays, self.path[frames], self.radius)

    @property
    def drawn(self) -> FiberHistory:
        """The path as a fiber of constant radius, for pictures; what it lacks is NaN.

        The tendon force acts along the first and last part of the path on the bodies there.
        """
        n_frames, n, _ = self.path.shape
        theta = np.linspace(0.0, 1.0, n)
        unknown = np.full((n_frames, n), np.nan)
        nowhere = np.full((n_frames, n, 3), np.nan)
        without_law = np.full(n_frames, np.nan)
        tension = self.arrays.get("tendon_force", without_law)
        force = np.repeat(tension[:, None], n, axis=1)
        first, last = self.path[:, 1] - self.path[:, 0], self.path[:, -2] - self.path[:, -1]
        return FiberHistory(
            node_theta=theta,
            position=self.path,
            tangent=np.gradient(self.path, theta, axis=1),
            cut_force=nowhere,
            theta=theta,
            muscle_fraction=np.ones(n),
            stretch=unknown,
            radius=np.full((n_frames, n), self.radius),
            axial_force=force,
            tissue_force=unknown,
            contact_line_force=nowhere,
            activation=self.arrays.get("activation", without_law),
            force_origin=_pull(tension, first),
            force_insertion=_pull(tension, last),
        )


def _pull(tension: Array, way: Array) -> Array:
    """Force [N] of a size (n_frames,) along vectors (n_frames, 3)."""
    length = np.linalg.norm(way, axis=1)
    return (tension / np.where(length > 0.0, length, np.nan))[:, None] * way

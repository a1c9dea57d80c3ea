"""Port of frames fixed to bodies, which exert forces and torques on these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.model import Station
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums
from fibermsk.system.ports import BodyPoints

Numbers = Any
"""Array of real numbers, or of complex ones where derivatives are taken."""

_STEP = 1e-30
"""Imaginary part of a complex step: its square is zero in double precision."""


class Poses(NamedTuple):
    """Poses and velocities of m frames in ground; complex, and of more dimensions, in a law.

    Attributes
    ----------
    x, v : (..., m, 3) array
        Positions of the origins and their velocities [m, m/s].
    R : (..., m, 3, 3) array
        Axes of the frames, columns.
    w : (..., m, 3) array
        Angular velocities [rad/s].
    """

    x: Numbers
    R: Numbers
    v: Numbers
    w: Numbers


class Loads(NamedTuple):
    """Forces on the origins of m frames [N] and torques on these [N m], (..., m, 3), ground."""

    force: Numbers
    torque: Numbers


Law = Callable[[Poses], Loads]
"""Loads of poses: a function of complex numbers, analytic where it is smooth."""


class Moved(NamedTuple):
    """Frames at one state.

    Attributes
    ----------
    poses : Poses
        Poses and velocities, (m, ...).
    C, W : (m, 3, n_axes) float array
        Derivatives of positions and turns in the axes.
    """

    poses: Poses
    C: Array
    W: Array


class BodyFrames(BodyPoints):
    """Frames fixed to bodies.

    Parameters
    ----------
    configuration : Configuration
        Configuration of the system.
    stations : sequence of m Station
        Their origins.
    axes : (m, 3, 3) array_like
        Their axes in the bodies, columns.
    """

    def __init__(
        self, configuration: Configuration, stations: Sequence[Station], axes: Array
    ) -> None:
        super().__init__(configuration, stations)
        frames = configuration.tree.frames
        own = [frames[one.body.name][1] for one in stations]
        self.axes: Array = np.array([R @ A for R, A in zip(own, np.asarray(axes), strict=True)])

    def moved(self, at: At) -> Moved:
        """Poses, velocities, and their derivatives."""
        placed, motion, tree = self.at(at), at.motion, self._skeleton.tree
        R, W = self.axes.copy(), np.zeros_like(placed.C)
        for k, link in enumerate(self.link):
            if link >= 0:
                R[k] = motion.links.rotation[link] @ R[k]
                moving = tree.moves[link]
                W[k][:, moving] = motion.links.S[moving, :3].T
        return Moved(Poses(placed.x, R, placed.v, W @ motion.speed), placed.C, W)

    def load(self, at: At, moved: Moved, sums: Sums, law: Law) -> None:
        """Apply the loads of a law, with their derivatives by complex steps: exact to round-off."""
        tree, motion = self._skeleton.tree, at.motion
        if not tree.n:
            return  # nothing can move
        n = tree.n
        E = np.concatenate([moved.C.reshape(-1, n), moved.W.reshape(-1, n)])
        if sums.slopes is None:
            force, torque = law(moved.poses)
            sums.axes.force[:] -= E.T @ np.concatenate([force.ravel(), torque.ravel()])
            return
        (force, torque), by_pose, by_rate = differentiated(law, moved.poses)
        sums.axes.force[:] -= E.T @ np.concatenate([force.ravel(), torque.ravel()])
        sway = np.concatenate(
            [self.velocity_slope(motion, moved.C).reshape(-1, n), self._spin(at, moved.W)]
        )
        dq = -E.T @ (by_pose @ E + by_rate @ sway)
        self.add_curvature(motion, moved.C, -force, dq)
        for W, T in zip(moved.W, torque, strict=True):
            # axis j turns with axis k if k precedes it
            dq -= tree.moves * (np.cross(W.T, T) @ W)
        sums.follow_axes(self._skeleton, motion, dq, -E.T @ by_rate @ E)

    def _spin(self, at: At, W: Array) -> Array:
        """Derivative of the angular velocities in the axes at constant speeds, (3 m, n_axes)."""
        after = (W * at.motion.speed) @ self._skeleton.tree.moves
        return np.cross(W, after, axis=1).reshape(-1, W.shape[2])


def differentiated(law: Law, poses: Poses) -> tuple[Loads, Array, Array]:
    """Loads of m frames, and their derivatives in poses and in velocities, two (6 m, 6 m).

    Rows are those of all forces and then of all torques, columns of positions and then turns, and
    of velocities and then angular velocities.
    """
    m = poses.x.shape[0]
    size = 3 * m
    step = 1j * _STEP * np.eye(size).reshape(size, m, 3)
    x, v, w = (np.tile(one + 0j, (4 * size, 1, 1)) for one in (poses.x, poses.v, poses.w))
    R = np.tile(poses.R + 0j, (4 * size, 1, 1, 1))
    x[:size] += step
    # a turn by a small vector e changes an axis a by e x a
    R[size : 2 * size] += np.cross(step[..., None], R[size : 2 * size], axis=2)
    v[2 * size : 3 * size] += step
    w[3 * size :] += step
    found = law(Poses(x, R, v, w))
    both: Any = np.concatenate([one.reshape(4 * size, size) for one in found], axis=1)
    slopes = both.imag.T / _STEP
    force, torque = both[0].real.reshape(2, m, 3)
    return Loads(force, torque), slopes[:, : 2 * size], slopes[:, 2 * size :]


def turned(R: Numbers, x: Numbers) -> Numbers:
    """Vectors R x, (..., 3), of matrices (..., 3, 3)."""
    return (R @ x[..., None])[..., 0]


def turned_back(R: Numbers, x: Numbers) -> Numbers:
    """Vectors R^T x, (..., 3), of matrices (..., 3, 3)."""
    return (np.swapaxes(R, -1, -2) @ x[..., None])[..., 0]


def angle(y: Numbers, x: Numbers) -> Numbers:
    """Angle of (x, y) to the x-axis, of complex steps too."""
    found = np.arctan2(y.real, x.real)
    if not np.iscomplexobj(x):
        return found
    return found + 1j * (x.real * y.imag - y.real * x.imag) / (x.real**2 + y.real**2)


def norm(x: Numbers) -> Numbers:
    """Length of vectors (..., 3), of complex steps too."""
    return np.sqrt(np.sum(x * x, axis=-1))


def extended(value: Numbers, slope: Numbers, x: Numbers) -> Numbers:
    """A function at complex steps x, from its value and slope at their real parts."""
    return value + 1j * slope * x.imag if np.iscomplexobj(x) else value

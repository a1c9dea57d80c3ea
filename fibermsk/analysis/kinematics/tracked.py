"""What is measured on the bodies of a model, as residuals with exact derivatives.

The twist of axis j is (w_j, v_j); it moves a point c of its links with v_j + w_j x c. Both are
pulled back to the state of the skeleton by its map.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk.system.skeleton.skeleton import Motion, Skeleton

_SMALL = 1e-4
"""Angle [rad] below which series replace quotients."""


class Residual(NamedTuple):
    """Weighted residuals of a frame, and their derivatives in the state."""

    size: Array  # (m,) distances [m] or angles [rad], NaN where nothing was measured
    value: Array  # (3 k,) of the k that were measured, times the roots of the weights
    J: Array  # (3 k, n)


class Tracked(Protocol):
    """Measured items of a model."""

    names: tuple[str, ...]
    kind: str

    def measured(self, frame: int) -> NDArray[np.bool_]:
        """Mask (m,) of the items with a measurement in a frame."""
        ...

    def residual(self, q: Array, frame: int) -> Residual:
        """Residuals of a frame at a state."""
        ...


class TrackedMarkers:
    """Markers: differences of positions, in ground."""

    kind = "marker"

    def __init__(
        self,
        skeleton: Skeleton,
        names: tuple[str, ...],
        stations: list[tuple[str, Array]],
        weight: Array,
        measured: Array,
    ) -> None:
        """Stations: body and position in it; weight (m,), measured (frames, m, 3) with NaN."""
        self.names, self._skeleton = names, skeleton
        place = [skeleton.tree.frames[body] for body, _ in stations]
        self._link = np.array([link for link, _, _ in place], np.int64)
        self._local = np.array(
            [x + R @ at for (_, R, x), (_, at) in zip(place, stations, strict=True)]
        )
        self._moves = _moves(skeleton, self._link)
        self._root, self._measured = np.sqrt(weight), measured

    def measured(self, frame: int) -> NDArray[np.bool_]:
        """Mask (m,) of the markers that are seen in a frame."""
        return np.isfinite(self._measured[frame, :, 0])

    def positions(self, q: Array) -> Array:
        """Positions of all markers (m, 3), in ground."""
        return self._positions(self._skeleton.at(q))

    def residual(self, q: Array, frame: int) -> Residual:
        """Residuals of a frame at a state."""
        motion = self._skeleton.at(q)
        c = self._positions(motion)
        off = c - self._measured[frame]
        seen = np.isfinite(off[:, 0])
        S = motion.links.S
        moved = S[:, 3:] + np.cross(S[:, :3], c[seen, None])  # (k, n_axes, 3)
        moved *= self._moves[seen][:, :, None]
        J = self._skeleton.columns(motion, np.ascontiguousarray(moved.swapaxes(1, 2)))
        J = J * self._root[seen, None, None]
        value = off[seen] * self._root[seen, None]
        n = self._skeleton.n
        return Residual(np.linalg.norm(off, axis=1), value.ravel(), J.reshape(-1, n))

    def _positions(self, motion: Motion) -> Array:
        links, moving = motion.links, self._link >= 0
        found = self._local.copy()
        own = self._link[moving]
        turned = np.einsum("mij,mj->mi", links.rotation[own], self._local[moving])
        found[moving] = links.position[own] + turned
        return found


class TrackedSensors:
    """Orientations: rotation vectors from the measured axes to those of the model."""

    kind = "sensor"

    def __init__(
        self,
        skeleton: Skeleton,
        names: tuple[str, ...],
        placed: list[tuple[str, Array]],
        weight: Array,
        measured: Array,
    ) -> None:
        """Placed: body and rotation in it; weight (m,), measured (frames, m, 3, 3) with NaN."""
        self.names, self._skeleton = names, skeleton
        place = [skeleton.tree.frames[body] for body, _ in placed]
        self._link = np.array([link for link, _, _ in place], np.int64)
        self._local = np.array([R @ on for (_, R, _), (_, on) in zip(place, placed, strict=True)])
        self._moves = _moves(skeleton, self._link)
        self._root, self._measured = np.sqrt(weight), measured

    def measured(self, frame: int) -> NDArray[np.bool_]:
        """Mask (m,) of the sensors that are measured in a frame."""
        return np.isfinite(self._measured[frame, :, 0, 0])

    def residual(self, q: Array, frame: int) -> Residual:
        """Residuals of a frame at a state."""
        motion = self._skeleton.at(q)
        links, moving = motion.links, self._link >= 0
        R = self._local.copy()
        R[moving] = links.rotation[self._link[moving]] @ self._local[moving]
        seen = self.measured(frame)
        size = np.full(len(self.names), np.nan)
        own = R[seen]
        e = rotation_vectors(self._measured[frame, seen].swapaxes(1, 2) @ own)
        size[seen] = np.linalg.norm(e, axis=1)
        # turns of the model's axes, in these axes
        turns = np.einsum("kji,aj->kia", own, motion.links.S[:, :3]) * self._moves[seen][:, None]
        J = self._skeleton.columns(motion, np.ascontiguousarray(inverse_right(e) @ turns))
        J = J * self._root[seen, None, None]
        value = e * self._root[seen, None]
        return Residual(size, value.ravel(), J.reshape(-1, self._skeleton.n))


def rotation_vectors(R: Array) -> Array:
    """Axis times angle in [0, pi] of rotation matrices (k, 3, 3): (k, 3)."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(R).as_rotvec() if len(R) else np.zeros((0, 3))


def inverse_right(e: Array) -> Array:
    """Derivative (k, 3, 3) of log(exp(e) exp(d)) in d at zero, of rotation vectors e (k, 3)."""
    angle = np.linalg.norm(e, axis=1)
    safe = np.where(angle < _SMALL, 1.0, angle)
    exact = 1.0 / safe**2 - 1.0 / (2.0 * safe * np.tan(0.5 * safe))
    factor = np.where(angle < _SMALL, 1.0 / 12.0 + angle**2 / 720.0, exact)
    K = np.zeros((len(e), 3, 3))
    K[:, 0, 1], K[:, 0, 2], K[:, 1, 2] = -e[:, 2], e[:, 1], -e[:, 0]
    K -= K.swapaxes(1, 2)
    return np.eye(3) + 0.5 * K + factor[:, None, None] * (K @ K)


def _moves(skeleton: Skeleton, link: NDArray[np.int64]) -> Array:
    """Mask (m, n_axes) of the axes that move each link, -1 for the ground."""
    moves = np.zeros((link.size, skeleton.tree.n))
    moves[link >= 0] = skeleton.tree.moves[link[link >= 0]]
    return moves

"""Envelopes of bundles: a skin around the fibers of each muscle, through which they are seen.

At each section along the bundle and in each direction across it, the skin lies on the outermost
fiber; between fibers it is blended smoothly. Stripes along it stand for the fibers of the muscle,
of which there are many more than those of the bundle.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk._warn import warn
from fibermsk.errors import ModelWarning
from fibermsk.view.drawing.surfaces import circle, grid_faces
from fibermsk.view.drawing.tubes import Tubes


class Sheen(NamedTuple):
    """Opacity of a skin: where it faces the viewer, at its rim, and exponent between both."""

    facing: float
    rim: float
    exponent: float


SHEEN = Sheen(0.30, 0.85, 1.6)
"""Opacity of envelopes, through which the fibers are seen."""

AROUND = 96
"""Points of a section of a skin."""
_STRIPES = 24
"""Bundles of fibers around a skin that are drawn as stripes along it."""
CONTRAST = 0.13
"""Part of the brightness by which stripes differ."""
SHARPNESS = 2.5
"""Inverse width of the blend between fibers, times their mean radius."""
THICK = 0.12
"""Thickness of the skin over the mean radius of the fibers."""


def bundles(names: Iterable[str]) -> list[list[int]]:
    """Numbers of the fibers of each bundle: those named ``biceps_1``, ``biceps_2`` and so on."""
    found: dict[str, list[int]] = {}
    for k, name in enumerate(names):
        if (stem := re.fullmatch(r"(.*?)_?\d+", name)) is not None:
            found.setdefault(stem[1], []).append(k)
    return [members for members in found.values() if len(members) > 1]


def check_bundles(scene: str, names: Iterable[str]) -> None:
    """Warn if there is nothing to draw an envelope around."""
    if not bundles(names):
        warn(
            f"an envelope draws nothing: {scene} has no bundles, which are fibers with names "
            "such as biceps_1 and biceps_2",
            ModelWarning,
        )


def stripes() -> Array:
    """Brightness around a skin, (AROUND,); the stripes are of uneven width."""
    turn = 2.0 * np.pi * np.arange(AROUND) / AROUND
    return 1.0 + CONTRAST * np.cos(_STRIPES * turn + 1.7 * np.sin(3.0 * turn))


class Envelopes:
    """Skins of bundles of tubes, updated in place after these.

    Points [m] and unit normals (n, 3) in ground, colors (n, 3) from 0 to 255, faces (m, 3).
    """

    def __init__(self, tubes: Tubes, members: list[list[int]]) -> None:
        self._tubes = tubes
        self._members = [np.array(those) for those in members]
        n_along = tubes.detail.n_along
        # a pole at each end
        self._size = (n_along + 2) * AROUND
        n = len(members) * self._size
        self.points = np.zeros((n, 3), dtype=np.float32)
        self.normals = np.zeros((n, 3), dtype=np.float32)
        self.colors = np.zeros((n, 3), dtype=np.uint8)
        shift = self._size * np.arange(len(members))[:, None, None]
        self.faces = (grid_faces(n_along + 2, AROUND) + shift).reshape(-1, 3)
        self._weights: list[Array] = []
        self._stripes = stripes()

    def move(self) -> None:
        """Follow the tubes."""
        n_along, n_around = self._tubes.detail
        rings = self._of_rings(self._tubes.points).astype(float)
        centers = rings.mean(axis=2)
        radii = np.linalg.norm(rings[:, :, 0] - centers, axis=2)
        self._weights = []
        for k, those in enumerate(self._members):
            part = slice(k * self._size, (k + 1) * self._size)
            points, weights = _skin(centers[those], radii[those])
            self._weights.append(weights)
            self.points[part] = points.reshape(-1, 3)
            self.normals[part] = _normals(points).reshape(-1, 3)

    def paint(self) -> None:
        """Colors of the fibers below, after those of the tubes."""
        every = self._of_rings(self._tubes.colors)[:, :, 0].astype(float)
        for k, those in enumerate(self._members):
            part = slice(k * self._size, (k + 1) * self._size)
            colors = np.einsum("fjk,fjc->jkc", self._weights[k], every[those])
            colors = np.minimum(self._stripes[:, None] * colors, 255.0)
            padded = np.concatenate([colors[:1], colors, colors[-1:]])
            self.colors[part] = (padded.reshape(-1, 3) + 0.5).astype(np.uint8)

    def _of_rings(self, array: NDArray[Any]) -> NDArray[Any]:
        """Rows of the rings of all tubes (n_fibers, n_along, n_around, 3)."""
        detail = self._tubes.detail
        n = detail.n_along * detail.n_around
        own = array.reshape(-1, detail.n_points, 3)[:, :n]
        return own.reshape(len(own), *detail, 3)


def _skin(centers: Array, radii: Array) -> tuple[Array, Array]:
    """Points of a skin (n_along + 2, n_around, 3), and weights of the fibers at its sections.

    Centers (n_fibers, n_along, 3) and radii (n_fibers, n_along) of the fibers; the weights are
    (n_fibers, n_along, n_around).
    """
    middle = centers.mean(axis=0)
    tangent = np.gradient(middle, axis=0)
    tangent /= np.maximum(np.linalg.norm(tangent, axis=1, keepdims=True), 1e-300)
    side = np.empty_like(middle)
    before = np.eye(3)[np.argmin(np.abs(tangent[0]))]
    for j, t in enumerate(tangent):
        # the smallest turn from the section before
        before = before - (before @ t) * t
        before = before / max(float(np.linalg.norm(before)), 1e-300)
        side[j] = before
    spokes = np.stack([side, np.cross(tangent, side)], axis=1)
    spokes = np.einsum("ka,jac->jkc", circle(AROUND), spokes)
    away = centers - middle
    reach = np.einsum("fjc,jkc->fjk", away, spokes) + radii[..., None]
    mean = radii.mean(axis=0)
    sharp = SHARPNESS / np.maximum(mean, 1e-300)
    weights = np.exp(sharp[:, None] * (reach - reach.max(axis=0)))
    weights /= weights.sum(axis=0)
    out = np.einsum("fjk,fj->jk", weights, radii) + THICK * mean[:, None]
    points = middle[:, None] + np.einsum("fjk,fjc->jkc", weights, away) + out[..., None] * spokes
    poles = np.repeat(middle[[0, -1], None], AROUND, axis=1)
    return np.concatenate([poles[:1], points, poles[1:]]), weights


def _normals(points: Array) -> Array:
    """Unit normals of a grid of points, outwards."""
    along = np.gradient(points, axis=0)
    around = np.roll(points, -1, axis=1) - np.roll(points, 1, axis=1)
    normals = np.cross(around, along)
    # a pole has no direction around it
    normals[0], normals[-1] = (
        points[0] - points[2].mean(axis=0),
        points[-1] - points[-3].mean(axis=0),
    )
    return normals / np.maximum(np.linalg.norm(normals, axis=2, keepdims=True), 1e-300)

"""Tubes around all fibers at once, filled in place from frame to frame.

Symbols: ``x`` and ``t`` are the nodes' positions and derivatives in theta, ``r`` and ``w`` the
radius and its derivative along the length, ``e`` a unit vector across the fiber.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk._compile import kernel
from fibermsk.results.centerline import hermite_places
from fibermsk.results.result import FiberHistory
from fibermsk.view.drawing.detail import Detail
from fibermsk.view.drawing.surfaces import circle, dome, tube_faces


@kernel
def across(t0, t1, t2):
    """Unit vector perpendicular to a unit vector."""
    a0, a1, a2 = abs(t0), abs(t1), abs(t2)
    if a0 <= a1 and a0 <= a2:
        e0, e1, e2 = 0.0, t2, -t1
    elif a1 <= a2:
        e0, e1, e2 = -t2, 0.0, t0
    else:
        e0, e1, e2 = t1, -t0, 0.0
    size = np.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
    return e0 / size, e1 / size, e2 / size


@kernel
def blend(weights, x, t, a, out):
    """Sum of two nodes of an element, from `a` on, with four weights, into `out`."""
    for i in range(3):
        out[i] = (
            weights[0] * x[a, i]
            + weights[1] * t[a, i]
            + weights[2] * x[a + 1, i]
            + weights[3] * t[a + 1, i]
        )


@kernel
def _fill_tubes(x, t, radius, node, shape, slope, sample, part, circle, dome, points, normals):
    """Points and normals of all tubes, in place.

    `node` (n, m) is the first node of the element of each section, `shape` and `slope` (n, m, 4)
    the Hermite functions there and their derivatives; the radius lies between `sample` (n, m) and
    the next one, `part` (n, m) of the way; `circle` (k, 2) are cosines and sines, and so is `dome`
    of the rounded ends.
    """
    n_fibers, n_along = node.shape
    n_around = circle.shape[0]
    rings = n_along * n_around
    cap = (dome.shape[0] - 1) * n_around + 1
    size = rings + 2 * cap
    center = np.empty((n_along, 3))
    tangent = np.empty((n_along, 3))
    speed = np.empty(n_along)
    r = np.empty(n_along)
    spoke = np.empty(3)
    for f in range(n_fibers):
        start = f * size
        for j in range(n_along):
            blend(shape[f, j], x, t, node[f, j], center[j])
            blend(slope[f, j], x, t, node[f, j], tangent[j])
            speed[j] = np.sqrt(tangent[j, 0] ** 2 + tangent[j, 1] ** 2 + tangent[j, 2] ** 2)
            if speed[j] > 0.0:
                for i in range(3):
                    tangent[j, i] /= speed[j]
            elif j > 0:
                tangent[j] = tangent[j - 1]
            else:
                tangent[j, 0], tangent[j, 1], tangent[j, 2] = 0.0, 0.0, 1.0
            s, p = sample[f, j], part[f, j]
            # p is 0 at and beyond the last sample
            r[j] = radius[s] if p == 0.0 else (1.0 - p) * radius[s] + p * radius[s + 1]
        e0, e1, e2 = across(tangent[0, 0], tangent[0, 1], tangent[0, 2])
        for j in range(n_along):
            t0, t1, t2 = tangent[j, 0], tangent[j, 1], tangent[j, 2]
            if j > 0:
                # smallest rotation from the previous tangent to this one
                b0, b1, b2 = tangent[j - 1, 0], tangent[j - 1, 1], tangent[j - 1, 2]
                close = 1.0 + b0 * t0 + b1 * t1 + b2 * t2
                if close > 1e-6:
                    c = (e0 * t0 + e1 * t1 + e2 * t2) / close
                    e0, e1, e2 = e0 - c * (b0 + t0), e1 - c * (b1 + t1), e2 - c * (b2 + t2)
                    length = np.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
                    e0, e1, e2 = e0 / length, e1 / length, e2 / length
                else:
                    e0, e1, e2 = across(t0, t1, t2)
            g0, g1, g2 = t1 * e2 - t2 * e1, t2 * e0 - t0 * e2, t0 * e1 - t1 * e0
            low, high = max(j - 1, 0), min(j + 1, n_along - 1)
            way = 0.0
            for i in range(3):
                way += (center[high, i] - center[low, i]) ** 2
            w = (r[high] - r[low]) / np.sqrt(way) if way > 0.0 else 0.0
            scale = 1.0 / np.sqrt(1.0 + w * w)
            for k in range(n_around):
                c, s1 = circle[k, 0], circle[k, 1]
                d0, d1, d2 = c * e0 + s1 * g0, c * e1 + s1 * g1, c * e2 + s1 * g2
                p1 = start + j * n_around + k
                points[p1, 0] = center[j, 0] + r[j] * d0
                points[p1, 1] = center[j, 1] + r[j] * d1
                points[p1, 2] = center[j, 2] + r[j] * d2
                normals[p1, 0] = scale * (d0 - w * t0)
                normals[p1, 1] = scale * (d1 - w * t1)
                normals[p1, 2] = scale * (d2 - w * t2)
        for end in range(2):
            j = end * (n_along - 1)
            sign = 2.0 * end - 1.0
            first = start + rings + end * cap
            for k in range(cap):
                out, up = dome[k // n_around, 0], sign * dome[k // n_around, 1]
                rim = start + j * n_around + k % n_around
                # the directions of the spokes, without the lean of a taper
                length = 0.0
                for i in range(3):
                    length += (points[rim, i] - center[j, i]) ** 2
                out /= np.sqrt(length) if length > 0.0 else 1.0
                whole = 0.0
                for i in range(3):
                    spoke[i] = out * (points[rim, i] - center[j, i]) + up * tangent[j, i]
                    whole += spoke[i] ** 2
                # points are rounded
                for i in range(3):
                    lean = spoke[i] / np.sqrt(whole)
                    points[first + k, i] = center[j, i] + r[j] * lean
                    normals[first + k, i] = lean


@kernel
def _paint(values, muscle, low, high, sample, part, table, n_around, cap, colors):
    """Color of every point, in place: by the value, between the scales of tendon and muscle."""
    n_fibers, n_along = sample.shape
    size = n_along * n_around + 2 * cap
    last = table.shape[1] - 1
    for f in range(n_fibers):
        start = f * size
        for j in range(n_along):
            s, p = sample[f, j], part[f, j]
            if p == 0.0:
                value, m = values[s], muscle[s]
            else:
                value = (1.0 - p) * values[s] + p * values[s + 1]
                m = (1.0 - p) * muscle[s] + p * muscle[s + 1]
            place = (value - low) / (high - low)
            # NaN is UNKNOWN_COLOR
            known = place == place
            k = int(last * min(max(place, 0.0), 1.0) + 0.5) if known else 0
            m = min(max(m, 0.0), 1.0)
            for i in range(3):
                color = 128.0
                if known:
                    color = (1.0 - m) * table[0, k, i] + m * table[1, k, i]
                byte = np.uint8(color + 0.5)
                first = start + j * n_around
                for a in range(n_around):
                    colors[first + a, i] = byte
                if j == 0 or j == n_along - 1:
                    first = start + n_along * n_around + (j > 0) * cap
                    for a in range(cap):
                        colors[first + a, i] = byte


class Tubes:
    """Surfaces of at least one fiber, updated in place.

    `move` fills points [m] and outward unit normals (n, 3) in ground, `paint` colors (n, 3) from 0
    to 255. Faces (m, 3) are counterclockwise seen from outside.
    """

    def __init__(self, fibers: Sequence[FiberHistory], detail: Detail) -> None:
        self.detail = detail
        self._fibers = tuple(fibers)
        theta = np.linspace(0.0, 1.0, detail.n_along)
        n_nodes = np.cumsum([0, *(fiber.node_theta.size for fiber in self._fibers)])
        n_samples = np.cumsum([0, *(fiber.theta.size for fiber in self._fibers)])
        places = [hermite_places(fiber.node_theta, theta) for fiber in self._fibers]
        self._node = np.stack([element for element, _, _ in places]) + n_nodes[:-1, None]
        self._shape = np.stack([shape for _, shape, _ in places])
        self._slope = np.stack([slope for _, _, slope in places])
        between = [_between(fiber.theta, theta) for fiber in self._fibers]
        self._sample = np.stack([index for index, _ in between]) + n_samples[:-1, None]
        self._part = np.stack([part for _, part in between])
        self._circle = circle(detail.n_around)
        self._dome = dome(detail.n_dome)
        self._muscle = np.concatenate([fiber.muscle_fraction for fiber in self._fibers])
        n = len(self._fibers) * detail.n_points
        self.points = np.zeros((n, 3), dtype=np.float32)
        self.normals = np.zeros((n, 3), dtype=np.float32)
        self.colors = np.zeros((n, 3), dtype=np.uint8)
        self.faces = tube_faces(len(self._fibers), *detail, detail.n_dome)

    def move(self, frame: int) -> None:
        """Update points and normals to a frame."""
        _fill_tubes(
            _rows([fiber.position for fiber in self._fibers], frame),
            _rows([fiber.tangent for fiber in self._fibers], frame),
            _rows([fiber.radius for fiber in self._fibers], frame),
            self._node,
            self._shape,
            self._slope,
            self._sample,
            self._part,
            self._circle,
            self._dome,
            self.points,
            self.normals,
        )

    def paint(
        self,
        values: Sequence[Array],
        frame: int,
        limits: tuple[float, float],
        table: NDArray[np.uint8],
    ) -> None:
        """Update the colors to those of a field, `values` (n_frames, n_samples) of each fiber.

        The limits are the values at the ends of the color `table` (2, n, 3) of tendon and muscle.
        """
        low, high = limits
        row = _rows(values, frame)
        n_around, cap = self.detail.n_around, self.detail.n_dome * self.detail.n_around + 1
        places = self._sample, self._part, table, n_around, cap, self.colors
        _paint(row, self._muscle, low, high, *places)

    def thickness(self, fiber: int) -> float:
        """Radius at the first end of one fiber [m]."""
        n_along, n_around = self.detail
        own = self.points[self.of(fiber)]
        pole = own[n_along * n_around + self.detail.n_dome * n_around]
        return float(np.linalg.norm(own[0] - pole)) / np.sqrt(2.0)

    def of(self, fiber: int) -> slice:
        """Points of one fiber, as a slice."""
        n = self.detail.n_points
        return slice(fiber * n, (fiber + 1) * n)


def _rows(arrays: Sequence[Array], frame: int) -> Array:
    """One frame of all fibers, concatenated."""
    return np.concatenate([array[frame] for array in arrays])


def _between(samples: Array, theta: Array) -> tuple[NDArray[np.intp], Array]:
    """Sample before each section, and part of the way to the next; constant beyond the ends."""
    index = np.clip(np.searchsorted(samples, theta, side="right") - 1, 0, samples.size - 1)
    following = np.minimum(index + 1, samples.size - 1)
    gap = samples[following] - samples[index]
    part = np.where(gap > 0.0, (theta - samples[index]) / np.where(gap > 0.0, gap, 1.0), 0.0)
    return index, np.clip(part, 0.0, 1.0)

"""Arrows of forces, in arrays that are updated in place for each frame."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fibermsk._compile import kernel
from fibermsk.results.centerline import element_of, hermite_places
from fibermsk.results.result import Result
from fibermsk.view.drawing.surfaces import circle, grid_faces
from fibermsk.view.drawing.tubes import across, blend
from fibermsk.view.forces import attachment_forces, sample_weights

_AROUND = 6
_SHAFT, _HEAD = 0.014, 0.042
"""Radii over the length of the longest arrow."""
_HEAD_LENGTH = 0.17
"""Length of the head over that of the longest arrow; at most half of a short arrow."""
_RINGS = np.array(
    [(0, 0, _SHAFT), (1, 1, _SHAFT), (1, 1, _SHAFT), (1, 1, _HEAD), (1, 1, _HEAD), (1, 0, 0)]
)
"""A ring lies ``c0 length - c1 head`` from the tail and has the radius ``c2 thick``."""
_STEEP = np.arctan2(_HEAD, _HEAD_LENGTH)
_LEAN = np.array([(0, 1)] * 2 + [(-1, 0)] * 2 + [(np.sin(_STEEP), np.cos(_STEEP))] * 2)
"""Normals of the rings, along the arrow and across it."""


class ArrowScale(NamedTuple):
    """Scale of the arrows of a run."""

    force: float  # a round number [N]
    length: float  # of an arrow of that force [m]
    longest: float  # length of the longest arrow of the run [m]; 0 without any force
    share: int = 1  # elements per contact arrow

    @classmethod
    def of(cls, greatest: float, size: float, share: int = 1) -> ArrowScale:
        """Scale with an arrow of length `size` [m] for the largest force [N].

        The reference force is 1, 2 or 5 times a power of ten, and at most the largest.
        """
        if not greatest > 0.0:
            return cls(1.0, size, 0.0, share)
        power = 10.0 ** np.floor(np.log10(greatest * (1.0 + 1e-9)))
        force = max(k * power for k in (1.0, 2.0, 5.0) if k * power <= greatest * (1.0 + 1e-9))
        return cls(float(force), float(size * force / greatest), size, share)


def elements_per_arrow(result: Result, most: int) -> int:
    """Neighboring elements that share a contact arrow, so that there are at most `most`."""
    counts = [fiber.node_theta.size - 1 for fiber in result.fibers.values()]
    share = 1
    while share < max(counts, default=1) and sum(-(-n // share) for n in counts) > most:
        share += 1
    return share


@kernel
def _gather(x, t, line, radius, node, shape, slope, weight, group, anchors, forces):
    """Sum of the contact force of each group of samples, and its point of application."""
    anchors[:], forces[:] = 0.0, 0.0
    total, depth = np.zeros(len(forces)), np.zeros(len(forces))
    center, tangent = np.empty(3), np.empty(3)
    for s in range(node.size):
        g = group[s]
        blend(shape[s], x, t, node[s], center)
        blend(slope[s], x, t, node[s], tangent)
        length = weight[s] * np.sqrt(tangent[0] ** 2 + tangent[1] ** 2 + tangent[2] ** 2)
        press = length * np.sqrt(line[s, 0] ** 2 + line[s, 1] ** 2 + line[s, 2] ** 2)
        total[g] += press
        depth[g] += press * radius[s]
        for i in range(3):
            forces[g, i] += length * line[s, i]
            anchors[g, i] += press * center[i]
    for g in range(total.size):
        if total[g] > 0.0:
            size = np.sqrt(forces[g, 0] ** 2 + forces[g, 1] ** 2 + forces[g, 2] ** 2)
            out = depth[g] / total[g] / size if size > 0.0 else 0.0
            for i in range(3):
                anchors[g, i] = anchors[g, i] / total[g] + out * forces[g, i]


@kernel
def _fill_arrows(anchors, forces, per_newton, longest, rings, lean, circle, points, normals):
    """Points and normals of all arrows, in place; arrows without force have no size."""
    p = 0
    for k in range(anchors.shape[0]):
        size = np.sqrt(forces[k, 0] ** 2 + forces[k, 1] ** 2 + forces[k, 2] ** 2)
        there = size > 0.0 and np.isfinite(size)
        t0, t1, t2 = 0.0, 0.0, 1.0
        if there:
            t0, t1, t2 = forces[k, 0] / size, forces[k, 1] / size, forces[k, 2] / size
        length = size * per_newton if there else 0.0
        # a short arrow is thinner, and its head at most half of it
        thick = min(longest, 3.0 * length)
        head = min(_HEAD_LENGTH * longest, 0.5 * length)
        e0, e1, e2 = across(t0, t1, t2)
        g0, g1, g2 = t1 * e2 - t2 * e1, t2 * e0 - t0 * e2, t0 * e1 - t1 * e0
        for ring in range(rings.shape[0]):
            along = rings[ring, 0] * length - rings[ring, 1] * head
            out = rings[ring, 2] * thick
            for a in range(circle.shape[0]):
                c, s = circle[a, 0], circle[a, 1]
                d0, d1, d2 = c * e0 + s * g0, c * e1 + s * g1, c * e2 + s * g2
                points[p, 0] = along * t0 + out * d0
                points[p, 1] = along * t1 + out * d1
                points[p, 2] = along * t2 + out * d2
                for i in range(3):
                    if there:
                        points[p, i] += anchors[k, i]
                normals[p, 0] = lean[ring, 0] * t0 + lean[ring, 1] * d0
                normals[p, 1] = lean[ring, 0] * t1 + lean[ring, 1] * d1
                normals[p, 2] = lean[ring, 0] * t2 + lean[ring, 1] * d2
                p += 1


class Arrows:
    """Surfaces of the arrows of one of `ARROW_KINDS`, updated in place by `move`.

    Arrows of attachment begin at the end of a fiber, arrows of contact on its surface; the latter
    are integrals over one element or `ArrowScale.share` neighbors. Points and normals (n, 3); start
    points `anchors` [m] and `forces` [N] (n_arrows, 3); faces (m, 3).
    """

    def __init__(self, result: Result, kind: str, scale: ArrowScale) -> None:
        self.kind, self.scale = kind, scale
        self._result = result
        self._fibers = tuple(result.fibers.values())
        n = 2 * len(result.drawn) if kind == "attachment" else self._number_samples()
        self.anchors, self.forces = np.zeros((n, 3)), np.zeros((n, 3))
        size = len(_RINGS) * _AROUND
        self.points = np.zeros((n * size, 3), dtype=np.float32)
        self.normals = np.zeros((n * size, 3), dtype=np.float32)
        # between the first and second ring, third and fourth, and so on
        bands = [grid_faces(2, _AROUND) + k * _AROUND for k in range(0, len(_RINGS), 2)]
        shift = size * np.arange(n)[:, None, None]
        self.faces = (np.concatenate(bands) + shift).reshape(-1, 3)

    def move(self, frame: int) -> None:
        """Fill the arrays with the arrows at a frame."""
        if self.kind == "attachment":
            self.anchors[:], self.forces[:] = attachment_forces(self._result, frame)
        else:
            names = ("position", "tangent", "contact_line_force", "radius")
            now = [[getattr(fiber, name)[frame] for fiber in self._fibers] for name in names]
            _gather(*map(np.concatenate, now), *self._samples, self.anchors, self.forces)
        per_newton = self.scale.length / self.scale.force
        shape = (per_newton, self.scale.longest, _RINGS, _LEAN, circle(_AROUND))
        _fill_arrows(self.anchors, self.forces, *shape, self.points, self.normals)

    def _number_samples(self) -> int:
        """Set node, functions, weight and arrow of each sample; returns the number of arrows."""
        share = self.scale.share
        parts = []
        n_nodes = n_arrows = 0
        for fiber in self._fibers:
            nodes, theta = fiber.node_theta, fiber.theta
            element, shape, slope = hermite_places(nodes, theta)
            group = element_of(nodes, theta) // share + n_arrows
            parts.append((element + n_nodes, shape, slope, sample_weights(fiber), group))
            n_nodes += nodes.size
            n_arrows += -(-(nodes.size - 1) // share)
        self._samples = tuple(np.concatenate(part) for part in zip(*parts, strict=True))
        return n_arrows

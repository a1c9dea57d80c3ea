"""Forces as arrows whose arrays are filled in place from frame to frame."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk._compile import kernel
from fibermsk.results.centerline import element_of, hermite_places
from fibermsk.results.result import Result
from fibermsk.view.forces import attachment_forces, sample_weights

__all__ = ["ArrowScale", "Arrows", "elements_per_arrow"]

Array = NDArray[np.float64]

_AROUND = 6
_SHAFT, _HEAD = 0.022, 0.062
"""Radii over the length of the longest arrow."""
_HEAD_LENGTH = 0.17
"""Of the head, over the length of the longest arrow; of a short arrow, at most half of it."""


class ArrowScale(NamedTuple):
    """How long arrows are.

    Attributes
    ----------
    force : float
        A round force [N].
    length : float
        Of an arrow of that force [m].
    longest : float
        Length of the longest arrow of the run [m]; 0 without any force.
    share : int
        Elements that an arrow of contact stands for.
    """

    force: float
    length: float
    longest: float
    share: int = 1

    @classmethod
    def of(cls, greatest: float, size: float, share: int = 1) -> ArrowScale:
        """Scale that draws the greatest force [N] as long as a size [m].

        The force is one, two or five times a power of ten, and at most the greatest.
        """
        if not greatest > 0.0:
            return cls(1.0, size, 0.0, share)
        power = 10.0 ** np.floor(np.log10(greatest * (1.0 + 1e-9)))
        force = max(k * power for k in (1.0, 2.0, 5.0) if k * power <= greatest * (1.0 + 1e-9))
        return cls(float(force), float(size * force / greatest), size, share)


def elements_per_arrow(result: Result, most: int) -> int:
    """Neighboring elements that share an arrow of contact, so that there are not too many."""
    counts = [fiber.node_theta.size - 1 for fiber in result.fibers.values()]
    share = 1
    while share < max(counts, default=1) and sum(-(-n // share) for n in counts) > most:
        share += 1
    return share


@kernel
def _gather(x, t, line, radius, node, shape, slope, weight, group, anchors, forces, total, depth):
    """Sum of the contact force of each group of samples, and where it enters the fiber."""
    anchors[:], forces[:], total[:], depth[:] = 0.0, 0.0, 0.0, 0.0
    center, tangent = np.empty(3), np.empty(3)
    for s in range(node.size):
        a, g = node[s], group[s]
        for i in range(3):
            center[i] = (
                shape[s, 0] * x[a, i]
                + shape[s, 1] * t[a, i]
                + shape[s, 2] * x[a + 1, i]
                + shape[s, 3] * t[a + 1, i]
            )
            tangent[i] = (
                slope[s, 0] * x[a, i]
                + slope[s, 1] * t[a, i]
                + slope[s, 2] * x[a + 1, i]
                + slope[s, 3] * t[a + 1, i]
            )
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
def _fill_arrows(anchors, forces, per_newton, longest, profile, lean, circle, points, normals):
    """Points and normals of all arrows, in place; one without force has no size."""
    n_rings, n_around = profile.shape[0], circle.shape[0]
    for k in range(anchors.shape[0]):
        size = np.sqrt(forces[k, 0] ** 2 + forces[k, 1] ** 2 + forces[k, 2] ** 2)
        there = size > 0.0 and np.isfinite(size)
        t0, t1, t2 = 0.0, 0.0, 1.0
        if there:
            t0, t1, t2 = forces[k, 0] / size, forces[k, 1] / size, forces[k, 2] / size
        length = size * per_newton if there else 0.0
        # a short arrow is thinner too, and its head leaves half of it to the shaft
        thick = min(longest, 3.0 * length)
        head = min(_HEAD_LENGTH * longest, 0.5 * length)
        if abs(t0) <= abs(t1) and abs(t0) <= abs(t2):
            e0, e1, e2 = 0.0, t2, -t1
        elif abs(t1) <= abs(t2):
            e0, e1, e2 = -t2, 0.0, t0
        else:
            e0, e1, e2 = t1, -t0, 0.0
        across = np.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
        e0, e1, e2 = e0 / across, e1 / across, e2 / across
        g0, g1, g2 = t1 * e2 - t2 * e1, t2 * e0 - t0 * e2, t0 * e1 - t1 * e0
        for ring in range(n_rings):
            along = profile[ring, 0] * length - profile[ring, 1] * head
            out = profile[ring, 2] * thick
            for a in range(n_around):
                c, s = circle[a, 0], circle[a, 1]
                d0, d1, d2 = c * e0 + s * g0, c * e1 + s * g1, c * e2 + s * g2
                p = (k * n_rings + ring) * n_around + a
                points[p, 0] = along * t0 + out * d0
                points[p, 1] = along * t1 + out * d1
                points[p, 2] = along * t2 + out * d2
                for i in range(3):
                    if there:
                        points[p, i] += anchors[k, i]
                normals[p, 0] = lean[ring, 0] * t0 + lean[ring, 1] * d0
                normals[p, 1] = lean[ring, 0] * t1 + lean[ring, 1] * d1
                normals[p, 2] = lean[ring, 0] * t2 + lean[ring, 1] * d2


class Arrows:
    """Surfaces of arrows in arrays that stay where they are.

    An arrow of attachment begins at the end of its fiber; one of contact where its force, the
    integral over one element or over `ArrowScale.share` neighbors, enters the fiber's surface.

    Parameters
    ----------
    result : Result
        Whose forces; it has fibers.
    kind : str
        One of `ARROW_KINDS`.
    scale : ArrowScale
        How long they are.

    Attributes
    ----------
    points, normals : (n, 3) float32 array
        Filled by `move`.
    faces : (m, 3) int64 array
        Triangles; those of an arrow without force have no area.
    anchors, forces : (n_arrows, 3) float array
        Where each begins [m] and its force [N], at the frame of the last `move`.
    """

    def __init__(self, result: Result, kind: str, scale: ArrowScale) -> None:
        self.kind, self.scale = kind, scale
        self._result = result
        self._fibers = tuple(result.fibers.values())
        n = 2 * len(self._fibers) if kind == "attachment" else self._number_samples()
        self.anchors, self.forces = np.zeros((n, 3)), np.zeros((n, 3))
        self._total, self._depth = np.zeros(n), np.zeros(n)
        self._profile, self._lean = _profile()
        angle = np.arange(_AROUND) * (2.0 * np.pi / _AROUND)
        self._circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        size = self._profile.shape[0] * _AROUND
        self.points = np.zeros((n * size, 3), dtype=np.float32)
        self.normals = np.zeros((n * size, 3), dtype=np.float32)
        one = _band_faces(self._profile.shape[0], _AROUND)
        self.faces = (one[None] + size * np.arange(n)[:, None, None]).reshape(-1, 3)

    def move(self, frame: int) -> None:
        """Fill the arrays with the arrows at a frame."""
        if self.kind == "attachment":
            self.anchors[:], self.forces[:] = attachment_forces(self._result, frame)
        else:
            fibers = self._fibers
            node, shape, slope, weight, group = self._samples
            _gather(
                np.concatenate([fiber.position[frame] for fiber in fibers]),
                np.concatenate([fiber.tangent[frame] for fiber in fibers]),
                np.concatenate([fiber.contact_line_force[frame] for fiber in fibers]),
                np.concatenate([fiber.radius[frame] for fiber in fibers]),
                node,
                shape,
                slope,
                weight,
                group,
                self.anchors,
                self.forces,
                self._total,
                self._depth,
            )
        per_newton = self.scale.length / self.scale.force
        _fill_arrows(
            self.anchors,
            self.forces,
            per_newton,
            self.scale.longest,
            self._profile,
            self._lean,
            self._circle,
            self.points,
            self.normals,
        )

    def _number_samples(self) -> int:
        """Node, Hermite functions, weight and arrow of each sample; gives the number of arrows."""
        share = self.scale.share
        node, shape, slope, weight, group = [], [], [], [], []
        n_nodes = n_arrows = 0
        for fiber in self._fibers:
            a, N, dN = hermite_places(fiber.node_theta, fiber.theta)
            node.append(a + n_nodes)
            shape.append(N)
            slope.append(dN)
            weight.append(sample_weights(fiber))
            group.append(element_of(fiber.node_theta, fiber.theta) // share + n_arrows)
            n_nodes += fiber.node_theta.size
            n_arrows += -(-(fiber.node_theta.size - 1) // share)
        parts = (node, shape, slope, weight, group)
        self._samples = tuple(np.concatenate(part) for part in parts)
        return n_arrows


def _profile() -> tuple[Array, Array]:
    """Rings of an arrow, and their normals along and across it.

    A ring lies ``c0 length - c1 head`` from the tail and has the radius ``c2 thick``.
    """
    rings = [
        (0.0, 0.0, _SHAFT), (1.0, 1.0, _SHAFT),
        (1.0, 1.0, _SHAFT), (1.0, 1.0, _HEAD),
        (1.0, 1.0, _HEAD), (1.0, 0.0, 0.0),
    ]  # fmt: skip
    steep = np.arctan2(_HEAD, _HEAD_LENGTH)
    cone = (np.sin(steep), np.cos(steep))
    lean = [(0.0, 1.0), (0.0, 1.0), (-1.0, 0.0), (-1.0, 0.0), cone, cone]
    return np.array(rings), np.array(lean)


def _band_faces(n_rings: int, n_around: int) -> NDArray[np.int64]:
    """Triangles between the first and second ring, third and fourth, and so on."""
    a = np.arange(n_around)
    b = (a + 1) % n_around
    c, d = a + n_around, b + n_around
    band = np.concatenate([np.stack([a, b, d], axis=1), np.stack([a, d, c], axis=1)])
    return np.concatenate([band + k * n_around for k in range(0, n_rings, 2)])

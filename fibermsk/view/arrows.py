"""Forces as arrows: of fibers on bodies at their ends, and of contact on fibers.

The arrays are those of a result; what is recorded per length is summed over lengths, nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk.errors import ModelError
from fibermsk.results.result import FiberHistory, Result

__all__ = [
    "ARROW_KINDS",
    "ArrowScale",
    "Arrows",
    "attachment_forces",
    "check_kinds",
    "contact_forces",
    "greatest_force",
    "sample_lengths",
]

Array = NDArray[np.float64]

ARROW_KINDS = ("attachment", "contact")
"""Forces of the fibers on bodies at both ends; contact forces on the fibers, one an element."""

_MOST = 12_000
"""Arrows of contact at once; beyond that neighboring elements share one, with the sum."""
_AROUND = 8
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
        Length of the longest arrow of the run [m].
    """

    force: float
    length: float
    longest: float

    @classmethod
    def of(cls, greatest: float, size: float) -> ArrowScale:
        """Scale that draws the greatest force [N] about as long as a size [m].

        The force is one, two or five times a power of ten, and at most the greatest.
        """
        if not greatest > 0.0:
            return cls(1.0, size, 0.0)
        power = 10.0 ** np.floor(np.log10(greatest))
        force = float(power * max(k for k in (1.0, 2.0, 5.0) if k * power <= greatest * (1 + 1e-9)))
        return cls(force, size * force / greatest, size)


def check_kinds(kinds: Iterable[str]) -> tuple[str, ...]:
    """Kinds of arrows, each once, in the order of `ARROW_KINDS`.

    Raises
    ------
    ModelError
        If there is no such kind; the message lists those there are.
    """
    asked = (kinds,) if isinstance(kinds, str) else tuple(kinds)
    for kind in asked:
        if kind not in ARROW_KINDS:
            raise ModelError(f"arrows = {kind!r}; there are: {', '.join(ARROW_KINDS)}")
    return tuple(kind for kind in ARROW_KINDS if kind in asked)


def attachment_forces(result: Result, frame: int) -> tuple[Array, Array]:
    """Where fibers pull on bodies, and with what force.

    Returns
    -------
    points, forces : (2 n_fibers, 3) float array
        Ends of the fibers [m], origin and insertion in turn, and forces on the bodies [N].
    """
    fibers = result.fibers.values()
    points = [fiber.position[frame, [0, -1]] for fiber in fibers]
    forces = [np.stack([f.force_origin[frame], f.force_insertion[frame]]) for f in fibers]
    if not points:
        return np.empty((0, 3)), np.empty((0, 3))
    return np.concatenate(points), np.concatenate(forces)


def contact_forces(fiber: FiberHistory, frame: int, share: int = 1) -> tuple[Array, Array]:
    """Contact force on each element of a fiber.

    Parameters
    ----------
    fiber : FiberHistory
        The fiber.
    frame : int
        Frame index.
    share : int
        Neighboring elements that are summed to one arrow.

    Returns
    -------
    points, forces : (ceil(n_elements / share), 3) float array
        Where the fiber is pressed in the mean [m], on its surface where the force enters; and the
        integral of the contact force per length over the current length there [N].
    """
    weight = sample_lengths(fiber, frame)
    line = fiber.contact_line_force[frame]
    center = fiber.centerline(fiber.theta, frame)
    group = _element_of_samples(fiber) // share
    n = -(-(fiber.node_theta.size - 1) // share)
    forces, points, total = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros(n)
    pressed = np.linalg.norm(line, axis=1) * weight
    radius = np.zeros(n)
    np.add.at(forces, group, line * weight[:, None])
    np.add.at(points, group, center * pressed[:, None])
    np.add.at(radius, group, fiber.radius[frame] * pressed)
    np.add.at(total, group, pressed)
    loaded = total > 0.0
    points[loaded] /= total[loaded, None]
    size = np.linalg.norm(forces, axis=1)
    seen = loaded & (size > 0.0)
    points[seen] += forces[seen] * (radius[seen] / total[seen] / size[seen])[:, None]
    points[~loaded] = center[0]
    return points, forces


def sample_lengths(fiber: FiberHistory, frame: int) -> Array:
    """Current length of the fiber that each sample stands for [m], (n_samples,).

    Notes
    -----
    Weights that integrate polynomials through the samples of each element exactly: at Gauss points
    they are Gauss weights. With an element that has no sample, or more than six, the length between
    the middles of neighboring samples.
    """
    nodes, theta = fiber.node_theta, fiber.theta
    element = _element_of_samples(fiber)
    counts = np.bincount(element, minlength=nodes.size - 1)
    if counts.min() >= 1 and counts.max() <= 6:
        weight = np.empty(theta.size)
        for e in range(nodes.size - 1):
            mine = element == e
            h = nodes[e + 1] - nodes[e]
            xi = (theta[mine] - nodes[e]) / h
            powers = np.arange(xi.size)
            moments = 1.0 / (powers + 1.0)
            weight[mine] = h * np.linalg.solve(xi[None, :] ** powers[:, None], moments)
    else:
        middles = np.concatenate([[nodes[0]], 0.5 * (theta[1:] + theta[:-1]), [nodes[-1]]])
        weight = np.diff(middles)
    return weight * _speed(fiber, theta, frame)


def greatest_force(result: Result, kind: str) -> float:
    """Magnitude of the greatest force of a kind over the whole run [N]; of contact, per element."""
    found = 0.0
    for fiber in result.fibers.values():
        if kind == "attachment":
            sizes = np.linalg.norm([fiber.force_origin, fiber.force_insertion], axis=2)
        else:
            pressed = np.flatnonzero(np.any(fiber.contact_line_force != 0.0, axis=(1, 2)))
            # a hundred frames tell how long arrows get; a scale needs no more
            pressed = pressed[:: max(1, pressed.size // 100)]
            sizes = np.array([np.linalg.norm(contact_forces(fiber, k)[1], axis=1) for k in pressed])
        sizes = sizes[np.isfinite(sizes)]
        found = max(found, float(np.max(sizes, initial=0.0)))
    return found


class Arrows:
    """Surfaces of arrows in arrays that stay where they are.

    Parameters
    ----------
    result : Result
        Whose forces.
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
        fibers = result.fibers.values()
        elements = sum(fiber.node_theta.size - 1 for fiber in fibers)
        self.share = 1 if kind == "attachment" else max(1, -(-elements // _MOST))
        self.anchors, self.forces = self._find(0)
        self._profile, self._slope = _profile()
        n = len(self.anchors)
        shape = (n * self._profile.shape[0] * _AROUND, 3)
        self.points = np.zeros(shape, dtype=np.float32)
        self.normals = np.zeros(shape, dtype=np.float32)
        one = _ring_faces(self._profile.shape[0], _AROUND)
        shift = np.arange(n)[:, None, None] * (self._profile.shape[0] * _AROUND)
        self.faces = (one[None] + shift).reshape(-1, 3)
        self.move(0)

    def move(self, frame: int) -> None:
        """Fill the arrays with the arrows at a frame."""
        self.anchors[:], self.forces[:] = self._find(frame)
        size = np.linalg.norm(self.forces, axis=1)
        drawn = np.isfinite(size) & (size > 0.0)
        size = np.where(drawn, size, 0.0)
        axis = np.where(drawn[:, None], self.forces, [0.0, 0.0, 1.0])
        axis = axis / np.maximum(np.linalg.norm(axis, axis=1, keepdims=True), 1e-300)
        first = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis), axis=1)])
        first /= np.linalg.norm(first, axis=1, keepdims=True)
        second = np.cross(axis, first)
        angle = np.arange(_AROUND) * (2.0 * np.pi / _AROUND)
        radial = np.cos(angle)[:, None] * first[:, None] + np.sin(angle)[:, None] * second[:, None]
        length = size * (self.scale.length / self.scale.force)
        longest = self.scale.longest
        # a short arrow is thinner too, and its head leaves half of it to the shaft
        thick = np.minimum(longest, 3.0 * length)
        head = np.minimum(_HEAD_LENGTH * longest, 0.5 * length)
        along = self._profile[:, 0] * length[:, None] - self._profile[:, 1] * head[:, None]
        out = self._profile[:, 2] * thick[:, None]
        anchors = np.where(np.isfinite(self.anchors), self.anchors, 0.0)
        base = anchors[:, None] + along[:, :, None] * axis[:, None]
        points = base[:, :, None] + out[:, :, None, None] * radial[:, None]
        normals = (
            self._slope[:, 0, None, None] * axis[:, None, None]
            + self._slope[:, 1, None, None] * radial[:, None]
        )
        self.points[:] = points.reshape(-1, 3)
        self.normals[:] = normals.reshape(-1, 3)

    def _find(self, frame: int) -> tuple[Array, Array]:
        if self.kind == "attachment":
            return attachment_forces(self._result, frame)
        found = [contact_forces(f, frame, self.share) for f in self._result.fibers.values()]
        if not found:
            return np.empty((0, 3)), np.empty((0, 3))
        return np.concatenate([p for p, _ in found]), np.concatenate([f for _, f in found])


def _profile() -> tuple[Array, Array]:
    """Rings of an arrow, and their normals along and across it.

    A ring lies ``c0 length - c1 head`` from the tail and has the radius ``c2 thick``.
    """
    rings = [
        (0.0, 0.0, 0.0), (0.0, 0.0, _SHAFT),
        (0.0, 0.0, _SHAFT), (1.0, 1.0, _SHAFT),
        (1.0, 1.0, _SHAFT), (1.0, 1.0, _HEAD),
        (1.0, 1.0, _HEAD), (1.0, 0.0, 0.0),
    ]  # fmt: skip
    lean = np.arctan2(_HEAD, _HEAD_LENGTH)
    cone = (np.sin(lean), np.cos(lean))
    slopes = [(-1, 0), (-1, 0), (0, 1), (0, 1), (-1, 0), (-1, 0), cone, cone]
    return np.array(rings), np.array(slopes, dtype=float)


def _ring_faces(n_rings: int, n_around: int) -> NDArray[np.int64]:
    """Triangles between the first and second ring, third and fourth, and so on."""
    a = np.arange(n_around)
    b = (a + 1) % n_around
    band = np.concatenate(
        [np.stack([a, b, b + n_around], 1), np.stack([a, b + n_around, a + n_around], 1)]
    )
    return np.concatenate([band + k * n_around for k in range(0, n_rings, 2)])


def _element_of_samples(fiber: FiberHistory) -> NDArray[np.intp]:
    nodes = fiber.node_theta
    return np.clip(np.searchsorted(nodes, fiber.theta, side="right") - 1, 0, nodes.size - 2)


def _speed(fiber: FiberHistory, theta: Array, frame: int) -> Array:
    """Current length per theta [m], (n,)."""
    nodes = fiber.node_theta
    element = np.clip(np.searchsorted(nodes, theta, side="right") - 1, 0, nodes.size - 2)
    h = nodes[element + 1] - nodes[element]
    xi = (theta - nodes[element]) / h
    x, t = fiber.position[frame], fiber.tangent[frame]
    slope = (
        (6.0 * xi * (xi - 1.0) / h)[:, None] * (x[element] - x[element + 1])
        + ((3.0 * xi - 1.0) * (xi - 1.0))[:, None] * t[element]
        + (xi * (3.0 * xi - 2.0))[:, None] * t[element + 1]
    )
    return np.linalg.norm(slope, axis=1)

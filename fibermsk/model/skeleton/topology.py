"""Connectivity and orientation of the triangles of a mesh."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array, Index

# Triangles sampled for the orientation of a patch, and the rise of the winding number that means
# inward.
_SAMPLES, _RISE = 16, 0.05


@dataclass(frozen=True)
class Topology:
    """Edges and connected components of a mesh."""

    first: Index  # triangles (n_pairs,) that share an edge with the `second`, and with no third
    second: Index
    # whether both traverse it in opposite directions, as consistently oriented triangles do
    alike: NDArray[np.bool_]
    n_open: int  # edges with a single triangle
    n_crowded: int  # edges with more than two
    component: Index  # component (n_faces,) of each triangle; components share no vertex

    @property
    def watertight(self) -> bool:
        """Whether every edge joins two consistently oriented triangles."""
        return self.n_open == 0 and self.n_crowded == 0 and bool(self.alike.all())

    @classmethod
    def of(cls, faces: Index) -> Topology:
        """Find the topology of triangles (n, 3) of vertex indices."""
        n = len(faces)
        edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
        owner = np.tile(np.arange(n), 3)
        upward = edges[:, 0] < edges[:, 1]
        key = edges.min(axis=1) * (faces.max() + 1) + edges.max(axis=1)
        order = np.argsort(key, kind="stable")
        start = np.flatnonzero(np.diff(key[order], prepend=-1))
        count = np.diff(np.r_[start, key.size])
        pair = start[count == 2]
        a, b = order[pair], order[pair + 1]
        return cls(
            first=owner[a],
            second=owner[b],
            alike=upward[a] != upward[b],
            n_open=int((count == 1).sum()),
            n_crowded=int((count > 2).sum()),
            component=_components(faces),
        )


def _components(faces: Index) -> Index:
    """Number of the component of each triangle."""
    label = _connected(int(faces.max()) + 1, faces)
    return np.unique(label[faces[:, 0]], return_inverse=True)[1].reshape(-1).astype(np.int64)


def _connected(n: int, groups: Index) -> Index:
    """Least of all items connected to each of n items by groups (m, k) of them."""
    label = np.arange(n)
    while True:
        before, least = label.copy(), label[groups].min(axis=1)
        np.minimum.at(label, groups.ravel(), np.repeat(least, groups.shape[1]))
        label = label[label]
        if np.array_equal(label, before):
            return label


def enclosed_volume(vertices: Array, faces: Index) -> float:
    """Volume enclosed by triangles [m^3], negative if they point inward.

    Each hole of an open mesh is closed by triangles between its edges and their centroid.
    """
    corners = vertices[faces]
    origin = corners.mean(axis=(0, 1))
    edges = np.concatenate([faces[:, [1, 0]], faces[:, [2, 1]], faces[:, [0, 2]]])
    low, high = edges.min(axis=1), edges.max(axis=1)
    key, first, index = np.unique(
        low * (faces.max() + 1) + high, return_index=True, return_inverse=True
    )
    # edges that are not traversed equally often in both directions
    net = np.bincount(index, np.where(edges[:, 0] < edges[:, 1], 1.0, -1.0), key.size)
    open_edges = np.flatnonzero(net)
    tetrahedra = _six_volumes(corners - origin).sum()
    if open_edges.size:
        a, b = low[first[open_edges]], high[first[open_edges]]
        _, at = np.unique(np.r_[a, b], return_inverse=True)
        a_own, b_own = at.reshape(2, -1)
        hole = _components(np.stack([a_own, b_own, a_own], axis=1))
        middle = np.zeros((hole.max() + 1, 3))
        np.add.at(middle, hole, 0.5 * (vertices[a] + vertices[b]))
        middle /= np.bincount(hole)[:, None]
        lids = np.stack([vertices[a], vertices[b], middle[hole]], axis=1)
        tetrahedra += (net[open_edges] * _six_volumes(lids - origin)).sum()
    return float(tetrahedra / 6.0)


def _six_volumes(corners: Array) -> Array:
    """Six times the volumes of tetrahedra between triangles (n, 3, 3) and the origin."""
    return np.einsum("fi,fi->f", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))


def orient(vertices: Array, faces: Index) -> tuple[Index, int]:
    """Triangles oriented outward, and the number flipped.

    Neighbors are made consistent first. A component whose volume is then negative is flipped,
    unless it lies within another one, where it is the wall of a cavity.
    """
    topology = Topology.of(faces)
    turn = _unlike(len(faces), topology)
    faces = np.where(turn[:, None], faces[:, ::-1], faces)
    n_parts = int(topology.component.max()) + 1
    corners = vertices[faces]
    volume = np.zeros(n_parts)
    for part in range(n_parts):
        own = topology.component == part
        volume[part] = enclosed_volume(vertices, faces[own])
    inward = volume < 0.0
    for part in np.flatnonzero(inward):
        own = topology.component == part
        others = ~own & ~inward[topology.component]
        if others.any():
            inside = winding_number(corners[others], corners[own][:8].mean(axis=1)) > 0.5
            inward[part] = not inside.all()
    back = inward[topology.component]
    faces = np.where(back[:, None], faces[:, ::-1], faces)
    if not topology.watertight:
        patches = _inverted_patches(vertices, faces, topology)
        faces = np.where(patches[:, None], faces[:, ::-1], faces)
        back = back ^ patches
    turned = turn ^ back
    return np.ascontiguousarray(faces), int(turned.sum())


def _inverted_patches(vertices: Array, faces: Index, topology: Topology) -> NDArray[np.bool_]:
    """Triangles of patches oriented against the rest, at non-manifold edges or slits.

    Across the hole without the patch, the winding number of the rest decreases outward.
    """
    label = _connected(len(faces), np.stack([topology.first, topology.second], axis=1))
    names, size = np.unique(label, return_counts=True)
    inverted = np.zeros(len(faces), bool)
    corners = vertices[faces]
    for name in names[np.argsort(size)][:-1]:  # the largest patch is the reference
        own = label == name
        rest = np.where(inverted[~own, None, None], corners[~own][:, ::-1], corners[~own])
        at = corners[own]
        normal = np.cross(at[:, 1] - at[:, 0], at[:, 2] - at[:, 0])
        twice = np.linalg.norm(normal, axis=1)
        some = np.argsort(-twice)[:_SAMPLES]
        step = 0.2 * np.sqrt(0.5 * twice.sum()) * normal[some] / twice[some, None]
        middle = at[some].mean(axis=1)
        rise = winding_number(rest, middle + step) - winding_number(rest, middle - step)
        inverted[own] = np.average(rise, weights=twice[some]) > _RISE
    return inverted


def _unlike(n: int, topology: Topology) -> NDArray[np.bool_]:
    """Triangles to flip for consistent neighbors: as few in each component as possible."""
    turn = np.zeros(n, bool)
    if topology.alike.all():
        return turn
    ends = np.concatenate([topology.first, topology.second])
    other = np.concatenate([topology.second, topology.first])
    alike = np.tile(topology.alike, 2)
    order = np.argsort(ends, kind="stable")
    begin = np.searchsorted(ends[order], np.arange(n + 1))
    seen = np.zeros(n, bool)
    for seed in range(n):
        if seen[seed]:
            continue
        seen[seed], part = True, [seed]
        for face in part:  # grows during the loop
            for k in order[begin[face] : begin[face + 1]]:
                if not seen[other[k]]:
                    seen[other[k]] = True
                    turn[other[k]] = turn[face] if alike[k] else not turn[face]
                    part.append(int(other[k]))
        if 2 * turn[part].sum() > len(part):
            turn[part] = ~turn[part]
    return turn


def winding_number(corners: Array, points: Array) -> Array:
    """Generalized winding numbers (n,) at points (n, 3) of a mesh with corners (n_faces, 3, 3).

    1 inside a closed mesh that is oriented outward, 0 outside; no point may lie on a triangle.

    Notes
    -----
    Each solid angle, over 4 pi, by the formula of van Oosterom and Strackee [1]_; for an open mesh
    the sum is the generalized winding number of [2]_.

    References
    ----------
    .. [1] van Oosterom and Strackee, IEEE Trans. Biomed. Eng. 30 (1983), 125-126.
    .. [2] Jacobson, Kavan and Sorkine-Hornung, ACM Trans. Graph. 32 (2013), 33.
    """
    number = np.empty(len(points))
    for i, point in enumerate(points):
        a, b, c = np.moveaxis(corners - point, 1, 0)
        la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
        volume = np.einsum("fi,fi->f", a, np.cross(b, c))
        dot = [np.einsum("fi,fi->f", p, q) for p, q in ((a, b), (b, c), (c, a))]
        below = la * lb * lc + dot[0] * lc + dot[1] * la + dot[2] * lb
        number[i] = np.arctan2(volume, below).sum() / (2.0 * np.pi)
    return number

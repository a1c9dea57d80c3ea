"""Triangle meshes of a sphere, a capsule and a cylinder at any resolution."""

import numpy as np

import fibermsk as fm


def icosphere(divisions: int) -> tuple[np.ndarray, np.ndarray]:
    """Unit sphere of 20 * 4^divisions triangles with their vertices on it."""
    golden = 0.5 * (1.0 + np.sqrt(5.0))
    signs = [(s, t * golden) for s in (-1.0, 1.0) for t in (-1.0, 1.0)]
    vertices = np.array([np.roll((0.0, s, t), k) for k in range(3) for s, t in signs])
    apart = np.linalg.norm(vertices[:, None] - vertices, axis=2)
    near = (apart > 0.0) & (apart < 2.1)
    faces = np.array(
        [
            (a, b, c)
            for a in range(12)
            for b in range(a)
            for c in range(b)
            if near[a, b] and near[b, c] and near[c, a]
        ]
    )
    vertices /= np.linalg.norm(vertices[0])
    for _ in range(divisions):
        edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
        unique, index = np.unique(edges, axis=0, return_inverse=True)
        middle = vertices[unique].mean(axis=1)
        middle /= np.linalg.norm(middle, axis=1)[:, None]
        i, j, k = index.reshape(-1, 3).T + len(vertices)
        a, b, c = faces.T
        parts = ((a, i, k), (b, j, i), (c, k, j), (i, j, k))
        faces = np.concatenate([np.stack(part, axis=1) for part in parts])
        vertices = np.concatenate([vertices, middle])
    normal = np.cross(
        vertices[faces[:, 1]] - vertices[faces[:, 0]], vertices[faces[:, 2]] - vertices[faces[:, 0]]
    )
    inward = np.einsum("fi,fi->f", normal, vertices[faces[:, 0]]) < 0.0
    faces[inward] = faces[inward][:, ::-1]
    return vertices, faces


def sphere(radius: float, divisions: int, **options) -> fm.Mesh:
    """Mesh of a sphere around the origin."""
    vertices, faces = icosphere(divisions)
    return fm.Mesh(radius * vertices, faces, radius=radius, **options)


def revolved(profile: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Closed surface of revolution about z from a profile (m, 2) of (radius, z), pole to pole.

    With n vertices around; every other ring is rotated by half a step.
    """
    rings, m = profile[1:-1], len(profile) - 2
    angle = 2.0 * np.pi * (np.arange(n) + 0.5 * (np.arange(m) % 2)[:, None]) / n
    vertices = np.stack(
        [rings[:, :1] * np.cos(angle), rings[:, :1] * np.sin(angle), rings[:, 1:] + 0.0 * angle],
        axis=2,
    ).reshape(-1, 3)
    faces = []
    i = np.arange(n)
    after = (i + 1) % n
    for k in range(m - 1):
        low, high = n * k, n * (k + 1)
        if k % 2:  # this ring is rotated by half a step
            faces += [
                np.stack([low + i, low + after, high + after], axis=1),
                np.stack([low + i, high + after, high + i], axis=1),
            ]
        else:
            faces += [
                np.stack([low + i, low + after, high + i], axis=1),
                np.stack([low + after, high + after, high + i], axis=1),
            ]
    bottom, top = n * m, n * m + 1
    faces.append(np.stack([after, i, 0 * i + bottom], axis=1))
    faces.append(np.stack([n * (m - 1) + i, n * (m - 1) + after, 0 * i + top], axis=1))
    poles = [(0.0, 0.0, profile[0, 1]), (0.0, 0.0, profile[-1, 1])]
    return np.concatenate([vertices, poles]), np.concatenate(faces)


def capsule(radius: float, length: float, n: int, **options) -> fm.Mesh:
    """Mesh of a capsule with its axis along z, from 0 to length; n vertices around."""
    around = np.linspace(0.0, 0.5 * np.pi, max(2, n // 4 + 1))
    along = np.linspace(0.0, length, max(2, round(length * n / (2.0 * np.pi * radius)) + 1))
    low = np.stack([radius * np.sin(around), -radius * np.cos(around)], axis=1)
    side = np.stack([radius + 0.0 * along, along], axis=1)
    high = low[::-1] * (1.0, -1.0) + (0.0, length)
    profile = np.concatenate([low[:-1], side, high[1:]])
    return fm.Mesh(*revolved(profile, n), radius=radius, **options)


def cylinder(radius: float, length: float, n: int, **options) -> fm.Mesh:
    """Mesh of a cylinder with flat ends, its axis along z, from 0 to length; n vertices around."""
    along = np.linspace(0.0, length, max(2, round(length * n / (2.0 * np.pi * radius)) + 1))
    side = np.stack([radius + 0.0 * along, along], axis=1)
    profile = np.concatenate([[(0.0, 0.0)], side, [(0.0, length)]])
    return fm.Mesh(*revolved(profile, n), radius=radius, **options)

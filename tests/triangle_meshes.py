"""Closed triangle meshes for tests: spheres and boxes, and their files."""

import numpy as np
from scipy.spatial import ConvexHull


def icosphere(levels, radius=1.0, center=(0.0, 0.0, 0.0)):
    """Vertices and faces of an icosahedron whose faces are divided into four, several times."""
    golden = 0.5 * (1.0 + np.sqrt(5.0))
    signs = [(s, t * golden) for s in (-1.0, 1.0) for t in (-1.0, 1.0)]
    vertices = [np.roll((0.0, s, t), k) for k in range(3) for s, t in signs]
    vertices = np.array(vertices) / np.hypot(1.0, golden)
    faces = ConvexHull(vertices).simplices
    for _ in range(levels):
        known, points, fine = {}, list(vertices), []

        def middle(i, j, known=known, points=points):
            key = min(i, j), max(i, j)
            if key not in known:
                known[key] = len(points)
                point = points[i] + points[j]
                points.append(point / np.linalg.norm(point))
            return known[key]

        for a, b, c in faces:
            ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
            fine += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        vertices, faces = np.array(points), np.array(fine)
    corners = vertices[faces]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = np.einsum("ni,ni->n", normal, corners.mean(axis=1)) < 0.0
    faces[inward] = faces[inward][:, ::-1]
    return radius * vertices + np.array(center), faces


def box(size, n=1):
    """Vertices and faces of a box around the origin; n x n squares of two triangles a side."""
    grid = np.linspace(-0.5, 0.5, n + 1)
    known, faces = {}, []

    def vertex(*point):
        return known.setdefault(tuple(np.round(point, 12)), len(known))

    for axis in range(3):
        for sign in (-0.5, 0.5):
            for u, v in ((grid[i : i + 2], grid[j : j + 2]) for i in range(n) for j in range(n)):
                ring = [(u[0], v[0]), (u[1], v[0]), (u[1], v[1]), (u[0], v[1])]
                ring = ring if sign > 0.0 else ring[::-1]
                a, b, c, d = (vertex(*np.roll((sign, *one), axis)) for one in ring)
                faces += [(a, b, c), (a, c, d)]
    return np.array(list(known)) * np.array(size), np.array(faces)


def write_obj(path, vertices, faces):
    """Write an .obj file with all digits."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
    lines += ["f " + " ".join(str(k + 1) for k in face) for face in faces.tolist()]
    path.write_text("\n".join(lines) + "\n")
    return path

"""Signed distance to triangles, written plainly: every triangle, one point after the other."""

import numpy as np


def on_segment(p, a, b):
    """Closest point of a segment."""
    t = np.dot(p - a, b - a) / np.dot(b - a, b - a)
    return a + min(max(t, 0.0), 1.0) * (b - a)


def on_triangle(p, a, b, c):
    """Closest point of a triangle: the foot of the perpendicular, or one on an edge."""
    u, v = b - a, c - a
    s, t = np.linalg.lstsq(np.stack([u, v], axis=1), p - a, rcond=None)[0]
    if s >= 0.0 and t >= 0.0 and s + t <= 1.0:
        return a + s * u + t * v
    feet = [on_segment(p, *side) for side in ((a, b), (b, c), (c, a))]
    return min(feet, key=lambda foot: np.linalg.norm(foot - p))


def solid_angle(p, a, b, c):
    """Signed solid angle of a triangle, from the angles of the spherical triangle's sides."""
    x, y, z = (q - p for q in (a, b, c))
    x, y, z = (q / np.linalg.norm(q) for q in (x, y, z))
    sides = [np.arccos(np.clip(m @ n, -1.0, 1.0)) for m, n in ((x, y), (y, z), (z, x))]
    half = 0.5 * sum(sides)
    parts = [np.tan(0.5 * half)] + [np.tan(0.5 * (half - side)) for side in sides]
    size = 4.0 * np.arctan(np.sqrt(max(np.prod(parts), 0.0)))  # L'Huilier
    return np.sign(np.linalg.det([x, y, z])) * size


def signed_distance(p, vertices, faces):
    """Distance of a point, negative where the winding number is above one half."""
    corners = [vertices[list(face)] for face in faces]
    apart = min(np.linalg.norm(on_triangle(p, *corner) - p) for corner in corners)
    turns = sum(solid_angle(p, *corner) for corner in corners) / (4.0 * np.pi)
    return -apart if turns > 0.5 else apart


def bspline(t):
    """Centered cubic B-spline."""
    t = abs(t)
    if t >= 2.0:
        return 0.0 * t
    return (2.0 - t) ** 3 / 6.0 if t >= 1.0 else 2.0 / 3.0 - t**2 + 0.5 * t**3


def field(p, origin, spacing, coefficients):
    """Sum of all B-splines of a grid at a point."""
    weights = [
        np.array([bspline((p[c] - origin[c]) / spacing - i) for i in range(n)])
        for c, n in enumerate(coefficients.shape)
    ]
    return np.einsum("i,j,k,ijk->", *weights, coefficients)

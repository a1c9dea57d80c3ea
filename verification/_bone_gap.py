"""Gap between tibia and femur on the bone meshes of OpenSim, which may have holes."""

import os
from pathlib import Path

import numpy as np

FEMUR, TIBIA = "r_femur.vtp", "r_tibia.vtp"
NEAR_FEMUR, NEAR_TIBIA, FINE = -0.35, -0.08, 6
"""Parts of the bones at the knee [m], and points along the edge of a triangle."""


class Bone:
    """Triangles of a surface, and points on it."""

    def __init__(self, file):
        import pyvista

        surface = pyvista.read(file).extract_surface(algorithm="dataset_surface")
        self.surface = surface.triangulate().clean()
        corners = self.surface.faces.reshape(-1, 4)[:, 1:]
        self.triangles = np.asarray(self.surface.points, float)[corners]
        n = FINE
        shares = [(a, b, n - a - b) for a in range(n + 1) for b in range(n + 1 - a)]
        points = np.einsum("wk,tkd->twd", np.array(shares) / n, self.triangles)
        self.points = points.reshape(-1, 3)

    def distance(self, points):
        """Distance of points (n, 3), negative inside: where the surface winds around them."""
        import pyvista

        found = pyvista.PolyData(points).compute_implicit_distance(self.surface)
        angle = np.zeros(len(points))
        for triangle in self.triangles:
            a, b, c = (corner - points for corner in triangle)
            x, y, z = (np.linalg.norm(side, axis=1) for side in (a, b, c))
            volume = np.einsum("ij,ij->i", a, np.cross(b, c))
            rest = x * y * z + (a * b).sum(1) * z + (b * c).sum(1) * x + (c * a).sum(1) * y
            angle += 2.0 * np.arctan2(volume, rest)
        size = np.abs(found["implicit_distance"])
        return np.where(np.abs(angle) > 2.0 * np.pi, -size, size)


def bones():
    """Femur and tibia; None where they are not."""
    folder = Path(os.environ.get("FIBERMSK_MODELS", "")) / "opensim-models" / "Geometry"
    if not all((folder / file).is_file() for file in (FEMUR, TIBIA)):
        return None
    return Bone(folder / FEMUR), Bone(folder / TIBIA)


def gap(femur, tibia, rotation, position) -> float:
    """Least distance of the bones at a pose of the tibia in the femur [m]."""
    low = femur.points[femur.points[:, 1] < NEAR_FEMUR]
    high = tibia.points[tibia.points[:, 1] > NEAR_TIBIA]
    ours = femur.distance(high @ rotation.T + position).min()
    return float(min(ours, tibia.distance((low - position) @ rotation).min()))

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fibermsk.results.result import ShapeRecord
from fibermsk.view.drawing.surfaces import shape_surface


def volume(points, faces):
    a, b, c = points[faces].transpose(1, 0, 2)
    return np.einsum("ni,ni->", a, np.cross(b, c)) / 6.0


@pytest.mark.parametrize("kind", ["capsule", "infinite_cylinder"])
def test_shapes_have_their_volume_and_outward_normals(kind):
    start, end, radius = np.array([0.1, 0.2, 0.3]), np.array([0.4, 0.2, 0.7]), 0.2
    surface = shape_surface(ShapeRecord(kind, start, end, radius), span=(-1.0, 1.0), n_around=256)
    disk = np.pi * radius**2
    expected = disk * 0.5 + 4.0 / 3.0 * radius * disk if kind == "capsule" else 2.0 * disk
    assert_allclose(volume(surface.points, surface.faces), expected, rtol=1e-3)
    a, b, c = surface.points[surface.faces].transpose(1, 0, 2)
    flat = np.cross(b - a, c - a)
    real = np.linalg.norm(flat, axis=1) > 1e-9
    assert np.all(np.sum(flat * surface.normals[surface.faces[:, 0]], axis=1)[real] > 0.0)


def test_capsule_without_length_is_a_ball():
    surface = shape_surface(ShapeRecord("capsule", np.ones(3), np.ones(3), 0.5))
    assert_allclose(np.linalg.norm(surface.points - 1.0, axis=1), 0.5)

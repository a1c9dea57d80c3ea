import numpy as np
import pytest
from numpy.testing import assert_allclose

from fibermsk.results.result import ShapeRecord
from fibermsk.view.surfaces import TubeLayout, shape_surface, transport_frames


def volume(points, faces):
    a, b, c = points[faces].transpose(1, 0, 2)
    return np.einsum("ni,ni->", a, np.cross(b, c)) / 6.0


def helix(n_points, turns=2.0):
    s = np.linspace(0.0, 2.0 * np.pi * turns, n_points)
    return np.stack([0.1 * np.cos(s), 0.1 * np.sin(s), 0.03 * s], axis=1)


def test_frames_are_orthonormal_and_turn_as_little_as_possible():
    center = np.stack([helix(400), helix(400)[:, [2, 0, 1]]])
    tangent = np.gradient(center, axis=1)
    tangent /= np.linalg.norm(tangent, axis=2, keepdims=True)
    first, second = transport_frames(tangent)
    axes = np.stack([tangent, first, second], axis=2)
    assert_allclose(
        axes @ axes.swapaxes(2, 3), np.broadcast_to(np.eye(3), (2, 400, 3, 3)), atol=1e-12
    )
    assert_allclose(np.linalg.det(axes), 1.0)
    # Parallel transport: the change of an axis has no part along the other one.
    middle = 0.5 * (second[:, 1:] + second[:, :-1])
    twist = np.einsum("cni,cni->cn", np.diff(first, axis=1), middle)
    assert np.max(np.abs(twist)) < 1e-3 * np.max(np.linalg.norm(np.diff(first, axis=1), axis=2))


def test_straight_tube_is_a_closed_cylinder():
    layout = TubeLayout(2, 30, 64)
    line = np.linspace([0.0, 0.0, 0.0], [0.0, 0.3, 0.4], 30)
    points, normals = layout.points(np.stack([line, line + 1.0]), np.full((2, 30), 0.02))
    assert layout.faces.max() == len(points) - 1
    # The polygon's area is 64/2 sin(2 pi/64) r^2.
    area = 32.0 * np.sin(2.0 * np.pi / 64.0) * 0.02**2
    assert_allclose(volume(points, layout.faces), 2 * 0.5 * area, rtol=1e-10)
    assert_allclose(np.linalg.norm(normals, axis=1), 1.0)
    edges = np.sort(layout.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    # Rims of the caps are doubled points, so only they have edges with a single face.
    single = np.sum(np.unique(edges, axis=0, return_counts=True)[1] == 1)
    assert single == 2 * 2 * 2 * 64


def test_normals_of_a_cone_lean_backwards():
    layout = TubeLayout(1, 50, 16)
    center = np.linspace([0.0, 0.0, 0.0], [0.0, 0.0, 1.0], 50)[None]
    _, normals = layout.points(center, np.linspace(0.1, 0.2, 50)[None])
    assert_allclose(normals[: 50 * 16, 2], -0.1 / np.hypot(1.0, 0.1))


def test_values_go_to_all_points_of_a_section():
    layout = TubeLayout(1, 3, 4)
    values = layout.spread(np.array([[1.0, 2.0, 3.0]]))
    points, _ = layout.points(np.eye(3)[None], np.full((1, 3), 0.1))
    assert values.shape == (len(points),)
    assert_allclose(values[12:17], 1.0)
    assert_allclose(values[17:], 3.0)


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

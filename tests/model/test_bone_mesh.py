"""Meshes as a user gives them: checked, repaired, reported."""

import _meshes
import numpy as np
import pytest
from model_parts import INF, NAN
from numpy.testing import assert_allclose, assert_array_equal

import fibermsk as fm

TETRAHEDRON = np.array([(0.0, 0, 0), (0.01, 0, 0), (0, 0.01, 0), (0, 0, 0.01)])
SIDES = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])


def box(size, at=(0.0, 0.0, 0.0)):
    """Vertices and triangles of a cube that look outwards."""
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [part for a, b, c, d in quads for part in ((a, b, c), (a, c, d))]
    return size * corners + at, np.array(faces)


def both(first, second):
    """Two meshes as one."""
    return np.concatenate([first[0], second[0]]), np.concatenate([first[1], second[1] + 8])


def test_a_sound_mesh_stays_as_it_is():
    mesh = fm.Mesh(TETRAHEDRON, SIDES, name="bone")
    assert_array_equal(mesh.vertices, TETRAHEDRON)
    assert_array_equal(mesh.faces, SIDES)
    report = mesh.report
    assert (report.vertices, report.faces, report.components) == (4, 4, 1)
    assert report.watertight and not report.turned and not report.dropped
    assert_allclose(report.volume, 1e-6 / 6.0, rtol=1e-14)
    assert_allclose(report.area, 1e-4 * (1.5 + np.sqrt(3.0) / 2.0), rtol=1e-14)
    assert_allclose(mesh.radius, 2.0 * report.volume / report.area, rtol=1e-14)
    assert_allclose(report.extents, 0.01)
    assert not mesh.vertices.flags.writeable and not mesh.faces.flags.writeable
    assert "4 triangles in 1 parts, watertight" in str(report)


def test_long_cylinder_has_its_radius():
    mesh = _meshes.cylinder(0.012, 2.0, 40)
    own = fm.Mesh(mesh.vertices, mesh.faces)
    assert_allclose(own.radius, 0.012, rtol=0.02)


@pytest.mark.parametrize("turned", [[0], [0, 1, 2, 3], [1, 3], [0, 1, 2]])
def test_triangles_are_turned_outwards(turned):
    faces = SIDES.copy()
    faces[turned] = faces[turned][:, ::-1]
    mesh = fm.Mesh(TETRAHEDRON, faces)
    assert mesh.report.watertight and mesh.report.turned == len(turned)
    assert mesh.report.volume > 0.0
    assert_array_equal(np.sort(mesh.faces, axis=1), np.sort(SIDES, axis=1))


def test_parts_are_turned_one_by_one_but_walls_of_cavities_stay():
    beside = box(0.01, (0.02, 0.0, 0.0))
    mesh = fm.Mesh(*both(box(0.01), (beside[0], beside[1][:, ::-1])))
    assert mesh.report.components == 2 and mesh.report.turned == 12
    assert_allclose(mesh.report.volume, 2e-6, rtol=1e-12)
    inside = box(0.005, (0.0025, 0.0025, 0.0025))
    hollow = fm.Mesh(*both(box(0.01), (inside[0], inside[1][:, ::-1])))
    assert hollow.report.turned == 0
    assert_allclose(hollow.report.volume, 1e-6 - 0.125e-6, rtol=1e-12)


def test_an_inverted_patch_behind_crowded_edges_is_turned():
    """Fins on its border leave no edge that tells how it hangs together with the rest."""
    vertices, faces = _meshes.icosphere(2)
    patch = vertices[faces].mean(axis=1)[:, 2] > 0.8
    edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 3, 2), axis=2)
    inside, outside = ({tuple(e) for e in edges[part].reshape(-1, 2)} for part in (patch, ~patch))
    border = np.array(sorted(inside & outside))
    tips = 1.1 * vertices[border].mean(axis=1)
    fins = np.c_[border, len(vertices) + np.arange(len(border))]
    faces[patch] = faces[patch][:, ::-1]
    mesh = fm.Mesh(0.02 * np.concatenate([vertices, tips]), np.concatenate([faces, fins]))
    assert mesh.report.crowded_edges == len(border)
    corners = mesh.vertices[mesh.faces[: len(faces)]]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert np.all(np.einsum("fi,fi->f", normal, corners.mean(axis=1)) > 0.0)


@pytest.mark.parametrize("at", [(0.0, 0.0, 0.0), (1.0, -2.0, 3.0)])
def test_volume_of_an_open_mesh_has_a_lid(at):
    vertices, faces = box(0.01, at)
    mesh = fm.Mesh(vertices, faces[2:])  # without one side
    assert not mesh.report.watertight and mesh.report.open_edges == 4
    assert_allclose(mesh.report.volume, 1e-6, rtol=1e-9)
    assert any("4 open edges" in remark for remark in mesh.report.remarks)


def test_triangles_without_area_and_repeated_ones_are_dropped():
    vertices = np.concatenate([TETRAHEDRON, [(0.02, 0, 0), (5.0, 5.0, 5.0)]])
    faces = [*SIDES, (0, 1, 4), (2, 2, 3), (2, 1, 0)]
    mesh = fm.Mesh(vertices, faces)
    assert mesh.report.dropped == 3 and mesh.report.watertight
    assert mesh.report.vertices == 4  # others belong to no triangle
    assert any("3 degenerate" in remark for remark in mesh.report.remarks)


def test_crowded_edges_are_counted():
    fin = np.concatenate([TETRAHEDRON, [(0.01, 0.01, 0.0)]])
    mesh = fm.Mesh(fin, [*SIDES, (0, 1, 4)])
    assert mesh.report.crowded_edges == 1 and mesh.report.open_edges == 2
    assert not mesh.report.watertight


@pytest.mark.parametrize("size, word", [(1e3, "scale=1e-3"), (1e-3, "scale right")])
def test_suspicious_scale(size, word):
    remarks = fm.Mesh(size * 0.5 * TETRAHEDRON, SIDES).report.remarks
    assert any(word in remark for remark in remarks)


REFUSED = {
    "vertices.*shape": ((TETRAHEDRON[:, :2], SIDES), {}),
    "be finite": (([(0, 0, 0), (1, 0, NAN), (0, 1, 0)], [(0, 1, 2)]), {}),
    "finite": (([(0, 0, 0), (1, 0, INF), (0, 1, 0)], [(0, 1, 2)]), {}),
    r"faces\[3\].*0 to 2": ((TETRAHEDRON[:3], SIDES[[0, 0, 0, 1]]), {}),
    "at least one triangle": ((TETRAHEDRON, np.empty((0, 3))), {}),
    "whole numbers": ((TETRAHEDRON, SIDES + 0.5), {}),
    "without area": ((TETRAHEDRON, [(0, 1, 1)]), {}),
    "volume.*radius=": ((TETRAHEDRON, SIDES[:1]), {}),
    "radius = -1": ((TETRAHEDRON, SIDES), {"radius": -1.0}),
    "spacing = 0": ((TETRAHEDRON, SIDES), {"spacing": 0.0}),
    "name": ((TETRAHEDRON, SIDES), {"name": 3}),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refusals(message):
    arguments, options = REFUSED[message]
    with pytest.raises(fm.ModelError, match=message):
        fm.Mesh(*arguments, **options)


def test_a_sheet_is_accepted_with_a_radius():
    assert fm.Mesh(TETRAHEDRON, SIDES[:1], radius=0.01).radius == 0.01


def test_placed(rng):
    mesh = fm.Mesh(TETRAHEDRON, SIDES, name="bone", spacing=1e-3)
    R = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    moved = mesh.placed(R, (0.1, 0.2, 0.3), (2.0, 2.0, 2.0))
    assert_allclose(moved.vertices, 2.0 * TETRAHEDRON @ R.T + (0.1, 0.2, 0.3), rtol=1e-15)
    assert_allclose((moved.radius, moved.spacing), (2.0 * mesh.radius, 2e-3), rtol=1e-14)
    assert_allclose(moved.report.volume, 8.0 * mesh.report.volume, rtol=1e-12)
    assert moved.name == "bone"
    mirrored = mesh.placed(np.eye(3), (0, 0, 0), (1.0, -1.0, 1.0))
    assert mirrored.report.turned == 0 and mirrored.report.volume > 0.0
    for wrong in ({"rotation": 2.0 * np.eye(3)}, {"rotation": -np.eye(3)}, {"scale": (1, 0, 1)}):
        with pytest.raises(fm.ModelError, match="rotation|scale"):
            mesh.placed(**{"rotation": np.eye(3), "position": (0, 0, 0), **wrong})


def test_body_takes_meshes():
    mesh = fm.Mesh(TETRAHEDRON, SIDES)
    assert fm.Body("bone", shapes=mesh).shapes == (mesh,)
    assert fm.Body("bone", visuals=[mesh, mesh]).visuals == (mesh, mesh)
    with pytest.raises(fm.ModelError, match=r"shapes\[0\].*Mesh"):
        fm.Body("bone", shapes=["mesh"])
    with pytest.raises(fm.ModelError, match="visuals.*Mesh"):
        fm.Body("bone", visuals=fm.Capsule((0, 0, 0), (0, 0, 1), 0.1))

"""Field of a mesh between the nodes of a grid, and distances to triangles, against plain ones."""

import _meshes
import numpy as np
import plain_mesh
import pytest
from kernel_parts import rotation
from numpy.testing import assert_allclose

import fibermsk as fm
from fibermsk.kernels.bones.bone_shape import MESH, distance, distance_slopes
from fibermsk.kernels.bones.mesh_field import BEYOND, field_slopes, field_value
from fibermsk.kernels.contact_arrays import BoneShapes
from fibermsk.system.contact import distance_grid
from fibermsk.system.contact.distance_grid import grid_of, signed_distance
from fibermsk.system.contact.grid import Grid

ORIGIN, SPACING = np.array([-0.01, 0.02, 0.005]), 0.003


@pytest.fixture
def grid(rng):
    """Random coefficients: nothing of a distance helps."""
    return Grid(ORIGIN, SPACING, 0.01 * rng.normal(size=(7, 6, 8)))


def evaluate(grid, x):
    """Value, gradient and Hessian."""
    gradient, hessian = np.empty(3), np.empty((3, 3))
    size = np.array(grid.coefficients.shape)
    flat = np.r_[7.0, grid.coefficients.ravel()]
    value = field_slopes(x, grid.origin, grid.spacing, size, 1, flat, gradient, hessian)
    assert_allclose(field_value(x, grid.origin, grid.spacing, size, 1, flat), value, rtol=1e-12)
    return value, gradient, hessian


def box(grid):
    """Low and high corner of where the field is interpolated."""
    size = np.array(grid.coefficients.shape)
    return grid.origin + grid.spacing, grid.origin + grid.spacing * (size - 2)


def test_value_against_all_splines(grid, rng):
    low, high = box(grid)
    for x in rng.uniform(low, high, (40, 3)):
        plain = plain_mesh.field(x, grid.origin, grid.spacing, grid.coefficients)
        assert_allclose(evaluate(grid, x)[0], plain, rtol=0.0, atol=1e-16)
    for x in (low, high):
        plain = plain_mesh.field(x, grid.origin, grid.spacing, grid.coefficients)
        assert_allclose(evaluate(grid, x)[0], plain, rtol=0.0, atol=1e-15)


@pytest.mark.parametrize("off", [0.0, 0.02])
def test_gradient_and_hessian(grid, rng, off):
    """Against central differences, in the box and beyond it."""
    low, high = box(grid)
    h = 1e-6
    for x in rng.uniform(low - off, high + off, (60, 3)):
        _, gradient, hessian = evaluate(grid, x)
        assert_allclose(hessian, hessian.T, rtol=0.0, atol=1e-9 * np.abs(hessian).max() + 1e-12)
        steps = h * np.eye(3)
        slope = [(evaluate(grid, x + d)[0] - evaluate(grid, x - d)[0]) / (2.0 * h) for d in steps]
        turn = [(evaluate(grid, x + d)[1] - evaluate(grid, x - d)[1]) / (2.0 * h) for d in steps]
        # third derivatives of 0.01 / SPACING^3 over h^2 / 6, and rounding over h
        assert_allclose(gradient, slope, rtol=0.0, atol=1e-6)
        near_face = np.minimum(np.abs(x - low), np.abs(x - high)).min() < 2.0 * h
        if not near_face:
            assert_allclose(hessian, turn, rtol=0.0, atol=1e-4 * np.abs(hessian).max() + 1e-4)


def test_second_derivatives_are_continuous_across_cells(grid, rng):
    low, high = box(grid)
    for _ in range(30):
        x, axis = rng.uniform(low, high), rng.integers(3)
        n = round((high[axis] - low[axis]) / SPACING)
        x[axis] = low[axis] + SPACING * rng.integers(1, n)
        step = 1e-9 * np.eye(3)[axis]
        sides = zip(evaluate(grid, x - step), evaluate(grid, x + step), strict=True)
        for order, (before, after) in enumerate(sides, start=1):
            # 2e-9 times a few of the next derivative; second derivatives are of size 1e3
            assert_allclose(after, before, rtol=0.0, atol=1e-8 * 0.05 / SPACING**order)


def test_beyond_the_grid_it_is_continuous_and_grows(grid, rng):
    low, high = box(grid)
    for _ in range(30):
        x, axis = rng.uniform(low, high), rng.integers(3)
        x[axis], out = (high[axis], 1.0) if rng.uniform() < 0.5 else (low[axis], -1.0)
        border = evaluate(grid, x)[0]
        step = out * np.eye(3)[axis]
        assert_allclose(evaluate(grid, x + 1e-12 * step)[0], border, rtol=0.0, atol=1e-11)
        assert_allclose(evaluate(grid, x + 0.1 * step)[0], border + BEYOND * 0.1, rtol=1e-12)


def test_a_point_that_is_no_number_has_no_distance(grid):
    for bad in (np.nan, np.inf, -np.inf):
        with np.errstate(invalid="ignore"):  # interpreted, NumPy would warn
            assert not np.isfinite(evaluate(grid, np.array([0.0, bad, 0.02]))[0])


def test_steepest_bounds_the_slope_and_all_differences(rng):
    """Also of two points far apart, in the box or not."""
    for mesh in (_meshes.sphere(0.02, 1), _meshes.capsule(0.01, 0.03, 9)):
        grid = grid_of(mesh, 0.006)
        low, high = box(grid)
        bound = grid.lipschitz(1.0)
        assert 1.0 <= bound < 2.5
        points = rng.uniform(low - 0.02, high + 0.02, (300, 3))
        found = [evaluate(grid, x) for x in points]
        assert max(np.linalg.norm(gradient) for _, gradient, _ in found) <= bound
        values = np.array([value for value, _, _ in found])
        apart = np.linalg.norm(points[:, None] - points, axis=2)
        assert np.all(np.abs(values[:, None] - values) <= bound * apart + 1e-15)


def test_samples_against_plain_distances(rng):
    """Closed, open, and one with a part inside of another: exact distances with the right sign."""
    vertices, faces = _meshes.icosphere(1)
    inner = 0.3 * vertices + (0.1, 0.0, 0.0)
    cases = {
        "closed": (vertices, faces, faces),
        "with a part inside": (
            np.concatenate([vertices, inner]), np.concatenate([faces, faces + len(vertices)]),
            faces,
        ),
    }  # fmt: skip
    for vertices, faces, outer in cases.values():
        mesh = fm.Mesh(0.02 * vertices, faces, spacing=0.004)
        origin, spacing = np.full(3, -0.0273), 0.0045
        samples = distance_grid.sample(mesh, origin, spacing, np.array([12, 12, 12]))
        for i, j, k in rng.integers(0, 12, (60, 3)):
            x = origin + spacing * np.array([i, j, k])
            plain = plain_mesh.signed_distance(x, 0.02 * vertices, outer)
            assert_allclose(samples[i, j, k], plain, rtol=0.0, atol=1e-14)


def test_a_hole_gets_a_lid():
    """A sphere without a cap of it: inside stays inside, and the distance steps nowhere."""
    vertices, faces = _meshes.icosphere(3)
    hole = vertices[faces].mean(axis=1)[:, 2] > 0.9
    mesh = fm.Mesh(0.02 * vertices, faces[~hole], spacing=0.0015)
    assert not mesh.report.watertight and mesh.report.open_edges > 10
    whole = distance_grid.grid_of(fm.Mesh(0.02 * vertices, faces, spacing=0.0015), 0.004)
    grid = distance_grid.grid_of(mesh, 0.004)
    height = np.linspace(0.0, 0.023, 400)
    phi = np.array([evaluate(grid, np.array([0.0, 0.0, z]))[0] for z in height])
    assert phi[0] < -0.017 and phi[-1] > 0.002
    # the hole is 0.0087 m in radius; its lid cannot know the dome of 0.0019 m above the rim
    exact = height - 0.02
    assert np.abs(phi - exact).max() < 0.0025
    assert np.abs(np.diff(phi)).max() < 1.5 * height[1]
    low, high = np.full(3, -0.022), np.array([0.022, 0.022, 0.01])
    points = np.random.default_rng(3).uniform(low, high, (200, 3))
    below = points[np.linalg.norm(points, axis=1) > 0.014]  # away from where the lid is closest
    for x in below[below[:, 2] < 0.0]:
        assert_allclose(evaluate(grid, x)[0], evaluate(whole, x)[0], rtol=0.0, atol=1e-12)


def test_interior_is_inside_whatever_the_orientation_of_triangles():
    vertices, faces = _meshes.icosphere(1)
    reference = grid_of(fm.Mesh(0.02 * vertices, faces), 0.003).coefficients
    some = faces.copy()
    some[::3] = some[::3, ::-1]
    for turned in (faces[:, ::-1], some):
        mesh = fm.Mesh(0.02 * vertices, turned)
        assert mesh.report.turned in (80, len(faces[::3]))
        found = grid_of(mesh, 0.003).coefficients
        assert_allclose(found, reference, rtol=0.0, atol=1e-15)


def test_shape_in_ground_follows_the_field(grid, rng):
    """Rotation and position of a mesh: value, gradient and Hessian turn with it."""
    R, p, radius = rotation(rng), rng.normal(size=3), 0.03
    place, field, kind = np.zeros((1, 4, 3)), np.zeros((1, 5)), np.zeros((1, 5), np.int64)
    place[0, :3], place[0, 3] = R, p
    field[0] = radius, *grid.origin, grid.spacing
    kind[0] = MESH, *grid.coefficients.shape, 0
    shapes = BoneShapes(place, field, kind, grid.coefficients.ravel())
    low, high = box(grid)
    gradient, hessian = np.empty(3), np.empty((3, 3))
    for x in rng.uniform(low, high, (10, 3)):
        value, own, curvature = evaluate(grid, x)
        at = R @ x + p
        found = distance_slopes(at, 0, shapes, gradient, hessian)
        # coordinates of 1 over a spacing of 0.003
        assert_allclose(found, value + radius, rtol=0.0, atol=1e-13)
        assert_allclose(distance(at, 0, shapes), found, rtol=1e-12)
        assert_allclose(gradient, R @ own, rtol=0.0, atol=1e-11)
        assert_allclose(hessian, R @ curvature @ R.T, rtol=0.0, atol=1e-8)


def test_query_of_distances(rng):
    """Of every kind of shape; of a mesh beyond its grid too."""
    mesh = _meshes.sphere(0.02, 3)
    points = 0.05 * rng.normal(size=(50, 3))
    r = np.linalg.norm(points, axis=1)
    exact, normal = r - 0.02, points / r[:, None]
    capsule = fm.Capsule((0, 0, 0), (0, 0, 0), 0.02)
    for shape, error, turn in ((mesh, 1e-4, 0.06), (capsule, 1e-15, 1e-15)):
        phi, gradient = signed_distance(shape)(points)
        outside = r > 0.01  # the mesh's medial axis lies in its middle
        assert_allclose(phi[outside], exact[outside], rtol=0.0, atol=error)
        assert_allclose(gradient[outside], normal[outside], rtol=0.0, atol=turn)
    phi, gradient = signed_distance(fm.InfiniteCylinder((0, 0, 1), (0, 0, 2), 0.01))(points)
    assert_allclose(phi, np.hypot(points[:, 0], points[:, 1]) - 0.01, rtol=0.0, atol=1e-15)
    assert_allclose(gradient[:, 2], 0.0, atol=1e-12)  # round-off of 1 over a distance


def test_cost_of_a_point_does_not_depend_on_the_triangles():
    """The same grid, and the same 64 coefficients of a point, for 80 and 5120 triangles."""
    grids = [
        grid_of(_meshes.sphere(0.02, n, spacing=0.002), 0.004).coefficients.shape for n in (1, 4)
    ]
    assert max(abs(a - b) for a, b in zip(*grids, strict=True)) <= 2


def test_a_spacing_without_end_is_refused():
    with pytest.raises(fm.ModelError, match="mesh 'ball': spacing = 1e-05 m.*remedy|larger"):
        grid_of(_meshes.sphere(0.02, 1, spacing=1e-5, name="ball"), 0.004)


def test_grids_are_kept():
    mesh = _meshes.sphere(0.02, 1)
    assert grid_of(mesh, 0.004) is grid_of(mesh, 0.004)
    assert grid_of(mesh, 0.004) is not grid_of(mesh, 0.02)

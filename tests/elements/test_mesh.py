"""Reference centerlines: how well the elements follow a path."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fibermsk.elements import gauss_rule, hermite, hermite_d1, mesh_fiber
from fibermsk.elements.mesh import spline_through

UNIFORM = [np.linspace(0.0, 1.0, n + 1) for n in (4, 8, 16, 32, 64)]

# A derivative at the end of an element of length h magnifies rounding by 2/h times the sum of k^2
# over the degrees k up to 8, which is 408/h: this much over h, for values of size 1.
SLOPE_ROUNDING = 1e-13


def arc(theta):
    """Three quarters of a circle of radius 0.2."""
    angle = 1.5 * np.pi * theta
    return 0.2 * np.column_stack((np.cos(angle), np.sin(angle), 0.0 * angle))


def arc_tangent(theta):
    angle = 1.5 * np.pi * theta
    return 0.3 * np.pi * np.column_stack((-np.sin(angle), np.cos(angle), 0.0 * angle))


def helix(theta):
    """One turn, the parameter not proportional to length."""
    s = theta + 0.3 * theta**2
    return np.column_stack((0.1 * np.cos(2 * np.pi * s), 0.1 * np.sin(2 * np.pi * s), 0.3 * s))


def helix_tangent(theta):
    s, ds = theta + 0.3 * theta**2, 1.0 + 0.6 * theta
    a = 0.2 * np.pi
    turn = np.column_stack((-a * np.sin(2 * np.pi * s), a * np.cos(2 * np.pi * s), 0.3 + 0.0 * s))
    return ds[:, None] * turn


PATHS = {"arc": (arc, arc_tangent), "helix": (helix, helix_tangent)}


def follow(mesh, functions, xi):
    """Sample all elements of a mesh: theta (m,) and values (m, 3)."""
    theta, values = [], []
    for e, h in enumerate(np.diff(mesh.theta)):
        control = mesh.nodes[e : e + 2].reshape(4, 3)
        theta.append(mesh.theta[e] + h * xi)
        values.append(np.stack(functions(xi, h), axis=1) @ control)
    return np.concatenate(theta), np.concatenate(values)


def length(mesh):
    """Length of the centerline by 10 Gauss points an element."""
    xi, w = gauss_rule(10)
    _, tangent = follow(mesh, hermite_d1, xi)
    speed = np.linalg.norm(tangent, axis=1).reshape(-1, xi.size)
    return np.sum(np.diff(mesh.theta) * (speed @ w))


def test_straight_path_is_exact(rng):
    a, b = rng.normal(size=(2, 3))
    for theta in (*UNIFORM, np.array([0.0, 0.01, 0.3, 1.0])):
        mesh = mesh_fiber(lambda s: a + s[:, None] * (b - a), theta)
        assert np.array_equal(mesh.theta, theta)
        assert_allclose(mesh.nodes[:, :3], a + theta[:, None] * (b - a), rtol=1e-15)
        # coordinates up to 4, differentiated on windows of at most 0.05
        atol = SLOPE_ROUNDING * 4.0 / min(np.diff(theta).min(), 0.05)
        assert_allclose(mesh.nodes[:, 3:], np.tile(b - a, (theta.size, 1)), rtol=0.0, atol=atol)


@pytest.mark.parametrize("name", PATHS)
def test_nodes_lie_on_the_path_with_its_tangent(name):
    path, tangent = PATHS[name]
    for theta in UNIFORM[1:]:
        mesh = mesh_fiber(path, theta)
        assert_allclose(mesh.nodes[:, :3], path(theta), rtol=0.0, atol=1e-16)
        # a window of 0.05 turns by 29 degrees at most: degree 8 leaves 1e-10 of the slope
        bound = 1e-10 + SLOPE_ROUNDING * max(theta.size, 20)
        assert_allclose(mesh.nodes[:, 3:], tangent(theta), rtol=0.0, atol=bound)


@pytest.mark.parametrize("name", PATHS)
@pytest.mark.parametrize("grading", [1.0, 1.7])
def test_convergence_of_the_reference_geometry(name, grading):
    """Cubic elements: position of order 4, tangent of order 3, length of order 4 or better."""
    path, tangent = PATHS[name]
    exact = length(mesh_fiber(path, np.linspace(0.0, 1.0, 513)))
    xi = np.linspace(0.0, 1.0, 21)
    errors = []
    for uniform in UNIFORM:
        mesh = mesh_fiber(path, uniform**grading)
        theta, x = follow(mesh, hermite, xi)
        _, t = follow(mesh, hermite_d1, xi)
        errors.append(
            (
                np.abs(x - path(theta)).max(),
                np.abs(t - tangent(theta)).max(),
                abs(length(mesh) - exact),
            )
        )
    order = np.log2(np.array(errors[1:-1]) / np.array(errors[2:]))
    # from 32 to 64 elements the rates are this close to their asymptote, on the graded mesh as well
    assert np.all(np.abs(order[-1, :2] - [4.0, 3.0]) < 0.15)
    assert order[-1, 2] > 3.8


def test_cubic_path_is_exact_on_a_graded_mesh(rng):
    c = rng.normal(size=(4, 3))
    path = np.polynomial.Polynomial
    curves = [path(column) for column in c.T]
    mesh = mesh_fiber(
        lambda s: np.column_stack([curve(s) for curve in curves]), np.array([0.0, 0.1, 0.5, 1.0])
    )
    theta, x = follow(mesh, hermite, np.linspace(0.0, 1.0, 11))
    expected = np.column_stack([curve(theta) for curve in curves])
    assert_allclose(x, expected, rtol=0.0, atol=SLOPE_ROUNDING * 4.0)  # curves of size 4


def test_corner_gets_the_mean_tangent():
    """A path with a corner at a node."""

    def corner(s):
        return np.column_stack((np.minimum(s, 0.5), np.maximum(s - 0.5, 0.0), 0.0 * s))

    mesh = mesh_fiber(corner, np.array([0.0, 0.5, 1.0]))
    expected = [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 1.0, 0.0]]
    assert_allclose(mesh.nodes[:, 3:], expected, rtol=0.0, atol=SLOPE_ROUNDING / 0.05)


def test_spline_passes_through_its_points(rng):
    points = np.cumsum(rng.uniform(0.1, 1.0, (7, 3)), axis=0)
    path = spline_through(points)
    chord = np.linalg.norm(np.diff(points, axis=0), axis=1)
    theta = np.r_[0.0, np.cumsum(chord)] / chord.sum()
    assert_allclose(path(theta), points, rtol=1e-14)
    # twice continuously differentiable: second differences across a point have no jump
    h = 1e-4
    for s in theta[1:-1]:
        left, right = (
            np.diff(path(s + sign * h * np.array([0.0, 1.0, 2.0])), 2, axis=0) / h**2
            for sign in (-1.0, 1.0)
        )
        third = np.abs(right).max() + 1.0
        assert_allclose(
            left, right, rtol=0.0, atol=5e-2 * third
        )  # 2 h x''', with x''' < 200 x'' here


def test_spline_through_two_points_and_through_a_line():
    a, b = np.array([1.0, 2.0, 3.0]), np.array([1.5, 0.0, 3.0])
    s = np.linspace(0.0, 1.0, 7)
    straight = a + s[:, None] * (b - a)
    assert_allclose(spline_through(np.array([a, b]))(s), straight, rtol=1e-15)
    shares = np.array([0.0, 0.1, 0.4, 0.45, 1.0])
    on_line = a + shares[:, None] * (b - a)
    assert_allclose(
        spline_through(on_line)(s), straight, rtol=0.0, atol=1e-14
    )  # a chord-length parameter


def test_mesh_of_a_spline_is_exact_with_nodes_at_its_points(rng):
    """Between its points a spline is a cubic, which an element holds."""
    points = np.cumsum(rng.uniform(0.1, 1.0, (6, 3)), axis=0)
    path = spline_through(points)
    chord = np.linalg.norm(np.diff(points, axis=0), axis=1)
    theta = np.r_[0.0, np.cumsum(chord)] / chord.sum()
    theta[-1] = 1.0
    mesh = mesh_fiber(path, theta)
    at, x = follow(mesh, hermite, np.linspace(0.0, 1.0, 11))
    assert_allclose(x, path(at), rtol=0.0, atol=SLOPE_ROUNDING * 4.0)  # coordinates up to 4


def test_closed_spline_of_an_arc_converges():
    """Points on a circle: the path through them approaches the circle with order 4."""
    errors = []
    for n in (9, 17, 33):
        mesh = mesh_fiber(spline_through(arc(np.linspace(0.0, 1.0, n))), np.linspace(0, 1, n))
        _, x = follow(mesh, hermite, np.linspace(0.0, 1.0, 9))
        errors.append(np.abs(np.linalg.norm(x, axis=1) - 0.2).max())
    # not-a-knot ends: order 4, measured within 0.5 at these lengths
    assert np.log2(errors[1] / errors[2]) > 3.5

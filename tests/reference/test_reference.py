"""Self checks of the reference: invariances, energy, mass, closest points, closed forms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from . import cable as fiber, closest_point, contact, hermite, rigid

STEP = 1e-30

# a biceps of the upper limb
BICEPS = {"density": 900.0, "mu_M": 2e4, "mu_T": 1e6, "eta_M": 1e4, "eta_T": 1e4, "S_max": 4.2e7}
BICEPS |= {"lambda_opt": 1.3, "width": 0.3, "nu": 4.0, "prestress": 32.7e3, "quadrature": 5}


def belly(theta):
    """Muscle fraction of G 77."""
    return 16.0 * (1.0 - theta) ** 2 * theta**2


@pytest.fixture
def gen():
    """Seeded random numbers."""
    return np.random.default_rng(7)


@pytest.fixture
def bent(gen):
    """Make a biceps on a graded mesh with a bent, stretched reference and current shape."""
    theta = np.array([0.0, 0.2, 0.5, 0.6, 1.0])
    X = np.column_stack([theta, 0.1 * theta**2, 0 * theta, 1 + 0 * theta, 0.2 * theta, 0 * theta])
    X *= 0.3
    cable = fiber.Cable(theta, X, lambda theta: 0.006 * (1.0 + belly(theta)), belly, BICEPS)
    x = 1.1 * X + 0.01 * gen.normal(size=X.shape)
    return cable, x, gen.normal(size=X.shape)


def turn(nodes, R, shift=0.0):
    """Rigid motion of nodal values: rotate both, move the positions."""
    moved = nodes.reshape(-1, 2, 3) @ R.T
    moved[:, 0] += shift
    return moved.reshape(-1, 6)


def random_rotation(gen):
    """Rotation about a random axis."""
    axis = gen.normal(size=3)
    return rigid.rotation_about(axis / np.linalg.norm(axis), 1.3)


def test_shape_functions(gen):
    """Nodality, partition of unity, derivatives by the complex step."""
    xi, h = gen.uniform(size=20), 0.3
    assert_allclose(hermite.shape(np.array([0.0, 1.0]), h), np.eye(4)[[0, 2]], atol=1e-15)
    assert_allclose(hermite.shape_d(np.array([0.0, 1.0]), h), np.eye(4)[[1, 3]], atol=1e-15)
    assert_allclose(hermite.shape(xi, h)[:, [0, 2]].sum(axis=1), 1.0)
    moved = xi + 1j * STEP
    slope = hermite.shape(moved, h).imag / STEP / h
    assert_allclose(hermite.shape_d(xi, h), slope, atol=1e-13)
    slope = hermite.shape_d(moved, h).imag / STEP / h
    assert_allclose(hermite.shape_dd(xi, h), slope, atol=1e-12)


def test_stress_table():
    """Each part of the nominal stress alone, against numbers worked out by hand."""
    zero = {"mu_M": 0, "mu_T": 0, "eta_M": 0, "eta_T": 0, "S_max": 0, "prestress": 0}
    zero |= {"lambda_opt": 1.3, "width": 0.3, "nu": 4.0}
    P = fiber.nominal_stress
    assert_allclose(P(2.0, 3.0, 0.5, 0.25, zero | {"mu_M": 8.0, "mu_T": 4.0}), 5.0 * 1.75)
    assert_allclose(P(2.0, 3.0, 0.5, 0.25, zero | {"eta_M": 8.0, "eta_T": 4.0}), 11.25)
    assert_allclose(P(2.0, 3.0, 0.5, 0.25, zero | {"prestress": 6.0}), 3.0)
    assert_allclose(P(1.3, 3.0, 0.5, 0.25, zero | {"S_max": 10.4}), 1.0)
    assert_allclose(P(1.6900, 3.0, 0.5, 0.25, zero | {"S_max": 13.52}), np.exp(-1.0))


def test_internal_force_follows_rigid_motion(bent, gen):
    """Translation leaves the force, rotation turns it; rigid velocity adds no viscous force."""
    cable, x, v = bent
    R, omega = random_rotation(gen), gen.normal(size=3)
    force = fiber.internal_force(cable, x, v, 0.1)
    turned = fiber.internal_force(cable, turn(x, R, [1.0, 2.0, 3.0]), turn(v, R), 0.1)
    assert_allclose(turned, turn(force, R), atol=1e-12 * np.abs(force).max())
    spin = turn(x, rigid.skew(omega), gen.normal(size=3))
    still = fiber.internal_force(cable, x, 0 * v, 0.1)
    spinning = fiber.internal_force(cable, x, spin, 0.1)
    assert_allclose(spinning, still, atol=1e-12 * np.abs(force).max())
    moment = np.cross(x[:, :3], force[:, :3]) + np.cross(x[:, 3:], force[:, 3:])
    assert_allclose(force[:, :3].sum(axis=0), 0.0, atol=1e-12 * np.abs(force).max())
    assert_allclose(moment.sum(axis=0), 0.0, atol=1e-12 * np.abs(force).max())


def test_force_is_minus_energy_gradient(bent):
    """Without activation and velocity."""
    cable, x, v = bent
    gradient = np.zeros(x.size)
    for j in range(x.size):
        moved = x.astype(complex).ravel()
        moved[j] += 1j * STEP
        gradient[j] = fiber.elastic_energy(cable, moved.reshape(x.shape)).imag / STEP
    force = fiber.internal_force(cable, x, 0 * v, 0.0)
    assert_allclose(-gradient.reshape(x.shape), force, atol=1e-12 * np.abs(force).max())


def test_mass_and_loads(bent):
    """Rigid translation sees the cable's whole mass, gravity its weight, a unit load its length."""
    cable, x, _ = bent
    M = fiber.mass_matrix(cable)
    g = cable.points()
    mass = np.sum(900.0 * np.pi * g.r0**2 * g.A1 * g.weight)
    shift = np.tile([1.0, 0, 0, 0, 0, 0], len(x))
    assert_allclose(M, M.T)
    assert_allclose(shift @ M @ shift, mass)
    weight = fiber.body_force(cable, (0.0, 0.0, -9.81))[:, :3].sum(axis=0)
    assert_allclose(weight, [0.0, 0.0, -9.81 * mass])
    load = fiber.line_load(cable, lambda theta: np.array([0.0, 2.0, 0.0]))[:, :3].sum(axis=0)
    assert_allclose(load, [0.0, 2.0 * fiber.length(cable, cable.X), 0.0])


def test_quintic_against_brute_force(gen):
    """500 random cubics: the roots find the distance that dense sampling finds."""
    for _ in range(500):
        values, h = gen.normal(size=(4, 3)), gen.uniform(0.1, 2.0)
        p = gen.normal(size=3)
        values[1::2] *= 3.0 / h
        xi, y, d = closest_point.closest_on_element(values, h, p)
        xi_brute, _, d_brute = closest_point.closest_brute_force(values, h, p, samples=2001)
        assert_allclose(y, hermite.shape(xi, h) @ values, atol=1e-12)
        assert d <= d_brute + 1e-13
        assert_allclose(d, d_brute, atol=1e-12)
        assert abs(xi - xi_brute) < 1e-4  # a flat minimum locates xi only to the root of rounding


def test_closest_point_on_cable(bent, gen):
    """Skipping far elements does not change the nearest point; the limit on the distance holds."""
    cable, x, _ = bent
    values = hermite.element_values(x)
    for p in 0.2 * gen.normal(size=(20, 3)):
        found = closest_point.closest_on_cable(cable.node_theta, values, p)
        brute = min(
            closest_point.closest_brute_force(v, h, p, samples=501)[2]
            for v, h in zip(values, cable.h, strict=True)
        )
        assert_allclose(found.distance, brute, atol=1e-12)
        assert closest_point.closest_on_cable(cable.node_theta, values, p, brute / 2) is None


def test_closest_point_on_straight_element():
    """The quintic degenerates to a linear equation."""
    a, b = np.zeros(3), np.array([2.0, 0, 0])
    values = np.array([a, b, b, b])
    xi, y, d = closest_point.closest_on_element(values, 1.0, np.array([0.5, 0.3, 0.4]))
    assert_allclose([xi, d], [0.25, 0.5], rtol=1e-14)
    assert_allclose(y, [0.5, 0, 0], atol=1e-15)


def test_closest_point_derivative(bent, gen):
    """The complex step of the closest distance is its gradient -n (G 96)."""
    cable, x, _ = bent
    values = hermite.element_values(x)
    p = x[2, :3] + np.array([0.003, 0.02, 0.01])
    c = closest_point.closest_on_cable(cable.node_theta, values, p)
    u = gen.normal(size=3)
    moved = closest_point.closest_on_cable(cable.node_theta, values, p + 1j * STEP * u)
    n = (c.point - p) / c.distance
    assert_allclose(moved.distance.imag / STEP, -n @ u, rtol=1e-10)
    h = 1e-6
    xi = [
        closest_point.closest_on_cable(cable.node_theta, values, p + s * h * u).theta
        for s in (1, -1)
    ]
    assert_allclose(moved.theta.imag / STEP, (xi[0] - xi[1]) / (2 * h), rtol=1e-6)


def test_line_force():
    """G 44: continuous at zero, repulsive, refused at the pole."""
    assert contact.line_force(0.1, 768.0, 3.0) == 0.0
    assert_allclose(contact.line_force(-0.1, 768.0, 3.0), 76.8 / 0.7)
    with pytest.raises(contact.Inadmissible):
        contact.line_force(-1.0 / 3.0, 768.0, 3.0)


@pytest.fixture
def pair(bent, gen):
    """Two bent cables of which the second lies within the first's contact range."""
    cable, x, _ = bent
    y = x.copy()
    y[:, :3] += [0.0, 0.018, 0.011]
    y += 0.0003 * gen.normal(size=y.shape)
    return cable, x, y


def test_fiber_contact(pair, gen):
    """Repulsion, records that sum to the force, rigid motion, balance of the two passes."""
    cable, x, y = pair
    force, records = contact.fiber_contact(cable, x, cable, y, 768.0, 3.0)
    back, _ = contact.fiber_contact(cable, y, cable, x, 768.0, 3.0)
    assert len(records) > 5
    assert force[:, 2].sum() < 0.0 < back[:, 2].sum()
    assert_allclose(force[:, :3].sum(axis=0), sum(r.force for r in records), atol=1e-12)
    assert all(r.traction @ (r.y - r.x) < 0.0 for r in records)
    R = random_rotation(gen)
    moved = [turn(nodes, R, [1.0, 2.0, 3.0]) for nodes in (x, y)]
    turned, _ = contact.fiber_contact(cable, moved[0], cable, moved[1], 768.0, 3.0)
    assert_allclose(turned, turn(force, R), atol=1e-9 * np.abs(force).max())
    total = force[:, :3].sum(axis=0) + back[:, :3].sum(axis=0)
    # the passes balance only as far as both centerlines and length elements agree
    assert np.linalg.norm(total) < 0.1 * np.linalg.norm(force[:, :3].sum(axis=0))


def test_fiber_contact_complex_step(pair, gen):
    """The complex step agrees with central differences."""
    cable, x, y = pair
    dx, dy = gen.normal(size=x.shape), gen.normal(size=y.shape)

    def force(s):
        return contact.fiber_contact(cable, x + s * dx, cable, y + s * dy, 768.0, 3.0)[0]

    exact, h = force(1j * STEP).imag / STEP, 1e-7
    slope = (force(h) - force(-h)) / (2 * h)
    assert_allclose(exact, slope, atol=1e-5 * np.abs(exact).max())


@pytest.mark.parametrize("kind", ["capsule", "infinite_cylinder"])
def test_bone_contact(bent, gen, kind):
    """Action equals reaction, force and moment; rigid motion; derivative; the capsule's end."""
    cable, x, _ = bent
    ends = {"a": np.array([0.1, 0.0, -0.045]), "b": np.array([0.2, 0.03, -0.045])}
    bone = {"kind": kind, "radius": 0.033, **ends}
    force, F, moment, records = contact.bone_contact(cable, x, bone, 768.0, 4.0)
    assert len(records) > 3
    own = np.cross(x[:, :3], force[:, :3]) + np.cross(x[:, 3:], force[:, 3:])
    assert_allclose(force[:, :3].sum(axis=0), -F, atol=1e-12)
    assert_allclose(own.sum(axis=0), -moment, atol=1e-12)
    R, shift = random_rotation(gen), np.array([1.0, 2.0, 3.0])
    moved = bone | {key: R @ point + shift for key, point in ends.items()}
    turned, F_turned, _, _ = contact.bone_contact(cable, turn(x, R, shift), moved, 768.0, 4.0)
    assert_allclose(turned, turn(force, R), atol=1e-10)
    assert_allclose(F_turned, R @ F, atol=1e-10)
    u, h = gen.normal(size=x.shape), 1e-8
    exact = contact.bone_contact(cable, x + 1j * STEP * u, bone, 768.0, 4.0)[0].imag / STEP
    plus, minus = (contact.bone_contact(cable, x + s * u, bone, 768.0, 4.0)[0] for s in (h, -h))
    assert_allclose(exact, (plus - minus) / (2 * h), atol=1e-5 * np.abs(exact).max())
    s, _ = contact.closest_on_axis(bone, np.array([[-1.0, 0.0, 0.0]]))
    assert (s[0] == 0.0) == (kind == "capsule")


def double_pendulum():
    """Two rods about y, the second joint half way round a turned frame."""
    rod = {"mass": 2.0, "com": np.array([0.0, 0, -0.5]), "inertia": np.diag([0.3, 0.2, 0.1])}
    rod |= {"child_at": np.zeros(3), "rotation": np.eye(3), "axis": np.array([0.0, 1, 0])}
    return [
        rod | {"parent": -1, "at": np.zeros(3), "damping": 0.0},
        rod | {"parent": 0, "at": np.array([0.0, 0, -1.0]), "damping": 0.5},
    ]


def test_double_pendulum(gen):
    """Mass matrix, Coriolis and gravity terms against the closed form."""
    q, p, a = gen.normal(size=(3, 2))
    m, l1, c, inertia, g = 2.0, 1.0, 0.5, 0.2, 9.81
    s, k = m * l1 * c * np.sin(q[1]), m * l1 * c * np.cos(q[1])
    M22 = m * c**2 + inertia
    M = np.array([[m * c**2 + inertia + m * l1**2 + M22 + 2 * k, M22 + k], [M22 + k, M22]])
    assert_allclose(rigid.mass_matrix(double_pendulum(), q), M, rtol=1e-13)
    h = np.array([-s * (2 * p[0] * p[1] + p[1] ** 2), s * p[0] ** 2])
    lower = m * g * c * np.sin(q.sum())
    weight = np.array([m * g * (c + l1) * np.sin(q[0]) + lower, lower])
    expected = M @ a + h + [0.0, 0.5 * p[1]] + weight
    found = rigid.inverse_dynamics(double_pendulum(), q, p, a, (0.0, 0.0, -g))
    assert_allclose(found, expected, rtol=1e-12)


def test_point_derivatives_and_wrench(gen):
    """C is dc/dq; its Hessian is symmetric in q; a point force does the work C^T f."""
    bodies, point = double_pendulum(), np.array([0.1, 0.2, -0.7])
    q, f = gen.normal(size=2), gen.normal(size=3)
    C = rigid.jacobian(bodies, q, 1, point)
    for j in range(2):
        moved = rigid.position(bodies, q + 1j * STEP * np.eye(2)[j], 1, point)
        assert_allclose(C[:, j], moved.imag / STEP, atol=1e-14)
    H = rigid.hessian(bodies, q, 1, point)
    assert_allclose(H, H.transpose(0, 2, 1), atol=1e-14)
    moment = np.cross(rigid.position(bodies, q, 1, point), f)
    assert_allclose(rigid.wrench_force(bodies, q, 1, f, moment), C.T @ f, atol=1e-13)

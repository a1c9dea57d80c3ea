"""Rigid trees against the plain reference, Pinocchio, differences and closed forms."""

import dataclasses

import numpy as np
import pytest
from kernel_parts import rotation
from numpy.testing import assert_allclose
from rigid_parts import (
    GRAVITY,
    inertia,
    inverse_dynamics,
    mass_matrix,
    pinocchio_model,
    plain_bodies,
    random_tree,
    unit,
)

import fibermsk as fm
from fibermsk.kernels import rigid
from fibermsk.system.tree import build_tree
from reference import rigid as reference

KINDS = ["revolute", "prismatic", "mixed"]
SIZES = [1, 2, 5, 9]


def motion(rng, n):
    """Coordinates, speeds and accelerations of size 1."""
    return rng.normal(size=(3, n))


# ---- against the reference, written from the equations with complex steps


@pytest.mark.parametrize("n", SIZES)
def test_against_reference(rng, n):
    for _ in range(3):
        tree = random_tree(rng, n, "revolute", depth_first=False)
        bodies = plain_bodies(tree)
        q, p, a = motion(rng, n)
        M = reference.mass_matrix(bodies, q)
        # rounding, in sums over chains of up to 9 links
        assert_allclose(mass_matrix(tree, q), M, rtol=0.0, atol=1e-13 * np.abs(M).max())
        tau = np.zeros(n)
        tree.dynamics(tree.evaluate(q, p, a), p, tau)
        expected = reference.inverse_dynamics(bodies, q, p, a, GRAVITY)
        assert_allclose(tau, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())


def test_poses_against_reference(rng):
    tree = random_tree(rng, 6, "revolute", depth_first=False)
    q, p, a = motion(rng, 6)
    state = tree.evaluate(q, p, a)
    poses = reference.forward_kinematics(plain_bodies(tree), q)
    for k in range(6):
        assert_allclose(state.rotation[k], poses[k][:3, :3], rtol=0.0, atol=1e-14)
        assert_allclose(state.position[k], poses[k][:3, 3], rtol=0.0, atol=1e-14)


# ---- against Pinocchio


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("n", SIZES)
def test_against_pinocchio(rng, n, kinds):
    pin = pytest.importorskip("pinocchio")
    for _ in range(5):
        tree = random_tree(rng, n, kinds)
        model, data, joints = pinocchio_model(pin, tree)
        q, p, a = motion(rng, n)
        tau = pin.rnea(model, data, q, p, a)
        found = inverse_dynamics(tree, q, p, a)
        # rounding, in sums over chains of up to 9 links
        assert_allclose(found, tau, rtol=0.0, atol=1e-12 * np.abs(tau).max())
        M = pin.crba(model, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        assert_allclose(mass_matrix(tree, q), M, rtol=0.0, atol=1e-13 * np.abs(M).max())
        bias = pin.nonLinearEffects(model, data, q, p)
        found = inverse_dynamics(tree, q, p, 0.0 * a)
        assert_allclose(found, bias, rtol=0.0, atol=1e-12 * np.abs(tau).max())
        gravity = pin.computeGeneralizedGravity(model, data, q)
        found = inverse_dynamics(tree, q, 0.0 * p, 0.0 * a)
        assert_allclose(found, gravity, rtol=0.0, atol=1e-12 * np.abs(tau).max())
        state = tree.evaluate(q, p, a)
        pin.forwardKinematics(model, data, q, p)
        for k, joint in enumerate(joints):
            assert_allclose(state.rotation[k], data.oMi[joint].rotation, rtol=0.0, atol=1e-14)
            assert_allclose(state.position[k], data.oMi[joint].translation, rtol=0.0, atol=1e-13)


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("n", SIZES)
def test_tangent_against_pinocchio(rng, n, kinds):
    pin = pytest.importorskip("pinocchio")
    for _ in range(5):
        tree = random_tree(rng, n, kinds)
        model, data, _ = pinocchio_model(pin, tree)
        q, p, a = motion(rng, n)
        expected_q, expected_p, _ = pin.computeRNEADerivatives(model, data, q, p, a)
        found_q, found_p = tangent(tree, q, p, a)
        # analytic on both sides: rounding; derivatives are larger than their differences
        atol = 1e-11 * max(np.abs(expected_q).max(), np.abs(expected_p).max())
        assert_allclose(found_q, expected_q, rtol=0.0, atol=atol)
        assert_allclose(found_p, expected_p, rtol=0.0, atol=atol)


# ---- tangents


def tangent(tree, q, p, a):
    """Derivatives of the inverse dynamics in q and in p, by the kernel."""
    dq, dp = np.zeros((2, tree.n, tree.n))
    state = tree.evaluate(q, p, a)
    rigid.inverse_dynamics_tangent(
        p, a, state.V, state.A, state.S, tree.parent, tree.moves, state.rotation, state.position,
        tree.body_link, tree.mass, tree.com, tree.inertia, tree.gravity, dq, dp,
    )  # fmt: skip
    return dq, dp


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("n", SIZES)
def test_tangent_against_differences(rng, n, kinds):
    h = 1e-5
    for depth_first in (True, False):
        tree = random_tree(rng, n, kinds, depth_first)
        q, p, a = motion(rng, n)
        dq, dp = tangent(tree, q, p, a)
        for j, e in enumerate(np.eye(n)):
            slope_q, slope_p, slope_a = (
                (inverse_dynamics(tree, *ahead) - inverse_dynamics(tree, *behind)) / (2.0 * h)
                for ahead, behind in (
                    ((q + h * e, p, a), (q - h * e, p, a)),
                    ((q, p + h * e, a), (q, p - h * e, a)),
                    ((q, p, a + h * e), (q, p, a - h * e)),
                )
            )
            # h^2 / 6 times third derivatives, up to some 10 times the first, and eps / h
            atol = 1e-8 * max(np.abs(dq).max(), np.abs(dp).max(), np.abs(slope_a).max())
            assert_allclose(dq[:, j], slope_q, rtol=0.0, atol=atol)
            assert_allclose(dp[:, j], slope_p, rtol=0.0, atol=atol)
            assert_allclose(mass_matrix(tree, q)[:, j], slope_a, rtol=0.0, atol=atol)


def test_tangent_of_the_step(rng):
    """`Tree.dynamics_tangent`: p and p_dot follow q, damping included, and it adds."""
    tree = random_tree(rng, 5)
    q, p, a = motion(rng, 5)
    dp_dq, dpdot_dp, h = 30.0, 40.0, 1e-6
    D = np.ones((5, 5))
    tree.dynamics_tangent(tree.evaluate(q, p, a), p, a, dp_dq, dpdot_dp, D)

    def tau(s):
        out = np.zeros(5)
        speed = p + dp_dq * s
        tree.dynamics(tree.evaluate(q + s, speed, a + dp_dq * dpdot_dp * s), speed, out)
        return out

    for j, e in enumerate(np.eye(5)):
        slope = (tau(h * e) - tau(-h * e)) / (2.0 * h)
        # 30 h in the speeds, squared
        assert_allclose(D[:, j] - 1.0, slope, rtol=0.0, atol=1e-7 * np.abs(slope).max())


# ---- mass matrix, energies, invariances


@pytest.mark.parametrize("kinds", KINDS)
def test_mass_matrix_is_symmetric_and_positive_definite(rng, kinds):
    for n in SIZES:
        tree = random_tree(rng, n, kinds, depth_first=False)
        for _ in range(5):
            M = mass_matrix(tree, rng.normal(size=n) * 2.0)
            assert np.array_equal(M, M.T)
            if kinds == "revolute" or n < 4:
                # each link has a body with inertia about every axis; sliding, more than three
                # links in a chain can cancel each other
                assert np.linalg.eigvalsh(M).min() > 0.0
            assert np.linalg.eigvalsh(M).min() > -1e-13 * M.max()


def energies(tree, q, p):
    state = tree.evaluate(q, p, 0.0 * p)
    return rigid.kinetic_and_potential(
        state.V, state.rotation, state.position, tree.body_link, tree.mass, tree.com, tree.inertia,
        tree.gravity,
    )  # fmt: skip


@pytest.mark.parametrize("kinds", KINDS)
def test_energies(rng, kinds):
    tree = random_tree(rng, 6, kinds)
    q, p, a = motion(rng, 6)
    kinetic, _ = energies(tree, q, p)
    assert_allclose(kinetic, 0.5 * p @ mass_matrix(tree, q) @ p, rtol=1e-13)  # rounding
    weight = inverse_dynamics(tree, q, 0.0 * p, 0.0 * a)
    h = 1e-5
    for j, e in enumerate(np.eye(6)):
        slope = (energies(tree, q + h * e, p)[1] - energies(tree, q - h * e, p)[1]) / (2.0 * h)
        # h^2 / 6 and rounding eps / h
        assert_allclose(weight[j], slope, rtol=0.0, atol=1e-8 * np.abs(weight).max())
    # the power of the forces is the rate of the energy: p . tau = d/dt (kinetic + potential)
    ahead, behind = (sum(energies(tree, q + s * p + 0.5 * s * s * a, p + s * a)) for s in (h, -h))
    power = p @ inverse_dynamics(tree, q, p, a)
    scale = np.abs(p * inverse_dynamics(tree, q, p, a)).max()
    assert_allclose(power, (ahead - behind) / (2.0 * h), rtol=0.0, atol=1e-8 * scale)


def test_turning_the_world_changes_nothing(rng):
    """Base joints and gravity in another frame: the same generalized forces."""
    tree = random_tree(rng, 6)
    q, p, a = motion(rng, 6)
    R, shift = rotation(rng), rng.normal(size=3) * 3.0
    base = tree.parent < 0
    joint_rotation, joint_position = tree.joint_rotation.copy(), tree.joint_position.copy()
    joint_rotation[base] = R @ joint_rotation[base]
    joint_position[base] = joint_position[base] @ R.T + shift
    turned = dataclasses.replace(
        tree, joint_rotation=joint_rotation, joint_position=joint_position, gravity=R @ GRAVITY
    )
    tau = inverse_dynamics(tree, q, p, a)
    # the reference point is 5 m off: moments round to 5 * eps, squared with the inertia
    atol = 1e-12 * np.abs(tau).max()
    assert_allclose(inverse_dynamics(turned, q, p, a), tau, rtol=0.0, atol=atol)
    M = mass_matrix(tree, q)
    assert_allclose(mass_matrix(turned, q), M, rtol=0.0, atol=1e-12 * M.max())


def test_bracket_is_a_lie_bracket(rng):
    """Antisymmetric, Jacobi, and the commutator of the twists as 4 x 4 matrices."""

    def bracket(a, b):
        out = np.full(6, np.nan)
        rigid.bracket(a, b, out)
        return out

    def matrix(twist):
        w, v = twist[:3], twist[3:]
        out = np.zeros((4, 4))
        out[:3, :3], out[:3, 3] = reference.skew(w), v
        return out

    a, b, c = rng.normal(size=(3, 6))
    commutator = matrix(a) @ matrix(b) - matrix(b) @ matrix(a)
    assert_allclose(matrix(bracket(a, b)), commutator, rtol=0.0, atol=1e-14)  # rounding
    assert_allclose(bracket(a, b), -bracket(b, a), rtol=0.0, atol=1e-15)
    jacobi = bracket(a, bracket(b, c)) + bracket(b, bracket(c, a)) + bracket(c, bracket(a, b))
    assert_allclose(jacobi, 0.0, rtol=0.0, atol=1e-13)


def test_twists_are_the_velocities(rng):
    """V and A of every link against differences of its pose along the motion."""
    tree = random_tree(rng, 6)
    q, p, a = motion(rng, 6)
    local = rng.normal(size=3)
    h = 1e-4

    def place(s):
        state = tree.evaluate(q + s * p + 0.5 * s * s * a, p, a)
        return state.rotation @ local + state.position

    state = tree.evaluate(q, p, a)
    x = place(0.0)
    velocity = (place(h) - place(-h)) / (2.0 * h)
    acceleration = (place(h) - 2.0 * x + place(-h)) / h**2
    for k in range(6):
        w, v = state.V[k, :3], state.V[k, 3:]
        # h^2 times third derivatives of some hundreds at six joints; eps / h^2 in the second
        size = 1.0 + np.abs(acceleration).max()
        assert_allclose(v + np.cross(w, x[k]), velocity[k], rtol=0.0, atol=1e-6 * size)
        expected = state.A[k, 3:] + np.cross(state.A[k, :3], x[k]) + np.cross(w, velocity[k])
        assert_allclose(expected, acceleration[k], rtol=0.0, atol=1e-5 * size)


# ---- attachments


def attachments(tree, q, link, local, pairs):
    """Positions, C and the listed entries of dC/dq, by the kernel."""
    zero = np.zeros(tree.n)
    state = tree.evaluate(q, zero, zero)
    point = np.full((link.size, 3), np.nan)
    C = np.full((link.size, 3, tree.n), np.nan)
    hess = np.full((pairs.shape[0], 3), np.nan)
    rigid.attach_points(
        state.S, tree.moves, state.rotation, state.position, link, local, pairs, point, C, hess
    )
    return point, C, hess


@pytest.mark.parametrize("kinds", KINDS)
def test_attached_points(rng, kinds):
    """C = dc/dq and dC/dq by differences; the second derivative is symmetric."""
    n, h = 6, 1e-5
    for depth_first in (True, False):
        tree = random_tree(rng, n, kinds, depth_first)
        link = np.array([-1, 0, 2, 5, 3, 5])
        local = rng.normal(size=(link.size, 3)) * 0.3
        pairs = np.array(
            [
                (m, j, k)
                for m in range(link.size)
                for j in range(n)
                for k in range(n)
                if link[m] >= 0 and tree.moves[link[m], j] and tree.moves[link[m], k]
            ]
        )
        q = rng.normal(size=n)
        point, C, hess = attachments(tree, q, link, local, pairs)
        full = np.zeros((link.size, 3, n, n))
        full[pairs[:, 0], :, pairs[:, 1], pairs[:, 2]] = hess
        assert np.array_equal(point[0], local[0])  # on ground
        assert np.all(C[0] == 0.0)
        # the same two formulas give both orders
        assert_allclose(full, full.transpose(0, 1, 3, 2), rtol=0.0, atol=1e-14)
        for j, e in enumerate(np.eye(n)):
            ahead = attachments(tree, q + h * e, link, local, pairs)
            behind = attachments(tree, q - h * e, link, local, pairs)
            # h^2 / 6 and rounding eps / h, of lengths up to 3
            slope = (ahead[0] - behind[0]) / (2.0 * h)
            assert_allclose(C[:, :, j], slope, rtol=0.0, atol=3e-10)
            slope = (ahead[1] - behind[1]) / (2.0 * h)
            assert_allclose(full[:, :, :, j], slope, rtol=0.0, atol=3e-10)


def test_attached_points_against_reference(rng):
    """C and dC/dq by the complex step, exact."""
    tree = random_tree(rng, 5, "revolute", depth_first=False)
    bodies = plain_bodies(tree)
    q = rng.normal(size=5)
    link, local = np.array([4, 1]), rng.normal(size=(2, 3))
    for m in range(2):
        chain = np.flatnonzero(tree.moves[link[m]])
        pairs = np.array([(0, j, k) for j in chain for k in chain])
        point, C, hess = attachments(tree, q, link[m : m + 1], local[m : m + 1], pairs)
        at = (bodies, q, link[m], local[m])
        assert_allclose(point[0], reference.position(*at), rtol=0.0, atol=1e-14)
        assert_allclose(C[0], reference.jacobian(*at), rtol=0.0, atol=1e-14)
        expected = reference.hessian(*at)
        found = np.zeros((3, 5, 5))
        found[:, pairs[:, 1], pairs[:, 2]] = hess.T
        assert_allclose(found, expected, rtol=0.0, atol=1e-14)


# ---- closed forms


def double_pendulum():
    """Two rods about y, the first 1 m long, by the model's own objects."""
    model = fm.Model("double pendulum")
    rods = [
        model.add(fm.Body(f"rod{i}", mass=2.0, com=(0, 0, -0.5), inertia=(0.3, 0.2, 0.1)))
        for i in range(2)
    ]
    model.add(fm.Hinge("upper", model.ground, rods[0], at=(0, 0, 0), axis=(0, 1, 0)))
    model.add(fm.Hinge("lower", rods[0], rods[1], at=(0, 0, -1), axis=(0, 1, 0), damping=0.5))
    return build_tree(model)


def test_double_pendulum(rng):
    """Mass matrix, Coriolis terms and weight worked out by hand."""
    tree = double_pendulum()
    q, p, a = motion(rng, 2)
    m, c, I, g = 2.0, 0.5, 0.2, 9.81  # noqa: E741
    k, s = m * c * np.cos(q[1]), m * c * np.sin(q[1])
    low = m * c * c + I
    M = np.array([[2.0 * low + m + 2.0 * k, low + k], [low + k, low]])
    assert_allclose(mass_matrix(tree, q), M, rtol=1e-14)
    coriolis = np.array([-s * (2.0 * p[0] * p[1] + p[1] ** 2), s * p[0] ** 2])
    hanging = m * g * c * np.sin(q.sum())
    weight = np.array([m * g * (c + 1.0) * np.sin(q[0]) + hanging, hanging])
    tau = np.zeros(2)
    tree.dynamics(tree.evaluate(q, p, a), p, tau)
    assert_allclose(tau, M @ a + coriolis + weight + [0.0, 0.5 * p[1]], rtol=1e-13)


def test_slider_in_closed_form():
    """A mass on an inclined rail carried by a turntable: m a, Coriolis and centrifugal forces."""
    rng = np.random.default_rng(3)
    tree = random_tree(rng, 2, "prismatic")
    tree = dataclasses.replace(
        tree, parent=np.array([-1, 0]), kind=np.array([rigid.REVOLUTE, rigid.PRISMATIC]),
        axis=np.array([[0, 0, 1.0], [1.0, 0, 0]]), joint_rotation=np.array([np.eye(3)] * 2),
        joint_position=np.zeros((2, 3)), moves=np.array([[True, False], [True, True]]),
        body_link=np.array([1]), mass=np.array([1.7]), com=np.zeros((1, 3)),
        inertia=1e-9 * np.eye(3)[None], gravity=np.zeros(3),
    )  # fmt: skip
    q, p, a = np.array([0.4, 0.6]), np.array([2.0, -1.5]), np.array([0.3, 0.9])
    tau = inverse_dynamics(tree, q, p, a)
    r, m = q[1], 1.7
    # with the rotary inertia of 1e-9 kg m^2 neglected
    expected = [m * (r * r * a[0] + 2.0 * r * p[0] * p[1]), m * (a[1] - r * p[0] ** 2)]
    assert_allclose(tau, expected, rtol=1e-8)


def test_model_to_tree(rng):
    """Joint placement, child frames, rotations and welded bodies, against the reference."""
    model = fm.Model("tree", gravity=GRAVITY)
    bodies, plain = [model.ground], []
    for b in range(6):
        data = {
            "mass": rng.uniform(0.5, 3.0),
            "com": rng.normal(size=3) * 0.2,
            "at": rng.normal(size=3) * 0.4,
            "child_at": rng.normal(size=3) * 0.4,
            "rotation": rotation(rng),
            "axis": None if b in (1, 3) else unit(rng),
            "damping": 0.1 * b,
        }
        data["inertia"] = inertia(rng, data["mass"])
        parent = int(rng.integers(-1, b)) if b else -1
        place = {key: data[key] for key in ("at", "child_at", "rotation")}
        body = model.add(
            fm.Body(f"b{b}", mass=data["mass"], com=data["com"], inertia=data["inertia"])
        )
        if data["axis"] is None:
            model.add(fm.Weld(bodies[parent + 1], body, **place))
        else:
            model.add(
                fm.Hinge(
                    f"q{b}",
                    bodies[parent + 1],
                    body,
                    axis=data["axis"],
                    damping=data["damping"],
                    **place,
                )  # fmt: skip
            )
        bodies.append(body)
        plain.append(data | {"parent": parent})
    tree = build_tree(model)
    # the tree numbers the joints outwards in the order of the bodies, as the reference does
    assert tree.names == ("q0", "q2", "q4", "q5")
    q, p, a = motion(rng, 4)
    M = reference.mass_matrix(plain, q)
    assert_allclose(mass_matrix(tree, q), M, rtol=0.0, atol=1e-13 * M.max())  # rounding
    tau = np.zeros(4)
    state = tree.evaluate(q, p, a)
    tree.dynamics(state, p, tau)
    expected = reference.inverse_dynamics(plain, q, p, a, GRAVITY)
    assert_allclose(tau, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())
    for b in range(6):
        R, x = tree.place(f"b{b}", state)
        pose = reference.forward_kinematics(plain, q)[b]
        assert_allclose(R, pose[:3, :3], rtol=0.0, atol=1e-14)
        assert_allclose(x, pose[:3, 3], rtol=0.0, atol=1e-14)
